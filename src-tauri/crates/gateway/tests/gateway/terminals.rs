//! The terminal's door: Claude Code's hooks ask, and tell that the terminal was first.

use std::time::Duration;

use askdesk_domain::{
    AnswerInput, Channel, Delivery, OrphanedWhy, Outcome, QuestionId, RequestId, WithdrawnWhy,
};
use serde_json::{Value, json};

use super::house::House;
use super::lines::{Call, open, outcome};

fn hook(question: &str) -> Value {
    json!({
        "session_id": "5d0c", "cwd": "/home/a/project", "hook_event_name": "PermissionRequest",
        "permission_mode": "default", "tool_name": "AskUserQuestion",
        "tool_input": {"questions": [{"question": question, "header": "Store", "multiSelect": false, "options": [
            {"label": "SQLite", "description": "One file"}, {"label": "Postgres", "description": "A server"},
        ]}]},
    })
}

/// What the hook after a tool is told where the dialog was answered.
fn answered(session: &str, question: &str) -> Value {
    let mut body = hook(question);
    body["session_id"] = json!(session);
    body["hook_event_name"] = json!("PostToolUse");
    body["tool_input"]["answers"] = json!({question: "SQLite"});
    body
}

/// Hands over what a hook tells; nothing is ever said to that.
async fn tells(house: &House, body: &Value) {
    let answer = house.post("/hooks/claude", body).await;
    assert_eq!((answer.status, answer.json()), (200, json!({})), "{body}");
}

async fn answers(house: &House, id: RequestId) {
    let question = QuestionId::at(0);
    let answer = AnswerInput { question, chosen: vec![question.option(0)], other: None, note: None };
    house.engine.answer(id, vec![answer]).await.unwrap();
}

