//! The tray icon with its menu: the pending items, pausing notifications, quitting. It also finds out whether the desktop shows
//! tray icons, and so whether closing the window leads to the tray: never to one that nobody sees.

mod contents;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use askdesk_desk::{Desk, PauseLength, PendingEntry};
use askdesk_domain::{OnClose, Setting, Settings};
use tauri::image::Image;
use tauri::menu::{Menu, MenuBuilder, MenuItemBuilder, SubmenuBuilder};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager, Window, WindowEvent, Wry};
use tokio::sync::{oneshot, watch};
use tokio::time::{sleep, timeout};

use crate::pending_api::PendingApi;
use crate::window::Focus;
use crate::window_lifecycle::{Goal, WindowLifecycle};
use crate::{deep_link, language, messages, quit, window};
use contents::{Contents, MenuAction, MenuEntry};

const TRAY: &str = "tray";

/// How long the desktop may take to say whether it has a tray.
const TRAY_TIMEOUT: Duration = Duration::from_secs(2);

/// How long changes are gathered, because a desktop redraws the whole menu each time.
const DEBOUNCE: Duration = Duration::from_millis(100);

/// How often the end of a pause is checked, because timers stop while the machine sleeps.
const PAUSE_POLL: Duration = Duration::from_secs(30);

/// What the tray shows, or would show if there were one.
#[derive(Default)]
pub struct TrayState(Mutex<Contents>);

impl TrayState {
    fn now(&self) -> Contents {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the contents, and returns whether they differ.
    fn replace(&self, contents: Contents) -> bool {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = *shown != contents;
        *shown = contents;
        changes
    }
}

/// Shows the pending items and the pause from now on.
pub fn follow(app: &AppHandle, desk: Desk, mut settings: watch::Receiver<Settings>) {
    let app = app.clone();
    let mut pending = desk.watch_pending();
    tauri::async_runtime::spawn(async move {
        loop {
            let contents = gather(&desk, &pending.borrow_and_update());
            if app.state::<TrayState>().replace(contents)
                && let Some(tray) = app.tray_by_id(TRAY)
                && let Err(error) = update(&app, &tray)
            {
                tracing::warn!(%error, "the tray could not be updated");
            }
            let pause = desk.paused_until().map(|_| PAUSE_POLL);
            tokio::select! {
                changed = pending.changed() => if changed.is_err() { return },
                changed = settings.changed() => if changed.is_err() { return },
                () = sleep(pause.unwrap_or_default()), if pause.is_some() => {}
            }
            sleep(DEBOUNCE).await;
        }
    });
}

fn gather(desk: &Desk, pending: &[PendingEntry]) -> Contents {
    let paused = desk.paused_until().map(|(_, clock)| clock);
    Contents::new(pending, paused.as_deref(), language::messages(&desk.settings()))
}

/// Shows the icon, and returns whether the user can see it.
pub async fn show_icon(app: &AppHandle) -> bool {
    if !desktop_has_tray().await {
        return false;
    }
    if app.tray_by_id(TRAY).is_some() {
        return true;
    }
    let (sender, receiver) = oneshot::channel();
    let tray_app = app.clone();
    let asked = app.run_on_main_thread(move || {
        // Tauri panics if the system lacks the tray library.
        let created = catch_unwind(AssertUnwindSafe(|| create(&tray_app)));
        let _ = sender.send(match created {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::warn!(%error, "the tray icon could not be created");
                false
            }
            Err(_) => {
                tracing::warn!("the tray icon could not be created: the system's tray library is missing");
                false
            }
        });
    });
    asked.is_ok() && timeout(TRAY_TIMEOUT, receiver).await.is_ok_and(|created| created.unwrap_or_default())
}

/// Closes the window to the tray, or quits if the user wants that or has no tray.
pub fn on_window_event(closed: &Window, event: &WindowEvent) {
    let WindowEvent::CloseRequested { api: close, .. } = event else { return };
    if closed.label() != window::MAIN {
        return;
    }
    let app = closed.app_handle().clone();
    // Before the engine is open, nothing can be lost.
    let Some(api) = app.state::<PendingApi>().now() else { return };
    close.prevent_close();
    let show_count = app.state::<WindowLifecycle>().show_count();
    tauri::async_runtime::spawn(async move {
        let on_close = api.settings().watch().borrow().on_close;
        if on_close == OnClose::KeepRunning && show_icon(&app).await {
            app.state::<WindowLifecycle>().close(Goal::Tray, show_count);
        } else {
            quit::request(&app);
        }
    });
}

