//! Helpers of a session: what begins, stops and ends them.

use crate::support::desks::*;
use askdesk_domain::helper::{HELPER_TITLE_CHARS, HELPERS};
use askdesk_domain::{Desk, Helper, HelperCommand, HelperId, HelperKind, HelperState, Rejection, SessionEnd};

fn helpers(desk: &Desk) -> &[Helper] {
    &desk.session(session(1)).unwrap().helpers
}

#[test]
fn case_107_a_helper_outlives_the_turn_that_began_it_and_ends_when_the_agent_says_so() {
    let mut desk = desk(&[start(1)]);
    take_all(
        &mut desk,
        &[
            working(1, true),
            begin_helper(1, "a"),
            begin_helper(1, "b"),
            working(1, false),
            working(1, true),
            working(1, false),
        ],
    );
    assert_eq!(helpers(&desk).len(), 2);
    let events = take(&mut desk, &begin_helper(1, "a")).unwrap().events;
    assert_eq!(events, [], "it is known");
    take(&mut desk, &set_helper(1, "a", HelperState::Stopping)).unwrap();
    assert_eq!(helpers(&desk)[0].state, HelperState::Stopping);
    take(&mut desk, &end_helper(1, "a")).unwrap();
    let [left] = helpers(&desk) else { panic!() };
    assert_eq!((left.id.as_str(), left.kind, left.state), ("b", HelperKind::Shell, HelperState::Working));
    let gone = Err(Rejection::NotFound { what: "helper" });
    assert_eq!(take(&mut desk, &end_helper(1, "a")).map(drop), gone);
    assert_eq!(take(&mut desk, &set_helper(1, "a", HelperState::Stopping)).map(drop), gone);
}

#[test]
fn helpers_end_with_the_agents_process_and_do_not_come_back_with_the_session() {
    let mut desk = desk(&[start(1)]);
    take_all(&mut desk, &[introduce(1), spoke(1), begin_helper(1, "a"), end(1, SessionEnd::Stopped)]);
    assert_eq!(helpers(&desk), []);
    assert!(take(&mut desk, &begin_helper(1, "b")).is_err());
    take(&mut desk, &resume(1)).unwrap();
    assert_eq!(helpers(&desk), []);
}

#[test]
fn the_number_of_helpers_and_their_titles_are_bounded() {
    let mut desk = desk(&[start(1)]);
    for n in 0..=HELPERS {
        let begin = HelperCommand::Begin {
            session: session(1),
            id: HelperId::new(n.to_string()).unwrap(),
            kind: HelperKind::Subagent,
            title: "é".repeat(HELPER_TITLE_CHARS + 1),
            at: at(3),
        };
        take(&mut desk, &begin.into()).unwrap();
    }
    assert_eq!(helpers(&desk).len(), HELPERS);
    assert!(helpers(&desk).iter().all(|helper| helper.title.chars().count() == HELPER_TITLE_CHARS));
}
