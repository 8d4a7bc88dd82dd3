//! Whether a response has reached the one who waits for it: written out to its end, or left on the way.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::watch;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::desk::Desk;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    OnItsWay,
    WrittenOut,
    Left,
}

/// What becomes of the response to one request.
#[derive(Clone, Debug)]
pub struct Handover {
    stage: watch::Receiver<Stage>,
    /// What the piece of a stream holds with which all is said.
    last: Arc<OnceLock<String>>,
}

impl Handover {
    /// Says by what the piece is known that matters: many callers close a stream as soon as they have read that.
    pub fn ends_with_piece_that_holds(&self, text: String) {
        let _ = self.last.set(text);
    }

    /// Waits until the caller is gone; for ever if it took the whole response.
    pub async fn left(&self) {
        let mut stage = self.stage.clone();
        let left = stage.wait_for(|stage| *stage == Stage::Left).await.is_ok();
        if !left {
            std::future::pending::<()>().await;
        }
    }

    /// Waits until the response is written out, or can no longer be; says which.
    pub async fn written_out(&self) -> bool {
        let mut stage = self.stage.clone();
        let ended = stage.wait_for(|stage| *stage != Stage::OnItsWay).await;
        ended.is_ok_and(|stage| *stage == Stage::WrittenOut)
    }
}

/// Watches what becomes of each response; whoever handles the request finds the [`Handover`] in its extensions.
pub async fn watched(State(desk): State<Arc<Desk>>, mut request: Request, next: Next) -> Response {
    // What only listens is no call that a desk that closes waits for.
    let call = (request.method() == Method::POST).then(|| desk.calls.token());
    let (sender, stage) = watch::channel(Stage::OnItsWay);
    // A caller that leaves drops this future, or later the body; either says so by dropping this.
    let ending = Ending(sender);
    let last = Arc::new(OnceLock::new());
    request.extensions_mut().insert(Handover { stage, last: Arc::clone(&last) });
    let (parts, body) = next.run(request).await.into_parts();
    Response::from_parts(parts, Body::new(WatchedBody { body, ending, last, _call: call }))
}

struct Ending(watch::Sender<Stage>);

impl Ending {
    fn written_out(&self) {
        self.0.send_if_modified(|stage| {
            let first = *stage == Stage::OnItsWay;
            if first {
                *stage = Stage::WrittenOut;
            }
            first
        });
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.send_if_modified(|stage| {
            let first = *stage == Stage::OnItsWay;
            if first {
                *stage = Stage::Left;
            }
            first
        });
    }
}

struct WatchedBody {
    body: Body,
    ending: Ending,
    last: Arc<OnceLock<String>>,
    _call: Option<TaskTrackerToken>,
}

impl WatchedBody {
    fn is_last(&self, frame: &Frame<Bytes>) -> bool {
        let (Some(last), Some(data)) = (self.last.get(), frame.data_ref()) else { return false };
        data.windows(last.len()).any(|part| part == last.as_bytes())
    }
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        let over = match &polled {
            Poll::Ready(Some(Ok(frame))) if self.is_last(frame) => true,
            Poll::Ready(Some(Err(_))) => false,
            // A stream that ends before the piece that matters has not told it.
            Poll::Ready(None) => self.last.get().is_none(),
            // A body of known length is not asked for its end after its last piece.
            _ => self.last.get().is_none() && self.body.is_end_stream(),
        };
        if over {
            self.ending.written_out();
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::stream;
    use http_body_util::BodyExt;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::nothing_is_expected(None, &["a", "b"], true)]
    #[case::it_came(Some("b"), &["a", "b"], true)]
    #[case::it_did_not_come(Some("c"), &["a", "b"], false)]
    #[case::nothing_came(Some("c"), &[], false)]
    #[tokio::test]
    async fn a_body_is_written_out_once_what_is_expected_of_it_is(
        #[case] expected: Option<&str>,
        #[case] pieces: &'static [&str],
        #[case] written_out: bool,
    ) {
        let of_known_length = || Body::from(pieces.concat());
        let in_pieces =
            || Body::from_stream(stream::iter(pieces.iter().map(|piece| Ok::<_, Infallible>(*piece))));
        for body in [of_known_length(), in_pieces()] {
            let (sender, stage) = watch::channel(Stage::OnItsWay);
            let handover = Handover { stage, last: Arc::default() };
            if let Some(expected) = expected {
                handover.ends_with_piece_that_holds(expected.to_owned());
            }
            let last = Arc::clone(&handover.last);
            WatchedBody { body, ending: Ending(sender), last, _call: None }.collect().await.unwrap();
            assert_eq!(handover.written_out().await, written_out);
        }
    }
}
