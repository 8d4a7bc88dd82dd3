//! The shell: the only code that knows Tauri. It builds the engine, opens the doors, and ends them in order.

mod addresses;
mod appearance;
mod at_login;
mod badge;
mod closing;
mod demo;
mod doors;
#[cfg(unix)]
mod ended_by_system;
mod files;
mod first_paint;
mod folders;
mod host;
mod images;
mod language;
mod links;
mod notify;
mod opening;
mod paint_log;
mod presence;
pub mod rendering;
mod rpc;
mod seen;
mod shortcut;
mod subscribe;
mod tray;
mod unopened;
mod waiting;
mod wanted;
mod window;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use askdesk_agents::{Catalog, installed_agents};
use askdesk_api::Api;
use askdesk_client_config::desk::{self, NoDataFolder};
use askdesk_engine::clock::System;
use askdesk_engine::{Attention, EngineHandle, OpenedEngine, SettingsFile, private};
use askdesk_gateway::DoorSpec;
use first_paint::FirstPaint;
use host::ShellHost;
use opening::{Opener, Opening};
use presence::{Focus, Presence};
use tauri::{AppHandle, Manager, RunEvent};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};
use tokio::sync::mpsc;
use tracing_subscriber::EnvFilter;
use unopened::Unopened;

pub use demo::DEMO_AGENT;

/// Names a folder to keep all data in, instead of the system's place for it. A desk with a folder of its own is a desk
/// of its own: it runs beside others.
pub use askdesk_client_config::desk::DATA_FOLDER;

/// Says what is written to the log on the error stream, as in `askdesk=debug`.
pub const LOG: &str = "ASKDESK_LOG";

