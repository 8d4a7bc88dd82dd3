//! One session as a member of a shared link.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::Instant;

use crate::adapter::Outbound;
use crate::bounds::{HeldRoom, Room};
use crate::connection::MemberId;
use crate::line_writer::{WRITE_BYTES, WRITE_QUEUE, WriteError, WriteResult};
use crate::link_event::LinkEvent;

/// How many events one session may leave unread before the server is read no further.
pub(super) const MEMBER_QUEUE: usize = 1024;
/// How many bytes those events may have together.
pub(super) const MEMBER_BYTES: usize = 16 * 1024 * 1024;
/// How long a session that has so much unread may hold up the others. Then it must have read half of it.
pub(super) const BEHIND_LIMIT: Duration = Duration::from_secs(5);

pub(in crate::link) type Joined = (MemberHandle, MemberEvents);

/// A command for the task of a shared server.
#[derive(Debug)]
pub(super) enum Command {
    Join { reply: oneshot::Sender<Joined> },
    Leave { member: MemberId, grace: Duration, done: Option<oneshot::Sender<()>> },
    ShutDown { grace: Duration },
}

#[derive(Debug)]
pub(super) struct MemberWrite {
    pub(super) member: MemberId,
    pub(super) outbound: Vec<Outbound>,
    pub(super) done: WriteResult,
    /// Its place among what the session has queued.
    _held: HeldRoom,
}

/// The writing side of a session; dropping it leaves the link.
#[derive(Debug)]
pub(in crate::link) struct MemberHandle {
    member: MemberId,
    writes: mpsc::UnboundedSender<MemberWrite>,
    room: Arc<Room>,
    commands: mpsc::UnboundedSender<Command>,
}

impl MemberHandle {
    pub(super) fn new(
        member: MemberId,
        writes: mpsc::UnboundedSender<MemberWrite>,
        commands: mpsc::UnboundedSender<Command>,
    ) -> Self {
        Self { member, writes, room: Room::new(WRITE_QUEUE, WRITE_BYTES), commands }
    }

    pub(in crate::link) fn write(
        &self,
        outbound: Vec<Outbound>,
    ) -> impl Future<Output = Result<(), WriteError>> + Send + use<> {
        let (done, written) = oneshot::channel();
        let bytes = outbound.iter().map(Outbound::bytes).sum();
        let queued = self.room.take(bytes).map_err(WriteError::Full).and_then(|held| {
            let write = MemberWrite { member: self.member, outbound, done, _held: held };
            self.writes.send(write).map_err(|_| WriteError::Closed)
        });
        async move {
            queued?;
            written.await.unwrap_or(Err(WriteError::Closed))
        }
    }

    /// Leaves the link. Returns when that is done; the last member waits for the end of the server.
    pub(in crate::link) async fn leave(&self, grace: Duration) {
        let (done, left) = oneshot::channel();
        let _ = self.commands.send(Command::Leave { member: self.member, grace, done: Some(done) });
        // An error means that the server is gone, or that the session had left before.
        let _ = left.await;
    }
}

impl Drop for MemberHandle {
    fn drop(&mut self) {
        // The server ignores a session that has left.
        let _ = self.commands.send(Command::Leave { member: self.member, grace: Duration::ZERO, done: None });
    }
}

pub(super) fn event_channel(wakes: Arc<Notify>) -> (MemberSender, MemberEvents) {
    let (events, receiver) = mpsc::unbounded_channel();
    let room = Room::new(MEMBER_QUEUE, MEMBER_BYTES);
    (MemberSender { events, room, behind_since: None }, MemberEvents { events: receiver, wakes })
}

/// Sends events to a session without ever waiting for it; the server looks at [`MemberSender::limit`] before it reads on.
#[derive(Debug)]
pub(super) struct MemberSender {
    events: mpsc::UnboundedSender<(LinkEvent, HeldRoom)>,
    room: Arc<Room>,
    behind_since: Option<Instant>,
}

impl MemberSender {
    pub(super) fn send(&self, event: LinkEvent) {
        let held = self.room.take_anyway(event.bytes());
        // Nobody may be listening any more.
        let _ = self.events.send((event, held));
    }

    /// Returns when a session that is behind has to have caught up; none if it isn't behind.
    pub(super) fn limit(&mut self) -> Option<Instant> {
        if self.events.is_closed() {
            return None;
        }
        if self.room.is_full() {
            self.behind_since.get_or_insert_with(Instant::now);
        } else if self.room.is_half_empty() {
            self.behind_since = None;
        }
        self.behind_since.map(|since| since + BEHIND_LIMIT)
    }
}

#[derive(Debug)]
pub(in crate::link) struct MemberEvents {
    events: mpsc::UnboundedReceiver<(LinkEvent, HeldRoom)>,
    /// Wakes the server, which may wait for room.
    wakes: Arc<Notify>,
}

impl MemberEvents {
    pub(in crate::link) async fn next(&mut self) -> Option<LinkEvent> {
        let (event, held) = self.events.recv().await?;
        drop(held);
        self.wakes.notify_one();
        Some(event)
    }
}

impl Drop for MemberEvents {
    fn drop(&mut self) {
        self.events.close();
        self.wakes.notify_one();
    }
}
