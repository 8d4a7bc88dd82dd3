//! Questions as Claude Code sends them, and the answers it gets back.

use crate::support::claude::{Claude, lines, reply};
use askdesk_agents::AgentEvent;
use askdesk_domain::{
    AnswerInput, Answers, NativeRef, Notice, Outcome, Question, QuestionKind, WithdrawnWhy,
};
use rstest::rstest;
use serde_json::{Value, json};

fn native() -> NativeRef {
    NativeRef::new("toolu_1").unwrap()
}

fn request(input: &Value) -> String {
    json!({"type": "control_request", "request_id": "req-1", "request": {
        "subtype": "can_use_tool", "tool_name": "AskUserQuestion", "input": input, "tool_use_id": "toolu_1",
    }})
    .to_string()
}

fn stream() -> Claude {
    let mut stream = Claude::new();
    let init =
        json!({"type": "system", "subtype": "init", "capabilities": ["ask_user_question_unanswered_v1"]});
    stream.on_line(init.to_string().as_bytes());
    stream
}

fn ask(stream: &mut Claude, input: &Value) -> Vec<Question> {
    let events = stream.on_line(request(input).as_bytes());
    match events.as_slice() {
        [AgentEvent::Asked(asked)] => asked.questions.clone(),
        other => panic!("not asked: {other:?}"),
    }
}

/// One question's answer: chosen options by place (from 1), own words, a note.
type Given<'a> = (&'a [usize], Option<&'a str>, Option<&'a str>);

fn answers(questions: &[Question], given: &[Option<Given<'_>>]) -> Outcome {
    let inputs: Vec<AnswerInput> = questions
        .iter()
        .zip(given)
        .filter_map(|(question, given)| {
            let (chosen, other, note) = (*given)?;
            Some(AnswerInput {
                question: question.id,
                chosen: chosen.iter().map(|place| question.id.option(place - 1)).collect(),
                other: other.map(str::to_owned),
                note: note.map(str::to_owned),
            })
        })
        .collect();
    Outcome::Answered { answers: Answers::check(questions, &inputs).unwrap() }
}

/// Asks, answers, and compares everything that the line adds to the input as it was received.
fn check(input: &Value, given: &[Option<Given<'_>>], expected_added: &Value, expected_notices: &[Notice]) {
    let mut stream = stream();
    let questions = ask(&mut stream, input);
    let (line, notices) = stream.answer(&native(), &questions, &answers(&questions, given)).unwrap();
    let mut updated = input.clone();
    for (name, value) in expected_added.as_object().unwrap() {
        updated[name] = value.clone();
    }
    let expected = reply(&json!({"behavior": "allow", "updatedInput": updated}));
    // As text: the order of the fields is part of "unchanged".
    assert_eq!(line, expected);
    assert_eq!(notices, expected_notices);
}

fn option(label: &str) -> Value {
    json!({"label": label, "description": format!("About {label}")})
}

fn two_questions() -> Value {
    json!({
        "zeta": 1.10,
        "questions": [
            {"question": "Where should the login state live?", "header": "Login",
             "options": [option("JWT (Recommended)"), option("Sessions")], "multiSelect": false},
            {"header": "Ways in", "question": "Which ways in do we offer?",
             "options": [option("Password"), option("Yes, always"), option("Magic link")], "multiSelect": true},
        ],
        "metadata": {"source": "remember"},
    })
}

#[test]
fn case_01_the_answer_repeats_the_input_unchanged_and_is_keyed_by_the_full_texts() {
    check(
        &two_questions(),
        &[Some((&[1], None, None)), Some((&[3, 2], None, None))],
        &json!({"answers": {
            "Where should the login state live?": "JWT (Recommended)",
            "Which ways in do we offer?": "Yes, always, Magic link",
        }}),
        &[],
    );
}

#[test]
fn case_03_multi_select_is_read_from_camel_case_and_absent_means_single() {
    let kinds = |input: &Value| -> Vec<QuestionKind> {
        ask(&mut stream(), input).iter().map(|question| question.kind).collect()
    };
    let question = |fields: Value| {
        let mut question = json!({"question": "Q?", "options": ["a", "b"]});
        question.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        question
    };
    let input = json!({"questions": [
        question(json!({"multiSelect": true})), question(json!({})), question(json!({"multi_select": true})),
    ]});
    assert_eq!(kinds(&input), [QuestionKind::Multi, QuestionKind::Single, QuestionKind::Multi]);
}

#[test]
fn a_type_is_read_where_one_is_named_and_options_make_it_a_choice() {
    let kind = |fields: Value| {
        let mut question = json!({"question": "Q?"});
        question.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        ask(&mut stream(), &json!({"questions": [question]}))[0].kind
    };
    assert_eq!(kind(json!({"type": "text"})), QuestionKind::Text);
    assert_eq!(kind(json!({"type": "confirm"})), QuestionKind::Confirm);
    assert_eq!(kind(json!({"type": "secret"})), QuestionKind::Secret);
    assert_eq!(kind(json!({"type": "multi", "options": ["a", "b"]})), QuestionKind::Multi);
    assert_eq!(kind(json!({"type": "text", "options": ["a", "b"]})), QuestionKind::Single);
    assert_eq!(kind(json!({"type": "confirm", "options": ["a", "b"]})), QuestionKind::Single);
    assert_eq!(kind(json!({"type": ["secret"], "options": ["a", "b"]})), QuestionKind::Single);
}

#[test]
fn case_61_a_secret_with_options_stays_a_secret() {
    let input = json!({"questions": [{"question": "Q?", "type": "secret", "options": ["a", "b"]}]});
    let events = stream().on_line(request(&input).as_bytes());
    let [AgentEvent::Asked(asked)] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((asked.questions[0].kind, asked.questions[0].options.len()), (QuestionKind::Secret, 2));
}

#[test]
fn words_a_confirmation_and_a_secret_reach_the_agent_as_they_are() {
    let input = json!({"questions": [
        {"question": "Name?", "type": "text"}, {"question": "Go?", "type": "confirm"},
        {"question": "Token?", "type": "secret"},
    ]});
    check(
        &input,
        &[
            Some((&[], Some("Lighthouse"), None)),
            Some((&[1], None, None)),
            Some((&[], Some("s3cret, really"), None)),
        ],
        &json!({"answers": {"Name?": "Lighthouse", "Go?": "Yes", "Token?": "s3cret, really"}}),
        &[],
    );
}

#[rstest]
#[case::no_description(json!({"questions": [{"question": "Q?", "options": [{"label": "a"}, {"label": "b"}]}]}))]
#[case::strings(json!({"questions": [{"question": "Q?", "options": ["a", "b"]}]}))]
#[case::unknown_fields(json!({"mood": 1, "questions": [
    {"question": "Q?", "options": [{"label": "a", "icon": {}}, {"label": "b"}], "color": "red"}]}))]
