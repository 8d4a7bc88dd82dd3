//! One call of a client: it asks, waits, and reports whether the answer was delivered.

use std::sync::Arc;
use std::time::{Duration, Instant};

use askdesk_domain::{
    DeliveryError, InboundClient, Leave, Limit, NativeRef, Outcome, Question, Rejection, RequestId,
    SessionId, Timestamp,
};
use askdesk_engine::{EngineError, InboundAsk, InboundCall};
use askdesk_mcp_tools::CallResult;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::arguments::Asking;
use crate::connections::{CallGuard, Lifetime};
use crate::error::HttpError;
use crate::guard::ManagedSession;
use crate::rate_limit::OpenQuestion;
use crate::response_tracking::ResponseTracker;
use crate::result;
use crate::state::GatewayState;

/// What the card says happens after an asker's time limit.
const AFTER_LIMIT: &str = "the agent continues";

#[derive(Debug)]
pub struct Caller {
    pub asker: Asker,
    /// What the client says about itself.
    pub client: InboundClient,
    /// The request that an earlier call has asked already.
    pub again: Option<RequestId>,
    /// Counts the question toward its client's limit.
    pub open_question: Arc<OpenQuestion>,
    /// The name of the tool, for the metrics.
    pub tool: &'static str,
}

#[derive(Debug)]
pub enum Asker {
    /// A connected app. Calls with the same key share a session.
    App { connection: String, lifetime: Lifetime },
    /// The agent of a session that Askdesk runs. How long that session lasts doesn't depend on its calls.
    Session(SessionId),
}

impl Asker {
    /// A call that comes from the agent of a session belongs to that session, and any other to its connection.
    pub fn of(managed: Option<ManagedSession>, connection: String, lifetime: Lifetime) -> Self {
        match managed {
            Some(ManagedSession(session)) => Self::Session(session),
            None => Self::App { connection, lifetime },
        }
    }
}

/// A call that waits for the end of its request. Dropping it before that leaves the request to the user.
pub struct PendingCall {
    pub request: RequestId,
    questions: Vec<Question>,
    started: Instant,
    outcome: oneshot::Receiver<Outcome>,
    active: Option<ActiveCall>,
}

/// The call as the engine knows it.
struct ActiveCall {
    state: Arc<GatewayState>,
    session: SessionId,
    request: RequestId,
    native_ref: NativeRef,
    tool: &'static str,
    guard: Option<CallGuard>,
    _open_question: Arc<OpenQuestion>,
}

impl GatewayState {
    pub(crate) async fn ask(
        self: &Arc<Self>,
        caller: Caller,
        asking: Asking,
    ) -> Result<PendingCall, HttpError> {
        // The caller can go at any moment, even while the engine saves the question. A task of its own finishes what was
        // started, and returns a call that can then be left.
        let asked = tokio::spawn(Arc::clone(self).ask_engine(caller, asking));
        asked.await.unwrap_or_else(|_| Err(HttpError::unavailable("Askdesk is quitting")))
    }

    async fn ask_engine(self: Arc<Self>, caller: Caller, asking: Asking) -> Result<PendingCall, HttpError> {
        let started = Instant::now();
        let Asking { questions, limit_seconds } = asking;
        // A client may use the same id again, and a call that is over must not end the next one. So each call has its own id.
        let native_ref = NativeRef::new(Uuid::new_v4().to_string())
            .ok_or_else(|| HttpError::unavailable("couldn't create an ID for the call"))?;
        let limit = limit_seconds.map(|seconds| {
            let now = self.engine.clock().now().millis();
            Limit {
                at: Timestamp::from_millis(now + i64::from(seconds) * 1_000),
                then: AFTER_LIMIT.to_owned(),
            }
        });
        let ask = |asked_by: Option<String>| InboundAsk {
            native_ref: native_ref.clone(),
            asked_by,
            questions: questions.clone(),
            limit: limit.clone(),
            again: caller.again,
        };
        let (session, guard, asked) = match caller.asker {
            Asker::Session(session) => {
                let asked = self.inbound.ask(session, ask(Some(caller.client.plain().name))).await;
                (session, None, asked)
            }
            Asker::App { connection, lifetime } => {
                let guard = self.connections.call(&connection, lifetime);
                let mut session = self.connections.session(&guard, caller.client.clone()).await?;
                let mut asked = self.inbound.ask(session, ask(None)).await;
                // If the user has ended the session since, the question goes into a new one.
                if let Err(EngineError::Reject(Rejection::SessionGone | Rejection::NotFound { .. })) = asked {
                    session = self.connections.another_session(&guard, session, caller.client).await?;
                    asked = self.inbound.ask(session, ask(None)).await;
                }
                (session, Some(guard), asked)
            }
        };
        let InboundCall { request, end: outcome } = asked?;
        let active = ActiveCall {
            state: Arc::clone(&self),
            session,
            request,
            native_ref,
            tool: caller.tool,
            guard,
            _open_question: caller.open_question,
        };
        Ok(PendingCall { request, questions, started, outcome, active: Some(active) })
    }
}

impl PendingCall {
    /// Waits for the outcome. Returns `None` if Askdesk quits first.
    pub async fn outcome(&mut self) -> Option<Outcome> {
        (&mut self.outcome).await.ok()
    }

    /// Waits for the outcome, unless the caller goes first. If both happen at once, the caller has gone, because the outcome
    /// could not be delivered.
    pub async fn outcome_unless<T>(&mut self, gone: impl Future<Output = T>) -> Result<Option<Outcome>, T> {
        tokio::select! {
            biased;
            gone = gone => Err(gone),
            outcome = self.outcome() => Ok(outcome),
        }
    }

