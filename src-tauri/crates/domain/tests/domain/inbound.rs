//! Connected apps: what they leave is missed but not lost, and they find it again.

use crate::any_order::check_deletion;
use crate::support::desks;
use std::collections::HashMap;

use crate::support::desks::*;
use crate::support::questions::{asked, choose, secret, single};
use askdesk_domain::{
    ASKED_AGAIN_MILLIS, Ask, Asker, Channel, Command, Delivery, DeliveryError, Desk, Effect, Ended,
    InboundClient, InboundCommand, LastAsked, Leave, Limit, Origin, Outcome, Question, Rejection,
    RequestCommand, RequestId, SessionEnd, SessionState, Timestamp, decide, draft_rules,
};
use proptest::prelude::*;
use rstest::rstest;

fn client(name: &str, folder: &str) -> InboundClient {
    InboundClient {
        channel: Channel::Mcp,
        name: name.to_owned(),
        version: Some("1.2".to_owned()),
        folder: Some(folder.to_owned()),
    }
}

fn open_as(n: u128, client: InboundClient, when: i64) -> Command {
    InboundCommand::Open { id: session(n), client, at: at(when) }.into()
}

fn open(n: u128, name: &str, when: i64) -> Command {
    open_as(n, client(name, "/work"), when)
}

fn store() -> Vec<Question> {
    asked(&[single("Which store?", &["SQLite", "Files"])])
}

fn app_ask(of: u128, n: u128, call: &str, when: i64) -> Ask {
    Ask {
        id: request(n),
        session: session(of),
        native_ref: native(call),
        asked_by: None,
        helper: None,
        questions: store(),
        limit: None,
        asker: Asker::Waits,
        at: at(when),
    }
}

fn by_app(ask: Ask) -> Command {
    InboundCommand::Ask { ask, again: None }.into()
}

/// A call asks in a session; request `n` is created if the call joins no earlier one.
fn asks(of: u128, n: u128, call: &str, when: i64) -> Command {
    by_app(app_ask(of, n, call, when))
}

/// What the agent of a session asks over MCP carries the name of its client.
fn by_client(of: u128, n: u128, call: &str, when: i64) -> Command {
    by_app(Ask { asked_by: Some("claude-code".to_owned()), ..app_ask(of, n, call, when) })
}

fn names_it(of: u128, n: u128, call: &str, when: i64, again: u128) -> Command {
    InboundCommand::Ask { ask: app_ask(of, n, call, when), again: Some(request(again)) }.into()
}

fn limited(of: u128, n: u128, call: &str, when: i64, limit: i64) -> Command {
    let limit = Some(Limit { at: at(limit), then: String::new() });
    by_app(Ask { limit, ..app_ask(of, n, call, when) })
}

fn leaves(of: u128, call: &str, why: Leave, when: i64) -> Command {
    InboundCommand::LeaveCall { session: session(of), native_ref: native(call), why, at: at(when) }.into()
}

fn gone(of: u128, call: &str, when: i64) -> Command {
    leaves(of, call, Leave::Gone, when)
}

fn delivery_noted(n: u128, call: &str, result: Result<(), DeliveryError>, when: i64) -> Command {
    InboundCommand::NoteDelivered { request: request(n), native_ref: native(call), result, at: at(when) }
        .into()
}

fn goes_on(n: u128, call: &str) -> Command {
    InboundCommand::GoOn { request: request(n), native_ref: native(call) }.into()
}

fn asker_of(desk: &Desk, n: u128) -> Asker {
    desk.request(request(n)).unwrap().asker
}

fn goes(of: u128, when: i64) -> Command {
    InboundCommand::Leave { session: session(of), at: at(when) }.into()
}

fn answers(n: u128, when: i64) -> Command {
    RequestCommand::Answer { request: request(n), answers: vec![choose(0, &[0])], at: at(when) }.into()
}

fn found(desk: &mut Desk, command: &Command) -> Option<RequestId> {
    take(desk, command).unwrap().request
}

