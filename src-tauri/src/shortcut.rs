//! Keys that bring up what waits from anywhere: the window comes up on the oldest question, and when that is answered and nothing
//! else was done in the window, the focus goes back to where it was, on systems that let it.

#[cfg(target_os = "linux")]
mod elsewhere;
#[cfg(target_os = "linux")]
mod grabbed;
#[cfg(not(target_os = "linux"))]
mod plugin;

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use askdesk_api::UnappliedReason;
use askdesk_domain::{GlobalShortcut, PendingItem};
use tauri::{AppHandle, Manager};
use tokio::sync::watch;
use uuid::Uuid;

use crate::presence::{Focus, Presence};
use crate::waiting::Waits;
use crate::wanted;
#[cfg(target_os = "linux")]
use grabbed::Heard;
#[cfg(not(target_os = "linux"))]
use plugin::Heard;

/// The keys, what they lead to, and where the focus was when they were pressed.
#[derive(Default)]
pub struct Keys {
    heard: Mutex<Option<Heard>>,
    waiting: OnceLock<watch::Receiver<Vec<Waits>>>,
    #[cfg(target_os = "linux")]
    before: Mutex<Option<Before>>,
}

/// The window of another program from which the person came to a question.
#[cfg(target_os = "linux")]
struct Before {
    question: Uuid,
    window: elsewhere::Window,
}

/// Follows what waits, so that the keys know where to lead.
pub fn follow(app: &AppHandle, waiting: watch::Receiver<Vec<Waits>>) {
    if app.state::<Keys>().waiting.set(waiting).is_err() {
        tracing::error!("two desks are open in one app");
    }
}

/// Registers the shortcut in place of the one before.
pub fn register(app: &AppHandle, shortcut: GlobalShortcut) -> Result<(), UnappliedReason> {
    let keys = app.state::<Keys>();
    let mut heard = lock(&keys.heard);
    let wanted = shortcut.combination();
    if heard.as_ref().map(Heard::combination) == wanted {
        return Ok(());
    }
    // The one before goes even if another program has the new one.
    heard.take();
    if let Some(wanted) = wanted {
        *heard = Some(Heard::begin(app, wanted)?);
    }
    Ok(())
}

fn pressed(app: &AppHandle) {
    let waits = app.state::<Keys>().waiting.get().and_then(|waiting| oldest(&waiting.borrow()));
    match waits {
        Some(PendingItem::Question(question)) => {
            #[cfg(target_os = "linux")]
            let from = elsewhere::window_with_focus();
            wanted::bring_up(app, question.uuid());
            #[cfg(target_os = "linux")]
            {
                let before = from.map(|window| Before { question: question.uuid(), window });
                *lock(&app.state::<Keys>().before) = before;
            }
        }
        Some(PendingItem::Permission(permission)) => wanted::bring_up(app, permission.uuid()),
        None => app.state::<Presence>().want(Focus::Taken),
    }
}

/// Returns the question that has waited the longest; a permission only where no question waits.
fn oldest(waiting: &[Waits]) -> Option<PendingItem> {
    let question = waiting.iter().find(|waits| matches!(waits.waiting, PendingItem::Question(_)));
    question.or(waiting.first()).map(|waits| waits.waiting)
}

/// Forgets where the focus was: the person came another way.
pub fn came_another_way(app: &AppHandle) {
    #[cfg(target_os = "linux")]
    lock(&app.state::<Keys>().before).take();
    #[cfg(not(target_os = "linux"))]
    let _ = app;
}

/// Hears that the person has answered what they were led to, and did nothing else in the window since: the focus goes back.
#[tauri::command(async)]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn answered_there(app: AppHandle, id: Uuid) {
    #[cfg(target_os = "linux")]
    if let Some(before) = lock(&app.state::<Keys>().before).take_if(|before| before.question == id) {
        elsewhere::give_back(before.window);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (app, id);
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{ApprovalId, RequestId, SessionId};

    use super::*;

    fn waits(waiting: PendingItem) -> Waits {
        Waits { waiting, session: SessionId::new(Uuid::from_u128(9)), text: String::new() }
    }

    #[test]
    fn the_oldest_question_comes_first_and_a_permission_where_no_question_waits() {
        let question = |n| PendingItem::Question(RequestId::new(Uuid::from_u128(n)));
        let permission = |n| PendingItem::Permission(ApprovalId::new(Uuid::from_u128(n)));
        let of = |all: &[PendingItem]| oldest(&all.iter().copied().map(waits).collect::<Vec<_>>());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[question(1), question(2)]), Some(question(1)));
        assert_eq!(of(&[permission(1), question(2), question(3)]), Some(question(2)));
        assert_eq!(of(&[permission(1), permission(2)]), Some(permission(1)));
    }
}
