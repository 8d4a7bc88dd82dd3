//! Clients that the desk did not start: what they leave is missed and not lost, and they find it again.

use crate::support::desks;
use crate::support::questions;
use std::collections::HashMap;

use crate::support::desks::*;
use crate::support::questions::{choose, single};
use askdesk_domain::{
    ASKED_AGAIN_MILLIS, Ask, Channel, Command, Decision, Delivery, DeliveryError, Desk, Effect, Event,
    InboundClient, InboundCommand, LastAsked, Leave, Limit, Origin, Outcome, Question, QuestionKind,
    QuestionLimits, Rejection, RequestCommand, RequestEvent, RequestId, SessionCommand, SessionEnd,
    SessionId, SessionState, Timestamp, decide, draft_rules, question_input,
};
use proptest::prelude::*;
use rstest::rstest;

fn visitor(name: &str, folder: &str) -> InboundClient {
    InboundClient {
        channel: Channel::Mcp,
        name: name.to_owned(),
        version: Some("1.2".to_owned()),
        folder: Some(folder.to_owned()),
    }
}

fn open(n: u128, name: &str, when: i64) -> Command {
    Command::Inbound(InboundCommand::Open { id: session(n), visitor: visitor(name, "/work"), at: at(when) })
}

fn store() -> Vec<Question> {
    question_input::accept(&[single("Which store?", &["SQLite", "Files"])], QuestionLimits::ASK_USER).unwrap()
}

fn theirs(of: u128, n: u128, call: &str, when: i64) -> Ask {
    Ask {
        id: request(n),
        session: session(of),
        native_ref: native(call),
        asked_by: None,
        questions: store(),
        limit: None,
        at: at(when),
    }
}

/// A session asks by a call; the id is used if it makes a request of its own.
fn asks(of: u128, n: u128, call: &str, when: i64) -> Command {
    Command::Inbound(InboundCommand::Ask { ask: theirs(of, n, call, when), again: None })
}

fn names_it(of: u128, n: u128, call: &str, when: i64, again: u128) -> Command {
    Command::Inbound(InboundCommand::Ask { ask: theirs(of, n, call, when), again: Some(request(again)) })
}

fn limited(of: u128, n: u128, call: &str, when: i64, limit: i64) -> Command {
    let limit = Some(Limit { at: at(limit), then: String::new() });
    Command::Inbound(InboundCommand::Ask { ask: Ask { limit, ..theirs(of, n, call, when) }, again: None })
}

fn leaves(of: u128, call: &str, why: Leave, when: i64) -> Command {
    Command::Inbound(InboundCommand::LeaveCall {
        session: session(of),
        native_ref: native(call),
        why,
        at: at(when),
    })
}

fn gone(of: u128, call: &str, when: i64) -> Command {
    leaves(of, call, Leave::Gone, when)
}

fn told(n: u128, call: &str, told: Result<(), DeliveryError>, when: i64) -> Command {
    Command::Inbound(InboundCommand::NoteDelivered {
        request: request(n),
        native_ref: native(call),
        told,
        at: at(when),
    })
}

fn goes(of: u128, when: i64) -> Command {
    Command::Inbound(InboundCommand::Leave { session: session(of), at: at(when) })
}

fn answers(n: u128, when: i64) -> Command {
    Command::Request(RequestCommand::Answer {
        request: request(n),
        answers: vec![choose(0, &[0])],
        at: at(when),
    })
}

fn passes(n: u128, when: i64) -> Command {
    Command::Request(RequestCommand::Expire { request: request(n), at: at(when) })
}

fn state_of(desk: &Desk, n: u128) -> String {
    state(desk.request(request(n)).unwrap())
}

fn found(desk: &mut Desk, command: &Command) -> Option<RequestId> {
    take(desk, command).unwrap().request
}

fn is_told_of(decision: &Decision) -> bool {
    decision.effects.iter().any(|effect| matches!(effect, Effect::Notify { .. }))
}

