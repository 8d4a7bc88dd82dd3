//! What does not fit is refused with a code, a field where there is one, and nothing changed or sent.

use crate::bridge::{Bridge, fresh};
use askdesk_api::COMMAND_NAMES;
use rstest::rstest;
use serde_json::{Value, json};

/// A command with an input that it understands.
fn well_formed(name: &str) -> Value {
    let (request_id, id, session) = (fresh(), fresh(), fresh());
    match name {
        "answer_question" | "hold_answer" => json!({"requestId": request_id, "id": id, "answers": []}),
        "take_back_answer" | "decline_question" | "cancel_question" | "retry_delivery"
        | "dismiss_request" => {
            json!({"requestId": request_id, "id": id})
        }
        "decide_approval" => {
            json!({"requestId": request_id, "id": id, "decision": {"options": ["allow"]}})
        }
        "start_session" => json!({"requestId": request_id, "agent": "demo", "folder": "/nowhere/at/all"}),
        "send_message" | "queue_message" => {
            json!({"requestId": request_id, "session": session, "text": "hello"})
        }
        "attach_image" => {
            json!({"requestId": request_id, "session": session, "name": "shot.png", "data": ""})
        }
        "discard_attachments" => {
            let image = json!({"attachment": "image", "image": "0".repeat(64), "format": "png", "name": "shot", "bytes": 1});
            json!({"requestId": request_id, "session": session, "attachments": [image]})
        }
        "edit_queued" => {
            json!({"requestId": request_id, "session": session, "id": id, "text": "hello"})
        }
        "remove_queued" | "send_queued" => json!({"requestId": request_id, "session": session, "id": id}),
        "rename_session" => json!({"requestId": request_id, "session": session, "name": "api"}),
        "set_attention" => {
            json!({"requestId": request_id, "session": session, "attention": {"muted": true, "private": false}})
        }
        "move_session" => json!({"requestId": request_id, "session": session, "before": null}),
        "set_config" => {
            json!({"requestId": request_id, "session": session, "option": "mode", "value": "plan"})
        }
        "interrupt_session" | "stop_session" | "close_session" | "resume_session" => {
            json!({"requestId": request_id, "session": session})
        }
        "list_agents" => json!({}),
        "read_transcript" => json!({"session": session, "limit": 5}),
        "read_log" => json!({"session": session}),
        "read_settings" => json!({}),
        "change_setting" => json!({"change": {"setting": "theme", "value": "dark"}}),
        "read_tellings" => json!({}),
        "read_clients" | "read_client_versions" => json!({}),
        "plan_client" => json!({"requestId": request_id, "client": "codex", "goal": "connected"}),
        "test_door" => json!({"requestId": request_id}),
        "change_client" => json!({"requestId": request_id, "plan": id}),
        "note_view" => json!({"session": null, "focused": true}),
        "note_painted" => json!({"request": null, "at": 7}),
        "search_history" => json!({"query": "hello", "limit": 5}),
        "read_past_sessions" => json!({}),
        "save_export" => json!({"session": session, "format": "markdown"}),
        "search_questions" => {
            json!({"wanted": {"query": "hello", "session": null, "outcomes": []}, "limit": 5, "offset": 0})
        }
        "save_questions" => {
            json!({"wanted": {"query": "hello", "session": null, "outcomes": []}, "format": "csv"})
        }
        "delete_session" => json!({"requestId": request_id, "session": session}),
        "save_draft" => {
            let draft = json!({"of": "request", "id": id, "draft": {"words": "not yet"}});
            json!({"page": request_id, "n": 1, "draft": draft})
        }
        "read_drafts" => json!({}),
        other => panic!("{other} has no example here"),
    }
}

