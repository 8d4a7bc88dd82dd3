//! Whole sessions of the fake agent.

use crate::support::agents::{Play, Stage, choose, decides};
use crate::support::desk::{Refusal, say};
use crate::support::mirror::Mirror;
use askdesk_domain::{
    AnswerInput, Delivery, EntryBody, Notice, Outcome, ToolDetail, ToolStatus, WithdrawnWhy,
};
use askdesk_engine::NotificationEvent;
use serde_json::json;

const STORE: &str = "Which store should the notes be kept in?";
const FEATURES: &str = "Which features should the first version have?";

#[tokio::test]
async fn case_01_an_answer_is_one_control_response_with_the_input_as_received() {
    let mut stage = Stage::open().await;
    let session = stage.play("technology").await;
    let request = stage.asked_one(session).await;
    stage.answer(&request, "PostgreSQL").await;
    stage.until_delivered(request.id).await;
    stage.until_said(session, "PostgreSQL").await;
    stage.until_idle(session).await;
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
async fn case_02_a_question_is_one_request_and_no_tool_call_or_raw_text() {
    let mut stage = Stage::open().await;
    let session = stage.play("technology").await;
    let request = stage.asked_one(session).await;
    stage.answer(&request, "Plain files").await;
    stage.until_idle(session).await;
    let known = &stage.desk.mirror;
    assert_eq!(known.requests.len(), 1);
    let transcript = known.transcript(session);
    let cards = transcript.iter().filter(|body| matches!(body, EntryBody::Request { .. })).count();
    let tools = transcript.iter().filter(|body| matches!(body, EntryBody::Tool { .. })).count();
    assert_eq!((cards, tools), (1, 0));
    assert!(known.said(session).iter().all(|text| !text.contains('{')), "{:?}", known.said(session));
}

#[tokio::test]
async fn case_10_options_and_an_own_answer_reach_the_agent_together() {
    let mut stage = Stage::open().await;
    let session = stage.play("features").await;
    let request = stage.asked_one(session).await;
    let ticks = choose(&request, 0, &["Export", "Dark mode"]);
    let answer = AnswerInput { other: Some("a dark icon, too".to_owned()), ..ticks };
    stage.desk.engine.answer(request.id, vec![answer]).await.unwrap();
    stage.until_delivered(request.id).await;
    let answers = &stage.responses(session)[0]["updatedInput"]["answers"];
    assert_eq!(*answers, json!({FEATURES: "Dark mode, Export, a dark icon, too"}));
}

#[tokio::test]
async fn a_declined_question_reaches_the_agent_with_its_message_and_the_turn_continues() {
    let mut stage = Stage::open().await;
    let session = stage.play("technology").await;
    let request = stage.asked_one(session).await;
    stage.desk.engine.decline(request.id, Some("ask me tomorrow".to_owned())).await.unwrap();
    stage.until_delivered(request.id).await;
    stage.until_said(session, "I go on without asking").await;
    let sent = stage.responses(session);
    let message = "The user declined to answer. The user said: ask me tomorrow";
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0], json!({"behavior": "deny", "message": message}));
}

#[tokio::test]
async fn case_21_the_agent_is_told_that_a_question_was_closed() {
    let mut stage = Stage::open().await;
    let session = stage.play("technology").await;
    let request = stage.asked_one(session).await;
    stage.desk.engine.cancel(request.id, None).await.unwrap();
    stage.until_delivered(request.id).await;
    let message = "The user closed the question without answering it.";
    let response = json!({"behavior": "deny", "message": message});
    assert_eq!(stage.responses(session)[0], response);
}

