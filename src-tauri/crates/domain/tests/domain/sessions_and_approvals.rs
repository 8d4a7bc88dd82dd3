//! Sessions from start to end, and the permissions their agents ask for.

use crate::support::desks::*;
use crate::support::questions::{choose, which};
use askdesk_domain::session_name::SESSION_NAME_CHARS;
use askdesk_domain::{
    AgentId, ApprovalCommand, ApprovalDecision, ApprovalEvent, ApprovalState, AskApproval, Command, Decision,
    Desk, Effect, EndedBy, NativeSession, Origin, PendingItem, Rejection, RequestEvent, SessionCommand,
    SessionEnd, SessionEvent, SessionState, ToolDetail, ValidationError, decide, pending,
};
use rstest::rstest;

fn introduces(version: Option<&str>, model: Option<&str>, native_session: Option<&NativeSession>) -> Command {
    let (version, model) = (version.map(str::to_owned), model.map(str::to_owned));
    let native_session = native_session.cloned();
    SessionCommand::Introduce { session: session(1), version, model, native_session }.into()
}

fn deny(message: Option<&str>) -> ApprovalDecision {
    ApprovalDecision { message: message.map(str::to_owned), ..decides(&["deny"]) }
}

#[test]
fn case_124_a_session_begun_elsewhere_can_be_resumed_from_its_start_and_is_there_once() {
    let native_session = NativeSession::literal("n1");
    let continuing = |n: u128, agent: AgentId| {
        let mut start = start(n);
        if let Command::Session(SessionCommand::Start { origin, continues, .. }) = &mut start {
            *origin = Origin::started(agent);
            *continues = Some(native_session.clone());
        }
        start
    };
    let (one, other) = (AgentId::literal("demo"), AgentId::literal("other"));
    let mut desk = Desk::default();
    take_all(&mut desk, &[continuing(1, one.clone()), end(1, SessionEnd::Finished)]);
    let ended = desk.session(session(1)).unwrap();
    assert_eq!((ended.native_session.as_ref(), ended.resumable), (Some(&native_session), true));
    let again = decide(&desk, &continuing(2, one));
    assert_eq!(again, Err(Rejection::invalid("continues", "this session is already in Askdesk")));
    assert!(decide(&desk, &continuing(2, other)).is_ok(), "another agent's ids are its own");
}

#[test]
fn a_session_starts_once_and_its_name_is_bounded() {
    let bounded = "n".repeat(SESSION_NAME_CHARS);
    let mut long = start(1);
    if let Command::Session(SessionCommand::Start { name, .. }) = &mut long {
        *name = format!("  {bounded}n");
    }
    let desk = desk(&[long]);
    let started = desk.session(session(1)).unwrap();
    assert_eq!((&started.name, &started.state), (&bounded, &SessionState::Starting));
    assert_eq!(started.origin, Origin::started(AgentId::literal("demo")));
    let again = decide(&desk, &start(1));
    assert_eq!(again, Err(Rejection::invalid("id", "a session with this ID already exists")));
}

#[test]
fn only_an_ended_session_can_be_deleted_and_nothing_of_it_remains() {
    let delete = delete(1);
    let mut desk = desk(&[start(1), start(2), ask_approval(1, 0), ask_approval(2, 1)]);
    let running = Rejection::invalid("session", ValidationError::StillRunning);
    assert_eq!(take(&mut desk, &delete), Err(running));
    take(&mut desk, &end(1, SessionEnd::Stopped)).unwrap();
    assert_eq!(names(&take(&mut desk, &delete).unwrap().events), ["session_deleted"]);
    assert_eq!(take(&mut desk, &delete), Err(Rejection::NotFound { what: "session" }));
    assert_eq!(desk.sessions().map(|session| session.id).collect::<Vec<_>>(), [session(2)]);
    assert_eq!(desk.approvals().map(|approval| approval.session).collect::<Vec<_>>(), [session(2)]);
}

