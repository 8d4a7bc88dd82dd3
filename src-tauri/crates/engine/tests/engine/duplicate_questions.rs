//! The same question by several calls of one agent: one request, one outcome, and each call gets it once.

use crate::support::agents::Stage;
use crate::support::desk::{TestDesk, ask, heard, request, withdraw};
use crate::support::mirror::Mirror;
use askdesk_domain::{Ask, Delivery, EntryBody, SessionId};
use askdesk_engine::NotificationEvent;
use serde_json::{Value, json};
use tokio::sync::oneshot::error::TryRecvError;

const STORE: &str = "Which store should the notes be kept in?";
const TWICE: &str = "Two calls wait for one answer.";

/// `asks N` asks the same question under the tool use `tN` as soon as there is a file `ask-N`, and says so; `$0` is the
/// folder.
const ASKS: &str = r#"
    asks() {
        until [ -e "$0/ask-$1" ]; do sleep 0.02; done
        echo '{"type":"control_request","request_id":"r'$1'","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","tool_use_id":"t'$1'","input":{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}],"metadata":{"call":'$1'}}}}'
        echo '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Asked by '$1'."}]}}'
    }
"#;

/// Records each answer and acknowledges it.
const READS: &str = r#"
    while read -r line; do
        case "$line" in *'"control_response"'*)
            echo "$line" >> "$0/answers"
            n=${line#*\"request_id\":\"r}; n=${n%%\"*}
            echo '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t'$n'","content":"fine"}]}}'
        ;; esac
    done
"#;

fn touch(stage: &Stage, name: &str) {
    std::fs::write(stage.desk.folder.join(name), "").unwrap();
}

/// Has a script ask by call `n`, and waits until the question is registered.
async fn asks(stage: &mut Stage, session: SessionId, n: u32) {
    touch(stage, &format!("ask-{n}"));
    stage.until_said(session, &format!("Asked by {n}.")).await;
}

/// The responses that a script was sent, with the ids of their requests.
fn answers(stage: &Stage) -> Vec<(String, Value)> {
    let written = std::fs::read_to_string(stage.desk.folder.join("answers")).unwrap_or_default();
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let response = line["response"].clone();
        (response["request_id"].as_str().unwrap().to_owned(), response["response"].clone())
    };
    let mut answers: Vec<_> = written.lines().map(line).collect();
    answers.sort_by(|one, other| one.0.cmp(&other.0));
    answers
}

fn cards(stage: &Stage, session: SessionId) -> usize {
    let entries = stage.desk.mirror.transcript(session);
    entries.into_iter().filter(|body| matches!(body, EntryBody::Request { .. })).count()
}

#[tokio::test]
async fn case_34_one_request_and_one_notification_and_the_answer_reaches_both_calls() {
    let mut stage = Stage::open().await;
    let session = stage.play("again").await;
    stage.until_said(session, TWICE).await;
    let request = stage.asked_one(session).await;
    let asked = stage.asked_by_agent(session);
    assert_eq!(asked.len(), 2);
    stage.answer(&request, "Plain files").await;
    stage.until_delivered(request.id).await;
    stage.until_said(session, "Both calls have their end").await;
    stage.until_idle(session).await;
    // Each response has the id and the input of its own call.
    let expected = asked.iter().map(|asked| {
        let mut input = asked["request"]["input"].clone();
        input["answers"] = json!({STORE: "Plain files"});
        let response = json!({"behavior": "allow", "updatedInput": input});
        json!({
            "type": "control_response",
            "response": {"subtype": "success", "request_id": asked["request_id"], "response": response},
        })
    });
    let mut decisions = stage.decisions(session);
    for one in expected {
        let place = decisions.iter().position(|sent| *sent == one).expect("each call has its answer");
        decisions.remove(place);
    }
    assert_eq!(decisions, Vec::<Value>::new(), "no further response");
    assert_eq!((stage.desk.mirror.requests.len(), cards(&stage, session)), (1, 1));
    let events = stage.desk.notified();
    let count = |is: fn(&NotificationEvent) -> bool| events.iter().filter(|event| is(event)).count();
    assert_eq!(count(|event| matches!(event, NotificationEvent::Asked { .. })), 1);
    assert_eq!(count(|event| matches!(event, NotificationEvent::Ended { .. })), 1);
    stage.desk.check_mirror().await;
}

