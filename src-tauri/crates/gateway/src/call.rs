//! One call of a client: asked, waited for, and told what became of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use askdesk_domain::{
    DeliveryError, InboundClient, Leave, Limit, NativeRef, Outcome, Question, Rejection, RequestId,
    SessionId, Timestamp,
};
use askdesk_engine::{EngineError, InboundAsk, InboundCall};
use askdesk_mcp_tools::CallResult;
use axum::http::StatusCode;
use serde_json::Value;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::arguments::Asking;
use crate::connections::{InCall, Stays};
use crate::denied::Denied;
use crate::desk::Desk;
use crate::handover::Handover;
use crate::pace::Counted;
use crate::result;

/// What happens when a limit passes, as the person is told.
const AFTER_LIMIT: &str = "the agent goes on without an answer";

#[derive(Debug)]
pub struct Caller {
    /// Names the connection; calls of one share a session.
    pub connection: String,
    pub stays: Stays,
    pub visitor: InboundClient,
    /// The request this call takes up again.
    pub again: Option<RequestId>,
    /// Counts it among the open questions of its client.
    pub counted: Arc<Counted>,
    /// The name of the tool, for the counts.
    pub tool: &'static str,
}

/// A question that waits. Dropped before its end, it is left.
pub struct Waiting {
    pub request: RequestId,
    questions: Vec<Question>,
    began: Instant,
    end: oneshot::Receiver<Outcome>,
    place: Option<Place>,
}

/// Where a call stands on the desk.
struct Place {
    desk: Arc<Desk>,
    session: SessionId,
    request: RequestId,
    native_ref: NativeRef,
    tool: &'static str,
    in_call: InCall,
    _counted: Arc<Counted>,
}

impl Desk {
    pub(crate) async fn ask(self: &Arc<Self>, caller: Caller, asking: Asking) -> Result<Waiting, Denied> {
        // The caller may go at any moment, also while the engine writes the question down. What was begun is then done
        // all the same: only the call that comes of it can be left.
        let asked = tokio::spawn(Arc::clone(self).asked(caller, asking));
        asked.await.unwrap_or_else(|_| Err(Denied::unavailable("the desk is closing")))
    }

    async fn asked(self: Arc<Self>, caller: Caller, asking: Asking) -> Result<Waiting, Denied> {
        let began = Instant::now();
        let Asking { questions, limit_seconds } = asking;
        let in_call = self.connections.call(&caller.connection, caller.stays);
        // Each attempt is a call of its own: one that is over must not end the next, whatever id its caller has for both.
        let native_ref = NativeRef::new(Uuid::new_v4().to_string())
            .ok_or_else(|| Denied::unavailable("no id could be made for the call"))?;
        let limit = limit_seconds.map(|seconds| {
            let now = self.engine.clock().now().millis();
            Limit {
                at: Timestamp::from_millis(now + i64::from(seconds) * 1_000),
                then: AFTER_LIMIT.to_owned(),
            }
        });
        let ask = || InboundAsk {
            native_ref: native_ref.clone(),
            asked_by: None,
            questions: questions.clone(),
            limit: limit.clone(),
            again: caller.again,
        };
        let mut session = self.connections.session(&in_call, caller.visitor.clone()).await?;
        let mut visited = self.visits.ask(session, ask()).await;
        // The person may have ended the session meanwhile; what is asked now is asked in another one.
        if let Err(EngineError::Reject(Rejection::SessionGone | Rejection::NotFound { .. })) = visited {
            session = self.connections.another_session(&in_call, session, caller.visitor).await?;
            visited = self.visits.ask(session, ask()).await;
        }
        let InboundCall { request, end } = visited?;
        let place = Place {
            desk: Arc::clone(&self),
            session,
            request,
            native_ref,
            tool: caller.tool,
            in_call,
            _counted: caller.counted,
        };
        Ok(Waiting { request, questions, began, end, place: Some(place) })
    }
}

impl Waiting {
    /// Waits for the end; none if the desk closes before.
    pub async fn end(&mut self) -> Option<Outcome> {
        (&mut self.end).await.ok()
    }

    /// Waits for the end, unless the caller goes. One that goes at that very moment is told nothing, so the end is kept for it.
    pub async fn end_unless<T>(&mut self, gone: impl Future<Output = T>) -> Result<Option<Outcome>, T> {
        tokio::select! {
            biased;
            gone = gone => Err(gone),
            outcome = self.end() => Ok(outcome),
        }
    }

    pub fn waited(&self) -> Duration {
        self.began.elapsed()
    }

    /// Puts an end into words.
    pub fn result(&self, outcome: &Outcome) -> CallResult {
        result::of(self.request, &self.questions, outcome)
    }

    /// The end is on its way out: the desk is told when it was written, or that it was not.
    pub fn told(mut self, outcome: &Outcome, handover: Option<Handover>) {
        let Some(place) = self.place.take() else { return };
        let Place { desk, request, native_ref, tool, in_call, .. } = place;
        desk.metrics().called(tool, result::name(outcome));
        desk.metrics().waited(self.began.elapsed());
        let ended = Instant::now();
        tokio::spawn(async move {
            let written = match handover {
                Some(handover) => handover.written_out().await,
                None => true,
            };
            if written {
                desk.metrics().handed_over(ended.elapsed());
            }
            let told = if written { Ok(()) } else { Err(DeliveryError::InputClosed) };
            if let Err(error) = desk.visits.told(request, native_ref, told).await {
                tracing::debug!(%error, "that an answer was handed over was not noted");
            }
            drop(in_call);
        });
    }

    /// Leaves the question, and waits until the desk knows.
    pub async fn leave(mut self) {
        if let Some(place) = self.place.take() {
            place.leave(Leave::Gone).await;
        }
    }