#[test]
fn a_visit_is_a_session_without_a_process_that_says_who_came() {
    let desk = desk(&[open(1, "codex", 5)]);
    let came = desk.session(session(1)).unwrap();
    assert_eq!(came.state, SessionState::Idle);
    assert_eq!(came.origin, Origin::inbound(Channel::Mcp, "codex".to_owned()));
    assert_eq!((came.name.as_str(), came.folder.as_str()), ("codex · work", "/work"));
    assert!(!came.resumable);
    for refused in [resume(1), queue(1, 1, "hello")] {
        assert_eq!(decide(&desk, &refused), Err(Rejection::SessionGone), "{refused:?}");
    }
}

#[test]
fn what_a_client_calls_itself_is_one_short_line_and_never_nothing() {
    let named = |name: &str| {
        InboundClient { version: Some(" ".to_owned()), folder: None, ..visitor(name, "") }.plain()
    };
    assert_eq!(named(" a\nb\u{1b}[31m ").name, "a b[31m");
    assert_eq!(named("x".repeat(500).as_str()).name.len(), 80);
    assert_eq!(named("\u{200b}").name, "MCP client");
    assert_eq!(named("x").version, None);
}

#[test]
fn the_session_a_client_left_is_taken_up_again_and_one_that_is_still_there_is_not() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), open(2, "codex", 7)]);
    assert_eq!(desk.sessions().count(), 2, "each connection has its own");
    take(&mut desk, &goes(1, 10)).unwrap();
    for (other, name) in [(3, "gemini"), (4, "codex ")] {
        take(&mut desk, &open(other, name, 11)).unwrap();
    }
    assert!(desk.session(session(3)).is_some(), "of another name");
    assert!(desk.session(session(4)).is_none(), "of the same name");
    assert_eq!(desk.session(session(1)).unwrap().state, SessionState::Idle);
    assert_eq!(state_of(&desk, 1), "orphaned caller_gone");
}

#[test]
fn when_each_client_asked_last_is_known_also_of_those_that_have_gone() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), open(2, "gemini", 7), asks(2, 2, "b", 8)]);
    let last = |desk: &Desk| {
        let known = desk.last_asked().into_iter();
        known
            .map(|LastAsked { channel, name, asked_at }| {
                assert_eq!(channel, Channel::Mcp);
                (name, asked_at.millis())
            })
            .collect::<Vec<_>>()
    };
    let known = |names: [(&str, i64); 2]| names.map(|(name, when)| (name.to_owned(), when)).to_vec();
    assert_eq!(last(&desk), known([("gemini", 8), ("codex", 6)]));
    take(&mut desk, &goes(1, 10)).unwrap();
    assert_eq!(last(&desk), known([("gemini", 8), ("codex", 6)]));
    // What is asked again is the same request, and still a sign of life.
    take(&mut desk, &open(3, "codex", 11)).unwrap();
    take(&mut desk, &asks(1, 3, "c", 12)).unwrap();
    assert_eq!(last(&desk), known([("codex", 12), ("gemini", 8)]));
}

#[test]
fn a_client_that_never_asked_leaves_nothing_behind() {
    let desk = desk(&[open(1, "codex", 5), goes(1, 10)]);
    assert_eq!(desk.sessions().count(), 0);
}

#[test]
fn case_59_the_card_says_which_client_asks() {
    let desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6)]);
    assert_eq!(desk.request(request(1)).unwrap().asked_by.as_deref(), Some("codex"));
    let renamed =
        Command::Session(SessionCommand::Rename { session: session(1), name: "The shop".to_owned() });
    let mut renamed = desks::desk(&[open(1, "codex", 5), renamed]);
    let subagent = Ask { asked_by: Some("reviewer".to_owned()), ..theirs(1, 2, "b", 7) };
    take(&mut renamed, &asks(1, 1, "a", 6)).unwrap();
    take(&mut renamed, &Command::Inbound(InboundCommand::Ask { ask: subagent, again: None })).unwrap();
    assert_eq!(renamed.request(request(1)).unwrap().asked_by.as_deref(), Some("codex"));
    assert_eq!(renamed.request(request(2)).unwrap().asked_by.as_deref(), Some("reviewer"));
    // Only a subagent is told of as one.
    let session = renamed.session(session(1)).unwrap();
    let by_subagent = |n| renamed.request(request(n)).unwrap().is_by_subagent(session);
    assert_eq!((by_subagent(1), by_subagent(2)), (false, true));
}

