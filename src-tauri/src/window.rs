//! The one window.

use tauri::{AppHandle, Manager};

/// The label of the app's window.
pub const MAIN: &str = "main";

/// Brings the window up, wherever it is.
pub fn raise(app: &AppHandle) {
    let Some(window) = app.get_webview_window(MAIN) else { return };
    let raised = window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
    if let Err(error) = raised {
        tracing::warn!(%error, "the window could not be raised");
    }
}
