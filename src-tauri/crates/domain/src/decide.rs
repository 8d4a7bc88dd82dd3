//! What a command does: events to write down and effects to carry out afterwards. Pure.

mod approvals;
mod calls;
mod finished_turn;
mod inbound;
mod late_answer;
mod lifecycle;

use crate::answer::{Answers, words};
use crate::approval::ApprovalDecision;
use crate::command::{Ask, Command, orphaned_by};
use crate::delivery_error::DeliveryError;
use crate::desk::Desk;
use crate::event::Event;
use crate::id::{ApprovalId, NativeRef, RequestId, SessionId, Timestamp};
use crate::queue::{self, QueuedMessage};
use crate::redaction;
use crate::rejection::Rejection;
use crate::request::{Delivery, Limit, OrphanedWhy, Outcome, Request, RequestState, WithdrawnWhy};
use crate::session::{Session, SessionEnd, SessionState};
use crate::validation_error::ValidationError;
pub use calls::{ASKED_AGAIN_MILLIS, CALLS_OF_A_REQUEST};

/// What to do once the events of a decision are on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Tell whoever waits for the request how it ended, secrets included.
    Resolve { request: RequestId, outcome: Outcome },
    /// Let go of whoever waits for one call of a request that others go on waiting for.
    LetGo {
        request: RequestId,
        /// The agent's own id of the call.
        native_ref: NativeRef,
    },
    /// Hand an end over once more.
    Redeliver {
        request: RequestId,
        /// To which call, by the agent's own id of it.
        native_ref: NativeRef,
        outcome: Outcome,
    },
    /// Send what waits for a session to run: its agent is there.
    SendParked { session: SessionId },
    /// Tell the agent what was decided.
    ResolveApproval { approval: ApprovalId, decision: ApprovalDecision },
    /// Send the oldest message that waits: the agent is at rest.
    SendQueued { session: SessionId },
    /// Tell the person that a request waits.
    Notify { request: RequestId },
    /// Take back what [`Effect::Notify`] showed.
    WithdrawNotification { request: RequestId },
    /// Tell the person that an approval waits.
    NotifyApproval { approval: ApprovalId },
    /// Take back what [`Effect::NotifyApproval`] showed.
    WithdrawApprovalNotification { approval: ApprovalId },
    /// Tell the person that a session has finished its turn.
    NotifyFinished { session: SessionId },
    /// Take back what [`Effect::NotifyFinished`] showed.
    WithdrawFinished { session: SessionId },
    /// Give [`Command::Expire`] once a time has come.
    WatchLimit {
        request: RequestId,
        /// When its limit passes.
        at: Timestamp,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// What happened, in order; empty where the command repeats what is already so.
    pub events: Vec<Event>,
    pub effects: Vec<Effect>,
    /// The request this was about, where a registration found one that is already known.
    pub request: Option<RequestId>,
}

impl Decision {
    pub(crate) fn of(event: Event) -> Self {
        Self { events: vec![event], ..Self::default() }
    }
}

/// Decides what a command does to the desk, or why it does nothing.
pub fn decide(desk: &Desk, command: &Command) -> Result<Decision, Rejection> {
    let mut decision = decide_on(desk, command)?;
    decision.events.extend(inbound::over(desk, &decision.events));
    let over = finished_turn::no_more(&decision.events);
    decision.effects.extend(over);
    Ok(decision)
}

