//! Which input of agents becomes questions, and which is refused.

use crate::support::questions::{asked, described, draft, multi, option, single};
use askdesk_domain::text::{AGENT_TEXT_BYTES, CUT_MARK};
use askdesk_domain::{QuestionId, QuestionKind, QuestionLimits, RawOption, RawQuestion, question_input};
use rstest::rstest;

const FOREIGN: QuestionLimits = QuestionLimits::FOREIGN;
const OURS: QuestionLimits = QuestionLimits::ASK_USER_QUESTION;
const ASK_USER: QuestionLimits = QuestionLimits::ASK_USER;

fn many(count: usize) -> Vec<RawQuestion> {
    (0..count).map(|n| single(&format!("Question {n}?"), &["A", "B"])).collect()
}

fn wide(kind: QuestionKind, count: usize) -> Vec<RawQuestion> {
    let options = (0..count).map(|n| option(&format!("Option {n}"))).collect();
    vec![RawQuestion { options, ..draft(kind, "Which?", &[]) }]
}

#[track_caller]
fn check(drafts: &[RawQuestion], rules: QuestionLimits, expected: Result<usize, &str>) {
    let found = question_input::accept(drafts, rules).map(|questions| questions.len());
    assert_eq!(found.map_err(|refusal| refusal.to_string()), expected.map_err(str::to_owned));
}

#[rstest]
#[case::foreign(FOREIGN, 32)]
#[case::ask_user_question(OURS, 4)]
#[case::ask_user(ASK_USER, 10)]
fn one_question_over_the_bound_of_its_source_is_refused(#[case] rules: QuestionLimits, #[case] most: usize) {
    check(&many(1), rules, Ok(1));
    check(&many(most), rules, Ok(most));
    let words = format!("questions: too many questions ({}; the limit is {most})", most + 1);
    check(&many(most + 1), rules, Err(&words));
}

#[rstest]
#[case::foreign(FOREIGN)]
#[case::ask_user_question(OURS)]
#[case::ask_user(ASK_USER)]
fn case_25_an_empty_list_of_questions_is_refused(#[case] rules: QuestionLimits) {
    check(&[], rules, Err("questions: too few questions (0; the minimum is 1)"));
}

#[rstest]
#[case::foreign(FOREIGN, 64)]
#[case::ask_user_question(OURS, 4)]
#[case::ask_user(ASK_USER, 12)]
fn one_option_over_the_bound_of_its_source_is_refused(
    #[case] rules: QuestionLimits,
    #[case] most: usize,
    #[values(QuestionKind::Single, QuestionKind::Multi)] kind: QuestionKind,
) {
    check(&wide(kind, most), rules, Ok(1));
    let words = format!("questions[0].options: too many options ({}; the limit is {most})", most + 1);
    check(&wide(kind, most + 1), rules, Err(&words));
}

#[rstest]
#[case::no_option(0)]
#[case::one_option(1)]
fn our_own_tools_require_two_options(
    #[case] count: usize,
    #[values(OURS, ASK_USER)] rules: QuestionLimits,
    #[values(QuestionKind::Single, QuestionKind::Multi)] kind: QuestionKind,
) {
    let words = format!("questions[0].options: too few options ({count}; the minimum is 2)");
    check(&wide(kind, count), rules, Err(&words));
}

#[test]
fn the_refusal_names_the_question() {
    let drafts = [single("First?", &["A", "B"]), single("Second?", &["A"])];
    check(&drafts, OURS, Err("questions[1].options: too few options (1; the minimum is 2)"));
    let drafts = [single("First?", &["A", "B"]), single(" \n", &["A", "B"])];
    check(&drafts, FOREIGN, Err("questions[1].question: must be a non-empty string"));
}

#[rstest]
#[case::text(QuestionKind::Text)]
#[case::confirm(QuestionKind::Confirm)]
fn a_question_that_is_not_a_select_takes_no_options(#[case] kind: QuestionKind) {
    check(&wide(kind, 0), ASK_USER, Ok(1));
    let words = "questions[0].options: must be empty for this type of question, got 2";
    check(&wide(kind, 2), ASK_USER, Err(words));
}

#[test]
fn a_secret_may_have_texts_to_fill_in() {
    let question = asked(&wide(QuestionKind::Secret, 2)).remove(0);
    assert_eq!((question.kind, question.options.len()), (QuestionKind::Secret, 2));
    assert!(!question.allows_other);
}

#[rstest]
#[case::single(QuestionKind::Single)]
#[case::multi(QuestionKind::Multi)]
fn a_foreign_select_without_options_becomes_free_text(#[case] kind: QuestionKind) {
    let question = asked(&wide(kind, 0)).remove(0);
    assert_eq!(question.kind, QuestionKind::Text);
    assert!(question.options.is_empty() && !question.allows_other);
}

#[test]
fn a_foreign_select_with_one_option_is_shown() {
    let question = asked(&[single("Go on?", &["Yes"])]).remove(0);
    assert_eq!((question.kind, question.options.len()), (QuestionKind::Single, 1));
    assert!(question.allows_other);
}

