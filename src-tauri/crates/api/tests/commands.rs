//! The commands as the window calls them.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    reason = "what tests share may fail the test"
)]

#[path = "support/desk.rs"]
mod desk;

use askdesk_api::AtWork;
use askdesk_domain::{Delivery, Request, SessionState};
use desk::{Bridge, demo, fresh};
use rstest::rstest;
use serde_json::{Value, json};

fn answer(request: &Request, option: &str) -> Value {
    let answers = json!([{"question": "q1", "chosen": [option]}]);
    json!({"requestId": fresh(), "id": request.id, "answers": answers})
}

fn is_delivered(request: &Request) -> bool {
    matches!(request.ended().and_then(|it| it.delivery.as_ref()), Some(Delivery::Delivered { .. }))
}

#[tokio::test]
async fn answer_question_answers_and_the_agent_gets_it_once() {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    let input = answer(&request, "q1o2");
    let answered = bridge.call("answer_question", input.clone()).await.unwrap();
    assert_eq!(
        (&answered["id"], &answered["state"]["outcome"]["outcome"]),
        (&json!(request.id), &json!("answered"))
    );
    bridge.until("it is delivered", |now| is_delivered(&now.requests[0])).await;
    let again = bridge.call("answer_question", input).await.unwrap();
    assert_eq!(again["state"]["at"], answered["state"]["at"]);
    assert_eq!(bridge.decisions(), 1);
}

#[tokio::test]
async fn case_24_an_unknown_question_is_not_found_and_nothing_is_sent() {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    let before = bridge.snapshot().await;
    for (name, more) in [
        ("answer_question", json!({"answers": [{"question": "q1", "chosen": ["q1o1"]}]})),
        ("decline_question", json!({"words": "no"})),
        ("cancel_question", json!({})),
        ("retry_delivery", json!({})),
    ] {
        let mut input = more;
        input["requestId"] = json!(fresh());
        input["id"] = json!(fresh());
        assert_ne!(input["id"], json!(request.id));
        let error = bridge.refused(name, input).await;
        assert_eq!((&error["code"], &error["ended"]), (&json!("not_found"), &json!(null)), "{name}: {error}");
    }
    assert_eq!(bridge.snapshot().await, before);
    assert_eq!(bridge.decisions(), 0);
}

#[tokio::test]
async fn case_24_another_answer_to_an_ended_question_says_who_ended_it_and_when() {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    bridge.call("answer_question", answer(&request, "q1o2")).await.unwrap();
    let before = bridge.until("it is delivered", |now| is_delivered(&now.requests[0])).await;
    let ended = before.requests[0].ended().unwrap();
    let expected = json!({"by": "person", "at": ended.at});
    let others = [
        ("answer_question", answer(&request, "q1o1")),
        ("decline_question", json!({"requestId": fresh(), "id": request.id})),
        ("cancel_question", json!({"requestId": fresh(), "id": request.id})),
    ];
    for (name, input) in others {
        let error = bridge.refused(name, input).await;
        assert_eq!(
            (&error["code"], &error["ended"]),
            (&json!("already_ended"), &expected),
            "{name}: {error}"
        );
    }
    let after = bridge.snapshot().await;
    assert_eq!(after.requests, before.requests);
    assert_eq!(bridge.decisions(), 1);
}

#[rstest]
#[case::missing(json!("/nowhere/at/all"), "folder_missing", "it does not exist; create it, or choose another")]
#[case::a_file(json!("/etc/passwd"), "folder_missing", "it is a file, not a folder")]
#[case::relative(json!("src/notes"), "folder_missing", "the path must begin at the root or with ~")]
#[case::another_persons_home(json!("~somebody/x"), "folder_missing", "the path must begin at the root or with ~")]
#[case::none(json!(null), "invalid", "name the folder the agent shall work in")]
#[case::blank(json!("  "), "invalid", "name the folder the agent shall work in")]
#[case::endless(json!(format!("/{}", "x".repeat(5_000))), "invalid", "at most 4096 bytes")]
#[tokio::test]
async fn a_folder_that_cannot_be_worked_in_is_said_before_anything_starts(
    #[case] folder: Value,
    #[case] code: &str,
    #[case] words: &str,
) {
    let bridge = Bridge::open();
    let before = bridge.snapshot().await;
    let input =
        json!({"requestId": fresh(), "agent": "claude_code", "folder": folder, "program": "/bin/false"});
    let error = bridge.refused("start_session", input).await;
    assert_eq!((&error["code"], &error["field"]), (&json!(code), &json!("folder")), "{error}");
    assert!(error["message"].as_str().unwrap().contains(words), "{error}");
    assert_eq!(bridge.snapshot().await, before);
}

