//! The icon in the system's tray: how many wait and who, a pause, and the way out. And whether anybody can see it: a window
//! must never go where no one can bring it back from.

mod contents;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use askdesk_api::{Api, PauseLength};
use tauri::image::Image;
use tauri::menu::{Menu, MenuBuilder, MenuItemBuilder, SubmenuBuilder};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager, Wry};
use tokio::sync::{oneshot, watch};
use tokio::time::{sleep, timeout};

use crate::opening::Opening;
use crate::presence::{Focus, Presence};
use crate::waiting::Waits;
use crate::{closing, language, wanted, words};
use contents::{Contents, Does, Entry, Line};

const TRAY: &str = "tray";

/// How long the desktop may take to say whether it has a tray.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long several changes are gathered into one: a desktop draws the menu anew each time.
const GATHERED: Duration = Duration::from_millis(100);

/// The longest that the clock is trusted: a timer stands still while a machine sleeps.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// What the tray shows, or would if it were there.
#[derive(Default)]
pub struct Shown(Mutex<Contents>);

impl Shown {
    fn now(&self) -> Contents {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn put(&self, contents: Contents) -> bool {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = *shown != contents;
        *shown = contents;
        changes
    }
}

/// Shows what waits, and what is set, from now on.
pub fn follow(app: &AppHandle, desk: Api, mut waiting: watch::Receiver<Vec<Waits>>) {
    let app = app.clone();
    let mut settings = desk.settings().watch();
    tauri::async_runtime::spawn(async move {
        loop {
            let contents = gather(&desk, &mut waiting).await;
            if app.state::<Shown>().put(contents)
                && let Some(tray) = app.tray_by_id(TRAY)
                && let Err(error) = show(&app, &tray)
            {
                tracing::warn!(%error, "the tray shows what it showed before");
            }
            let pause = desk.paused_until().map(|_| LOOK_AGAIN);
            tokio::select! {
                changed = waiting.changed() => if changed.is_err() { return },
                changed = settings.changed() => if changed.is_err() { return },
                () = sleep(pause.unwrap_or_default()), if pause.is_some() => {}
            }
            sleep(GATHERED).await;
        }
    });
}

async fn gather(desk: &Api, waiting: &mut watch::Receiver<Vec<Waits>>) -> Contents {
    let all = waiting.borrow_and_update().clone();
    let mut lines = Vec::new();
    for waits in all.iter().take(contents::MOST) {
        // What it is called, and whether it is private, may have changed since it asked.
        if let Ok(session) = desk.engine().session(waits.session).await {
            lines.push(Line { waits: waits.clone(), name: session.name, private: session.attention.private });
        }
    }
    let words = language::words(&desk.settings().watch().borrow());
    let paused = desk.paused_until().map(|(_, clock)| clock);
    Contents::of(&lines, all.len(), paused.as_deref(), words)
}

/// Puts the icon into the tray if it is not there yet, and says whether the person can see it.
pub async fn offer(app: &AppHandle) -> bool {
    if !shown_by_the_desktop().await {
        return false;
    }
    if app.tray_by_id(TRAY).is_some() {
        return true;
    }
    let (tell, told) = oneshot::channel();
    let of = app.clone();
    let asked = app.run_on_main_thread(move || {
        // Without the system's library for it the tray panics.
        let made = catch_unwind(AssertUnwindSafe(|| make(&of)));
        let _ = tell.send(match made {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::warn!(%error, "there is no icon in the tray");
                false
            }
            Err(_) => {
                tracing::warn!("there is no icon in the tray: the system's library for it is missing");
                false
            }
        });
    });
    asked.is_ok() && timeout(PATIENCE, told).await.is_ok_and(|made| made.unwrap_or_default())
}

fn show(app: &AppHandle, tray: &TrayIcon) -> tauri::Result<()> {
    let contents = app.state::<Shown>().now();
    tray.set_menu(Some(menu(app, &contents)?))?;
    tray.set_title(Some(contents.count()))?;
    tray.set_tooltip(Some(&contents.tooltip))?;
    tray.set_icon(icon(app, contents.waiting > 0))
}

