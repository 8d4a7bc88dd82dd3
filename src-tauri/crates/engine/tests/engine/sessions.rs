//! Whole sessions of the fake agent.

use crate::support::agents::{Play, Stage};
use crate::support::desk::Refusal;
use askdesk_desk::News;
use askdesk_domain::{Delivery, Notice, Outcome, WithdrawnWhy};
use askdesk_engine::SessionCall;
use serde_json::json;

const STORE: &str = "Which store should the notes be kept in?";
#[tokio::test]
async fn case_01_an_answer_is_one_control_response_with_the_input_as_received() {
    let (mut stage, session, request) = Stage::asking("technology").await;
    stage.answer(&request, "PostgreSQL").await;
    stage.until_delivered(request.id).await;
    stage.until_idle_after(session, "PostgreSQL").await;
    let asked = stage.asked_by_agent(session).remove(0);
    let mut input = asked["request"]["input"].clone();
    input["answers"] = json!({STORE: "PostgreSQL"});
    let response = json!({"behavior": "allow", "updatedInput": input});
    let answer = json!({
        "type": "control_response",
        "response": {"subtype": "success", "request_id": asked["request_id"], "response": response},
    });
    assert_eq!(stage.decisions(session), [answer]);
    stage.desk.check_mirror().await;
}

#[tokio::test]
async fn case_21_the_agent_is_told_that_a_question_was_closed() {
    let (mut stage, session, request) = Stage::asking("technology").await;
    stage.desk.engine.cancel(request.id, None).await.unwrap();
    stage.until_delivered(request.id).await;
    let message = "The user closed the question without answering it.";
    let response = json!({"behavior": "deny", "message": message});
    assert_eq!(stage.responses(session)[0], response);
}

#[tokio::test]
async fn case_30_a_question_of_one_session_does_not_block_another_session() {
    let mut stage = Stage::open().await;
    let (a, b) = (stage.play("technology").await, stage.play("technology").await);
    let (of_a, of_b) = (stage.asked_one(a).await, stage.asked_one(b).await);
    stage.answer(&of_b, "PostgreSQL").await;
    stage.until_delivered(of_b.id).await;
    stage.until_idle(b).await;
    stage.asked_one(a).await;
    assert_eq!(stage.decisions(a).len(), 0);
    stage.answer(&of_a, "Plain files").await;
    stage.until_delivered(of_a.id).await;
    let answer = |session| stage.responses(session)[0]["updatedInput"]["answers"][STORE].clone();
    assert_eq!((answer(a), answer(b)), (json!("Plain files"), json!("PostgreSQL")));
}

#[tokio::test]
async fn case_132_an_answer_is_written_once_its_sending_can_be_noted() {
    let (mut stage, session, request) = Stage::asking("technology").await;
    let refusal = Refusal::of_event(&stage.desk.folder, "sending");
    stage.answer(&request, "PostgreSQL").await;
    stage.desk.until("it is said", |known| known.outage.is_some()).await;
    assert_eq!(stage.decisions(session).len(), 0);
    drop(refusal);
    stage.until_delivered(request.id).await;
    stage.until_idle(session).await;
    assert_eq!(stage.decisions(session).len(), 1);
    stage.desk.until("everything is stored", |known| known.outage.is_none()).await;
    stage.desk.check_mirror().await;
}

#[tokio::test]
async fn case_33_an_answer_given_many_times_at_once_is_written_once() {
    let (mut stage, session, request) = Stage::asking("technology").await;
    let answers = (0..20).map(|_| stage.answer(&request, "PostgreSQL"));
    let results = futures_util::future::join_all(answers).await;
    assert!(results.windows(2).all(|pair| pair[0].state == pair[1].state));
    stage.until_idle(session).await;
    let again = stage.answer(&request, "PostgreSQL").await;
    assert!(matches!(again.ended().unwrap().delivery, Some(Delivery::Delivered { .. })));
    assert_eq!(stage.decisions(session).len(), 1);
    let news = stage.desk.news().into_iter();
    assert_eq!(news.filter(|news| matches!(news, News::Ended(_))).count(), 1);
}

