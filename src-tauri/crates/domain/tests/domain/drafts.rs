//! Which drafts can be saved, and what happens to them when their request ends.

use crate::support::desks::{
    self, answer, approval, ask, ask_approval, cancel, decide_approval, decides, decline, dismiss, end,
    introduce, request, session, start, take, withdraw, withdraw_approval,
};
use crate::support::questions::{asked, choose, draft, single};
use askdesk_domain::draft::DRAFT_BYTES;
use askdesk_domain::draft_rules::{after, check};
use askdesk_domain::{
    ApprovalDraft, Command, Desk, Draft, DraftAnswer, DraftKey, DraftOutcome, DraftTarget, OptionId,
    Question, QuestionId, QuestionKind, Rejection, SessionEnd, WithdrawnWhy,
};
use rstest::rstest;

fn questions() -> Vec<Question> {
    asked(&[single("Which store?", &["A", "B"]), draft(QuestionKind::Secret, "Which key?", &[])])
}

fn desk(commands: &[Command]) -> Desk {
    let begin = [start(1), introduce(1), ask(1, 1, questions()), ask_approval(1, 1)];
    desks::desk(&[&begin, commands].concat())
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
fn a_draft_is_saved_without_the_texts_of_secret_questions() {
    let open = on(0, &[first(1)], "  a graph\u{0}\n", "because");
    let kept = check(&desk(&[]), &begun(vec![on(1, &[], "hunter2", "my note"), open.clone()])).unwrap();
    assert_eq!((kept.session, kept.of), (session(1), begun(vec![open])));
}

#[rstest]
#[case::unknown(vec![on(2, &[], "x", "")], "draft.answers[0].question")]
#[case::twice(vec![on(0, &[], "x", ""), on(0, &[], "y", "")], "draft.answers[1].question")]
#[case::an_option_of_another(vec![on(1, &[first(0)], "", "")], "draft.answers[0].chosen")]
#[case::an_option_twice(vec![on(0, &[first(0), first(0)], "", "")], "draft.answers[0].chosen")]
fn an_unknown_or_repeated_id_is_refused_by_its_field(
    #[case] answers: Vec<DraftAnswer>,
    #[case] expected: &str,
) {
    match check(&desk(&[]), &begun(answers)) {
        Err(Rejection::Invalid { field, .. }) => assert_eq!(field, expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_draft_over_the_bound_is_refused() {
    let desk = desk(&[]);
    let fits = "x".repeat(DRAFT_BYTES - "no thanks".len());
    assert!(check(&desk, &begun(vec![on(0, &[], &fits, "")])).is_ok());
    let over = check(&desk, &begun(vec![on(0, &[], &fits, "y")]));
    assert!(matches!(over, Err(Rejection::Invalid { field, .. }) if field == "draft"));
}

#[test]
fn a_draft_without_choices_and_texts_is_blank() {
    let blank = DraftTarget::Request { id: request(1), draft: Draft::default() };
    assert!(blank.is_blank() && !blank.has_words());
    let moved = DraftTarget::Request { id: request(1), draft: Draft { active: 1, ..Draft::default() } };
    assert!(!moved.is_blank() && !moved.has_words());
    let plan = ApprovalDraft { plan: Some("1. Wait".to_owned()), ..ApprovalDraft::default() };
    assert!(DraftTarget::Approval { id: approval(1), draft: plan }.has_words());
}

fn ended() -> Command {
    end(1, SessionEnd::Stopped)
}

#[rstest]
#[case::answered(vec![answer(1, vec![choose(0, &[0])])], DraftOutcome::Goes)]
#[case::declined(vec![decline(1, None)], DraftOutcome::Goes)]
#[case::closed_by_the_user(vec![cancel(1, None)], DraftOutcome::Goes)]
#[case::withdrawn_by_the_agent(vec![withdraw(1, 1, WithdrawnWhy::ByAgent)], DraftOutcome::TextStays)]
#[case::missed(vec![ended()], DraftOutcome::Stays)]
#[case::dismissed(vec![ended(), dismiss(1)], DraftOutcome::Goes)]
#[case::answered_late(vec![ended(), decline(1, Some("too late"))], DraftOutcome::Goes)]
fn an_ended_request_keeps_what_can_still_be_sent_and_the_texts_of_its_draft(
    #[case] commands: Vec<Command>,
    #[case] expected: DraftOutcome,
) {
    let (last, before) = commands.split_last().unwrap();
    let mut desk = desk(before);
    let events = take(&mut desk, last).unwrap().events;
    let fates: Vec<_> =
        events.iter().filter_map(after).filter(|(of, _)| *of == DraftKey::Request(request(1))).collect();
    assert_eq!(fates, [(DraftKey::Request(request(1)), expected)]);
    let later = check(&desk, &begun(vec![on(0, &[], "x", "")]));
    assert_eq!(later.is_ok(), expected != DraftOutcome::Goes, "{later:?}");
}

#[test]
fn a_decided_approval_takes_no_draft_and_a_withdrawn_one_does() {
    let draft = ApprovalDraft { message: "use pnpm".to_owned(), ..ApprovalDraft::default() };
    let of = DraftTarget::Approval { id: approval(1), draft };
    assert!(check(&desk(&[]), &of).is_ok());
    assert!(check(&desk(&[withdraw_approval(1)]), &of).is_ok());
    assert!(matches!(
        check(&desk(&[decide_approval(1, decides(&["allow"]))]), &of),
        Err(Rejection::AlreadyEnded { .. })
    ));
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
