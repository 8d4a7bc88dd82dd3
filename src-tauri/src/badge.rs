//! What the desktop shows of the app while something waits: the count in the title and on its icon, and that it wants the person.

use tauri::{AppHandle, Manager, UserAttentionType, WebviewWindow, Window, WindowEvent};
use tokio::sync::watch;

use crate::presence::Presence;
#[cfg(windows)]
use crate::tray;
use crate::waiting::Waits;
use crate::{window, words};

/// Marks the window in the taskbar until the person looks at it; one that has the focus is looked at.
pub fn want_attention(app: &AppHandle) {
    let Some(window) = app.get_webview_window(window::MAIN) else { return };
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
pub fn follow(app: &AppHandle, mut waiting: watch::Receiver<Vec<Waits>>) {
    let app = app.clone();
    let mut made = app.state::<Presence>().made();
    tauri::async_runtime::spawn(async move {
        loop {
            made.mark_unchanged();
            let count = waiting.borrow_and_update().len();
            if let Some(window) = app.get_webview_window(window::MAIN)
                && let Err(error) = show(&window, count)
            {
                tracing::warn!(%error, "the window does not show how much waits");
            }
            let changed = tokio::select! {
                changed = waiting.changed() => changed,
                changed = made.changed() => changed,
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
    if count == 0 { words::APP.to_owned() } else { format!("({count}) {}", words::APP) }
}