#[test]
fn a_connected_app_has_a_session_without_a_process_that_names_it() {
    let desk = desk(&[open(1, "codex", 5)]);
    let opened = desk.session(session(1)).unwrap();
    assert_eq!(opened.state, SessionState::Idle);
    assert_eq!(opened.origin, Origin::inbound(Channel::Mcp, "codex".to_owned()));
    assert_eq!((opened.name.as_str(), opened.folder.as_str()), ("codex · work", "/work"));
    assert!(!opened.resumable);
    for refused in [resume(1), queue(1, 1, "hello")] {
        assert_eq!(decide(&desk, &refused), Err(Rejection::SessionGone), "{refused:?}");
    }
}

#[test]
fn the_name_of_an_app_is_one_short_line_and_never_empty() {
    let named = |name: &str| {
        InboundClient { version: Some(" ".to_owned()), folder: None, ..client(name, "") }.plain()
    };
    assert_eq!(named(" a\nb\u{1b}[31m ").name, "a b[31m");
    assert_eq!(named("x".repeat(500).as_str()).name.len(), 80);
    assert_eq!(named("\u{200b}").name, "MCP client");
    assert_eq!(named("x").version, None);
}

#[test]
fn the_session_that_an_app_left_is_reopened_and_a_connected_one_is_not() {
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
fn the_last_question_of_each_app_is_known_even_after_it_left() {
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
    // A repeated question is the same request, and still counts.
    take_all(&mut desk, &[open(3, "codex", 11), asks(1, 3, "c", 12)]);
    assert_eq!(last(&desk), known([("codex", 12), ("gemini", 8)]));
}

#[test]
fn an_app_that_never_asked_leaves_no_session() {
    let desk = desk(&[open(1, "codex", 5), goes(1, 10)]);
    assert_eq!(desk.sessions().count(), 0);
}

#[test]
fn case_59_the_card_says_which_client_asks() {
    let desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6)]);
    assert_eq!(desk.request(request(1)).unwrap().asked_by.as_deref(), Some("codex"));
    let renamed = rename(1, "The shop");
    let mut renamed = desks::desk(&[open(1, "codex", 5), renamed]);
    let subagent = Ask { asked_by: Some("reviewer".to_owned()), ..app_ask(1, 2, "b", 7) };
    take(&mut renamed, &asks(1, 1, "a", 6)).unwrap();
    take(&mut renamed, &by_app(subagent)).unwrap();
    assert_eq!(renamed.request(request(1)).unwrap().asked_by.as_deref(), Some("codex"));
    assert_eq!(renamed.request(request(2)).unwrap().asked_by.as_deref(), Some("reviewer"));
    // Only a subagent counts as one.
    let session = renamed.session(session(1)).unwrap();
    let by_subagent = |n| renamed.request(request(n)).unwrap().is_by_subagent(session);
    assert_eq!((by_subagent(1), by_subagent(2)), (false, true));
}

#[test]
fn a_connected_app_cannot_ask_for_a_secret() {
    let ask = Ask { questions: secret(), ..app_ask(1, 1, "a", 6) };
    let refused = decide(&desk(&[open(1, "codex", 5)]), &by_app(ask));
    assert!(matches!(refused, Err(Rejection::Invalid { field, .. }) if field == "questions[0].type"));
}

#[test]
fn case_170_a_call_in_the_background_gets_the_answer_as_its_result() {
    let mut desk = desk(&[open(1, "claude-code", 5), asks(1, 1, "call", 10)]);
    let decision = take(&mut desk, &goes_on(1, "call")).unwrap();
    assert_eq!((asker_of(&desk, 1), state_of(&desk, 1).as_str()), (Asker::InBackground, "open"));
    assert_eq!(decision.effects, [], "nothing is told twice");
    assert!(take(&mut desk, &goes_on(1, "call")).unwrap().events.is_empty());
    take_all(&mut desk, &[answers(1, 20), delivery_noted(1, "call", Ok(()), 21)]);
    let ended = desk.request(request(1)).unwrap().ended().unwrap();
    assert_eq!(ended.delivery, Some(Delivery::Delivered { at: at(21), late: false }));
    assert_eq!(asker_of(&desk, 1), Asker::InBackground);
    assert!(take(&mut desk, &goes_on(1, "call")).unwrap().events.is_empty());
}

