//! The stream to the window: frames in order, text in batches of one screen refresh, questions at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use askdesk_api::{Api, Error};
use askdesk_domain::SessionId;
use askdesk_engine::Subscription;
use askdesk_engine::frame::{Change, Frame, LiveText, merge};
use tauri::async_runtime::{JoinHandle, spawn};
use tauri::ipc::Channel;
use tauri::webview::{PageLoadEvent, PageLoadPayload};
use tauri::{Manager, State, Webview};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::opening::Opening;

/// How long text is gathered once some was sent: a screen refresh at 60 Hz.
const REFRESH: Duration = Duration::from_millis(16);

/// How long it is gathered where nobody looks: what comes of it is a mark in the sidebar.
const UNSEEN_REFRESH: Duration = Duration::from_millis(200);

/// How many frames one message is made of at most.
const BATCHED_FRAMES: usize = 4_096;

/// How many messages may be on their way to a page that has not said yet that it took them. More would wait in the
/// window's own queue, before the keys of the person.
const MESSAGES_ON_THE_WAY: usize = 2;

/// The stream of each webview; a page has one at most.
#[derive(Default)]
pub struct Subscriptions(Mutex<HashMap<String, Stream>>);

struct Stream {
    number: u32,
    /// One permit for each message that may be sent.
    room: Arc<Semaphore>,
    task: JoinHandle<()>,
}

impl Subscriptions {
    fn replace(&self, webview: &str, start: impl FnOnce(Arc<Semaphore>) -> JoinHandle<()>) -> u32 {
        let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = streams.get(webview).map_or(1, |stream| stream.number + 1);
        let room = Arc::new(Semaphore::new(MESSAGES_ON_THE_WAY));
        let stream = Stream { number, task: start(Arc::clone(&room)), room };
        if let Some(earlier) = streams.insert(webview.to_owned(), stream) {
            earlier.task.abort();
        }
        number
    }

    fn end(&self, webview: &str, number: Option<u32>) {
        let streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stream) = streams.get(webview)
            && number.is_none_or(|number| number == stream.number)
        {
            stream.task.abort();
        }
    }

    /// Ends every stream: there is no page that could hear one.
    pub fn end_all(&self) {
        for stream in self.0.lock().unwrap_or_else(PoisonError::into_inner).values() {
            stream.task.abort();
        }
    }

    /// Makes room for the next message; a page that says more than it was sent makes no more room than there is.
    fn took(&self, webview: &str, number: u32) {
        let streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stream) = streams.get(webview)
            && stream.number == number
            && stream.room.available_permits() < MESSAGES_ON_THE_WAY
        {
            stream.room.add_permits(1);
        }
    }
}

/// Begins the stream of a page: a snapshot, then deltas. A page that subscribes again ends its earlier stream.
#[tauri::command]
pub async fn subscribe(
    webview: Webview,
    opening: State<'_, Opening>,
    streams: State<'_, Subscriptions>,
    channel: Channel<Vec<Frame>>,
) -> Result<u32, Error> {
    let desk = opening.desk().await?;
    let frames = desk.engine().subscribe().await?;
    Ok(streams.replace(webview.label(), |room| spawn(stream(desk, frames, channel, room))))
}

/// Hears that a page took a message of its stream.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn took_frames(webview: Webview, streams: State<'_, Subscriptions>, subscription: u32) {
    streams.took(webview.label(), subscription);
}

#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn unsubscribe(webview: Webview, streams: State<'_, Subscriptions>, subscription: u32) {
    streams.end(webview.label(), Some(subscription));
}

/// Ends a page's stream when another page takes its place: nobody would hear it.
pub fn end_with_page(webview: &Webview, payload: &PageLoadPayload<'_>) {
    if payload.event() == PageLoadEvent::Started
        && let Some(streams) = webview.try_state::<Subscriptions>()
    {
        streams.end(webview.label(), None);
    }
}

async fn stream(desk: Api, mut frames: Subscription, channel: Channel<Vec<Frame>>, room: Arc<Semaphore>) {
    let mut sent = Instant::now();
    while let Some(first) = frames.next().await {
        let mut until = sent + UNSEEN_REFRESH;
        let mut batch = Vec::new();
        let mut next = Some(first);
        // What a person waits for goes at once, with whatever came before it; what they see is gathered for a refresh.
        while let Some(frame) = next.take() {
            let urgency = urgency(&frame, desk.view().session);
            batch.push(frame);
            match urgency {
                Urgency::Awaited => until = sent,
                Urgency::Seen => until = until.min(sent + REFRESH),
                Urgency::Unseen => {}
            }
            if batch.len() >= BATCHED_FRAMES {
                break;
            }
            next = frames.take();
            if next.is_none() && until > sent {
                next = timeout_at(until, frames.next()).await.unwrap_or_default();
            }
        }
        let Ok(permit) = room.acquire().await else { return };
        permit.forget();
        // What came while there was no room goes along.
        while batch.len() < BATCHED_FRAMES
            && let Some(frame) = frames.take()
        {
            batch.push(frame);
        }
        if channel.send(merge(batch)).is_err() {
            return;
        }
        sent = Instant::now();
    }
}

/// How soon somebody wants to see a frame; the soonest comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    /// At once: a person waits for it.
    Awaited,
    /// With the next refresh of the screen.
    Seen,
    /// Some time soon: it is about a session that is not in view.
    Unseen,
}

fn urgency(frame: &Frame, view: Option<SessionId>) -> Urgency {
    let Frame::Delta(delta) = frame else { return Urgency::Awaited };
    let of = |change: &Change| match change {
        Change::Request { .. }
        | Change::Approval { .. }
        | Change::AnswerHeld { .. }
        | Change::AnswerLetGo { .. } => Urgency::Awaited,
        Change::LiveText { added: LiveText { session, .. } }
        | Change::LiveCleared { session }
        | Change::Entry { session, .. }
            if Some(*session) != view =>
        {
            Urgency::Unseen
        }
        _ => Urgency::Seen,
    };
    delta.changes.iter().map(of).min().unwrap_or(Urgency::Unseen)
}

#[cfg(test)]
mod tests {
    use askdesk_engine::frame::{Delta, LiveKind};

    use super::*;

    fn session(number: u128) -> SessionId {
        SessionId::new(uuid::Uuid::from_u128(number))
    }

    fn text(of: u128) -> Change {
        Change::LiveText {
            added: LiveText { session: session(of), kind: LiveKind::Text, text: "word".to_owned() },
        }
    }

    fn delta(changes: Vec<Change>) -> Frame {
        Frame::Delta(Arc::new(Delta { epoch: "e".to_owned(), prev: 0, seq: 1, changes }))
    }

    #[test]
    fn text_is_as_urgent_as_its_session_is_in_view() {
        assert_eq!(urgency(&delta(vec![text(1)]), Some(session(1))), Urgency::Seen);
        assert_eq!(urgency(&delta(vec![text(1)]), Some(session(2))), Urgency::Unseen);
        assert_eq!(urgency(&delta(vec![text(1)]), None), Urgency::Unseen);
        assert_eq!(urgency(&delta(vec![text(1), text(2)]), Some(session(2))), Urgency::Seen);
    }
}
