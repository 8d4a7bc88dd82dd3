//! The time and new ids, injected so that tests control them.

use std::pin::Pin;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use askdesk_domain::{ApprovalId, MessageId, RequestId, SessionId, Timestamp};
use tokio::sync::Notify;
use uuid::Uuid;

/// A source of time and ids.
pub trait Clock: Send + Sync + 'static {
    /// Returns the current time.
    fn now(&self) -> Timestamp;

    /// Waits until the clock reaches a time.
    fn wait_until(&self, at: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// Returns a new UUIDv7; later ids sort later.
    fn uuid(&self) -> Uuid;

    fn request_id(&self) -> RequestId {
        RequestId::new(self.uuid())
    }

    fn session_id(&self) -> SessionId {
        SessionId::new(self.uuid())
    }

    fn message_id(&self) -> MessageId {
        MessageId::new(self.uuid())
    }

    fn approval_id(&self) -> ApprovalId {
        ApprovalId::new(self.uuid())
    }
}

/// The system clock with random ids.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn wait_until(&self, at: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let left = u64::try_from(at.millis() - self.now().millis()).unwrap_or_default();
        // If the clock is set back meanwhile, the wait gets no longer.
        Box::pin(tokio::time::sleep(Duration::from_millis(left)))
    }

    fn uuid(&self) -> Uuid {
        Uuid::now_v7()
    }
}

/// A clock that tests control, with ids that count up.
#[derive(Debug)]
pub struct ManualClock {
    millis: AtomicI64,
    drawn: AtomicU64,
    moved: Notify,
}

impl ManualClock {
    /// Creates a clock that starts at a given time.
    pub const fn at(millis: i64) -> Self {
        Self { millis: AtomicI64::new(millis), drawn: AtomicU64::new(0), moved: Notify::const_new() }
    }

    pub fn advance(&self, millis: i64) {
        self.millis.fetch_add(millis, Ordering::SeqCst);
        self.moved.notify_waiters();
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis.load(Ordering::SeqCst))
    }

    fn wait_until(&self, at: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            loop {
                let moved = self.moved.notified();
                if self.now() >= at {
                    return;
                }
                moved.await;
            }
        })
    }

    fn uuid(&self) -> Uuid {
        let drawn = self.drawn.fetch_add(1, Ordering::SeqCst);
        let millis = u64::try_from(self.now().millis()).unwrap_or_default();
        let mut bytes = [0; 10];
        bytes[2..].copy_from_slice(&drawn.to_be_bytes());
        uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }
}