#[test]
fn case_170_an_agent_that_asks_again_waits_again() {
    let mut desk = desk(&[open(1, "claude-code", 5), asks(1, 1, "call", 10), goes_on(1, "call")]);
    take(&mut desk, &asks(1, 2, "again", 20)).unwrap();
    assert_eq!(asker_of(&desk, 1), Asker::Waits);
    // The first call is in the background, and the agent waits in the second one.
    take(&mut desk, &goes_on(1, "call")).unwrap();
    assert_eq!(asker_of(&desk, 1), Asker::Waits);
    take(&mut desk, &goes_on(1, "again")).unwrap();
    assert_eq!(asker_of(&desk, 1), Asker::InBackground);
    take_all(&mut desk, &[goes(1, 30), open(2, "claude-code", 40), asks(1, 3, "later", 50)]);
    assert_eq!((asker_of(&desk, 1), state_of(&desk, 1).as_str()), (Asker::Waits, "open"));
}

#[test]
fn a_request_that_its_app_left_is_missed_and_reopens_when_it_is_asked_again() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), gone(1, "a", 10)]);
    assert_eq!(state_of(&desk, 1), "orphaned caller_gone");
    assert!(desk.request(request(1)).unwrap().is_missed());
    let again = take(&mut desk, &asks(1, 2, "b", 11)).unwrap();
    assert_eq!(again.request, Some(request(1)));
    assert_eq!(names(&again.events), ["reopened"]);
    assert_eq!((state_of(&desk, 1).as_str(), desk.requests().count()), ("open", 1));
    // Its draft stays.
    assert_eq!(draft_rules::after(&again.events[0]), None);
    take_all(&mut desk, &[answers(1, 20), delivery_noted(1, "b", Ok(()), 21)]);
    assert_eq!(state_of(&desk, 1), "answered, delivered");
}

#[test]
fn case_34_a_repeated_open_question_is_one_request() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6)]);
    let again = take(&mut desk, &asks(1, 2, "b", 7)).unwrap();
    assert_eq!((again.request, names(&again.events)), (Some(request(1)), vec!["asked_again".to_owned()]));
    // The first call leaves, and the other still waits.
    let left = take(&mut desk, &gone(1, "a", 8)).unwrap();
    assert_eq!(names(&left.events), ["call_left"]);
    take_all(&mut desk, &[answers(1, 20), delivery_noted(1, "b", Ok(()), 21)]);
    assert_eq!(state_of(&desk, 1), "answered, delivered");
}

#[rstest]
#[case::soon(ASKED_AGAIN_MILLIS - 1, 1)]
#[case::late(ASKED_AGAIN_MILLIS, 9)]
fn case_34_a_missed_request_is_found_by_its_content_for_three_minutes(
    #[case] later: i64,
    #[case] finds: u128,
) {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), gone(1, "a", 1_000)]);
    assert_eq!(found(&mut desk, &asks(1, 9, "b", 1_000 + later)), Some(request(finds)));
    // A call that names it finds it at any time.
    let mut desk = desks::desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), gone(1, "a", 1_000)]);
    assert_eq!(found(&mut desk, &names_it(1, 9, "b", 1_000 + later, 1)), Some(request(1)));
}

#[test]
fn an_app_that_repeats_its_question_every_minute_asks_one_question() {
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
#[case::in_another_folder(open_as(2, client("codex", "/other"), 7), 2)]
#[case::by_another_way(
    open_as(2, InboundClient { channel: Channel::CommandLine, ..client("codex", "/work") }, 7), 2)]
#[case::of_the_same_client(open(2, "codex", 7), 1)]
fn the_request_of_another_app_is_never_found(#[case] opened: Command, #[case] finds: u128) {
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
    let nowhere = |n, when| open_as(n, InboundClient { folder: None, ..client("codex", "") }, when);
    let asked = [nowhere(1, 5), asks(1, 1, "a", 6)];
    // In the same connection the same text is the same question.
    assert_eq!(found(&mut desk(&asked), &asks(1, 2, "b", 8)), Some(request(1)));
    for before in [vec![], vec![gone(1, "a", 7)], vec![goes(1, 7)], vec![goes(1, 7), answers(1, 7)]] {
        let mut desk = desk(&asked);
        for command in before.iter().chain(&[nowhere(2, 8)]) {
            take(&mut desk, command).unwrap();
        }
        assert!(desk.session(session(2)).is_some(), "the session of another connection is not reopened");
        let named = take(&mut desk.clone(), &names_it(2, 2, "b", 9, 1)).unwrap();
        assert_eq!(named.request, Some(request(1)), "{before:?}");
        assert_eq!(found(&mut desk, &asks(2, 2, "b", 9)), Some(request(2)), "{before:?}");
    }
}

