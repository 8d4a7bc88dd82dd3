//! The number of pending items in the title and on the app's icon, and the request for the user's attention.

use askdesk_desk::PendingEntry;
use tauri::{AppHandle, Manager, UserAttentionType, WebviewWindow, Window, WindowEvent};
use tokio::sync::watch;

#[cfg(windows)]
use crate::tray;
use crate::window_lifecycle::WindowLifecycle;
use crate::{messages, window};

/// Marks the window in the taskbar until it gets the focus.
pub fn request_attention(app: &AppHandle) {
    let Some(window) = app.get_webview_window(window::MAIN) else { return };
    let requested = window.is_focused().and_then(|focused| {
        if focused { Ok(()) } else { window.request_user_attention(Some(UserAttentionType::Informational)) }
    });
    if let Err(error) = requested {
        tracing::warn!(%error, "the window could not be marked in the taskbar");
    }
}

/// Removes the mark once the window has the focus; not every window manager does.
pub fn on_window_event(window: &Window, event: &WindowEvent) {
    if let WindowEvent::Focused(true) = event
        && let Err(error) = window.request_user_attention(None)
    {
        tracing::warn!(%error, "the mark in the taskbar could not be removed");
    }
}

/// Shows the number of pending items from now on.
pub fn follow(app: &AppHandle, mut pending: watch::Receiver<Vec<PendingEntry>>) {
    let app = app.clone();
    let mut created = app.state::<WindowLifecycle>().watch_created();
    tauri::async_runtime::spawn(async move {
        loop {
            created.mark_unchanged();
            let count = pending.borrow_and_update().len();
            if let Some(window) = app.get_webview_window(window::MAIN)
                && let Err(error) = show(&window, count)
            {
                tracing::warn!(%error, "the window does not show the number of pending items");
            }
            let changed = tokio::select! {
                changed = pending.changed() => changed,
                changed = created.changed() => changed,
            };
            if changed.is_err() {
                return;
            }
        }
    });
}

fn show(window: &WebviewWindow, count: usize) -> tauri::Result<()> {
    window.set_title(&title(count))?;
    #[cfg(windows)]
    window.set_overlay_icon(tray::overlay(count > 0))?;
    window.set_badge_count(i64::try_from(count).ok().filter(|count| *count > 0))
}

fn title(count: usize) -> String {
    if count == 0 { messages::APP.to_owned() } else { format!("({count}) {}", messages::APP) }
}
