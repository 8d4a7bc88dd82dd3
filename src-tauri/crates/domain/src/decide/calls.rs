//! Calls that ask the same again while it is open: they wait for one request, and each is told of its end once.

use super::{Decision, Effect};
use crate::command::Ask;
use crate::desk::{Call, Desk, together};
use crate::error::DeliveryError;
use crate::event::{Event, RequestEvent};
use crate::id::{NativeRef, RequestId};
use crate::request::{CallDelivery, Delivery, Ended, Outcome, Request};

/// How long after it was asked an open request takes in calls that ask the same, in milliseconds.
pub const ASKED_AGAIN_MILLIS: i64 = 3 * 60 * 1_000;

/// How many calls wait for one request at most; a further one gets a request of its own.
pub const CALLS_OF_A_REQUEST: usize = 64;

/// Finds the open request that holds the same questions for the same asker, and was asked a short time ago.
pub(super) fn same_open<'a>(desk: &'a Desk, ask: &Ask) -> Option<&'a Request> {
    // Ids of questions and options are minted from their places, so what is equal here is equal by content.
    let same = |request: &&Request| {
        request.asked_by == ask.asked_by && request.limit == ask.limit && request.questions == ask.questions
    };
    let lately =
        |request: &&Request| ask.at.millis().saturating_sub(request.asked_at.millis()) < ASKED_AGAIN_MILLIS;
    let has_room =
        |request: &&Request| desk.calls(request.id).is_none_or(|calls| calls.len() < CALLS_OF_A_REQUEST);
    let open = desk.open_requests(ask.session).filter(same).filter(lately).filter(has_room);
    open.max_by_key(|request| (request.asked_at, request.id))
}

/// Lets a call wait for a request that others wait for already: nothing new to show or to tell of.
pub(super) fn join(request: &Request, native_ref: &NativeRef) -> Decision {
    let event = Event::Request(RequestEvent::AskedAgain {
        request: request.id,
        native_ref: native_ref.clone(),
        guest: None,
        at: None,
    });
    Decision { request: Some(request.id), ..Decision::of(event) }
}

/// Lets go of a call that its agent has taken back while others wait for the same request; none where it is the last.
pub(super) fn leave(desk: &Desk, request: &Request, native_ref: &NativeRef) -> Option<Decision> {
    desk.calls(request.id).filter(|calls| request.is_open() && calls.len() > 1)?;
    let (id, native_ref) = (request.id, native_ref.clone());
    Some(Decision {
        events: vec![Event::Request(RequestEvent::CallLeft { request: id, native_ref: native_ref.clone() })],
        effects: vec![Effect::LetGo { request: id, native_ref }],
        request: Some(id),
    })
}

/// Says what news of a delivery make of what was known before; none where they change nothing.
pub(super) fn after_news(now: Option<&Delivery>, news: &Delivery) -> Option<Delivery> {
    match (now, news) {
        (None | Some(Delivery::Delivered { .. }), _) => None,
        // Nobody waits for it any more, so there is nothing to try again.
        (Some(Delivery::Parked), Delivery::Failed { .. }) => None,
        // An agent that goes on while the end has never left us has gone on without it.
        (Some(Delivery::Failed { .. }), Delivery::Delivered { .. }) => Some(Delivery::Parked),
        (Some(now), news) if now == news => None,
        (Some(_), news) => Some(news.clone()),
    }
}

/// Notes how far an end has travelled to one call, or to all that still wait for it.
pub(super) fn note(id: RequestId, calls: &[Call], only: Option<&NativeRef>, news: &Delivery) -> Vec<Event> {
    change(id, calls, |call| {
        let meant = only.is_none_or(|only| call.native_ref == *only);
        after_news(call.delivery.as_ref(), news).filter(|_| meant)
    })
}

/// Marks an end as being handed to one call; none where that is not to be told of it, or is being told already.
pub(super) fn note_sending(id: RequestId, calls: &[Call], native_ref: &NativeRef) -> Option<Event> {
    let waits = |call: &&Call| !call.sending && call.delivery == Some(Delivery::Pending);
    let call = calls.iter().filter(waits).find(|call| call.native_ref == *native_ref)?;
    Some(Event::Request(RequestEvent::Sending {
        request: id,
        late: false,
        call: Some(call.native_ref.clone()),
    }))
}

/// Hands an end once more to those calls that could not be told of it, and to no other.
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

/// Says what becomes of an end whose agent goes away: what one of its calls was told, it knows.
pub(super) fn without_agent(calls: &[Call], ended: &Ended) -> Option<Delivery> {
    let mut told = calls.iter().filter_map(|call| call.delivery.as_ref());
    let arrived = told.find(|delivery| matches!(delivery, Delivery::Delivered { .. })).cloned();
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

/// Tells of each call that changes, and with it of how far the end has travelled in all.
fn change(id: RequestId, calls: &[Call], next: impl Fn(&Call) -> Option<Delivery>) -> Vec<Event> {
    let mut calls = calls.to_vec();
    let mut events = Vec::new();
    for place in 0..calls.len() {
        let Some(delivery) = next(&calls[place]) else { continue };
        calls[place].delivery = Some(delivery.clone());
        let call = CallDelivery { native_ref: calls[place].native_ref.clone(), delivery };
        let together = together(&calls).unwrap_or(Delivery::Pending);
        events.push(Event::Request(RequestEvent::DeliveryChanged {
            request: id,
            delivery: together,
            call: Some(call),
        }));
    }
    events
}
