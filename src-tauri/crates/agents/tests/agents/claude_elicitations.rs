//! Elicitations of MCP servers as Claude Code passes them on, and the replies it gets.

use askdesk_agents::AgentEvent;
use askdesk_domain::{AnswerInput, Answers, NativeRef, Outcome, Question, QuestionKind};
use rstest::rstest;
use serde_json::{Value, json};

use crate::support::claude::{Claude, lines};

fn native() -> NativeRef {
    NativeRef::new("req-1").unwrap()
}

fn request(fields: &Value) -> String {
    let mut request =
        json!({"subtype": "elicitation", "mcp_server_name": "tracker", "message": "Please fill in."});
    request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({"type": "control_request", "request_id": "req-1", "request": request}).to_string()
}

fn form() -> Value {
    let properties = json!({
        "count": {"type": "integer", "title": "Count"},
        "auth": {"type": "string", "title": "Auth", "description": "Which method?",
            "oneOf": [{"const": "jwt", "title": "JWT"}, {"const": "sessions", "title": "Sessions"}]},
    });
    let schema = json!({"type": "object", "properties": properties, "required": ["auth"]});
    json!({"mode": "form", "requested_schema": schema, "property_order": ["auth", "count"]})
}

fn page() -> Value {
    json!({"mode": "url", "url": "https://example.org/auth", "elicitation_id": "e1"})
}

fn ask(session: &mut Claude, fields: &Value) -> Vec<Question> {
    match session.on_line(request(fields).as_bytes()).as_slice() {
        [AgentEvent::Asked(asked)] => {
            assert_eq!((&asked.native_ref, asked.asked_by.as_deref()), (&native(), Some("tracker")));
            asked.questions.clone()
        }
        other => panic!("not asked: {other:?}"),
    }
}

fn answered(questions: &[Question], given: &[(&[usize], Option<&str>)]) -> Outcome {
    let input = |(question, (chosen, other)): (&Question, &(&[usize], Option<&str>))| AnswerInput {
        question: question.id,
        chosen: chosen.iter().map(|place| question.id.option(place - 1)).collect(),
        other: other.map(str::to_owned),
        note: None,
    };
    let inputs: Vec<AnswerInput> = questions.iter().zip(given).map(input).collect();
    Outcome::Answered { answers: Answers::check(questions, &inputs).unwrap() }
}

fn response(line: &str) -> Value {
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!(
        (&line["type"], &line["response"]["subtype"]),
        (&json!("control_response"), &json!("success"))
    );
    assert_eq!(line["response"]["request_id"], "req-1");
    line["response"]["response"].clone()
}

#[test]
fn case_111_a_form_becomes_questions_in_its_order_and_its_answers_are_the_values_of_the_form() {
    let mut session = Claude::new();
    let questions = ask(&mut session, &form());
    let shown: Vec<_> = questions.iter().map(|it| (it.text.as_str(), it.kind, it.required)).collect();
    assert_eq!(
        shown,
        [
            ("Please fill in.\n\nWhich method?", QuestionKind::Single, true),
            ("Count", QuestionKind::Text, false)
        ]
    );
    let outcome = answered(&questions, &[(&[2], None), (&[], Some("3"))]);
    let (line, notices) = session.answer(&native(), &questions, &outcome).unwrap();
    assert_eq!(notices, []);
    assert_eq!(response(&line), json!({"action": "accept", "content": {"auth": "sessions", "count": 3}}));
    // No tool result names the call, so the next message of the model shows that the answer has arrived.
    let start = json!({"type": "stream_event", "event": {"type": "message_start"}}).to_string();
    let events = session.on_line(start.as_bytes());
    assert!(events.contains(&AgentEvent::Acknowledged { native_ref: native() }), "{events:?}");
}

