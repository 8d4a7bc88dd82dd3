//! How sessions get their name and position, leave the sidebar, and resume.

use crate::support::desks::*;
use crate::support::questions::{choose, secret, which};
use askdesk_domain::session_name::SESSION_NAME_CHARS;
use askdesk_domain::{
    AnswerInput, Command, Decision, Delivery, Desk, Effect, NamedBy, Rejection, SessionCommand, SessionEnd,
    SessionEvent, SessionState, ValidationError, WithdrawnWhy, decide,
};
use rstest::rstest;

fn stop(of: u128) -> Command {
    end(of, SessionEnd::Stopped)
}

fn order(desk: &Desk) -> Vec<u128> {
    desk.order().into_iter().map(|id| id.uuid().as_u128()).collect()
}

fn resumable(desk: &Desk) -> bool {
    desk.session(session(1)).unwrap().resumable
}

#[rstest]
#[case::trimmed("  api ", "api")]
#[case::in_one_line("api\nof\tAnna", "api of Anna")]
#[case::bounded(&"ä".repeat(SESSION_NAME_CHARS + 5), &"ä".repeat(SESSION_NAME_CHARS))]
fn a_session_is_renamed_whether_it_runs_or_has_ended(#[case] name: &str, #[case] expected: &str) {
    for commands in [vec![start(1)], vec![start(1), stop(1)]] {
        let mut desk = desk(&commands);
        take(&mut desk, &rename(1, name)).unwrap();
        assert_eq!(desk.session(session(1)).unwrap().name, expected);
        assert_eq!(take(&mut desk, &rename(1, expected)), Ok(Decision::default()));
    }
}

#[test]
fn the_folder_of_an_ended_session_is_changed_and_that_of_a_running_one_is_not() {
    let mut desk = desk(&[start(1)]);
    let running = Err(Rejection::invalid("session", ValidationError::StillRunning));
    assert_eq!(decide(&desk, &change_folder(1, "/work")), running);
    take_all(&mut desk, &[stop(1), change_folder(1, "/work")]);
    assert_eq!(desk.session(session(1)).unwrap().folder, "/work");
    assert_eq!(take(&mut desk, &change_folder(1, "/work")), Ok(Decision::default()));
}

#[rstest]
#[case::empty("")]
#[case::blank(" \n\t")]
fn a_blank_name_is_refused(#[case] name: &str) {
    let desk = desk(&[start(1)]);
    assert_eq!(decide(&desk, &rename(1, name)), Err(Rejection::invalid("name", ValidationError::Empty)));
}

#[rstest]
#[case::to_the_front(3, Some(1), &[3, 1, 2])]
#[case::to_the_end(1, None, &[2, 3, 1])]
#[case::between(1, Some(3), &[2, 1, 3])]
#[case::where_it_is(1, Some(2), &[1, 2, 3])]
#[case::before_itself(2, Some(2), &[1, 2, 3])]
#[case::last_to_the_end(3, None, &[1, 2, 3])]
fn a_session_is_moved_and_a_new_one_comes_last(
    #[case] moved: u128,
    #[case] before: Option<u128>,
    #[case] expected: &[u128],
) {
    let mut desk = desk(&[start(1), start(2), start(3)]);
    take(&mut desk, &move_before(moved, before)).unwrap();
    assert_eq!(order(&desk), expected);
    assert_eq!(take(&mut desk, &move_before(moved, before)), Ok(Decision::default()));
    take(&mut desk, &start(4)).unwrap();
    assert_eq!(order(&desk), [expected, &[4]].concat());
}

#[test]
fn an_unknown_session_is_not_renamed_moved_closed_or_resumed() {
    let desk = desk(&[start(1)]);
    let unknown = Err(Rejection::NotFound { what: "session" });
    for command in [rename(2, "b"), move_before(2, None), move_before(1, Some(2)), close(2), resume(2)] {
        assert_eq!(decide(&desk, &command), unknown, "{command:?}");
    }
}