#[tokio::test]
async fn a_program_that_is_missing_is_an_ended_session_that_says_how_to_get_it() {
    let bridge = Bridge::open();
    let folder = bridge.folder.path().display().to_string();
    let input = json!({
        "requestId": fresh(), "agent": "claude_code", "folder": folder, "program": "/nowhere/claude", "prompt": "hi"
    });
    let session = bridge.call("start_session", input).await.unwrap();
    let why = session["state"]["end"]["why"].as_str().unwrap();
    assert!(
        why.starts_with("claude was not found. Looked at: /nowhere/claude. Install Claude Code"),
        "{why}"
    );
    let read = json!({"session": session["id"], "limit": 10});
    let page = bridge.call("read_transcript", read).await.unwrap();
    assert_eq!(page["entries"][0]["body"], json!({"kind": "person", "text": "hi"}));
    let log = bridge.call("read_log", json!({"session": session["id"]})).await.unwrap();
    assert_eq!(log["lines"][0]["text"], why);
}

#[tokio::test]
async fn start_session_with_one_request_id_starts_one_session_however_often_it_comes() {
    let bridge = Bridge::open();
    let input = demo("technology");
    let mut ids = Vec::new();
    for _ in 0..8 {
        ids.push(bridge.call("start_session", input.clone()).await.unwrap()["id"].clone());
    }
    let (one, other) = tokio::join!(
        bridge.call("start_session", demo("technology")),
        bridge.call("start_session", input.clone())
    );
    assert!(ids.iter().all(|id| *id == ids[0]) && other.unwrap()["id"] == ids[0]);
    assert_ne!(one.unwrap()["id"], ids[0]);
    assert_eq!(bridge.snapshot().await.sessions.len(), 2);
}

#[tokio::test]
async fn two_starts_of_one_request_id_at_one_moment_are_one() {
    let bridge = Bridge::open();
    let input = demo("technology");
    let (one, other) = tokio::join!(
        bridge.call("start_session", input.clone()),
        bridge.call("start_session", input.clone())
    );
    assert_eq!(one.unwrap()["id"], other.unwrap()["id"]);
    assert_eq!(bridge.snapshot().await.sessions.len(), 1);
}

#[tokio::test]
async fn a_start_that_failed_may_be_sent_again_under_its_request_id() {
    let bridge = Bridge::open();
    let later = bridge.folder.path().join("later");
    let mut input = demo("technology");
    input["folder"] = json!(later);
    assert_eq!(bridge.refused("start_session", input.clone()).await["code"], "folder_missing");
    std::fs::create_dir(&later).unwrap();
    let session = bridge.call("start_session", input).await.unwrap();
    assert_eq!(session["folder"], json!(later));
}

#[tokio::test]
async fn a_request_id_that_was_used_for_another_command_is_refused_and_the_command_not_lost() {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    let id = fresh();
    let interrupt = json!({"requestId": id, "session": request.session});
    bridge.call("interrupt_session", interrupt).await.unwrap();
    let message = json!({"requestId": id, "session": request.session, "text": "are you there?"});
    let error = bridge.refused("send_message", message).await;
    assert_eq!((&error["code"], &error["field"]), (&json!("invalid"), &json!("requestId")), "{error}");
}

#[tokio::test]
async fn a_message_sent_again_under_its_request_id_is_said_once() {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    let message = json!({"requestId": fresh(), "session": request.session, "text": "let us talk"});
    bridge.call("send_message", message.clone()).await.unwrap();
    bridge.call("send_message", message).await.unwrap();
    let page =
        bridge.call("read_transcript", json!({"session": request.session, "limit": 100})).await.unwrap();
    let said = page["entries"].as_array().unwrap().iter();
    assert_eq!(
        said.filter(|entry| entry["body"] == json!({"kind": "person", "text": "let us talk"})).count(),
        1
    );
}

#[tokio::test]
async fn case_36_looking_at_a_session_does_not_answer_or_clear_its_question() {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    let before = bridge.snapshot().await;
    for focused in [true, false] {
        for session in [json!(request.session), json!(null)] {
            bridge.call("note_view", json!({"session": session, "focused": focused})).await.unwrap();
            assert_eq!(bridge.snapshot().await, before);
        }
    }
    assert_eq!(bridge.api.view(), askdesk_api::View { session: None, focused: false });
    bridge.call("note_painted", json!({"request": request.id, "at": 7})).await.unwrap();
    assert_eq!(bridge.painted.lock().unwrap()[0].request, Some(request.id));
    assert_eq!(bridge.snapshot().await, before);
    assert_eq!(bridge.decisions(), 0);
}

#[tokio::test]
async fn what_would_stop_with_the_app_is_counted() {
    let bridge = Bridge::open();
    assert_eq!(bridge.api.at_work().await.unwrap(), AtWork::default());
    let request = bridge.asked("technology").await;
    let asked = AtWork { sessions: 1, questions: 1, approvals: 0 };
    assert_eq!(bridge.api.at_work().await.unwrap(), asked);
    let stop = json!({"requestId": fresh(), "session": request.session});
    bridge.call("stop_session", stop).await.unwrap();
    assert_eq!(bridge.api.at_work().await.unwrap(), AtWork::default());
}