#[tokio::test]
async fn every_command_of_the_list_is_carried_out_by_its_name() {
    let bridge = Bridge::open();
    let mut results = Vec::new();
    for name in COMMAND_NAMES {
        let result = match bridge.call(name, well_formed(name)).await {
            Ok(_) => "done".to_owned(),
            Err(error) => serde_json::to_value(error.code).unwrap().as_str().unwrap().to_owned(),
        };
        results.push(format!("{name}: {result}"));
    }
    let expected = [
        "answer_question: not_found",
        "hold_answer: not_found",
        "take_back_answer: not_found",
        "decline_question: not_found",
        "cancel_question: not_found",
        "retry_delivery: not_found",
        "dismiss_request: not_found",
        "decide_approval: not_found",
        "start_session: folder_missing",
        "send_message: not_found",
        "attach_image: not_found",
        "discard_attachments: not_found",
        "queue_message: not_found",
        "edit_queued: not_found",
        "remove_queued: not_found",
        "send_queued: not_found",
        "interrupt_session: session_gone",
        "stop_session: session_gone",
        "rename_session: not_found",
        "set_attention: not_found",
        "move_session: not_found",
        "close_session: not_found",
        "resume_session: not_found",
        "set_config: not_found",
        "list_agents: done",
        "read_transcript: done",
        "read_log: done",
        "read_settings: done",
        "change_setting: done",
        "read_tellings: done",
        // Nobody says here where the person's files are.
        "read_clients: folder_missing",
        "read_client_versions: folder_missing",
        "plan_client: folder_missing",
        "change_client: plan_gone",
        "test_door: doors_shut",
        "note_view: done",
        "note_painted: done",
        "search_history: done",
        "read_past_sessions: done",
        "save_export: not_found",
        "search_questions: done",
        "save_questions: done",
        "delete_session: not_found",
        "save_draft: not_found",
        "read_drafts: done",
    ];
    assert_eq!(results, expected);
    let unknown = bridge.refused("answer_everything", json!({})).await;
    assert_eq!(unknown["code"], "not_found");
}

#[tokio::test]
async fn an_input_of_another_form_is_invalid_for_every_command_and_changes_nothing() {
    let bridge = Bridge::open();
    let before = bridge.snapshot().await;
    for name in COMMAND_NAMES {
        let mut with_more = well_formed(name);
        with_more["unheardOf"] = json!(1);
        let mut inputs = vec![json!(null), json!(17), json!("text"), json!(true), with_more];
        // These say something without a field.
        let without_fields = [
            "list_agents",
            "read_settings",
            "read_past_sessions",
            "read_drafts",
            "read_tellings",
            "read_clients",
            "read_client_versions",
        ];
        if !without_fields.contains(name) {
            inputs.push(json!({}));
        }
        for (field, value) in well_formed(name).as_object().unwrap() {
            // What may be left out may be null.
            if value.is_null() || field == "folder" {
                continue;
            }
            for wrong in [json!(null), json!({"a": [1]}), json!(-1.5)] {
                let mut input = well_formed(name);
                input[field] = wrong;
                inputs.push(input);
            }
        }
        for input in inputs {
            let error = bridge.refused(name, input.clone()).await;
            assert_eq!(error["code"], "invalid", "{name} with {input}: {error}");
            assert!(!error["message"].as_str().unwrap().is_empty() && error["traceId"].is_string());
            assert_eq!(error["retryable"], false);
        }
    }
    assert_eq!(bridge.snapshot().await, before);
    assert!(bridge.host.painted.lock().unwrap().is_empty());
}

fn answers(answers: &Value) -> Value {
    json!({"requestId": fresh(), "answers": answers})
}