#[test]
fn case_141_the_bounds_of_a_form_hold_for_its_answers_and_its_default_is_not_sent_by_itself() {
    let mut session = Claude::new();
    let properties = json!({
        "auth": {"type": "string", "enum": ["jwt", "sessions"], "default": "jwt"},
        "count": {"type": "integer", "minimum": 2, "maximum": 9},
    });
    let questions =
        ask(&mut session, &json!({"mode": "form", "requested_schema": {"properties": properties}}));
    let count = |typed: &str| AnswerInput {
        question: questions[1].id,
        chosen: vec![],
        other: Some(typed.to_owned()),
        note: None,
    };
    let refused = Answers::check(&questions, &[count("23")]).unwrap_err().to_string();
    assert_eq!(refused, "answers[0].other: must be a whole number (at least 2, at most 9)");
    assert_eq!(questions[0].default.as_ref().unwrap().chosen, [questions[0].id.option(0)]);
    let outcome = Outcome::Answered { answers: Answers::check(&questions, &[count("9")]).unwrap() };
    let (line, _) = session.answer(&native(), &questions, &outcome).unwrap();
    assert_eq!(response(&line), json!({"action": "accept", "content": {"count": 9}}));
}

#[rstest]
#[case(Outcome::Declined { words: None }, "decline")]
#[case(Outcome::RepliedInChat { text: "x".to_owned() }, "cancel")]
#[case(Outcome::Expired, "cancel")]
fn case_111_a_form_that_is_not_filled_in_is_declined_or_canceled(
    #[case] outcome: Outcome,
    #[case] action: &str,
) {
    let mut session = Claude::new();
    let questions = ask(&mut session, &form());
    let (line, _) = session.answer(&native(), &questions, &outcome).unwrap();
    assert_eq!(response(&line), json!({"action": action}));
}

#[rstest]
#[case::consent_given(1, json!({"action": "accept", "content": {}}))]
#[case::consent_refused(2, json!({"action": "decline"}))]
fn case_111_a_page_to_open_asks_for_consent(#[case] place: usize, #[case] expected: Value) {
    let mut session = Claude::new();
    let questions = ask(&mut session, &page());
    assert_eq!(questions[0].text, "Please fill in.\n\nhttps://example.org/auth");
    let outcome = answered(&questions, &[(&[place], None)]);
    let (line, _) = session.answer(&native(), &questions, &outcome).unwrap();
    assert_eq!(response(&line), expected);
}

#[test]
fn case_111_a_page_that_has_done_its_part_ends_its_question() {
    let complete = |page: &str| {
        json!({"type": "system", "subtype": "elicitation_complete", "elicitation_id": page}).to_string()
    };
    let mut session = Claude::new();
    let questions = ask(&mut session, &page());
    assert_eq!(session.line(complete("e2").as_bytes()).events, []);
    let done = session.line(complete("e1").as_bytes());
    assert_eq!(done.events, [AgentEvent::Withdrawn { native_ref: native() }]);
    let [line] = lines(&done.outbound)[..] else { panic!("{done:?}") };
    assert_eq!(response(line), json!({"action": "cancel"}));
    assert!(session.answer(&native(), &questions, &Outcome::Declined { words: None }).is_err());
}

#[test]
fn an_answered_page_stays_answered_when_it_has_done_its_part() {
    let mut session = Claude::new();
    let questions = ask(&mut session, &page());
    session.answer(&native(), &questions, &answered(&questions, &[(&[1], None)])).unwrap();
    let done =
        json!({"type": "system", "subtype": "elicitation_complete", "elicitation_id": "e1"}).to_string();
    let output = session.line(done.as_bytes());
    assert_eq!((output.events, output.outbound), (vec![], vec![]));
}

#[test]
fn a_form_that_cannot_be_shown_is_declined_and_said() {
    let mut session = Claude::new();
    let schema = json!({"type": "object", "properties": {"n": {"type": "object"}}});
    let asked = request(&json!({"mode": "form", "requested_schema": schema}));
    let output = session.line(asked.as_bytes());
    let [line] = lines(&output.outbound)[..] else { panic!("{output:?}") };
    assert_eq!(response(line), json!({"action": "decline"}));
    let [AgentEvent::Refused { reason, .. }] = output.events.as_slice() else { panic!("{output:?}") };
    assert!(reason.starts_with("requestedSchema.properties.n"), "{reason}");
}

#[test]
fn a_canceled_form_is_withdrawn() {
    let mut session = Claude::new();
    ask(&mut session, &form());
    let cancel = json!({"type": "control_cancel_request", "request_id": "req-1"}).to_string();
    assert_eq!(session.on_line(cancel.as_bytes()), [AgentEvent::Withdrawn { native_ref: native() }]);
}
