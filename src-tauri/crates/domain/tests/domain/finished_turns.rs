//! When it is told that a session has finished its turn, and when that is taken back.

use crate::support::desks::*;
use askdesk_domain::{Command, Effect, SessionCommand, SessionEnd};

fn working(working: bool) -> Command {
    Command::Session(SessionCommand::SetWorking { session: session(1), working })
}

fn finished() -> Command {
    Command::Session(SessionCommand::NotifyFinished { session: session(1) })
}

#[test]
fn a_session_that_rests_is_told_to_have_finished_and_nothing_is_written_down_of_that() {
    let mut desk = desk(&[start(1), working(true), working(false)]);
    let told = take(&mut desk, &finished()).unwrap();
    assert_eq!((told.events.len(), told.effects), (0, vec![Effect::NotifyFinished { session: session(1) }]));
}

#[test]
fn one_that_goes_on_by_itself_has_not_finished() {
    let mut at_work = desk(&[start(1), working(true)]);
    assert_eq!(take(&mut at_work, &finished()).unwrap().effects, []);
    let mut queued = desk(&[start(1), working(true), queue(1, 1, "next"), working(false)]);
    assert_eq!(take(&mut queued, &finished()).unwrap().effects, []);
    let mut ended = desk(&[start(1), end(1, SessionEnd::Finished)]);
    assert!(take(&mut ended, &finished()).is_err());
}

#[test]
fn it_is_taken_back_when_the_session_works_again_or_is_closed() {
    let taken_back = [Effect::WithdrawFinished { session: session(1) }];
    let mut desk = desk(&[start(1), working(true), working(false), finished()]);
    assert_eq!(take(&mut desk, &working(true)).unwrap().effects, taken_back);
    assert_eq!(take(&mut desk, &working(true)).unwrap().effects, [], "it works already");
    take(&mut desk, &end(1, SessionEnd::Finished)).unwrap();
    let close = Command::Session(SessionCommand::Close { session: session(1), at: at(9) });
    assert_eq!(take(&mut desk, &close).unwrap().effects, taken_back);
}
