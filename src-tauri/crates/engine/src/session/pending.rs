//! The calls of a session's agent that await a resolution, and the pending writes to the agent.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use askdesk_agents::WriteError;
use askdesk_domain::{ApprovalId, NativeRef, Outcome, Question, RequestId};
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::mailbox::Resolution;

/// How many ended calls are remembered, to match acknowledgments and retries with requests.
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
    /// The user, a time limit, or somebody else has resolved what a call waits for.
    Resolved(Resolution),
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

/// What a session waits for besides its agent and its inputs.
pub(super) struct Pending {
    open: Vec<PendingCall>,
    resolutions: mpsc::UnboundedReceiver<Resolution>,
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
    pub(super) fn new(resolutions: mpsc::UnboundedReceiver<Resolution>) -> Self {
        Self {
            open: Vec::new(),
            resolutions,
            writings: FuturesUnordered::new(),
            waiting: FuturesUnordered::new(),
            ended: VecDeque::new(),
        }
    }

    /// Waits for the outcome of a stored request.
    pub(super) fn add_call(&mut self, call: PendingCall) {
        self.open.push(call);
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
        self.open.iter().any(|call| call.native_ref == *native_ref)
    }

    /// Removes a call that no longer waits.
    pub(super) fn remove_open(&mut self, native_ref: &NativeRef) {
        self.open.retain(|call| call.native_ref != *native_ref);
    }

    /// Ends the calls of a request, and returns them.
    pub(super) fn end_calls(&mut self, request: RequestId, outcome: &Outcome) -> Vec<PendingCall> {
        let calls: Vec<_> = self.open.extract_if(.., |call| call.request == request).collect();
        let secret = outcome.gives_secret().then(|| outcome.clone());
        self.ended.extend(calls.iter().map(|call| EndedCall { call: call.clone(), secret: secret.clone() }));
        self.ended.drain(..self.ended.len().saturating_sub(REMEMBERED_CALLS));
        calls
    }

    /// Finds an ended call for another try; none if the agent doesn't wait for it. Returns what goes to the agent: the journal
    /// lacks secrets, which are remembered here.
    pub(super) fn ended_call(
        &self,
        request: RequestId,
        native_ref: &NativeRef,
        outcome: Outcome,
    ) -> Option<(PendingCall, Outcome)> {
        let is_it =
            |ended: &&EndedCall| ended.call.request == request && ended.call.native_ref == *native_ref;
        let ended = self.ended.iter().find(is_it)?;
        Some((ended.call.clone(), ended.secret.clone().unwrap_or(outcome)))
    }

    /// Returns the request of an acknowledged call, and drops its secret.
    pub(super) fn acknowledge(&mut self, native_ref: &NativeRef) -> Option<RequestId> {
        let ended = self.ended.iter_mut().rev().find(|ended| ended.call.native_ref == *native_ref)?;
        ended.secret = None;
        Some(ended.call.request)
    }

    /// Returns whether a call is the first of its request whose outcome goes to the agent.
    pub(super) fn is_first(&self, call: &PendingCall) -> bool {
        let first = self.ended.iter().find(|ended| ended.call.request == call.request);
        first.is_none_or(|first| first.call.native_ref == call.native_ref)
    }

    /// Waits for the next event; forever if nothing is pending.
    pub(super) async fn next(&mut self) -> PendingEvent {
        let written = next_of(&mut self.writings);
        let again = next_of(&mut self.waiting);
        tokio::select! {
            Some(resolution) = self.resolutions.recv() => PendingEvent::Resolved(resolution),
            (subject, written) = written => PendingEvent::Written(subject, written),
            again = again => PendingEvent::Again(again),
        }
    }

    /// Takes a resolution that has already arrived.
    pub(super) fn resolved(&mut self) -> Option<Resolution> {
        self.resolutions.try_recv().ok()
    }
}

async fn next_of<F: Future + Unpin>(futures: &mut FuturesUnordered<F>) -> F::Output {
    match futures.next().await {
        Some(output) => output,
        None => std::future::pending().await,
    }
}