fn update(app: &AppHandle, tray: &TrayIcon) -> tauri::Result<()> {
    let contents = app.state::<TrayState>().now();
    tray.set_menu(Some(menu(app, &contents)?))?;
    tray.set_title(Some(contents.count()))?;
    tray.set_tooltip(Some(&contents.tooltip))?;
    tray.set_icon(icon(app, contents.pending > 0))
}

fn menu(app: &AppHandle, contents: &Contents) -> tauri::Result<Menu<Wry>> {
    let item =
        |action: &MenuAction, text: &str| MenuItemBuilder::with_id(action.to_string(), text).build(app);
    let mut menu = MenuBuilder::new(app);
    for entry in &contents.entries {
        menu = match entry {
            MenuEntry::Item(action, text) => menu.item(&item(action, text)?),
            MenuEntry::Separator => menu.separator(),
            MenuEntry::Submenu(text, items) => {
                let mut submenu = SubmenuBuilder::new(app, text);
                for (action, text) in items {
                    submenu = submenu.item(&item(action, text)?);
                }
                menu.item(&submenu.build()?)
            }
        };
    }
    menu.build()
}

/// The app's icon, with a mark in its corner while items are pending.
fn icon(app: &AppHandle, marked: bool) -> Option<Image<'static>> {
    let icon = app.default_window_icon()?;
    let (width, height) = (icon.width(), icon.height());
    let mut pixels = icon.rgba().to_vec();
    if marked {
        contents::mark(&mut pixels, width);
    }
    Some(Image::new_owned(pixels, width, height))
}

/// The mark alone, as an overlay of the app's icon in the taskbar.
#[cfg(windows)]
pub fn overlay(marked: bool) -> Option<Image<'static>> {
    const SIDE: u32 = 32;
    let mut pixels = vec![0; (SIDE * SIDE * 4) as usize];
    contents::mark(&mut pixels, SIDE);
    marked.then(|| Image::new_owned(pixels, SIDE, SIDE))
}

fn create(app: &AppHandle) -> tauri::Result<()> {
    if app.state::<TrayState>().now() == Contents::default() {
        // The first update has not happened yet.
        let messages = match app.state::<PendingApi>().now() {
            Some(api) => language::messages(&api.settings().watch().borrow()),
            None => messages::of(language::of_system()),
        };
        app.state::<TrayState>().replace(Contents::new(&[], None, messages));
    }
    let contents = app.state::<TrayState>().now();
    let menu = menu(app, &contents)?;
    let mut tray = TrayIconBuilder::<Wry>::with_id(TRAY)
        .tooltip(&contents.tooltip)
        .title(contents.count())
        .menu(&menu)
        .on_menu_event(|app, event| press(app, event.id().as_ref()));
    if let Some(icon) = icon(app, contents.pending > 0) {
        tray = tray.icon(icon);
    }
    let tray = tray.build(app)?;
    // A change in the meantime found no tray to update.
    if app.state::<TrayState>().now() == contents { Ok(()) } else { update(app, &tray) }
}

fn press(app: &AppHandle, id: &str) {
    match id.parse() {
        Ok(MenuAction::OpenWindow) => app.state::<WindowLifecycle>().show(Focus::Take),
        Ok(MenuAction::OpenItem(id)) => deep_link::open(app, id),
        Ok(MenuAction::Pause(length)) => pause(app, length),
        Ok(MenuAction::Quit) => quit::request(app),
        Err(()) => tracing::warn!(id, "an unknown tray entry was chosen"),
    }
}

fn pause(app: &AppHandle, length: PauseLength) {
    let Some(api) = app.state::<PendingApi>().now() else { return };
    let until = askdesk_desk::pause_end(api.engine().clock().now(), length);
    tauri::async_runtime::spawn(async move {
        if let Err(error) = api.change_setting(Setting::PausedUntil(until)).await {
            tracing::error!(error = error.message, "the pause could not be changed");
        }
    });
}

/// Asks the desktop whether it shows tray icons; many Linux desktops don't.
#[cfg(target_os = "linux")]
async fn desktop_has_tray() -> bool {
    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    let asked = async {
        let bus = zbus::Connection::session().await?;
        let watcher = zbus::Proxy::new(&bus, WATCHER, "/StatusNotifierWatcher", WATCHER).await?;
        watcher.get_property::<bool>("IsStatusNotifierHostRegistered").await
    };
    timeout(TRAY_TIMEOUT, asked).await.is_ok_and(|host| host.unwrap_or_default())
}

/// Other systems always have a tray.
#[cfg(not(target_os = "linux"))]
async fn desktop_has_tray() -> bool {
    true
}
