//! How sessions get their name and place, leave the sidebar, and are taken up again.

use crate::support::desks::*;
use crate::support::questions::{asked, choose, single};
use askdesk_domain::session::SESSION_NAME_CHARS;
use askdesk_domain::{
    AnswerInput, Command, Decision, Delivery, Desk, Effect, Event, Question, Rejection, SessionCommand,
    SessionEnd, SessionEvent, SessionState, ValidationError, WithdrawnWhy, decide,
};
use rstest::rstest;

fn rename(of: u128, name: &str) -> Command {
    Command::Session(SessionCommand::Rename { session: session(of), name: name.to_owned() })
}

fn move_before(of: u128, before: Option<u128>) -> Command {
    Command::Session(SessionCommand::Move { session: session(of), before: before.map(session) })
}

fn spoke(of: u128) -> Command {
    Command::Session(SessionCommand::NoteSpoke { session: session(of) })
}

fn forget(of: u128) -> Command {
    Command::Session(SessionCommand::NoteForgotten { session: session(of) })
}

fn stop(of: u128) -> Command {
    end(of, SessionEnd::Stopped)
}

fn one() -> Vec<Question> {
    asked(&[single("Which?", &["A", "B"])])
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

#[rstest]
#[case::empty("")]
#[case::blank(" \n\t")]
fn a_name_that_says_nothing_is_refused(#[case] name: &str) {
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
fn what_is_unknown_is_neither_renamed_moved_closed_nor_resumed() {
    let desk = desk(&[start(1)]);
    let unknown = Err(Rejection::NotFound { what: "session" });
    for command in [rename(2, "b"), move_before(2, None), move_before(1, Some(2)), close(2), resume(2)] {
        assert_eq!(decide(&desk, &command), unknown, "{command:?}");
    }
}

#[test]
fn only_an_ended_session_is_closed_and_it_comes_back_when_it_is_resumed() {
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
fn a_session_whose_agent_never_said_its_own_id_cannot_be_taken_up_again() {
    let mut desk = Desk::default();
    for command in [start(1), spoke(1), stop(1)] {
        take(&mut desk, &command).unwrap();
    }
    assert!(!resumable(&desk));
    assert_eq!(take(&mut desk, &resume(1)), Err(Rejection::SessionGone));
    desk.fold(&Event::Session(SessionEvent::NativeSessionKnown {
        session: session(1),
        native_session: native_session(session(1)),
    }));
    assert!(resumable(&desk));
}

#[rstest]
#[case::running(vec![spoke(1)], false)]
#[case::ended_before_it_spoke(vec![stop(1)], false)]
#[case::ended_after_it_spoke(vec![spoke(1), stop(1)], true)]
#[case::ended_after_it_asked(vec![ask(1, 1, one()), stop(1)], true)]
#[case::ended_after_it_asked_for_permission(vec![ask_approval(1, 1), stop(1)], true)]
#[case::left_by_the_app(vec![spoke(1), Command::Session(SessionCommand::CloseEarlierRun { at: at(9) })], true)]
#[case::taken_up_again(vec![spoke(1), stop(1), resume(1)], false)]
#[case::ended_twice(vec![spoke(1), stop(1), resume(1), stop(1)], true)]
#[case::closed(vec![spoke(1), stop(1), close(1)], true)]
#[case::no_longer_known(vec![spoke(1), stop(1), forget(1)], false)]
#[case::found_gone_while_it_started(vec![spoke(1), stop(1), resume(1), forget(1), stop(1)], false)]
fn a_session_can_be_taken_up_again_once_its_agent_has_something_to_know_it_by(
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
fn case_27_an_answer_that_can_never_arrive_is_refused_and_stays_with_the_person() {
    let answered = answer(1, vec![choose(0, &[0])]);
    let mut desk = desk(&[start(1), ask(1, 1, one()), stop(1), forget(1)]);
    let before = desk.clone();
    assert_eq!(take(&mut desk, &answered), Err(Rejection::SessionGone));
    assert_eq!(take(&mut desk, &decline(1, None)), Err(Rejection::SessionGone));
    assert_eq!(desk, before);
    take(&mut desk, &dismiss(1)).unwrap();
}

#[test]
fn a_secret_is_not_taken_late_because_it_would_have_to_be_kept() {
    let secret = askdesk_domain::RawQuestion {
        text: "Which key?".to_owned(),
        header: None,
        kind: askdesk_domain::QuestionKind::Secret,
        options: Vec::new(),
        required: false,
        placeholder: None,
    };
    let questions =
        askdesk_domain::question_input::accept(&[secret], askdesk_domain::QuestionLimits::FOREIGN).unwrap();
    let given = AnswerInput { other: Some("hunter2".to_owned()), ..choose(0, &[]) };
    let mut desk = desk(&[start(1), ask(1, 1, questions), stop(1)]);
    assert!(matches!(take(&mut desk, &answer(1, vec![given])), Err(Rejection::Invalid { .. })));
    assert!(take(&mut desk, &decline(1, Some("not now"))).is_ok());
}

#[test]
fn case_47_what_waits_is_marked_as_sent_before_it_is_and_is_marked_once() {
    let answered = answer(1, vec![choose(0, &[0])]);
    let mut desk = desk(&[start(1), ask(1, 1, one()), stop(1), answered, resume(1)]);
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
fn case_29_an_answer_that_crossed_with_the_agent_taking_its_question_back_is_told_when_it_runs_again() {
    let answered = answer(1, vec![choose(0, &[0])]);
    let commands = [start(1), ask(1, 1, one()), answered, withdraw(1, 1, WithdrawnWhy::ByAgent)];
    let mut desk = desk(&commands);
    // While the agent runs, it has moved past the question and is not disturbed.
    assert_eq!(desk.parked(session(1)).count(), 0);
    for command in [stop(1), resume(1), introduce(1)] {
        take(&mut desk, &command).unwrap();
    }
    assert_eq!(desk.parked(session(1)).count(), 1);
}

#[test]
fn a_late_answer_to_a_running_session_is_sent_at_once() {
    let mut desk = desk(&[start(1), ask(1, 1, one()), stop(1), resume(1), introduce(1)]);
    let decision = take(&mut desk, &answer(1, vec![choose(0, &[0])])).unwrap();
    assert_eq!(decision.effects, [Effect::SendParked { session: session(1) }]);
    let ended = desk.request(request(1)).unwrap().ended().unwrap();
    assert_eq!(ended.delivery, Some(Delivery::Parked));
}

#[test]
fn case_35_the_queue_is_not_touched_by_taking_a_session_up_again() {
    let queued = [start(1), introduce(1), ask(1, 1, one()), queue(1, 1, "then this"), stop(1)];
    let mut desk = desk(&queued);
    for command in [resume(1), introduce(1)] {
        let decision = take(&mut desk, &command).unwrap();
        assert!(decision.effects.is_empty(), "{decision:?}");
        assert_eq!(desk.session(session(1)).unwrap().queue.len(), 1);
    }
}
