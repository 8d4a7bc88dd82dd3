//! What each kind of question accepts as an answer, and which field an error names.

use crate::support::questions::{asked, choose, draft, multi, say, shown, single};
use askdesk_domain::text::USER_TEXT_BYTES;
use askdesk_domain::{
    AnswerInput, Answers, Question, QuestionKind, QuestionLimits, RawQuestion, question_input,
};
use rstest::rstest;

/// A single (q1), a multi (q2), a text (q3), a confirmation (q4) and a secret (q5).
fn all_kinds() -> Vec<Question> {
    let drafts = [
        single("Which store?", &["SQLite", "PostgreSQL", "Files"]),
        multi("Which features?", &["Search", "Sync", "Export", "Themes"]),
        draft(QuestionKind::Text, "Which name?", &[]),
        draft(QuestionKind::Confirm, "Really?", &[]),
        draft(QuestionKind::Secret, "Which key?", &[]),
    ];
    question_input::accept(&drafts, QuestionLimits::ASK_USER).unwrap()
}

#[track_caller]
fn check(questions: &[Question], inputs: &[AnswerInput], expected: &[&str]) {
    let answers = Answers::check(questions, inputs).unwrap_or_else(|reject| panic!("{reject}"));
    assert_eq!(shown(&answers), expected);
}

#[track_caller]
fn check_refused(questions: &[Question], inputs: &[AnswerInput], field: &str, rule: &str) {
    let refused = Answers::check(questions, inputs).unwrap_err();
    assert_eq!(refused.to_string(), format!("{field}: {rule}"));
}

#[test]
fn each_kind_accepts_its_answer_and_answers_follow_the_order_of_the_questions() {
    let inputs = [say(4, "k3y"), choose(3, &[1]), say(2, "Anna"), choose(1, &[3, 0]), choose(0, &[1])];
    check(&all_kinds(), &inputs, &["q1: q1o2", "q2: q2o1 + q2o4", "q3: \"Anna\"", "q4: q4o2", "q5: \"k3y\""]);
}

#[test]
fn a_single_choice_accepts_an_own_answer() {
    check(&all_kinds(), &[say(0, "DuckDB")], &["q1: \"DuckDB\""]);
}

#[test]
fn case_10_a_multiple_choice_accepts_options_and_an_own_answer() {
    let answer = AnswerInput { other: Some("and offline".to_owned()), ..choose(1, &[2, 1]) };
    check(&all_kinds(), &[answer], &["q2: q2o2 + q2o3 + \"and offline\""]);
}

#[rstest]
#[case::empty("")]
#[case::spaces("  \n\t ")]
#[case::invisible("\u{200b}\u{feff}")]
#[case::control_characters("\u{1b}\u{7}")]
fn case_11_a_blank_other_counts_as_unanswered_and_does_not_cancel_the_others(#[case] blank: &str) {
    check(&all_kinds(), &[say(0, blank), choose(1, &[0])], &["q2: q2o1"]);
    let ticked = AnswerInput { other: Some(blank.to_owned()), ..choose(1, &[0]) };
    check(&all_kinds(), &[ticked], &["q2: q2o1"]);
}

#[test]
fn case_06_questions_with_equal_headers_or_texts_are_answered_separately() {
    let named = |text: &str, header: &str| RawQuestion {
        header: Some(header.to_owned()),
        ..single(text, &["A", "B", "C"])
    };
    let questions = asked(&[named("One?", "Color"), named("Two?", "Color"), named("One?", "Shade")]);
    check(&questions, &[choose(0, &[0]), choose(1, &[2])], &["q1: q1o1", "q2: q2o3"]);
    check(
        &questions,
        &[choose(0, &[0]), choose(1, &[1]), choose(2, &[2])],
        &["q1: q1o1", "q2: q2o2", "q3: q3o3"],
    );
}

#[test]
fn case_08_options_are_chosen_by_id_so_commas_in_labels_mean_nothing() {
    let questions = asked(&[multi("Keep?", &["Yes, always", "Yes", " always"])]);
    check(&questions, &[choose(0, &[0])], &["q1: q1o1"]);
    check(&questions, &[choose(0, &[1, 2])], &["q1: q1o2 + q1o3"]);
}

#[test]
fn a_note_is_kept_with_its_choice() {
    let note = |words: &str| AnswerInput { note: Some(words.to_owned()), ..choose(0, &[0]) };
    check(&all_kinds(), &[note("for now")], &["q1: q1o1 (for now)"]);
    check(&all_kinds(), &[note(" \n")], &["q1: q1o1"]);
}

#[test]
fn an_own_answer_is_kept_except_for_control_characters() {
    check(&all_kinds(), &[say(2, "  a\r\n\tb\u{1b}[31m\0 ")], &["q3: \"  a\\n\\tb[31m \""]);
}

