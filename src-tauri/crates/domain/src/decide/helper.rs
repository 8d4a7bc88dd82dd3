//! Which helpers of a session are listed, and in which state.

use super::{Decision, running};
use crate::command::HelperCommand;
use crate::desk::Desk;
use crate::event::SessionEvent;
use crate::helper::{HELPER_TITLE_CHARS, HELPERS, Helper, HelperState};
use crate::id::HelperId;
use crate::rejection::Rejection;
use crate::session::Session;

pub(super) fn decide(desk: &Desk, command: &HelperCommand) -> Result<Decision, Rejection> {
    match command {
        HelperCommand::Begin { session, id, kind, title, at } => {
            let session = running(desk, *session)?;
            if session.helper(id).is_some() || session.helpers.len() >= HELPERS {
                return Ok(Decision::default());
            }
            let title = title.trim().chars().take(HELPER_TITLE_CHARS).collect();
            let helper =
                Helper { id: id.clone(), kind: *kind, title, state: HelperState::Working, began_at: *at };
            Ok(Decision::of(SessionEvent::HelperBegan { session: session.id, helper }))
        }
        HelperCommand::SetState { session, id, state } => {
            let changes = working(running(desk, *session)?, id)?.state != *state;
            let event =
                SessionEvent::HelperStateChanged { session: *session, helper: id.clone(), state: *state };
            Ok(Decision::of_change(changes, event))
        }
        HelperCommand::End { session, id } => {
            working(running(desk, *session)?, id)?;
            Ok(Decision::of(SessionEvent::HelperEnded { session: *session, helper: id.clone() }))
        }
    }
}

fn working<'a>(session: &'a Session, id: &HelperId) -> Result<&'a Helper, Rejection> {
    session.helper(id).ok_or(Rejection::NotFound { what: "helper" })
}
