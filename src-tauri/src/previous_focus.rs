//! The window of another program that had the focus before the global shortcut opened a question. Once the question is answered and
//! nothing else was done in the window, the focus returns there. Only X11 allows it.

#[cfg(target_os = "linux")]
pub mod x11;

#[cfg(target_os = "linux")]
use std::sync::{Mutex, MutexGuard, PoisonError};

use tauri::AppHandle;
#[cfg(target_os = "linux")]
use tauri::Manager;
use uuid::Uuid;

#[cfg(target_os = "linux")]
use x11::Window;

#[cfg(not(target_os = "linux"))]
pub type Window = ();

#[derive(Default)]
pub struct PreviousFocus {
    /// The question that the shortcut opened, and the window before it.
    #[cfg(target_os = "linux")]
    before: Mutex<Option<(Uuid, Window)>>,
}

#[cfg(target_os = "linux")]
impl PreviousFocus {
    fn lock(&self) -> MutexGuard<'_, Option<(Uuid, Window)>> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the focused window of another program.
pub fn current() -> Option<Window> {
    #[cfg(target_os = "linux")]
    return x11::focused_window();
    #[cfg(not(target_os = "linux"))]
    None
}

/// Remembers the question that the shortcut opened, and the window that had the focus before.
pub fn remember(app: &AppHandle, before: Option<(Uuid, Window)>) {
    #[cfg(target_os = "linux")]
    {
        *app.state::<PreviousFocus>().lock() = before;
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (app, before);
}

/// Forgets the previous focus, because the user came to the window another way.
pub fn forget(app: &AppHandle) {
    remember(app, None);
}

/// Restores the previous focus if the shortcut opened this question. The page calls this once a deep link's question is answered
/// and nothing else was done in the window.
#[tauri::command(async)]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn deep_link_answered(app: AppHandle, id: Uuid) {
    #[cfg(target_os = "linux")]
    if let Some((_, window)) = app.state::<PreviousFocus>().lock().take_if(|(question, _)| *question == id) {
        x11::restore_focus(window);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (app, id);
}
