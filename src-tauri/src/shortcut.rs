//! The global shortcut. It opens the oldest question.

#[cfg(not(target_os = "linux"))]
mod hotkey_plugin;
#[cfg(target_os = "linux")]
mod hotkey_x11;

use std::sync::{Mutex, OnceLock, PoisonError};

use askdesk_contract::UnappliedReason;
use askdesk_desk::PendingEntry;
use askdesk_domain::{GlobalShortcut, PendingItem};
use tauri::{AppHandle, Manager};
use tokio::sync::watch;

use crate::window::Focus;
use crate::window_lifecycle::WindowLifecycle;
use crate::{deep_link, previous_focus};
#[cfg(not(target_os = "linux"))]
use hotkey_plugin::Hotkey;
#[cfg(target_os = "linux")]
use hotkey_x11::Hotkey;

#[derive(Default)]
pub struct ShortcutState {
    hotkey: Mutex<Option<Hotkey>>,
    pending: OnceLock<watch::Receiver<Vec<PendingEntry>>>,
}

/// Connects the shortcut to the pending questions.
pub fn follow(app: &AppHandle, pending: watch::Receiver<Vec<PendingEntry>>) {
    if app.state::<ShortcutState>().pending.set(pending).is_err() {
        tracing::error!("the shortcut is already connected");
    }
}

/// Registers the shortcut in place of the one before.
pub fn register(app: &AppHandle, shortcut: GlobalShortcut) -> Result<(), UnappliedReason> {
    let state = app.state::<ShortcutState>();
    let mut hotkey = state.hotkey.lock().unwrap_or_else(PoisonError::into_inner);
    let combination = shortcut.combination();
    if hotkey.as_ref().map(Hotkey::combination) == combination {
        return Ok(());
    }
    // The previous shortcut is released even if another program already uses the new one.
    hotkey.take();
    if let Some(combination) = combination {
        *hotkey = Some(Hotkey::register(app, combination)?);
    }
    Ok(())
}

fn pressed(app: &AppHandle) {
    let pending = app.state::<ShortcutState>().pending.get().and_then(|pending| oldest(&pending.borrow()));
    match pending {
        Some(PendingItem::Question(question)) => {
            let focus = previous_focus::current();
            deep_link::open(app, question.uuid());
            previous_focus::remember(app, focus.map(|window| (question.uuid(), window)));
        }
        Some(PendingItem::Permission(permission)) => deep_link::open(app, permission.uuid()),
        None => app.state::<WindowLifecycle>().show(Focus::Take),
    }
}

/// Returns the oldest question, or the oldest permission request if there is no question.
fn oldest(pending: &[PendingEntry]) -> Option<PendingItem> {
    let question = pending.iter().find(|entry| matches!(entry.item, PendingItem::Question(_)));
    question.or(pending.first()).map(|entry| entry.item)
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{ApprovalId, RequestId, SessionId};
    use uuid::Uuid;

    use super::*;

    fn entry(item: PendingItem) -> PendingEntry {
        let session = SessionId::new(Uuid::from_u128(9));
        PendingEntry { item, session, name: String::new(), private: false, text: String::new() }
    }

    #[test]
    fn the_oldest_question_comes_before_any_permission_request() {
        let question = |n| PendingItem::Question(RequestId::new(Uuid::from_u128(n)));
        let permission = |n| PendingItem::Permission(ApprovalId::new(Uuid::from_u128(n)));
        let of = |all: &[PendingItem]| oldest(&all.iter().copied().map(entry).collect::<Vec<_>>());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[question(1), question(2)]), Some(question(1)));
        assert_eq!(of(&[permission(1), question(2), question(3)]), Some(question(2)));
        assert_eq!(of(&[permission(1), permission(2)]), Some(permission(1)));
    }
}
