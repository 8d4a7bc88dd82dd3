//! The shell: the only code that knows Tauri. It starts the window, the engine and the gateway, and stops them in order.

mod appearance;
pub mod arguments;
mod attachments;
mod autostart;
mod badge;
mod bridge;
#[cfg(target_os = "linux")]
mod clipboard;
mod deep_link;
mod demo;
mod external_links;
mod field_menu;
mod first_paint;
mod folder_dialog;
mod gateway;
mod guide;
mod host;
mod image_protocol;
mod language;
mod messages;
mod notify;
mod page_crash;
mod pending_api;
mod previous_focus;
mod quit;
pub mod rendering;
mod sanitize;
mod shell_environment;
mod shortcut;
#[cfg(unix)]
mod shutdown;
mod startup_error;
mod subscribe;
mod trace;
mod tray;
mod update_desk;
mod updates;
mod window;
mod window_lifecycle;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use askdesk_agents::{Catalog, installed_agents};
use askdesk_api::Api;
use askdesk_client_config::discovery::{self, NoDataFolder};
use askdesk_desk::{Desk, News};
use askdesk_engine::clock::{Clock, SystemClock};
use askdesk_engine::{EngineError, EngineHandle, QUIT_LIMIT, SettingsFile, private};
use askdesk_gateway::GatewayConfig;
use first_paint::FirstPaint;
use host::ShellHost;
use pending_api::PendingApi;
use startup_error::StartupError;
use tauri::{AppHandle, Manager, RunEvent};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout_at};
use trace::Milestone;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use window::Focus;
use window_lifecycle::WindowLifecycle;

pub use demo::DEMO_AGENT;

/// Names the data folder. A run with its own data folder is independent: it runs beside others.
pub use askdesk_client_config::discovery::DATA_FOLDER;

/// Filters the log on standard error, as in `askdesk=debug`.
pub const LOG: &str = "ASKDESK_LOG";

/// Runs the app until it ends.
pub fn run() -> ExitCode {
    trace::reached(Milestone::Main);
    let chosen = std::env::var(LOG).ok().and_then(|targets| targets.parse::<Targets>().ok());
    let targets = chosen.unwrap_or_else(|| Targets::new().with_default(LevelFilter::WARN));
    let log = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    tracing_subscriber::registry().with(log).with(targets).init();

    // These come first: a second instance hands its arguments to the first one before it starts anything else.
    let mut builder = tauri::Builder::default().plugin(tauri_plugin_deep_link::init());
    if std::env::var_os(DATA_FOLDER).is_none() {
        builder = builder.plugin(tauri_plugin_single_instance::init(|app, args, _| {
            if !autostart::in_background(args) {
                app.state::<WindowLifecycle>().show(Focus::Take);
            }
        }));
    }
    builder = builder.plugin(tauri_plugin_dialog::init()).plugin(tauri_plugin_shell::init());
    let folder = prepare_data_folder();
    if folder.is_ok() {
        builder = builder.plugin(window::window_state_plugin(std::env::var_os(DATA_FOLDER)));
    }
    #[cfg(not(target_os = "linux"))]
    {
        builder = builder.plugin(tauri_plugin_notification::init());
    }
    #[cfg(unix)]
    {
        builder = builder.manage(shutdown::Shutdown::default());
    }
    #[cfg(target_os = "macos")]
    {
        builder = builder.on_web_content_process_terminate(|page| {
            page_crash::recover(page.app_handle(), page.label());
        });
    }
    let context = tauri::generate_context!();
    #[cfg(feature = "updater")]
    {
        builder = updates::register(builder, &context);
    }
    let app = builder
        .manage(subscribe::Subscriptions::default())
        .manage(quit::QuitDialog::default())
        .manage(gateway::AppGateway::default())
        .manage(attachments::DroppedFiles::default())
        .manage(FirstPaint::default())
        .manage(page_crash::PageCrashes::default())
        .manage(deep_link::PendingTarget::default())
        .manage(WindowLifecycle::default())
        .manage(shell_environment::ShellEnvironment::default())
        .manage(shortcut::ShortcutState::default())
        .manage(previous_focus::PreviousFocus::default())
        .manage(tray::TrayState::default())
        .on_window_event(tray::on_window_event)
        .on_window_event(attachments::on_window_event)
        .on_window_event(badge::on_window_event)
        .register_asynchronous_uri_scheme_protocol(image_protocol::SCHEME, image_protocol::serve)
        .register_asynchronous_uri_scheme_protocol(guide::SCHEME, guide::serve)
        .register_uri_scheme_protocol(page_crash::SCHEME, page_crash::serve)
        .invoke_handler(bridge::handler())
        .on_page_load(|page, payload| {
            trace::page_load(payload.event());
            subscribe::end_with_page(page, payload);
            page_crash::note_shown(page, payload);
        })
        .setup(move |app| {
            trace::reached(Milestone::Setup);
            let (api_sender, pending_api) = pending_api::channel();
            app.manage(pending_api);
            #[cfg(unix)]
            shutdown::handle_signals(app.handle());
            let profile = folder.and_then(Profile::of);
            let settings = profile.as_ref().ok().map(|profile| profile.settings.watch());
            // Without a profile there is only the dialog that says why: the webview would write to the data folder.
            let is_restarted = profile.as_ref().is_ok_and(|profile| updates::take_restart(&profile.folder));
            let in_background = !is_restarted && autostart::in_background(std::env::args_os());
            let open = profile.is_ok() && !in_background;
            if let Ok(profile) = &profile {
                app.manage(update_desk::updates(app.handle(), &profile.folder));
            }
            // The journal is read while the window is made, so that neither waits for the other.
            let (window_made, window) = std::sync::mpsc::channel();
            let background = app.handle().clone();
            let start = move || start(&background, profile, &api_sender, &window, in_background);
            std::thread::Builder::new().name("startup".to_owned()).spawn(start)?;
            let made = window_lifecycle::start(app.handle(), settings, open);
            // The thread has ended only if the app is ending.
            let _ =
                window_made.send(made.map_err(|error| StartupError::NoWindow { error: error.to_string() }));
            deep_link::follow(app.handle());
            // A restart repeats the arguments of the first start, and the user has left that place.
            if !is_restarted {
                deep_link::open_first(app.handle());
            }
            Ok(())
        })
        .build(context);
    match app {
        Ok(app) => {
            app.run(on_run_event);
            ExitCode::SUCCESS
        }
        Err(error) => {
            tracing::error!(%error, "the app did not start");
            ExitCode::FAILURE
        }
    }
}

