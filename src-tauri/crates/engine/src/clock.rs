//! The time and new ids, injected so that tests control them.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use askdesk_domain::{ApprovalId, MessageId, RequestId, SessionId, Timestamp};
use tokio::sync::watch;
use uuid::Uuid;

/// A source of time and ids.
pub trait Clock: Send + Sync + 'static {
    fn now(&self) -> Timestamp;

    fn wait_until(&self, at: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// Returns a new UUIDv7; later ids sort later.
    fn uuid(&self) -> Uuid;

    /// Returns the time after a duration from now.
    fn after(&self, duration: Duration) -> Timestamp {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.now().millis().saturating_add(millis))
    }

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

/// Waits until a time, or returns early after `look_again`: timers stop while a computer sleeps, so the caller must compare
/// the clock again. Without a time, it never returns.
pub(crate) async fn wait_or_look_again(clock: &dyn Clock, until: Option<Timestamp>, look_again: Duration) {
    let Some(until) = until else { return std::future::pending().await };
    clock.wait_until(until.min(clock.after(look_again))).await;
}

/// A clock that tests control, with ids that count up.
#[derive(Debug)]
pub struct ManualClock {
    now: watch::Sender<Timestamp>,
    /// The time of the latest call of [`Clock::wait_until`].
    awaited: watch::Sender<Timestamp>,
    drawn: AtomicU64,
}

impl ManualClock {
    pub fn at(millis: i64) -> Self {
        let start = Timestamp::from_millis(millis);
        Self { now: watch::Sender::new(start), awaited: watch::Sender::new(start), drawn: AtomicU64::new(0) }
    }

    pub fn advance(&self, millis: i64) {
        self.now.send_modify(|now| *now = Timestamp::from_millis(now.millis() + millis));
    }

    /// Waits until the latest [`Clock::wait_until`] is for exactly this time. Its caller has then done everything that was
    /// due before. If several tasks wait, only the latest call is seen.
    pub async fn until_awaited(&self, at: Timestamp) {
        let mut awaited = self.awaited.subscribe();
        // The sender lives as long as `self`.
        let _ = awaited.wait_for(|awaited| *awaited == at).await;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.now.borrow()
    }

    fn wait_until(&self, at: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.awaited.send_replace(at);
        let mut now = self.now.subscribe();
        Box::pin(async move {
            let _ = now.wait_for(|now| *now >= at).await;
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
