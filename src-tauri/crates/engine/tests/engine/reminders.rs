//! Notifications of new questions, and one reminder after the time that the user set.

use crate::support::agents::Stage;
use crate::support::desk::{PATIENCE, TestDesk, ask, choose};
use askdesk_domain::{Ask, RequestId, Setting};
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
        let mut desk = TestDesk::started().await;
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
    let mut desk = TestDesk::started().await;
    let id = asked(&desk, 1).await;
    assert!(matches!(desk.notifications.try_recv(), Ok(NotificationEvent::Asked { .. })));
    assert_eq!(desk.ask(1, 1).await.0, id);
    assert!(desk.notifications.try_recv().is_err(), "the same call again");
    let mut desk = desk.reopened().await;
    let events = desk.notified();
    assert!(matches!(&events[..], [NotificationEvent::Ended { request }] if *request == id), "{events:?}");
}

/// A background helper asks, and the turn ends before the answer; after it the agent has another turn.
const HELPER_ASKS: &str = r#"
    init() { echo '{"type":"system","subtype":"init","session_id":"s"}'; }
    ended() { echo '{"type":"result","subtype":"success","is_error":false,"duration_ms":5,"result":"","usage":{}}'; }
    init
    echo '{"type":"system","subtype":"task_started","task_id":"h","tool_use_id":"toolu_agent","description":"Look around","is_backgrounded":true,"task_type":"local_agent"}'
    echo '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","tool_use_id":"t1","agent_id":"h","input":{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}]}}}'
    ended
    while read -r line; do
        case "$line" in *'"control_response"'*)
            init
            echo '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"fine"}]}}'
            ended ;;
        esac
    done
"#;

/// Waits for a finished turn; returns whether something is open in its session.
async fn finished_with_something_open(stage: &mut Stage) -> bool {
    loop {
        let told = tokio::time::timeout(PATIENCE, stage.desk.notifications.recv()).await;
        if let NotificationEvent::Finished { waits, .. } = told.unwrap().unwrap() {
            return waits;
        }
    }
}

#[tokio::test]
async fn case_40_a_session_with_an_open_question_has_not_finished() {
    let mut stage = Stage::open().await;
    let session = stage.script(HELPER_ASKS, None).await;
    let request = stage.asked_one(session).await;
    assert!(finished_with_something_open(&mut stage).await);
    stage.answer(&request, "B").await;
    stage.until_delivered(request.id).await;
    assert!(!finished_with_something_open(&mut stage).await);
    stage.stop(session).await;
}
