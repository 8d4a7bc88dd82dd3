//! What the settings say of how the window looks, carried out by the system's own means.

use askdesk_domain::{Settings, Theme};
use askdesk_engine::SettingsFile;
use tauri::{AppHandle, Manager};

use crate::window;

/// Carries out what is set now and whatever it is changed to.
pub fn follow(app: &AppHandle, settings: &SettingsFile) {
    let mut told = settings.watch();
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let mut before = Settings::default();
        loop {
            let now = told.borrow_and_update().clone();
            apply(&app, &before, &now);
            before = now;
            if told.changed().await.is_err() {
                return;
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