#[test]
fn a_secret_is_not_asked_for_by_these_doors() {
    let secret = question_input::accept(
        &[questions::draft(QuestionKind::Secret, "Key?", &[])],
        QuestionLimits::ASK_USER,
    )
    .unwrap();
    let ask = Ask { questions: secret, ..theirs(1, 1, "a", 6) };
    let refused =
        decide(&desk(&[open(1, "codex", 5)]), &Command::Inbound(InboundCommand::Ask { ask, again: None }));
    assert!(matches!(refused, Err(Rejection::Invalid { field, .. }) if field == "questions[0].type"));
}

#[test]
fn what_is_left_is_missed_and_the_same_request_is_open_when_it_is_asked_again() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), gone(1, "a", 10)]);
    assert_eq!(state_of(&desk, 1), "orphaned caller_gone");
    assert!(desk.request(request(1)).unwrap().is_missed());
    let again = take(&mut desk, &asks(1, 2, "b", 11)).unwrap();
    assert_eq!(again.request, Some(request(1)));
    assert_eq!(names(&again.events), ["reopened"]);
    assert!(is_told_of(&again), "what told of it was taken back");
    assert_eq!((state_of(&desk, 1).as_str(), desk.requests().count()), ("open", 1));
    // What was begun on it stays.
    assert_eq!(draft_rules::after(&again.events[0]), None);
    take(&mut desk, &answers(1, 20)).unwrap();
    take(&mut desk, &told(1, "b", Ok(()), 21)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered");
}

#[test]
fn case_34_the_same_again_while_it_is_open_waits_for_the_one_card() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6)]);
    let again = take(&mut desk, &asks(1, 2, "b", 7)).unwrap();
    assert_eq!((again.request, names(&again.events)), (Some(request(1)), vec!["asked_again".to_owned()]));
    assert!(!is_told_of(&again));
    // The first gives up: the other waits on.
    let left = take(&mut desk, &gone(1, "a", 8)).unwrap();
    assert_eq!(names(&left.events), ["call_left"]);
    take(&mut desk, &answers(1, 20)).unwrap();
    take(&mut desk, &told(1, "b", Ok(()), 21)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered");
}

#[rstest]
#[case::soon(ASKED_AGAIN_MILLIS - 1, 1)]
#[case::late(ASKED_AGAIN_MILLIS, 9)]
fn case_34_what_was_left_is_found_by_its_content_for_three_minutes(#[case] later: i64, #[case] finds: u128) {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), gone(1, "a", 1_000)]);
    assert_eq!(found(&mut desk, &asks(1, 9, "b", 1_000 + later)), Some(request(finds)));
    // One that names it needs no haste.
    let mut desk = desks::desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), gone(1, "a", 1_000)]);
    assert_eq!(found(&mut desk, &names_it(1, 9, "b", 1_000 + later, 1)), Some(request(1)));
}

#[test]
fn a_client_that_gives_up_every_minute_and_asks_again_asks_one_question() {
    let mut desk = desk(&[open(1, "codex", 0)]);
    for minute in 0..30 {
        let (call, when) = (format!("call-{minute}"), minute * 60_000);
        assert_eq!(found(&mut desk, &asks(1, 1 + minute as u128, &call, when)), Some(request(1)));
        take(&mut desk, &gone(1, &call, when + 59_000)).unwrap();
    }
    assert_eq!(desk.requests().count(), 1);
}

#[rstest]
#[case::of_another_client(open(2, "gemini", 7), 2)]
#[case::in_another_folder(
    Command::Inbound(InboundCommand::Open { id: session(2), visitor: visitor("codex", "/other"), at: at(7) }), 2)]
#[case::by_another_way(
    Command::Inbound(InboundCommand::Open {
        id: session(2), visitor: InboundClient { channel: Channel::CommandLine, ..visitor("codex", "/work") }, at: at(7)
    }), 2)]
