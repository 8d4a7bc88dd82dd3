//! When a finished turn causes a notification, and when that notification is withdrawn.

use crate::support::desks::*;
use askdesk_domain::{Command, Effect, SessionCommand, SessionEnd};

fn finished() -> Command {
    SessionCommand::NotifyFinished { session: session(1) }.into()
}

#[test]
fn the_finished_turn_of_an_idle_session_causes_a_notification_without_an_event() {
    let mut desk = desk(&[start(1), working(1, true), working(1, false)]);
    let decision = take(&mut desk, &finished()).unwrap();
    assert_eq!(
        (decision.events.len(), decision.effects),
        (0, vec![Effect::NotifyFinished { session: session(1) }])
    );
}

#[test]
fn a_session_that_continues_has_not_finished() {
    let mut at_work = desk(&[start(1), working(1, true)]);
    assert_eq!(take(&mut at_work, &finished()).unwrap().effects, []);
    let mut queued = desk(&[start(1), working(1, true), queue(1, 1, "next"), working(1, false)]);
    assert_eq!(take(&mut queued, &finished()).unwrap().effects, []);
    let mut ended = desk(&[start(1), end(1, SessionEnd::Finished)]);
    assert!(take(&mut ended, &finished()).is_err());
}

#[test]
fn the_notification_is_withdrawn_when_the_session_works_again_or_is_closed() {
    let withdrawn = [Effect::WithdrawFinished { session: session(1) }];
    let mut desk = desk(&[start(1), working(1, true), working(1, false), finished()]);
    assert_eq!(take(&mut desk, &working(1, true)).unwrap().effects, withdrawn);
    assert_eq!(take(&mut desk, &working(1, true)).unwrap().effects, [], "it works already");
    take(&mut desk, &end(1, SessionEnd::Finished)).unwrap();
    assert_eq!(take(&mut desk, &close(1)).unwrap().effects, withdrawn);
}