#[tokio::test]
async fn a_setting_that_is_changed_is_read_and_told_and_stands_in_the_file() {
    let bridge = Bridge::open();
    let mut told = bridge.api.settings().watch();
    let change = json!({"change": {"setting": "text_size", "value": 150}});
    let changed = bridge.call("change_setting", change).await.unwrap();
    assert_eq!(changed["settings"]["textSize"], 150);
    assert_eq!(bridge.call("read_settings", json!({})).await.unwrap(), changed);
    assert!(told.has_changed().unwrap());
    assert!((told.borrow_and_update().text_size.factor() - 1.5).abs() < f64::EPSILON);
    let file = std::fs::read_to_string(changed["file"].as_str().unwrap()).unwrap();
    assert!(file.contains("text_size = 150"), "{file}");

    let too_large = json!({"change": {"setting": "text_size", "value": 1_000}});
    let refused = bridge.refused("change_setting", too_large).await;
    assert_eq!(refused["code"], "invalid");
    assert!(refused["message"].as_str().unwrap().contains("between 80 and 200"), "{refused}");
    assert_eq!(bridge.call("read_settings", json!({})).await.unwrap(), changed);
}

#[tokio::test]
async fn stop_session_ends_it_and_later_commands_say_that_it_is_gone() {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    let stop = json!({"requestId": fresh(), "session": request.session});
    bridge.call("stop_session", stop.clone()).await.unwrap();
    let now = bridge.snapshot().await;
    assert!(matches!(now.sessions[0].state, SessionState::Ended { .. }));
    bridge.call("stop_session", stop).await.unwrap();
    let message = json!({"requestId": fresh(), "session": request.session, "text": "hello?"});
    assert_eq!(bridge.refused("send_message", message).await["code"], "session_gone");
}

#[tokio::test]
async fn case_35_a_message_is_queued_once_changed_and_taken_back_while_the_question_stays_open() {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    let session = request.session;
    let message = json!({"requestId": fresh(), "session": session, "text": "then add tests"});
    let queued = bridge.call("queue_message", message.clone()).await.unwrap();
    bridge.call("queue_message", message).await.unwrap();
    let now = bridge.snapshot().await;
    assert_eq!(now.sessions[0].queue.len(), 1);
    let id = &queued["queue"][0]["id"];
    let edit = json!({"requestId": fresh(), "session": session, "id": id, "text": "then add many tests"});
    let edited = bridge.call("edit_queued", edit).await.unwrap();
    assert_eq!(edited["queue"], json!([{"id": id, "text": "then add many tests"}]));
    let send = json!({"requestId": fresh(), "session": session, "id": id});
    assert_eq!(bridge.refused("send_queued", send).await["field"], "session");
    let remove = json!({"requestId": fresh(), "session": session, "id": id});
    let removed = bridge.call("remove_queued", remove).await.unwrap();
    assert_eq!(removed["queue"], json!([]));
    assert!(bridge.snapshot().await.requests[0].is_open());
    assert_eq!(bridge.decisions(), 0);
}

#[tokio::test]
async fn the_agents_are_listed_with_what_the_demo_can_play() {
    let bridge = Bridge::open();
    let found = bridge.call("list_agents", json!({})).await.unwrap();
    let agents: Vec<_> =
        found["agents"].as_array().unwrap().iter().map(|agent| agent["agent"].clone()).collect();
    assert_eq!(agents, [json!("claude_code"), json!("demo")]);
    assert_eq!(found["examples"][0]["name"], "technology");
    let claude = &found["agents"][0];
    assert!(claude["program"].is_string() != claude["problem"].is_string(), "{claude}");
}

#[tokio::test]
async fn a_database_that_another_program_holds_is_busy_and_worth_another_try() {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    let other = rusqlite::Connection::open(bridge.folder.path().join("data/desk.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = bridge.refused("answer_question", answer(&request, "q1o1")).await;
    assert_eq!((&error["code"], &error["retryable"]), (&json!("storage_busy"), &json!(true)), "{error}");
    assert_eq!(bridge.decisions(), 0);
    other.execute_batch("ROLLBACK").unwrap();
    bridge.call("answer_question", answer(&request, "q1o1")).await.unwrap();
}

#[tokio::test]
async fn a_closing_app_says_so() {
    let bridge = Bridge::open();
    bridge.api.sessions().shut_down().await;
    let input = json!({"requestId": fresh(), "id": fresh(), "answers": []});
    assert_eq!(bridge.refused("answer_question", input).await["code"], "closing");
}
