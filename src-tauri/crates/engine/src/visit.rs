//! Clients that the desk did not start: the doors by which they come speak to the engine here.
//!
//! A call that is left makes its request missed, never lost. Who asks the same again soon, or names the request, finds
//! it: open again with what was begun on it, or with the answer that was given meanwhile.

use askdesk_domain::{
    Ask, Command, DeliveryError, Desk, InboundCommand, Limit, NativeRef, Outcome, Question, Rejection,
    Request, RequestId, Session, SessionId,
};
pub use askdesk_domain::{InboundClient, Leave};
use tokio::sync::oneshot;

use crate::handle::EngineHandle;
use crate::writer::EngineError;

/// What a client asks by one call.
#[derive(Clone, Debug)]
pub struct VisitAsk {
    /// The door's own id of the call; no two calls that wait at the same time may have the same.
    pub native_ref: NativeRef,
    /// Who asks, where that is not the client itself.
    pub asked_by: Option<String>,
    /// Its questions, accepted by [`askdesk_domain::question_input::accept`]; none of them asks for a secret.
    pub questions: Vec<Question>,
    /// A deadline, if one was set.
    pub limit: Option<Limit>,
    /// The request this call waited for before, if its maker knows.
    pub again: Option<RequestId>,
}

/// A call that waits.
#[derive(Debug)]
pub struct Visited {
    pub request: RequestId,
    /// How that ends; at once where it has ended already.
    pub end: oneshot::Receiver<Outcome>,
}

/// What has become of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Collected {
    /// Somebody waits for its answer.
    Open,
    /// It has ended. One that was missed or whose limit has passed may still be answered.
    Ended(Outcome),
}

/// The engine as the doors see it; cheap to clone.
#[derive(Clone)]
pub struct Visits {
    engine: EngineHandle,
}

impl Visits {
    pub const fn new(engine: EngineHandle) -> Self {
        Self { engine }
    }

    /// Opens a session for one connection of a client, or takes up again the one that the same client left last.
    pub async fn open(&self, visitor: InboundClient) -> Result<SessionId, EngineError> {
        let (id, at) = (self.engine.source().session(), self.engine.source().now());
        let applied = self.engine.act(Command::Inbound(InboundCommand::Open { id, visitor, at })).await?;
        let session = applied.session.ok_or(Rejection::NotFound { what: "session" })?;
        Ok(session.id)
    }

    /// Asks. Whoever stops waiting says so by [`Visits::leave`].
    pub async fn ask(&self, session: SessionId, ask: VisitAsk) -> Result<Visited, EngineError> {
        let VisitAsk { native_ref, asked_by, questions, limit, again } = ask;
        let (id, at) = (self.engine.source().request(), self.engine.source().now());
        let ask = Ask { id, session, native_ref, asked_by, questions, limit, at };
        let (waiter, end) = oneshot::channel();
        let request = self.engine.visit(ask, again, waiter).await?;
        Ok(Visited { request, end })
    }

    /// Notes that one call waits no more.
    pub async fn leave(
        &self,
        session: SessionId,
        native_ref: NativeRef,
        why: Leave,
    ) -> Result<(), EngineError> {
        let at = self.engine.source().now();
        self.engine
            .act(Command::Inbound(InboundCommand::LeaveCall { session, native_ref, why, at }))
            .await
            .map(drop)
    }

    /// Notes whether a call was told how its request ended, be it one that waited or one that collects.
    pub async fn told(
        &self,
        request: RequestId,
        native_ref: NativeRef,
        told: Result<(), DeliveryError>,
    ) -> Result<(), EngineError> {
        let at = self.engine.source().now();
        self.engine
            .act(Command::Inbound(InboundCommand::NoteDelivered { request, native_ref, told, at }))
            .await
            .map(drop)
    }

    /// Reads what has become of a request that came by such a door, however old; of others nothing is said.
    pub async fn collect(&self, request: RequestId) -> Result<Collected, EngineError> {
        let request = self.engine.request(request).await?;
        if !self.engine.session(request.session).await?.origin.is_inbound() {
            return Err(Rejection::NotFound { what: "request" }.into());
        }
        Ok(match request.ended() {
            None => Collected::Open,
            Some(ended) => Collected::Ended(ended.outcome.clone()),
        })
    }

    /// Lists everything that is open, whoever asks it, oldest first, with the session it stands in.
    pub async fn waiting(&self) -> Result<Vec<(Request, Session)>, EngineError> {
        let open = |desk: &Desk| {
            let open = desk.requests().filter(|request| request.is_open());
            let with_session =
                open.filter_map(|request| Some((request.clone(), desk.session(request.session)?.clone())));
            let mut waiting: Vec<(Request, Session)> = with_session.collect();
            waiting.sort_by_key(|(request, _)| (request.asked_at, request.id));
            waiting
        };
        self.engine.look(open).await
    }

    /// Notes that a connection is gone with all its calls.
    pub async fn close(&self, session: SessionId) -> Result<(), EngineError> {
        let at = self.engine.source().now();
        self.engine.act(Command::Inbound(InboundCommand::Leave { session, at })).await.map(drop)
    }
}