#[test]
fn a_client_with_a_connection_for_each_call_has_one_session() {
    let nowhere = |n, when| open_as(n, InboundClient { folder: None, ..client("codex", "") }, when);
    let mut desk = desk(&[nowhere(1, 5), asks(1, 1, "a", 6)]);
    // What nobody can find any more is no other project's.
    take_all(
        &mut desk,
        &[answers(1, 7), delivery_noted(1, "a", Ok(()), 8), goes(1, 9), nowhere(2, 10), asks(1, 2, "b", 11)],
    );
    assert!(desk.session(session(2)).is_none(), "the first session is used again");
    assert_eq!(state_of(&desk, 2), "open");
    // A connection beside it has a session of its own.
    take(&mut desk, &nowhere(3, 12)).unwrap();
    assert!(desk.session(session(3)).is_some());
}

#[test]
fn a_late_answer_is_delivered_at_once_to_the_app_that_asks_again() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), gone(1, "a", 10)]);
    let late = take(&mut desk, &answers(1, 20)).unwrap();
    assert_eq!((names(&late.events), late.effects), (vec!["answered_late".to_owned()], vec![]));
    assert_eq!(state_of(&desk, 1), "answered, parked");
    let again = take(&mut desk, &asks(1, 2, "b", 30)).unwrap();
    assert_eq!((again.request, again.events), (Some(request(1)), vec![]));
    take(&mut desk, &delivery_noted(1, "b", Ok(()), 31)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered late");
    // Once it is delivered, the same question is a new request.
    assert_eq!(found(&mut desk, &asks(1, 3, "c", 32)), Some(request(3)));
}

#[test]
fn an_undelivered_answer_is_kept_and_can_be_collected() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), answers(1, 20)]);
    assert_eq!(state_of(&desk, 1), "answered, pending");
    take(&mut desk, &delivery_noted(1, "a", Err(DeliveryError::InputClosed), 21)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, parked");
    assert!(desk.request(request(1)).unwrap().is_live());
    take(&mut desk, &delivery_noted(1, "collects", Ok(()), 500)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered late");
    // It stays delivered, whatever is noted later.
    take(&mut desk, &delivery_noted(1, "a", Err(DeliveryError::InputClosed), 501)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered late");
}

#[test]
fn an_answer_to_a_call_that_has_left_is_kept() {
    for last in [gone(1, "a", 21), goes(1, 21), close_earlier_run(21)] {
        let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), answers(1, 20)]);
        take(&mut desk, &last).unwrap();
        assert_eq!(state_of(&desk, 1), "answered, parked", "{last:?}");
    }
}

#[test]
fn case_41_a_request_expires_and_can_still_be_answered() {
    let mut desk = desk(&[open(1, "codex", 5), limited(1, 1, "a", 6, 50), expire(1, 50)]);
    assert_eq!(state_of(&desk, 1), "expired, pending");
    take(&mut desk, &delivery_noted(1, "a", Ok(()), 51)).unwrap();
    assert_eq!(state_of(&desk, 1), "expired, delivered");
    // The same call gets the same result and is not asked again.
    let same = take(&mut desk, &limited(1, 2, "a", 52, 90)).unwrap();
    assert_eq!((same.request, same.events), (Some(request(1)), vec![]));
    take(&mut desk, &answers(1, 70)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, parked");
    take(&mut desk, &delivery_noted(1, "collects", Ok(()), 80)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered late");
}

#[test]
fn case_41_an_expired_request_that_is_asked_again_gets_its_whole_time_limit() {
    let mut desk = desk(&[
        open(1, "codex", 5),
        limited(1, 1, "a", 6, 50),
        expire(1, 50),
        delivery_noted(1, "a", Ok(()), 51),
    ]);
    let again = take(&mut desk, &limited(1, 2, "b", 60, 200)).unwrap();
    assert_eq!(again.request, Some(request(1)));
    assert!(again.effects.contains(&Effect::WatchLimit { request: request(1), at: at(200) }));
    take(&mut desk, &expire(1, 100)).unwrap();
    assert_eq!(state_of(&desk, 1), "open", "the earlier limit no longer applies");
    take(&mut desk, &expire(1, 200)).unwrap();
    assert_eq!(state_of(&desk, 1), "expired, pending");
}

#[test]
fn case_41_without_a_limit_a_request_never_expires() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6)]);
    assert!(take(&mut desk, &expire(1, i64::MAX)).unwrap().events.is_empty());
    assert_eq!(state_of(&desk, 1), "open");
}