/// The data folder, its settings, and the agents.
struct Profile {
    folder: PathBuf,
    settings: Arc<SettingsFile>,
    agents: Catalog,
}

impl Profile {
    fn of(folder: PathBuf) -> Result<Self, StartupError> {
        shell_environment::begin(&folder);
        let mut agents = installed_agents();
        agents.push(Arc::new(demo::agent(&folder)?));
        let agents = Catalog::new(agents);
        let settings = Arc::new(SettingsFile::open(&folder, agents.clone()));
        Ok(Self { folder, settings, agents })
    }
}

fn start(
    app: &AppHandle,
    profile: Result<Profile, StartupError>,
    api_sender: &watch::Sender<Option<Api>>,
    window: &Receiver<Result<(), StartupError>>,
    in_background: bool,
) {
    shell_environment::read_if_unknown(app);
    let language = match &profile {
        Ok(profile) => language::of(&profile.settings.watch().borrow()),
        Err(_) => language::of_system(),
    };
    let opened = profile.and_then(|profile| open_engine(app, profile)).inspect(|(api, ..)| {
        trace::reached(Milestone::EngineOpen);
        api_sender.send_replace(Some(api.clone()));
    });
    match window.recv().unwrap_or(Ok(())).and(opened) {
        Ok((api, desk, news, gateway_config)) => {
            appearance::follow(app, api.settings());
            if !in_background {
                app.state::<FirstPaint>().wait();
            }
            shell_environment::read_first(app);
            // Registering over D-Bus would delay the first paint. Until then, SIGTERM ends the app.
            #[cfg(target_os = "linux")]
            shutdown::handle_session_end(app);
            badge::follow(app, desk.watch_pending());
            tray::follow(app, desk.clone(), api.settings().watch());
            shortcut::follow(app, desk.watch_pending());
            notify::listen(app, api.clone(), desk.clone(), news);
            appearance::follow_edits(app, api.settings());
            let retention = api.clone();
            tauri::async_runtime::spawn(async move { retention.delete_expired_daily().await });
            gateway::open(app, gateway_config);
            updates::start(app, &desk, api.settings().watch());
            tauri::async_runtime::spawn(autostart::apply_system_settings(app.clone(), desk.settings()));
            let tray_app = app.clone();
            tauri::async_runtime::spawn(async move {
                if in_background {
                    autostart::start_in_tray(&tray_app).await;
                } else {
                    tray::show_icon(&tray_app).await;
                }
            });
            // Deep links lead to the run with the usual data folder.
            #[cfg(target_os = "linux")]
            if std::env::var_os(DATA_FOLDER).is_none() {
                deep_link::register(app);
            }
        }
        Err(error) => {
            tracing::error!(%error, "the app cannot start");
            let dialog =
                app.dialog().message(messages::of(language).cannot_start.with(error.message(language)));
            dialog.title(messages::APP).kind(MessageDialogKind::Error).blocking_show();
            app.exit(1);
        }
    }
}