#[test]
fn a_confirmation_gets_its_two_options_from_us() {
    let question = question_input::accept(&wide(QuestionKind::Confirm, 0), ASK_USER).unwrap().remove(0);
    let options: Vec<_> = question.options.iter().map(|it| (it.id.to_string(), it.label.as_str())).collect();
    assert_eq!(options, [("q1o1".to_owned(), "Yes"), ("q1o2".to_owned(), "No")]);
    assert!(!question.allows_other);
}

#[test]
fn foreign_twins_are_shown_with_different_ids() {
    let questions = asked(&[single("Which?", &["A", "A"]), single("Which?", &["A"])]);
    let ids: Vec<String> =
        questions.iter().flat_map(|it| &it.options).map(|option| option.id.to_string()).collect();
    assert_eq!(ids, ["q1o1", "q1o2", "q2o1"]);
}

#[rstest]
#[case::ask_user_question(OURS)]
#[case::ask_user(ASK_USER)]
fn twins_from_our_own_tools_are_refused_and_both_are_named(#[case] rules: QuestionLimits) {
    let same_text =
        [single("One?", &["A", "B"]), single("Which?", &["A", "B"]), single("Which?", &["C", "D"])];
    check(
        &same_text,
        rules,
        Err("questions[2].question: same text as questions[1]; each question must be different"),
    );
    let same_label = [single("One?", &["A", "B"]), single("Which?", &["X", "Y", "X"])];
    check(
        &same_label,
        rules,
        Err("questions[1].options[2].label: same label as options[0]; each label must be different"),
    );
    check(&[single("One?", &["A", "B"]), single("Two?", &["A", "B"])], rules, Ok(2));
}

#[test]
fn the_bound_of_a_list_is_checked_before_its_twins() {
    let drafts = [single("Which?", &["A", "A", "B", "C", "D"])];
    check(&drafts, OURS, Err("questions[0].options: too many options (5; the limit is 4)"));
}

#[rstest]
#[case("Other")]
#[case("other")]
#[case(" OTHER… ")]
#[case("Other...")]
#[case("Other:")]
fn case_07_the_agents_own_other_becomes_the_row_for_other(#[case] label: &str) {
    let mut draft = single("Which?", &["A", "B"]);
    draft.options.insert(1, described(label, "Something else entirely"));
    let question = asked(&[draft]).remove(0);
    let options: Vec<_> = question.options.iter().map(|it| (it.id.to_string(), it.label.as_str())).collect();
    // The ids follow the agent's list, so that its labels can be found again.
    assert_eq!(options, [("q1o1".to_owned(), "A"), ("q1o3".to_owned(), "B")]);
    assert!(question.allows_other);
    assert_eq!(question.other_description.as_deref(), Some("Something else entirely"));
}

#[test]
fn case_07_an_other_sent_twice_is_still_one_row() {
    let question = asked(&[multi("Which?", &["Other", "A", "other"])]).remove(0);
    let labels: Vec<_> = question.options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(labels, ["A"]);
    assert!(question.allows_other);
}

#[rstest]
#[case("Something else")]
#[case("something else…")]
#[case("Other (please specify)")]
#[case("Other: please describe")]
#[case("Other – I’ll explain")]
#[case("D) Other")]
#[case("(4) Other")]
#[case("12. Other")]
#[case("✏️ Other")]
#[case("**Other**")]
#[case("Andere")]
#[case("Anderes …")]
#[case("Andere (bitte angeben)")]
#[case("Sonstiges:")]
#[case("Etwas anderes")]
#[case("其他")]
#[case("其它…")]
#[case("其他选项")]
#[case("其他（请说明）")]
#[case("其他，请说明。")]
#[case("D、其他")]
#[case("别的")]
#[case("Autre")]
#[case("Autre (précisez)")]
#[case("Otro (especificar)")]
#[case("Altro: specificare")]
#[case("Outra opção")]
#[case("Anders, namelijk…")]
#[case("Другое (укажите)")]
#[case("その他")]
#[case("その他（具体的に）")]
#[case("기타 (직접 입력)")]
#[case("أخرى")]
fn case_120_an_other_in_any_language_is_the_one_other(#[case] label: &str) {
    for kind in [single, multi] {
        let mut draft = kind("Which?", &["A"]);
        draft.options.push(described(label, "Say it"));
        let question = asked(&[draft]).remove(0);
        let labels: Vec<_> = question.options.iter().map(|option| option.label.as_str()).collect();
        assert_eq!((labels, question.allows_other), (vec!["A"], true));
        assert_eq!(question.other_description.as_deref(), Some("Say it"));
    }
}

#[test]
fn case_120_two_of_the_agents_own_are_one_other_with_both_descriptions() {
    let mut draft = single("Which?", &["A", "B"]);
    draft.options.push(described("Other", "Say it"));
    draft.options.push(described("其他", "Say it"));
    draft.options.push(described("Something else", "In your words"));
    let question = asked(&[draft]).remove(0);
    assert_eq!(question.options.len(), 2);
    assert_eq!(question.other_description.as_deref(), Some("Say it\nIn your words"));
}

