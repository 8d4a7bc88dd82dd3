//! Which turns count as finished.

use crate::support::desks::*;
use askdesk_domain::{Command, Effect, SessionCommand, SessionEnd};

fn finished() -> Command {
    SessionCommand::NoteFinished { session: session(1) }.into()
}

#[test]
fn the_finished_turn_of_an_idle_session_is_published_and_not_stored() {
    let mut desk = desk(&[start(1), working(1, true), working(1, false)]);
    let decision = take(&mut desk, &finished()).unwrap();
    assert_eq!(
        (decision.events.len(), decision.effects),
        (0, vec![Effect::PublishFinished { session: session(1) }])
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
