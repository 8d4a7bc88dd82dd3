//! The same question by several calls of one agent: one card, one end, and each call is told of it once.

use std::time::{Duration, Instant};

use crate::support::agents::{Stage, choose};
use crate::support::desk::{TestDesk, ask, heard, request, session};
use askdesk_domain::{
    ASKED_AGAIN_MILLIS, Ask, Command, Delivery, EntryBody, Notice, Outcome, Request, RequestCommand,
    SessionId, WithdrawnWhy,
};
use askdesk_engine::NotificationEvent;
use serde_json::{Value, json};
use tokio::sync::oneshot;
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

/// Keeps each answer, and shows that it has come.
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

/// Has a script ask by call `n`, and waits until that has been taken in.
async fn asks(stage: &mut Stage, session: SessionId, n: u32) {
    touch(stage, &format!("ask-{n}"));
    stage.until_said(session, &format!("Asked by {n}.")).await;
}

/// What a script was sent: to which request, and what.
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

/// What was told of questions; that a turn has finished is another story.
fn told(desk: &mut TestDesk) -> Vec<NotificationEvent> {
    let all = std::iter::from_fn(|| desk.notifications.try_recv().ok());
    all.filter(|told| {
        !matches!(told, NotificationEvent::Finished { .. } | NotificationEvent::FinishedWithdrawn { .. })
    })
    .collect()
}

#[tokio::test]
async fn case_34_one_card_one_notification_and_one_answer_that_reaches_both_calls() {
    let mut stage = Stage::open().await;
    let session = stage.play("again").await;
    stage.until_said(session, TWICE).await;
    let request = stage.asked_one(session).await;
    let asked = stage.asked_by_agent(session);
    assert_eq!(asked.len(), 2);
    stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["Plain files"])]).await.unwrap();
    stage.until_delivered(request.id).await;
    stage.until_said(session, "Both calls have their end").await;
    stage.until_idle(session).await;
    // Each as its call was made: its own id, its own input.
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
    assert_eq!(decisions, Vec::<Value>::new(), "and nothing else");
    assert_eq!((stage.desk.mirror.requests.len(), cards(&stage, session)), (1, 1));
    let told = told(&mut stage.desk);
    assert!(
        matches!(&told[..], [NotificationEvent::Asked { .. }, NotificationEvent::Ended { .. }]),
        "{told:?}"
    );
    stage.desk.check_mirror().await;
}

#[tokio::test]
async fn case_34_a_message_instead_of_an_answer_ends_both_calls_before_it_goes_out() {
    let mut stage = Stage::open().await;
    let session = stage.play("again").await;
    stage.until_said(session, TWICE).await;
    let request = stage.asked_one(session).await;
    stage.sessions.send_message(session, "Let us talk first.".to_owned()).await.unwrap();
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
async fn case_34_the_call_that_is_taken_back_gets_nothing_and_the_other_its_answer() {
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
    stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["B"])]).await.unwrap();
    stage.until_delivered(request.id).await;
    stage.sessions.stop(session).await.unwrap();
    let sent = answers(&stage);
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(sent[0].0, "r2");
    assert_eq!(sent[0].1["updatedInput"]["answers"], json!({"Which?": "B"}));
    assert_eq!(sent[0].1["updatedInput"]["metadata"], json!({"call": 2}));
}

#[tokio::test]
async fn case_34_only_when_the_last_call_is_taken_back_is_the_question_withdrawn() {
    let mut stage = Stage::open().await;
    let cancel = |n: u32| {
        format!(
            r#"until [ -e "$0/cancel-{n}" ]; do sleep 0.02; done
            echo '{{"type":"control_cancel_request","request_id":"r{n}"}}'
            echo '{{"type":"assistant","message":{{"role":"assistant","content":[{{"type":"text","text":"{n} is taken back."}}]}}}}'
            "#
        )
    };
    let script = format!("{ASKS}\nasks 1; asks 2\n{}{}{READS}", cancel(2), cancel(1));
    let session = stage.script(&script, None).await;
    asks(&mut stage, session, 1).await;
    asks(&mut stage, session, 2).await;
    touch(&stage, "cancel-2");
    stage.until_said(session, "2 is taken back.").await;
    let request = stage.asked_one(session).await;
    touch(&stage, "cancel-1");
    stage.until_said(session, "1 is taken back.").await;
    let why = WithdrawnWhy::ByAgent;
    let ended = stage.desk.request(request.id).await.ended().unwrap().outcome.clone();
    assert_eq!(ended, Outcome::Withdrawn { why });
    assert_eq!(told(&mut stage.desk).len(), 2, "asked once, ended once");
}

#[tokio::test]
async fn case_34_after_three_minutes_or_after_its_end_the_same_content_is_a_new_question() {
    let mut stage = Stage::open().await;
    let session = stage.script(&format!("{ASKS}\nasks 1; asks 2; asks 3\n{READS}"), None).await;
    asks(&mut stage, session, 1).await;
    let first = stage.asked_one(session).await;
    stage.desk.clock.advance(ASKED_AGAIN_MILLIS);
    asks(&mut stage, session, 2).await;
    let open = stage.asked(session, 2).await;
    let second = open.into_iter().find(|request| request.id != first.id).unwrap();
    stage.desk.engine.answer(second.id, vec![choose(&second, 0, &["A"])]).await.unwrap();
    asks(&mut stage, session, 3).await;
    let open = stage.asked(session, 2).await;
    assert!(open.iter().all(|request| request.id != second.id));
    for (request, label) in open.iter().zip(["A", "B"]) {
        stage.desk.engine.answer(request.id, vec![choose(request, 0, &[label])]).await.unwrap();
        stage.until_delivered(request.id).await;
    }
    stage.until_delivered(second.id).await;
    stage.sessions.stop(session).await.unwrap();
    let to: Vec<String> = answers(&stage).into_iter().map(|(id, _)| id).collect();
    assert_eq!(to, ["r1", "r2", "r3"]);
    assert_eq!(cards(&stage, session), 3);
}