#[case::options_as_json_text(json!({"questions": [{"question": "Q?", "options": "[\"a\",{\"label\":\"b\"}]"}]}))]
#[case::questions_as_json_text(json!({"questions": "[{\"question\":\"Q?\",\"options\":[\"a\",\"b\"]}]"}))]
#[case::one_question_as_object(json!({"questions": {"question": "Q?", "options": ["a", "b"]}}))]
#[case::one_question_without_frame(json!({"question": "Q?", "options": ["a", "b"]}))]
#[case::other_names(json!({"questions": [{"text": "Q?", "options": [{"title": "a"}, {"value": "b"}]}]}))]
#[case::empty_answers(json!({"questions": [{"question": "Q?", "options": ["a", "b"]}], "answers": {"Q?": ""}}))]
fn case_04_a_lenient_form_is_shown(#[case] input: Value) {
    let questions = ask(&mut stream(), &input);
    let labels: Vec<&str> = questions[0].options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!((questions[0].text.as_str(), questions[0].kind), ("Q?", QuestionKind::Single));
    assert_eq!(labels, ["a", "b"]);
}

#[test]
fn case_04_numbers_are_labels_and_no_options_mean_own_words() {
    let questions = ask(
        &mut stream(),
        &json!({"questions": [{"question": "How many?", "options": [1, 2.5]}, {"question": "Why?"}, "And?"]}),
    );
    assert_eq!(questions[0].options[1].label, "2.5");
    assert_eq!((questions[1].kind, questions[2].kind), (QuestionKind::Text, QuestionKind::Text));
}

