//! Questions that their asker doesn't wait for: what ends them, and how their answers travel.

use crate::support::desks::*;
use crate::support::questions::{choose, which};
use askdesk_domain::{Ask, Asker, Command, Delivery, Desk, Effect, Rejection, SessionEnd, WithdrawnWhy};
use rstest::rstest;

/// Session 1 at work, with question 1, for which its agent doesn't wait.
fn asked() -> Desk {
    desk(&[start(1), introduce(1), working(1, true), goes_on(1)])
}

fn goes_on(n: u128) -> Command {
    asks(Ask { asker: Asker::GoesOn, ..new_ask(1, n, which()) })
}

fn yes() -> Command {
    answer(1, vec![choose(0, &[0])])
}

fn stop() -> Command {
    end(1, SessionEnd::Stopped)
}

#[rstest]
#[case::the_end_of_the_turn(&[withdraw_all(1, WithdrawnWhy::TurnEnded), working(1, false)])]
#[case::an_interrupt(&[withdraw_all(1, WithdrawnWhy::Interrupted)])]
#[case::a_message(&[reply_in_chat(1, "Go on")])]
#[case::a_second_question(&[goes_on(2), ask(1, 3, which())])]
#[case::the_end_of_the_session(&[stop()])]
#[case::a_restart(&[close_earlier_run(400)])]
#[case::a_restart_and_a_resume(&[close_earlier_run(400), resume(1), introduce(1)])]
fn case_136_a_question_that_does_not_block_survives(#[case] what_happens: &[Command]) {
    let mut desk = asked();
    take_all(&mut desk, what_happens);
    assert_eq!(state_of(&desk, 1), "open");
}

#[rstest]
#[case::its_session_cannot_go_on(&[forget(1), stop()], "orphaned session_stopped")]
#[case::its_session_is_removed(&[stop(), close(1)], "orphaned session_stopped")]
#[case::the_user_skips_it(&[decline(1, None)], "declined")]
#[case::the_user_closes_it(&[cancel(1, None)], "withdrawn canceled")]
fn case_136_without_an_answer_it_ends_and_nothing_is_sent(
    #[case] what_happens: &[Command],
    #[case] state: &str,
) {
    let mut desk = asked();
    let mut effects = Vec::new();
    for command in what_happens {
        effects.extend(take(&mut desk, command).unwrap().effects);
    }
    assert_eq!(state_of(&desk, 1), state);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::SendParked { .. })), "{effects:?}");
}

#[rstest]
#[case::in_the_turn(&[])]
#[case::after_the_turn(&[withdraw_all(1, WithdrawnWhy::TurnEnded), working(1, false)])]
fn case_136_the_answer_is_sent_once_as_a_message(#[case] before: &[Command]) {
    let mut desk = asked();
    take_all(&mut desk, before);
    let send = [Effect::SendParked { session: session(1) }];
    assert_eq!(take(&mut desk, &yes()).unwrap().effects, send);
    let same = take(&mut desk, &yes()).unwrap();
    assert!(same.events.is_empty() && same.effects.is_empty(), "{same:?}");
    assert_eq!(names(&take(&mut desk, &send_parked(1)).unwrap().events), ["sending"]);
    assert_eq!(take(&mut desk, &send_parked(1)).unwrap().events, [], "it is on its way");
    take(&mut desk, &note(1, delivered_late())).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered late");
    let other = answer(1, vec![choose(0, &[1])]);
    assert!(matches!(take(&mut desk, &other), Err(Rejection::AlreadyEnded { .. })));
}

#[test]
fn case_136_an_answer_given_while_the_session_is_over_waits_for_it_to_go_on() {
    let mut desk = asked();
    take_all(&mut desk, &[stop(), yes()]);
    assert_eq!(state_of(&desk, 1), "answered, parked");
    assert!(take(&mut desk, &send_parked(1)).is_err());
    take_all(&mut desk, &[resume(1), introduce(1), send_parked(1), note(1, delivered_late())]);
    assert_eq!(state_of(&desk, 1), "answered, delivered late");
}

#[test]
fn case_136_a_refusal_in_words_is_sent_and_a_failed_one_can_be_sent_again() {
    let mut desk = asked();
    take_all(&mut desk, &[decline(1, Some("Neither")), send_parked(1), stop()]);
    assert!(matches!(
        desk.request(request(1)).unwrap().ended().unwrap().delivery,
        Some(Delivery::Failed { .. })
    ));
    take_all(&mut desk, &[resume(1), introduce(1), retry(1), send_parked(1), note(1, delivered_late())]);
    assert_eq!(state_of(&desk, 1), "declined, delivered late");
}

#[test]
fn two_equal_questions_are_two_requests_because_each_reply_names_its_question() {
    let mut desk = asked();
    let again =
        Ask { id: request(2), native_ref: native("call-2"), asker: Asker::GoesOn, ..new_ask(1, 1, which()) };
    take(&mut desk, &asks(again)).unwrap();
    assert_eq!(desk.open_requests(session(1)).count(), 2);
}