#[tokio::test]
async fn case_34_what_could_not_be_written_is_retried_until_each_call_has_it_once() {
    let mut stage = Stage::open().await;
    let script = format!("{ASKS}\nasks 1; asks 2\nuntil [ -e \"$0/read\" ]; do sleep 0.02; done\n{READS}");
    let session = stage.script(&script, None).await;
    // The agent reads nothing, so its pipe and then its queue fill up.
    let not_sent = |notice: &&Notice| matches!(notice, Notice::MessageNotSent { .. });
    while !stage.desk.mirror.notices(session).iter().any(not_sent) {
        stage.sessions.send_message(session, "w".repeat(30_000)).await.unwrap();
        stage.desk.catch_up();
    }
    asks(&mut stage, session, 1).await;
    asks(&mut stage, session, 2).await;
    let request = stage.asked_one(session).await;
    stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["B"])]).await.unwrap();
    let delivery = |request: &Request| request.ended().and_then(|ended| ended.delivery.clone());
    let failed = |request: &Request| matches!(delivery(request), Some(Delivery::Failed { .. }));
    stage.desk.until("the failure shows", |known| failed(&known.requests[&request.id])).await;
    touch(&stage, "read");
    let deadline = Instant::now() + crate::support::desk::PATIENCE;
    // The queue may be full for a moment still.
    while !matches!(delivery(&stage.desk.mirror.requests[&request.id]), Some(Delivery::Delivered { .. })) {
        assert!(Instant::now() < deadline, "the answer does not arrive");
        stage.desk.engine.retry(request.id).await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        stage.desk.catch_up();
    }
    stage.desk.engine.retry(request.id).await.unwrap();
    stage.sessions.stop(session).await.unwrap();
    let to: Vec<String> = answers(&stage).into_iter().map(|(id, _)| id).collect();
    assert_eq!(to, ["r1", "r2"]);
}

#[tokio::test]
async fn case_34_missed_with_both_calls_open_it_is_answered_late_by_one_message() {
    let mut stage = Stage::open().await;
    let session = stage.play("again").await;
    stage.until_said(session, TWICE).await;
    let request = stage.asked_one(session).await;
    stage.sessions.stop(session).await.unwrap();
    stage.until_ended(session).await;
    stage.desk.engine.answer(request.id, vec![choose(&request, 0, &["PostgreSQL"])]).await.unwrap();
    stage.resume(session, "chatty").await;
    stage.until_delivered(request.id).await;
    let messages = stage.messages(session);
    let brought = messages.iter().filter(|text| text.contains(STORE)).count();
    assert_eq!(brought, 1, "{messages:?}");
    let delivery = stage.desk.request(request.id).await.ended().unwrap().delivery.clone();
    assert!(matches!(delivery, Some(Delivery::Delivered { late: true, .. })), "{delivery:?}");
}

#[tokio::test]
async fn case_34_the_next_run_finds_one_missed_question_and_its_calls_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let same = |n: u128| Ask { asked_by: None, ..ask(1, n) };
    {
        let desk = TestDesk::open_at(folder.path()).await;
        desk.start(1).await;
        for n in [1, 2] {
            let (waiter, _outcome) = oneshot::channel();
            assert_eq!(desk.engine.register(same(n), waiter).await.unwrap(), request(1));
        }
        // A crash, not an end in order: the next run reads what the journal says.
        std::mem::forget(desk);
    }
    let kept = tempfile::tempdir().unwrap();
    for name in ["desk.db", "desk.db-wal", "runs"] {
        if folder.path().join(name).exists() {
            std::fs::copy(folder.path().join(name), kept.path().join(name)).unwrap();
        }
    }
    let desk = TestDesk::open_at(kept.path()).await;
    let requests = desk.snapshot().await.requests;
    assert_eq!(requests.len(), 1);
    assert!(requests[0].is_missed(), "{requests:?}");
}

#[tokio::test]
async fn case_34_each_waiter_hears_and_one_whose_call_left_is_let_go() {
    let mut desk = TestDesk::open().await;
    desk.start(1).await;
    let mut waiters = Vec::new();
    for n in 1..=3 {
        let (waiter, outcome) = oneshot::channel();
        let same = Ask { asked_by: None, ..ask(1, n) };
        assert_eq!(desk.engine.register(same, waiter).await.unwrap(), request(1));
        waiters.push(outcome);
    }
    let seq = desk.snapshot().await.seq;
    let native_ref = ask(1, 2).native_ref;
    let (why, at) = (WithdrawnWhy::ByAgent, ask(1, 2).at);
    desk.engine
        .act(Command::Request(RequestCommand::Withdraw { session: session(1), native_ref, why, at }))
        .await
        .unwrap();
    assert_eq!(waiters.remove(1).try_recv(), Err(TryRecvError::Closed));
    assert_eq!(desk.snapshot().await.seq, seq, "nobody is told that one call fewer waits");
    assert!(waiters.iter_mut().all(|waiter| waiter.try_recv() == Err(TryRecvError::Empty)));
    let ended = desk.engine.answer(request(1), vec![crate::support::desk::choose(0, &[2])]).await.unwrap();
    for waiter in waiters {
        assert_eq!(Some(&heard(waiter).await), ended.ended().map(|ended| &ended.outcome));
    }
    assert_eq!(told(&mut desk).len(), 2, "asked once, ended once");
    desk.check_mirror().await;
}
