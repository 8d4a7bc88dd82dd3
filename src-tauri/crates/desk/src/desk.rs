//! The desk in this run of the app, and the task that keeps it up to date.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use askdesk_contract::frame::Frame;
use askdesk_contract::{Frames, NotificationLogEntry, UpdateObstacle};
use askdesk_domain::{NotificationHistory, SessionId, Settings, Timestamp};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use crate::mirror::{Mirror, News, is_about_standing};
use crate::obstacles::update_obstacles;
use crate::pending_list::{PendingEntry, listed};
use crate::reminders::Reminders;

/// How many news can wait before further ones are dropped.
const QUEUED_NEWS: usize = 1_024;

/// How long to wait before checking whether a reminder is due, because timers stop while a computer sleeps.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// Tells the time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    pub now: fn() -> Timestamp,
    /// The time since a fixed moment. It goes on while the computer sleeps, and doesn't change with the system's clock.
    pub steady: fn() -> Duration,
}

/// What the window shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    pub session: Option<SessionId>,
    /// Whether the window has the focus.
    pub focused: bool,
}

/// The desk of one person. Clones share their state.
#[derive(Clone)]
pub struct Desk(Arc<Inner>);

struct Inner {
    clock: Clock,
    settings: watch::Receiver<Settings>,
    mirror: Mutex<Mirror>,
    notifications: Mutex<Notifications>,
    view: watch::Sender<View>,
    pending: watch::Sender<Vec<PendingEntry>>,
    obstacles: watch::Sender<Vec<UpdateObstacle>>,
}

/// The state of the notification policy in this run, and its log, newest first.
#[derive(Debug, Default)]
pub(crate) struct Notifications {
    pub(crate) policy: NotificationHistory,
    pub(crate) log: VecDeque<NotificationLogEntry>,
}

impl Desk {
    /// Begins with the first frame of an engine, in which nothing is news. [`Desk::follow`] takes the frames after it.
    pub fn new(first: &Frame, settings: watch::Receiver<Settings>, clock: Clock) -> Self {
        let desk = Self(Arc::new(Inner {
            clock,
            settings,
            mirror: Mutex::default(),
            notifications: Mutex::default(),
            view: watch::Sender::default(),
            pending: watch::Sender::default(),
            obstacles: watch::Sender::default(),
        }));
        desk.fold(first);
        desk
    }

    /// Follows the frames in a task until there are no more. The news end with them.
    pub fn follow(
        &self,
        mut frames: Box<dyn Frames>,
    ) -> (impl Future<Output = ()> + Send + use<>, mpsc::Receiver<News>) {
        let (sender, news) = mpsc::channel(QUEUED_NEWS);
        let (desk, mut settings) = (self.clone(), self.0.settings.clone());
        let following = async move {
            let mut reminders = Reminders::default();
            loop {
                let minutes = settings.borrow_and_update().remind_minutes;
                let steady = desk.0.clock.steady;
                let due = reminders.next(minutes).map(|at| at.saturating_sub(steady()).min(LOOK_AGAIN));
                let all = tokio::select! {
                    frame = frames.next() => match frame {
                        Some(frame) => desk.fold(&frame),
                        None => return,
                    },
                    changed = settings.changed() => match changed {
                        Ok(()) => continue,
                        Err(_) => return,
                    },
                    () = sleep(due.unwrap_or_default()), if due.is_some() => {
                        reminders.take_due(minutes, steady()).into_iter().map(News::Reminder).collect()
                    }
                };
                for news in all {
                    reminders.note(&news, steady());
                    // Notifications are best effort; correctness never depends on them.
                    if sender.try_send(news).is_err() {
                        tracing::debug!("nobody listens for news");
                    }
                }
            }
        };
        (following, news)
    }

    fn fold(&self, frame: &Frame) -> Vec<News> {
        let mut mirror = self.mirror();
        let news = mirror.fold(frame);
        if concerns_the_user(frame) {
            set(&self.0.pending, listed(&mirror));
            set(&self.0.obstacles, update_obstacles(&mirror));
        }
        news
    }

