//! The stream of frames to the page. Questions are sent at once; text is gathered per screen refresh. At most two messages are
//! in transit that the page hasn't taken; what arrives meanwhile is merged.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use askdesk_contract::frame::{Change, Frame, LiveText, merge};
use askdesk_contract::{Error, ErrorCode, Frames, PageStart};
use askdesk_desk::Desk;
use askdesk_domain::SessionId;
use tauri::async_runtime::{JoinHandle, spawn};
use tauri::ipc::Channel;
use tauri::webview::{PageLoadEvent, PageLoadPayload};
use tauri::{Manager, State, Webview};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::pending_api::{PendingApi, line};
use crate::trace::{self, Milestone};

/// How long changes in view are gathered: a screen refresh at 60 Hz.
const REFRESH: Duration = Duration::from_millis(16);

/// How long changes out of view are gathered; the page shows a mark in the sidebar for them.
const OUT_OF_VIEW_REFRESH: Duration = Duration::from_millis(200);

/// The most frames in one message.
const BATCHED_FRAMES: usize = 4_096;

/// The most messages that the page has not acknowledged. More would delay the user's keys in the window's own queue.
const UNACKNOWLEDGED_MESSAGES: usize = 2;

/// Runs before the page's own scripts. The page asks for its start while these are still being loaded.
pub const START_SCRIPT: &str = "\
    Object.defineProperty(window, '__ASKDESK_START__', { value: window.__TAURI_INTERNALS__.invoke('start_page') });";

/// The streams by webview, at most one each.
#[derive(Default)]
pub struct Subscriptions {
    streams: Mutex<HashMap<String, Stream>>,
    /// The subscriptions of pages that were told how they begin, and have not subscribed yet.
    begun: Mutex<HashMap<String, Box<dyn Frames>>>,
}

struct Stream {
    number: u32,
    /// One permit for each message that may be sent.
    room: Arc<Semaphore>,
    task: JoinHandle<()>,
}

impl Subscriptions {
    fn begun(&self) -> MutexGuard<'_, HashMap<String, Box<dyn Frames>>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn replace(&self, webview: &str, start: impl FnOnce(Arc<Semaphore>) -> JoinHandle<()>) -> u32 {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let number = streams.get(webview).map_or(1, |stream| stream.number + 1);
        let room = Arc::new(Semaphore::new(UNACKNOWLEDGED_MESSAGES));
        let stream = Stream { number, task: start(Arc::clone(&room)), room };
        if let Some(earlier) = streams.insert(webview.to_owned(), stream) {
            earlier.task.abort();
        }
        number
    }

    fn end(&self, webview: &str, number: Option<u32>) {
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stream) = streams.get(webview)
            && number.is_none_or(|number| number == stream.number)
        {
            stream.task.abort();
        }
    }

    pub fn end_all(&self) {
        self.begun().clear();
        for stream in self.streams.lock().unwrap_or_else(PoisonError::into_inner).values() {
            stream.task.abort();
        }
    }

    /// Makes room for the next message. An extra acknowledgment makes no extra room.
    fn acknowledge(&self, webview: &str, number: u32) {
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stream) = streams.get(webview)
            && stream.number == number
            && stream.room.available_permits() < UNACKNOWLEDGED_MESSAGES
        {
            stream.room.add_permits(1);
        }
    }
}

/// Returns what a page shows first. Its subscription begins with that, so that nothing is sent twice.
#[tauri::command]
pub async fn start_page(
    webview: Webview,
    pending_api: State<'_, PendingApi>,
    streams: State<'_, Subscriptions>,
) -> Result<PageStart, Error> {
    trace::reached(Milestone::PageAsked);
    let api = pending_api.api().await?;
    let mut frames = line(&api).subscribe().await?;
    let snapshot = frames.next().await;
    let snapshot = snapshot.ok_or_else(|| Error::new(ErrorCode::Closing, "the app is closing"))?;
    let start = api.start_page(snapshot).await?;
    streams.begun().insert(webview.label().to_owned(), frames);
    trace::reached(Milestone::PageServed);
    Ok(start)
}

/// Starts the stream of a page: what follows its start, or a snapshot and what follows it. Ends the page's earlier stream.
#[tauri::command]
pub async fn subscribe(
    webview: Webview,
    pending_api: State<'_, PendingApi>,
    streams: State<'_, Subscriptions>,
    channel: Channel<Vec<Frame>>,
) -> Result<u32, Error> {
    let api = pending_api.api().await?;
    let begun = streams.begun().remove(webview.label());
    let frames = match begun {
        Some(frames) => frames,
        None => line(&api).subscribe().await?,
    };
    let desk = webview.state::<Desk>().inner().clone();
    Ok(streams.replace(webview.label(), |room| spawn(stream(desk, frames, channel, room))))
}

#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn acknowledge_frames(webview: Webview, streams: State<'_, Subscriptions>, subscription: u32) {
    streams.acknowledge(webview.label(), subscription);
}

#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn unsubscribe(webview: Webview, streams: State<'_, Subscriptions>, subscription: u32) {
    streams.end(webview.label(), Some(subscription));
}

/// Ends the stream of a page when another page replaces it.
pub fn end_with_page(webview: &Webview, payload: &PageLoadPayload<'_>) {
    if payload.event() == PageLoadEvent::Started
        && let Some(streams) = webview.try_state::<Subscriptions>()
    {
        streams.end(webview.label(), None);
    }
}

async fn stream(desk: Desk, mut frames: Box<dyn Frames>, channel: Channel<Vec<Frame>>, room: Arc<Semaphore>) {
    let mut sent = Instant::now();
    while let Some(first) = frames.next().await {
        let mut until = sent + OUT_OF_VIEW_REFRESH;
        let mut batch = Vec::new();
        let mut next = Some(first);
        // An awaited frame is sent at once, together with what was gathered before it.
        while let Some(frame) = next.take() {
            let urgency = urgency(&frame, desk.view().session);
            batch.push(frame);
            match urgency {
                Urgency::Awaited => until = sent,
                Urgency::InView => until = until.min(sent + REFRESH),
                Urgency::OutOfView => {}
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
        // Frames that arrived while there was no room are sent along.
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

/// How soon a frame is sent, most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    /// At once, because the user waits for it.
    Awaited,
    /// With the next screen refresh.
    InView,
    /// Later, because its session is not in view.
    OutOfView,
}

fn urgency(frame: &Frame, view: Option<SessionId>) -> Urgency {
    let Frame::Delta(delta) = frame else { return Urgency::Awaited };
    let of = |change: &Change| match change {
        Change::Request { .. }
        | Change::Approval { .. }
        | Change::EndHeld { .. }
        | Change::HoldReleased { .. } => Urgency::Awaited,
        Change::LiveText { added: LiveText { session, .. } }
        | Change::LiveCleared { session }
        | Change::Entry { session, .. }
            if Some(*session) != view =>
        {
            Urgency::OutOfView
        }
        _ => Urgency::InView,
    };
    delta.changes.iter().map(of).min().unwrap_or(Urgency::OutOfView)
}

#[cfg(test)]
mod tests {
    use askdesk_contract::frame::{Delta, LiveKind};

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
        assert_eq!(urgency(&delta(vec![text(1)]), Some(session(1))), Urgency::InView);
        assert_eq!(urgency(&delta(vec![text(1)]), Some(session(2))), Urgency::OutOfView);
        assert_eq!(urgency(&delta(vec![text(1)]), None), Urgency::OutOfView);
        assert_eq!(urgency(&delta(vec![text(1), text(2)]), Some(session(2))), Urgency::InView);
    }
}
