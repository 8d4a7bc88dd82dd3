//! Questions and forms as Codex sends them, and the answers it gets back.

use crate::support::codex::{Session, result};
use askdesk_agents::{Action, Adapter, AgentEvent, Asked, QuestionRefusal};
use askdesk_domain::{
    AnswerInput, Answers, Asker, Delivery, Ended, NativeRef, Notice, Outcome, Question, QuestionKind,
    QuestionPolicy, Request, RequestId, RequestState, SessionId, Timestamp, WithdrawnWhy,
};
use rstest::rstest;
use serde_json::{Value, json};

fn question(id: &str, options: &[&str]) -> Value {
    let options: Vec<Value> =
        options.iter().map(|label| json!({"label": label, "description": "d"})).collect();
    json!({"id": id, "header": "H", "question": format!("Which {id}?"), "isOther": true, "isSecret": false,
        "options": options})
}

fn with(mut question: Value, name: &str, value: Value) -> Value {
    question[name] = value;
    question
}

/// Asks, and returns the session with its question.
fn asked(method: &str, params: Value) -> (Session, Asked) {
    let mut session = Session::in_turn();
    let output = session.ask(0, method, params);
    match output.events.as_slice() {
        [AgentEvent::Asked(asked)] => (session, asked.clone()),
        other => panic!("not asked: {other:?}"),
    }
}

fn asked_questions(questions: &[Value]) -> (Session, Asked) {
    asked(
        "item/tool/requestUserInput",
        json!({"turnId": "turn-1", "itemId": "call_1", "questions": questions,
        "isBlocking": false, "autoResolutionMs": null}),
    )
}

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

#[rstest]
#[case::a_choice((&[2][..], None, None), json!({"a": ["Two, or so"]}))]
#[case::a_choice_with_a_note((&[1][..], None, Some("soon")), json!({"a": ["One (Recommended)", "user_note: soon"]}))]
#[case::own_words((&[][..], Some("user_note: x\n\"y\""), None), json!({"a": ["user_note: user_note: x\n\"y\""]}))]
fn an_answer_is_the_uncut_label_or_the_users_words(
    #[case] given: (&[usize], Option<&str>, Option<&str>),
    #[case] expected: Value,
) {
    let (mut session, asked) = asked_questions(&[question("a", &["One (Recommended)", "Two, or so"])]);
    let sent = session.end(&asked.native_ref, &asked.questions, answers(&asked.questions, &[Some(given)]));
    let expected: serde_json::Map<String, Value> = expected
        .as_object()
        .unwrap()
        .iter()
        .map(|(id, said)| (id.clone(), json!({"answers": said})))
        .collect();
    assert_eq!(sent, json!({"answers": expected}));
}

#[test]
fn each_question_has_its_answer_and_one_left_open_says_so() {
    let questions = [
        question("a", &["One", "Two"]),
        question("b", &[]),
        with(question("c", &[]), "isSecret", json!(true)),
        question("d", &["X"]),
    ];
    let (mut session, asked) = asked_questions(&questions);
    let kinds: Vec<QuestionKind> = asked.questions.iter().map(|question| question.kind).collect();
    use QuestionKind::{Secret, Single, Text};
    assert_eq!(kinds, [Single, Text, Secret, Single]);
    let given = [
        Some((&[1][..], None, None)),
        Some((&[][..], Some("free"), None)),
        Some((&[][..], Some("hunter2"), None)),
        None,
    ];
    let sent = session.end(&asked.native_ref, &asked.questions, answers(&asked.questions, &given));
    assert_eq!(
        sent,
        json!({"answers": {
            "a": {"answers": ["One"]},
            "b": {"answers": ["user_note: free"]},
            "c": {"answers": ["user_note: hunter2"]},
            "d": {"answers": ["user_note: The user left this question unanswered."]},
        }})
    );
}

