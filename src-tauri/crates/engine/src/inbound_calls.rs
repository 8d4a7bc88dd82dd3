//! Calls of connected apps: programs that Askdesk did not start and that ask over MCP, a hook or the command line.
//!
//! A call that is given up makes its request missed, never lost. A client that soon asks the same again, or names the
//! request, gets it back: reopened with its draft, or with the answer that was given meanwhile.

use std::time::Duration;

use askdesk_domain::{
    Ask, Asker, DeliveryError, InboundCommand, Limit, NativeRef, Outcome, Question, Rejection, RequestId,
    SessionId,
};
pub use askdesk_domain::{InboundClient, Leave};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use crate::error::EngineError;
use crate::handle::EngineHandle;

/// How long a question or a permission request that the disk refuses is tried again before its agent is told.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// How long to wait before the next attempt.
pub(crate) const AGAIN: Duration = Duration::from_millis(500);

#[derive(Clone, Debug)]
pub struct InboundAsk {
    /// The caller's id of the call; unique among the calls that wait at the same time.
    pub native_ref: NativeRef,
    /// Who asks, if it is not the client itself.
    pub asked_by: Option<String>,
    /// Its questions, accepted by [`askdesk_domain::question_input::accept`]; none of them asks for a secret.
    pub questions: Vec<Question>,
    pub limit: Option<Limit>,
    /// The request this call waited for before, if the caller knows.
    pub again: Option<RequestId>,
}

/// A call that waits for the end of a request.
#[derive(Debug)]
pub struct InboundCall {
    /// Its request; an earlier call may have asked it.
    pub request: RequestId,
    /// Receives the outcome; at once if it has ended already.
    pub end: oneshot::Receiver<Outcome>,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InboundStatus {
    /// The user has not answered yet.
    Open,
    /// It has ended. One that was missed or whose limit has passed may still be answered.
    Ended(Outcome),
}

/// The engine as connected apps see it; cheap to clone.
#[derive(Clone)]
pub struct InboundCalls {
    engine: EngineHandle,
}

impl InboundCalls {
    pub const fn new(engine: EngineHandle) -> Self {
        Self { engine }
    }

    /// Opens a session for a connection, or resumes the last session of the same client.
    pub async fn open(&self, client: InboundClient) -> Result<SessionId, EngineError> {
        let (id, at) = (self.engine.clock().session_id(), self.engine.clock().now());
        let until = Instant::now() + PATIENCE;
        loop {
            match self.engine.act(InboundCommand::Open { id, client: client.clone(), at }).await {
                Err(EngineError::Journal(_)) if Instant::now() < until => sleep(AGAIN).await,
                opened => {
                    let session = opened?.session.ok_or(Rejection::NotFound { what: "session" })?;
                    return Ok(session.id);
                }
            }
        }
    }

    /// Asks, and tries again while the disk refuses the question. A caller that gives up must call [`InboundCalls::leave`].
    pub async fn ask(&self, session: SessionId, ask: InboundAsk) -> Result<InboundCall, EngineError> {
        let InboundAsk { native_ref, asked_by, questions, limit, again } = ask;
        let (id, at) = (self.engine.clock().request_id(), self.engine.clock().now());
        let asker = Asker::Waits;
        let ask = Ask { id, session, native_ref, asked_by, helper: None, questions, limit, asker, at };
        let until = Instant::now() + PATIENCE;
        loop {
            let (waiter, end) = oneshot::channel();
            let command = InboundCommand::Ask { ask: ask.clone(), again };
            match self.engine.register(command, waiter).await {
                Err(EngineError::Journal(_)) if Instant::now() < until => sleep(AGAIN).await,
                registered => return registered.map(|request| InboundCall { request, end }),
            }
        }
    }

    /// Notes that a call was given up.
    pub async fn leave(
        &self,
        session: SessionId,
        native_ref: NativeRef,
        why: Leave,
    ) -> Result<(), EngineError> {
        let at = self.engine.clock().now();
        self.engine.record(InboundCommand::LeaveCall { session, native_ref, why, at }).await
    }

    /// Notes that a client moved a call to its background.
    pub async fn go_on(&self, request: RequestId, native_ref: NativeRef) -> Result<(), EngineError> {
        self.engine.record(InboundCommand::GoOn { request, native_ref }).await
    }

    /// Notes whether a call got the outcome of its request, by waiting or by collecting.
    pub async fn note_delivered(
        &self,
        request: RequestId,
        native_ref: NativeRef,
        result: Result<(), DeliveryError>,
    ) -> Result<(), EngineError> {
        let at = self.engine.clock().now();
        self.engine.record(InboundCommand::NoteDelivered { request, native_ref, result, at }).await
    }

    /// Returns what became of a request of a connected app, or of the session that asks, however old. Other requests are not
    /// found.
    pub async fn collect(
        &self,
        request: RequestId,
        asking: Option<SessionId>,
    ) -> Result<InboundStatus, EngineError> {
        let request = self.engine.request(request).await?;
        if asking != Some(request.session) && !self.engine.session(request.session).await?.origin.is_inbound()
        {
            return Err(Rejection::NotFound { what: "request" }.into());
        }
        Ok(match request.ended() {
            None => InboundStatus::Open,
            Some(ended) => InboundStatus::Ended(ended.outcome.clone()),
        })
    }

    /// Notes that a connection and all its calls are gone.
    pub async fn close(&self, session: SessionId) -> Result<(), EngineError> {
        let at = self.engine.clock().now();
        self.engine.record(InboundCommand::Leave { session, at }).await
    }
}
