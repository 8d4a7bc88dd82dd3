//! What does not fit is refused with a code, a field where there is one, and nothing changed or sent.

use askdesk_contract::Call;

use crate::bridge::{Bridge, assert_invalid, fresh};
use rstest::rstest;
use serde_json::{Value, json};

/// An input that a command understands, and its outcome in an app without sessions and without a home folder.
fn example(name: &str) -> (Value, &'static str) {
    let (id, session) = (fresh(), fresh());
    let command = |mut fields: Value| {
        fields["requestId"] = json!(fresh());
        fields
    };
    let wanted = json!({"query": "hello", "session": null, "outcomes": []});
    match name {
        "answer_question" => (command(json!({"id": id, "answers": []})), "not_found"),
        "hold_end" => (command(json!({"id": id, "end": {"end": "canceled"}})), "not_found"),
        "undo_end" | "decline_question" | "cancel_question" | "retry_delivery" | "dismiss_request" => {
            (command(json!({"id": id})), "not_found")
        }
        "decide_approval" => (command(json!({"id": id, "decision": {"options": ["allow"]}})), "not_found"),
        "start_session" => (command(json!({"agent": "demo", "folder": "/nowhere/at/all"})), "folder_missing"),
        "send_message" | "queue_message" => {
            (command(json!({"session": session, "text": "hello"})), "not_found")
        }
        "attach_text" => (command(json!({"session": session, "text": "words"})), "not_found"),
        "attach_image" => (command(json!({"session": session, "name": "shot.png", "data": ""})), "not_found"),
        "discard_attachments" => {
            let image = json!({"attachment": "image", "image": "0".repeat(64), "format": "png", "name": "shot", "bytes": 1});
            (command(json!({"session": session, "attachments": [image]})), "not_found")
        }
        "edit_queued" => (command(json!({"session": session, "id": id, "text": "hello"})), "not_found"),
        "remove_queued" | "send_queued" => (command(json!({"session": session, "id": id})), "not_found"),
        "change_folder" => (command(json!({"session": session, "folder": "/"})), "not_found"),
        "rename_session" => (command(json!({"session": session, "name": "api"})), "not_found"),
        "set_session_notifications" => {
            let attention = json!({"muted": true, "private": false});
            (command(json!({"session": session, "attention": attention})), "not_found")
        }
        "move_session" => (command(json!({"session": session, "before": null})), "not_found"),
        "set_config" => {
            (command(json!({"session": session, "option": "mode", "value": "plan"})), "not_found")
        }
        "stop_helper" => (command(json!({"session": session, "helper": "b1"})), "session_gone"),
        "read_helper_output" => (json!({"session": session, "helper": "b1"}), "done"),
        "interrupt_session" | "stop_session" | "compact_session" => {
            (command(json!({"session": session})), "session_gone")
        }
        "close_session" | "resume_session" | "fork_session" | "delete_session" => {
            (command(json!({"session": session})), "not_found")
        }
        "read_session_usage" => (json!({"session": session}), "done"),
        "count_usage" => (json!({"session": null, "days": [0, 86_400_000]}), "done"),
        "read_transcript" => (json!({"session": session, "limit": 5}), "done"),
        "list_commands" => (json!({"session": session}), "done"),
        "find_files" => (json!({"session": session, "query": "a", "limit": 5}), "not_found"),
        "read_log" => (json!({"session": session}), "done"),
        "list_agents" | "read_settings" | "read_notification_log" | "read_past_sessions" | "read_drafts" => {
            (json!({}), "done")
        }
        "change_setting" => (json!({"change": {"setting": "theme", "value": "dark"}}), "done"),
        "read_update" | "check_for_update" | "cancel_update" => (json!({}), "done"),
        "install_update" => (json!({"version": "0.3.0"}), "done"),
        "set_update_aside" => (json!({"version": "0.3.0", "until": "next_version"}), "done"),
        "read_clients" | "read_client_versions" => (json!({}), "folder_missing"),
        "confirm_client" => (json!({"client": "codex"}), "folder_missing"),
        "plan_client" => (command(json!({"client": "codex", "goal": "connected"})), "folder_missing"),
        "test_gateway" => (command(json!({})), "gateway_closed"),
        "change_client" => (command(json!({"plan": id})), "plan_gone"),
        "recover_database" => (json!({"kept": "/nowhere/desk.db.damaged-1"}), "not_found"),
        "settle_storage" => {
            (json!({"notice": {"storage": "set_aside", "kept": "/nowhere/desk.db.damaged-1"}}), "not_found")
        }
        "read_permissions" => (json!({}), "done"),
        "plan_permission_removal" => {
            (command(json!({"written": {"file": "/nowhere/settings.json", "text": "Bash"}})), "done")
        }
        "read_agent_version" => (json!({"agent": "demo"}), "done"),
        "list_files_since" => (json!({"session": session, "message": 1}), "not_found"),
        "read_sign_in" => (json!({"agent": "demo"}), "done"),
        "sign_in" => (command(json!({"agent": "demo"})), "unsupported"),
        "list_own_sessions" => {
            (json!({"agent": "claude_code", "folder": "/nowhere/at/all"}), "folder_missing")
        }
        "read_environment" => (json!({"again": false}), "done"),
        "remove_permission" => (command(json!({"plan": id})), "plan_gone"),
        "list_programs" => (json!({}), "done"),
        "open_in" => (command(json!({"session": session, "program": "vim"})), "not_found"),
        "continue_in_terminal" => (command(json!({"session": session, "endRunning": false})), "not_found"),
        "note_view" => (json!({"session": null, "focused": true}), "done"),
        "note_painted" => (json!({"request": null, "at": 7}), "done"),
        "search_history" => (json!({"query": "hello", "limit": 5}), "done"),
        "save_export" => (json!({"session": session, "format": "markdown"}), "not_found"),
        "search_questions" => (json!({"wanted": wanted, "limit": 5, "offset": 0}), "done"),
        "count_questions" => (json!({"wanted": wanted, "days": [0, 86_400_000]}), "done"),
        "save_questions" => (json!({"wanted": wanted, "format": "csv"}), "done"),
        "list_changes" => (json!({"session": session}), "not_found"),
        "read_change" => (json!({"session": session, "id": "a.txt", "version": "1..2"}), "not_found"),
        "revert_change" => {
            (command(json!({"session": session, "id": "a.txt", "version": "1..2"})), "not_found")
        }
        "plan_worktree" => (json!({"folder": "/nowhere/at/all", "message": "hello"}), "worktree_unavailable"),
        "read_worktree" => (json!({"session": session}), "not_found"),
        "merge_worktree" | "rebase_worktree" => {
            (command(json!({"session": session, "seen": "0"})), "not_found")
        }
        "remove_worktree" => {
            let removal = json!({"session": session, "seen": "0", "losses": [], "branch": "stays"});
            (command(removal), "not_found")
        }
        "save_draft" => {
            let draft = json!({"of": "request", "id": id, "draft": {"words": "not yet"}});
            (json!({"page": fresh(), "n": 1, "draft": draft}), "not_found")
        }
        other => panic!("{other} has no example here"),
    }
}

