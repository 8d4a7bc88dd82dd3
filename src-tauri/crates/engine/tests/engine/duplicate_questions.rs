//! The same question by several calls of one agent: one request, one outcome, and each call gets it once.

use crate::support::agents::Stage;
use crate::support::desk::{TestDesk, ask, heard, request, withdraw};
use askdesk_desk::News;
use askdesk_domain::{Ask, EntryBody, SessionId, WithdrawnWhy};
use serde_json::{Value, json};
use tokio::sync::oneshot::error::TryRecvError;

const STORE: &str = "Which store should the notes be kept in?";
const TWICE: &str = "Two calls wait for one answer.";

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
    stage.until_idle_after(session, "Both calls have their end").await;
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
    let news = stage.desk.news();
    let count = |is: fn(&News) -> bool| news.iter().filter(|news| is(news)).count();
    assert_eq!(count(|news| matches!(news, News::Asked(_))), 1);
    assert_eq!(count(|news| matches!(news, News::Ended(_))), 1);
    stage.desk.check_mirror().await;
}

#[tokio::test]
async fn case_34_each_waiter_gets_the_outcome_and_the_waiter_of_a_withdrawn_call_is_dropped() {
    let mut desk = TestDesk::started().await;
    let mut waiters = Vec::new();
    for n in 1..=3 {
        let (id, outcome) = desk.register(Ask { asked_by: None, ..ask(1, n) }).await;
        assert_eq!(id, request(1));
        waiters.push(outcome);
    }
    let seq = desk.snapshot().await.seq;
    desk.engine.act(withdraw(1, 2, WithdrawnWhy::ByAgent)).await.unwrap();
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
