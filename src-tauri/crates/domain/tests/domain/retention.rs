//! Which past sessions are due for deletion.

use crate::support::desks::*;
use crate::support::questions::{choose, which};
use askdesk_domain::{Command, RetentionDays, SessionCommand, SessionEnd, Timestamp, retention};
use rstest::rstest;

const DAY: i64 = 86_400_000;
const ENDED: i64 = 300;

fn keep(days: u16) -> RetentionDays {
    RetentionDays::try_from(days).unwrap()
}

/// Returns whether session 1 is due this long after its end, if sessions are kept for 30 days.
fn is_due(commands: &[Command], after: i64) -> bool {
    retention::due(keep(30), &desk(commands), Timestamp::from_millis(ENDED + after)) == [session(1)]
}

#[rstest]
#[case(0, false)]
#[case(30 * DAY, false)]
#[case(30 * DAY + 1, true)]
#[case(4_000 * DAY, true)]
#[case(-DAY, false)]
fn a_session_is_due_after_its_retention_period(#[case] after: i64, #[case] due: bool) {
    assert_eq!(is_due(&[start(1), end(1, SessionEnd::Finished)], after), due);
}

#[test]
fn only_the_listed_periods_are_valid_and_by_default_everything_is_kept() {
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
fn a_running_session_is_never_due_and_a_resumed_one_counts_from_its_last_end() {
    assert!(!is_due(&[start(1)], 400 * DAY));
    let later =
        SessionCommand::End { session: session(1), end: SessionEnd::Finished, at: at(ENDED + 20 * DAY) };
    let mut commands = vec![
        start(1),
        introduce(1),
        ask(1, 1, which()),
        answer(1, vec![choose(0, &[0])]),
        sending(1),
        note(1, delivered()),
        end(1, SessionEnd::Finished),
    ];
    assert!(is_due(&commands, 31 * DAY));
    commands.extend([resume(1), later.into()]);
    assert!(!is_due(&commands, 31 * DAY) && is_due(&commands, 51 * DAY));
}

#[test]
fn a_missed_question_a_parked_answer_or_a_queued_message_keeps_a_session() {
    let missed = vec![start(1), introduce(1), ask(1, 1, which()), end(1, SessionEnd::AppQuit)];
    assert!(!is_due(&missed, 400 * DAY), "a missed question");
    let mut parked = missed.clone();
    parked.push(answer(1, vec![choose(0, &[0])]));
    assert!(!is_due(&parked, 400 * DAY), "a parked answer");
    for mut given_up in [missed, parked] {
        given_up.push(dismiss(1));
        assert!(is_due(&given_up, 400 * DAY), "what was discarded");
    }
    let queued = [start(1), introduce(1), queue(1, 1, "and then"), end(1, SessionEnd::Finished)];
    assert!(!is_due(&queued, 400 * DAY), "a queued message");
}