#[rstest]
#[case("Another")]
#[case("Others")]
#[case("Other people")]
#[case("Other users table")]
#[case("Other (SQLite)")]
#[case("The other one")]
#[case("/other")]
#[case("other/")]
#[case("`other`")]
#[case("other.rs")]
#[case("None of these")]
#[case("None of the above")]
#[case("Something else entirely, such as a queue")]
#[case("Andere Tabelle")]
#[case("Sonstiges löschen")]
#[case("其他用户表")]
#[case("以上都不是")]
#[case("Custom")]
#[case("Custom (Other)")]
fn a_label_that_only_contains_other_stays_an_option(#[case] label: &str) {
    let question = asked(&[single("Which?", &["A", label])]).remove(0);
    assert_eq!(question.options[1].label, label);
}

#[test]
fn a_select_of_nothing_but_other_becomes_free_text() {
    let draft = RawQuestion { options: vec![described("Other", "Say it")], ..single("Which?", &[]) };
    let question = asked(&[draft]).remove(0);
    assert_eq!((question.kind, question.options.len()), (QuestionKind::Text, 0));
    assert_eq!(question.other_description.as_deref(), Some("Say it"));
}

#[rstest]
#[case("SQLite (Recommended)", true)]
#[case("SQLite (recommended) ", true)]
#[case("(Recommended) SQLite", false)]
#[case("Recommended", false)]
fn a_recommendation_is_detected_at_the_end_of_a_label_that_stays_whole(
    #[case] label: &str,
    #[case] recommended: bool,
) {
    let question = asked(&[single("Which?", &[label, "B"])]).remove(0);
    assert_eq!((question.options[0].label.as_str(), question.options[0].recommended), (label, recommended));
}

#[test]
fn case_08_labels_with_commas_stay_whole() {
    let labels = ["Yes, always", "No, never", "Yes", " always"];
    let question = asked(&[multi("Keep it?", &labels)]).remove(0);
    let kept: Vec<_> = question.options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(kept, labels);
}

#[test]
fn case_05_a_header_of_40_characters_is_kept_whole() {
    let header = "Überschrift mit genau vierzig Zeichen 40";
    assert_eq!(header.chars().count(), 40);
    for rules in [FOREIGN, OURS, ASK_USER] {
        let draft = RawQuestion { header: Some(header.to_owned()), ..single("Which?", &["A", "B"]) };
        assert_eq!(question_input::accept(&[draft], rules).unwrap()[0].header.as_deref(), Some(header));
    }
}

#[test]
fn labels_and_descriptions_longer_than_advertised_are_kept_whole() {
    let (label, description) = ("l".repeat(300), "d".repeat(3_000));
    for rules in [FOREIGN, OURS, ASK_USER] {
        let options = vec![described(&label, &description), option("B")];
        let draft = RawQuestion { options, ..single("Which?", &[]) };
        let question = question_input::accept(&[draft], rules).unwrap().remove(0);
        assert_eq!(question.options[0].label, label);
        assert_eq!(question.options[0].description.as_deref(), Some(description.as_str()));
    }
}

#[test]
fn empty_texts_count_as_missing() {
    let mut draft = single("Which?", &[]);
    draft.header = Some("  ".to_owned());
    draft.options =
        vec![RawOption { description: Some(String::new()), preview: Some(String::new()), ..option("A") }];
    let question = asked(&[draft]).remove(0);
    assert_eq!(question.header, None);
    assert_eq!((&question.options[0].description, &question.options[0].preview), (&None, &None));
}

#[test]
fn every_text_over_64_kib_is_cut_with_a_mark() {
    let long = "é".repeat(AGENT_TEXT_BYTES);
    let cut = |text: &str| text.len() <= AGENT_TEXT_BYTES && text.ends_with(CUT_MARK);
    let whole = "x".repeat(AGENT_TEXT_BYTES);
    let question = asked(&[RawQuestion {
        text: long.clone(),
        header: Some(long.clone()),
        placeholder: Some(long.clone()),
        options: vec![
            RawOption { label: long.clone(), description: Some(long.clone()), preview: Some(long.clone()) },
            described("Other", &long),
            option(&whole),
        ],
        ..single("", &[])
    }])
    .remove(0);
    assert!(cut(&question.text) && cut(&question.header.unwrap()) && cut(&question.placeholder.unwrap()));
    let first = &question.options[0];
    assert!(cut(&first.label) && cut(first.description.as_ref().unwrap()));
    assert!(cut(first.preview.as_ref().unwrap()) && cut(&question.other_description.unwrap()));
    assert_eq!(question.options[1].label, whole);
}

#[test]
fn the_same_questions_get_the_same_ids_again() {
    let drafts = many(12);
    assert_eq!(asked(&drafts), asked(&drafts));
    assert_eq!(asked(&drafts)[11].id, QuestionId::at(11));
}