fn decide_on(desk: &Desk, command: &Command) -> Result<Decision, Rejection> {
    match command {
        Command::StartSession { id, origin, name, folder, options, config, at } => {
            let new = lifecycle::NewSession { origin, name, folder, options, config };
            lifecycle::start(desk, *id, &new, *at)
        }
        Command::RenameSession { session, name } => lifecycle::rename(desk, *session, name),
        Command::SetAttention { session, attention } => {
            if known(desk, *session)?.attention == *attention {
                return Ok(Decision::default());
            }
            Ok(Decision::of(Event::AttentionSet { session: *session, attention: *attention }))
        }
        Command::MoveSession { session, before } => lifecycle::move_before(desk, *session, *before),
        Command::CloseSession { session, at } => lifecycle::close(desk, *session, *at),
        Command::ResumeSession { session, at } => lifecycle::resume(desk, *session, *at),
        Command::NoteSpoke { session } => {
            known(desk, *session)?;
            if desk.has_spoken(*session) {
                return Ok(Decision::default());
            }
            Ok(Decision::of(Event::AgentSpoke { session: *session }))
        }
        Command::Forget { session } => {
            known(desk, *session)?;
            if desk.is_forgotten(*session) {
                return Ok(Decision::default());
            }
            Ok(Decision::of(Event::SessionForgotten { session: *session }))
        }
        Command::Introduce { session, version, model, native_session } => {
            let now = running(desk, *session)?;
            Ok(lifecycle::introduce(now, version.as_ref(), model.as_ref(), native_session.as_ref()))
        }
        Command::NoteConfig { session, config } => {
            if running(desk, *session)?.config == *config {
                return Ok(Decision::default());
            }
            Ok(Decision::of(Event::ConfigChanged { session: *session, config: config.clone() }))
        }
        Command::SetWorking { session, working } => {
            let now = &running(desk, *session)?.state;
            Ok(match (working, now) {
                (true, SessionState::Working) | (false, SessionState::Idle) => Decision::default(),
                (true, _) => Decision::of(Event::TurnBegan { session: *session }),
                (false, _) => Decision::of(Event::TurnFinished { session: *session }),
            })
        }
        Command::TellFinished { session } => Ok(finished_turn::tell(running(desk, *session)?)),
        Command::CountUnusable { session, lines } => {
            known(desk, *session)?;
            Ok(Decision::of(Event::LinesUnusable { session: *session, lines: *lines }))
        }
        Command::EndSession { session, end, at } => end_session(desk, *session, end, *at),
        Command::Ask(ask) => register(desk, ask),
        Command::OpenVisit { id, visitor, at } => inbound::open(desk, *id, visitor, *at),
        Command::AskVisit { ask, again } => inbound::ask(desk, ask, *again),
        Command::LeaveCall { session, native_ref, why, at } => {
            inbound::leave(desk, *session, native_ref, *why, *at)
        }
        Command::NoteTold { request, native_ref, told, at } => {
            // One that is no longer in memory has nothing that waits to be told.
            let known = desk.request(*request);
            Ok(known.map(|request| inbound::told(desk, request, native_ref, told, *at)).unwrap_or_default())
        }
        Command::LeaveVisit { session, at } => inbound::leave_all(desk, known(desk, *session)?, *at),
        Command::Answer { request, answers, at } => {
            let request = find(desk, *request)?;
            let answers = Answers::check(&request.questions, answers)?;
            end_by_person(desk, request, Outcome::Answered { answers }, *at)
        }
        Command::Decline { request, words: said, at } => {
            let words = words(said.as_deref(), "words")?;
            end_by_person(desk, find(desk, *request)?, Outcome::Declined { words }, *at)
        }
        Command::Cancel { request, reason, at } => {
            let reason = words(reason.as_deref(), "reason")?;
            let why = WithdrawnWhy::Cancelled { reason };
            end_by_person(desk, find(desk, *request)?, Outcome::Withdrawn { why }, *at)
        }
        Command::ReplyInChat { session, text, at } => {
            running(desk, *session)?;
            let text =
                words(Some(text), "text")?.ok_or(Rejection::invalid("text", ValidationError::Empty))?;
            let mut decision = Decision::default();
            for request in desk.open_requests(*session) {
                end(&mut decision, request.id, Outcome::RepliedInChat { text: text.clone() }, *at);
            }
            Ok(decision)
        }
        Command::Withdraw { session, native_ref, why, at } => withdraw(desk, *session, native_ref, why, *at),
        Command::WithdrawAll { session, why, at } => {
            let mut decision = Decision::default();
            for request in desk.requests().filter(|request| request.session == *session) {
                withdraw_one(desk, &mut decision, request, None, why, *at);
            }
            withdraw_approvals(desk, &mut decision, *session, *at);
            Ok(decision)
        }
        Command::Expire { request, at } => {
            let request = find(desk, *request)?;
            let mut decision = Decision::default();
            if request.is_open() && request.limit.as_ref().is_some_and(|limit| limit.at <= *at) {
                end(&mut decision, request.id, Outcome::Expired, *at);
            }
            Ok(decision)
        }
        Command::NoteDelivery { request, call, delivery } => {
            Ok(note_delivery(desk, find(desk, *request)?, call.as_ref(), delivery))
        }
        Command::NoteSending { request, call } => {
            late_answer::note_sending(desk, find(desk, *request)?, call)
        }
        Command::SendParked { session } => late_answer::send_parked(desk, *session),
        Command::Dismiss { request, at } => late_answer::dismiss(desk, find(desk, *request)?, *at),
        Command::Retry { request } => retry(desk, *request),
        Command::AskApproval(ask) => approvals::register(desk, ask),
        Command::DecideApproval { approval, decision, at } => {
            approvals::decide(desk, *approval, decision, *at)
        }
        Command::ApprovalNotDelivered { approval, error } => {
            desk.approval(*approval).ok_or(Rejection::NotFound { what: "approval" })?;
            Ok(Decision::of(Event::ApprovalDeliveryFailed { approval: *approval, error: error.clone() }))
        }
        Command::QueueMessage { session, id, text, attachments } => {
            let message = QueuedMessage { id: *id, text: text.clone(), attachments: attachments.clone() };
            queue::queue(desk, known(desk, *session)?, message)
        }
        Command::EditQueued { session, id, text } => queue::edit(known(desk, *session)?, *id, text),
        Command::RemoveQueued { session, id } => queue::remove(known(desk, *session)?, *id),
        Command::SendQueued { session, now: Some(id) } => queue::send_now(desk, known(desk, *session)?, *id),
        Command::SendQueued { session, now: None } => Ok(queue::send_next(desk, known(desk, *session)?)),
        Command::CloseEarlierRun { at } => {
            let mut decision = Decision::default();
            for session in desk.sessions().filter(|session| session.is_running()) {
                let ended = end_session(desk, session.id, &SessionEnd::AppQuit, *at)?;
                decision.events.extend(ended.events);
                decision.effects.extend(ended.effects);
            }
            Ok(decision)
        }
        Command::DeleteSession { session } => redaction::delete(known(desk, *session)?),
    }
}