#[tokio::test]
async fn case_22_two_requests_can_be_answered_in_reverse_and_the_turn_continues_after_both() {
    let mut stage = Stage::open().await;
    let session = stage.play("parallel").await;
    let requests = stage.asked(session, 2).await;
    assert_eq!([&requests[0].questions[0].text, &requests[1].questions[0].text], [STORE, FEATURES]);
    stage.desk.engine.answer(requests[1].id, vec![choose(&requests[1], 0, &["Sync"])]).await.unwrap();
    stage.asked(session, 1).await;
    assert!(stage.desk.mirror.sessions[&session].is_running());
    stage.desk.engine.answer(requests[0].id, vec![choose(&requests[0], 0, &["Plain files"])]).await.unwrap();
    stage.until_delivered(requests[0].id).await;
    stage.until_delivered(requests[1].id).await;
    stage.until_said(session, "Both are clear now").await;
    stage.until_idle(session).await;
    let asked = stage.asked_by_agent(session);
    let sent: Vec<_> = stage.decisions(session);
    let to: Vec<_> = sent.iter().map(|line| line["response"]["request_id"].clone()).collect();
    assert_eq!(to, [asked[1]["request_id"].clone(), asked[0]["request_id"].clone()]);
    let answers: Vec<_> =
        stage.responses(session).iter().map(|it| it["updatedInput"]["answers"].clone()).collect();
    assert_eq!(answers, [json!({FEATURES: "Sync"}), json!({STORE: "Plain files"})]);
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
    let mut stage = Stage::open().await;
    let session = stage.play("technology").await;
    let request = stage.asked_one(session).await;
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
    let mut stage = Stage::open().await;
    let session = stage.play("technology").await;
    let request = stage.asked_one(session).await;
    let answers = (0..20).map(|_| stage.answer(&request, "PostgreSQL"));
    let results = futures_util::future::join_all(answers).await;
    assert!(results.windows(2).all(|pair| pair[0].state == pair[1].state));
    stage.until_idle(session).await;
    let again = stage.answer(&request, "PostgreSQL").await;
    assert!(matches!(again.ended().unwrap().delivery, Some(Delivery::Delivered { .. })));
    assert_eq!(stage.decisions(session).len(), 1);
    let events = stage.desk.notified().into_iter();
    assert_eq!(events.filter(|event| matches!(event, NotificationEvent::Ended { .. })).count(), 1);
}

