//! The queue between what reads an agent's output and what handles it.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::link_event::LinkEvent;

/// How many events may be queued before the agent blocks.
pub const OUTPUT_QUEUE: usize = 64;
/// How many bytes they may have together; one event of any size fits where nothing else is queued.
pub const OUTPUT_BYTES: usize = 16 * 1024 * 1024;

/// The sending side. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct EventSender {
    events: mpsc::Sender<(LinkEvent, OwnedSemaphorePermit)>,
    bytes: Arc<Semaphore>,
}

/// The output of one process or connection, in order; nothing comes after [`LinkEvent::Ended`].
#[derive(Debug)]
pub struct ProcessEvents {
    events: mpsc::Receiver<(LinkEvent, OwnedSemaphorePermit)>,
    bytes: Arc<Semaphore>,
}

/// Nobody reads the events any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unread;

pub(crate) fn event_queue() -> (EventSender, ProcessEvents) {
    let (sender, receiver) = mpsc::channel(OUTPUT_QUEUE);
    let bytes = Arc::new(Semaphore::new(OUTPUT_BYTES));
    (EventSender { events: sender, bytes: Arc::clone(&bytes) }, ProcessEvents { events: receiver, bytes })
}

impl EventSender {
    /// Queues an event, and waits for room where there is none.
    pub(crate) async fn send(&self, event: LinkEvent) -> Result<(), Unread> {
        let bytes = u32::try_from(event.bytes().min(OUTPUT_BYTES)).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.bytes).acquire_many_owned(bytes).await.map_err(|_| Unread)?;
        self.events.send((event, room)).await.map_err(|_| Unread)
    }
}

impl ProcessEvents {
    /// Waits for the next event; none once all senders are gone.
    pub async fn recv(&mut self) -> Option<LinkEvent> {
        self.events.recv().await.map(|(event, _)| event)
    }
}

impl Drop for ProcessEvents {
    fn drop(&mut self) {
        // Whoever waits for room sees that nobody reads.
        self.bytes.close();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    fn event(bytes: usize) -> LinkEvent {
        LinkEvent::Stderr("x".repeat(bytes))
    }

    #[tokio::test]
    async fn queued_events_are_bounded_in_bytes_and_one_of_any_size_fits() {
        let (sender, mut events) = event_queue();
        sender.send(event(2 * OUTPUT_BYTES)).await.unwrap();
        let mut second = pin!(sender.send(event(1)));
        assert!(timeout(Duration::ZERO, &mut second).await.is_err(), "there is no room");
        assert!(events.recv().await.is_some());
        second.await.unwrap();
        assert!(events.recv().await.is_some());
        sender.send(event(OUTPUT_BYTES)).await.unwrap();
        let third = sender.send(event(1));
        drop(events);
        assert_eq!(third.await, Err(Unread), "it waits for nobody");
    }
}
