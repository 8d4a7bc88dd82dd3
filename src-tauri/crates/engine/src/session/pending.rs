//! What a session waits for besides its agent and its inputs: resolutions, writes to the agent, and other tries.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use askdesk_agents::WriteError;
use askdesk_domain::{ApprovalId, NativeRef, RequestId};
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::mailbox::{CallEnd, Resolution};

/// How many outcomes with secrets are kept until they are acknowledged.
const KEPT_SECRETS: usize = 1_000;

/// How long to wait before something is stored again.
const TRY_AGAIN: Duration = Duration::from_millis(500);

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
    Deliver(CallEnd),
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

pub(super) struct Pending {
    resolutions: mpsc::UnboundedReceiver<Resolution>,
    writings: FuturesUnordered<Writing>,
    waiting: FuturesUnordered<Waiting>,
    secrets: VecDeque<CallEnd>,
}

impl Pending {
    pub(super) fn new(resolutions: mpsc::UnboundedReceiver<Resolution>) -> Self {
        Self {
            resolutions,
            writings: FuturesUnordered::new(),
            waiting: FuturesUnordered::new(),
            secrets: VecDeque::new(),
        }
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

    /// Returns what goes to the agent. The journal lacks secrets, so Retry has none: the outcome is kept here.
    pub(super) fn with_secrets(&mut self, end: CallEnd) -> CallEnd {
        if !end.outcome.gives_secret() {
            return end;
        }
        if let Some(kept) = self.secrets.iter().find(|it| it.request == end.request && it.call == end.call) {
            return kept.clone();
        }
        if self.secrets.len() == KEPT_SECRETS {
            self.secrets.pop_front();
        }
        self.secrets.push_back(end.clone());
        end
    }

    /// Drops the secrets of an outcome that the agent has.
    pub(super) fn forget_secrets(&mut self, call: &NativeRef) {
        self.secrets.retain(|end| end.call != *call);
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
