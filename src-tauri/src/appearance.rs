//! What the settings say of how the window looks, carried out by the system's own means.

use askdesk_domain::{Settings, Theme};
use askdesk_engine::SettingsFile;
use tauri::{AppHandle, Manager};

use crate::presence::Presence;
use crate::window;

/// Carries out what is set now and whatever it is changed to.
pub fn follow(app: &AppHandle, settings: &SettingsFile) {
    let mut told = settings.watch();
    let app = app.clone();
    let mut made = app.state::<Presence>().made();
    tauri::async_runtime::spawn(async move {
        let mut before = Settings::default();
        loop {
            made.mark_unchanged();
            let now = told.borrow_and_update().clone();
            apply(&app, &before, &now);
            before = now;
            tokio::select! {
                changed = told.changed() => if changed.is_err() { return },
                // One that was just made looks as the system has it.
                changed = made.changed() => match changed {
                    Ok(()) => before = Settings::default(),
                    Err(_) => return,
                },
            }
        }
    });
}

fn apply(app: &AppHandle, before: &Settings, now: &Settings) {
    let Some(window) = app.get_webview_window(window::MAIN) else { return };
    if before.theme != now.theme {
        app.set_theme(match now.theme {
            Theme::System => None,
            Theme::Light => Some(tauri::Theme::Light),
            Theme::Dark => Some(tauri::Theme::Dark),
        });
    }
    if before.text_size != now.text_size
        && let Err(error) = window.set_zoom(now.text_size.factor())
    {
        tracing::warn!(%error, "the size could not be changed");
    }
}
