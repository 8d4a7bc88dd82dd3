//! Sessions from start to end, and the permissions their agents ask for.

use crate::support::desks::*;
use askdesk_domain::session::SESSION_NAME_CHARS;
use askdesk_domain::{
    ApprovalCommand, ApprovalDecision, ApprovalEvent, ApprovalState, Command, Decision, Effect, EndedBy,
    Event, NativeSession, Rejection, RequestCommand, RequestEvent, SessionCommand, SessionEnd, SessionEvent,
    SessionId, SessionState, ValidationError, decide,
};
use rstest::rstest;

fn working(working: bool) -> Command {
    Command::Session(SessionCommand::SetWorking { session: session(1), working })
}

fn introduce(version: Option<&str>) -> Command {
    let version = version.map(str::to_owned);
    Command::Session(SessionCommand::Introduce {
        session: session(1),
        version,
        model: None,
        native_session: None,
    })
}

fn decision(n: u128, decision: ApprovalDecision) -> Command {
    Command::Approval(ApprovalCommand::Decide { approval: approval(n), decision, at: at(100) })
}

fn deny(message: Option<&str>) -> ApprovalDecision {
    ApprovalDecision { message: message.map(str::to_owned), ..decides(&["deny"]) }
}

#[test]
fn a_session_starts_once_and_its_name_is_bounded() {
    let Command::Session(SessionCommand::Start { id, origin, folder, options, config, at, .. }) = start(1)
    else {
        unreachable!()
    };
    let name = format!("  {}", "n".repeat(SESSION_NAME_CHARS + 1));
    let long = Command::Session(SessionCommand::Start {
        id,
        origin: origin.clone(),
        name,
        folder,
        options,
        config,
        at,
    });
    let desk = desk(&[long]);
    let started = desk.session(session(1)).unwrap();
    assert_eq!(started.name, "n".repeat(SESSION_NAME_CHARS));
    assert_eq!((&started.origin, &started.state), (&origin, &SessionState::Starting));
    let again = decide(&desk, &start(1));
    assert_eq!(again, Err(Rejection::invalid("id", "a session with this id exists already")));
}

#[test]
fn only_a_session_that_has_ended_can_be_deleted_and_nothing_of_it_stays() {
    let delete = Command::Session(SessionCommand::Delete { session: session(1) });
    let mut desk = desk(&[start(1), start(2), ask_approval(1, 0), ask_approval(2, 1)]);
    assert!(matches!(take(&mut desk, &delete), Err(Rejection::Invalid { field, .. }) if field == "session"));
    take(&mut desk, &end(1, SessionEnd::Stopped)).unwrap();
    assert_eq!(names(&take(&mut desk, &delete).unwrap().events), ["session_deleted"]);
    assert_eq!(take(&mut desk, &delete), Err(Rejection::NotFound { what: "session" }));
    assert_eq!(desk.sessions().map(|session| session.id).collect::<Vec<_>>(), [session(2)]);
    assert_eq!(desk.approvals().map(|approval| approval.session).collect::<Vec<_>>(), [session(2)]);
}

#[test]
fn a_session_is_working_while_a_turn_runs_and_says_so_once() {
    let mut desk = desk(&[start(1)]);
    for (command, events, state) in [
        (introduce(Some("2")), vec!["agent_introduced"], SessionState::Idle),
        (introduce(Some("2")), vec![], SessionState::Idle),
        (working(true), vec!["turn_began"], SessionState::Working),
        (working(true), vec![], SessionState::Working),
        (working(false), vec!["turn_finished"], SessionState::Idle),
        (working(false), vec![], SessionState::Idle),
    ] {
        assert_eq!(names(&take(&mut desk, &command).unwrap().events), events, "{command:?}");
        assert_eq!(desk.session(session(1)).unwrap().state, state, "{command:?}");
    }
}

#[test]
fn what_an_agent_says_of_itself_later_adds_to_what_it_said_before() {
    let mut desk = desk(&[start(1), introduce(Some("2.1"))]);
    let model = Some("opus".to_owned());
    let native_session = NativeSession::new("thread-7");
    let said = |native_session: Option<NativeSession>| {
        Command::Session(SessionCommand::Introduce {
            session: session(1),
            version: Some("2.1".to_owned()),
            model: model.clone(),
            native_session,
        })
    };
    let later = |session: SessionId| {
        Command::Session(SessionCommand::Introduce {
            session,
            version: None,
            model: model.clone(),
            native_session: None,
        })
    };
    take(&mut desk, &later(session(1))).unwrap();
    let known = desk.session(session(1)).unwrap();
    assert_eq!((known.version.as_deref(), known.model.as_deref()), (Some("2.1"), Some("opus")));
    let events = take(&mut desk, &said(native_session.clone())).unwrap().events;
    assert_eq!(names(&events), ["native_session_known"]);
    assert_eq!(take(&mut desk, &said(native_session.clone())).unwrap().events, []);
    assert_eq!(take(&mut desk, &said(None)).unwrap().events, []);
    assert_eq!(desk.session(session(1)).unwrap().native_session, native_session);
}

#[test]
fn unusable_lines_are_added_up() {
    let count = |lines| Command::Session(SessionCommand::CountUnusable { session: session(1), lines });
    let desk = desk(&[start(1), count(2), count(40)]);
    assert_eq!(desk.session(session(1)).unwrap().unusable_lines, 42);
}

#[test]
fn an_ended_session_stays_ended() {
    let mut desk = desk(&[start(1), end(1, SessionEnd::Stopped)]);
    let before = desk.clone();
    assert_eq!(take(&mut desk, &end(1, SessionEnd::Finished)), Ok(Decision::default()));
    for command in [working(true), introduce(Some("3")), ask_approval(1, 1), reply_in_chat(1, "hello?")] {
        assert_eq!(take(&mut desk, &command), Err(Rejection::SessionGone), "{command:?}");
    }
    assert_eq!(desk, before);
}

