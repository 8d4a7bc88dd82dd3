//! Claude Code's hooks ask, and report that the terminal answered first.

use std::time::Duration;

use askdesk_domain::{
    AnswerInput, Channel, Delivery, OrphanedWhy, Outcome, QuestionId, RequestId, WithdrawnWhy,
};
use serde_json::{Value, json};

use super::fixture::Fixture;
use super::v1_asks::{Call, open, outcome};

fn hook(question: &str) -> Value {
    json!({
        "session_id": "5d0c", "cwd": "/home/a/project", "hook_event_name": "PermissionRequest",
        "permission_mode": "default", "tool_name": "AskUserQuestion",
        "tool_input": {"questions": [{"question": question, "header": "Store", "multiSelect": false, "options": [
            {"label": "SQLite", "description": "One file"}, {"label": "Postgres", "description": "A server"},
        ]}]},
    })
}

/// The body of the hook that reports an answer in the dialog.
fn answered(session: &str, question: &str) -> Value {
    let mut body = hook(question);
    body["session_id"] = json!(session);
    body["hook_event_name"] = json!("PostToolUse");
    body["tool_input"]["answers"] = json!({question: "SQLite"});
    body
}

/// Sends a report, and checks that the hook prints no decision.
async fn tells(fixture: &Fixture, body: &Value) {
    let answer = fixture.post("/hooks/claude", body).await;
    assert_eq!((answer.status, answer.json()), (200, json!({})), "{body}");
}

async fn answers(fixture: &Fixture, id: RequestId) {
    let question = QuestionId::at(0);
    let answer = AnswerInput { question, chosen: vec![question.option(0)], other: None, note: None };
    fixture.engine.answer(id, vec![answer]).await.unwrap();
}

