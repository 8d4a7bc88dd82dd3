//! Deep links: an `askdesk:` address, a click on a notification, an entry of the tray or the global shortcut leads the window to a
//! request, a permission request, a session or History. The page may still be loading, so the target is kept until it is
//! shown. Only the newest target counts.

mod address;

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use tauri::{AppHandle, Emitter, Manager, State};
use uuid::Uuid;

use crate::window::Focus;
use crate::window_lifecycle::WindowLifecycle;
use crate::{previous_focus, window};

#[cfg(target_os = "linux")]
pub use address::register;
#[cfg(test)]
pub use address::target_of;
#[cfg(any(test, windows))]
pub use address::{address_of, is_deep_link};
pub use address::{follow, open_first};

/// The event that tells the page about a new target.
const TARGET_EVENT: &str = "deep_link";

/// Where a deep link navigates. The page gets it as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    History,
    /// A request, a permission request or a session.
    #[serde(untagged)]
    Id(Uuid),
}

impl From<Uuid> for Target {
    fn from(id: Uuid) -> Self {
        Self::Id(id)
    }
}

/// The target that the page has not shown yet.
#[derive(Default)]
pub struct PendingTarget(Mutex<Option<Target>>);

impl PendingTarget {
    fn lock(&self) -> MutexGuard<'_, Option<Target>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears the target, unless a newer one has replaced it.
    fn clear(&self, shown: Target) {
        self.lock().take_if(|target| *target == shown);
    }
}

/// Shows the window and leads it to a target. Answers nothing.
pub fn open(app: &AppHandle, target: impl Into<Target>) {
    *app.state::<PendingTarget>().lock() = Some(target.into());
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
pub fn deep_link_target(target: State<'_, PendingTarget>) -> Option<Target> {
    *target.lock()
}

/// The page calls this once it shows the target, or finds that it does not exist.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn deep_link_shown(target: State<'_, PendingTarget>, id: Target) {
    target.clear(id);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_kept_until_it_is_shown_and_only_the_newest_counts() {
        let target = PendingTarget::default();
        let [first, second] = [Target::Id(Uuid::from_u128(1)), Target::History];
        *target.lock() = Some(first);
        *target.lock() = Some(second);
        target.clear(first);
        assert_eq!(*target.lock(), Some(second), "showing the first one late does not clear the second");
        target.clear(second);
        assert_eq!(*target.lock(), None);
    }

    #[test]
    fn the_page_gets_a_target_as_a_text() {
        let id = Uuid::from_u128(1);
        for (target, text) in [(Target::Id(id), id.to_string()), (Target::History, "history".to_owned())] {
            assert_eq!(serde_json::to_value(target).unwrap(), text);
            assert_eq!(serde_json::from_value::<Target>(text.into()).unwrap(), target);
        }
        assert!(serde_json::from_value::<Target>("elsewhere".into()).is_err());
    }
}