#[case::of_the_same_client(open(2, "codex", 7), 1)]
fn what_another_client_asks_is_never_found(#[case] opened: Command, #[case] finds: u128) {
    for left in [true, false] {
        let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6)]);
        if left {
            take(&mut desk, &gone(1, "a", 7)).unwrap();
        }
        take(&mut desk, &opened).unwrap();
        let asked = names_it(2, 2, "b", 8, 1);
        assert_eq!(found(&mut desk, &asked), Some(request(finds)));
        assert_eq!(state_of(&desk, finds), "open");
    }
}

#[test]
fn without_a_folder_only_a_named_request_is_found_from_another_connection() {
    let nowhere = |n, when| {
        let visitor = InboundClient { folder: None, ..visitor("codex", "") };
        Command::Inbound(InboundCommand::Open { id: session(n), visitor, at: at(when) })
    };
    let asked = [nowhere(1, 5), asks(1, 1, "a", 6)];
    // In the same connection the same words are the same question.
    assert_eq!(found(&mut desk(&asked), &asks(1, 2, "b", 8)), Some(request(1)));
    for before in [vec![], vec![gone(1, "a", 7)], vec![goes(1, 7)], vec![goes(1, 7), answers(1, 7)]] {
        let mut desk = desk(&asked);
        for command in before.iter().chain(&[nowhere(2, 8)]) {
            take(&mut desk, command).unwrap();
        }
        assert!(desk.session(session(2)).is_some(), "what another connection left is not taken up");
        let named = take(&mut desk.clone(), &names_it(2, 2, "b", 9, 1)).unwrap();
        assert_eq!(named.request, Some(request(1)), "{before:?}");
        assert_eq!(found(&mut desk, &asks(2, 2, "b", 9)), Some(request(2)), "{before:?}");
    }
}

#[test]
fn an_answer_that_came_late_is_given_at_once_to_who_asks_again_and_then_it_is_told() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), gone(1, "a", 10)]);
    let late = take(&mut desk, &answers(1, 20)).unwrap();
    assert_eq!((names(&late.events), late.effects), (vec!["answered_late".to_owned()], vec![]));
    assert_eq!(state_of(&desk, 1), "answered, parked");
    let again = take(&mut desk, &asks(1, 2, "b", 30)).unwrap();
    assert_eq!((again.request, again.events), (Some(request(1)), vec![]));
    take(&mut desk, &told(1, "b", Ok(()), 31)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered late");
    // What was told is not told to who asks yet again: that is a question of its own.
    assert_eq!(found(&mut desk, &asks(1, 3, "c", 32)), Some(request(3)));
}

#[test]
fn an_answer_that_could_not_be_told_is_kept_and_can_be_collected() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), answers(1, 20)]);
    assert_eq!(state_of(&desk, 1), "answered, pending");
    take(&mut desk, &told(1, "a", Err(DeliveryError::InputClosed), 21)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, parked");
    assert!(desk.request(request(1)).unwrap().is_live());
    take(&mut desk, &told(1, "collects", Ok(()), 500)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered late");
    // It stays told, whatever is said of it afterwards.
    take(&mut desk, &told(1, "a", Err(DeliveryError::InputClosed), 501)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered late");
}

#[test]
fn an_answer_on_its_way_to_a_call_that_is_left_is_kept() {
    for last in
        [gone(1, "a", 21), goes(1, 21), Command::Session(SessionCommand::CloseEarlierRun { at: at(21) })]
    {
        let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), answers(1, 20)]);
        take(&mut desk, &last).unwrap();
        assert_eq!(state_of(&desk, 1), "answered, parked", "{last:?}");
    }
}

