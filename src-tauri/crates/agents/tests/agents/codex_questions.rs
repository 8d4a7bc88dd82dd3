//! Questions and forms as Codex sends them, and the answers it gets back.

use crate::support::codex::{Session, result};
use askdesk_agents::{Action, AgentEvent, Asked, QuestionRefusal};
use askdesk_domain::{
    AnswerInput, Answers, NativeRef, Notice, Outcome, Question, QuestionKind, QuestionPolicy, WithdrawnWhy,
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
fn only_choices_can_be_wanted_and_the_options_of_a_secret_stay_readable() {
    let questions = [
        with(question("a", &["One", "Two"]), "isOther", json!(false)),
        with(question("b", &["One", "Two"]), "isSecret", json!(true)),
    ];
    let (_, asked) = asked_questions(&questions);
    assert!(!asked.questions[0].allows_other);
    assert_eq!(asked.questions[1].kind, QuestionKind::Secret);
    assert_eq!(asked.questions[1].text, "Which b?\n\n- One\n- Two");
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
#[case("12", json!(12))]
#[case(" 1.5 ", json!(1.5))]
#[case("a dozen", json!("a dozen"))]
fn case_111_a_number_is_sent_as_a_number(#[case] typed: &str, #[case] expected: Value) {
    let (mut session, asked) =
        asked("mcpServer/elicitation/request", form(&json!({"n": {"type": "integer"}})));
    assert_eq!(asked.questions[0].placeholder.as_deref(), Some("integer"));
    let outcome = answers(&asked.questions, &[Some((&[], Some(typed), None))]);
    let sent = session.end(&asked.native_ref, &asked.questions, outcome);
    assert_eq!(sent["content"], json!({"n": expected}));
}

#[test]
fn a_question_of_an_earlier_server_is_another_one_although_its_id_is_the_same() {
    let (_, first) = asked_questions(&[question("a", &["One"])]);
    let (_, second) = asked_questions(&[question("a", &["One"])]);
    assert_ne!(first.native_ref, second.native_ref);
    let stranger = NativeRef::new("0").unwrap();
    assert!(first.native_ref != stranger);
}