#[test]
fn only_choices_can_be_wanted_and_an_option_of_a_secret_is_told_by_its_label() {
    let questions = [
        with(question("a", &["One", "Two"]), "isOther", json!(false)),
        with(question("b", &["One", "Two"]), "isSecret", json!(true)),
    ];
    let (mut session, asked) = asked_questions(&questions);
    assert!(!asked.questions[0].allows_other);
    assert_eq!(asked.questions[1].kind, QuestionKind::Secret);
    assert_eq!(asked.questions[1].options.len(), 2);
    let given = [Some((&[1][..], None, None)), Some((&[][..], Some("Two"), None))];
    let sent = session.end(&asked.native_ref, &asked.questions, answers(&asked.questions, &given));
    assert_eq!(sent, json!({"answers": {"a": {"answers": ["One"]}, "b": {"answers": ["Two"]}}}));
}

#[test]
fn two_questions_with_one_id_are_told_apart_by_place_and_both_answers_are_sent() {
    let (mut session, asked) = asked_questions(&[question("a", &["One"]), question("a", &["Two"])]);
    let outcome = answers(&asked.questions, &[Some((&[1], None, None)), Some((&[1], None, None))]);
    let action = Action::Answer { native_ref: asked.native_ref, questions: asked.questions, outcome };
    let output = session.send(action).unwrap();
    assert_eq!(result(&output), json!({"answers": {"a": {"answers": ["One", "Two"]}}}));
    let notice = Notice::SameTextJoined { text: "Which a?".to_owned() };
    assert_eq!(output.events, [AgentEvent::Noticed { notice }]);
}

#[rstest]
#[case::declined(Outcome::Declined { words: None }, "The user declined to answer.")]
#[case::declined_in_words(Outcome::Declined { words: Some(" Later. ".to_owned()) }, "The user declined to answer. The user said: Later.")]
#[case::in_chat(Outcome::RepliedInChat { text: "x".to_owned() }, "The user did not answer this and writes a message instead.")]
#[case::closed(Outcome::Withdrawn { why: WithdrawnWhy::Canceled { reason: None } }, "The user closed the question without answering it.")]
fn a_refusal_is_put_into_words_for_every_question(#[case] outcome: Outcome, #[case] words: &str) {
    let (mut session, asked) = asked_questions(&[question("a", &["One"]), question("b", &[])]);
    let said = json!({"answers": [format!("user_note: {words}")]});
    let sent = session.end(&asked.native_ref, &asked.questions, outcome);
    assert_eq!(sent, json!({"answers": {"a": said, "b": said}}));
}

#[rstest]
#[case(QuestionPolicy::Never, "takes no questions in this session")]
#[case(QuestionPolicy::PlanOnly, "only while you are in plan mode")]
fn questions_that_are_off_are_refused_in_words(#[case] policy: QuestionPolicy, #[case] words: &str) {
    let (mut session, asked) = asked_questions(&[question("a", &["One"])]);
    let action =
        Action::RefuseQuestion { native_ref: asked.native_ref, why: QuestionRefusal::TurnedOff { policy } };
    let sent = result(&session.send(action).unwrap());
    assert!(sent["answers"]["a"]["answers"][0].as_str().unwrap().contains(words), "{sent}");
}

#[test]
fn what_cannot_be_shown_is_refused_in_the_same_turn_and_names_the_field() {
    let mut session = Session::in_turn();
    let many: Vec<Value> = (0..33).map(|place| question(&format!("q{place}"), &["A"])).collect();
    let output = session.ask(0, "item/tool/requestUserInput", json!({"questions": many}));
    assert!(
        matches!(&output.events[..], [AgentEvent::Refused { reason, .. }] if reason.starts_with("questions"))
    );
    let sent = result(&output);
    let words = sent["answers"]["q32"]["answers"][0].as_str().unwrap();
    assert!(words.contains("could not be shown to the user. questions: too many questions (33"), "{words}");
    // Nothing can be said to a call without questions, but it gets an answer.
    let output = session.ask(1, "item/tool/requestUserInput", json!({"questions": []}));
    assert_eq!(result(&output), json!({"answers": {}}));
    assert!(matches!(&output.events[..], [AgentEvent::Refused { .. }]));
}

