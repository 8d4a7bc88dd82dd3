//! The past as the window asks for it: finding, exporting, deleting.

use crate::bridge::{Bridge, demo};
use crate::desks::{new_ask, rename, session, start};
use crate::questions::secret;
use askdesk_contract::Exported;
use askdesk_domain::{EntryBody, Request, RequestCommand, SessionState, ToolStatus};
use serde_json::{Value, json};

/// A session whose one question was answered in own words, and that is over.
async fn answered(bridge: &Bridge, words: &str) -> Request {
    let request = bridge.asked("technology").await;
    let answers = json!([{"question": "q1", "chosen": [], "other": words}]);
    bridge.run("answer_question", json!({"id": request.id, "answers": answers})).await;
    stop(bridge, &request).await;
    request
}

async fn stop(bridge: &Bridge, request: &Request) {
    bridge.run("stop_session", json!({"session": request.session})).await;
    let over = |state: &SessionState| matches!(state, SessionState::Ended { .. });
    bridge.until("it is over", |now| now.sessions.iter().all(|it| over(&it.state))).await;
}

async fn export(bridge: &Bridge, request: &Request, format: &str) -> (String, String) {
    let exported = bridge.exported(&json!(request.session), format).await;
    (exported.text, exported.file_name)
}

#[tokio::test]
async fn a_session_is_exported_to_be_read_with_questions_answers_and_who_ended_them() {
    let bridge = Bridge::open();
    let request = answered(&bridge, "a # lighthouse\n**You** now").await;
    let (text, name) = export(&bridge, &request, "markdown").await;
    assert!(name.starts_with("Demo-20") && name.ends_with(".md"), "{name}");
    let question = &request.questions[0];
    for part in [
        "# Demo\n\n- Agent: Demo".to_owned(),
        "\n- Ended: ".to_owned(),
        "**You** · ".to_owned(),
        "\n\n> go\n\n".to_owned(),
        format!("> {}", question.text),
        format!("- [ ] {}", question.options[0].label),
        "- In own words: a \\# lighthouse \\*\\*You\\*\\* now".to_owned(),
        "Answered · by the user · ".to_owned(),
    ] {
        assert!(text.contains(&part), "{part} in\n{text}");
    }
}

#[tokio::test]
async fn an_open_question_and_an_open_permission_request_are_exported_as_waiting() {
    for (example, words) in
        [("technology", "\n\nWaiting for an answer."), ("rules", "\n\nWaiting for a decision.")]
    {
        let bridge = Bridge::open();
        let session = bridge.call("start_session", demo(example)).await.unwrap();
        bridge.until("it asks", |now| now.requests.len() + now.approvals.len() == 1).await;
        let Exported { text, .. } = bridge.exported(&session["id"], "markdown").await;
        assert!(text.contains(words), "{text}");
    }
}