#[tokio::test]
async fn case_26_an_interrupt_withdraws_the_question_and_sends_no_answer() {
    let (mut stage, session, request) = Stage::asking("technology").await;
    stage.sessions.call(session, SessionCall::Interrupt).await.unwrap();
    stage.desk.until("the card is closed", |known| !known.requests[&request.id].is_open()).await;
    let ended = stage.desk.mirror.requests[&request.id].ended().unwrap().clone();
    assert_eq!(ended.outcome, Outcome::Withdrawn { why: WithdrawnWhy::Interrupted });
    assert_eq!(ended.delivery, None);
    stage.until_idle(session).await;
    assert_eq!(stage.decisions(session), [] as [serde_json::Value; 0]);
    stage.desk.check_notified_and_withdrawn(request.id);
    assert!(stage.desk.mirror.notices(session).contains(&&Notice::Interrupted));
}

#[tokio::test]
async fn case_26_a_turn_that_is_interrupted_before_it_asks_leaves_no_request() {
    let mut stage = Stage::open().await;
    let session = stage.start(Play { pace_percent: 100, ..Play::of("slow") }).await;
    stage.desk.until("the agent writes", |known| known.live.contains_key(&session)).await;
    stage.sessions.call(session, SessionCall::Interrupt).await.unwrap();
    stage.until_idle(session).await;
    assert!(stage.desk.mirror.requests.is_empty());
    stage.desk.check_mirror().await;
}

#[tokio::test]
async fn an_interrupt_without_a_turn_does_not_affect_the_next_turn() {
    let mut stage = Stage::open().await;
    let play = Play { prompt: None, pace_percent: 100, ..Play::of("withdrawn") };
    let session = stage.start(play).await;
    stage.until_idle(session).await;
    stage.sessions.call(session, SessionCall::Interrupt).await.unwrap();
    stage.sessions.call(session, SessionCall::message("go".to_owned())).await.unwrap();
    let request = stage.asked_one(session).await;
    stage.desk.until("the card is closed", |known| !known.requests[&request.id].is_open()).await;
    let outcome = &stage.desk.mirror.requests[&request.id].ended().unwrap().outcome;
    assert_eq!(*outcome, Outcome::Withdrawn { why: WithdrawnWhy::ByAgent });
}

#[tokio::test]
async fn case_104_a_message_closes_only_the_questions_that_the_user_was_told_of() {
    let mut stage = Stage::open().await;
    let session = stage.play("parallel").await;
    let requests = stage.asked(session, 2).await;
    stage.reply_in_chat(&[&requests[0]], "let us talk first").await;
    stage.until_delivered(requests[0].id).await;
    assert!(stage.desk.request(requests[1].id).await.is_open());
}

#[tokio::test]
async fn case_35_a_message_ends_open_questions_before_it_is_sent() {
    let mut stage = Stage::open().await;
    let session = stage.play("parallel").await;
    let requests = stage.asked(session, 2).await;
    stage.reply_in_chat(&requests.iter().collect::<Vec<_>>(), "let us talk first").await;
    for request in &requests {
        stage.until_delivered(request.id).await;
        let text = "let us talk first".to_owned();
        let outcome = &stage.desk.mirror.requests[&request.id].ended().unwrap().outcome;
        assert_eq!(*outcome, Outcome::RepliedInChat { text });
    }
    stage.until_idle(session).await;
    let after_prompt: Vec<_> = stage
        .sent(session)
        .into_iter()
        .skip(2)
        .map(|line| match line["type"].as_str() {
            Some("user") => line["message"]["content"].clone(),
            _ => line["response"]["response"]["message"].clone(),
        })
        .collect();
    let deny = json!("User responded in chat; questions canceled");
    assert_eq!(after_prompt, [deny.clone(), deny, json!("let us talk first")]);
}

#[tokio::test]
async fn unusable_lines_are_counted_and_logged_and_the_session_continues() {
    let (mut stage, session, request) = Stage::asking("malformed").await;
    stage
        .desk
        .until("every broken line is counted", |known| {
            known.sessions.get(&session).is_some_and(|it| it.unusable_lines == 6)
        })
        .await;
    let log = stage.log(session);
    for words in [
        "Unusable: a line that isn't JSON: this line is not JSON",
        "Unusable: a line that isn't JSON: xxx",
        "Unusable: a message of unknown type event_of_next_year",
        "Refused: questions[0].options: ",
    ] {
        assert!(log.contains(words), "{words:?} is not in the log:\n{log}");
    }
    let refused = |notice: &&Notice| matches!(notice, Notice::QuestionRefused { reason } if reason.starts_with("questions[0].options"));
    assert_eq!(stage.desk.mirror.notices(session).into_iter().filter(refused).count(), 1);
    stage.until_said(session, "That question was refused: ").await;
    stage.answer(&request, "PostgreSQL").await;
    stage.until_said(session, "Still here. Your answer: PostgreSQL").await;
}