#[rstest]
#[case(json!("x"), "input: must be an object with questions, got a string")]
#[case(json!({}), "questions: must be a list of questions, got nothing")]
#[case(json!({"questions": []}), "questions: too few questions (0; the minimum is 1)")]
#[case(json!({"questions": 3}), "questions: must be a list of questions, got a number")]
#[case(json!({"questions": [{"question": "Q?"}, {"header": "H"}]}),
    "questions[1].question: must be a string, got nothing")]
#[case(json!({"questions": [{"question": "  "}]}), "questions[0].question: must be a non-empty string")]
#[case(json!({"questions": [{"question": ["Q"]}]}), "questions[0].question: must be a string, got a list")]
#[case(json!({"questions": [null]}),
    "questions[0]: must be an object with question and options, got null")]
#[case(json!({"questions": [{"question": "Q?", "options": "a, b"}]}),
    "questions[0].options: must be a list of options, got a string")]
#[case(json!({"questions": [{"question": "Q?", "options": ["a", null]}]}),
    "questions[0].options[1]: must be a string or an object with a label, got null")]
#[case(json!({"questions": [{"question": "Q?", "options": [{"description": "d"}]}]}),
    "questions[0].options[0].label: must be a string")]
#[case(json!({"questions": vec![json!("Q?"); 33]}), "questions: too many questions (33; the limit is 32)")]
fn case_04_what_cannot_be_shown_is_refused_at_once_naming_the_field(
    #[case] input: Value,
    #[case] reason: &str,
) {
    let message =
        format!("The question could not be shown to the user. {reason}. Fix the call and ask again.");
    let expected = reply(&json!({"behavior": "deny", "message": message}));
    let out = stream().line(request(&input).as_bytes());
    assert_eq!(out.events, [AgentEvent::Refused { native_ref: native(), reason: reason.to_owned() }]);
    assert_eq!(lines(&out.outbound), [expected]);
}

#[test]
fn case_05_a_long_header_is_kept_whole() {
    let header = "A header that is forty characters long !";
    assert_eq!(header.chars().count(), 40);
    let input = json!({"questions": [{"question": "Q?", "header": header, "options": ["a", "b"]}]});
    assert_eq!(ask(&mut stream(), &input)[0].header.as_deref(), Some(header));
}

#[test]
fn case_06_equal_headers_are_independent() {
    let question = |text: &str| json!({"question": text, "header": "Same", "options": ["a", "b"]});
    check(
        &json!({"questions": [question("First?"), question("Second?")]}),
        &[Some((&[1], None, None)), Some((&[2], None, None))],
        &json!({"answers": {"First?": "a", "Second?": "b"}}),
        &[],
    );
}

#[test]
fn case_06_equal_texts_are_joined_under_their_key_and_this_is_said() {
    let question = |a: &str, b: &str| json!({"question": "Which?", "options": [a, b]});
    check(
        &json!({"questions": [question("JWT", "None"), question("Cookies", "Sessions")]}),
        &[Some((&[1], None, Some("short-lived"))), Some((&[2], None, None))],
        &json!({
            "answers": {"Which?": "(1) JWT; (2) Sessions"},
            "annotations": {"Which?": {"notes": "(1) short-lived"}},
        }),
        &[Notice::SameTextJoined { text: "Which?".to_owned() }],
    );
}

#[test]
fn case_06_of_two_equal_texts_the_unanswered_one_is_named() {
    let question = |a: &str, b: &str| json!({"question": "Which?", "options": [a, b]});
    check(
        &json!({"questions": [question("JWT", "None"), question("Cookies", "Sessions")]}),
        &[None, Some((&[2], None, None))],
        &json!({"answers": {"Which?": "(1) (The user left this question unanswered.); (2) Sessions"}}),
        &[Notice::SameTextJoined { text: "Which?".to_owned() }],
    );
}

#[test]
fn case_07_an_other_option_of_the_agent_is_not_an_option_of_ours_and_ids_keep_their_places() {
    let input =
        json!({"questions": [{"question": "Q?", "options": [option("a"), option("Other"), option("b")]}]});
    let questions = ask(&mut stream(), &input);
    assert_eq!((questions[0].options.len(), questions[0].allows_other), (2, true));
    check(&input, &[Some((&[3], None, None))], &json!({"answers": {"Q?": "b"}}), &[]);
}

