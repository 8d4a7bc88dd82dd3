//! The time and new ids, injected so that tests control them.

use std::pin::Pin;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use askdesk_domain::{ApprovalId, MessageId, RequestId, SessionId, Timestamp};
use tokio::sync::watch;
use uuid::Uuid;

/// A source of time and ids.
pub trait Clock: Send + Sync + 'static {
    fn now(&self) -> Timestamp;

    /// Returns the time since a fixed moment. It goes on while the computer sleeps, and doesn't change with the system's clock.
    fn steady(&self) -> Duration;

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

    fn steady(&self) -> Duration {
        since_boot()
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

/// On Linux, `CLOCK_BOOTTIME`; on other Unix systems `CLOCK_MONOTONIC`, which on macOS goes on in sleep, too.
#[cfg(unix)]
fn since_boot() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    #[cfg(target_os = "linux")]
    let clock = ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    let clock = ClockId::Monotonic;
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

/// On Windows, the performance counter. Whether it goes on in sleep depends on the machine; if it stops, a time limit goes on
/// after the sleep.
#[cfg(not(unix))]
fn since_boot() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed()
}

/// The smallest step of the system's clock that is followed, in milliseconds. Below it, the clock is only being adjusted, or a
/// computer has just woken up.
const STEP: i64 = 2_000;

/// Finds steps of the system's clock: the user or a time server sets it.
#[derive(Debug)]
pub(crate) struct ClockSteps {
    wall: Timestamp,
    steady: Duration,
}

impl ClockSteps {
    pub fn new(clock: &dyn Clock) -> Self {
        Self { wall: clock.now(), steady: clock.steady() }
    }

    /// Returns how far the clock was set since the last look, in milliseconds.
    pub fn look(&mut self, clock: &dyn Clock) -> Option<i64> {
        let now = Self::new(clock);
        let passed = now.steady.saturating_sub(self.steady).as_millis();
        let by = now.wall.millis() - self.wall.millis() - i64::try_from(passed).unwrap_or(i64::MAX);
        *self = now;
        (by.abs() >= STEP).then_some(by)
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
    /// How far it was set, in milliseconds.
    set: AtomicI64,
    /// The time of the latest call of [`Clock::wait_until`].
    awaited: watch::Sender<Timestamp>,
    drawn: AtomicU64,
}

impl ManualClock {
    pub fn at(millis: i64) -> Self {
        let start = Timestamp::from_millis(millis);
        let (now, awaited) = (watch::Sender::new(start), watch::Sender::new(start));
        Self { now, set: AtomicI64::new(0), awaited, drawn: AtomicU64::new(0) }
    }

    /// Sets the clock forward or back; no time passes.
    pub fn set(&self, millis: i64) {
        self.set.fetch_add(millis, Ordering::SeqCst);
        self.advance(millis);
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

    fn steady(&self) -> Duration {
        let passed = self.now().millis() - self.set.load(Ordering::SeqCst);
        Duration::from_millis(u64::try_from(passed).unwrap_or_default())
    }

    /// As with the system clock, the wait gets neither longer nor shorter if the clock is set meanwhile.
    fn wait_until(&self, at: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.awaited.send_replace(at);
        let mut now = self.now.subscribe();
        let set = self.set.load(Ordering::SeqCst);
        Box::pin(async move {
            let _ = now.wait_for(|now| now.moved(set - self.set.load(Ordering::SeqCst)) >= at).await;
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
