//! How sessions start, get their names and positions, leave the sidebar and resume.

use super::approval::withdraw_approvals;
use super::request::{end, park};
use super::{Decision, Effect, calls, delivery_changed, known, late_answer, running};
use crate::command::SessionCommand;
use crate::desk::Desk;
use crate::error::{DeliveryError, ValidationError};
use crate::event::SessionEvent;
use crate::id::{NativeSession, SessionId, Timestamp};
use crate::origin::Origin;
use crate::rejection::Rejection;
use crate::request::{Asker, Delivery, OrphanedWhy, Outcome, RequestState};
use crate::session::{Session, SessionEnd, SessionState};
use crate::session_name::{NamedBy, bounded_name, on_one_line};
use crate::text::says_something;
use crate::worktree::Worktree;

pub(super) fn decide(desk: &Desk, command: &SessionCommand) -> Result<Decision, Rejection> {
    match command {
        SessionCommand::Start {
            id,
            origin,
            name,
            named_by,
            folder,
            options,
            config,
            worktree,
            continues,
            at,
        } => {
            check_new(desk, *id)?;
            if let Some(continues) = continues {
                check_not_here(desk, origin, continues)?;
            }
            let session = Session {
                name: bounded_name(name),
                named_by: *named_by,
                folder: folder.clone(),
                options: options.clone(),
                config: config.clone(),
                worktree: worktree.clone(),
                native_session: continues.clone(),
                ..Session::new(*id, origin.clone(), *at)
            };
            let mut decision = Decision::of(SessionEvent::Started { session });
            if continues.is_some() {
                decision.push(SessionEvent::AgentSpoke { session: *id });
            }
            Ok(decision)
        }
        SessionCommand::Rename { session, name } => rename(desk, *session, name),
        SessionCommand::SuggestName { session, name, by } => {
            Ok(suggest_name(known(desk, *session)?, name, *by))
        }
        SessionCommand::ChangeFolder { session, folder, worktree } => {
            change_folder(desk, *session, folder, worktree.as_deref())
        }
        SessionCommand::SetNotifications { session, notifications } => {
            let changes = known(desk, *session)?.notifications != *notifications;
            let event = SessionEvent::NotificationsSet { session: *session, notifications: *notifications };
            Ok(Decision::of_change(changes, event))
        }
        SessionCommand::Move { session, before } => move_before(desk, *session, *before),
        SessionCommand::Close { session, at } => close(desk, *session, *at),
        SessionCommand::Resume { session, at } => resume(desk, *session, *at),
        SessionCommand::NoteSpoke { session } => {
            let session = known(desk, *session)?.id;
            Ok(Decision::of_change(!desk.has_spoken(session), SessionEvent::AgentSpoke { session }))
        }
        SessionCommand::NoteForgotten { session } => {
            let session = known(desk, *session)?.id;
            Ok(Decision::of_change(!desk.is_forgotten(session), SessionEvent::Forgotten { session }))
        }
        SessionCommand::Introduce { session, version, model, native_session } => {
            let now = running(desk, *session)?;
            Ok(introduce(now, version.as_ref(), model.as_ref(), native_session.as_ref()))
        }
        SessionCommand::NoteConfig { session, config } => {
            let changes = running(desk, *session)?.config != *config;
            let event = SessionEvent::ConfigChanged { session: *session, config: config.clone() };
            Ok(Decision::of_change(changes, event))
        }
        SessionCommand::SetWorking { session, working } => {
            let now = &running(desk, *session)?.state;
            Ok(match (working, now) {
                (true, SessionState::Working) | (false, SessionState::Idle) => Decision::default(),
                (true, _) => Decision::of(SessionEvent::TurnBegan { session: *session }),
                (false, _) => Decision::of(SessionEvent::TurnFinished { session: *session }),
            })
        }
        SessionCommand::NoteFinished { session } => Ok(note_finished(running(desk, *session)?)),
        SessionCommand::CountUnusable { session, lines } => {
            known(desk, *session)?;
            Ok(Decision::of(SessionEvent::LinesUnusable { session: *session, lines: *lines }))
        }
        SessionCommand::End { session, end, at } => end_session(desk, *session, end, *at),
        SessionCommand::CloseEarlierRun { at } => {
            let mut decision = Decision::default();
            for session in desk.sessions().filter(|session| session.is_running()) {
                let ended = end_session(desk, session.id, &SessionEnd::AppQuit, *at)?;
                decision.events.extend(ended.events);
                decision.effects.extend(ended.effects);
            }
            Ok(decision)
        }
        SessionCommand::Delete { session } => delete(known(desk, *session)?),
    }
}

