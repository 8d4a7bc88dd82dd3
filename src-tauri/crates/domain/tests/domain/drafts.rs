//! What of a draft is kept, and what becomes of it when its request ends.

use crate::support::desks::{
    answer, approval, ask, ask_approval, at, decides, decline, introduce, native, request, session, start,
};
use askdesk_domain::draft::DRAFT_BYTES;
use askdesk_domain::draft_rules::{after, check};
use askdesk_domain::{
    ApprovalCommand, ApprovalDraft, Begun, Command, Desk, Draft, DraftAnswer, DraftOutcome, DraftTarget,
    OptionId, Question, QuestionId, QuestionKind, QuestionLimits, RawOption, RawQuestion, Rejection,
    RequestCommand, SessionCommand, SessionEnd, WithdrawnWhy, decide, question_input,
};
use rstest::rstest;

fn questions() -> Vec<Question> {
    let draft = |text: &str, kind, labels: &[&str]| RawQuestion {
        text: text.to_owned(),
        kind,
        options: labels
            .iter()
            .map(|label| RawOption { label: (*label).to_owned(), description: None, preview: None })
            .collect(),
        header: None,
        required: false,
        placeholder: None,
    };
    let drafts = [
        draft("Which store?", QuestionKind::Single, &["A", "B"]),
        draft("Which key?", QuestionKind::Secret, &[]),
    ];
    question_input::accept(&drafts, QuestionLimits::FOREIGN).unwrap()
}

fn desk(commands: &[Command]) -> Desk {
    let mut desk = Desk::default();
    let begin = [start(1), introduce(1), ask(1, 1, questions()), ask_approval(1, 1)];
    for command in begin.iter().chain(commands) {
        decide(&desk, command).unwrap().events.iter().for_each(|event| desk.fold(event));
    }
    desk
}

fn on(place: usize, chosen: &[OptionId], other: &str, note: &str) -> DraftAnswer {
    DraftAnswer {
        question: QuestionId::at(place),
        chosen: chosen.to_vec(),
        other_chosen: other.is_empty(),
        other: other.to_owned(),
        note: note.to_owned(),
    }
}

fn begun(answers: Vec<DraftAnswer>) -> DraftTarget {
    let draft = Draft { active: 2, answers, declining: true, words: "no thanks".to_owned() };
    DraftTarget::Request { id: request(1), draft }
}

fn first(option: usize) -> OptionId {
    QuestionId::at(0).option(option)
}

#[test]
fn all_that_was_begun_is_kept_but_what_a_secret_question_holds() {
    let open = on(0, &[first(1)], "  a graph\u{0}\n", "because");
    let kept = check(&desk(&[]), &begun(vec![on(1, &[], "hunter2", "my note"), open.clone()])).unwrap();
    assert_eq!((kept.session, kept.of), (session(1), begun(vec![open])));
}