#[test]
fn the_next_run_ends_every_session_of_the_one_before() {
    let mut desk = desk(&[start(1), start(2), end(1, SessionEnd::Finished), ask_approval(2, 1)]);
    let close = Command::Session(SessionCommand::CloseEarlierRun { at: at(500) });
    let decision = take(&mut desk, &close).unwrap();
    assert_eq!(names(&decision.events), ["approval_withdrawn", "session_ended"]);
    let ended = SessionState::Ended { end: SessionEnd::AppQuit, at: at(500) };
    assert_eq!(desk.session(session(2)).unwrap().state, ended);
    assert_eq!(take(&mut desk, &close), Ok(Decision::default()));
}

#[rstest]
#[case::allow(decides(&["allow"]))]
#[case::deny(deny(None))]
#[case::deny_with_words(deny(Some("not here")))]
fn an_approval_is_decided_once(#[case] wanted: ApprovalDecision) {
    let mut desk = desk(&[start(1), ask_approval(1, 1)]);
    let command = decision(1, wanted.clone());
    let decided = take(&mut desk, &command).unwrap();
    let withdraw = Effect::WithdrawApprovalNotification { approval: approval(1) };
    let resolve = Effect::ResolveApproval { approval: approval(1), decision: wanted };
    assert_eq!(
        (names(&decided.events), decided.effects),
        (vec!["approval_decided".to_owned()], vec![withdraw, resolve])
    );
    assert_eq!(take(&mut desk, &command), Ok(Decision::default()));
    let other = decision(1, deny(Some("something else")));
    let ended = Err(Rejection::AlreadyEnded { by: EndedBy::Person, at: at(100) });
    assert_eq!(take(&mut desk, &other), ended);
}

#[test]
fn an_approval_is_told_of_once_and_no_more_when_it_is_taken_back() {
    let mut desk = desk(&[start(1)]);
    let asked = take(&mut desk, &ask_approval(1, 1)).unwrap();
    assert_eq!(asked.effects, [Effect::NotifyApproval { approval: approval(1) }]);
    assert_eq!(take(&mut desk, &ask_approval(1, 1)), Ok(Decision::default()));
    let why = askdesk_domain::WithdrawnWhy::ByAgent;
    let withdraw = Command::Request(RequestCommand::Withdraw {
        session: session(1),
        native_ref: native("approval-1"),
        why,
        at: at(50),
    });
    let gone = take(&mut desk, &withdraw).unwrap();
    assert_eq!(gone.effects, [Effect::WithdrawApprovalNotification { approval: approval(1) }]);
}

#[test]
fn an_approval_asked_again_is_the_same_one() {
    let desk = desk(&[start(1), ask_approval(1, 1)]);
    let Command::Approval(ApprovalCommand::Ask(ask)) = ask_approval(1, 1) else { unreachable!() };
    let again =
        Command::Approval(ApprovalCommand::Ask(askdesk_domain::AskApproval { id: approval(2), ..ask }));
    assert_eq!(decide(&desk, &again), Ok(Decision::default()));
}

#[test]
fn a_withdrawn_approval_cannot_be_decided() {
    let native_ref = native("approval-1");
    let why = askdesk_domain::WithdrawnWhy::ByAgent;
    let withdraw =
        Command::Request(RequestCommand::Withdraw { session: session(1), native_ref, why, at: at(50) });
    let desk = desk(&[start(1), ask_approval(1, 1), withdraw]);
    let ended = Err(Rejection::AlreadyEnded { by: EndedBy::Agent, at: at(50) });
    assert_eq!(decide(&desk, &decision(1, decides(&["allow"]))), ended);
}

#[test]
fn a_decision_that_did_not_arrive_says_so_on_the_approval() {
    let failed = |n| {
        Command::Approval(ApprovalCommand::NoteNotDelivered { approval: approval(n), error: "gone".into() })
    };
    let mut desk = desk(&[start(1), ask_approval(1, 1), decision(1, decides(&["allow"]))]);
    take(&mut desk, &failed(1)).unwrap();
    let state = &desk.approval(approval(1)).unwrap().state;
    assert!(
        matches!(state, ApprovalState::Decided { error: Some(error), .. } if error.to_string() == "gone")
    );
    assert_eq!(take(&mut desk, &failed(2)), Err(Rejection::NotFound { what: "approval" }));
}

#[test]
fn words_of_a_denial_over_the_bound_are_refused() {
    let desk = desk(&[start(1), ask_approval(1, 1)]);
    let long = decision(1, deny(Some(&"w".repeat(32 * 1024 + 1))));
    let refused =
        Err(Rejection::invalid("decision.message", ValidationError::TooLong { most: 32768, bytes: 32769 }));
    assert_eq!(decide(&desk, &long), refused);
}

#[test]
fn events_about_what_is_unknown_change_nothing() {
    let mut known = desk(&[start(1)]);
    let before = known.clone();
    let later = desk(&[start(2), ask_approval(2, 1)]);
    for event in [
        Event::Session(SessionEvent::TurnBegan { session: session(2) }),
        Event::Session(SessionEvent::Ended { session: session(2), end: SessionEnd::Finished, at: at(1) }),
        Event::Request(RequestEvent::DeliveryChanged {
            request: request(1),
            delivery: delivered(),
            call: None,
        }),
        Event::Approval(ApprovalEvent::Withdrawn {
            approval: later.approvals().next().unwrap().id,
            at: at(1),
        }),
    ] {
        known.fold(&event);
    }
    assert_eq!(known, before);
}
