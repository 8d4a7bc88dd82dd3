//! The theme and the text size of the window, as the settings say.

use std::sync::Arc;

use askdesk_domain::Settings;
use askdesk_engine::SettingsFile;
use tauri::{AppHandle, Emitter, Manager};

use crate::window;
use crate::window_lifecycle::WindowLifecycle;

/// The event with which the page reads the settings again.
const EDITED_EVENT: &str = "settings_edited";

/// Applies the settings now and after each change.
pub fn follow(app: &AppHandle, settings: &SettingsFile) {
    let mut settings = settings.watch();
    let app = app.clone();
    let mut created = app.state::<WindowLifecycle>().watch_created();
    tauri::async_runtime::spawn(async move {
        let mut before = Settings::default();
        loop {
            created.mark_unchanged();
            let now = settings.borrow_and_update().clone();
            apply(&app, &before, &now);
            before = now;
            tokio::select! {
                changed = settings.changed() => if changed.is_err() { return },
                // A new window starts with the defaults.
                changed = created.changed() => match changed {
                    Ok(()) => before = Settings::default(),
                    Err(_) => return,
                },
            }
        }
    });
}

/// Makes edits of the settings file count, and has the page read them.
pub fn follow_edits(app: &AppHandle, settings: &Arc<SettingsFile>) {
    let app = app.clone();
    let edited = move || {
        if let Err(error) = app.emit_to(window::MAIN, EDITED_EVENT, ()) {
            tracing::warn!(%error, "the page doesn't know of an edit of the settings file");
        }
    };
    tauri::async_runtime::spawn(Arc::clone(settings).follow_edits(edited));
}

fn apply(app: &AppHandle, before: &Settings, now: &Settings) {
    let Some(window) = app.get_webview_window(window::MAIN) else { return };
    if before.theme != now.theme {
        window::set_theme(app, now.theme);
    }
    if before.text_size != now.text_size
        && let Err(error) = window.set_zoom(now.text_size.factor())
    {
        tracing::warn!(%error, "the text size could not be changed");
    }
}
