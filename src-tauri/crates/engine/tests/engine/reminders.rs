//! What the person is told outside the window: by fresh questions alone, and once more after the time that is set.

use std::time::Duration;

use crate::support::desk::{PATIENCE, TestDesk, ask, choose, session};
use askdesk_domain::{Ask, Command, RequestId, SessionCommand, SessionNotifications, Setting};
use askdesk_engine::clock::Clock;
use askdesk_engine::{Catalog, NotificationEvent, SettingsFile, with_reminders};
use tokio::sync::{mpsc, oneshot};

const MINUTE: i64 = 60_000;
/// Long enough for a wrong notice to come.
const QUIET: Duration = Duration::from_millis(300);

fn remind_after(file: &SettingsFile, desk: &TestDesk, minutes: u16) {
    file.change(&Setting::RemindMinutes(minutes.try_into().unwrap()), desk.clock.now()).unwrap();
}

fn reminded(desk: &mut TestDesk, file: &SettingsFile) -> mpsc::Receiver<NotificationEvent> {
    let (_, nobody) = mpsc::channel(1);
    let attention = std::mem::replace(&mut desk.notifications, nobody);
    let (told, reminding) = with_reminders(&desk.engine, file.watch(), attention);
    tokio::spawn(reminding);
    told
}

async fn asked(desk: &TestDesk, n: u128) -> RequestId {
    let (waiter, _outcome) = oneshot::channel();
    desk.engine.register(Ask { at: desk.clock.now(), ..ask(1, n) }, waiter).await.unwrap()
}

async fn next(told: &mut mpsc::Receiver<NotificationEvent>) -> (&'static str, RequestId) {
    match tokio::time::timeout(PATIENCE, told.recv()).await.expect("something is told in time").unwrap() {
        NotificationEvent::Asked { request, .. } => ("asked", request.id),
        NotificationEvent::Reminder { request, .. } => ("still waits", request.id),
        NotificationEvent::Ended { request } => ("ended", request),
        other => panic!("{other:?}"),
    }
}

async fn is_silent(told: &mut mpsc::Receiver<NotificationEvent>) {
    tokio::time::sleep(QUIET).await;
    assert!(told.try_recv().is_err());
}

#[tokio::test]
async fn an_open_question_is_told_of_once_more_after_the_time_that_is_set_and_never_again() {
    let mut desk = TestDesk::open().await;
    let file = SettingsFile::open(&desk.folder, Catalog::default());
    remind_after(&file, &desk, 5);
    let mut told = reminded(&mut desk, &file);
    desk.start(1).await;
    let id = asked(&desk, 1).await;
    assert_eq!(next(&mut told).await, ("asked", id));
    desk.clock.advance(5 * MINUTE - 1);
    is_silent(&mut told).await;
    desk.clock.advance(1);
    assert_eq!(next(&mut told).await, ("still waits", id));
    desk.clock.advance(24 * 60 * MINUTE);
    is_silent(&mut told).await;
}

#[tokio::test]
async fn a_question_that_was_answered_in_time_is_told_of_no_more() {
    let mut desk = TestDesk::open().await;
    let file = SettingsFile::open(&desk.folder, Catalog::default());
    remind_after(&file, &desk, 5);
    let mut told = reminded(&mut desk, &file);
    desk.start(1).await;
    let id = asked(&desk, 1).await;
    desk.engine.answer(id, vec![choose(0, &[0])]).await.unwrap();
    assert_eq!([next(&mut told).await, next(&mut told).await], [("asked", id), ("ended", id)]);
    desk.clock.advance(60 * MINUTE);
    is_silent(&mut told).await;
}

#[tokio::test]
async fn by_itself_nothing_is_told_twice_and_a_reminder_that_is_set_later_holds_for_what_is_open() {
    let mut desk = TestDesk::open().await;
    let file = SettingsFile::open(&desk.folder, Catalog::default());
    let mut told = reminded(&mut desk, &file);
    desk.start(1).await;
    let id = asked(&desk, 1).await;
    assert_eq!(next(&mut told).await, ("asked", id));
    desk.clock.advance(14 * MINUTE);
    is_silent(&mut told).await;
    remind_after(&file, &desk, 15);
    is_silent(&mut told).await;
    desk.clock.advance(MINUTE);
    assert_eq!(next(&mut told).await, ("still waits", id));
}

#[tokio::test]
async fn case_39_a_restart_tells_of_nothing_that_was_asked_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = TestDesk::open_at(folder.path()).await;
    desk.start(1).await;
    let id = asked(&desk, 1).await;
    assert!(matches!(desk.notifications.try_recv(), Ok(NotificationEvent::Asked { .. })));
    let (waiter, _outcome) = oneshot::channel();
    assert_eq!(desk.engine.register(ask(1, 1), waiter).await.unwrap(), id);
    assert!(desk.notifications.try_recv().is_err(), "the same call is no news");
    desk.engine.close().await.unwrap();
    let mut desk = TestDesk::open_at(folder.path()).await;
    let told: Vec<NotificationEvent> = std::iter::from_fn(|| desk.notifications.try_recv().ok()).collect();
    assert!(matches!(&told[..], [NotificationEvent::Ended { request }] if *request == id), "{told:?}");
}

#[tokio::test]
async fn what_is_set_for_a_session_is_shown_at_once_and_holds_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = TestDesk::open_at(folder.path()).await;
    desk.start(1).await;
    let attention = SessionNotifications { muted: true, private: true };
    let set =
        Command::Session(SessionCommand::SetNotifications { session: session(1), notifications: attention });
    assert_eq!(desk.engine.act(set).await.unwrap().session.unwrap().notifications, attention);
    desk.check_mirror().await;
    desk.engine.close().await.unwrap();
    let desk = TestDesk::open_at(folder.path()).await;
    assert_eq!(desk.snapshot().await.sessions[0].notifications, attention);
}