pub(super) fn check_new(desk: &Desk, id: SessionId) -> Result<(), Rejection> {
    match desk.session(id) {
        Some(_) => Err(Rejection::invalid("id", "a session with this ID already exists")),
        None => Ok(()),
    }
}

/// Two sessions of one conversation would write over each other.
fn check_not_here(desk: &Desk, origin: &Origin, native_session: &NativeSession) -> Result<(), Rejection> {
    let same =
        |known: &Session| known.origin == *origin && known.native_session.as_ref() == Some(native_session);
    match desk.sessions().any(same) {
        true => Err(Rejection::invalid("continues", "this session is already in Askdesk")),
        false => Ok(()),
    }
}

/// Notes what is new in the agent's information about itself.
fn introduce(
    session: &Session,
    version: Option<&String>,
    model: Option<&String>,
    native_session: Option<&NativeSession>,
) -> Decision {
    let mut decision = Decision::default();
    let known = session.version.as_ref() == version && session.model.as_ref() == model;
    if session.state == SessionState::Starting || !known {
        let (version, model) = (version.cloned(), model.cloned());
        decision.push(SessionEvent::Introduced { session: session.id, version, model });
        // After a resume, a queue waits until a turn has ended well.
        let is_new = session.state == SessionState::Starting && session.native_session.is_none();
        if is_new && !session.queue.is_empty() {
            decision.effects.push(Effect::SendQueued { session: session.id });
        }
    }
    if let Some(native_session) = native_session.filter(|id| session.native_session.as_ref() != Some(id)) {
        let native_session = native_session.clone();
        decision.push(SessionEvent::NativeSessionKnown { session: session.id, native_session });
    }
    decision
}

/// A turn is finished, unless a queued message begins the next one.
fn note_finished(session: &Session) -> Decision {
    let is_idle = session.state == SessionState::Idle && session.queue.is_empty();
    let effects = if is_idle { vec![Effect::PublishFinished { session: session.id }] } else { Vec::new() };
    Decision { effects, ..Decision::default() }
}

fn rename(desk: &Desk, id: SessionId, name: &str) -> Result<Decision, Rejection> {
    let session = known(desk, id)?;
    let name = on_one_line(name);
    if !says_something(&name) {
        return Err(Rejection::invalid("name", ValidationError::Empty));
    }
    // Whoever keeps a name that was not theirs has chosen it.
    let changes = session.name != name || session.named_by != NamedBy::User;
    Ok(Decision::of_change(changes, SessionEvent::Renamed { session: id, name, by: NamedBy::User }))
}

fn suggest_name(session: &Session, name: &str, by: NamedBy) -> Decision {
    let name = on_one_line(name);
    let changes = session.named_by.gives_way_to(by) && says_something(&name) && session.name != name;
    Decision::of_change(changes, SessionEvent::Renamed { session: session.id, name, by })
}

/// The agent of a running session works in the folder that it was started in.
fn change_folder(
    desk: &Desk,
    id: SessionId,
    folder: &str,
    worktree: Option<&Worktree>,
) -> Result<Decision, Rejection> {
    let session = known(desk, id)?;
    if session.is_running() {
        return Err(Rejection::invalid("session", ValidationError::StillRunning));
    }
    if session.origin.is_inbound() {
        return Err(Rejection::SessionGone);
    }
    let worktree = worktree.filter(|_| session.worktree.is_some());
    let changes = session.folder != folder || worktree.is_some() && session.worktree.as_deref() != worktree;
    let worktree = worktree.cloned().map(Box::new);
    let event = SessionEvent::FolderChanged { session: id, folder: folder.to_owned(), worktree };
    Ok(Decision::of_change(changes, event))
}

