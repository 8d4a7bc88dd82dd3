//! The commands as the window calls them.

use crate::bridge::{Bridge, assert_invalid, claude_code, demo, fresh};
use askdesk_contract::UnappliedReason;
use askdesk_contract::frame::Snapshot;
use askdesk_desk::RunningWork;
use askdesk_domain::{Delivery, OptIn, Request, SessionState};
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
async fn case_52_hold_end_waits_as_long_as_is_set_and_a_command_sent_again_holds_nothing_anew() {
    let bridge = Bridge::open();
    let change = json!({"change": {"setting": "undo_seconds", "value": 1}});
    bridge.call("change_setting", change).await.unwrap();
    let request = bridge.asked("technology").await;
    let chosen = |option| {
        let end = json!({"end": "answered", "answers": [{"question": "q1", "chosen": [option]}]});
        json!({"requestId": fresh(), "id": request.id, "end": end})
    };
    let input = chosen("q1o2");
    bridge.call("hold_end", input.clone()).await.unwrap();
    let held = bridge.snapshot().await.held;
    assert_eq!(held.iter().map(|it| it.until.millis() - it.since.millis()).collect::<Vec<_>>(), [1_000]);
    bridge.run("undo_end", json!({"id": request.id})).await;
    bridge.call("hold_end", input).await.unwrap();
    assert_eq!(bridge.snapshot().await.held, []);
    assert_eq!(bridge.decisions(), 0);
    bridge.call("hold_end", chosen("q1o1")).await.unwrap();
    let now = bridge.until("it is delivered", |now| is_delivered(&now.requests[0])).await;
    assert_eq!(now.held, []);
    assert_eq!(bridge.decisions(), 1);
}

