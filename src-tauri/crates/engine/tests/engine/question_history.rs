//! Past questions: filtered by words, session and outcome, counted, with the median time to answer.

use crate::support::desk::{ask, choose, questions, request, say, session};
use crate::support::desks::{asks, desk, start, take};
use askdesk_contract::{DayBounds, OutcomeKind, QuestionTotals};
use askdesk_domain::{
    Answers, Ask, Asker, Entry, EntryBody, Event, OrphanedWhy, Outcome, RequestEvent, SessionId, Timestamp,
    WithdrawnWhy,
};
use askdesk_engine::Journal;
use askdesk_engine::journal::{QuestionFilter, QuestionsFound, Reader};
use rstest::rstest;

const NOW: Timestamp = Timestamp::from_millis(1_000_000_000);

struct Past {
    journal: Journal,
    _folder: tempfile::TempDir,
}

impl Past {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { journal: Journal::open(folder.path(), NOW).unwrap().journal, _folder: folder }
    }

    /// Asks request `n` of a session, `n` seconds after the start.
    fn ask(&mut self, of: u128, n: u128) {
        self.ask_as(Asker::Waits, of, n);
    }

    fn ask_as(&mut self, asker: Asker, of: u128, n: u128) {
        let mut ask = Ask { asker, at: asked_at(n), ..ask(of, n) };
        ask.questions[0].text = format!("Which harbor of {n}?");
        let at = ask.at;
        let entry = Entry { n: n as u64, at, body: EntryBody::Request { request: request(n) } };
        self.journal.commit(&[asked(ask)], &[(session(of), entry)], at).unwrap();
    }

    /// Asks request `n` and ends it after a time, in milliseconds.
    fn ended(&mut self, of: u128, n: u128, outcome: Outcome, after: i64) {
        self.ask(of, n);
        let at = Timestamp::from_millis(asked_at(n).millis() + after);
        self.journal
            .commit(
                &[Event::Request(RequestEvent::Ended { request: request(n), outcome, at, answer: None })],
                &[],
                at,
            )
            .unwrap();
    }

    fn reader(&self) -> Reader {
        self.journal.reader().unwrap()
    }
}

/// What happens when a request is asked.
fn asked(ask: Ask) -> Event {
    take(&mut desk(&[start(1), start(2)]), &asks(ask)).unwrap().events.remove(0)
}

fn asked_at(n: u128) -> Timestamp {
    Timestamp::from_millis(n as i64 * 1_000)
}

fn answered(words: &str) -> Outcome {
    Outcome::Answered { answers: Answers::check(&questions(), &[choose(0, &[1]), say(2, words)]).unwrap() }
}

/// One request for each outcome, 1 to 7 from the oldest, and an open one, 8.
fn of_all_kinds() -> Past {
    let mut past = Past::new();
    let ends = [
        answered("lighthouse"),
        Outcome::Declined { words: Some("ask me tomorrow".to_owned()) },
        Outcome::RepliedInChat { text: "use the old one".to_owned() },
        Outcome::Expired,
        Outcome::Withdrawn { why: WithdrawnWhy::ByAgent },
        Outcome::Withdrawn { why: WithdrawnWhy::Canceled { reason: Some("wrong folder".to_owned()) } },
        Outcome::Orphaned { why: OrphanedWhy::AgentEnded },
    ];
    for (n, end) in (1..).zip(ends) {
        past.ended(1 + n % 2, n, end, 500);
    }
    past.ask(1, 8);
    past
}

fn find(reader: &Reader, words: &str, of: Option<SessionId>, outcomes: &[OutcomeKind]) -> QuestionsFound {
    let filter = QuestionFilter { words: words.to_owned(), session: of, outcomes: outcomes.to_vec() };
    reader.questions(&filter, 50, 0).unwrap()
}

fn numbers(found: &QuestionsFound) -> Vec<u128> {
    (1..=100).rev().filter(|n| found.requests.iter().any(|it| it.id == request(*n))).collect()
}

#[rstest]
#[case::answered(&[OutcomeKind::Answered], &[1])]
#[case::declined_or_closed_by_the_user(&[OutcomeKind::Declined], &[6, 2])]
#[case::replied_in_chat(&[OutcomeKind::RepliedInChat], &[3])]
#[case::expired(&[OutcomeKind::Expired], &[4])]
#[case::withdrawn(&[OutcomeKind::Withdrawn], &[5])]
#[case::missed(&[OutcomeKind::Orphaned], &[7])]
#[case::several(&[OutcomeKind::Answered, OutcomeKind::Declined], &[6, 2, 1])]
#[case::all_but_open_ones(&[], &[7, 6, 5, 4, 3, 2, 1])]
fn questions_are_filtered_by_outcome(#[case] outcomes: &[OutcomeKind], #[case] expected: &[u128]) {
    let past = of_all_kinds();
    let found = find(&past.reader(), "", None, outcomes);
    assert_eq!(
        found.requests.iter().map(|it| it.id).collect::<Vec<_>>(),
        expected.iter().map(|n| request(*n)).collect::<Vec<_>>()
    );
    assert_eq!(found.count, expected.len() as u64);
}