#[test]
fn a_session_is_working_while_a_turn_runs() {
    let mut desk = desk(&[start(1)]);
    for (command, events, state) in [
        (introduces(Some("2"), None, None), vec!["agent_introduced"], SessionState::Idle),
        (introduces(Some("2"), None, None), vec![], SessionState::Idle),
        (working(1, true), vec!["turn_began"], SessionState::Working),
        (working(1, true), vec![], SessionState::Working),
        (working(1, false), vec!["turn_finished"], SessionState::Idle),
        (working(1, false), vec![], SessionState::Idle),
    ] {
        assert_eq!(names(&take(&mut desk, &command).unwrap().events), events, "{command:?}");
        assert_eq!(desk.session(session(1)).unwrap().state, state, "{command:?}");
    }
}

#[test]
fn later_information_of_an_agent_about_itself_adds_to_what_is_known() {
    let mut desk = desk(&[start(1), introduces(Some("2.1"), None, None)]);
    let native_session = NativeSession::literal("thread-7");
    take(&mut desk, &introduces(None, Some("opus"), None)).unwrap();
    let known = desk.session(session(1)).unwrap();
    assert_eq!((known.version.as_deref(), known.model.as_deref()), (Some("2.1"), Some("opus")));
    let all = introduces(Some("2.1"), Some("opus"), Some(&native_session));
    assert_eq!(names(&take(&mut desk, &all).unwrap().events), ["native_session_known"]);
    for known in [all, introduces(Some("2.1"), Some("opus"), None)] {
        assert_eq!(take(&mut desk, &known).unwrap().events, []);
    }
    assert_eq!(desk.session(session(1)).unwrap().native_session, Some(native_session));
}

#[test]
fn unusable_lines_are_added_up() {
    let count = |lines| SessionCommand::CountUnusable { session: session(1), lines }.into();
    let desk = desk(&[start(1), count(2), count(40)]);
    assert_eq!(desk.session(session(1)).unwrap().unusable_lines, 42);
}

#[test]
fn an_ended_session_stays_ended() {
    let mut desk = desk(&[start(1), end(1, SessionEnd::Stopped)]);
    let before = desk.clone();
    assert_eq!(take(&mut desk, &end(1, SessionEnd::Finished)), Ok(Decision::default()));
    for command in
        [working(1, true), introduces(Some("3"), None, None), ask_approval(1, 1), reply_in_chat(1, "hello?")]
    {
        assert_eq!(take(&mut desk, &command), Err(Rejection::SessionGone), "{command:?}");
    }
    assert_eq!(desk, before);
}

#[test]
fn the_next_run_ends_every_session_of_the_one_before() {
    let mut desk = desk(&[start(1), start(2), end(1, SessionEnd::Finished), ask_approval(2, 1)]);
    let close = close_earlier_run(500);
    let decision = take(&mut desk, &close).unwrap();
    assert_eq!(names(&decision.events), ["approval_withdrawn", "session_ended"]);
    let ended = SessionState::Ended { end: SessionEnd::AppQuit, at: at(500) };
    assert_eq!(desk.session(session(2)).unwrap().state, ended);
    assert_eq!(take(&mut desk, &close), Ok(Decision::default()));
}

#[rstest]
#[case::allow(decides(&["allow"]))]
#[case::deny(deny(None))]
#[case::deny_with_a_message(deny(Some("not here")))]
fn an_approval_is_decided_once(#[case] wanted: ApprovalDecision) {
    let mut desk = desk(&[start(1), ask_approval(1, 1)]);
    let command = decide_approval(1, wanted.clone());
    let decided = take(&mut desk, &command).unwrap();
    let resolve = Effect::ResolveApproval { approval: approval(1), decision: wanted };
    assert_eq!(
        (names(&decided.events), decided.effects),
        (vec!["approval_decided".to_owned()], vec![resolve])
    );
    assert_eq!(take(&mut desk, &command), Ok(Decision::default()));
    let other = decide_approval(1, deny(Some("something else")));
    let ended = Err(Rejection::AlreadyEnded { by: EndedBy::User, at: at(100) });
    assert_eq!(take(&mut desk, &other), ended);
}