fn known(desk: &Desk, session: SessionId) -> Result<&Session, Rejection> {
    desk.session(session).ok_or(Rejection::NotFound { what: "session" })
}

fn running(desk: &Desk, session: SessionId) -> Result<&Session, Rejection> {
    let session = known(desk, session)?;
    if session.is_running() { Ok(session) } else { Err(Rejection::SessionGone) }
}

fn find(desk: &Desk, request: RequestId) -> Result<&Request, Rejection> {
    desk.request(request).ok_or(Rejection::NotFound { what: "request" })
}

fn end(decision: &mut Decision, request: RequestId, outcome: Outcome, at: Timestamp) {
    let kept = match &outcome {
        Outcome::Answered { answers } => Outcome::Answered { answers: answers.without_secrets() },
        other => other.clone(),
    };
    decision.events.push(Event::Ended { request, outcome: kept, at });
    decision.effects.push(Effect::WithdrawNotification { request });
    decision.effects.push(Effect::Resolve { request, outcome });
    decision.request = Some(request);
}

/// Ends an open request; the same end again is no news, another one is refused unless it comes late.
fn end_by_person(
    desk: &Desk,
    request: &Request,
    outcome: Outcome,
    at: Timestamp,
) -> Result<Decision, Rejection> {
    let mut decision = Decision { request: Some(request.id), ..Decision::default() };
    match &request.state {
        RequestState::Open => end(&mut decision, request.id, outcome, at),
        RequestState::Ended(_) if late_answer::can_be_answered(request) && outcome.can_come_late() => {
            return late_answer::answer(desk, request, outcome, at);
        }
        RequestState::Ended(ended) => {
            let same = match (&ended.outcome, &outcome) {
                (Outcome::Answered { answers: earlier }, Outcome::Answered { answers: now }) => {
                    *earlier == now.without_secrets()
                }
                (earlier, now) => earlier == now,
            };
            if !same {
                return Err(Rejection::AlreadyEnded { by: ended.outcome.by(), at: ended.at });
            }
        }
    }
    Ok(decision)
}