#[test]
fn case_41_a_limit_that_passes_is_an_end_of_its_own_and_the_answer_may_still_come() {
    let mut desk = desk(&[open(1, "codex", 5), limited(1, 1, "a", 6, 50), passes(1, 50)]);
    assert_eq!(state_of(&desk, 1), "expired, pending");
    take(&mut desk, &told(1, "a", Ok(()), 51)).unwrap();
    assert_eq!(state_of(&desk, 1), "expired, delivered");
    // The same call again hears the same; it is not asked anew.
    let same = take(&mut desk, &limited(1, 2, "a", 52, 90)).unwrap();
    assert_eq!((same.request, same.events), (Some(request(1)), vec![]));
    take(&mut desk, &answers(1, 70)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, parked");
    take(&mut desk, &told(1, "collects", Ok(()), 80)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered late");
}

#[test]
fn case_41_what_is_asked_anew_after_its_limit_has_its_whole_time_again() {
    let mut desk =
        desk(&[open(1, "codex", 5), limited(1, 1, "a", 6, 50), passes(1, 50), told(1, "a", Ok(()), 51)]);
    let again = take(&mut desk, &limited(1, 2, "b", 60, 200)).unwrap();
    assert_eq!(again.request, Some(request(1)));
    assert!(again.effects.contains(&Effect::WatchLimit { request: request(1), at: at(200) }));
    take(&mut desk, &passes(1, 100)).unwrap();
    assert_eq!(state_of(&desk, 1), "open", "the earlier limit says nothing any more");
    take(&mut desk, &passes(1, 200)).unwrap();
    assert_eq!(state_of(&desk, 1), "expired, pending");
}

#[test]
fn case_41_without_a_limit_it_waits_for_ever() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6)]);
    assert!(take(&mut desk, &passes(1, i64::MAX)).unwrap().events.is_empty());
    assert_eq!(state_of(&desk, 1), "open");
}

#[test]
fn case_54_after_a_restart_the_call_that_names_its_request_finds_it_open() {
    let hour = 60 * 60 * 1_000;
    let mut desk = desk(&[
        open(1, "codex", 5),
        asks(1, 1, "a", 6),
        Command::Session(SessionCommand::CloseEarlierRun { at: at(10) }),
    ]);
    assert_eq!(state_of(&desk, 1), "orphaned app_quit");
    take(&mut desk, &open(2, "codex", hour)).unwrap();
    assert!(desk.session(session(2)).is_none(), "it is the session it left");
    assert_eq!(found(&mut desk, &names_it(1, 2, "a", hour, 1)), Some(request(1)));
    assert_eq!(state_of(&desk, 1), "open");
    take(&mut desk, &answers(1, hour + 1)).unwrap();
    take(&mut desk, &told(1, "a", Ok(()), hour + 2)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered");
}

#[test]
fn case_58_what_was_answered_elsewhere_closes_and_says_so() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6)]);
    let left = take(&mut desk, &leaves(1, "a", Leave::AnsweredElsewhere, 10)).unwrap();
    assert_eq!(state_of(&desk, 1), "withdrawn answered_elsewhere");
    assert!(left.effects.contains(&Effect::WithdrawNotification { request: request(1) }));
    let too_late = decide(&desk, &answers(1, 20));
    assert!(matches!(too_late, Err(Rejection::AlreadyEnded { .. })), "{too_late:?}");
    // The desk first: what comes afterwards changes nothing.
    let mut desk =
        desks::desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), answers(1, 7), told(1, "a", Ok(()), 8)]);
    take(&mut desk, &leaves(1, "a", Leave::AnsweredElsewhere, 10)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered");
}

#[test]
fn a_call_of_one_connection_outlives_the_end_of_another() {
    // The second connection waits for what the first asked, and the first goes.
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), open(2, "codex", 7), asks(2, 2, "b", 8)]);
    let left = take(&mut desk, &goes(1, 9)).unwrap();
    assert_eq!(names(&left.events), ["call_left", "client_left"]);
    assert!(desk.session(session(1)).unwrap().is_running(), "something is open in it");
    take(&mut desk, &answers(1, 20)).unwrap();
    assert!(!desk.session(session(1)).unwrap().is_running());
    take(&mut desk, &told(1, "b", Ok(()), 21)).unwrap();
    assert!(state_of(&desk, 1).starts_with("answered, delivered"));
}

