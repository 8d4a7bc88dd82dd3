//! One session's place on a shared server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, mpsc, oneshot};

use crate::adapter::Outbound;
use crate::connection::Seat;
use crate::error::WriteError;
use crate::link::LinkEvent;
use crate::supervisor::WRITE_QUEUE;

/// How many events wait for one session before the server is read no further.
pub(super) const SEAT_QUEUE: usize = 256;

pub(in crate::link) type Seated = (SeatHandle, SeatEvents);

/// What a server is told.
#[derive(Debug)]
pub(super) enum Order {
    Join { reply: oneshot::Sender<Seated> },
    Leave { seat: Seat, grace: Duration, done: Option<oneshot::Sender<()>> },
    ShutDown { grace: Duration },
}

#[derive(Debug)]
pub(super) struct Write {
    pub(super) seat: Seat,
    pub(super) outbound: Vec<Outbound>,
    pub(super) done: oneshot::Sender<Result<(), WriteError>>,
}

/// The writing side of a seat; it is given up when this is dropped.
#[derive(Debug)]
pub(in crate::link) struct SeatHandle {
    seat: Seat,
    writes: mpsc::Sender<Write>,
    orders: mpsc::UnboundedSender<Order>,
}

impl SeatHandle {
    pub(super) const fn new(
        seat: Seat,
        writes: mpsc::Sender<Write>,
        orders: mpsc::UnboundedSender<Order>,
    ) -> Self {
        Self { seat, writes, orders }
    }

    pub(in crate::link) fn write(
        &self,
        outbound: Vec<Outbound>,
    ) -> impl Future<Output = Result<(), WriteError>> + Send + use<> {
        let (done, handed) = oneshot::channel();
        let write = Write { seat: self.seat, outbound, done };
        let queued = self.writes.try_send(write).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => WriteError::Full(WRITE_QUEUE),
            mpsc::error::TrySendError::Closed(_) => WriteError::Closed,
        });
        async move {
            queued?;
            handed.await.unwrap_or(Err(WriteError::Closed))
        }
    }

    /// Gives the seat up; returns when it is given up, and the last one when the server has ended.
    pub(in crate::link) async fn leave(&self, grace: Duration) {
        let (done, left) = oneshot::channel();
        let _ = self.orders.send(Order::Leave { seat: self.seat, grace, done: Some(done) });
        // An error means that the server is gone, or does not know the seat any more.
        let _ = left.await;
    }
}

impl Drop for SeatHandle {
    fn drop(&mut self) {
        // A seat that was given up already is not known any more.
        let _ = self.orders.send(Order::Leave { seat: self.seat, grace: Duration::ZERO, done: None });
    }
}

/// Makes the way of a seat's events.
pub(super) fn channel(room: Arc<Notify>) -> (SeatSender, SeatEvents) {
    let (events, receiver) = mpsc::unbounded_channel();
    let backlog = Arc::new(AtomicUsize::new(0));
    let sender = SeatSender { events, backlog: Arc::clone(&backlog) };
    (sender, SeatEvents { events: receiver, backlog, room })
}

/// Sends events to a session without ever waiting for it; the server looks at [`SeatSender::is_full`] before it reads on.
#[derive(Debug)]
pub(super) struct SeatSender {
    events: mpsc::UnboundedSender<LinkEvent>,
    backlog: Arc<AtomicUsize>,
}

impl SeatSender {
    pub(super) fn send(&self, event: LinkEvent) {
        self.backlog.fetch_add(1, Ordering::AcqRel);
        // Nobody may be listening any more.
        let _ = self.events.send(event);
    }

    pub(super) fn is_full(&self) -> bool {
        self.backlog.load(Ordering::Acquire) >= SEAT_QUEUE && !self.events.is_closed()
    }
}

#[derive(Debug)]
pub(in crate::link) struct SeatEvents {
    events: mpsc::UnboundedReceiver<LinkEvent>,
    backlog: Arc<AtomicUsize>,
    room: Arc<Notify>,
}

impl SeatEvents {
    pub(in crate::link) async fn next(&mut self) -> Option<LinkEvent> {
        let event = self.events.recv().await?;
        if self.backlog.fetch_sub(1, Ordering::AcqRel) >= SEAT_QUEUE {
            self.room.notify_one();
        }
        Some(event)
    }
}

impl Drop for SeatEvents {
    fn drop(&mut self) {
        self.events.close();
        self.room.notify_one();
    }
}