/// The agent is told that the user closed a request, but not that they dismissed a missed one.
#[test]
fn a_dismissed_missed_question_counts_as_withdrawn() {
    let mut past = of_all_kinds();
    let outcome = Outcome::Withdrawn { why: WithdrawnWhy::Canceled { reason: None } };
    let dismissed = RequestEvent::Dismissed { request: request(7), outcome, at: NOW };
    past.journal.commit(&[Event::Request(dismissed)], &[], NOW).unwrap();
    let of = |outcome| numbers(&find(&past.reader(), "", None, &[outcome]));
    assert_eq!(of(OutcomeKind::Withdrawn), [7, 5]);
    assert_eq!(of(OutcomeKind::Declined), [6, 2]);
    assert_eq!(of(OutcomeKind::Orphaned), Vec::<u128>::new());
}

#[rstest]
#[case::words_of_the_question("harbor", &[7, 6, 5, 4, 3, 2, 1])]
#[case::the_beginning_of_own_words("lightho", &[1])]
#[case::words_of_a_refusal("tomorrow", &[2])]
#[case::words_of_the_chat("\"the old one\"", &[3])]
#[case::a_reason("folder", &[6])]
#[case::unknown_words("elephant", &[])]
#[case::signs_alone("*** (", &[])]
#[case::words_that_would_be_a_query("harbor') OR 1=1 --", &[])]
fn questions_are_filtered_by_words(#[case] words: &str, #[case] expected: &[u128]) {
    let past = of_all_kinds();
    assert_eq!(numbers(&find(&past.reader(), words, None, &[])), expected);
}

#[test]
fn a_filter_combines_session_outcome_and_words() {
    let past = of_all_kinds();
    let reader = past.reader();
    assert_eq!(numbers(&find(&reader, "", Some(session(2)), &[])), [7, 5, 3, 1]);
    assert_eq!(numbers(&find(&reader, "harbor", Some(session(2)), &[OutcomeKind::Withdrawn])), [5]);
    assert_eq!(numbers(&find(&reader, "harbor", Some(session(9)), &[])), Vec::<u128>::new());
}

#[rstest]
#[case::none_answered(&[], None)]
#[case::one(&[700], Some(700))]
#[case::an_odd_number(&[9_000, 100, 400], Some(400))]
#[case::an_even_number(&[1_000, 2_000, 4_000, 9_000], Some(3_000))]
#[case::all_alike(&[500, 500], Some(500))]
#[case::the_clock_was_set_back(&[-5_000], Some(0))]
fn the_median_is_the_middle_time_to_answer(#[case] waits: &[i64], #[case] expected: Option<i64>) {
    let mut past = Past::new();
    for (n, wait) in (1..).zip(waits) {
        past.ended(1, n, answered("so"), *wait);
    }
    // Questions that ended without an answer don't count.
    past.ended(1, 50, Outcome::Expired, 3_600_000);
    past.ended(1, 51, Outcome::Declined { words: None }, 1);
    let found = find(&past.reader(), "", None, &[]);
    assert_eq!((found.median_millis, found.answered), (expected, waits.len() as u64));
    assert_eq!(found.count, waits.len() as u64 + 2);
}

#[test]
fn the_median_is_over_all_matches_of_the_filter() {
    let mut past = Past::new();
    for n in 1..=9 {
        past.ended(1 + n % 2, n, answered("so"), n as i64 * 100);
    }
    let reader = past.reader();
    assert_eq!(find(&reader, "", Some(session(2)), &[]).median_millis, Some(500));
    assert_eq!(find(&reader, "", Some(session(1)), &[]).median_millis, Some(500));
    assert_eq!(find(&reader, "", None, &[OutcomeKind::Declined]).median_millis, None);
    let first = reader.questions(&QuestionFilter::default(), 4, 0).unwrap();
    assert_eq!((numbers(&first), first.more), (vec![9, 8, 7, 6], true));
    let last = reader.questions(&QuestionFilter::default(), 4, 8).unwrap();
    assert_eq!((numbers(&last), last.more), (vec![1], false));
    assert_eq!((first.count, first.median_millis), (9, Some(500)));
    assert_eq!((last.count, last.median_millis), (9, Some(500)));
}

const DAY: i64 = 86_400_000;

fn days(count: i64) -> DayBounds {
    let starts = (0..=count).map(|day| Timestamp::from_millis(day * DAY));
    DayBounds::try_from(starts.collect::<Vec<_>>()).unwrap()
}

