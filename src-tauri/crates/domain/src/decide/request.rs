//! The life of a request: asked, ended, delivered.

use super::approval::withdraw_approval;
use super::{Decision, Effect, calls, delivery_changed, find, late_answer, running};
use crate::answer::{Answers, optional_text};
use crate::approval::ApprovalState;
use crate::command::{Ask, RequestCommand};
use crate::desk::Desk;
use crate::error::ValidationError;
use crate::event::{ApprovalEvent, Event, RequestEvent};
use crate::id::{NativeRef, RequestId, SessionId, Timestamp};
use crate::rejection::Rejection;
use crate::request::{Asker, Delivery, Limit, Outcome, Request, RequestState, WithdrawnWhy};

pub(super) fn decide(desk: &Desk, command: &RequestCommand) -> Result<Decision, Rejection> {
    match command {
        RequestCommand::Ask(ask) => register(desk, ask),
        RequestCommand::Answer { request, answers, at } => {
            let request = find(desk, *request)?;
            let answers = Answers::check(&request.questions, answers)?;
            end_by_user(desk, request, Outcome::Answered { answers }, *at)
        }
        RequestCommand::Decline { request, words: said, at } => {
            let words = optional_text(said.as_deref(), "words")?;
            end_by_user(desk, find(desk, *request)?, Outcome::Declined { words }, *at)
        }
        RequestCommand::Cancel { request, reason, at } => {
            let reason = optional_text(reason.as_deref(), "reason")?;
            let why = WithdrawnWhy::Canceled { reason };
            end_by_user(desk, find(desk, *request)?, Outcome::Withdrawn { why }, *at)
        }
        RequestCommand::ReplyInChat { session, requests, text, at } => {
            running(desk, *session)?;
            let text = optional_text(Some(text), "text")?
                .ok_or(Rejection::invalid("text", ValidationError::Empty))?;
            let mut decision = Decision::default();
            // A message goes to the agent itself; its helpers don't read it. What it doesn't wait for stays open.
            let is_closed = |open: &&Request| {
                requests.contains(&open.id) && open.helper.is_none() && open.asker == Asker::Waits
            };
            for request in desk.open_requests(*session).filter(is_closed) {
                end(&mut decision, request.id, Outcome::RepliedInChat { text: text.clone() }, *at);
            }
            Ok(decision)
        }
        RequestCommand::Withdraw { session, native_ref, why, at } => {
            withdraw(desk, *session, native_ref, why, *at)
        }
        RequestCommand::WithdrawAll { session, why, at } => {
            let mut decision = Decision::default();
            let own = |request: &&Request| request.session == *session && request.helper.is_none();
            for request in desk.requests().filter(own) {
                withdraw_one(desk, &mut decision, request, None, why, *at);
            }
            for approval in desk.open_approvals(*session).filter(|approval| approval.helper.is_none()) {
                withdraw_approval(&mut decision, approval.id, *at);
            }
            Ok(decision)
        }
        RequestCommand::Expire { request, at } => {
            let request = find(desk, *request)?;
            let mut decision = Decision::default();
            if request.is_open() && request.limit.as_ref().is_some_and(|limit| limit.at <= *at) {
                end(&mut decision, request.id, Outcome::Expired, *at);
            }
            Ok(decision)
        }
        RequestCommand::NoteDelivery { request, call, delivery } => {
            Ok(note_delivery(desk, find(desk, *request)?, call.as_ref(), delivery))
        }
        RequestCommand::NoteSending { request, call } => {
            late_answer::note_sending(desk, find(desk, *request)?, call)
        }
        RequestCommand::SendParked { session } => late_answer::send_parked(desk, *session),
        RequestCommand::Dismiss { request, at } => late_answer::dismiss(desk, find(desk, *request)?, *at),
        RequestCommand::Identified { answer, command } => {
            let mut decision = decide(desk, command)?;
            for event in &mut decision.events {
                if let Event::Request(
                    RequestEvent::Ended { answer: id, .. } | RequestEvent::AnsweredLate { answer: id, .. },
                ) = event
                {
                    *id = Some(*answer);
                }
            }
            Ok(decision)
        }
        RequestCommand::MoveTimes { by } => Ok(move_times(desk, *by)),
        RequestCommand::Retry { request } => retry(desk, *request),
    }
}

/// Moves the times of everything that is open, and watches the time limits anew.
fn move_times(desk: &Desk, by: i64) -> Decision {
    let mut decision = Decision::default();
    for request in desk.requests().filter(|request| request.is_open()) {
        decision.push(RequestEvent::TimesMoved { request: request.id, by });
        let limit = request.limit.as_ref().map(|limit| limit.at.moved(by));
        decision.effects.extend(limit.map(|at| Effect::WatchLimit { request: request.id, at }));
    }
    for approval in desk.approvals().filter(|approval| approval.state == ApprovalState::Open) {
        decision.push(ApprovalEvent::TimesMoved { approval: approval.id, by });
    }
    decision
}

