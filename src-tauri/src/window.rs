//! The one window.

use std::ffi::OsString;

use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Manager, UserAttentionType, WebviewWindowBuilder, Window, WindowEvent, Wry};
use tauri_plugin_window_state::StateFlags;
use tokio::sync::watch;

#[cfg(windows)]
use crate::tray;
use crate::waiting::Waits;
use crate::words;

/// The label of the app's window.
pub const MAIN: &str = "main";

/// Where the window stood, in a data folder of its own.
const PLACE: &str = "window.json";

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

/// Marks the window in the taskbar until the person looks at it; one that has the focus is looked at.
pub fn want_attention(app: &AppHandle) {
    let Some(window) = app.get_webview_window(MAIN) else { return };
    let wanted = window.is_focused().and_then(|focused| {
        if focused { Ok(()) } else { window.request_user_attention(Some(UserAttentionType::Informational)) }
    });
    if let Err(error) = wanted {
        tracing::warn!(%error, "the window could not be marked in the taskbar");
    }
}

/// Takes the mark away once the person looks: not every window manager does.
pub fn on_window_event(window: &Window, event: &WindowEvent) {
    if let WindowEvent::Focused(true) = event
        && let Err(error) = window.request_user_attention(None)
    {
        tracing::warn!(%error, "the window stays marked in the taskbar");
    }
}

/// Shows how much waits in the title, and on the app's icon where the desktop has that.
pub fn count(app: &AppHandle, mut waiting: watch::Receiver<Vec<Waits>>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        loop {
            let count = waiting.borrow_and_update().len();
            if let Some(window) = app.get_webview_window(MAIN) {
                let badge = i64::try_from(count).ok().filter(|count| *count > 0);
                let shown = window.set_title(&title(count)).and_then(|()| window.set_badge_count(badge));
                #[cfg(windows)]
                let shown = shown.and_then(|()| window.set_overlay_icon(tray::overlay(count > 0)));
                if let Err(error) = shown {
                    tracing::warn!(%error, "the window does not show how much waits");
                }
            }
            if waiting.changed().await.is_err() {
                return;
            }
        }
    });
}

fn title(count: usize) -> String {
    if count == 0 { words::APP.to_owned() } else { format!("({count}) {}", words::APP) }
}

/// Brings the window up, wherever it is: to the workspace that the person is at.
pub fn raise(app: &AppHandle) {
    let Some(window) = app.get_webview_window(MAIN) else { return };
    let raised = window.unminimize().and_then(|()| window.show()).and_then(|()| {
        // From another workspace a window manager may refuse the focus; a window that is on all of them is here.
        #[cfg(target_os = "linux")]
        window
            .set_visible_on_all_workspaces(true)
            .and_then(|()| window.set_visible_on_all_workspaces(false))?;
        window.set_focus()
    });
    if let Err(error) = raised {
        tracing::warn!(%error, "the window could not be raised");
    }
}
