//! The icon in the system's tray, and whether anybody can see it: a window must never go where no one can bring it back from.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use askdesk_domain::Settings;
use tauri::menu::{Menu, MenuBuilder, MenuItemBuilder};
use tauri::tray::TrayIconBuilder;
use tauri::{AppHandle, Manager, Wry};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::opening::Opening;
use crate::words::{self, Words};
use crate::{closing, language, window};

const TRAY: &str = "tray";
const OPEN: &str = "open";
const QUIT: &str = "quit";

/// How long the desktop may take to say whether it has a tray.
const PATIENCE: Duration = Duration::from_secs(2);

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

/// Puts the menu into the language that is set.
pub fn speak(app: &AppHandle, settings: &Settings) {
    let Some(tray) = app.tray_by_id(TRAY) else { return };
    let menu = menu(app, language::words(settings));
    if let Err(error) = menu.and_then(|menu| tray.set_menu(Some(menu))) {
        tracing::warn!(%error, "the menu of the tray keeps its language");
    }
}

fn menu(app: &AppHandle, words: &Words) -> tauri::Result<Menu<Wry>> {
    let mut menu = MenuBuilder::new(app);
    for (id, text) in entries(words) {
        menu = menu.item(&MenuItemBuilder::with_id(id, text).build(app)?);
    }
    menu.build()
}

/// What the menu offers in one language: the entries' ids and their texts.
const fn entries(words: &Words) -> [(&'static str, &'static str); 2] {
    [(OPEN, words.open_window), (QUIT, words.quit_app)]
}

fn make(app: &AppHandle) -> tauri::Result<()> {
    let desk = app.state::<Opening>().now();
    let words = match desk {
        Some(desk) => language::words(&desk.settings().watch().borrow()),
        None => words::of(language::of_system()),
    };
    let menu = menu(app, words)?;
    let mut tray =
        TrayIconBuilder::<Wry>::with_id(TRAY).tooltip(words::APP).menu(&menu).on_menu_event(|app, event| {
            match event.id().as_ref() {
                OPEN => window::raise(app),
                QUIT => closing::quit(app),
                _ => {}
            }
        });
    if let Some(icon) = app.default_window_icon() {
        tray = tray.icon(icon.clone());
    }
    tray.build(app).map(drop)
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

#[cfg(test)]
mod tests {
    use askdesk_domain::Language;

    use super::*;

    #[test]
    fn the_menu_offers_the_same_in_each_language_in_its_own_words() {
        for (language, open, quit) in [
            (Language::En, "Open Askdesk", "Quit Askdesk"),
            (Language::Zh, "打开 Askdesk", "退出 Askdesk"),
            (Language::De, "Askdesk öffnen", "Askdesk beenden"),
        ] {
            assert_eq!(entries(words::of(language)), [(OPEN, open), (QUIT, quit)]);
        }
    }
}