#[tokio::test]
async fn case_24_another_answer_to_an_ended_question_says_who_ended_it_and_when() {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    bridge.call("answer_question", answer(&request, "q1o2")).await.unwrap();
    let before = bridge.until("it is delivered", |now| is_delivered(&now.requests[0])).await;
    let ended = before.requests[0].ended().unwrap();
    let expected = json!({"by": "user", "at": ended.at});
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
#[case::missing(json!("/nowhere/at/all"), "folder_missing", "it doesn't exist")]
#[case::a_file(json!("/etc/passwd"), "folder_missing", "it isn't a folder")]
#[case::relative(json!("src/notes"), "folder_missing", "the path must be absolute or start with ~")]
#[case::another_users_home(json!("~somebody/x"), "folder_missing", "the path must be absolute or start with ~")]
#[case::none(json!(null), "invalid", "choose a folder for the agent to work in")]
#[case::blank(json!("  "), "invalid", "choose a folder for the agent to work in")]
#[case::endless(json!(format!("/{}", "x".repeat(5_000))), "invalid", "the limit is 4096")]
#[tokio::test]
async fn a_folder_that_cannot_be_worked_in_is_said_before_anything_starts(
    #[case] folder: Value,
    #[case] code: &str,
    #[case] words: &str,
) {
    let bridge = Bridge::open();
    let before = bridge.snapshot().await;
    let input = json!({"requestId": fresh(), "agent": "claude_code", "folder": folder, "options": {"program": "/bin/false"}});
    let error = bridge.refused("start_session", input).await;
    assert_eq!((&error["code"], &error["field"]), (&json!(code), &json!("folder")), "{error}");
    assert!(error["message"].as_str().unwrap().contains(words), "{error}");
    assert_eq!(bridge.snapshot().await, before);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_that_does_not_respond_holds_up_no_other_command() {
    use askdesk_testkit::hung_disk::HungDisk;
    use std::sync::mpsc::{RecvTimeoutError, channel};
    let test = "a_folder_that_does_not_respond_holds_up_no_other_command";
    let Some(disk) = HungDisk::mount_or_skip(test) else { return };
    let bridge = Bridge::open();
    let folder = disk.path().join("project");
    let (over, is_over) = channel::<()>();
    // All commands run on one thread. If it waits for the folder, the disk must end, too.
    let end = std::thread::spawn(move || {
        let in_time =
            is_over.recv_timeout(std::time::Duration::from_secs(20)) != Err(RecvTimeoutError::Timeout);
        drop(disk);
        in_time
    });
    let input = json!({"requestId": fresh(), "agent": "claude_code", "folder": folder, "options": {"program": "/bin/false"}});
    let (refused, read) = tokio::join!(bridge.refused("start_session", input), async {
        let read = bridge.call("read_settings", json!({})).await;
        drop(over);
        read
    });
    assert!(end.join().unwrap(), "another command waited for the folder");
    assert!(read.is_ok());
    assert_eq!(refused["code"], "folder_missing", "{refused}");
}

#[tokio::test]
async fn a_session_is_named_after_its_first_message_unless_the_user_chose_a_name() {
    let bridge = Bridge::open();
    let mut named = Vec::new();
    for (prompt, name) in [
        (json!("# Fix the **login** page.\nIt fails since Monday."), None),
        (json!("Fix the login page"), Some("Doors")),
        (json!("/init"), None),
        (Value::Null, None),
    ] {
        let mut input = claude_code(&bridge, "technology", &json!({}));
        (input["prompt"], input["name"]) = (prompt, json!(name));
        named.push(bridge.call("start_session", input).await.unwrap());
    }
    let folder = bridge.folder.path().file_name().unwrap().to_string_lossy();
    let names: Vec<_> = named.iter().map(|session| session["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Fix the login page", "Doors", &folder, &folder]);

    let say = async |text: &str| {
        let message =
            json!({"requestId": fresh(), "session": named[3]["id"], "text": text, "attachments": []});
        bridge.call("send_message", message).await.unwrap();
    };
    let last: askdesk_domain::SessionId = serde_json::from_value(named[3]["id"].clone()).unwrap();
    say("Look at the tests").await;
    bridge
        .until("it is named", |now| {
            now.sessions.iter().any(|it| it.id == last && it.name == "Look at the tests")
        })
        .await;
}

#[tokio::test]
async fn start_session_with_one_request_id_starts_one_session_however_often_it_comes() {
    let bridge = Bridge::open();
    let input = demo("technology");
    let start = async || bridge.call("start_session", input.clone()).await.unwrap()["id"].clone();
    let (first, at_the_same_moment) = tokio::join!(start(), start());
    let other = bridge.call("start_session", demo("technology"));
    let (later, other) = tokio::join!(start(), other);
    assert_eq!((&at_the_same_moment, &later), (&first, &first));
    assert_ne!(other.unwrap()["id"], first);
    assert_eq!(bridge.snapshot().await.sessions.len(), 2);
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
    assert_invalid(&error, "requestId");
}

#[tokio::test]
async fn the_desk_hears_what_the_window_shows_and_its_notification_log_is_read() {
    let bridge = Bridge::open();
    bridge.call("note_view", json!({"session": null, "focused": true})).await.unwrap();
    assert!(bridge.host.views.lock().unwrap()[0].focused);
    let entry = json!({
        "at": 1, "session": "", "waiting": null, "occasion": "budget", "decision": {"decision": "notify", "why": "whole"}
    });
    bridge.host.log.lock().unwrap().push(serde_json::from_value(entry.clone()).unwrap());
    let read = bridge.call("read_notification_log", json!({})).await.unwrap();
    assert_eq!(read, json!({"entries": [entry]}));
}

#[tokio::test]
async fn case_129_a_card_with_several_questions_counts_once_before_quitting() {
    let bridge = Bridge::open();
    assert_eq!(bridge.asked("four").await.questions.len(), 4);
    assert_eq!(bridge.desk().await.mirror().running_work().questions, 1);
}

#[tokio::test]
async fn what_would_stop_with_the_app_is_counted() {
    let bridge = Bridge::open();
    assert_eq!(bridge.desk().await.mirror().running_work(), RunningWork::default());
    let request = bridge.asked("technology").await;
    let asked = RunningWork { sessions: 1, questions: 1, approvals: 0 };
    assert_eq!(bridge.desk().await.mirror().running_work(), asked);
    bridge.run("stop_session", json!({"session": request.session})).await;
    assert_eq!(bridge.desk().await.mirror().running_work(), RunningWork::default());
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
    assert!(refused["message"].as_str().unwrap().contains("from 80 to 200"), "{refused}");
    assert_eq!(bridge.call("read_settings", json!({})).await.unwrap(), changed);
}

#[tokio::test]
async fn each_reading_of_the_settings_brings_the_system_in_line_and_names_what_it_refuses() {
    let bridge = Bridge::open();
    *bridge.host.refuses.lock().unwrap() = Some(UnappliedReason::System { error: "no".to_owned() });
    let change = |to: &str| json!({"change": {"setting": "start_at_login", "value": to}});
    let on = bridge.call("change_setting", change("on")).await.unwrap();
    assert_eq!(on["settings"]["startAtLogin"], "on");
    let refused = json!([{"setting": "start_at_login", "why": {"why": "system", "error": "no"}}]);
    assert_eq!(on["unmet"], refused);
    assert_eq!(bridge.call("read_settings", json!({})).await.unwrap(), on);
    let off = bridge.call("change_setting", change("off")).await.unwrap();
    assert_eq!(off["unmet"], json!([]));
    assert_eq!(*bridge.host.start_at_login.lock().unwrap(), [OptIn::On, OptIn::On, OptIn::Off]);
}

#[tokio::test]
async fn keys_that_another_program_has_are_kept_and_named_and_what_is_no_combination_is_refused() {
    let bridge = Bridge::open();
    *bridge.host.refuses.lock().unwrap() = Some(UnappliedReason::Taken);
    let change = |to: &str| json!({"change": {"setting": "global_shortcut", "value": to}});
    let on = bridge.call("change_setting", change("alt+ctrl+j")).await.unwrap();
    assert_eq!(on["settings"]["globalShortcut"], "Ctrl+Alt+J");
    assert_eq!(on["unmet"], json!([{"setting": "global_shortcut", "why": {"why": "taken"}}]));
    let refused = bridge.refused("change_setting", change("Shift+J")).await;
    assert_eq!(refused["code"], "invalid");
    assert!(refused.to_string().contains("no_shortcut"), "{refused}");
    let off = bridge.call("change_setting", change("off")).await.unwrap();
    assert_eq!((&off["settings"]["globalShortcut"], &off["unmet"]), (&json!("off"), &json!([])));
    assert_eq!(*bridge.host.shortcuts.lock().unwrap(), ["Ctrl+Alt+J", "off"]);
}

#[tokio::test]
async fn case_27_a_missed_question_is_answered_and_a_message_takes_the_session_up_again_with_the_answer_first()
 {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    let session = request.session;
    bridge.run("stop_session", json!({"session": session})).await;
    let parked = bridge.call("answer_question", answer(&request, "q1o2")).await.unwrap();
    assert_eq!(parked["state"]["delivery"], json!({"delivery": "parked"}));
    let message = json!({"requestId": fresh(), "session": session, "text": "and go on"});
    bridge.call("send_message", message.clone()).await.unwrap();
    bridge.call("send_message", message).await.unwrap();
    let is_late = |request: &Request| {
        let ended = request.ended().unwrap();
        matches!(ended.delivery, Some(Delivery::Delivered { late: true, .. }))
    };
    bridge.until("it is delivered late", |now| is_late(&now.requests[0])).await;
    bridge.until("both turns are over", |now| now.sessions[0].state == SessionState::Idle).await;
    let messages = bridge.messages();
    assert_eq!((messages.len(), messages[0].as_str(), messages[2].as_str()), (3, "go", "and go on"));
    assert!(messages[1].contains("Answer: \"PostgreSQL\""), "{messages:?}");
}

#[tokio::test]
async fn a_session_keeps_what_it_was_started_with_and_the_agent_runs_so() {
    let bridge = Bridge::open();
    let config = json!({"mode": "plan", "model": " a-model ", "effort": ""});
    let mut input = claude_code(&bridge, "technology", &config);
    input["options"]["questions"] = json!("plan_only");
    let program = input["options"]["program"].clone();
    let session = bridge.call("start_session", input).await.unwrap();
    assert_eq!(
        session["options"],
        json!({"config": {"mode": "plan", "model": "a-model"}, "questions": "plan_only", "program": program,
            "extras": {"arguments": [], "environment": {}}})
    );
    assert_eq!(session["origin"], json!({"machine": "local", "kind": "started", "agent": "claude_code"}));
    let asks = |now: &Snapshot| now.requests.iter().any(Request::is_open);
    let now = bridge.until("the question is open", asks).await;
    assert_eq!(now.sessions[0].model.as_deref(), Some("a-model"));
    assert_eq!(mode(&now), Some("plan"));
    let native = now.sessions[0].native_session.as_ref().expect("the agent said its own id");
    assert_ne!(native.as_str(), now.sessions[0].id.to_string());
}

/// The present permission mode of the one session.
fn mode(now: &Snapshot) -> Option<&str> {
    let option = now.sessions[0].config.iter().find(|option| option.id.as_str() == "mode")?;
    option.current.as_ref().map(askdesk_domain::ValueId::as_str)
}

#[rstest]
#[case::endless_model(json!({"config": {"model": "m".repeat(300)}}), "options.config.model")]
#[case::flag_as_model(json!({"config": {"model": "--resume"}}), "options.config.model")]
#[case::two_lines(json!({"config": {"model": "a\nb"}}), "options.config.model")]
#[case::endless_program(json!({"program": "p".repeat(5_000)}), "options.program")]
#[case::unknown_mode(json!({"config": {"mode": "yolo"}}), "options.config.mode")]
#[case::unknown_config_option(json!({"config": {"yolo": "x"}}), "options.config.yolo")]
#[case::unknown_option(json!({"yolo": true}), "options.yolo")]
#[tokio::test]
async fn an_option_that_does_not_fit_is_named_and_nothing_starts(
    #[case] options: Value,
    #[case] field: &str,
) {
    let bridge = Bridge::open();
    let folder = bridge.folder.path();
    let input = json!({"requestId": fresh(), "agent": "claude_code", "folder": folder, "options": options});
    let error = bridge.refused("start_session", input).await;
    assert_invalid(&error, field);
    assert!(bridge.snapshot().await.sessions.is_empty());
}

#[tokio::test]
async fn mode_and_model_are_changed_and_what_the_agent_refuses_is_said_in_its_words() {
    let bridge = Bridge::open();
    let started = bridge.call("start_session", claude_code(&bridge, "technology", &json!({}))).await.unwrap();
    bridge.until("it asks", |now| !now.requests.is_empty()).await;
    let set = |option: &str, value: &str| json!({"requestId": fresh(), "session": started["id"], "option": option, "value": value});
    bridge.call("set_config", set("mode", "accept_edits")).await.unwrap();
    bridge.until("the other mode", |now| mode(now) == Some("accept_edits")).await;
    let error = bridge.refused("set_config", set("mode", "bypass")).await;
    assert_eq!(error["code"], "agent_refused", "{error}");
    assert!(error["message"].as_str().unwrap().contains("bypassPermissions"), "{error}");

    for (option, value, field) in [
        ("model", " ", "value"),
        ("model", "-m", "value"),
        ("model", "a\u{7}b", "value"),
        ("mode", "yolo", "value"),
        ("effort", "low", "option"),
        ("color", "red", "option"),
    ] {
        let error = bridge.refused("set_config", set(option, value)).await;
        assert_invalid(&error, field);
    }
    bridge.call("set_config", set("model", " another ")).await.unwrap();
    bridge.until("the other model", |now| now.sessions[0].model.as_deref() == Some("another")).await;
    assert!(bridge.snapshot().await.requests[0].is_open());
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
