//! Whether a response was delivered: taken by the connection to its end, or dropped before that.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::state::GatewayState;

/// How long the end of an answered stream may take after its client has closed the connection.
const STREAM_END: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Pending,
    Delivered,
    Dropped,
}

/// Tracks the response to one request. Routes find it in the request's extensions.
#[derive(Clone, Debug)]
pub struct ResponseTracker {
    stage: watch::Receiver<Stage>,
    answered: Arc<AtomicBool>,
}

impl ResponseTracker {
    /// Notes that the rest of the response holds the answer, and nothing comes after it.
    pub fn answer_follows(&self) {
        self.answered.store(true, Ordering::Release);
    }

    /// Waits until the caller has gone. Never returns if the whole response is delivered.
    pub async fn dropped(&self) {
        let mut stage = self.stage.clone();
        if stage.wait_for(|stage| *stage == Stage::Dropped).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Waits until the response is delivered or dropped. Returns whether it is delivered.
    pub async fn delivered(&self) -> bool {
        let mut stage = self.stage.clone();
        let ended = stage.wait_for(|stage| *stage != Stage::Pending).await;
        ended.is_ok_and(|stage| *stage == Stage::Delivered)
    }
}

pub async fn track(State(state): State<Arc<GatewayState>>, mut request: Request, next: Next) -> Response {
    // The gateway waits for open calls before it closes, but not for streams that only listen.
    let call = (request.method() == Method::POST).then(|| state.calls.token());
    let (sender, stage) = watch::channel(Stage::Pending);
    // If the caller goes, either this future or the body is dropped.
    let outcome = Outcome(sender);
    let answered = Arc::new(AtomicBool::new(false));
    request.extensions_mut().insert(ResponseTracker { stage, answered: Arc::clone(&answered) });
    let (parts, body) = next.run(request).await.into_parts();
    let aborted = state.streams.clone();
    let body = TrackedBody { body, answered, aborted, outcome: Some(outcome), call };
    Response::from_parts(parts, Body::new(body))
}

/// Sets the final stage, once. Dropping it means that the response was dropped.
struct Outcome(watch::Sender<Stage>);

impl Outcome {
    fn set(&self, stage: Stage) {
        self.0.send_if_modified(|current| {
            let is_first = *current == Stage::Pending;
            if is_first {
                *current = stage;
            }
            is_first
        });
    }
}

impl Drop for Outcome {
    fn drop(&mut self) {
        self.set(Stage::Dropped);
    }
}

struct TrackedBody {
    body: Body,
    answered: Arc<AtomicBool>,
    /// Canceled when the gateway cuts streams off, which must not look like their end.
    aborted: CancellationToken,
    /// `None` once the end was reached.
    outcome: Option<Outcome>,
    call: Option<TaskTrackerToken>,
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        let is_end = match &polled {
            Poll::Ready(None) => !self.aborted.is_cancelled(),
            // hyper doesn't poll a body of known length again after its last frame.
            Poll::Ready(Some(Ok(_))) => self.body.is_end_stream(),
            Poll::Ready(Some(Err(_))) | Poll::Pending => false,
        };
        if is_end && let Some(outcome) = self.outcome.take() {
            outcome.set(Stage::Delivered);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for TrackedBody {
    /// Many clients close a stream as soon as they have read the answer, which can be before its end was polled. The answer
    /// was delivered if nothing is left in the stream.
    fn drop(&mut self) {
        let Some(outcome) = self.outcome.take().filter(|_| self.answered.load(Ordering::Acquire)) else {
            return;
        };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (mut body, aborted) = (std::mem::take(&mut self.body), self.aborted.clone());
        let call = self.call.take();
        runtime.spawn(async move {
            let _call = call;
            let rest = tokio::select! {
                biased;
                () = aborted.cancelled() => return,
                rest = tokio::time::timeout(STREAM_END, body.frame()) => rest,
            };
            if matches!(rest, Ok(None)) {
                outcome.set(Stage::Delivered);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::{StreamExt, stream};
    use rstest::rstest;

    use super::*;

    fn tracked(body: Body) -> (TrackedBody, ResponseTracker) {
        let (sender, stage) = watch::channel(Stage::Pending);
        let tracker = ResponseTracker { stage, answered: Arc::default() };
        let answered = Arc::clone(&tracker.answered);
        let aborted = CancellationToken::new();
        (TrackedBody { body, answered, aborted, outcome: Some(Outcome(sender)), call: None }, tracker)
    }

    /// A stream that ends a moment after its last frame.
    fn stream_of(frames: &'static [&'static str]) -> Body {
        let end = stream::once(tokio::task::yield_now()).filter_map(async |()| None);
        Body::from_stream(stream::iter(frames.iter().map(|frame| Ok::<_, Infallible>(*frame))).chain(end))
    }

    #[rstest]
    #[case::of_known_length(Body::from("ab"))]
    #[case::empty(Body::empty())]
    #[case::a_stream(stream_of(&["a", "b"]))]
    #[tokio::test]
    async fn a_body_that_was_read_to_its_end_is_delivered(#[case] body: Body) {
        let (body, tracker) = tracked(body);
        body.collect().await.unwrap();
        assert!(tracker.delivered().await);
    }

    #[rstest]
    #[case::after_the_answer(true, 2, true)]
    #[case::before_the_answer(true, 1, false)]
    #[case::without_an_answer(false, 2, false)]
    #[tokio::test]
    async fn a_stream_that_is_dropped_is_delivered_if_only_its_end_is_missing(
        #[case] answered: bool,
        #[case] frames_read: usize,
        #[case] delivered: bool,
    ) {
        let (mut body, tracker) = tracked(stream_of(&["progress", "answer"]));
        for _ in 0..frames_read {
            body.frame().await.unwrap().unwrap();
        }
        if answered {
            tracker.answer_follows();
        }
        drop(body);
        assert_eq!(tracker.delivered().await, delivered);
    }

    #[tokio::test]
    async fn a_stream_that_the_gateway_cuts_off_is_not_delivered() {
        let (body, tracker) = tracked(Body::from_stream(stream::empty::<Result<Bytes, Infallible>>()));
        tracker.answer_follows();
        body.aborted.cancel();
        body.collect().await.unwrap();
        assert!(!tracker.delivered().await);
    }
}