#[test]
fn case_54_after_a_restart_the_call_that_names_its_request_finds_it_open() {
    let hour = 60 * 60 * 1_000;
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), close_earlier_run(10)]);
    assert_eq!(state_of(&desk, 1), "orphaned app_quit");
    take(&mut desk, &open(2, "codex", hour)).unwrap();
    assert!(desk.session(session(2)).is_none(), "its earlier session is reopened");
    assert_eq!(found(&mut desk, &names_it(1, 2, "a", hour, 1)), Some(request(1)));
    assert_eq!(state_of(&desk, 1), "open");
    take_all(&mut desk, &[answers(1, hour + 1), delivery_noted(1, "a", Ok(()), hour + 2)]);
    assert_eq!(state_of(&desk, 1), "answered, delivered");
}

#[test]
fn case_58_a_request_that_was_answered_elsewhere_is_withdrawn() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6)]);
    take(&mut desk, &leaves(1, "a", Leave::AnsweredElsewhere, 10)).unwrap();
    assert_eq!(state_of(&desk, 1), "withdrawn answered_elsewhere");
    let too_late = decide(&desk, &answers(1, 20));
    assert!(matches!(too_late, Err(Rejection::AlreadyEnded { .. })), "{too_late:?}");
    // If it was answered here first, nothing changes.
    let mut desk = desks::desk(&[
        open(1, "codex", 5),
        asks(1, 1, "a", 6),
        answers(1, 7),
        delivery_noted(1, "a", Ok(()), 8),
    ]);
    take(&mut desk, &leaves(1, "a", Leave::AnsweredElsewhere, 10)).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered");
}

#[test]
fn a_call_of_one_connection_outlives_the_end_of_another() {
    // The second connection has joined the request of the first, which leaves.
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6), open(2, "codex", 7), asks(2, 2, "b", 8)]);
    let left = take(&mut desk, &goes(1, 9)).unwrap();
    assert_eq!(names(&left.events), ["call_left", "client_left"]);
    assert!(desk.session(session(1)).unwrap().is_running(), "something is open in it");
    take(&mut desk, &answers(1, 20)).unwrap();
    assert!(!desk.session(session(1)).unwrap().is_running());
    take(&mut desk, &delivery_noted(1, "b", Ok(()), 21)).unwrap();
    assert!(state_of(&desk, 1).starts_with("answered, delivered"));
}

#[test]
fn a_request_is_missed_once_its_last_connection_leaves() {
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
fn a_session_that_the_user_closed_reopens_at_the_next_question_of_its_app() {
    let mut desk = desk(&[open(1, "codex", 5), asks(1, 1, "a", 6)]);
    take(&mut desk, &close(1)).unwrap();
    assert_eq!(desk.sessions().count(), 0);
    assert_eq!(state_of(&desk, 1), "orphaned session_stopped");
    // Its app is still connected, and leaves later.
    let mut gone = desk.clone();
    take(&mut gone, &goes(1, 380)).unwrap();
    assert_eq!(gone.sessions().count(), 0);
    // Its next question is a different one.
    let other = Ask { questions: asked(&[single("Which name?", &["A", "B"])]), ..app_ask(1, 2, "b", 400) };
    let again = take(&mut desk, &by_app(other)).unwrap();
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
            delivery_noted(n, &call, if ok { Ok(()) } else { Err(DeliveryError::InputClosed) }, when)
        }),
        3 => (of(), when()).prop_map(|(of, when)| goes(of, when)),
        2 => (n(), some_call()).prop_map(|(n, call)| goes_on(n, &call)),
        4 => (n(), when()).prop_map(|(n, when)| answers(n, when)),
        1 => n().prop_map(|n| decline(n, None)),
        1 => n().prop_map(|n| cancel(n, None)),
        1 => n().prop_map(dismiss),
        1 => (n(), when()).prop_map(|(n, when)| expire(n, when)),
        1 => n().prop_map(retry),
        1 => of().prop_map(close),
        1 => of().prop_map(|of| reply_in_chat(of, "let us talk")),
        1 => of().prop_map(|of| end(of, SessionEnd::Stopped)),
        1 => when().prop_map(close_earlier_run),
    ]
}