/// Opens the app and returns when it has ended.
pub fn run() -> ExitCode {
    let filter = EnvFilter::try_from_env(LOG).unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();

    // A second start is told apart before anything else begins, and what it hands over finds somebody who takes it.
    let mut builder = tauri::Builder::default().plugin(tauri_plugin_deep_link::init());
    if std::env::var_os(DATA_FOLDER).is_none() {
        builder = builder.plugin(tauri_plugin_single_instance::init(|app, args, _| {
            if !at_login::in_background(args) {
                app.state::<Presence>().want(Focus::Taken);
            }
        }));
    }
    builder =
        builder.plugin(tauri_plugin_dialog::init()).plugin(window::remembered(std::env::var_os(DATA_FOLDER)));
    #[cfg(not(target_os = "linux"))]
    {
        builder = builder.plugin(tauri_plugin_notification::init()).plugin(at_login::plugin());
    }
    #[cfg(unix)]
    {
        builder = builder.manage(ended_by_system::Ending::default());
    }
    let app = builder
        .manage(subscribe::Subscriptions::default())
        .manage(closing::Asking::default())
        .manage(doors::Opened::default())
        .manage(files::Dropped::default())
        .manage(FirstPaint::default())
        .manage(wanted::Wanted::default())
        .manage(Presence::default())
        .manage(shortcut::Keys::default())
        .manage(tray::Shown::default())
        .on_window_event(closing::on_window_event)
        .on_window_event(files::on_window_event)
        .on_window_event(badge::on_window_event)
        .register_asynchronous_uri_scheme_protocol(images::SCHEME, images::serve)
        .invoke_handler(rpc::handler())
        .on_page_load(subscribe::end_with_page)
        .setup(|app| {
            let (opener, opening) = opening::opening();
            app.manage(opening);
            #[cfg(unix)]
            ended_by_system::follow_signals(app.handle());
            let place = Place::find();
            let settings = place.as_ref().ok().map(|place| place.settings.watch());
            presence::start(app.handle(), settings, !at_login::in_background(std::env::args_os()))?;
            addresses::follow(app.handle());
            // Reading the journal must not keep the window from coming up.
            let app = app.handle().clone();
            let opening = move || open(&app, place, &opener);
            std::thread::Builder::new().name("desk-opening".to_owned()).spawn(opening)?;
            Ok(())
        })
        .build(tauri::generate_context!());
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

/// Where everything is kept, what is set there, and which agents can be started.
struct Place {
    folder: PathBuf,
    settings: Arc<SettingsFile>,
    agents: Catalog,
}

impl Place {
    fn find() -> Result<Self, Unopened> {
        let folder = data_folder()?;
        let mut agents = installed_agents();
        agents.push(Arc::new(demo::agent(&folder)?));
        let agents = Catalog::new(agents);
        let settings = Arc::new(SettingsFile::open(&folder, agents.clone()));
        Ok(Self { folder, settings, agents })
    }
}

fn open(app: &AppHandle, place: Result<Place, Unopened>, opener: &Opener) {
    let language = match &place {
        Ok(place) => language::of(&place.settings.watch().borrow()),
        Err(_) => language::of_system(),
    };
    match place.and_then(|place| open_desk(app, place)) {
        Ok((desk, attention, doors)) => {
            appearance::follow(app, desk.settings());
            opener.open(desk.clone());
            let in_background = at_login::in_background(std::env::args_os());
            if !in_background {
                app.state::<FirstPaint>().wait();
            }
            // Until then the system's SIGTERM ends the app; registering over D-Bus would hold up the first paint.
            #[cfg(target_os = "linux")]
            ended_by_system::follow_session(app);
            let board = waiting::Board::new();
            badge::follow(app, board.watch());
            tray::follow(app, desk.clone(), board.watch());
            shortcut::follow(app, board.watch());
            notify::listen(app, desk.clone(), attention, board);
            let due = desk.clone();
            tauri::async_runtime::spawn(async move { due.delete_expired_daily().await });
            doors::open(app, doors);
            tauri::async_runtime::spawn(at_login::bring_in_line(desk));
            let with_tray = app.clone();
            tauri::async_runtime::spawn(async move {
                if in_background {
                    at_login::come_up_in_the_tray(&with_tray).await;
                } else {
                    tray::offer(&with_tray).await;
                }
            });
            // A desk of its own is not the one that addresses lead to.
            #[cfg(target_os = "linux")]
            if std::env::var_os(DATA_FOLDER).is_none() {
                addresses::register(app);
            }
        }
        Err(why) => {
            tracing::error!(error = %why, "the app cannot start");
            let dialog = app.dialog().message(words::of(language).cannot_start(&why.words(language)));
            dialog.title(words::APP).kind(MessageDialogKind::Error).blocking_show();
            app.exit(1);
        }
    }
}

fn open_desk(
    app: &AppHandle,
    Place { folder, settings, agents }: Place,
) -> Result<(Api, mpsc::Receiver<Attention>, DoorSpec), Unopened> {
    let OpenedEngine { handle, attention } = EngineHandle::open(&folder, Arc::new(System), agents)?;
    let doors = doors::of(app, &folder, handle.clone());
    let host = ShellHost::new(app, folder, settings.watch());
    Ok((Api::new(handle, settings, Arc::new(host)), attention, doors))
}

fn data_folder() -> Result<PathBuf, Unopened> {
    desk::data_folder().map_err(|why| match why {
        NoDataFolder::NoPath { error } => Unopened::NoPath { error },
        NoDataFolder::NoPlace => Unopened::NoFolder { error: why.to_string() },
    })
}

fn on_run_event(app: &AppHandle, event: RunEvent) {
    match event {
        // Without a window the app goes on; who quits says so.
        RunEvent::ExitRequested { code: None, api, .. } if app.state::<Presence>().is_away() => {
            api.prevent_exit();
        }
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { has_visible_windows: false, .. } => app.state::<Presence>().want(Focus::Taken),
        RunEvent::Exit => {
            #[cfg(unix)]
            app.state::<ended_by_system::Ending>().closes();
            let Some(desk) = app.try_state::<Opening>().and_then(|opening| opening.now()) else { return };
            tauri::async_runtime::block_on(async {
                // Who waits at a door is told while agents take their time to end; both still need the engine.
                tokio::join!(doors::close(app), desk.sessions().end_all());
                tokio::join!(desk.sessions().shut_down(), notify::taken_back(app));
            });
            if let Ok(folder) = desk::data_folder() {
                // The webview and the window's place are written by others.
                private::tighten(&folder);
            }
        }
        _ => {}
    }
}