#[test]
fn case_09_answers_that_came_with_the_question_pass_through_and_nobody_is_asked() {
    let mut input = two_questions();
    input["answers"] = json!({"Where should the login state live?": "Sessions"});
    let expected = reply(&json!({"behavior": "allow", "updatedInput": input}));
    let out = stream().line(request(&input).as_bytes());
    assert_eq!(out.events, [AgentEvent::AnsweredByAgent { native_ref: native() }]);
    assert_eq!(lines(&out.outbound), [expected]);
}

#[test]
fn case_10_ticks_and_own_words_reach_the_agent_together() {
    check(
        &two_questions(),
        &[Some((&[], Some("In a cookie,\n\"signed\""), None)), Some((&[3, 1], Some("SSO"), None))],
        &json!({"answers": {
            "Where should the login state live?": "In a cookie,\n\"signed\"",
            "Which ways in do we offer?": "Password, Magic link, SSO",
        }}),
        &[],
    );
}

#[test]
fn a_question_left_out_is_said_to_be_unanswered_and_never_an_empty_text() {
    check(
        &two_questions(),
        &[None, Some((&[1], None, None))],
        &json!({
            "answers": {
                "Where should the login state live?": "(The user left this question unanswered.)",
                "Which ways in do we offer?": "Password",
            },
            "annotations": {"Where should the login state live?": {"unanswered": "skipped"}},
        }),
        &[],
    );
}

#[test]
fn without_the_capability_a_skipped_question_is_said_in_words_alone() {
    let mut stream = Claude::new();
    let events = stream.on_line(request(&two_questions()).as_bytes());
    let [AgentEvent::TurnBegan, AgentEvent::Asked(asked)] = events.as_slice() else { panic!("{events:?}") };
    let outcome = answers(&asked.questions, &[Some((&[1], None, None)), None]);
    let encoded = stream.answer(&native(), &asked.questions, &outcome).unwrap();
    let line: Value = serde_json::from_str(&encoded.0).unwrap();
    let updated = &line["response"]["response"]["updatedInput"];
    assert_eq!(updated["answers"]["Which ways in do we offer?"], "(The user left this question unanswered.)");
    assert_eq!(updated.get("annotations"), None);
}

#[test]
fn a_note_and_the_preview_of_the_choice_travel_as_annotations() {
    let options = json!([{"label": "a", "preview": "fn a() {}"}, {"label": "b"}]);
    let input = json!({"questions": [
        {"question": "First?", "options": options}, {"question": "Second?", "options": options},
    ]});
    check(
        &input,
        &[Some((&[1], None, Some("mind the gap"))), Some((&[2], None, None))],
        &json!({
            "answers": {"First?": "a", "Second?": "b"},
            "annotations": {"First?": {"notes": "mind the gap", "preview": "fn a() {}"}},
        }),
        &[],
    );
}

#[test]
fn a_text_over_the_bound_is_cut_on_screen_and_whole_as_a_key_and_as_an_answer() {
    let (text, label) = ("Q".repeat(70_000), "L".repeat(70_000));
    let input = json!({"questions": [{"question": text, "options": [label, "b"]}]});
    assert!(ask(&mut stream(), &input)[0].text.len() < text.len());
    check(&input, &[Some((&[1], None, None))], &json!({"answers": {text: label}}), &[]);
}

#[rstest]
#[case(Outcome::Declined { words: None }, "The user declined to answer.")]
#[case(Outcome::Declined { words: Some("too early".to_owned()) },
    "The user declined to answer. The user said: too early")]
#[case(Outcome::RepliedInChat { text: "hm".to_owned() }, "User responded in chat; questions canceled")]
#[case(
    Outcome::Expired,
    "The time limit set for this question has passed without an answer. An answer may \
    still come; until then, continue without it, or say what you need."
)]
#[case(Outcome::Withdrawn { why: WithdrawnWhy::Canceled { reason: Some("moot".to_owned()) } },
    "The user closed the question without answering it. The user said: moot")]
fn every_other_end_denies_in_words(#[case] outcome: Outcome, #[case] message: &str) {
    let mut stream = stream();
    let questions = ask(&mut stream, &two_questions());
    let (line, notices) = stream.answer(&native(), &questions, &outcome).unwrap();
    let expected = reply(&json!({"behavior": "deny", "message": message}));
    assert_eq!((line, notices), (expected, vec![]));
}