    /// Leaves a question that was answered in another place, and waits until the desk knows.
    pub async fn answered_elsewhere(mut self) {
        if let Some(place) = self.place.take() {
            place.leave(Leave::AnsweredElsewhere).await;
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some(place) = self.place.take() else { return };
        // Outside of the runtime there is no engine any more that could be told.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(place.leave(Leave::Gone));
        }
    }
}

impl Place {
    async fn leave(self, why: Leave) {
        let name = match why {
            Leave::Gone => "left",
            Leave::AnsweredElsewhere => "answered_elsewhere",
        };
        self.desk.metrics().called(self.tool, name);
        if let Err(error) = self.desk.visits.leave(self.session, self.native_ref, why).await {
            tracing::debug!(%error, "that a caller has left was not noted");
        }
    }
}

impl From<EngineError> for Denied {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Reject(reject) => reject.into(),
            EngineError::Journal(error) => {
                tracing::error!(%error, "what was asked over a door could not be kept");
                Self::unavailable("the desk cannot write to its database")
            }
            EngineError::Closing => Self::unavailable("the desk is closing"),
        }
    }
}

impl From<Rejection> for Denied {
    fn from(reject: Rejection) -> Self {
        let message = reject.to_string();
        match reject {
            Rejection::NotFound { .. } => Self::not_found(message),
            Rejection::AlreadyEnded { .. } | Rejection::SessionGone => {
                Self::new(StatusCode::CONFLICT, "already_ended", message)
            }
            Rejection::Invalid { .. } | Rejection::AgentRefused { .. } | Rejection::Unsupported { .. } => {
                Self::invalid(message)
            }
        }
    }
}

/// Returns what a body held, which the guard has read already.
pub(crate) fn read_body(body: &[u8]) -> Result<Value, Denied> {
    match body.is_empty() {
        true => Ok(Value::Object(serde_json::Map::new())),
        false => serde_json::from_slice(body)
            .map_err(|error| Denied::bad_request(format!("the body is not JSON: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::future::{Future, poll_fn};
    use std::pin::pin;
    use std::task::Poll;

    use askdesk_domain::{AnswerInput, Channel, Delivery, QuestionId};
    use askdesk_engine::clock::SystemClock;
    use askdesk_engine::{Catalog, EngineHandle, OpenedEngine};
    use askdesk_mcp_tools::Tool;
    use serde_json::json;

    use super::*;
    use crate::arguments;
    use crate::server::Times;
    use crate::token::Secrets;

    fn caller(connection: &str, counted: &Arc<Counted>) -> Caller {
        let name = connection.to_owned();
        Caller {
            connection: connection.to_owned(),
            stays: Stays::UntilItGoes,
            visitor: InboundClient { channel: Channel::Mcp, name, version: None, folder: None },
            again: None,
            counted: Arc::clone(counted),
            tool: "ask_user",
        }
    }

    /// Polls a future so often and no more; what it gave, if it was done by then.
    async fn polled<F: Future>(future: F, times: usize) -> Option<F::Output> {
        let mut future = pin!(future);
        let mut left = times;
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

    fn desk(folder: &std::path::Path) -> Arc<Desk> {
        let OpenedEngine { handle, .. } =
            EngineHandle::open(folder, Arc::new(SystemClock), Catalog::default()).unwrap();
        let secrets = Secrets::of(folder).unwrap();
        Desk::new(handle, secrets, "0.1.0".to_owned(), 1, Times::default())
    }

    #[tokio::test]
    async fn a_caller_that_goes_at_the_moment_of_the_answer_is_not_said_to_have_it() {
        let folder = tempfile::tempdir().unwrap();
        let desk = desk(folder.path());
        let asks = json!({"questions": [{"question": "Which name?", "type": "text"}]});
        let asking = arguments::read(Tool::AskUser, &asks).unwrap();
        let counted = Arc::new(desk.pace.open("codex").unwrap());
        let mut waiting = desk.ask(caller("codex", &counted), asking).await.unwrap();
        let request = waiting.request;
        let question = QuestionId::at(0);
        let answer = AnswerInput { question, chosen: vec![], other: Some("Ada".to_owned()), note: None };
        desk.engine.answer(request, vec![answer]).await.unwrap();
        for _ in 0..32 {
            assert_eq!(waiting.end_unless(std::future::ready("gone")).await, Err("gone"));
        }
        waiting.leave().await;
        let kept = desk.engine.request(request).await.unwrap();
        assert_eq!(kept.ended().unwrap().delivery, Some(Delivery::Parked));
    }

    #[tokio::test]
    async fn a_caller_that_goes_at_any_step_leaves_no_question_open() {
        let folder = tempfile::tempdir().unwrap();
        let desk = desk(folder.path());
        for steps in 1.. {
            let asks = json!({"questions": [{"question": format!("Question {steps}?"), "type": "text"}]});
            let asking = arguments::read(Tool::AskUser, &asks).unwrap();
            let client = format!("client {steps}");
            let counted = Arc::new(desk.pace.open(&client).unwrap());
            let went = {
                let mut asking = pin!(desk.ask(caller(&client, &counted), asking));
                let went = polled(asking.as_mut(), steps).await.is_none();
                // What was sent to the engine until now is done before this.
                desk.engine.inspect(|_| ()).await.unwrap();
                went
            };
            let over = async {
                while Arc::strong_count(&counted) > 1 {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(60), over).await.expect("an end of the call");
            let open =
                desk.engine.inspect(|desk| desk.requests().filter(|request| request.is_open()).count());
            assert_eq!(open.await.unwrap(), 0, "after {steps} steps");
            if !went {
                return;
            }
        }
    }
}
