//! What a session's agent waits for: questions with a waiter, and ends that were sent.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;

use askdesk_agents::WriteError;
use askdesk_domain::{ApprovalId, NativeRef, Outcome, Question, RequestId};
use futures_util::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::oneshot;
use tokio::task::coop::unconstrained;
use uuid::Uuid;

/// How many ends are remembered, to tell which request an acknowledgement or another try is about.
const REMEMBERED_ENDS: usize = 1_000;

/// A request the agent waits for.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) request: RequestId,
    pub(super) native_ref: NativeRef,
    pub(super) questions: Vec<Question>,
}

/// Something that is to be done now.
pub(super) enum Due {
    /// A request has ended; without an outcome there is nobody to tell.
    Ended(Waiting, Option<Outcome>),
    /// A line was handed to the agent's process, or could not be.
    Handed(Line, Result<(), WriteError>),
}

/// What a line that was queued for the agent is about.
#[derive(Clone, Debug)]
pub(super) enum Line {
    End {
        request: RequestId,
        call: NativeRef,
    },
    Decision {
        approval: ApprovalId,
    },
    Message,
    /// A message that brings late answers.
    Late {
        message: Uuid,
    },
    /// A change of a config option that somebody waits for.
    Change {
        ticket: u64,
    },
    /// Something no person waits for.
    Other,
}

type Handing = Pin<Box<dyn Future<Output = (Line, Result<(), WriteError>)> + Send>>;
type Ending = Pin<Box<dyn Future<Output = (Waiting, Option<Outcome>)> + Send>>;

/// Everything a session's agent waits for.
#[derive(Default)]
pub(super) struct Pending {
    open: Vec<NativeRef>,
    endings: FuturesUnordered<Ending>,
    handings: FuturesUnordered<Handing>,
    ended: VecDeque<Told>,
}

/// A request whose end goes to the agent.
struct Told {
    waiting: Waiting,
    /// An end that gives a secret, until it has arrived: it is written down nowhere, and Retry needs it.
    secret: Option<Outcome>,
}

impl Pending {
    /// Waits for the end of a registered request.
    pub(super) fn wait(&mut self, waiting: Waiting, outcome: oneshot::Receiver<Outcome>) {
        self.open.push(waiting.native_ref.clone());
        self.endings.push(Box::pin(async move { (waiting, outcome.await.ok()) }));
    }

    /// Waits for a queued line to be handed over.
    pub(super) fn hand(
        &mut self,
        line: Line,
        handed: impl Future<Output = Result<(), WriteError>> + Send + 'static,
    ) {
        self.handings.push(Box::pin(async move { (line, handed.await) }));
    }

    /// Says whether a call is registered and open.
    pub(super) fn waits_for(&self, native_ref: &NativeRef) -> bool {
        self.open.contains(native_ref)
    }

    /// Takes note that a call was taken back.
    pub(super) fn no_longer_waits(&mut self, native_ref: &NativeRef) {
        self.open.retain(|open| open != native_ref);
    }

    /// Remembers a request whose end goes to the agent.
    pub(super) fn remember(&mut self, waiting: Waiting, outcome: &Outcome) {
        if self.ended.len() == REMEMBERED_ENDS {
            self.ended.pop_front();
        }
        let secret = outcome.gives_secret().then(|| outcome.clone());
        self.ended.push_back(Told { waiting, secret });
    }

    /// Finds the request behind an acknowledged call; what it was told need not be said again.
    pub(super) fn told(&mut self, native_ref: &NativeRef) -> Option<RequestId> {
        let told = self.ended.iter_mut().rev().find(|told| told.waiting.native_ref == *native_ref)?;
        told.secret = None;
        Some(told.waiting.request)
    }

    /// Finds a call that the end of a request was sent to, and that end whole where the journal has it without a secret.
    pub(super) fn told_call(
        &self,
        request: RequestId,
        native_ref: &NativeRef,
    ) -> Option<(Waiting, Option<Outcome>)> {
        let is_it = |told: &&Told| told.waiting.request == request && told.waiting.native_ref == *native_ref;
        let told = self.ended.iter().find(is_it)?;
        Some((told.waiting.clone(), told.secret.clone()))
    }

    /// Says whether a call is the first of those that wait for its request to hear of the end.
    pub(super) fn is_first_told(&self, waiting: &Waiting) -> bool {
        let first = self.ended.iter().find(|told| told.waiting.request == waiting.request);
        first.is_none_or(|first| first.waiting.native_ref == waiting.native_ref)
    }

    /// Waits for the next thing to do; for ever if there is none.
    pub(super) async fn next(&mut self) -> Due {
        let ended = next_of(&mut self.endings);
        let handed = next_of(&mut self.handings);
        tokio::select! {
            (waiting, outcome) = ended => self.close(waiting, outcome),
            (line, handed) = handed => Due::Handed(line, handed),
        }
    }

    /// Takes an end that has come already.
    pub(super) fn ready(&mut self) -> Option<Due> {
        // Without a budget: what has come must not look as if it had not because the task has done much already.
        let (waiting, outcome) = unconstrained(self.endings.next()).now_or_never().flatten()?;
        Some(self.close(waiting, outcome))
    }

    fn close(&mut self, waiting: Waiting, outcome: Option<Outcome>) -> Due {
        self.no_longer_waits(&waiting.native_ref);
        Due::Ended(waiting, outcome)
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
    async fn every_end_that_has_come_is_ready_however_many_there_are() {
        const MANY: u128 = 500;
        let mut pending = Pending::default();
        for n in 0..MANY {
            let (waiter, outcome) = oneshot::channel();
            let request = RequestId::new(uuid::Uuid::from_u128(n));
            let native_ref = NativeRef::new(format!("call-{n}")).unwrap();
            pending.wait(Waiting { request, native_ref, questions: Vec::new() }, outcome);
            waiter.send(Outcome::Expired).unwrap();
        }
        let mut ready = 0;
        while pending.ready().is_some() {
            ready += 1;
        }
        assert_eq!(ready, MANY);
    }
}