#[test]
fn an_answer_is_acknowledged_when_the_server_says_so_and_a_question_withdrawn_when_nobody_answered() {
    let (mut session, asked) = asked_questions(&[question("a", &["One"])]);
    let second = session.ask(1, "item/tool/requestUserInput", json!({"questions": [question("b", &["X"])]}));
    let [AgentEvent::Asked(second)] = second.events.as_slice() else { panic!("{second:?}") };
    session.end(&asked.native_ref, &asked.questions, answers(&asked.questions, &[Some((&[1], None, None))]));
    let told = session.tell("serverRequest/resolved", json!({"requestId": 0}));
    assert_eq!(told, [AgentEvent::Acknowledged { native_ref: asked.native_ref }]);
    let told = session.tell("serverRequest/resolved", json!({"requestId": 1}));
    assert_eq!(told, [AgentEvent::Withdrawn { native_ref: second.native_ref.clone() }]);
    assert_eq!(session.tell("serverRequest/resolved", json!({"requestId": 1})), []);
    // Sent again after the end, it finds nobody.
    let late = Action::Answer {
        native_ref: second.native_ref.clone(),
        questions: second.questions.clone(),
        outcome: Outcome::Declined { words: None },
    };
    assert!(session.send(late).is_err());
}

#[test]
fn an_answer_can_be_sent_again_until_it_is_acknowledged() {
    let (mut session, asked) = asked_questions(&[question("a", &["One"])]);
    let outcome = answers(&asked.questions, &[Some((&[1], None, None))]);
    let first = session.end(&asked.native_ref, &asked.questions, outcome.clone());
    assert_eq!(session.end(&asked.native_ref, &asked.questions, outcome), first);
}

fn form(properties: &Value) -> Value {
    json!({"turnId": null, "serverName": "tracker", "mode": "form", "_meta": null, "message": "Please fill in.",
        "requestedSchema": {"type": "object", "properties": properties, "required": ["auth"]}})
}

#[test]
fn a_form_becomes_a_question_and_its_answers_are_the_values_of_the_form() {
    let properties = json!({
        "auth": {"type": "string", "title": "Auth", "description": "Which method?",
            "oneOf": [{"const": "jwt", "title": "JWT"}, {"const": "sessions", "title": "Sessions"}]},
        "features": {"type": "array", "title": "Features", "items": {"anyOf": [
            {"const": "dark", "title": "Dark mode"}, {"const": "i18n", "title": "i18n"}]}},
        "legacy": {"type": "string", "enum": ["a", "b"], "enumNames": ["Aye", "Bee"]},
        "name": {"type": "string", "title": "Name"},
        "sure": {"type": "boolean", "title": "Sure?"},
        "left": {"type": "string"},
    });
    let (mut session, asked) = asked("mcpServer/elicitation/request", form(&properties));
    assert_eq!(asked.asked_by.as_deref(), Some("tracker"));
    let shown: Vec<(&str, QuestionKind, bool)> =
        asked.questions.iter().map(|it| (it.text.as_str(), it.kind, it.required)).collect();
    use QuestionKind::{Confirm, Multi, Single, Text};
    // The fields stand in the order of the form.
    assert_eq!(
        shown,
        [
            ("Please fill in.\n\nWhich method?", Single, true),
            ("Features", Multi, false),
            ("legacy", Single, false),
            ("Name", Text, false),
            ("Sure?", Confirm, false),
            ("left", Text, false),
        ]
    );
    assert!(asked.questions.iter().all(|question| !question.allows_other));
    let given = [
        Some((&[2][..], None, None)),
        Some((&[1, 2][..], None, None)),
        Some((&[2][..], None, None)),
        Some((&[][..], Some("Desk"), None)),
        Some((&[2][..], None, None)),
        None,
    ];
    let sent = session.end(&asked.native_ref, &asked.questions, answers(&asked.questions, &given));
    let content = json!({"auth": "sessions", "features": ["dark", "i18n"], "legacy": "b", "name": "Desk", "sure": false});
    assert_eq!(sent, json!({"action": "accept", "content": content, "_meta": null}));
}

