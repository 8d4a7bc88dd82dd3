//! One session as a member of a shared link.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, mpsc, oneshot};

use crate::adapter::Outbound;
use crate::connection::MemberId;
use crate::line_writer::{WriteError, WriteResult};
use crate::link_event::LinkEvent;

/// How many events one session may leave unread before the server is read no further.
pub(super) const MEMBER_QUEUE: usize = 256;

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
}

/// The writing side of a session; dropping it leaves the link.
#[derive(Debug)]
pub(in crate::link) struct MemberHandle {
    member: MemberId,
    writes: mpsc::Sender<MemberWrite>,
    commands: mpsc::UnboundedSender<Command>,
}

impl MemberHandle {
    pub(super) const fn new(
        member: MemberId,
        writes: mpsc::Sender<MemberWrite>,
        commands: mpsc::UnboundedSender<Command>,
    ) -> Self {
        Self { member, writes, commands }
    }

    pub(in crate::link) fn write(
        &self,
        outbound: Vec<Outbound>,
    ) -> impl Future<Output = Result<(), WriteError>> + Send + use<> {
        let (done, written) = oneshot::channel();
        let write = MemberWrite { member: self.member, outbound, done };
        let queued = self.writes.try_send(write).map_err(WriteError::from);
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

pub(super) fn event_channel(room: Arc<Notify>) -> (MemberSender, MemberEvents) {
    let (events, receiver) = mpsc::unbounded_channel();
    let backlog = Arc::new(AtomicUsize::new(0));
    let sender = MemberSender { events, backlog: Arc::clone(&backlog) };
    (sender, MemberEvents { events: receiver, backlog, room })
}

/// Sends events to a session without ever waiting for it; the server looks at [`MemberSender::is_full`] before it reads on.
#[derive(Debug)]
pub(super) struct MemberSender {
    events: mpsc::UnboundedSender<LinkEvent>,
    backlog: Arc<AtomicUsize>,
}

impl MemberSender {
    pub(super) fn send(&self, event: LinkEvent) {
        self.backlog.fetch_add(1, Ordering::AcqRel);
        // Nobody may be listening any more.
        let _ = self.events.send(event);
    }

    pub(super) fn is_full(&self) -> bool {
        self.backlog.load(Ordering::Acquire) >= MEMBER_QUEUE && !self.events.is_closed()
    }
}

#[derive(Debug)]
pub(in crate::link) struct MemberEvents {
    events: mpsc::UnboundedReceiver<LinkEvent>,
    backlog: Arc<AtomicUsize>,
    room: Arc<Notify>,
}

impl MemberEvents {
    pub(in crate::link) async fn next(&mut self) -> Option<LinkEvent> {
        let event = self.events.recv().await?;
        if self.backlog.fetch_sub(1, Ordering::AcqRel) >= MEMBER_QUEUE {
            self.room.notify_one();
        }
        Some(event)
    }
}

impl Drop for MemberEvents {
    fn drop(&mut self) {
        self.events.close();
        self.room.notify_one();
    }
}
