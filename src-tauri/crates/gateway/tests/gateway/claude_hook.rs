//! Claude Code's hooks ask, and report that the terminal answered first.

use askdesk_domain::{Channel, Delivery, Outcome, RequestId, Session, WithdrawnWhy};
use serde_json::{Value, json};

use super::fixture::Fixture;
use super::v1_asks::Call;

pub fn hook(question: &str) -> Value {
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
async fn report(fixture: &Fixture, body: &Value) {
    let answer = fixture.post("/hooks/claude", body).await;
    assert_eq!((answer.status, answer.json()), (200, json!({})), "{body}");
}

/// Asks "Which store?" in a terminal, and waits until it is open.
async fn asks(fixture: &Fixture) -> (Call, RequestId, Session) {
    let call = Call::begin(fixture, "/hooks/claude", &hook("Which store?")).await;
    let (request, session) = fixture.asked().await;
    (call, request.id, session)
}

fn stop(session: &str) -> Value {
    json!({"session_id": session, "hook_event_name": "Stop"})
}

const fn elsewhere() -> Outcome {
    Outcome::Withdrawn { why: WithdrawnWhy::AnsweredElsewhere }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_a_terminals_question_is_answered_in_askdesk() {
    let fixture = Fixture::open().await;
    let (mut call, id, session) = asks(&fixture).await;
    assert_eq!(
        (session.origin.channel(), session.folder.as_str()),
        (Some(Channel::TerminalHook), "/home/a/project")
    );
    fixture.answer(id).await;
    let mut updated = hook("Which store?")["tool_input"].clone();
    updated["answers"] = json!({"Which store?": "Postgres"});
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
    let (mut call, id, _) = asks(&fixture).await;
    // Claude Code keeps the connection open when its own dialog is answered.
    report(&fixture, &answered("5d0c", "Which store?")).await;
    assert_eq!(call.next().await, Some(json!({})), "the hook that asked is let go");
    assert_eq!(fixture.outcome(id).await, elsewhere());
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_the_end_of_a_turn_closes_the_terminals_questions() {
    let fixture = Fixture::open().await;
    let (mut call, id, _) = asks(&fixture).await;
    let mut unfinished = stop("5d0c");
    unfinished["background_tasks"] = json!([{"id": "b1"}]);
    report(&fixture, &unfinished).await;
    assert_eq!(fixture.open_count().await, 1, "what works on in the background may have asked it");
    report(&fixture, &stop("5d0c")).await;
    assert_eq!(call.next().await, Some(json!({})));
    assert_eq!(fixture.outcome(id).await, elsewhere());
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_a_report_of_one_terminal_closes_no_question_of_another() {
    let fixture = Fixture::open().await;
    let mut calls = Vec::new();
    // One is in another terminal, and one in a session without an id.
    let asked = [
        ("77aa", "other", "Which store?"),
        ("", "third", "Which store?"),
        ("5d0c", "project", "Which name?"),
    ];
    for (place, (session, folder, question)) in asked.into_iter().enumerate() {
        let mut body = hook(question);
        body["session_id"] = json!(session);
        body["cwd"] = json!(format!("/home/a/{folder}"));
        calls.push(Call::begin(&fixture, "/hooks/claude", &body).await);
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
        stop(""),
        stop("5d0d"),
        json!({"session_id": "77aa", "hook_event_name": "SubagentStop"}),
    ] {
        report(&fixture, &body).await;
    }
    assert_eq!(fixture.open_count().await, 3);
    // The end of one terminal's turn doesn't affect the others.
    report(&fixture, &stop("77aa")).await;
    assert_eq!(calls[0].next().await, Some(json!({})));
    assert_eq!(fixture.open_count().await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_two_terminals_with_the_same_question_are_released_by_their_own_reports() {
    let (fixture, clock) = Fixture::open_by_hand().await;
    let theirs = async |question: &str| {
        let mut body = hook(question);
        body["session_id"] = json!("77aa");
        Call::begin(&fixture, "/hooks/claude", &body).await
    };
    // The other terminal has a session already, so only its next question changes when it last asked.
    let mut earlier = theirs("Which name?").await;
    fixture.answer(fixture.asked().await.0.id).await;
    earlier.next().await.unwrap();
    let (mut mine, id, _) = asks(&fixture).await;
    clock.advance(1_000);
    let now = fixture.engine.clock().now();
    let mut theirs = theirs("Which store?").await;
    // In one folder the same question is one card, and both terminals wait for it.
    fixture.until("both wait", move |desk| (desk.last_asked()[0].asked_at == now).then_some(())).await;
    assert_eq!(fixture.open_count().await, 1);
    report(&fixture, &answered("5d0c", "Which store?")).await;
    assert_eq!(mine.next().await, Some(json!({})));
    assert_eq!(fixture.open_count().await, 1, "the other terminal still asks");
    fixture.answer(id).await;
    let decision = theirs.next().await.unwrap();
    assert_eq!(decision["hookSpecificOutput"]["decision"]["behavior"], "allow", "{decision}");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_a_report_after_the_answer_changes_nothing() {
    let fixture = Fixture::open().await;
    let (mut call, id, _) = asks(&fixture).await;
    fixture.answer(id).await;
    let decision = call.next().await.unwrap();
    assert_eq!(decision["hookSpecificOutput"]["decision"]["behavior"], "allow", "{decision}");
    // The tool has run with the answer of Askdesk, and then the turn ends.
    report(&fixture, &answered("5d0c", "Which store?")).await;
    report(&fixture, &stop("5d0c")).await;
    fixture.delivered(id).await;
    let kept = fixture.engine.request(id).await.unwrap();
    let ended = kept.ended().unwrap();
    assert!(matches!(ended.delivery, Some(Delivery::Delivered { late: false, .. })), "{ended:?}");
    assert!(matches!(ended.outcome, Outcome::Answered { .. }), "{ended:?}");
    // The same question asked again stays open.
    let (_again, again, _) = asks(&fixture).await;
    assert_ne!(again, id);
    assert_eq!(fixture.open_count().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_that_has_gone_has_not_answered() {
    let fixture = Fixture::open().await;
    let (call, id, _) = asks(&fixture).await;
    // The user pressed Esc, or Claude Code has ended.
    drop(call);
    fixture.missed(id).await;
    // Later reports find no open dialog. Asked again, it is the same request.
    report(&fixture, &answered("5d0c", "Which store?")).await;
    assert_eq!(asks(&fixture).await.1, id);
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
    let (mut call, ..) = asks(&fixture).await;
    fixture.gateway.take().unwrap().close().await;
    assert_eq!(call.next().await, Some(json!({})));
}