#[tokio::test]
async fn every_command_of_the_list_is_carried_out_by_its_name() {
    let bridge = Bridge::open();
    for name in Call::NAMES {
        let (input, expected) = example(name);
        let result = match bridge.call(name, input).await {
            Ok(_) => json!("done"),
            Err(error) => json!(error.code),
        };
        assert_eq!(result, expected, "{name}");
    }
}

#[tokio::test]
async fn an_input_of_another_form_is_invalid_for_every_command_and_changes_nothing() {
    let bridge = Bridge::open();
    let before = bridge.snapshot().await;
    for name in Call::NAMES {
        let (well_formed, _) = example(name);
        let mut with_more = well_formed.clone();
        with_more["unheardOf"] = json!(1);
        let mut inputs = vec![json!(null), json!(17), json!("text"), json!(true), with_more];
        if well_formed != json!({}) {
            inputs.push(json!({}));
        }
        for (field, value) in well_formed.as_object().unwrap() {
            // What may be left out may be null.
            if value.is_null() || field == "folder" {
                continue;
            }
            for wrong in [json!(null), json!({"a": [1]}), json!(-1.5)] {
                let mut input = well_formed.clone();
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
    assert_invalid(&error, field);
    assert_eq!(bridge.snapshot().await, before);
    assert_eq!(bridge.decisions(), 0);
}