fn open_engine(
    app: &AppHandle,
    Profile { folder, settings, agents }: Profile,
) -> Result<Opened, StartupError> {
    let engine = EngineHandle::open(&folder, Arc::new(SystemClock), agents)?;
    // Nobody has the engine yet, so that everything that is asked in this run is news.
    let mut frames = tauri::async_runtime::block_on(engine.subscribe())?;
    let first = frames.take().ok_or(EngineError::Closing)?;
    let clock = askdesk_desk::Clock { now: || SystemClock.now(), steady: || SystemClock.steady() };
    let desk = Desk::new(&first, settings.watch(), clock);
    app.manage(desk.clone());
    let (following, news) = desk.follow(pending_api::frames(frames));
    tauri::async_runtime::spawn(following);
    let gateway_config = gateway::config(app, &folder, engine.clone());
    let host = ShellHost::new(app, folder, desk.clone(), settings.watch());
    Ok((Api::new(engine, settings, Arc::new(host)), desk, news, gateway_config))
}

type Opened = (Api, Desk, mpsc::Receiver<News>, GatewayConfig);

/// Finds the data folder, and creates it if it is missing. Refuses a folder that holds something else.
fn prepare_data_folder() -> Result<PathBuf, StartupError> {
    let folder = discovery::data_folder().map_err(|why| match why {
        NoDataFolder::NoPath { error } => StartupError::NoPath { error },
        NoDataFolder::NoPlace => StartupError::NoFolder { error: why.to_string() },
    })?;
    if std::env::var_os(DATA_FOLDER).is_some()
        && let Some(name) = private::foreign_entry(&folder)
    {
        return Err(StartupError::ForeignFolder { path: folder, name });
    }
    match private::create_folder(&folder) {
        Ok(()) => Ok(folder),
        Err(error) => Err(StartupError::DataFolder { path: folder, error: error.to_string() }),
    }
}

fn on_run_event(app: &AppHandle, event: RunEvent) {
    match event {
        // Closing the last window asks for an exit without a code; the app stays in the tray.
        RunEvent::ExitRequested { code: None, api, .. } if app.state::<WindowLifecycle>().has_no_window() => {
            api.prevent_exit();
        }
        #[cfg(target_os = "macos")]
        // The guide may be the only window.
        RunEvent::Reopen { has_visible_windows, .. }
            if !has_visible_windows || app.state::<WindowLifecycle>().has_no_window() =>
        {
            app.state::<WindowLifecycle>().show(Focus::Take)
        }
        RunEvent::Exit => {
            #[cfg(unix)]
            app.state::<shutdown::Shutdown>().note_closing();
            shell_environment::stop(app);
            let Some(api) = app.try_state::<PendingApi>().and_then(|pending| pending.now()) else { return };
            tauri::async_runtime::block_on(async {
                let until = Instant::now() + QUIT_LIMIT;
                // The gateway tells waiting clients while the agents end; both still need the engine.
                let all = async {
                    tokio::join!(gateway::close(app), api.sessions().end_all(until));
                    tokio::join!(api.sessions().close_writer(until), notify::withdrawn(app));
                };
                if timeout_at(until, all).await.is_err() {
                    tracing::warn!("not everything ended in time");
                }
            });
            if let Some(updates) = app.try_state::<updates::Updates>() {
                tauri::async_runtime::block_on(updates.install_at_exit());
            }
            if let Ok(folder) = discovery::data_folder() {
                // The webview and plugins write files of their own.
                private::tighten(&folder);
            }
        }
        _ => {}
    }
}