#[test]
fn only_an_ended_session_can_be_closed_and_resuming_reopens_it() {
    let mut desk = desk(&[start(1), spoke(1)]);
    assert!(matches!(decide(&desk, &close(1)), Err(Rejection::Invalid { .. })));
    take(&mut desk, &stop(1)).unwrap();
    assert_eq!(names(&take(&mut desk, &close(1)).unwrap().events), ["session_closed"]);
    assert!(desk.is_closed(session(1)));
    assert_eq!(take(&mut desk, &close(1)), Ok(Decision::default()));
    take(&mut desk, &resume(1)).unwrap();
    assert!(!desk.is_closed(session(1)));
    assert_eq!(desk.session(session(1)).unwrap().state, SessionState::Starting);
}

#[test]
fn a_session_without_a_native_id_cannot_be_resumed() {
    let mut desk = Desk::default();
    take_all(&mut desk, &[start(1), spoke(1), stop(1)]);
    assert!(!resumable(&desk));
    assert_eq!(take(&mut desk, &resume(1)), Err(Rejection::SessionGone));
    let native_session = native_session(session(1));
    desk.fold(&SessionEvent::NativeSessionKnown { session: session(1), native_session }.into());
    assert!(resumable(&desk));
}

#[rstest]
#[case::running(vec![spoke(1)], false)]
#[case::ended_before_it_spoke(vec![stop(1)], false)]
#[case::ended_after_it_spoke(vec![spoke(1), stop(1)], true)]
#[case::ended_after_it_asked(vec![ask(1, 1, which()), stop(1)], true)]
#[case::ended_after_it_asked_for_permission(vec![ask_approval(1, 1), stop(1)], true)]
#[case::left_by_the_app(vec![spoke(1), close_earlier_run(9)], true)]
#[case::resumed(vec![spoke(1), stop(1), resume(1)], false)]
#[case::ended_twice(vec![spoke(1), stop(1), resume(1), stop(1)], true)]
#[case::closed(vec![spoke(1), stop(1), close(1)], true)]
#[case::no_longer_known(vec![spoke(1), stop(1), forget(1)], false)]
#[case::found_gone_while_it_started(vec![spoke(1), stop(1), resume(1), forget(1), stop(1)], false)]
fn an_ended_session_can_be_resumed_once_its_agent_has_produced_output(
    #[case] commands: Vec<Command>,
    #[case] expected: bool,
) {
    let mut desk = desk(&[vec![start(1)], commands].concat());
    assert_eq!(resumable(&desk), expected);
    let running = desk.session(session(1)).unwrap().is_running();
    match take(&mut desk, &resume(1)) {
        Ok(decision) if running => assert_eq!(decision, Decision::default()),
        Ok(decision) => {
            assert!(expected);
            assert_eq!(names(&decision.events), ["session_resumed"]);
        }
        Err(reject) => {
            assert!(!expected);
            assert_eq!(reject, Rejection::SessionGone);
        }
    }
}

#[test]
fn case_27_an_answer_that_can_never_arrive_is_refused() {
    let answered = answer(1, vec![choose(0, &[0])]);
    let mut desk = desk(&[start(1), ask(1, 1, which()), stop(1), forget(1)]);
    let before = desk.clone();
    assert_eq!(take(&mut desk, &answered), Err(Rejection::SessionGone));
    assert_eq!(take(&mut desk, &decline(1, None)), Err(Rejection::SessionGone));
    assert_eq!(desk, before);
    take(&mut desk, &dismiss(1)).unwrap();
}

#[test]
fn a_late_secret_is_refused_because_it_would_have_to_be_stored() {
    let given = AnswerInput { other: Some("hunter2".to_owned()), ..choose(0, &[]) };
    let mut desk = desk(&[start(1), ask(1, 1, secret()), stop(1)]);
    assert!(matches!(take(&mut desk, &answer(1, vec![given])), Err(Rejection::Invalid { .. })));
    assert!(take(&mut desk, &decline(1, Some("not now"))).is_ok());
}