#[rstest]
#[case::no_list(json!("PostgreSQL"), "answers")]
#[case::a_text_as_an_answer(json!(["PostgreSQL"]), "answers[0]")]
#[case::a_label_as_an_option(json!([{"question": "q1", "chosen": ["PostgreSQL"]}]), "answers[0].chosen[0]")]
#[case::a_number_as_an_option(json!([{"question": "q1", "chosen": [2]}]), "answers[0].chosen[0]")]
#[case::no_list_of_options(json!([{"question": "q1", "chosen": "q1o1"}]), "answers[0].chosen")]
#[case::a_number_as_words(json!([{"question": "q1", "other": 5}]), "answers[0].other")]
#[case::a_text_as_a_question(json!([{"question": "Which store?"}]), "answers[0].question")]
#[case::an_unknown_field(json!([{"question": "q1", "chosen": ["q1o1"], "label": "x"}]), "answers[0].label")]
#[case::an_unknown_question(json!([{"question": "q2", "chosen": ["q2o1"]}]), "answers[0].question")]
#[case::an_unknown_option(json!([{"question": "q1", "chosen": ["q1o9"]}]), "answers[0].chosen[0]")]
#[case::two_of_a_single(json!([{"question": "q1", "chosen": ["q1o1", "q1o2"]}]), "answers[0].chosen")]
#[case::one_question_twice(
    json!([{"question": "q1", "chosen": ["q1o1"]}, {"question": "q1", "chosen": ["q1o2"]}]), "answers"
)]
#[case::nothing(json!([]), "answers")]
#[case::blank_words(json!([{"question": "q1", "other": "  \n"}]), "answers")]
#[case::a_mebibyte_of_words(
    json!([{"question": "q1", "other": "w".repeat(1024 * 1024)}]), "answers[0].other"
)]
#[case::a_mebibyte_as_a_note(
    json!([{"question": "q1", "chosen": ["q1o1"], "note": "w".repeat(1024 * 1024)}]), "answers[0].note"
)]
#[tokio::test]
async fn a_malformed_answer_is_invalid_and_names_the_field_and_the_question_stays_open(
    #[case] malformed: Value,
    #[case] field: &str,
) {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    let before = bridge.snapshot().await;
    let mut input = answers(&malformed);
    input["id"] = json!(request.id);
    let error = bridge.refused("answer_question", input).await;
    assert_eq!((&error["code"], &error["field"]), (&json!("invalid"), &json!(field)), "{error}");
    assert_eq!(bridge.snapshot().await, before);
    assert_eq!(bridge.decisions(), 0);
}

#[tokio::test]
async fn one_question_answered_twice_in_one_call_names_the_second_answer() {
    let bridge = Bridge::open();
    bridge.call("start_session", crate::bridge::demo("authentication")).await.unwrap();
    let now = bridge.until("the questions are open", |now| !now.requests.is_empty()).await;
    let twice = json!([{"question": "q2", "chosen": ["q2o1"]}, {"question": "q2", "chosen": ["q2o2"]}]);
    let mut input = answers(&twice);
    input["id"] = json!(now.requests[0].id);
    let error = bridge.refused("answer_question", input).await;
    assert_eq!(
        (&error["code"], &error["field"]),
        (&json!("invalid"), &json!("answers[1].question")),
        "{error}"
    );
}

#[rstest]
#[case::decline("decline_question", "words")]
#[case::cancel("cancel_question", "reason")]
#[tokio::test]
async fn words_of_a_mebibyte_are_invalid_and_the_question_stays_open(
    #[case] name: &str,
    #[case] field: &str,
) {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    let before = bridge.snapshot().await;
    let mut input = json!({"requestId": fresh(), "id": request.id});
    input[field] = json!("w".repeat(1024 * 1024));
    let error = bridge.refused(name, input).await;
    assert_eq!((&error["code"], &error["field"]), (&json!("invalid"), &json!(field)), "{error}");
    let message = json!({"requestId": fresh(), "session": request.session, "text": "w".repeat(1024 * 1024)});
    let error = bridge.refused("send_message", message).await;
    assert_eq!((&error["code"], &error["field"]), (&json!("invalid"), &json!("text")), "{error}");
    let blank = json!({"requestId": fresh(), "session": request.session, "text": " \n"});
    assert_eq!(bridge.refused("send_message", blank).await["field"], "text");
    assert_eq!(bridge.snapshot().await, before);
    assert_eq!(bridge.decisions(), 0);
}