#[rstest]
#[case::at_the_bound(USER_TEXT_BYTES, true)]
#[case::over_the_bound(USER_TEXT_BYTES + 1, false)]
#[case::a_mebibyte(1024 * 1024, false)]
fn an_own_answer_over_32_kib_is_refused_and_never_cut(#[case] bytes: usize, #[case] taken: bool) {
    let words = "w".repeat(bytes);
    let as_other = [say(2, &words)];
    let as_note = [AnswerInput { note: Some(words.clone()), ..choose(0, &[0]) }];
    if taken {
        let answers = Answers::check(&all_kinds(), &as_other).unwrap();
        assert_eq!(answers.iter().next().unwrap().other.as_deref(), Some(words.as_str()));
    } else {
        let rule = format!("too long ({bytes} bytes; the limit is 32768)");
        check_refused(&all_kinds(), &as_other, "answers[0].other", &rule);
        check_refused(&all_kinds(), &as_note, "answers[0].note", &rule);
    }
}

#[rstest]
#[case::unknown_question(&[choose(9, &[0])], "answers[0].question", "no question q10 in this request")]
#[case::answered_twice(&[choose(0, &[0]), choose(0, &[1])], "answers[1].question", "q1 is answered twice")]
#[case::unknown_option(&[choose(0, &[3])], "answers[0].chosen[0]", "no option q1o4 in question q1")]
#[case::option_for_words(&[choose(2, &[0])], "answers[0].chosen[0]", "no option q3o1 in question q3")]
#[case::chosen_twice(&[choose(1, &[0, 2, 0])], "answers[0].chosen[2]", "q2o1 is chosen twice")]
#[case::two_of_a_single(
    &[choose(0, &[0, 1])], "answers[0].chosen", "this question takes only one answer"
)]
#[case::two_of_a_confirmation(
    &[choose(3, &[0, 1])], "answers[0].chosen", "this question takes only one answer"
)]
#[case::words_for_a_confirmation(
    &[say(3, "perhaps")], "answers[0].other", "this question takes only the options it lists"
)]
#[case::nothing_at_all(
    &[], "answers", "answer at least one question, or skip"
)]
#[case::nothing_said(
    &[choose(0, &[]), say(2, " ")],
    "answers", "answer at least one question, or skip"
)]
fn an_invalid_answer_is_refused_by_its_field(
    #[case] inputs: &[AnswerInput],
    #[case] field: &str,
    #[case] rule: &str,
) {
    check_refused(&all_kinds(), inputs, field, rule);
}

#[test]
fn an_option_of_another_question_is_refused() {
    let mut answer = choose(0, &[]);
    answer.chosen = choose(1, &[1]).chosen;
    check_refused(&all_kinds(), &[answer], "answers[0].chosen[0]", "no option q2o2 in question q1");
}

#[test]
fn an_own_answer_beside_an_option_of_a_single_choice_is_refused() {
    let answer = AnswerInput { other: Some("or so".to_owned()), ..choose(0, &[0]) };
    let rule = "this question takes only one answer";
    check_refused(&all_kinds(), &[answer], "answers[0].chosen", rule);
}

#[test]
fn a_note_without_a_choice_is_refused() {
    let answer = AnswerInput { note: Some("hm".to_owned()), ..choose(0, &[]) };
    check_refused(&all_kinds(), &[answer], "answers[0].note", "a note needs an answer to go with it");
}

#[test]
fn more_answers_than_questions_are_refused_first() {
    let questions = asked(&[single("Which?", &["A", "B"])]);
    check_refused(
        &questions,
        &[choose(0, &[0]), choose(7, &[9])],
        "answers",
        "too many answers (2; the limit is 1)",
    );
}

#[test]
fn a_secret_is_stored_without_its_text() {
    let answers = Answers::check(&all_kinds(), &[say(4, "k3y"), choose(0, &[0])]).unwrap();
    let kept = answers.without_secrets();
    let secret = kept.iter().find(|answer| answer.question == all_kinds()[4].id).unwrap();
    assert_eq!((secret.secret_given, &secret.other), (true, &None));
    assert_eq!(shown(&kept)[0], "q1: q1o1");
    assert!(!serde_json::to_string(&kept).unwrap().contains("k3y"));
}

#[rstest]
#[case::unknown_field(r#"{"question":"q1","chosen":[],"answer":"A"}"#)]
#[case::a_label_instead_of_an_id(r#"{"question":"q1","chosen":["SQLite"]}"#)]
#[case::a_number(r#"{"question":1}"#)]
#[case::no_question(r#"{"chosen":["q1o1"]}"#)]
fn an_answer_in_another_form_is_not_parsed(#[case] json: &str) {
    assert!(serde_json::from_str::<AnswerInput>(json).is_err());
}