#[rstest]
#[case(Outcome::Declined { words: None }, "decline")]
#[case(Outcome::RepliedInChat { text: "x".to_owned() }, "cancel")]
#[case(Outcome::Expired, "cancel")]
fn a_form_that_is_not_filled_in_is_declined_or_canceled(#[case] outcome: Outcome, #[case] action: &str) {
    let (mut session, asked) =
        asked("mcpServer/elicitation/request", form(&json!({"auth": {"type": "string"}})));
    let sent = session.end(&asked.native_ref, &asked.questions, outcome);
    assert_eq!(sent, json!({"action": action, "content": null, "_meta": null}));
}

#[rstest]
#[case::consent_given(1, json!({"action": "accept", "content": {}, "_meta": null}))]
#[case::consent_refused(2, json!({"action": "decline", "content": null, "_meta": null}))]
fn a_form_without_fields_asks_for_consent(#[case] place: usize, #[case] expected: Value) {
    let (mut session, asked) = asked("mcpServer/elicitation/request", form(&json!({})));
    assert_eq!(asked.questions[0].text, "Please fill in.");
    let outcome = answers(&asked.questions, &[Some((&[place], None, None))]);
    assert_eq!(session.end(&asked.native_ref, &asked.questions, outcome), expected);
}

#[rstest]
#[case::an_object(form(&json!({"n": {"type": "object"}})), "requestedSchema.properties.n")]
#[case::a_list_without_options(form(&json!({"n": {"type": "array", "items": {"type": "string"}}})), "requestedSchema.properties.n")]
#[case::an_option_that_is_not_text(form(&json!({"n": {"type": "array", "items": {"enum": ["a", 1]}}})), "requestedSchema.properties.n")]
#[case::an_option_that_would_vanish(form(&json!({"n": {"type": "string", "enum": ["a", "Other"]}})), "requestedSchema")]
#[case::a_page_without_an_address(json!({"mode": "url", "message": "Sign in"}), "url")]
#[case::an_unknown_mode(json!({"mode": "openai/form", "message": "Sign in"}), "mode")]
fn a_form_that_cannot_be_shown_is_declined_and_said(#[case] params: Value, #[case] field: &str) {
    let output = Session::in_turn().ask(0, "mcpServer/elicitation/request", params);
    assert_eq!(result(&output)["action"], "decline");
    let [AgentEvent::Refused { reason, .. }] = output.events.as_slice() else { panic!("{output:?}") };
    assert!(reason.starts_with(field), "{reason}");
}

#[rstest]
#[case::consent_given(1, json!({"action": "accept", "content": {}, "_meta": null}))]
#[case::consent_refused(2, json!({"action": "decline", "content": null, "_meta": null}))]
fn case_111_a_page_to_open_asks_for_consent(#[case] place: usize, #[case] expected: Value) {
    let params = json!({"turnId": null, "serverName": "tracker", "mode": "url", "_meta": null,
        "message": "Sign in", "url": "https://example.org/auth", "elicitationId": "e1"});
    let (mut session, asked) = asked("mcpServer/elicitation/request", params);
    assert_eq!(asked.questions[0].text, "Sign in\n\nhttps://example.org/auth");
    let outcome = answers(&asked.questions, &[Some((&[place], None, None))]);
    assert_eq!(session.end(&asked.native_ref, &asked.questions, outcome), expected);
}