fn register(desk: &Desk, ask: &Ask) -> Result<Decision, Rejection> {
    running(desk, ask.session)?;
    if ask.questions.is_empty() {
        return Err(Rejection::invalid("questions", "at least 1 question, got 0"));
    }
    if let Some(earlier) = desk.by_native_ref(ask.session, &ask.native_ref) {
        if earlier.questions == ask.questions {
            return Ok(Decision { request: Some(earlier.id), ..Decision::default() });
        }
        return Err(Rejection::invalid(
            "native_ref",
            "this id was used for another question in this session",
        ));
    }
    if let Some(open) = calls::same_open(desk, ask) {
        return Ok(calls::join(open, &ask.native_ref));
    }
    if desk.request(ask.id).is_some() {
        return Err(Rejection::invalid("id", "a request with this id exists already"));
    }
    Ok(begin(ask))
}

/// Makes a request of what was asked.
fn begin(ask: &Ask) -> Decision {
    let request = Request {
        id: ask.id,
        session: ask.session,
        native_ref: ask.native_ref.clone(),
        asked_by: ask.asked_by.clone(),
        questions: ask.questions.clone(),
        asked_at: ask.at,
        limit: ask.limit.clone(),
        state: RequestState::Open,
    };
    let effects = told_of(ask.id, ask.limit.as_ref());
    Decision { events: vec![Event::Asked { request }], effects, request: Some(ask.id) }
}

/// What follows on a request being open: the person is told, and its limit watched.
fn told_of(id: RequestId, limit: Option<&Limit>) -> Vec<Effect> {
    let mut effects = vec![Effect::Notify { request: id }];
    effects.extend(limit.map(|limit| Effect::WatchLimit { request: id, at: limit.at }));
    effects
}

fn withdraw(
    desk: &Desk,
    session: SessionId,
    native_ref: &NativeRef,
    why: &WithdrawnWhy,
    at: Timestamp,
) -> Result<Decision, Rejection> {
    let mut decision = Decision::default();
    if let Some(request) = desk.by_native_ref(session, native_ref) {
        match calls::leave(desk, request, native_ref) {
            Some(left) => decision = left,
            None => withdraw_one(desk, &mut decision, request, Some(native_ref), why, at),
        }
    }
    let approval = desk.open_approvals(session).find(|approval| approval.native_ref == *native_ref);
    if let Some(approval) = approval {
        withdraw_approval(&mut decision, approval.id, at);
    }
    Ok(decision)
}

/// Ends an open request; an end that has not reached a call that no longer waits, or any of its calls, is parked.
fn withdraw_one(
    desk: &Desk,
    decision: &mut Decision,
    request: &Request,
    only: Option<&NativeRef>,
    why: &WithdrawnWhy,
    at: Timestamp,
) {
    // What travels as a message has nothing to do with the call any more.
    if desk.is_call_closed(request.id) {
        return;
    }
    match (&request.state, desk.calls(request.id)) {
        (RequestState::Open, _) => end(decision, request.id, Outcome::Withdrawn { why: why.clone() }, at),
        (RequestState::Ended(_), Some(calls)) => {
            decision.events.extend(calls::note(request.id, calls, only, &Delivery::Parked));
        }
        (RequestState::Ended(ended), None) => park(decision, request.id, ended.delivery.as_ref()),
    }
}

fn park(decision: &mut Decision, request: RequestId, delivery: Option<&Delivery>) {
    if matches!(delivery, Some(Delivery::Pending | Delivery::Failed { .. })) {
        decision.events.push(travelled(request, Delivery::Parked));
    }
}

/// Says of an end that goes to one call, or to none, how far it has travelled.
const fn travelled(request: RequestId, delivery: Delivery) -> Event {
    Event::DeliveryChanged { request, delivery, call: None }
}