const fn elsewhere() -> Outcome {
    Outcome::Withdrawn { why: WithdrawnWhy::AnsweredElsewhere }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_a_terminals_question_is_answered_at_the_desk() {
    let house = House::open().await;
    let mut call = Call::begin(&house, "/hooks/claude", &hook("Which store?")).await;
    let (request, session) = open(&house).await;
    assert_eq!(
        (session.origin.channel(), session.folder.as_str()),
        (Some(Channel::TerminalHook), "/home/a/project")
    );
    answers(&house, request.id).await;
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
    let house = House::open().await;
    let mut call = Call::begin(&house, "/hooks/claude", &hook("Which store?")).await;
    let (request, _) = open(&house).await;
    // Claude Code keeps the connection when its own dialog is answered.
    tells(&house, &answered("5d0c", "Which store?")).await;
    assert_eq!(call.next().await, Some(json!({})), "the hook that asked is let go");
    assert_eq!(outcome(&house, request.id).await, elsewhere());
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_the_end_of_a_turn_closes_what_the_terminal_had_open() {
    let house = House::open().await;
    let mut call = Call::begin(&house, "/hooks/claude", &hook("Which store?")).await;
    let (request, _) = open(&house).await;
    let stop = |tasks| json!({"session_id": "5d0c", "hook_event_name": "Stop", "background_tasks": tasks});
    tells(&house, &stop(json!([{"id": "b1"}]))).await;
    assert_eq!(house.open_count().await, 1, "what works on in the background may have asked it");
    tells(&house, &stop(json!([]))).await;
    assert_eq!(call.next().await, Some(json!({})));
    assert_eq!(outcome(&house, request.id).await, elsewhere());
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_what_one_terminal_tells_ends_no_question_of_another() {
    let house = House::open().await;
    let mut other_terminal = hook("Which store?");
    other_terminal["session_id"] = json!("77aa");
    other_terminal["cwd"] = json!("/home/a/other");
    let mut nameless = hook("Which store?");
    nameless["session_id"] = json!("");
    nameless["cwd"] = json!("/home/a/third");
    let mut calls = Vec::new();
    for (place, body) in [other_terminal, nameless, hook("Which name?")].iter().enumerate() {
        calls.push(Call::begin(&house, "/hooks/claude", body).await);
        house
            .until("it is open", move |desk| {
                (desk.requests().filter(|request| request.is_open()).count() == place + 1).then_some(())
            })
            .await;
    }
    // None of them is this question of this session; and who has no name is nobody.
    for body in [
        answered("5d0c", "Which store?"),
        answered("", "Which store?"),
        json!({"session_id": "", "hook_event_name": "Stop"}),
        json!({"session_id": "5d0d", "hook_event_name": "Stop"}),
        json!({"session_id": "77aa", "hook_event_name": "SubagentStop"}),
    ] {
        tells(&house, &body).await;
    }
    assert_eq!(house.open_count().await, 3);
    // The end of one terminal's turn leaves the others.
    tells(&house, &json!({"session_id": "77aa", "hook_event_name": "Stop"})).await;
    assert_eq!(calls[0].next().await, Some(json!({})));
    assert_eq!(house.open_count().await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_two_terminals_with_one_question_are_each_let_go_by_their_own() {
    let house = House::open().await;
    let mut mine = Call::begin(&house, "/hooks/claude", &hook("Which store?")).await;
    let (request, _) = open(&house).await;
    let mut body = hook("Which store?");
    body["session_id"] = json!("77aa");
    let mut theirs = Call::begin(&house, "/hooks/claude", &body).await;
    house.until("the other terminal is there", |desk| (desk.sessions().count() == 2).then_some(())).await;
    // In the same folder the same question is one card, for which both wait once the other has asked too.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(house.open_count().await, 1);
    tells(&house, &answered("5d0c", "Which store?")).await;
    assert_eq!(mine.next().await, Some(json!({})));
    assert_eq!(house.open_count().await, 1, "the other terminal still asks");
    answers(&house, request.id).await;
    let decision = theirs.next().await.unwrap();
    assert_eq!(decision["hookSpecificOutput"]["decision"]["behavior"], "allow", "{decision}");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_53_what_the_terminal_tells_after_the_desks_own_answer_changes_nothing() {
    let house = House::open().await;
    let mut call = Call::begin(&house, "/hooks/claude", &hook("Which store?")).await;
    let (request, _) = open(&house).await;
    answers(&house, request.id).await;
    let decision = call.next().await.unwrap();
    assert_eq!(decision["hookSpecificOutput"]["decision"]["behavior"], "allow", "{decision}");
    // The allowed tool has run with the desk's answer, and then the turn is over.
    tells(&house, &answered("5d0c", "Which store?")).await;
    tells(&house, &json!({"session_id": "5d0c", "hook_event_name": "Stop"})).await;
    let id = request.id;
    house
        .until("the answer is delivered", move |desk| {
            let ended = desk.request(id)?.ended()?;
            matches!(ended.delivery, Some(Delivery::Delivered { late: false, .. })).then_some(())
        })
        .await;
    assert!(matches!(outcome(&house, id).await, Outcome::Answered { .. }));
    // Nor does it end the same question when it is asked the next time.
    let _again = Call::begin(&house, "/hooks/claude", &hook("Which store?")).await;
    let (again, _) = open(&house).await;
    assert_ne!(again.id, id);
    assert_eq!(house.open_count().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_that_is_gone_has_not_answered() {
    let house = House::open().await;
    let call = Call::begin(&house, "/hooks/claude", &hook("Which store?")).await;
    let (request, _) = open(&house).await;
    // Esc, or the end of the program.
    drop(call);
    assert_eq!(outcome(&house, request.id).await, Outcome::Orphaned { why: OrphanedWhy::CallerGone });
    // What is told of it later finds nobody; asked once more, it is the same question.
    tells(&house, &answered("5d0c", "Which store?")).await;
    let _call = Call::begin(&house, "/hooks/claude", &hook("Which store?")).await;
    assert_eq!(open(&house).await.0.id, request.id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_is_no_question_leaves_the_terminal_alone_at_once() {
    let house = House::open().await;
    let mut bash = hook("?");
    bash["tool_name"] = json!("Bash");
    let mut empty = hook("?");
    empty["tool_input"] = json!({"questions": []});
    for body in [bash, empty] {
        let answer = house.post("/hooks/claude", &body).await;
        assert_eq!((answer.status, answer.json()), (200, json!({})));
    }
    assert_eq!(house.open_count().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_desk_that_closes_leaves_the_terminals_dialog() {
    let mut house = House::open().await;
    let mut call = Call::begin(&house, "/hooks/claude", &hook("Which store?")).await;
    open(&house).await;
    house.doors.take().unwrap().close().await;
    assert_eq!(call.next().await, Some(json!({})));
}
