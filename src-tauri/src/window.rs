//! The one window.

use std::ffi::OsString;
#[cfg(target_os = "linux")]
use std::time::Duration;

use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Manager, WebviewWindowBuilder, Wry};
use tauri_plugin_window_state::StateFlags;

/// The label of the app's window.
pub const MAIN: &str = "main";

/// Where the window stood, in a data folder of its own.
const PLACE: &str = "window.json";

/// How long after it was raised a window that has no focus is taken for one that was refused it.
#[cfg(target_os = "linux")]
const REFUSED: Duration = Duration::from_millis(300);

/// Brings the window back where it stood and as large as it was, but never hidden.
pub fn remembered(data_folder: Option<OsString>) -> TauriPlugin<Wry> {
    let what = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED;
    let plugin = tauri_plugin_window_state::Builder::new().with_state_flags(what);
    // An absolute path stands for itself; otherwise the system's place for the app's configuration is taken.
    let own =
        data_folder.and_then(|folder| std::path::absolute(folder).ok()).map(|folder| folder.join(PLACE));
    match own.as_deref().and_then(|path| path.to_str()) {
        Some(path) => plugin.with_filename(path).build(),
        None => plugin.build(),
    }
}

/// Makes the window, with a script that runs before any of the page's.
pub fn open(app: &AppHandle, script: &str) -> tauri::Result<()> {
    for window in app.config().app.windows.iter().filter(|window| window.label == MAIN) {
        WebviewWindowBuilder::from_config(app, window)?.initialization_script(script).build()?;
    }
    Ok(())
}

/// Takes the window off the screen; what runs goes on.
pub fn hide(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN)
        && let Err(error) = window.hide()
    {
        tracing::warn!(%error, "the window could not be hidden");
    }
}

/// Puts a hidden window on the screen, and leaves the focus to the system.
pub fn show(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN)
        && let Err(error) = window.show()
    {
        tracing::warn!(%error, "the window could not be shown");
    }
}

/// Brings up the window that is there, wherever it is.
pub fn raise(app: &AppHandle) {
    let Some(window) = app.get_webview_window(MAIN) else { return };
    note(window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus()));
    #[cfg(target_os = "linux")]
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(REFUSED).await;
        // A window manager that keeps to its workspace refuses the focus. What was on all of them for a moment stays on the
        // one that the person is at.
        if !window.is_focused().unwrap_or(true) {
            let everywhere = |yes| window.set_visible_on_all_workspaces(yes);
            note(everywhere(true).and_then(|()| everywhere(false)).and_then(|()| window.set_focus()));
        }
    });
}

fn note(raised: tauri::Result<()>) {
    if let Err(error) = raised {
        tracing::warn!(%error, "the window could not be raised");
    }
}