fn note_delivery(desk: &Desk, request: &Request, call: Option<&NativeRef>, delivery: &Delivery) -> Decision {
    let now = request.ended().and_then(|ended| ended.delivery.as_ref());
    let is_over = matches!(now, None | Some(Delivery::Delivered { .. }));
    if is_over || !late_answer::is_about_this_way(desk, request.id, delivery) {
        return Decision::default();
    }
    let events = match desk.calls(request.id) {
        Some(calls) => calls::note(request.id, calls, call, delivery),
        None if call.is_some_and(|call| *call != request.native_ref) => Vec::new(),
        None => {
            let changed = calls::after_news(now, delivery);
            changed.map(|delivery| travelled(request.id, delivery)).into_iter().collect()
        }
    };
    Decision { events, ..Decision::default() }
}

fn withdraw_approvals(desk: &Desk, decision: &mut Decision, session: SessionId, at: Timestamp) {
    for approval in desk.open_approvals(session) {
        withdraw_approval(decision, approval.id, at);
    }
}

fn withdraw_approval(decision: &mut Decision, approval: ApprovalId, at: Timestamp) {
    decision.events.push(Event::ApprovalWithdrawn { approval, at });
    decision.effects.push(Effect::WithdrawApprovalNotification { approval });
}

fn end_session(desk: &Desk, id: SessionId, how: &SessionEnd, at: Timestamp) -> Result<Decision, Rejection> {
    let session = known(desk, id)?;
    let mut decision = Decision::default();
    if !session.is_running() {
        return Ok(decision);
    }
    let why: OrphanedWhy = orphaned_by(how);
    for request in desk.requests().filter(|request| request.session == id) {
        match (&request.state, desk.calls(request.id)) {
            (RequestState::Open, _) => end(&mut decision, request.id, Outcome::Orphaned { why }, at),
            (RequestState::Ended(ended), Some(calls)) => {
                let becomes = calls::without_agent(calls, ended);
                decision.events.extend(becomes.map(|delivery| travelled(request.id, delivery)));
            }
            (RequestState::Ended(ended), None) if late_answer::may_have_arrived(desk, request.id, ended) => {
                let delivery = Delivery::Failed { error: DeliveryError::MayHaveArrived };
                decision.events.push(travelled(request.id, delivery));
            }
            (RequestState::Ended(_), None) if desk.is_call_closed(request.id) => {}
            (RequestState::Ended(ended), None) => park(&mut decision, request.id, ended.delivery.as_ref()),
        }
    }
    withdraw_approvals(desk, &mut decision, id, at);
    decision.events.push(Event::SessionEnded { session: id, end: how.clone(), at });
    decision.request = None;
    Ok(decision)
}

fn retry(desk: &Desk, id: RequestId) -> Result<Decision, Rejection> {
    let request = find(desk, id)?;
    if desk.is_call_closed(id) {
        return late_answer::retry(desk, request);
    }
    running(desk, request.session)?;
    match &request.state {
        RequestState::Ended(ended) if matches!(ended.delivery, Some(Delivery::Failed { .. })) => {
            if let Some(calls) = desk.calls(id) {
                return Ok(calls::retry(id, calls, &ended.outcome));
            }
            let (native_ref, outcome) = (request.native_ref.clone(), ended.outcome.clone());
            Ok(Decision {
                events: vec![travelled(id, Delivery::Pending)],
                effects: vec![Effect::Redeliver { request: id, native_ref, outcome }],
                request: Some(id),
            })
        }
        // It is on its way or there: the same wish again, perhaps by a caller that did not hear of the first.
        RequestState::Ended(ended)
            if matches!(ended.delivery, Some(Delivery::Pending | Delivery::Delivered { .. })) =>
        {
            Ok(Decision { request: Some(id), ..Decision::default() })
        }
        RequestState::Ended(ended) => Err(Rejection::AlreadyEnded { by: ended.outcome.by(), at: ended.at }),
        RequestState::Open => Err(Rejection::invalid("id", ValidationError::StillOpen)),
    }
}