#[test]
fn case_47_a_parked_answer_is_marked_as_sent_once_and_before_it_is_sent() {
    let answered = answer(1, vec![choose(0, &[0])]);
    let mut desk = desk(&[start(1), ask(1, 1, which()), stop(1), answered, resume(1)]);
    assert_eq!(desk.parked(session(1)).count(), 1);
    take(&mut desk, &introduce(1)).unwrap();
    let sent = take(&mut desk, &send_parked(1)).unwrap();
    assert_eq!(names(&sent.events), ["sending"]);
    assert_eq!(take(&mut desk, &send_parked(1)).unwrap().events, []);
    assert!(desk.is_sending(request(1)));
    take(&mut desk, &note(1, delivered_late())).unwrap();
    let ended = desk.request(request(1)).unwrap().ended().unwrap().clone();
    assert_eq!(ended.delivery, Some(delivered_late()));
}

#[test]
fn case_29_an_answer_that_crossed_a_withdrawal_is_sent_when_the_agent_runs_again() {
    let answered = answer(1, vec![choose(0, &[0])]);
    let commands = [start(1), ask(1, 1, which()), answered, withdraw(1, 1, WithdrawnWhy::ByAgent)];
    let mut desk = desk(&commands);
    // A running agent has moved past the question and gets nothing.
    assert_eq!(desk.parked(session(1)).count(), 0);
    take_all(&mut desk, &[stop(1), resume(1), introduce(1)]);
    assert_eq!(desk.parked(session(1)).count(), 1);
}

#[test]
fn a_late_answer_to_a_running_session_is_sent_at_once() {
    let mut desk = desk(&[start(1), ask(1, 1, which()), stop(1), resume(1), introduce(1)]);
    let decision = take(&mut desk, &answer(1, vec![choose(0, &[0])])).unwrap();
    assert_eq!(decision.effects, [Effect::SendParked { session: session(1) }]);
    let ended = desk.request(request(1)).unwrap().ended().unwrap();
    assert_eq!(ended.delivery, Some(Delivery::Parked));
}

#[test]
fn case_35_resuming_a_session_leaves_its_queue_alone() {
    let queued = [start(1), introduce(1), ask(1, 1, which()), queue(1, 1, "then this"), stop(1)];
    let mut desk = desk(&queued);
    for command in [resume(1), introduce(1)] {
        let decision = take(&mut desk, &command).unwrap();
        assert!(decision.effects.is_empty(), "{decision:?}");
        assert_eq!(desk.session(session(1)).unwrap().queue.len(), 1);
    }
}

#[test]
fn a_session_is_named_by_what_knows_it_best_and_the_name_that_the_user_chose_stays() {
    let suggest = |name: &str, by: NamedBy| -> Command {
        SessionCommand::SuggestName { session: session(1), name: name.to_owned(), by }.into()
    };
    let mut begun = start(1);
    if let Command::Session(SessionCommand::Start { name, named_by, .. }) = &mut begun {
        (*name, *named_by) = ("api".to_owned(), NamedBy::Folder);
    }
    let mut desk = desk(&[begun]);
    let mut named = |command: Command, expected: &str| {
        take(&mut desk, &command).unwrap();
        assert_eq!(desk.session(session(1)).unwrap().name, expected, "{command:?}");
    };
    named(suggest(" \n ", NamedBy::Message), "api");
    named(suggest("Fix the\nlogin", NamedBy::Message), "Fix the login");
    named(suggest("Then look at the tests", NamedBy::Message), "Fix the login");
    named(suggest("Login repaired", NamedBy::Agent), "Login repaired");
    named(suggest("Fix the login", NamedBy::Message), "Login repaired");
    named(suggest("Login and tests", NamedBy::Agent), "Login and tests");
    // Whoever confirms a name has chosen it.
    named(rename(1, "Login and tests"), "Login and tests");
    named(suggest("Something else", NamedBy::Agent), "Login and tests");
}