    /// Returns how long the call has waited.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Notes that the caller has moved the call to its background.
    pub async fn goes_on(&self) {
        let Some(active) = &self.active else { return };
        if let Err(error) = active.state.inbound.go_on(active.request, active.native_ref.clone()).await {
            tracing::debug!(%error, "a call's move to the background was not saved");
        }
    }

    /// Returns the result for the caller, and tells the engine whether the response that carries it is delivered.
    pub fn finish(mut self, outcome: &Outcome, tracker: ResponseTracker) -> CallResult {
        let result = result::of(self.request, &self.questions, outcome);
        if let Some(active) = self.active.take() {
            active.state.metrics.waited(self.started.elapsed());
            active.finish(outcome, tracker);
        }
        result
    }

    /// Leaves the request, and waits until the engine knows.
    pub async fn leave(mut self, why: Leave) {
        if let Some(active) = self.active.take() {
            active.leave(why).await;
        }
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        let Some(active) = self.active.take() else { return };
        // Outside of the runtime there is no engine left to tell.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(active.leave(Leave::Gone));
        }
    }
}

impl ActiveCall {
    fn finish(self, outcome: &Outcome, tracker: ResponseTracker) {
        let Self { state, request, native_ref, tool, guard, .. } = self;
        state.metrics.called(tool, result::name(outcome));
        tracker.answer_follows();
        let ended = Instant::now();
        tokio::spawn(async move {
            let delivered = tracker.delivered().await;
            if delivered {
                state.metrics.delivered(ended.elapsed());
            }
            let delivery = if delivered { Ok(()) } else { Err(DeliveryError::InputClosed) };
            if let Err(error) = state.inbound.note_delivered(request, native_ref, delivery).await {
                tracing::debug!(%error, "the delivery of an answer was not saved");
            }
            drop(guard);
        });
    }

    async fn leave(self, why: Leave) {
        let name = match why {
            Leave::Gone => "left",
            Leave::AnsweredElsewhere => "answered_elsewhere",
        };
        self.state.metrics.called(self.tool, name);
        if let Err(error) = self.state.inbound.leave(self.session, self.native_ref, why).await {
            tracing::debug!(%error, "a caller's leaving was not saved");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{Future, poll_fn};
    use std::pin::pin;
    use std::task::Poll;

    use askdesk_domain::{AnswerInput, Channel, Delivery, QuestionId};
    use askdesk_mcp_tools::Tool;
    use serde_json::json;

    use super::*;
    use crate::arguments;

    fn caller(connection: &str, open_question: &Arc<OpenQuestion>) -> Caller {
        let name = connection.to_owned();
        Caller {
            asker: Asker::App { connection: connection.to_owned(), lifetime: Lifetime::UntilClosed },
            client: InboundClient { channel: Channel::Mcp, name, version: None, folder: None },
            again: None,
            open_question: Arc::clone(open_question),
            tool: "ask_user",
        }
    }

    /// Polls a future up to `count` times.
    async fn polled<F: Future>(future: F, count: usize) -> Option<F::Output> {
        let mut future = pin!(future);
        let mut left = count;
        poll_fn(|cx| {
            left -= 1;
            match future.as_mut().poll(cx) {
                Poll::Ready(output) => Poll::Ready(Some(output)),
                Poll::Pending if left == 0 => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }

    #[tokio::test]
    async fn a_caller_that_goes_at_the_moment_of_the_answer_does_not_count_as_answered() {
        let folder = tempfile::tempdir().unwrap();
        let state = GatewayState::for_test(folder.path());
        let asks = json!({"questions": [{"question": "Which name?", "type": "text"}]});
        let asking = arguments::read(Tool::AskUser, &asks).unwrap();
        let open_question = Arc::new(state.rate_limits.open("codex").unwrap());
        let mut call = state.ask(caller("codex", &open_question), asking).await.unwrap();
        let request = call.request;
        let question = QuestionId::at(0);
        let answer = AnswerInput { question, chosen: vec![], other: Some("Ada".to_owned()), note: None };
        state.engine.answer(request, vec![answer]).await.unwrap();
        for _ in 0..32 {
            assert_eq!(call.outcome_unless(std::future::ready("gone")).await, Err("gone"));
        }
        call.leave(Leave::Gone).await;
        let kept = state.engine.request(request).await.unwrap();
        assert_eq!(kept.ended().unwrap().delivery, Some(Delivery::Parked));
    }

    #[tokio::test]
    async fn a_caller_that_goes_at_any_step_leaves_no_open_request() {
        let folder = tempfile::tempdir().unwrap();
        let state = GatewayState::for_test(folder.path());
        for steps in 1.. {
            let asks = json!({"questions": [{"question": format!("Question {steps}?"), "type": "text"}]});
            let asking = arguments::read(Tool::AskUser, &asks).unwrap();
            let client = format!("client {steps}");
            let open_question = Arc::new(state.rate_limits.open(&client).unwrap());
            let went = {
                let mut asking = pin!(state.ask(caller(&client, &open_question), asking));
                let went = polled(asking.as_mut(), steps).await.is_none();
                // The engine handles everything that was sent until now before this.
                state.engine.inspect(|_| ()).await.unwrap();
                went
            };
            let over = async {
                while Arc::strong_count(&open_question) > 1 {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(60), over).await.expect("an end of the call");
            assert_eq!(state.open_requests().await.unwrap(), 0, "after {steps} steps");
            if !went {
                return;
            }
        }
    }
}