    /// Locks what is known of the engine.
    pub fn mirror(&self) -> MutexGuard<'_, Mirror> {
        self.0.mirror.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn notifications(&self) -> MutexGuard<'_, Notifications> {
        self.0.notifications.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the settings as they are now.
    pub fn settings(&self) -> Settings {
        self.0.settings.borrow().clone()
    }

    pub fn now(&self) -> Timestamp {
        (self.0.clock.now)()
    }

    /// Returns what the window shows.
    pub fn view(&self) -> View {
        *self.0.view.borrow()
    }

    /// Notes what the window shows.
    pub fn note_view(&self, view: View) {
        self.0.view.send_replace(view);
    }

    pub fn watch_view(&self) -> watch::Receiver<View> {
        self.0.view.subscribe()
    }

    /// Watches what needs the user, oldest first.
    pub fn watch_pending(&self) -> watch::Receiver<Vec<PendingEntry>> {
        self.0.pending.subscribe()
    }

    /// Watches what keeps an update from being installed.
    pub fn watch_obstacles(&self) -> watch::Receiver<Vec<UpdateObstacle>> {
        self.0.obstacles.subscribe()
    }
}

/// Whether a frame can change what is pending, or what keeps an update from being installed.
fn concerns_the_user(frame: &Frame) -> bool {
    use askdesk_contract::frame::Change;
    let Frame::Delta(delta) = frame else { return true };
    let others = |change: &Change| matches!(change, Change::Session { .. } | Change::Outage { .. });
    delta.changes.iter().any(|change| is_about_standing(change) || others(change))
}

fn set<T: PartialEq>(watched: &watch::Sender<T>, now: T) {
    watched.send_if_modified(|before| {
        let changed = *before != now;
        *before = now;
        changed
    });
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::OnceLock;

    use askdesk_contract::frame::Change;
    use askdesk_domain::{ReminderMinutes, SessionState};
    use serde_json::json;
    use tokio::time::Instant;

    use super::*;
    use crate::fixtures::{delta, empty, open, request_id, session, session_id, snapshot};

    struct Queued(mpsc::UnboundedReceiver<Frame>);

    impl Frames for Queued {
        fn next(&mut self) -> Pin<Box<dyn Future<Output = Option<Frame>> + Send + '_>> {
            Box::pin(self.0.recv())
        }

        fn take(&mut self) -> Option<Frame> {
            self.0.try_recv().ok()
        }
    }

    fn steady() -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn the_desk_follows_its_frames_reminds_of_a_question_and_ends_with_them() {
        let mut now = empty();
        now["sessions"] = json!([session(SessionState::Idle)]);
        let remind_minutes = ReminderMinutes::try_from(5).unwrap();
        let (_settings, watched) = watch::channel(Settings { remind_minutes, ..Settings::default() });
        let clock = Clock { now: || Timestamp::from_millis(0), steady };
        let desk = Desk::new(&snapshot(now), watched, clock);
        let (frames, queued) = mpsc::unbounded_channel();
        let (following, mut news) = desk.follow(Box::new(Queued(queued)));
        let following = tokio::spawn(following);
        frames.send(delta(vec![Change::Request { request: open(1) }])).unwrap();
        assert_eq!(news.recv().await, Some(News::Asked(request_id(1))));
        assert_eq!(desk.watch_pending().borrow().len(), 1);
        assert_eq!(*desk.watch_obstacles().borrow(), [UpdateObstacle::QuestionOpen]);
        let asked = Instant::now();
        assert_eq!(news.recv().await, Some(News::Reminder(request_id(1))));
        assert_eq!(asked.elapsed().as_secs(), 300);
        frames.send(delta(vec![Change::SessionClosed { session: session_id(1) }])).unwrap();
        assert_eq!(news.recv().await, Some(News::Ended(request_id(1))));
        drop(frames);
        following.await.unwrap();
        assert_eq!(news.recv().await, None);
        assert_eq!(desk.watch_pending().borrow().len(), 0);
    }
}