pub(super) fn end(decision: &mut Decision, request: RequestId, outcome: Outcome, at: Timestamp) {
    let kept = match &outcome {
        Outcome::Answered { answers } => Outcome::Answered { answers: answers.without_secrets() },
        other => other.clone(),
    };
    decision.push(RequestEvent::Ended { request, outcome: kept, at, answer: None });
    decision.effects.push(Effect::Resolve { request, outcome });
    decision.request = Some(request);
}

/// Ends an open request. The same end again changes nothing; a different one is refused unless it is a late answer.
fn end_by_user(
    desk: &Desk,
    request: &Request,
    outcome: Outcome,
    at: Timestamp,
) -> Result<Decision, Rejection> {
    let mut decision = Decision::about(request.id);
    match &request.state {
        RequestState::Open if request.asker == Asker::GoesOn => {
            return late_answer::answer_open(desk, request, outcome, at);
        }
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
                return Err(ended.rejection());
            }
        }
    }
    Ok(decision)
}

fn register(desk: &Desk, ask: &Ask) -> Result<Decision, Rejection> {
    running(desk, ask.session)?;
    // An agent may give a new call the id of an old one: some backends of models count their calls anew in every turn.
    let known = desk.by_native_ref(ask.session, &ask.native_ref);
    if !known.is_some_and(|known| desk.is_call_over(known, &ask.native_ref))
        && let Some(known) = find_call(desk, ask)?
    {
        return Ok(Decision::about(known.id));
    }
    if ask.asker == Asker::Waits
        && let Some(open) = calls::same_open(desk, ask)
    {
        return Ok(calls::join(open, &ask.native_ref));
    }
    begin(desk, ask)
}

/// Finds the request that this call already registered. Refused if it has no questions, or other questions than before.
pub(super) fn find_call<'a>(desk: &'a Desk, ask: &Ask) -> Result<Option<&'a Request>, Rejection> {
    if ask.questions.is_empty() {
        return Err(Rejection::invalid("questions", "too few questions (0; the minimum is 1)"));
    }
    let known = desk.by_native_ref(ask.session, &ask.native_ref);
    if known.is_some_and(|request| request.questions != ask.questions) {
        let rule = "this ID was used for another question in this session";
        return Err(Rejection::invalid("native_ref", rule));
    }
    Ok(known)
}

pub(super) fn begin(desk: &Desk, ask: &Ask) -> Result<Decision, Rejection> {
    if desk.request(ask.id).is_some() {
        return Err(Rejection::invalid("id", "a request with this ID already exists"));
    }
    let request = Request {
        id: ask.id,
        session: ask.session,
        native_ref: ask.native_ref.clone(),
        asked_by: ask.asked_by.clone(),
        helper: ask.helper.clone(),
        questions: ask.questions.clone(),
        asked_at: ask.at,
        limit: ask.limit.clone(),
        asker: ask.asker,
        state: RequestState::Open,
    };
    let effects = opening_effects(ask.id, ask.limit.as_ref());
    Ok(Decision { effects, request: Some(ask.id), ..Decision::of(RequestEvent::Asked { request }) })
}

/// Returns the effect of opening a request: a timer for its limit, if it has one.
pub(super) fn opening_effects(id: RequestId, limit: Option<&Limit>) -> Vec<Effect> {
    limit.map(|limit| Effect::WatchLimit { request: id, at: limit.at }).into_iter().collect()
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

/// Withdraws an open request. An outcome that has not reached a closed call, or any of its calls, is parked.
fn withdraw_one(
    desk: &Desk,
    decision: &mut Decision,
    request: &Request,
    only: Option<&NativeRef>,
    why: &WithdrawnWhy,
    at: Timestamp,
) {
    // The delivery of a message is independent of the call.
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

pub(super) fn park(decision: &mut Decision, request: RequestId, delivery: Option<&Delivery>) {
    if matches!(delivery, Some(Delivery::Pending | Delivery::Failed { .. })) {
        decision.push(delivery_changed(request, Delivery::Parked));
    }
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
            changed.map(|delivery| delivery_changed(request.id, delivery)).into_iter().collect()
        }
    };
    Decision { events, ..Decision::default() }
}

fn retry(desk: &Desk, id: RequestId) -> Result<Decision, Rejection> {
    let request = find(desk, id)?;
    if desk.is_call_closed(id) {
        return late_answer::retry(desk, request);
    }
    running(desk, request.session)?;
    match &request.state {
        RequestState::Open => Err(Rejection::invalid("id", ValidationError::StillOpen)),
        RequestState::Ended(ended) => match &ended.delivery {
            Some(Delivery::Failed { .. }) => {
                if let Some(calls) = desk.calls(id) {
                    return Ok(calls::retry(id, calls, &ended.outcome));
                }
                let (native_ref, outcome) = (request.native_ref.clone(), ended.outcome.clone());
                Ok(Decision {
                    effects: vec![Effect::Redeliver { request: id, native_ref, outcome }],
                    request: Some(id),
                    ..Decision::of(delivery_changed(id, Delivery::Pending))
                })
            }
            // It is on its way or delivered: the caller may have missed the first result and retried.
            Some(Delivery::Pending | Delivery::Delivered { .. }) => Ok(Decision::about(id)),
            Some(Delivery::Parked) | None => Err(ended.rejection()),
        },
    }
}