#[tokio::test]
async fn case_34_a_message_ends_both_calls_before_it_is_sent() {
    let mut stage = Stage::open().await;
    let session = stage.play("again").await;
    stage.until_said(session, TWICE).await;
    let request = stage.asked_one(session).await;
    stage.reply_in_chat(&[&request], "Let us talk first.").await;
    stage.until_delivered(request.id).await;
    stage.until_idle(session).await;
    let sent = stage.sent(session);
    let kinds: Vec<_> = sent.iter().filter_map(|line| line["type"].as_str()).collect();
    assert_eq!(kinds[kinds.len() - 3..], ["control_response", "control_response", "user"], "{kinds:?}");
    let words = "User responded in chat; questions canceled";
    let denied = json!({"behavior": "deny", "message": words});
    assert!(stage.decisions(session).iter().all(|line| line["response"]["response"] == denied));
}

#[tokio::test]
async fn case_34_a_withdrawn_call_gets_nothing_and_the_other_gets_the_answer() {
    let mut stage = Stage::open().await;
    let script = format!(
        r#"{ASKS}
        asks 1; asks 2
        echo '{{"type":"control_cancel_request","request_id":"r1"}}'
        echo '{{"type":"assistant","message":{{"role":"assistant","content":[{{"type":"text","text":"Taken back."}}]}}}}'
        {READS}"#
    );
    let session = stage.script(&script, None).await;
    asks(&mut stage, session, 1).await;
    asks(&mut stage, session, 2).await;
    stage.until_said(session, "Taken back.").await;
    let request = stage.asked_one(session).await;
    stage.answer(&request, "B").await;
    stage.until_delivered(request.id).await;
    stage.sessions.stop(session).await.unwrap();
    let sent = answers(&stage);
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(sent[0].0, "r2");
    assert_eq!(sent[0].1["updatedInput"]["answers"], json!({"Which?": "B"}));
    assert_eq!(sent[0].1["updatedInput"]["metadata"], json!({"call": 2}));
}

#[tokio::test]
async fn case_34_an_outcome_that_could_not_be_written_is_retried_until_each_call_has_it_once() {
    let mut stage = Stage::open().await;
    let script = format!("{ASKS}\nasks 1; asks 2\nuntil [ -e \"$0/read\" ]; do sleep 0.02; done\n{READS}");
    let session = stage.script(&script, None).await;
    stage.fill_pipe(session).await;
    asks(&mut stage, session, 1).await;
    asks(&mut stage, session, 2).await;
    let request = stage.asked_one(session).await;
    stage.answer(&request, "B").await;
    stage.until_undelivered(request.id).await;
    touch(&stage, "read");
    let delivered = |known: &Mirror| matches!(known.delivery(request.id), Some(Delivery::Delivered { .. }));
    stage.retry_until(&request, delivered).await;
    stage.desk.engine.retry(request.id).await.unwrap();
    stage.sessions.stop(session).await.unwrap();
    let to: Vec<String> = answers(&stage).into_iter().map(|(id, _)| id).collect();
    assert_eq!(to, ["r1", "r2"]);
}

#[tokio::test]
async fn case_34_each_waiter_gets_the_outcome_and_the_waiter_of_a_withdrawn_call_is_dropped() {
    let mut desk = TestDesk::open().await;
    desk.start(1).await;
    let mut waiters = Vec::new();
    for n in 1..=3 {
        let (id, outcome) = desk.register(Ask { asked_by: None, ..ask(1, n) }).await;
        assert_eq!(id, request(1));
        waiters.push(outcome);
    }
    let seq = desk.snapshot().await.seq;
    desk.engine.act(withdraw(1, 2)).await.unwrap();
    assert_eq!(waiters.remove(1).try_recv(), Err(TryRecvError::Closed));
    assert_eq!(desk.snapshot().await.seq, seq, "a withdrawn call is not published");
    assert!(waiters.iter_mut().all(|waiter| waiter.try_recv() == Err(TryRecvError::Empty)));
    let ended = desk.engine.answer(request(1), vec![crate::support::desk::choose(0, &[2])]).await.unwrap();
    for waiter in waiters {
        assert_eq!(Some(&heard(waiter).await), ended.ended().map(|ended| &ended.outcome));
    }
    desk.check_notified_and_withdrawn(request(1));
    desk.check_mirror().await;
}