fn answer_times(totals: &QuestionTotals) -> Vec<u64> {
    totals.answer_times.iter().map(|group| group.count).collect()
}

#[test]
fn totals_count_only_answers_and_a_late_answer_is_one() {
    let mut past = of_all_kinds();
    let reader = past.reader();
    let all = reader.question_totals(&QuestionFilter::default(), &days(1)).unwrap();
    assert_eq!((answer_times(&all), all.median_millis), (vec![1, 0, 0, 0, 0, 0, 0, 0], Some(500)));

    let late = RequestEvent::AnsweredLate {
        request: request(7),
        outcome: answered("late"),
        at: asked_at(77),
        answer: None,
    };
    past.journal.commit(&[Event::Request(late)], &[], NOW).unwrap();
    let all = past.reader().question_totals(&QuestionFilter::default(), &days(1)).unwrap();
    assert_eq!((answer_times(&all), all.median_millis), (vec![1, 0, 0, 0, 1, 0, 0, 0], Some(35_250)));
}

#[rstest]
#[case::the_session_of_the_answer(QuestionFilter { session: Some(session(2)), ..QuestionFilter::default() }, 1)]
#[case::another_session(QuestionFilter { session: Some(session(1)), ..QuestionFilter::default() }, 0)]
#[case::an_outcome(QuestionFilter { outcomes: vec![OutcomeKind::Declined], ..QuestionFilter::default() }, 0)]
#[case::its_words(QuestionFilter { words: "lighthouse".to_owned(), ..QuestionFilter::default() }, 1)]
#[case::no_words(QuestionFilter { words: "***".to_owned(), ..QuestionFilter::default() }, 0)]
fn totals_follow_the_filter(#[case] filter: QuestionFilter, #[case] expected: u64) {
    let totals = of_all_kinds().reader().question_totals(&filter, &days(1)).unwrap();
    assert_eq!(answer_times(&totals), [expected, 0, 0, 0, 0, 0, 0, 0]);
}

/// 3,000 requests, one every 20 minutes: 72 a day for 41 days and two thirds.
#[test]
fn totals_are_over_the_whole_history_of_the_days() {
    let mut past = Past::new();
    let mut events = Vec::new();
    for n in 1..=3_000_u128 {
        let at = Timestamp::from_millis((n as i64 - 1) * DAY / 72);
        let outcome = if n % 3 == 0 { Outcome::Expired } else { answered("so") };
        events.push(asked(Ask { at, ..ask(1, n) }));
        // A third each: 10 seconds, 20 seconds, and those that were not answered.
        let at = Timestamp::from_millis(at.millis() + (n % 3) as i64 * 10_000);
        events.push(Event::Request(RequestEvent::Ended { request: request(n), outcome, at, answer: None }));
    }
    past.journal.commit(&events, &[], NOW).unwrap();
    let reader = past.reader();
    let totals = reader.question_totals(&QuestionFilter::default(), &days(30)).unwrap();
    assert_eq!(answer_times(&totals), [0, 720, 720, 0, 0, 0, 0, 0], "no later day is counted");
    assert_eq!(totals.median_millis, Some(15_000));
    let whole = reader.question_totals(&QuestionFilter::default(), &days(90)).unwrap();
    assert_eq!(answer_times(&whole), [0, 1_000, 1_000, 0, 0, 0, 0, 0]);
}

/// The words come at 2 s and at 4 s after the question.
#[rstest]
#[case::before_the_end(Asker::GoesOn, 3_000, Some("I take the first."))]
#[case::in_the_background(Asker::InBackground, 3_000, Some("I take the first."))]
#[case::after_the_end(Asker::GoesOn, 1_000, None)]
#[case::of_an_agent_that_waited(Asker::Waits, 3_000, None)]
fn case_163_the_next_words_without_the_answer_are_found_with_the_question(
    #[case] asker: Asker,
    #[case] ended_after: i64,
    #[case] expected: Option<&str>,
) {
    let mut past = Past::new();
    past.ask_as(asker, 1, 1);
    let later = |millis: i64| Timestamp::from_millis(asked_at(1).millis() + millis);
    let says = |n: u64, text: &str, millis: i64| {
        let body = EntryBody::Agent { text: text.to_owned() };
        (session(1), Entry { n, at: later(millis), body })
    };
    let thinks =
        (session(1), Entry { n: 2, at: later(1_500), body: EntryBody::Thinking { text: "Hm.".to_owned() } });
    let said = [thinks, says(3, "I take the first.", 2_000), says(4, "Done.", 4_000)];
    let (outcome, at) = (answered("so"), later(ended_after));
    let end = Event::Request(RequestEvent::Ended { request: request(1), outcome, at, answer: None });
    past.journal.commit(&[end], &said, NOW).unwrap();
    let found = find(&past.reader(), "", None, &[]);
    assert_eq!(found.went_on.get(&request(1)).map(String::as_str), expected);
}