#[tokio::test]
async fn a_plan_is_exported_with_the_users_edits_and_what_was_decided() {
    let bridge = Bridge::open();
    let session = bridge.call("start_session", demo("plan")).await.unwrap();
    let now = bridge.until("it waits", |now| now.approvals.len() == 1).await;
    let approval = &now.approvals[0];
    let decision = json!({"options": [approval.options[0].id], "message": null, "plan": "# Mine"});
    bridge.run("decide_approval", json!({"id": approval.id, "decision": decision})).await;
    let Exported { text, .. } = bridge.exported(&session["id"], "markdown").await;
    let plan = approval.subject.text();
    assert!(approval.is_plan() && text.contains(plan.trim_end()), "{plan} in\n{text}");
    for part in [" · Plan\n\n", "\n\n```text\n# Mine\n```\n\nApproved with these changes"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(!text.contains("ExitPlanMode"), "{text}");
}

#[tokio::test]
async fn what_an_agent_wrote_stays_inside_its_quotes_and_fences() {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    stop(&bridge, &request).await;
    let session = request.session;
    // Straight into the journal: no demo writes such a thing.
    bridge.api.engine().close().await.unwrap();
    let data = bridge.folder.path().join("data");
    {
        let at = request.asked_at;
        let mut journal = askdesk_engine::Journal::open(&data, at).unwrap();
        let n = journal.entries[&session];
        let entry = |n, body| (session, askdesk_domain::Entry { n, at, body });
        let agent = EntryBody::Agent { text: "one\n\n**You** · now\n\n# two\r**You**".to_owned() };
        let tool = EntryBody::Tool {
            tool_use: "t".to_owned(),
            name: "Read".to_owned(),
            tool_kind: askdesk_domain::ToolKind::Read,
            summary: "a\n# b".to_owned(),
            detail: askdesk_domain::ToolDetail::Other { input: "in".to_owned() },
            status: ToolStatus::Done,
            output: Some("x\n````\n# out".to_owned()),
            images: Vec::new(),
            subagent: None,
        };
        journal.journal.commit_entries(&[entry(n + 1, agent), entry(n + 2, tool)]).unwrap();
    }
    let bridge = bridge.reopen();
    let (text, _) = export(&bridge, &request, "markdown").await;
    assert!(text.contains("> one\n>\n> **You** · now\n>\n> # two\n> **You**\n"), "{text}");
    assert!(
        text.contains(" · Read a \\# b · done\n\n```text\nin\n```\n\n`````text\nx\n````\n# out\n`````\n"),
        "{text}"
    );
    assert_eq!(text.lines().filter(|line| line.starts_with("# ")).count(), 2, "{text}");
}

#[tokio::test]
async fn a_session_is_exported_for_programs_with_everything_it_speaks_of() {
    let bridge = Bridge::open();
    let request = answered(&bridge, "a lighthouse").await;
    let (text, name) = export(&bridge, &request, "json").await;
    assert!(name.ends_with(".json"), "{name}");
    let exported: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&exported["format"], &exported["version"]), (&json!("askdesk-session"), &json!(1)));
    assert_eq!(exported["session"]["id"], json!(request.session));
    assert_eq!(exported["requests"][0]["state"]["outcome"]["answers"][0]["other"], "a lighthouse");
    let whole = json!({"session": request.session, "limit": 500});
    let page = bridge.call("read_transcript", whole).await.unwrap();
    assert_eq!((&exported["entries"], &exported["approvals"]), (&page["entries"], &page["approvals"]));
}

#[tokio::test]
async fn an_export_is_written_to_the_file_that_was_chosen_or_nowhere_and_a_failure_is_said() {
    let bridge = Bridge::open();
    let request = answered(&bridge, "a lighthouse").await;
    let save = json!({"session": request.session, "format": "markdown"});
    assert_eq!(bridge.call("save_export", save.clone()).await.unwrap(), json!({"path": null}));
    let file = bridge.folder.path().join("out.md");
    *bridge.host.chosen.lock().unwrap() = Some(file.clone());
    assert_eq!(bridge.call("save_export", save.clone()).await.unwrap(), json!({"path": file}));
    let (text, _) = export(&bridge, &request, "markdown").await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    *bridge.host.chosen.lock().unwrap() = Some(bridge.folder.path().join("nowhere/out.md"));
    let error = bridge.refused("save_export", save).await;
    assert_eq!((&error["code"], &error["field"]), (&json!("file_not_written"), &json!(null)), "{error}");
}

#[tokio::test]
async fn case_61_a_secret_is_in_no_export() {
    let bridge = Bridge::open();
    let engine = bridge.api.engine();
    for command in [start(1), rename(1, "!?")] {
        engine.act(command).await.unwrap();
    }
    let asked = engine.act(RequestCommand::Ask(new_ask(1, 1, secret()))).await.unwrap();
    let id = asked.request.unwrap().id;
    let answers = json!([{"question": "q1", "other": "hunter2hunter2"}]);
    bridge.run("answer_question", json!({"id": id, "answers": answers})).await;
    for (format, said) in [("markdown", "- Secret given"), ("json", "\"secretGiven\": true")] {
        let Exported { text, file_name } = bridge.exported(&json!(session(1)), format).await;
        assert!(text.contains(said) && !text.contains("hunter2"), "{text}");
        assert!(file_name.starts_with("session-"), "{file_name}");
    }
}