#[test]
fn what_is_asked_again_by_another_connection_is_missed_when_that_goes_too() {
    let mut desk = desk(&[
        open(2, "codex", 4),
        open(1, "codex", 5),
        asks(1, 1, "a", 6),
        goes(1, 9),
        asks(2, 2, "b", 10),
    ]);
    assert_eq!(state_of(&desk, 1), "open");
    assert!(desk.session(session(1)).unwrap().is_running());
    take(&mut desk, &goes(2, 11)).unwrap();
    assert_eq!(state_of(&desk, 1), "orphaned caller_gone");
    assert!(!desk.session(session(1)).unwrap().is_running());
}

#[test]
fn the_person_can_close_a_visit_and_what_it_asks_next_brings_it_back() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6)]);
    take(&mut desk, &close(1)).unwrap();
    assert_eq!(desk.sessions().count(), 0);
    assert_eq!(state_of(&desk, 1), "orphaned session_stopped");
    // Its client is still there, and goes some time.
    let mut gone = desk.clone();
    take(&mut gone, &goes(1, 380)).unwrap();
    assert_eq!(gone.sessions().count(), 0);
    // What it asks next is another question.
    let other = Ask {
        questions: question_input::accept(&[single("Which name?", &["A", "B"])], QuestionLimits::ASK_USER)
            .unwrap(),
        ..theirs(1, 2, "b", 400)
    };
    let again = take(&mut desk, &Command::Inbound(InboundCommand::Ask { ask: other, again: None })).unwrap();
    assert_eq!(names(&again.events), ["session_resumed", "asked"]);
    assert_eq!((desk.sessions().count(), state_of(&desk, 2).as_str()), (1, "open"));
}

const CALLS: usize = 3;

fn some_call() -> impl Strategy<Value = String> {
    (0..CALLS).prop_map(|call| format!("c{call}"))
}

fn some_command() -> impl Strategy<Value = Command> {
    let when = || 0_i64..400_000;
    let (of, n) = (|| 1_u128..4, || 1_u128..6);
    let name = prop_oneof![4 => Just("codex"), 1 => Just("gemini")];
    prop_oneof![
        4 => (of(), name, when()).prop_map(|(of, name, when)| open(of, name, when)),
        6 => (of(), n(), some_call(), when()).prop_map(|(of, n, call, when)| asks(of, n, &call, when)),
        2 => (of(), n(), some_call(), when(), n())
            .prop_map(|(of, n, call, when, again)| names_it(of, n, &call, when, again)),
        2 => (of(), n(), some_call(), when()).prop_map(|(of, n, call, when)| limited(of, n, &call, when, when + 5)),
        3 => (of(), some_call(), when()).prop_map(|(of, call, when)| gone(of, &call, when)),
        1 => (of(), some_call(), when()).prop_map(|(of, call, when)| leaves(of, &call, Leave::AnsweredElsewhere, when)),
        3 => (n(), some_call(), any::<bool>(), when()).prop_map(|(n, call, ok, when)| {
            told(n, &call, if ok { Ok(()) } else { Err(DeliveryError::InputClosed) }, when)
        }),
        3 => (of(), when()).prop_map(|(of, when)| goes(of, when)),
        4 => (n(), when()).prop_map(|(n, when)| answers(n, when)),
        1 => n().prop_map(|n| decline(n, None)),
        1 => n().prop_map(|n| cancel(n, None)),
        1 => n().prop_map(dismiss),
        1 => (n(), when()).prop_map(|(n, when)| passes(n, when)),
        1 => n().prop_map(|n| Command::Request(RequestCommand::Retry { request: request(n) })),
        1 => of().prop_map(close),
        1 => of().prop_map(|of| reply_in_chat(of, "let us talk")),
        1 => of().prop_map(|of| end(of, SessionEnd::Stopped)),
        1 => when().prop_map(|when| Command::Session(SessionCommand::CloseEarlierRun { at: at(when) })),
    ]
}