#[rstest]
#[case::a_stranger(vec![on(2, &[], "x", "")], "draft.answers[0].question")]
#[case::twice(vec![on(0, &[], "x", ""), on(0, &[], "y", "")], "draft.answers[1].question")]
#[case::an_option_of_another(vec![on(1, &[first(0)], "", "")], "draft.answers[0].chosen")]
#[case::an_option_twice(vec![on(0, &[first(0), first(0)], "", "")], "draft.answers[0].chosen")]
fn what_speaks_of_nothing_is_refused_by_its_field(#[case] answers: Vec<DraftAnswer>, #[case] expected: &str) {
    match check(&desk(&[]), &begun(answers)) {
        Err(Rejection::Invalid { field, .. }) => assert_eq!(field, expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn more_words_than_any_answer_takes_are_refused_and_as_many_are_not() {
    let desk = desk(&[]);
    let fits = "x".repeat(DRAFT_BYTES - "no thanks".len());
    assert!(check(&desk, &begun(vec![on(0, &[], &fits, "")])).is_ok());
    let over = check(&desk, &begun(vec![on(0, &[], &fits, "y")]));
    assert!(matches!(over, Err(Rejection::Invalid { field, .. }) if field == "draft"));
}

#[test]
fn a_draft_without_choices_and_words_is_blank() {
    let blank = DraftTarget::Request { id: request(1), draft: Draft::default() };
    assert!(blank.is_blank() && !blank.has_words());
    let looked = DraftTarget::Request { id: request(1), draft: Draft { active: 1, ..Draft::default() } };
    assert!(!looked.is_blank() && !looked.has_words());
    let plan = ApprovalDraft { plan: Some("1. Wait".to_owned()), ..ApprovalDraft::default() };
    assert!(DraftTarget::Approval { id: approval(1), draft: plan }.has_words());
}

fn withdraw(call: &str, why: WithdrawnWhy) -> Command {
    Command::Request(RequestCommand::Withdraw {
        session: session(1),
        native_ref: native(call),
        why,
        at: at(50),
    })
}

fn ended() -> Command {
    Command::Session(SessionCommand::End { session: session(1), end: SessionEnd::Stopped, at: at(60) })
}

#[rstest]
#[case::answered(vec![answer(1, vec![askdesk_domain::AnswerInput { question: QuestionId::at(0), chosen: vec![first(0)], other: None, note: None }])], DraftOutcome::Goes)]
#[case::declined(vec![decline(1, None)], DraftOutcome::Goes)]
#[case::closed_by_the_person(vec![Command::Request(RequestCommand::Cancel { request: request(1), reason: None, at: at(9) })], DraftOutcome::Goes)]
#[case::withdrawn_by_the_agent(vec![withdraw("call-1", WithdrawnWhy::ByAgent)], DraftOutcome::WordsStay)]
#[case::missed(vec![ended()], DraftOutcome::Stays)]
#[case::dismissed(vec![ended(), Command::Request(RequestCommand::Dismiss { request: request(1), at: at(70) })], DraftOutcome::Goes)]
#[case::answered_late(vec![ended(), decline(1, Some("too late"))], DraftOutcome::Goes)]
fn an_end_leaves_of_a_draft_what_can_still_be_sent_or_is_still_the_persons(
    #[case] commands: Vec<Command>,
    #[case] expected: DraftOutcome,
) {
    let (last, before) = commands.split_last().unwrap();
    let desk = desk(before);
    let events = decide(&desk, last).unwrap().events;
    let fates: Vec<_> =
        events.iter().filter_map(after).filter(|(of, _)| *of == Begun::Request(request(1))).collect();
    assert_eq!(fates, [(Begun::Request(request(1)), expected)]);
    let mut desk = desk;
    events.iter().for_each(|event| desk.fold(event));
    let later = check(&desk, &begun(vec![on(0, &[], "x", "")]));
    assert_eq!(later.is_ok(), expected != DraftOutcome::Goes, "{later:?}");
}

#[test]
fn a_decided_approval_takes_no_draft_and_one_that_was_taken_back_still_does() {
    let draft = ApprovalDraft { message: "use pnpm".to_owned(), ..ApprovalDraft::default() };
    let of = DraftTarget::Approval { id: approval(1), draft };
    assert!(check(&desk(&[]), &of).is_ok());
    assert!(check(&desk(&[withdraw("approval-1", WithdrawnWhy::ByAgent)]), &of).is_ok());
    let decided = Command::Approval(ApprovalCommand::Decide {
        approval: approval(1),
        decision: decides(&["allow"]),
        at: at(3),
    });
    assert!(matches!(check(&desk(&[decided]), &of), Err(Rejection::AlreadyEnded { .. })));
    let begun = |options: &[&'static str]| {
        let draft = ApprovalDraft { options: Some(decides(options).options), ..ApprovalDraft::default() };
        check(&desk(&[]), &DraftTarget::Approval { id: approval(1), draft })
    };
    assert!(begun(&["deny"]).is_ok());
    for strange in [vec!["r1"], vec!["deny", "deny"]] {
        assert!(
            matches!(begun(&strange), Err(Rejection::Invalid { field, .. }) if field == "draft.options"),
            "{strange:?}"
        );
    }
}
