//! The calls that joined one request, because an agent repeated it while it was open.

use serde::{Deserialize, Serialize};

use super::Desk;
use crate::id::{NativeRef, RequestId};
use crate::request::{CallDelivery, Delivery, Ended, Request};

/// One of several calls of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    pub(crate) native_ref: NativeRef,
    /// How far the outcome has traveled to this call; none while there is no outcome to deliver.
    pub(crate) delivery: Option<Delivery>,
    /// Whether the outcome may have been sent to this call; whether it arrived is unknown.
    pub(crate) sending: bool,
}

impl Call {
    fn waiting(native_ref: &NativeRef) -> Self {
        Self { native_ref: native_ref.clone(), delivery: None, sending: false }
    }
}

/// Combines the deliveries of several calls: delivered once every call that still waits has the outcome.
pub(crate) fn together(calls: &[Call]) -> Option<Delivery> {
    let rank = |delivery: &&Delivery| match delivery {
        Delivery::Failed { .. } => (0, 0),
        Delivery::Pending => (1, 0),
        // The time of delivery is that of the last call.
        Delivery::Delivered { at, .. } => (2, at.millis().saturating_neg()),
        Delivery::Parked => (3, 0),
    };
    calls.iter().filter_map(|call| call.delivery.as_ref()).min_by_key(rank).cloned()
}

impl Desk {
    /// Returns the calls of a request that several calls have joined; none if only the first call ever asked it.
    pub(crate) fn calls(&self, id: RequestId) -> Option<&[Call]> {
        self.calls.get(&id).map(Vec::as_slice)
    }

    /// Returns whether a call belongs to a request, or did until its end.
    pub(super) fn is_call_of(&self, request: &Request, native_ref: &NativeRef) -> bool {
        match self.calls(request.id) {
            Some(calls) => calls.iter().any(|call| call.native_ref == *native_ref),
            None => request.native_ref == *native_ref,
        }
    }

    /// Returns whether a call of a request waits for nothing more.
    pub(crate) fn is_call_over(&self, request: &Request, native_ref: &NativeRef) -> bool {
        let call =
            self.calls(request.id).and_then(|calls| calls.iter().find(|it| it.native_ref == *native_ref));
        let delivery = |ended: &Ended| call.map_or(&ended.delivery, |call| &call.delivery).clone();
        let waits = |ended| matches!(delivery(ended), Some(Delivery::Pending | Delivery::Failed { .. }));
        request.ended().is_some_and(|ended| !waits(ended))
    }

    pub(super) fn fold_asked_again(&mut self, id: RequestId, native_ref: &NativeRef) {
        let Some(request) = self.requests.get(&id) else { return };
        if !self.is_call_of(request, native_ref) {
            let first = Call::waiting(&request.native_ref);
            self.calls.entry(id).or_insert_with(|| vec![first]).push(Call::waiting(native_ref));
        }
    }

    pub(super) fn fold_call_left(&mut self, id: RequestId, native_ref: &NativeRef) {
        if let Some(calls) = self.calls.get_mut(&id) {
            calls.retain(|call| call.native_ref != *native_ref);
        }
        self.guests.remove(&(id, native_ref.clone()));
    }

    pub(super) fn fold_call_sending(&mut self, id: RequestId, native_ref: &NativeRef) {
        self.on_call(id, native_ref, |call| call.sending = true);
    }

    pub(super) fn fold_call_delivery(&mut self, id: RequestId, news: &CallDelivery) {
        self.on_call(id, &news.native_ref, |call| {
            call.delivery = Some(news.delivery.clone());
            call.sending = false;
        });
    }

    /// Sets the delivery of every call when the request ends.
    pub(super) fn fold_end_of_calls(&mut self, id: RequestId, delivery: Option<&Delivery>) {
        for call in self.calls.get_mut(&id).into_iter().flatten() {
            call.delivery = delivery.cloned();
        }
    }

    fn on_call(&mut self, id: RequestId, native_ref: &NativeRef, change: impl FnOnce(&mut Call)) {
        let mut calls = self.calls.get_mut(&id).into_iter().flatten();
        if let Some(call) = calls.find(|call| call.native_ref == *native_ref) {
            change(call);
        }
    }
}