fn menu(app: &AppHandle, contents: &Contents) -> tauri::Result<Menu<Wry>> {
    let item = |does: &Does, text: &str| MenuItemBuilder::with_id(does.to_string(), text).build(app);
    let mut menu = MenuBuilder::new(app);
    for entry in &contents.entries {
        menu = match entry {
            Entry::Press(does, text) => menu.item(&item(does, text)?),
            Entry::Separator => menu.separator(),
            Entry::Under(text, below) => {
                let mut under = SubmenuBuilder::new(app, text);
                for (does, text) in below {
                    under = under.item(&item(does, text)?);
                }
                menu.item(&under.build()?)
            }
        };
    }
    menu.build()
}

/// The app's icon, with a mark in its corner while something waits.
fn icon(app: &AppHandle, marked: bool) -> Option<Image<'static>> {
    let icon = app.default_window_icon()?;
    let (width, height) = (icon.width(), icon.height());
    let mut pixels = icon.rgba().to_vec();
    if marked {
        contents::mark(&mut pixels, width);
    }
    Some(Image::new_owned(pixels, width, height))
}

/// The mark alone, which lies over the app's icon in the taskbar.
#[cfg(windows)]
pub fn overlay(marked: bool) -> Option<Image<'static>> {
    const SIDE: u32 = 32;
    let mut pixels = vec![0; (SIDE * SIDE * 4) as usize];
    contents::mark(&mut pixels, SIDE);
    marked.then(|| Image::new_owned(pixels, SIDE, SIDE))
}

fn make(app: &AppHandle) -> tauri::Result<()> {
    if app.state::<Shown>().now() == Contents::default() {
        // Nothing was gathered yet; what waits comes after.
        let words = match app.state::<Opening>().now() {
            Some(desk) => language::words(&desk.settings().watch().borrow()),
            None => words::of(language::of_system()),
        };
        app.state::<Shown>().put(Contents::of(&[], 0, None, words));
    }
    let contents = app.state::<Shown>().now();
    let menu = menu(app, &contents)?;
    let mut tray = TrayIconBuilder::<Wry>::with_id(TRAY)
        .tooltip(&contents.tooltip)
        .title(contents.count())
        .menu(&menu)
        .on_menu_event(|app, event| press(app, event.id().as_ref()));
    if let Some(icon) = icon(app, contents.waiting > 0) {
        tray = tray.icon(icon);
    }
    let tray = tray.build(app)?;
    // What changed while it was made found no tray to be shown in.
    if app.state::<Shown>().now() == contents { Ok(()) } else { show(app, &tray) }
}

fn press(app: &AppHandle, id: &str) {
    match id.parse() {
        Ok(Does::OpenWindow) => app.state::<Presence>().want(Focus::Taken),
        Ok(Does::BringUp(id)) => wanted::bring_up(app, id),
        Ok(Does::Pause(pause)) => hold(app, pause),
        Ok(Does::Quit) => closing::quit(app),
        Err(()) => tracing::warn!(id, "an entry that the tray does not have was chosen: nothing is done"),
    }
}

fn hold(app: &AppHandle, pause: PauseLength) {
    let Some(desk) = app.state::<Opening>().now() else { return };
    tauri::async_runtime::spawn(async move {
        if let Err(error) = desk.pause_notifications(pause).await {
            tracing::error!(error = error.message, "notifications are paused, or not, as they were before");
        }
    });
}

/// Asks the desktop whether something there shows icons of the tray; many Linux desktops have nothing that does.
#[cfg(target_os = "linux")]
async fn shown_by_the_desktop() -> bool {
    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    let asked = async {
        let bus = zbus::Connection::session().await?;
        let watcher = zbus::Proxy::new(&bus, WATCHER, "/StatusNotifierWatcher", WATCHER).await?;
        watcher.get_property::<bool>("IsStatusNotifierHostRegistered").await
    };
    timeout(PATIENCE, asked).await.is_ok_and(|host| host.unwrap_or_default())
}

/// Other systems always have one.
#[cfg(not(target_os = "linux"))]
async fn shown_by_the_desktop() -> bool {
    true
}