#[tokio::test]
async fn case_26_an_interrupt_withdraws_the_question_and_sends_no_answer() {
    let mut stage = Stage::open().await;
    let session = stage.play("technology").await;
    let request = stage.asked_one(session).await;
    stage.sessions.interrupt(session).unwrap();
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
    stage.sessions.interrupt(session).unwrap();
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
    stage.sessions.interrupt(session).unwrap();
    stage.sessions.send_message(session, "go".to_owned()).await.unwrap();
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
async fn case_09_prefilled_answers_pass_through_without_a_request() {
    let mut stage = Stage::open().await;
    let session = stage.play("prefilled").await;
    stage.until_said(session, "PostgreSQL").await;
    stage.until_idle(session).await;
    assert!(stage.desk.mirror.requests.is_empty());
    assert!(stage.desk.mirror.notices(session).contains(&&Notice::AnswersBrought));
    let asked = stage.asked_by_agent(session).remove(0);
    let response = json!({"behavior": "allow", "updatedInput": asked["request"]["input"]});
    assert_eq!(stage.responses(session)[0], response);
    assert!(stage.desk.notifications.try_recv().is_err());
}

#[tokio::test]
async fn case_75_the_entry_of_a_tool_call_shows_that_it_awaits_permission_and_then_runs() {
    let mut stage = Stage::open().await;
    let session = stage.play("approval").await;
    for round in 1..=2_usize {
        stage.desk.until("an approval", |known| known.approvals.len() == round).await;
        let awaits =
            |known: &Mirror| known.tool_statuses(session).last() == Some(&ToolStatus::AwaitingPermission);
        stage.desk.until("case 75: the tool awaits permission", awaits).await;
        let approval = stage.desk.mirror.approvals.values().next_back().unwrap().clone();
        assert_eq!((approval.title.as_str(), approval.session), ("Bash", session));
        let command = "mkdir notes".to_owned();
        let description = Some("Create the folder for notes".to_owned());
        assert_eq!(approval.subject, ToolDetail::Command { command, description });
        stage.desk.engine.decide_approval(approval.id, decides(&["allow"])).await.unwrap();
    }
    stage.until_said(session, "Done with the commands").await;
    let decisions = stage.responses(session);
    assert_eq!(decisions.len(), 2);
    assert!(decisions.iter().all(|it| it["behavior"] == "allow"));
    assert_eq!(stage.desk.mirror.tool_statuses(session), [ToolStatus::Done, ToolStatus::Done]);
    assert!(stage.desk.mirror.requests.is_empty());
}

#[tokio::test]
async fn unusable_lines_are_counted_and_logged_and_the_session_continues() {
    let mut stage = Stage::open().await;
    let session = stage.play("malformed").await;
    let request = stage.asked_one(session).await;
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

#[tokio::test]
async fn case_137_a_request_of_an_unknown_kind_is_refused_and_shown_with_all_of_it() {
    let mut stage = Stage::open().await;
    let script = r#"
        read -r hello
        echo '{"type":"control_request","request_id":"r1","request":{"subtype":"ask_poll","questions":["Which?"]}}'
        read -r answer
        printf '%s' "$answer" > "$0/answer"
        echo '{"type":"result","subtype":"success","duration_ms":1}'
        read -r end
        "#;
    let session = stage.script(script, None).await;
    stage.desk.until("the turn ends", |known| !known.turns(session).is_empty()).await;
    let answer = std::fs::read_to_string(stage.desk.folder.join("answer")).unwrap();
    assert!(answer.contains("does not support the control request ask_poll"), "{answer}");
    let notices = stage.desk.mirror.notices(session);
    let [Notice::NotUnderstood { kind, text, refused: true }] = notices.as_slice() else {
        panic!("{notices:?}")
    };
    assert_eq!(kind, "control_request/ask_poll");
    assert!(text.contains(r#""questions":["Which?"]"#), "{text}");
}

#[tokio::test]
async fn case_04_an_invalid_question_is_refused_in_the_same_turn_with_its_field() {
    let mut stage = Stage::open().await;
    let session = stage.play("unusable").await;
    stage.until_said(session, "Fourth refusal: ").await;
    stage.until_idle(session).await;
    assert!(stage.desk.mirror.requests.is_empty());
    let said = stage.desk.mirror.said(session).join("\n");
    for field in ["questions: too few", "questions: ", "questions[0].question: ", "questions[0]"] {
        assert!(said.contains(field), "{field:?}: {said}");
    }
    assert_eq!(stage.decisions(session).len(), 4);
}

#[tokio::test]
async fn free_text_from_a_question_without_options_reaches_the_agent() {
    let mut stage = Stage::open().await;
    let session = stage.play("package-manager").await;
    let request = stage.asked_one(session).await;
    stage.desk.engine.answer(request.id, vec![say(0, "none, we vendor everything")]).await.unwrap();
    stage.until_delivered(request.id).await;
    let answers = &stage.responses(session)[0]["updatedInput"]["answers"];
    assert_eq!(answers[&request.questions[0].text], "none, we vendor everything");
}

#[tokio::test]
async fn many_questions_in_a_row_are_each_answered_once() {
    let mut stage = Stage::open().await;
    let session = stage.play("loop-ask").await;
    for round in 1..=30_usize {
        stage.desk.until("the next question", |known| known.requests.len() >= round).await;
        let request = stage.asked_one(session).await;
        stage.answer(&request, "Left").await;
        stage.desk.until("it is closed", |known| !known.requests[&request.id].is_open()).await;
    }
    stage.stop(session).await;
    stage.desk.check_mirror().await;
    assert!((30..=31).contains(&stage.desk.mirror.requests.len()));
    assert!(stage.decisions(session).len() >= 29);
}