#[test]
fn an_approval_asked_again_is_the_same_one() {
    let desk = desk(&[start(1), ask_approval(1, 1)]);
    let again = ApprovalCommand::Ask(Box::new(AskApproval { id: approval(2), ..new_ask_approval(1, 1) }));
    assert_eq!(decide(&desk, &again.into()), Ok(Decision::default()));
}

#[test]
fn a_withdrawn_approval_cannot_be_decided() {
    let desk = desk(&[start(1), ask_approval(1, 1), withdraw_approval(1)]);
    let ended = Err(Rejection::AlreadyEnded { by: EndedBy::Agent, at: at(50) });
    assert_eq!(decide(&desk, &decide_approval(1, decides(&["allow"]))), ended);
}

#[test]
fn an_undelivered_decision_is_noted_on_its_approval() {
    let mut desk = desk(&[start(1), ask_approval(1, 1), decide_approval(1, decides(&["allow"]))]);
    take(&mut desk, &decision_failed(1)).unwrap();
    let state = &desk.approval(approval(1)).unwrap().state;
    assert!(
        matches!(state, ApprovalState::Decided { error: Some(error), .. } if error.to_string() == "gone")
    );
    assert_eq!(take(&mut desk, &decision_failed(2)), Err(Rejection::NotFound { what: "approval" }));
}

#[test]
fn a_message_of_a_denial_over_the_bound_is_refused() {
    let desk = desk(&[start(1), ask_approval(1, 1)]);
    let long = decide_approval(1, deny(Some(&"w".repeat(32 * 1024 + 1))));
    let refused =
        Err(Rejection::invalid("decision.message", ValidationError::TooLong { most: 32768, bytes: 32769 }));
    assert_eq!(decide(&desk, &long), refused);
}

#[test]
fn events_about_unknown_items_change_nothing() {
    let mut known = desk(&[start(1)]);
    let before = known.clone();
    for event in [
        SessionEvent::TurnBegan { session: session(2) }.into(),
        SessionEvent::Ended { session: session(2), end: SessionEnd::Finished, at: at(1) }.into(),
        RequestEvent::DeliveryChanged { request: request(1), delivery: delivered(), call: None }.into(),
        ApprovalEvent::Withdrawn { approval: approval(1), at: at(1) }.into(),
    ] {
        known.fold(&event);
    }
    assert_eq!(known, before);
}

#[test]
fn case_129_what_needs_the_user_is_open_or_undelivered_oldest_first() {
    let mut desk =
        desk(&[start(1), introduce(1), ask(1, 1, which()), ask(1, 2, which()), ask_approval(1, 3)]);
    let (first, second, permission) = (
        PendingItem::Question(request(1)),
        PendingItem::Question(request(2)),
        PendingItem::Permission(approval(3)),
    );
    let listed = |desk: &Desk| pending(desk.requests(), desk.approvals());
    assert_eq!(listed(&desk), [permission, first, second]);
    for (command, expected) in [
        (answer(1, vec![choose(0, &[0])]), vec![permission, second]),
        (note(1, failed()), vec![permission, first, second]),
        (decide_approval(3, decides(&["allow"])), vec![first, second]),
        (retry(1), vec![second]),
        (note(1, failed()), vec![first, second]),
        // The answer is saved now, and the open question was missed.
        (end(1, SessionEnd::Stopped), vec![]),
    ] {
        take(&mut desk, &command).unwrap();
        assert_eq!(listed(&desk), expected, "after {command:?}");
    }
}

#[rstest]
#[case("/srv/shop/notes.txt", "Write: notes.txt")]
#[case(r"C:\shop\notes.txt", "Write: notes.txt")]
#[case("new\nline.txt", "Write: new⏎line.txt")]
#[case("", "Write")]
fn the_name_of_a_permission_request_has_its_file(#[case] path: &str, #[case] expected: &str) {
    let subject = ToolDetail::Write { path: path.to_owned(), content: String::new() };
    let write = AskApproval { title: "Write".to_owned(), subject, ..new_ask_approval(1, 1) };
    let desk = desk(&[start(1), introduce(1), ApprovalCommand::Ask(Box::new(write)).into()]);
    assert_eq!(desk.approval(approval(1)).unwrap().name(80), expected);
}