const fn elsewhere() -> Outcome {
    Outcome::Withdrawn { why: WithdrawnWhy::AnsweredElsewhere }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_a_terminals_question_is_answered_in_askdesk() {
    let fixture = Fixture::open().await;
    let mut call = Call::begin(&fixture, "/hooks/claude", &hook("Which store?")).await;
    let (request, session) = open(&fixture).await;
    assert_eq!(
        (session.origin.channel(), session.folder.as_str()),
        (Some(Channel::TerminalHook), "/home/a/project")
    );
    answers(&fixture, request.id).await;
    let mut updated = hook("Which store?")["tool_input"].clone();
    updated["answers"] = json!({"Which store?": "SQLite"});
    assert_eq!(
        call.next().await.unwrap(),
        json!({"hookSpecificOutput": {
            "hookEventName": "PermissionRequest", "decision": {"behavior": "allow", "updatedInput": updated},
        }})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_a_question_answered_in_the_terminal_closes_as_answered_elsewhere() {
    let fixture = Fixture::open().await;
    let mut call = Call::begin(&fixture, "/hooks/claude", &hook("Which store?")).await;
    let (request, _) = open(&fixture).await;
    // Claude Code keeps the connection open when its own dialog is answered.
    tells(&fixture, &answered("5d0c", "Which store?")).await;
    assert_eq!(call.next().await, Some(json!({})), "the hook that asked is let go");
    assert_eq!(outcome(&fixture, request.id).await, elsewhere());
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_the_end_of_a_turn_closes_the_terminals_questions() {
    let fixture = Fixture::open().await;
    let mut call = Call::begin(&fixture, "/hooks/claude", &hook("Which store?")).await;
    let (request, _) = open(&fixture).await;
    let stop = |tasks| json!({"session_id": "5d0c", "hook_event_name": "Stop", "background_tasks": tasks});
    tells(&fixture, &stop(json!([{"id": "b1"}]))).await;
    assert_eq!(fixture.open_count().await, 1, "what works on in the background may have asked it");
    tells(&fixture, &stop(json!([]))).await;
    assert_eq!(call.next().await, Some(json!({})));
    assert_eq!(outcome(&fixture, request.id).await, elsewhere());
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_a_report_of_one_terminal_closes_no_question_of_another() {
    let fixture = Fixture::open().await;
    let mut other_terminal = hook("Which store?");
    other_terminal["session_id"] = json!("77aa");
    other_terminal["cwd"] = json!("/home/a/other");
    let mut nameless = hook("Which store?");
    nameless["session_id"] = json!("");
    nameless["cwd"] = json!("/home/a/third");
    let mut calls = Vec::new();
    for (place, body) in [other_terminal, nameless, hook("Which name?")].iter().enumerate() {
        calls.push(Call::begin(&fixture, "/hooks/claude", body).await);
        fixture
            .until("it is open", move |desk| {
                (desk.requests().filter(|request| request.is_open()).count() == place + 1).then_some(())
            })
            .await;
    }
    // None of these is this question in this session, and a session without an id matches nothing.
    for body in [
        answered("5d0c", "Which store?"),
        answered("", "Which store?"),
        json!({"session_id": "", "hook_event_name": "Stop"}),
        json!({"session_id": "5d0d", "hook_event_name": "Stop"}),
        json!({"session_id": "77aa", "hook_event_name": "SubagentStop"}),
    ] {
        tells(&fixture, &body).await;
    }
    assert_eq!(fixture.open_count().await, 3);
    // The end of one terminal's turn doesn't affect the others.
    tells(&fixture, &json!({"session_id": "77aa", "hook_event_name": "Stop"})).await;
    assert_eq!(calls[0].next().await, Some(json!({})));
    assert_eq!(fixture.open_count().await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_two_terminals_with_the_same_question_are_released_by_their_own_reports() {
    let fixture = Fixture::open().await;
    let mut mine = Call::begin(&fixture, "/hooks/claude", &hook("Which store?")).await;
    let (request, _) = open(&fixture).await;
    let mut body = hook("Which store?");
    body["session_id"] = json!("77aa");
    let mut theirs = Call::begin(&fixture, "/hooks/claude", &body).await;
    fixture.until("the other terminal is there", |desk| (desk.sessions().count() == 2).then_some(())).await;
    // In one folder the same question is one card, and both terminals wait for it.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(fixture.open_count().await, 1);
    tells(&fixture, &answered("5d0c", "Which store?")).await;
    assert_eq!(mine.next().await, Some(json!({})));
    assert_eq!(fixture.open_count().await, 1, "the other terminal still asks");
    answers(&fixture, request.id).await;
    let decision = theirs.next().await.unwrap();
    assert_eq!(decision["hookSpecificOutput"]["decision"]["behavior"], "allow", "{decision}");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_a_report_after_the_answer_changes_nothing() {
    let fixture = Fixture::open().await;
    let mut call = Call::begin(&fixture, "/hooks/claude", &hook("Which store?")).await;
    let (request, _) = open(&fixture).await;
    answers(&fixture, request.id).await;
    let decision = call.next().await.unwrap();
    assert_eq!(decision["hookSpecificOutput"]["decision"]["behavior"], "allow", "{decision}");
    // The tool has run with the answer of Askdesk, and then the turn ends.
    tells(&fixture, &answered("5d0c", "Which store?")).await;
    tells(&fixture, &json!({"session_id": "5d0c", "hook_event_name": "Stop"})).await;
    let id = request.id;
    fixture
        .until("the answer is delivered", move |desk| {
            let ended = desk.request(id)?.ended()?;
            matches!(ended.delivery, Some(Delivery::Delivered { late: false, .. })).then_some(())
        })
        .await;
    assert!(matches!(outcome(&fixture, id).await, Outcome::Answered { .. }));
    // The same question asked again stays open.
    let _again = Call::begin(&fixture, "/hooks/claude", &hook("Which store?")).await;
    let (again, _) = open(&fixture).await;
    assert_ne!(again.id, id);
    assert_eq!(fixture.open_count().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_that_has_gone_has_not_answered() {
    let fixture = Fixture::open().await;
    let call = Call::begin(&fixture, "/hooks/claude", &hook("Which store?")).await;
    let (request, _) = open(&fixture).await;
    // The user pressed Esc, or Claude Code has ended.
    drop(call);
    assert_eq!(outcome(&fixture, request.id).await, Outcome::Orphaned { why: OrphanedWhy::CallerGone });
    // Later reports find no open dialog. Asked again, it is the same request.
    tells(&fixture, &answered("5d0c", "Which store?")).await;
    let _call = Call::begin(&fixture, "/hooks/claude", &hook("Which store?")).await;
    assert_eq!(open(&fixture).await.0.id, request.id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_without_a_question_returns_no_decision_at_once() {
    let fixture = Fixture::open().await;
    let mut bash = hook("?");
    bash["tool_name"] = json!("Bash");
    let mut empty = hook("?");
    empty["tool_input"] = json!({"questions": []});
    for body in [bash, empty] {
        let answer = fixture.post("/hooks/claude", &body).await;
        assert_eq!((answer.status, answer.json()), (200, json!({})));
    }
    assert_eq!(fixture.open_count().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_leaves_the_question_to_the_terminal() {
    let mut fixture = Fixture::open().await;
    let mut call = Call::begin(&fixture, "/hooks/claude", &hook("Which store?")).await;
    open(&fixture).await;
    fixture.gateway.take().unwrap().close().await;
    assert_eq!(call.next().await, Some(json!({})));
}