#[rstest]
#[case("integer", "12", json!(12))]
#[case("integer", "3.0", json!(3))]
#[case("number", " 1.5 ", json!(1.5))]
fn case_111_a_number_is_sent_as_a_number(#[case] kind: &str, #[case] typed: &str, #[case] expected: Value) {
    let (mut session, asked) = asked("mcpServer/elicitation/request", form(&json!({"n": {"type": kind}})));
    let outcome = answers(&asked.questions, &[Some((&[], Some(typed), None))]);
    let sent = session.end(&asked.native_ref, &asked.questions, outcome);
    assert_eq!(sent["content"], json!({"n": expected}));
}

/// The default of a field, as the options that it chooses or the text that it fills in.
fn default_of(question: &Question) -> Option<(Vec<usize>, Option<&str>)> {
    let default = question.default.as_ref()?;
    let place = |id| question.options.iter().position(|option| option.id == id).unwrap() + 1;
    Some((default.chosen.iter().map(|id| place(*id)).collect(), default.other.as_deref()))
}

#[test]
fn case_141_the_bounds_and_defaults_of_a_form_are_those_of_its_questions() {
    let (two, nine) = (json!({"value": 2.0, "exclusive": false}), json!({"value": 9.0, "exclusive": true}));
    let number =
        |whole, min: &Value, max: &Value| json!({"bounds": "number", "whole": whole, "min": min, "max": max});
    let words = |min: Value, max: Value, format: Value| json!({"bounds": "text", "min": min, "max": max, "format": format});
    let options =
        json!({"anyOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}, {"const": "c"}]});
    let none = Value::Null;
    let cases = [
        (
            json!({"type": "integer", "minimum": 2, "exclusiveMaximum": 9, "default": 5}),
            number(true, &two, &nine),
            Some((vec![], Some("5"))),
        ),
        (
            json!({"type": "number", "minimum": 2, "default": 2.5}),
            number(false, &two, &none),
            Some((vec![], Some("2.5"))),
        ),
        (json!({"type": "number", "default": "many"}), number(false, &none, &none), None),
        (
            json!({"type": "string", "minLength": 3, "maxLength": 20, "format": "email", "default": "a@b.c"}),
            words(json!(3), json!(20), json!("email")),
            Some((vec![], Some("a@b.c"))),
        ),
        (json!({"type": "string", "format": "uri"}), words(none.clone(), none.clone(), json!("uri")), None),
        (json!({"type": "string", "format": "date"}), words(none.clone(), none.clone(), json!("date")), None),
        (
            json!({"type": "string", "format": "date-time"}),
            words(none.clone(), none.clone(), json!("date_time")),
            None,
        ),
        (json!({"type": "string", "format": "color", "minLength": -1, "default": ""}), none.clone(), None),
        (
            json!({"type": "array", "items": options, "minItems": 1, "maxItems": 2, "default": ["c", "a"]}),
            json!({"bounds": "options", "min": 1, "max": 2}),
            Some((vec![1, 3], None)),
        ),
        // A default that isn't among the options can't be shown.
        (json!({"type": "array", "items": options, "default": ["a", "d"]}), none.clone(), None),
        (json!({"type": "string", "enum": ["x", "y"], "default": "y"}), none.clone(), Some((vec![2], None))),
        (json!({"type": "boolean", "default": false}), none.clone(), Some((vec![2], None))),
    ];
    for (schema, bounds, default) in cases {
        let (_, asked) = asked("mcpServer/elicitation/request", form(&json!({"n": schema.clone()})));
        let [question] = asked.questions.as_slice() else { panic!("{asked:?}") };
        assert_eq!(serde_json::to_value(&question.bounds).unwrap(), bounds, "{schema}");
        assert_eq!(default_of(question), default, "{schema}");
    }
}

#[test]
fn case_141_space_around_an_address_or_a_day_is_not_sent() {
    let properties = json!({"mail": {"type": "string", "format": "email"}, "name": {"type": "string"}});
    let (mut session, asked) = asked("mcpServer/elicitation/request", form(&properties));
    let given = [Some((&[][..], Some(" ada@example.org\n"), None)), Some((&[][..], Some(" Ada "), None))];
    let sent = session.end(&asked.native_ref, &asked.questions, answers(&asked.questions, &given));
    assert_eq!(sent["content"], json!({"mail": "ada@example.org", "name": " Ada "}));
}

#[test]
fn a_question_of_an_earlier_server_is_another_one_although_its_id_is_the_same() {
    let (_, first) = asked_questions(&[question("a", &["One"])]);
    let (_, second) = asked_questions(&[question("a", &["One"])]);
    assert_ne!(first.native_ref, second.native_ref);
    let stranger = NativeRef::new("0").unwrap();
    assert!(first.native_ref != stranger);
}

/// What follows a message whose questions the agent doesn't wait for; it begins and ends at once.
fn goes_on(session: &mut Session, id: &str, text: &str, questions: &Value) -> Vec<AgentEvent> {
    let item =
        json!({"type": "agentMessage", "id": id, "text": text, "delivery": "async", "questions": questions});
    let told = session.tell("item/started", json!({"turnId": "turn-1", "item": item}));
    assert_eq!(told, []);
    session.tell("item/completed", json!({"turnId": "turn-1", "item": item}))
}

fn two_questions() -> Value {
    json!([{"title": "Which trigger?", "options": ["Click", "Keyboard"]}, {"title": "Which file?", "options": null}])
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
    let text = "Which trigger?\n- Click\n- Keyboard\n\nWhich file?";
    match goes_on(session, "c1", text, &two_questions()).as_slice() {
        [AgentEvent::Asked(asked)] => asked.clone(),
        other => panic!("not asked once: {other:?}"),
    }
}

#[test]
fn case_136_questions_that_do_not_block_are_asked_once_and_not_said_again() {
    let asked = asked_async(&mut Session::in_turn());
    assert_eq!((asked.asker, asked.helper), (Asker::GoesOn, None));
    use QuestionKind::{Single, Text};
    let shown: Vec<_> =
        asked.questions.iter().map(|it| (it.text.as_str(), it.kind, it.options.len())).collect();
    assert_eq!(shown, [("Which trigger?", Single, 2), ("Which file?", Text, 0)]);
}

#[test]
fn words_besides_the_questions_are_said() {
    let told =
        goes_on(&mut Session::in_turn(), "c1", "Meanwhile I look around.\nWhich file?", &two_questions());
    let text = "Meanwhile I look around.\nWhich file?".to_owned();
    assert!(
        matches!(told.as_slice(), [AgentEvent::Said { text: said }, AgentEvent::Asked(_)] if *said == text),
        "{told:?}"
    );
}

#[test]
fn case_140_the_same_id_in_a_later_turn_is_another_question() {
    let mut session = Session::in_turn();
    let first = asked_async(&mut session);
    let item = json!({"type": "agentMessage", "id": "c1", "text": "", "questions": two_questions()});
    let told = session.tell("item/completed", json!({"turnId": "turn-2", "item": item}));
    let [AgentEvent::Asked(second)] = told.as_slice() else { panic!("{told:?}") };
    assert_ne!(first.native_ref, second.native_ref);
}

#[test]
fn questions_that_cannot_be_shown_are_said_and_named() {
    let told = goes_on(&mut Session::in_turn(), "c1", "- \n", &json!([{"title": " ", "options": null}]));
    assert!(matches!(told.as_slice(), [AgentEvent::Said { .. }, AgentEvent::Refused { .. }]), "{told:?}");
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
fn a_question_that_is_turned_off_is_refused_in_words_although_nothing_waits() {
    let mut session = Session::in_turn();
    let asked = asked_async(&mut session);
    let why = QuestionRefusal::TurnedOff { policy: QuestionPolicy::Never };
    let output = session.send(Action::RefuseQuestion { native_ref: asked.native_ref, why }).unwrap();
    let sent = crate::support::codex::requests(&output);
    assert_eq!(sent[0].0, "turn/steer");
    assert!(sent[0].1["input"].to_string().contains("Nobody was asked."), "{sent:?}");
}
