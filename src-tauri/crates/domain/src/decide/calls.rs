//! Calls that repeat an open request: they join that request, and its outcome goes to each call once.

use super::{Decision, Effect};
use crate::command::Ask;
use crate::desk::{Call, Desk, together};
use crate::error::DeliveryError;
use crate::event::{Event, RequestEvent};
use crate::id::{NativeRef, RequestId};
use crate::request::{CallDelivery, Delivery, Ended, Outcome, Request};

/// How long an open request accepts repeated calls after it was asked, in milliseconds.
pub const ASKED_AGAIN_MILLIS: i64 = 3 * 60 * 1_000;

/// How many calls one request can have, including the first; a further one gets its own request.
pub const CALLS_OF_A_REQUEST: usize = 64;

/// Finds the recent open request with the same questions and asker.
pub(super) fn same_open<'a>(desk: &'a Desk, ask: &Ask) -> Option<&'a Request> {
    // Ids of questions and options follow from their positions, so equal values mean equal content.
    let same = |request: &&Request| {
        let asker = request.asked_by == ask.asked_by && request.helper == ask.helper;
        // An answer to one that goes on is sent as a message, and would never reach a call that waits.
        asker
            && request.asker == ask.asker
            && request.limit == ask.limit
            && request.questions == ask.questions
    };
    let lately =
        |request: &&Request| ask.at.millis().saturating_sub(request.asked_at.millis()) < ASKED_AGAIN_MILLIS;
    let open = desk.open_requests(ask.session).filter(same).filter(lately);
    open.filter(|request| has_room(desk, request)).max_by_key(|request| (request.asked_at, request.id))
}

/// Returns whether another call can join an open request.
pub(super) fn has_room(desk: &Desk, request: &Request) -> bool {
    desk.calls(request.id).is_none_or(|calls| calls.len() < CALLS_OF_A_REQUEST)
}

/// Adds a call to an open request; this shows nothing new and notifies nobody.
pub(super) fn join(request: &Request, native_ref: &NativeRef) -> Decision {
    let (id, native_ref) = (request.id, native_ref.clone());
    let event = RequestEvent::AskedAgain { request: id, native_ref, guest: None, at: None };
    Decision { request: Some(id), ..Decision::of(event) }
}

/// Releases a call that its agent has withdrawn while others wait for the same request; none if it is the last.
pub(super) fn leave(desk: &Desk, request: &Request, native_ref: &NativeRef) -> Option<Decision> {
    desk.calls(request.id).filter(|calls| request.is_open() && calls.len() > 1)?;
    let mut decision = Decision::about(request.id);
    release(&mut decision, request.id, native_ref);
    Some(decision)
}

/// Releases a call while others wait for the same request.
pub(super) fn release(decision: &mut Decision, request: RequestId, native_ref: &NativeRef) {
    decision.push(RequestEvent::CallLeft { request, native_ref: native_ref.clone() });
    decision.effects.push(Effect::ReleaseWaiter { request, native_ref: native_ref.clone() });
}

/// Merges a delivery update into the known state; none if it changes nothing.
pub(super) fn after_news(now: Option<&Delivery>, news: &Delivery) -> Option<Delivery> {
    match (now, news) {
        (None | Some(Delivery::Delivered { .. }), _) => None,
        // The call is closed, so there is nothing to retry.
        (Some(Delivery::Parked), Delivery::Failed { .. }) => None,
        // The outcome never left us, so an agent that proceeds has proceeded without it.
        (Some(Delivery::Failed { .. }), Delivery::Delivered { .. }) => Some(Delivery::Parked),
        (Some(now), news) if now == news => None,
        (Some(_), news) => Some(news.clone()),
    }
}

/// Notes how far an outcome has traveled to one call, or to every call that still waits for it.
pub(super) fn note(id: RequestId, calls: &[Call], only: Option<&NativeRef>, news: &Delivery) -> Vec<Event> {
    change(id, calls, |call| {
        let meant = only.is_none_or(|only| call.native_ref == *only);
        after_news(call.delivery.as_ref(), news).filter(|_| meant)
    })
}

/// Marks an outcome as being sent to one call; none if that call needs no outcome or is being sent one.
pub(super) fn note_sending(id: RequestId, calls: &[Call], native_ref: &NativeRef) -> Option<Event> {
    let waits = |call: &&Call| !call.sending && call.delivery == Some(Delivery::Pending);
    let call = calls.iter().filter(waits).find(|call| call.native_ref == *native_ref)?;
    Some(RequestEvent::Sending { request: id, late: false, call: Some(call.native_ref.clone()) }.into())
}

/// Delivers an outcome again to the calls where delivery failed, and to no others.
pub(super) fn retry(id: RequestId, calls: &[Call], outcome: &Outcome) -> Decision {
    let is_failed = |call: &&Call| matches!(call.delivery, Some(Delivery::Failed { .. }));
    let redeliver = |call: &Call| Effect::Redeliver {
        request: id,
        native_ref: call.native_ref.clone(),
        outcome: outcome.clone(),
    };
    Decision {
        events: change(id, calls, |call| is_failed(&call).then_some(Delivery::Pending)),
        effects: calls.iter().filter(is_failed).map(redeliver).collect(),
        request: Some(id),
    }
}

/// Returns the delivery of an outcome whose agent goes away: one call that has it is enough.
pub(super) fn without_agent(calls: &[Call], ended: &Ended) -> Option<Delivery> {
    let mut deliveries = calls.iter().filter_map(|call| call.delivery.as_ref());
    let arrived = deliveries.find(|delivery| matches!(delivery, Delivery::Delivered { .. })).cloned();
    let left = |call: &Call| call.sending && call.delivery == Some(Delivery::Pending);
    let becomes = match arrived {
        Some(arrived) => arrived,
        None if ended.outcome.can_come_late() && calls.iter().any(left) => {
            Delivery::Failed { error: DeliveryError::MayHaveArrived }
        }
        None => Delivery::Parked,
    };
    let on_its_way = matches!(ended.delivery, Some(Delivery::Pending | Delivery::Failed { .. }));
    (on_its_way && ended.delivery.as_ref() != Some(&becomes)).then_some(becomes)
}

/// Returns an event for each call whose delivery changes, and for the combined delivery.
fn change(id: RequestId, calls: &[Call], next: impl Fn(&Call) -> Option<Delivery>) -> Vec<Event> {
    let mut calls = calls.to_vec();
    let mut events = Vec::new();
    for place in 0..calls.len() {
        let Some(delivery) = next(&calls[place]) else { continue };
        calls[place].delivery = Some(delivery.clone());
        let call = CallDelivery { native_ref: calls[place].native_ref.clone(), delivery };
        let delivery = together(&calls).unwrap_or(Delivery::Pending);
        events.push(RequestEvent::DeliveryChanged { request: id, delivery, call: Some(call) }.into());
    }
    events
}
