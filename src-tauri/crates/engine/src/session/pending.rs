//! The calls of a session's agent that await an outcome, and the pending writes to the agent.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use askdesk_agents::WriteError;
use askdesk_domain::{ApprovalId, NativeRef, Outcome, Question, RequestId};
use futures_util::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::oneshot;
use tokio::task::coop::unconstrained;
use uuid::Uuid;

/// How many ended calls are remembered, to match acknowledgements and retries with requests.
const REMEMBERED_CALLS: usize = 1_000;

/// How long to wait before something is stored again.
const TRY_AGAIN: Duration = Duration::from_millis(500);

/// A call of the agent that awaits the outcome of a request.
#[derive(Clone, Debug)]
pub(super) struct PendingCall {
    pub(super) request: RequestId,
    pub(super) native_ref: NativeRef,
    pub(super) questions: Vec<Question>,
}

/// A completed wait.
pub(super) enum PendingEvent {
    /// A request has ended; without an outcome, nothing is sent to the agent.
    Ended(PendingCall, Option<Outcome>),
    /// A write has reached the agent's process, or has failed.
    Written(WriteSubject, Result<(), WriteError>),
    /// Something that could not be stored before is to be tried again.
    Again(Again),
}

/// What is sent to the agent only after it was stored, and could not be stored.
#[derive(Clone, Debug)]
pub(super) enum Again {
    Deliver(PendingCall, Outcome),
    SendParked,
    SendQueued,
}

/// What a write to the agent is about.
#[derive(Clone, Debug)]
pub(super) enum WriteSubject {
    End {
        request: RequestId,
        call: NativeRef,
    },
    Decision {
        approval: ApprovalId,
    },
    Message,
    LateAnswers {
        message: Uuid,
    },
    /// A change of a config option whose caller waits.
    ConfigChange {
        ticket: u64,
    },
    /// No caller waits for this write.
    Other,
}

type Writing = Pin<Box<dyn Future<Output = (WriteSubject, Result<(), WriteError>)> + Send>>;
type Waiting = Pin<Box<dyn Future<Output = Again> + Send>>;
type Ending = Pin<Box<dyn Future<Output = (PendingCall, Option<Outcome>)> + Send>>;

/// What a session waits for besides its agent and its inputs.
#[derive(Default)]
pub(super) struct Pending {
    open: Vec<NativeRef>,
    endings: FuturesUnordered<Ending>,
    writings: FuturesUnordered<Writing>,
    waiting: FuturesUnordered<Waiting>,
    ended: VecDeque<EndedCall>,
}

/// A call whose outcome goes to the agent.
struct EndedCall {
    call: PendingCall,
    /// An outcome with a secret, until it is acknowledged: it is stored nowhere else, and Retry needs it.
    secret: Option<Outcome>,
}

impl Pending {
    /// Waits for the outcome of a registered request.
    pub(super) fn add_call(&mut self, call: PendingCall, outcome: oneshot::Receiver<Outcome>) {
        self.open.push(call.native_ref.clone());
        self.endings.push(Box::pin(async move { (call, outcome.await.ok()) }));
    }

    /// Waits until a queued write has reached the agent.
    pub(super) fn add_write(
        &mut self,
        subject: WriteSubject,
        written: impl Future<Output = Result<(), WriteError>> + Send + 'static,
    ) {
        self.writings.push(Box::pin(async move { (subject, written.await) }));
    }

    /// Tries something again after a moment.
    pub(super) fn add_again(&mut self, again: Again) {
        self.waiting.push(Box::pin(async move {
            tokio::time::sleep(TRY_AGAIN).await;
            again
        }));
    }

    pub(super) fn is_open(&self, native_ref: &NativeRef) -> bool {
        self.open.contains(native_ref)
    }

    /// Removes a call that no longer waits.
    pub(super) fn remove_open(&mut self, native_ref: &NativeRef) {
        self.open.retain(|open| open != native_ref);
    }

    /// Remembers a call whose outcome goes to the agent.
    pub(super) fn remember(&mut self, call: PendingCall, outcome: &Outcome) {
        if self.ended.len() == REMEMBERED_CALLS {
            self.ended.pop_front();
        }
        let secret = outcome.gives_secret().then(|| outcome.clone());
        self.ended.push_back(EndedCall { call, secret });
    }

    /// Returns the request of an acknowledged call, and drops its secret.
    pub(super) fn acknowledge(&mut self, native_ref: &NativeRef) -> Option<RequestId> {
        let ended = self.ended.iter_mut().rev().find(|ended| ended.call.native_ref == *native_ref)?;
        ended.secret = None;
        Some(ended.call.request)
    }

    /// Finds an ended call for redelivery, with its outcome if that has a secret that the journal lacks.
    pub(super) fn ended_call(
        &self,
        request: RequestId,
        native_ref: &NativeRef,
    ) -> Option<(PendingCall, Option<Outcome>)> {
        let is_it =
            |ended: &&EndedCall| ended.call.request == request && ended.call.native_ref == *native_ref;
        let ended = self.ended.iter().find(is_it)?;
        Some((ended.call.clone(), ended.secret.clone()))
    }

    /// Returns whether a call is the first of its request whose outcome goes to the agent.
    pub(super) fn is_first(&self, call: &PendingCall) -> bool {
        let first = self.ended.iter().find(|ended| ended.call.request == call.request);
        first.is_none_or(|first| first.call.native_ref == call.native_ref)
    }

    /// Waits for the next event; forever if nothing is pending.
    pub(super) async fn next(&mut self) -> PendingEvent {
        let ended = next_of(&mut self.endings);
        let written = next_of(&mut self.writings);
        let again = next_of(&mut self.waiting);
        tokio::select! {
            (call, outcome) = ended => self.close(call, outcome),
            (subject, written) = written => PendingEvent::Written(subject, written),
            again = again => PendingEvent::Again(again),
        }
    }

    /// Takes an outcome that has already arrived.
    pub(super) fn ready(&mut self) -> Option<PendingEvent> {
        // Without tokio's budget: a task that has used it up would not see an outcome that is ready.
        let (call, outcome) = unconstrained(self.endings.next()).now_or_never().flatten()?;
        Some(self.close(call, outcome))
    }

    fn close(&mut self, call: PendingCall, outcome: Option<Outcome>) -> PendingEvent {
        self.remove_open(&call.native_ref);
        PendingEvent::Ended(call, outcome)
    }
}

async fn next_of<F: Future + Unpin>(futures: &mut FuturesUnordered<F>) -> F::Output {
    match futures.next().await {
        Some(output) => output,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_outcome_that_has_arrived_is_ready() {
        const MANY: u128 = 500;
        let mut pending = Pending::default();
        for n in 0..MANY {
            let (waiter, outcome) = oneshot::channel();
            let request = RequestId::new(uuid::Uuid::from_u128(n));
            let native_ref = NativeRef::new(format!("call-{n}")).unwrap();
            pending.add_call(PendingCall { request, native_ref, questions: Vec::new() }, outcome);
            waiter.send(Outcome::Expired).unwrap();
        }
        let mut ready = 0;
        while pending.ready().is_some() {
            ready += 1;
        }
        assert_eq!(ready, MANY);
    }
}
