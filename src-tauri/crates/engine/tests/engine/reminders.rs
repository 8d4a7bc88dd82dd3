//! Notifications of new questions, and one reminder after the time that the user set.

use crate::support::desk::{PATIENCE, TestDesk, ask, choose, session};
use askdesk_domain::{Ask, Command, RequestId, SessionCommand, SessionNotifications, Setting};
use askdesk_engine::clock::Clock;
use askdesk_engine::{Catalog, NotificationEvent, SettingsFile, with_reminders};
use rstest::rstest;
use std::time::Duration;
use tokio::sync::mpsc;

const MINUTE: i64 = 60_000;

/// A desk with a session and reminders.
struct Reminded {
    desk: TestDesk,
    file: SettingsFile,
    events: mpsc::Receiver<NotificationEvent>,
}

impl Reminded {
    async fn open() -> Self {
        let mut desk = TestDesk::open().await;
        desk.start(1).await;
        let file = SettingsFile::open(&desk.folder, Catalog::default());
        let (_, nobody) = mpsc::channel(1);
        let notifications = std::mem::replace(&mut desk.notifications, nobody);
        let (events, reminding) = with_reminders(&desk.engine, file.watch(), notifications);
        tokio::spawn(reminding);
        Self { desk, file, events }
    }

    fn remind_after(&self, minutes: u16) {
        let setting = Setting::RemindMinutes(minutes.try_into().unwrap());
        self.file.change(&setting, self.desk.clock.now()).unwrap();
    }

    async fn next(&mut self) -> (&'static str, RequestId) {
        match tokio::time::timeout(PATIENCE, self.events.recv()).await.expect("an event in time").unwrap() {
            NotificationEvent::Asked { request, .. } => ("asked", request.id),
            NotificationEvent::Reminder { request, .. } => ("reminder", request.id),
            NotificationEvent::Ended { request } => ("ended", request),
            other => panic!("{other:?}"),
        }
    }

    /// Waits until the next reminder is due in a time and nothing is due before, and fails if there was an event.
    async fn is_silent_for(&mut self, millis: i64) {
        let due = self.desk.clock.after(Duration::from_millis(millis.unsigned_abs()));
        self.desk.until_awaited(due).await;
        assert!(self.events.try_recv().is_err());
    }

    /// Lets the reminder task do what is due now, and fails if there was an event.
    async fn is_silent_now(&mut self) {
        // The runtime of a test has one thread: the task runs while the test yields.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert!(self.events.try_recv().is_err());
    }

    /// Asks another question and lets its reminder come. Reminders come in order, so all earlier ones have come then.
    async fn remind_of_another(&mut self) {
        let id = asked(&self.desk, 2).await;
        assert_eq!(self.next().await, ("asked", id));
        self.desk.clock.advance(60 * MINUTE);
        assert_eq!(self.next().await, ("reminder", id));
    }
}

async fn asked(desk: &TestDesk, n: u128) -> RequestId {
    desk.register(Ask { at: desk.clock.now(), ..ask(1, n) }).await.0
}

#[tokio::test]
async fn an_open_question_has_one_reminder_after_the_time_that_is_set() {
    let mut reminded = Reminded::open().await;
    reminded.remind_after(5);
    let id = asked(&reminded.desk, 1).await;
    assert_eq!(reminded.next().await, ("asked", id));
    reminded.desk.clock.advance(5 * MINUTE - 1);
    reminded.is_silent_for(1).await;
    reminded.desk.clock.advance(1);
    assert_eq!(reminded.next().await, ("reminder", id));
    reminded.desk.clock.advance(24 * 60 * MINUTE);
    reminded.remind_of_another().await;
}

#[rstest]
#[case::forward(24 * 60 * MINUTE)]
#[case::back(-24 * 60 * MINUTE)]
#[tokio::test]
async fn case_134_a_reminder_comes_after_the_same_time_when_the_clock_is_set(#[case] by: i64) {
    let mut reminded = Reminded::open().await;
    reminded.remind_after(5);
    let id = asked(&reminded.desk, 1).await;
    assert_eq!(reminded.next().await, ("asked", id));
    reminded.desk.clock.advance(4 * MINUTE);
    reminded.desk.clock.set(by);
    // The clock is looked at with the next event, at the latest.
    let other = asked(&reminded.desk, 2).await;
    assert_eq!(reminded.next().await, ("asked", other));
    reminded.is_silent_for(MINUTE).await;
    reminded.desk.clock.advance(MINUTE);
    assert_eq!(reminded.next().await, ("reminder", id));
}

#[tokio::test]
async fn a_question_that_was_answered_in_time_has_no_reminder() {
    let mut reminded = Reminded::open().await;
    reminded.remind_after(5);
    let id = asked(&reminded.desk, 1).await;
    reminded.desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap();
    assert_eq!([reminded.next().await, reminded.next().await], [("asked", id), ("ended", id)]);
    reminded.desk.clock.advance(60 * MINUTE);
    reminded.remind_of_another().await;
}

#[tokio::test]
async fn by_default_there_is_no_reminder_and_one_that_is_set_later_holds_for_open_questions() {
    let mut reminded = Reminded::open().await;
    let id = asked(&reminded.desk, 1).await;
    assert_eq!(reminded.next().await, ("asked", id));
    reminded.desk.clock.advance(14 * MINUTE);
    reminded.is_silent_now().await;
    reminded.remind_after(15);
    reminded.is_silent_for(MINUTE).await;
    reminded.desk.clock.advance(MINUTE);
    assert_eq!(reminded.next().await, ("reminder", id));
}

#[tokio::test]
async fn case_39_a_restart_notifies_of_no_earlier_question() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = TestDesk::open_at(folder.path()).await;
    desk.start(1).await;
    let id = asked(&desk, 1).await;
    assert!(matches!(desk.notifications.try_recv(), Ok(NotificationEvent::Asked { .. })));
    assert_eq!(desk.ask(1, 1).await.0, id);
    assert!(desk.notifications.try_recv().is_err(), "the same call again");
    desk.engine.close().await.unwrap();
    let mut desk = TestDesk::open_at(folder.path()).await;
    let events = desk.notified();
    assert!(matches!(&events[..], [NotificationEvent::Ended { request }] if *request == id), "{events:?}");
}

#[tokio::test]
async fn notification_settings_of_a_session_are_shown_at_once_and_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = TestDesk::open_at(folder.path()).await;
    desk.start(1).await;
    let notifications = SessionNotifications { muted: true, private: true };
    let set = Command::Session(SessionCommand::SetNotifications { session: session(1), notifications });
    assert_eq!(desk.engine.act(set).await.unwrap().session.unwrap().notifications, notifications);
    desk.check_mirror().await;
    desk.engine.close().await.unwrap();
    let desk = TestDesk::open_at(folder.path()).await;
    assert_eq!(desk.snapshot().await.sessions[0].notifications, notifications);
}
