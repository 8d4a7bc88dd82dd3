//! Which sessions go by themselves, and which never do.

use crate::support::desks;
use crate::support::desks::{answer, ask, at, desk, dismiss, end, introduce, queue, resume, session, start};
use crate::support::questions::{asked, choose, single};
use askdesk_domain::{
    Command, Question, RequestCommand, RetentionDays, SessionCommand, SessionEnd, Timestamp, retention,
};
use rstest::rstest;

const DAY: i64 = 86_400_000;
const ENDED: i64 = 300;

fn keep(days: u16) -> RetentionDays {
    RetentionDays::try_from(days).unwrap()
}

/// Says whether session 1 is due this long after its end, kept for 30 days.
fn is_due(commands: &[Command], after: i64) -> bool {
    retention::due(keep(30), &desk(commands), Timestamp::from_millis(ENDED + after)) == [session(1)]
}

fn one() -> Vec<Question> {
    asked(&[single("Which?", &["A", "B"])])
}

#[rstest]
#[case(0, false)]
#[case(30 * DAY, false)]
#[case(30 * DAY + 1, true)]
#[case(4_000 * DAY, true)]
#[case(-DAY, false)]
fn a_session_is_due_once_it_ended_longer_ago_than_is_kept(#[case] after: i64, #[case] due: bool) {
    assert_eq!(is_due(&[start(1), end(1, SessionEnd::Finished)], after), due);
}

#[test]
fn only_what_can_be_chosen_is_taken_and_by_itself_everything_is_kept() {
    for days in [1, 29, 31, 366, u16::MAX] {
        assert!(RetentionDays::try_from(days).is_err(), "{days}");
    }
    let over = desk(&[start(1), end(1, SessionEnd::Finished)]);
    let late = Timestamp::from_millis(i64::MAX);
    assert_eq!(retention::due(RetentionDays::default(), &over, late), []);
    assert_eq!(retention::due(keep(365), &over, late), [session(1)]);
    assert_eq!(retention::due(keep(365), &over, at(ENDED + 365 * DAY)), []);
}

#[test]
fn a_session_that_runs_is_never_due_and_one_that_went_on_counts_from_its_last_end() {
    assert!(!is_due(&[start(1)], 400 * DAY));
    let again = [
        start(1),
        introduce(1),
        ask(1, 1, one()),
        answer(1, vec![choose(0, &[0])]),
        end(1, SessionEnd::Finished),
    ];
    let later = Command::Session(SessionCommand::End {
        session: session(1),
        end: SessionEnd::Finished,
        at: at(ENDED + 20 * DAY),
    });
    let delivered = Command::Request(RequestCommand::NoteDelivery {
        request: desks::request(1),
        call: None,
        delivery: desks::delivered(),
    });
    let mut commands = again.to_vec();
    commands.insert(4, desks::sending(1));
    commands.insert(5, delivered);
    assert!(is_due(&commands, 31 * DAY));
    commands.extend([resume(1), later]);
    assert!(!is_due(&commands, 31 * DAY) && is_due(&commands, 51 * DAY));
}

#[test]
fn a_missed_question_an_answer_on_its_way_and_a_message_that_waits_keep_a_session() {
    let missed = vec![start(1), introduce(1), ask(1, 1, one()), end(1, SessionEnd::AppQuit)];
    assert!(!is_due(&missed, 400 * DAY), "a missed question");
    let mut parked = missed.clone();
    parked.push(answer(1, vec![choose(0, &[0])]));
    assert!(!is_due(&parked, 400 * DAY), "an answer that waits for its agent");
    for mut given_up in [missed, parked] {
        given_up.push(dismiss(1));
        assert!(is_due(&given_up, 400 * DAY), "what was given up");
    }
    let queued = [start(1), introduce(1), queue(1, 1, "and then"), end(1, SessionEnd::Finished)];
    assert!(!is_due(&queued, 400 * DAY), "a message that waits");
}