fn move_before(desk: &Desk, id: SessionId, before: Option<SessionId>) -> Result<Decision, Rejection> {
    known(desk, id)?;
    if let Some(before) = before {
        known(desk, before)?;
    }
    let changes = before != Some(id) && desk.order_with(id, before) != desk.order();
    Ok(Decision::of_change(changes, SessionEvent::Moved { session: id, before }))
}

fn close(desk: &Desk, id: SessionId, at: Timestamp) -> Result<Decision, Rejection> {
    let session = known(desk, id)?;
    if desk.is_closed(id) {
        return Ok(Decision::default());
    }
    let mut decision = Decision::default();
    if session.origin.is_inbound() {
        // If the app is still connected, its open requests are missed, as when an agent is stopped; its next question
        // reopens the session.
        decision = end_session(desk, id, &SessionEnd::Stopped, at)?;
    } else if session.is_running() {
        return Err(Rejection::invalid("session", ValidationError::StillRunning));
    } else {
        // Those that no agent waits for.
        for request in desk.open_requests(id) {
            end(&mut decision, request.id, Outcome::Orphaned { why: OrphanedWhy::SessionStopped }, at);
        }
        decision.request = None;
    }
    decision.push(SessionEvent::Closed { session: id, at });
    Ok(decision)
}

fn resume(desk: &Desk, id: SessionId, at: Timestamp) -> Result<Decision, Rejection> {
    let session = known(desk, id)?;
    if session.origin.is_inbound() || !session.is_running() && !session.resumable {
        return Err(Rejection::SessionGone);
    }
    Ok(Decision::of_change(!session.is_running(), SessionEvent::Resumed { session: id, at }))
}

pub(super) fn end_session(
    desk: &Desk,
    id: SessionId,
    how: &SessionEnd,
    at: Timestamp,
) -> Result<Decision, Rejection> {
    let session = known(desk, id)?;
    let mut decision = Decision::default();
    if !session.is_running() {
        return Ok(decision);
    }
    let why = match how {
        SessionEnd::Stopped => OrphanedWhy::SessionStopped,
        SessionEnd::AppQuit => OrphanedWhy::AppQuit,
        SessionEnd::Finished | SessionEnd::Failed { .. } => OrphanedWhy::AgentEnded,
    };
    for request in desk.requests().filter(|request| request.session == id) {
        match (&request.state, desk.calls(request.id)) {
            // Its answer waits for the session to go on.
            (RequestState::Open, _) if request.asker == Asker::GoesOn && desk.will_be_resumable(session) => {}
            (RequestState::Open, _) => end(&mut decision, request.id, Outcome::Orphaned { why }, at),
            (RequestState::Ended(ended), Some(calls)) => {
                let becomes = calls::without_agent(calls, ended);
                decision.events.extend(becomes.map(|delivery| delivery_changed(request.id, delivery)));
            }
            (RequestState::Ended(ended), None) if late_answer::may_have_arrived(desk, request.id, ended) => {
                let delivery = Delivery::Failed { error: DeliveryError::MayHaveArrived };
                decision.push(delivery_changed(request.id, delivery));
            }
            (RequestState::Ended(_), None) if desk.is_call_closed(request.id) => {}
            (RequestState::Ended(ended), None) => park(&mut decision, request.id, ended.delivery.as_ref()),
        }
    }
    withdraw_approvals(desk, &mut decision, id, at);
    decision.push(SessionEvent::Ended { session: id, end: how.clone(), at });
    decision.request = None;
    Ok(decision)
}

/// Deletes a session with everything said in it, unless it is running.
fn delete(session: &Session) -> Result<Decision, Rejection> {
    if session.is_running() {
        return Err(Rejection::invalid("session", ValidationError::StillRunning));
    }
    Ok(Decision::of(SessionEvent::Deleted { session: session.id }))
}
