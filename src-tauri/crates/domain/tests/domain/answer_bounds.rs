//! What a form demands of an answer, held by the table that the page's own check is held by too.

use askdesk_domain::{
    AnswerBounds, AnswerInput, Answers, Question, QuestionKind, Rejection, ValidationError,
};
use rstest::rstest;
use serde::Deserialize;

use crate::support::questions::{asked, choose, draft, multi, say};

#[derive(Deserialize)]
struct Case {
    bounds: AnswerBounds,
    fits: Vec<Given>,
    fails: Vec<Given>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Given {
    Words(String),
    Chosen(usize),
}

fn bounded(bounds: AnswerBounds) -> Vec<Question> {
    let question = match bounds {
        AnswerBounds::Options { .. } => multi("Which?", &["A", "B", "C", "D", "E", "F", "G", "H", "I"]),
        _ => draft(QuestionKind::Text, "What?", &[]),
    };
    let mut questions = asked(&[question]);
    questions[0].bounds = Some(bounds);
    questions
}

#[test]
fn case_141_an_answer_outside_of_what_its_form_demands_is_refused() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../src/answer_bounds.json")).unwrap();
    for Case { bounds, fits, fails } in cases {
        let questions = bounded(bounds.clone());
        let check = |given: &Given| {
            let input = match given {
                Given::Words(words) => say(0, words),
                Given::Chosen(count) => choose(0, &(0..*count).collect::<Vec<_>>()),
            };
            Answers::check(&questions, &[input])
        };
        for given in &fits {
            assert!(check(given).is_ok(), "{given:?} is refused by {bounds:?}");
        }
        let expected = ValidationError::OutOfBounds { bounds: bounds.clone() };
        for given in &fails {
            // Nothing that is said counts as no answer.
            let nothing = matches!(given, Given::Words(words) if words.is_empty());
            match check(given) {
                Err(Rejection::Invalid { rule, .. }) if rule == expected => {}
                Err(Rejection::Invalid { rule: ValidationError::NothingAnswered, .. }) if nothing => {}
                other => panic!("{given:?} is not refused by {bounds:?}: {other:?}"),
            }
        }
    }
}

#[test]
fn case_141_a_default_that_nobody_sent_is_no_answer() {
    let mut questions = bounded(AnswerBounds::Number { whole: true, min: None, max: None });
    questions.extend(asked(&[multi("a", &["A"]), multi("b", &["B"])]).into_iter().skip(1));
    questions[0].default =
        Some(askdesk_domain::DefaultAnswer { chosen: vec![], other: Some("5".to_owned()) });
    let answers = Answers::check(&questions, &[choose(1, &[0])]).unwrap();
    assert_eq!(answers.to(questions[0].id), None);
}

#[rstest]
#[case(r#"{"bounds":"number","whole":true,"min":{"value":2,"exclusive":false},"max":{"value":9,"exclusive":true}}"#,
    "answers[0].other: must be a whole number (at least 2, less than 9)")]
#[case(
    r#"{"bounds":"number","whole":false,"min":{"value":0.5,"exclusive":true},"max":null}"#,
    "answers[0].other: must be a number (more than 0.5)"
)]
#[case(
    r#"{"bounds":"text","min":null,"max":20,"format":"email"}"#,
    "answers[0].other: must be an email address (at most 20 characters)"
)]
#[case(
    r#"{"bounds":"text","min":3,"max":null,"format":null}"#,
    "answers[0].other: must be a text (at least 3 characters)"
)]
#[case(
    r#"{"bounds":"options","min":2,"max":3}"#,
    "answers[0].chosen: must be a choice of options (at least 2, at most 3)"
)]
fn case_141_the_refusal_says_what_is_needed(#[case] bounds: &str, #[case] expected: &str) {
    let bounds: AnswerBounds = serde_json::from_str(bounds).unwrap();
    let input: AnswerInput = match bounds {
        AnswerBounds::Options { .. } => choose(0, &[0]),
        _ => say(0, "-"),
    };
    assert_eq!(Answers::check(&bounded(bounds), &[input]).unwrap_err().to_string(), expected);
}