fn answers_given(desk: &Desk) -> HashMap<RequestId, (Outcome, Timestamp, Option<Delivery>)> {
    let late = |ended: &&Ended| ended.outcome.can_come_late();
    let said = desk.requests().filter_map(|request| Some((request.id, request.ended().filter(late)?)));
    said.map(|(id, ended)| (id, (ended.outcome.clone(), ended.at, ended.delivery.clone()))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn no_answer_is_lost_or_changed_and_a_replay_gives_the_same_desk(
        commands in prop::collection::vec(some_command(), 1..80),
    ) {
        let mut desk = Desk::default();
        let mut journal = Vec::new();
        for command in &commands {
            let before = answers_given(&desk);
            let Ok(decision) = take(&mut desk, command) else { continue };
            for effect in &decision.effects {
                let needs_a_process =
                    matches!(effect, Effect::SendParked { .. } | Effect::Redeliver { .. } | Effect::SendQueued { .. });
                prop_assert!(!needs_a_process, "{command:?} made {effect:?}");
            }
            let after = answers_given(&desk);
            for (id, (outcome, when, delivery)) in before {
                let now = after.get(&id);
                prop_assert!(now.is_some_and(|now| (&now.0, now.1) == (&outcome, when)), "{command:?}: {now:?}");
                if let Some(Delivery::Delivered { .. }) = delivery {
                    prop_assert_eq!(&now.unwrap().2, &delivery, "a delivered answer is not delivered again");
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

    #[test]
    fn once_all_apps_have_left_nothing_is_open_and_no_session_runs(
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
    fn the_deleted_session_of_an_app_leaves_no_text_and_a_replay_gives_the_same_desk(
        commands in prop::collection::vec(some_command(), 1..60),
    ) {
        let words = ["Which", "codex", "gemini", "/work", "\"c0", "\"c1", "\"c2", "let us talk"];
        check_deletion(&commands, &[], session(1), &words)?;
    }
}

#[test]
fn case_109_an_answer_that_the_call_of_an_agent_did_not_receive_goes_to_its_session_as_a_message() {
    let to_session = [Effect::SendParked { session: session(1) }];
    let mut desk = desk(&[start(1), introduce(1), asks(1, 1, "a", 6), answers(1, 7)]);
    let unheard = delivery_noted(1, "a", Err(DeliveryError::NotAwaited), 8);
    assert_eq!(take(&mut desk, &unheard).unwrap().effects, to_session);
    assert_eq!(desk.parked(session(1)).map(|request| request.id).collect::<Vec<_>>(), [request(1)]);
    let again = take(&mut desk, &unheard).unwrap();
    assert!(again.events.is_empty() && again.effects.is_empty(), "once: {again:?}");

    // Its caller goes while the answer is on its way.
    take_all(&mut desk, &[asks(1, 2, "b", 200_000), answers(2, 200_001)]);
    assert_eq!(take(&mut desk, &gone(1, "b", 200_002)).unwrap().effects, to_session);

    // Its caller goes before the answer.
    take_all(&mut desk, &[asks(1, 3, "c", 400_000), gone(1, "c", 400_001)]);
    assert_eq!(take(&mut desk, &answers(3, 400_002)).unwrap().effects, to_session);
}

#[test]
fn case_109_an_agent_finds_its_open_question_again_and_an_ended_session_gets_none() {
    let mut desk = desk(&[start(1), introduce(1), by_client(1, 1, "a", 6), start(2), introduce(2)]);
    assert_eq!(found(&mut desk, &by_client(1, 2, "b", 7)), Some(request(1)));
    assert_eq!(found(&mut desk, &by_client(2, 3, "c", 8)), Some(request(3)), "never another session's");
    let native = desks::ask(1, 4, store());
    assert_eq!(found(&mut desk, &native), Some(request(4)), "nor one that the agent asks by itself");
    take(&mut desk, &desks::end(1, SessionEnd::Finished)).unwrap();
    assert_eq!(decide(&desk, &by_client(1, 5, "d", 9)), Err(Rejection::SessionGone));
}
