//! The answers to questions that Codex doesn't wait for.

use askdesk_agents::{Adapter, AgentEvent, Asked, Requests};
use askdesk_domain::{
    AnswerInput, Answers, Asker, Delivery, Ended, Outcome, Question, Request, RequestId, RequestState,
    SessionId, Timestamp,
};
use serde_json::json;

use crate::support::codex::Session;

/// One question's answer: chosen options by place (from 1), own words, a note.
type Given<'a> = (&'a [usize], Option<&'a str>, Option<&'a str>);

fn answers(questions: &[Question], given: &[Option<Given<'_>>]) -> Outcome {
    let inputs = questions.iter().zip(given).filter_map(|(question, given)| {
        let (chosen, other, note) = (*given)?;
        Some(AnswerInput {
            question: question.id,
            chosen: chosen.iter().map(|place| question.id.option(place - 1)).collect(),
            other: other.map(str::to_owned),
            note: note.map(str::to_owned),
        })
    });
    let inputs: Vec<AnswerInput> = inputs.collect();
    Outcome::Answered { answers: Answers::check(questions, &inputs).unwrap() }
}

/// A request that the agent didn't wait for, with its end.
fn ended(asked: &Asked, outcome: Outcome) -> Request {
    let at = Timestamp::from_millis(1);
    let ended = Ended { outcome, at, delivery: Some(Delivery::Pending), answer: None };
    Request {
        id: RequestId::new(uuid::Uuid::from_u128(1)),
        session: SessionId::new(uuid::Uuid::from_u128(1)),
        native_ref: asked.native_ref.clone(),
        asked_by: None,
        helper: None,
        questions: asked.questions.clone(),
        asked_at: at,
        limit: None,
        asker: asked.asker,
        state: RequestState::Ended(ended),
    }
}

fn asked_async(session: &mut Session) -> Asked {
    let questions = json!([{"title": "Which trigger?", "options": ["Click", "Keyboard"]}, {"title": "Which file?", "options": null}]);
    let text = "Which trigger?\n- Click\n- Keyboard\n\nWhich file?";
    let item = json!({"type": "agentMessage", "id": "c1", "text": text, "delivery": "async", "questions": questions});
    match session.tell("item/completed", json!({"turnId": "turn-1", "item": item})).as_slice() {
        [AgentEvent::Requests(Requests::Asked(asked))] => asked.clone(),
        other => panic!("not asked: {other:?}"),
    }
}

/// As Codex's own terminal sends it (0.169.0 and 0.171.0).
#[test]
fn case_136_the_answer_has_the_form_of_the_terminal() {
    let mut session = Session::in_turn();
    let asked = asked_async(&mut session);
    let given = [Some((&[2][..], None, Some("soon"))), Some((&[][..], Some("a </b> \"c\""), None))];
    let request = ended(&asked, answers(&asked.questions, &given));
    let message = session.0.late_message(&[request]);
    let replies = "[{\"answer\":\"Keyboard\\nNote: soon\",\"question\":\"Which trigger?\",\
                    \"questionItemId\":\"[\\\"request_user_input_async\\\",\\\"c1\\\",0]\"},\
                    {\"answer\":\"a <\\/b> \\\"c\\\"\",\"question\":\"Which file?\",\
                    \"questionItemId\":\"[\\\"request_user_input_async\\\",\\\"c1\\\",1]\"}]";
    let expected =
        format!("<send_user_message_question_reply>\n{replies}\n</send_user_message_question_reply>");
    assert_eq!(message.sent, expected);
    assert_eq!(message.shown, "Which trigger?\nKeyboard\nNote: soon\n\nWhich file?\na </b> \"c\"");
}

#[test]
fn case_136_only_what_was_answered_is_sent_and_a_late_answer_goes_along() {
    let mut session = Session::in_turn();
    let asked = asked_async(&mut session);
    let part = ended(&asked, answers(&asked.questions, &[Some((&[1], None, None)), None]));
    let late = Request { asker: Asker::Waits, ..part.clone() };
    let message = session.0.late_message(&[part, late]);
    assert_eq!(message.sent.matches("questionItemId").count(), 1, "{}", message.sent);
    assert!(
        message.sent.contains("</send_user_message_question_reply>\n\nThis is a late answer."),
        "{}",
        message.sent
    );
}

#[test]
fn a_question_of_an_earlier_server_is_another_one_although_its_id_is_the_same() {
    let asked = || {
        let questions = json!([{"id": "a", "question": "Which?", "options": []}]);
        let out = Session::in_turn().ask(0, "item/tool/requestUserInput", json!({"questions": questions}));
        let [AgentEvent::Requests(Requests::Asked(asked))] = out.events.as_slice() else { panic!("{out:?}") };
        asked.native_ref.clone()
    };
    assert_ne!(asked(), asked());
}
