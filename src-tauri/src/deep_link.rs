//! Deep links: an `askdesk:` address, a click on a notification, an entry of the tray or the global shortcut leads the window to a
//! request, a permission request or a session. The page may still be loading, so the target is kept until it is shown. Only the
//! newest target counts.

mod address;

use std::sync::{Mutex, MutexGuard, PoisonError};

use tauri::{AppHandle, Emitter, Manager, State};
use uuid::Uuid;

use crate::window_lifecycle::{Focus, WindowLifecycle};
use crate::{previous_focus, window};

pub use address::follow;
#[cfg(target_os = "linux")]
pub use address::register;
#[cfg(test)]
pub use address::target_of;
#[cfg(any(test, windows))]
pub use address::{address_of, is_deep_link};

/// The event that tells the page about a new target.
const TARGET_EVENT: &str = "deep_link";

/// The id that the page has not shown yet.
#[derive(Default)]
pub struct PendingTarget(Mutex<Option<Uuid>>);

impl PendingTarget {
    fn lock(&self) -> MutexGuard<'_, Option<Uuid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears the target, unless a newer one has replaced it.
    fn clear(&self, shown: Uuid) {
        self.lock().take_if(|target| *target == shown);
    }
}

/// Shows the window and leads it to a request, a permission request or a session. Answers nothing.
pub fn open(app: &AppHandle, id: Uuid) {
    *app.state::<PendingTarget>().lock() = Some(id);
    previous_focus::forget(app);
    app.state::<WindowLifecycle>().show(Focus::Take);
    // A page that does not listen yet asks for the target once it has loaded.
    if let Err(error) = app.emit_to(window::MAIN, TARGET_EVENT, ()) {
        tracing::warn!(%error, "the window was not told about a deep link");
    }
}

/// Returns the target that the page should show.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn deep_link_target(target: State<'_, PendingTarget>) -> Option<Uuid> {
    *target.lock()
}

/// The page calls this once it shows the target, or finds that it does not exist.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn deep_link_shown(target: State<'_, PendingTarget>, id: Uuid) {
    target.clear(id);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_kept_until_it_is_shown_and_only_the_newest_counts() {
        let target = PendingTarget::default();
        let [first, second] = [1, 2].map(Uuid::from_u128);
        *target.lock() = Some(first);
        *target.lock() = Some(second);
        target.clear(first);
        assert_eq!(*target.lock(), Some(second), "showing the first one late does not clear the second");
        target.clear(second);
        assert_eq!(*target.lock(), None);
    }
}