fn what_was_said(desk: &Desk) -> HashMap<RequestId, (Outcome, Timestamp, Option<Delivery>)> {
    let said = desk.requests().filter_map(|request| {
        let ended = request.ended()?;
        ended
            .outcome
            .can_come_late()
            .then(|| (request.id, (ended.outcome.clone(), ended.at, ended.delivery.clone())))
    });
    said.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn whatever_clients_do_no_answer_is_lost_or_changed_and_the_journal_replayed_is_the_memory(
        commands in prop::collection::vec(some_command(), 1..80),
    ) {
        let mut desk = Desk::default();
        let mut journal = Vec::new();
        for command in &commands {
            let before = what_was_said(&desk);
            let Ok(decision) = take(&mut desk, command) else { continue };
            for effect in &decision.effects {
                let speaks_to_a_process =
                    matches!(effect, Effect::SendParked { .. } | Effect::Redeliver { .. } | Effect::SendQueued { .. });
                prop_assert!(!speaks_to_a_process, "{command:?} made {effect:?}");
            }
            let after = what_was_said(&desk);
            for (id, (outcome, when, delivery)) in before {
                let now = after.get(&id);
                prop_assert!(now.is_some_and(|now| (&now.0, now.1) == (&outcome, when)), "{command:?}: {now:?}");
                if let Some(Delivery::Delivered { .. }) = delivery {
                    prop_assert_eq!(&now.unwrap().2, &delivery, "what was told is not told again");
                }
            }
            for request in desk.requests().filter(|request| request.is_open()) {
                let session = desk.session(request.session).unwrap();
                prop_assert!(session.is_running(), "{command:?}: {request:?}");
                prop_assert!(!desk.is_closed(request.session), "{command:?}: {request:?}");
                prop_assert!(!desk.is_call_closed(request.id), "{command:?}: {request:?}");
            }
            journal.extend(decision.events);
        }
        prop_assert_eq!(Desk::replay(&journal), desk);
    }

    /// However it was left, nothing is open any more once all clients are gone.
    #[test]
    fn when_all_clients_are_gone_nothing_is_open_and_no_session_runs(
        commands in prop::collection::vec(some_command(), 1..60),
    ) {
        let mut desk = Desk::default();
        for command in &commands {
            let _ = take(&mut desk, command);
        }
        for of in 1..4 {
            let _ = take(&mut desk, &goes(of, 500_000));
        }
        prop_assert!(desk.requests().all(|request| !request.is_open()));
        prop_assert!(desk.sessions().all(|session| !session.is_running()), "{:?}", desk.sessions().collect::<Vec<_>>());
    }

    #[test]
    fn a_deleted_visit_leaves_no_word_and_the_journal_still_folds_to_the_memory(
        commands in prop::collection::vec(some_command(), 1..60),
    ) {
        let gone: SessionId = session(1);
        let mut desk = Desk::default();
        let mut journal: Vec<(Option<SessionId>, Event)> = Vec::new();
        let mut owners: HashMap<RequestId, SessionId> = HashMap::new();
        let goes = [end(1, SessionEnd::Finished), Command::Session(SessionCommand::Delete { session: gone })];
        for command in commands.iter().chain(&goes) {
            let Ok(decision) = decide(&desk, command) else { continue };
            for event in decision.events {
                if let Event::Request(RequestEvent::Asked { request }) = &event {
                    owners.insert(request.id, request.session);
                }
                let of = match event.subject() {
                    askdesk_domain::EventSubject::Session(id) => Some(id),
                    askdesk_domain::EventSubject::Request(id) => owners.get(&id).copied(),
                    askdesk_domain::EventSubject::Approval(_) => None,
                };
                journal.push((of, event.clone()));
                desk.fold(&event);
            }
        }
        let silenced = |(of, event): &(Option<SessionId>, Event)| match of {
            Some(of) if *of == gone => event.without_words(),
            _ => event.clone(),
        };
        let kept: Vec<Event> = journal.iter().map(silenced).collect();
        prop_assert_eq!(Desk::replay(&kept), desk);
        for (event, (of, _)) in kept.iter().zip(&journal) {
            let said = serde_json::to_string(event).unwrap();
            let left = ["Which", "codex", "gemini", "/work", "\"c0", "\"c1", "\"c2", "let us talk"];
            prop_assert!(*of != Some(gone) || left.iter().all(|word| !said.contains(word)), "{said}");
        }
    }
}
