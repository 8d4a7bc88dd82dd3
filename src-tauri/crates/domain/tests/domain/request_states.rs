//! The state changes of a request, command by command.

use crate::support::desks::*;
use crate::support::questions::{asked, choose, single, which};
use askdesk_domain::{
    ApprovalCommand, Ask, AskApproval, Command, Decision, Delivery, Desk, Effect, EndedBy, Event, HelperId,
    Limit, Outcome, QueueEvent, Rejection, RequestCommand, SessionEnd, ValidationError, WithdrawnWhy, decide,
};
use rstest::rstest;

const LIMIT: i64 = 50;

/// Request 1, with a time limit.
fn limited() -> Ask {
    let limit = Some(Limit { at: at(LIMIT), then: "I go on".to_owned() });
    Ask { limit, ..new_ask(1, 1, which()) }
}

fn open() -> Vec<Command> {
    vec![start(1), asks(limited())]
}

/// Every state a request can be in, with the commands that lead there.
fn states() -> Vec<(&'static str, Vec<Command>)> {
    let by_agent = || withdraw(1, 1, WithdrawnWhy::ByAgent);
    let ended = || end(1, SessionEnd::Finished);
    let answered = || answer(1, vec![choose(0, &[0])]);
    let paths: Vec<(&str, Vec<Command>)> = vec![
        ("open", vec![]),
        ("answered, pending", vec![answered()]),
        ("answered, delivered", vec![answered(), note(1, delivered())]),
        ("answered, failed", vec![answered(), note(1, failed())]),
        ("answered, parked", vec![answered(), by_agent()]),
        ("declined, pending", vec![decline(1, Some("no time"))]),
        ("declined, delivered", vec![decline(1, Some("no time")), note(1, delivered())]),
        ("replied_in_chat, pending", vec![reply_in_chat(1, "later")]),
        ("expired, pending", vec![expire(1, LIMIT)]),
        ("withdrawn canceled, pending", vec![cancel(1, None)]),
        ("withdrawn by_agent", vec![by_agent()]),
        ("withdrawn interrupted", vec![withdraw(1, 1, WithdrawnWhy::Interrupted)]),
        ("withdrawn answered_elsewhere", vec![withdraw(1, 1, WithdrawnWhy::AnsweredElsewhere)]),
        ("orphaned agent_ended", vec![ended()]),
        ("orphaned agent_ended", vec![ended(), resume(1), introduce(1)]),
        ("orphaned agent_ended", vec![ended(), forget(1)]),
        ("answered, parked", vec![answered(), ended()]),
        ("answered, parked", vec![ended(), answered()]),
        ("answered, parked", vec![ended(), answered(), forget(1)]),
        ("answered, pending", vec![ended(), answered(), resume(1), introduce(1), send_parked(1)]),
        ("answered, pending", vec![ended(), resume(1), introduce(1), answered(), send_parked(1)]),
        ("answered, failed", vec![answered(), sending(1), ended()]),
        ("answered, failed", vec![answered(), sending(1), ended(), resume(1), introduce(1)]),
        (
            "answered, delivered late",
            vec![ended(), resume(1), introduce(1), answered(), send_parked(1), note(1, delivered_late())],
        ),
        ("replied_in_chat, parked", vec![reply_in_chat(1, "later"), sending(1), ended()]),
        ("withdrawn canceled", vec![ended(), dismiss(1)]),
        ("answered", vec![ended(), answered(), dismiss(1)]),
    ];
    paths.into_iter().map(|(name, path)| (name, open().into_iter().chain(path).collect())).collect()
}

/// The commands that can be about a request.
fn commands() -> Vec<(&'static str, Command)> {
    vec![
        ("asked again", asks(Ask { id: request(9), ..limited() })),
        (
            "asked otherwise",
            asks(Ask { id: request(9), ..new_ask(1, 1, asked(&[single("Which?", &["A", "C"])])) }),
        ),
        ("answer A", answer(1, vec![choose(0, &[0])])),
        ("answer B", answer(1, vec![choose(0, &[1])])),
        ("decline", decline(1, Some("no time"))),
        ("decline without words", decline(1, None)),
        ("cancel", cancel(1, None)),
        ("reply in chat", reply_in_chat(1, "later")),
        ("taken back by the agent", withdraw(1, 1, WithdrawnWhy::ByAgent)),
        ("interrupt", withdraw_all(1, WithdrawnWhy::Interrupted)),
        ("the limit passes", expire(1, LIMIT)),
        ("before the limit", expire(1, LIMIT - 1)),
        ("delivered", note(1, delivered())),
        ("delivered late", note(1, delivered_late())),
        ("not delivered", note(1, failed())),
        ("not sent", note(1, Delivery::Parked)),
        ("send", sending(1)),
        ("send what is parked", send_parked(1)),
        ("dismiss", dismiss(1)),
        ("retry", retry(1)),
        ("the agent ends", end(1, SessionEnd::Finished)),
        ("the app starts again", close_earlier_run(400)),
    ]
}

/// The name of a command, as in `Request(Answer { … })`.
fn short(command: &Command) -> String {
    let words = format!("{command:?}");
    words.split(['(', ' ']).nth(1).unwrap().to_owned()
}

/// How a command changes request 1.
fn result(before: &Desk, command: &Command) -> String {
    match decide(before, command) {
        Ok(decision) if decision.request == Some(request(9)) => "a request of its own".to_owned(),
        Ok(decision) => {
            let mut after = before.clone();
            decision.events.iter().for_each(|event| after.fold(event));
            let (before, after) = (before.request(request(1)).unwrap(), after.request(request(1)).unwrap());
            if before == after { "unchanged".to_owned() } else { format!("-> {}", state(after)) }
        }
        Err(Rejection::AlreadyEnded { by, .. }) => format!("refused: ended by {by:?}").to_lowercase(),
        Err(reject) => format!("refused: {reject}"),
    }
}

/// Every state, and below it the commands that lead to each result.
fn table() -> String {
    let mut table = String::new();
    for (name, path) in states() {
        let before = desk(&path);
        assert_eq!(state(before.request(request(1)).unwrap()), name);
        let steps: Vec<String> = path.iter().skip(2).map(short).collect();
        let way = if steps.len() > 1 { format!(" ({})", steps.join(", ")) } else { String::new() };
        table.push_str(&format!("{name}{way}\n"));
        let mut results: Vec<(String, Vec<&str>)> = Vec::new();
        for (name, command) in commands() {
            let result = result(&before, &command);
            match results.iter_mut().find(|(known, _)| *known == result) {
                Some((_, names)) => names.push(name),
                None => results.push((result, vec![name])),
            }
        }
        for (result, names) in results {
            table.push_str(&format!("  {result}: {}\n", names.join(" | ")));
        }
    }
    table
}

#[test]
fn every_state_changes_only_as_the_table_says() {
    let table = table();
    assert!(
        table == include_str!("request_states.txt"),
        "request_states.txt should be, if that is right:\n{table}"
    );
}

#[track_caller]
fn check(before: &Desk, command: &Command, events: &[&str], effects: &[Effect]) -> Decision {
    let decision = decide(before, command).unwrap();
    assert_eq!(names(&decision.events), events);
    assert_eq!(decision.effects, effects);
    decision
}

fn ended(n: u128, outcome: Outcome) -> [Effect; 1] {
    [Effect::Resolve { request: request(n), outcome }]
}

#[test]
fn a_new_request_starts_its_timer_once() {
    let commands = open();
    let asked = [Effect::WatchLimit { request: request(1), at: at(LIMIT) }];
    check(&desk(&commands[..1]), &commands[1], &["asked"], &asked);
    let again = check(&desk(&commands), &commands[1], &[], &[]);
    assert_eq!(again.request, Some(request(1)));
}

#[test]
fn case_33_the_same_answer_twice_is_one_event_and_one_delivery() {
    let mut desk = desk(&open());
    let first = take(&mut desk, &answer(1, vec![choose(0, &[1])])).unwrap();
    assert_eq!((names(&first.events), first.effects.len()), (vec!["ended".to_owned()], 1));
    let again = check(&desk, &answer(1, vec![choose(0, &[1])]), &[], &[]);
    assert_eq!(again.request, Some(request(1)));
}

#[test]
fn case_24_another_answer_to_an_ended_request_says_who_ended_it_and_when() {
    let desk = desk(&[open(), vec![answer(1, vec![choose(0, &[1])])]].concat());
    let ended = Err(Rejection::AlreadyEnded { by: EndedBy::User, at: at(100) });
    assert_eq!(decide(&desk, &answer(1, vec![choose(0, &[0])])), ended);
    assert_eq!(decide(&desk, &decline(1, None)), ended);
    assert_eq!(decide(&desk, &cancel(1, None)), ended);
}

#[rstest]
#[case::answer(answer(7, vec![choose(0, &[0])]))]
#[case::decline(decline(7, None))]
#[case::cancel(cancel(7, None))]
#[case::retry(retry(7))]
#[case::expire(expire(7, LIMIT))]
#[case::delivered(note(7, delivered()))]
fn case_24_an_unknown_request_is_not_found(#[case] command: Command) {
    assert_eq!(decide(&desk(&open()), &command), Err(Rejection::NotFound { what: "request" }));
}

#[test]
fn case_22_two_open_requests_are_answered_in_any_order() {
    let both = desk(&[start(1), ask(1, 1, which()), ask(1, 2, which())]);
    let open = |desk: &Desk| desk.open_requests(session(1)).map(|request| request.id).collect::<Vec<_>>();
    assert_eq!(open(&both), [request(1), request(2)]);
    for (first, second) in [(1, 2), (2, 1)] {
        let mut desk = both.clone();
        take(&mut desk, &answer(first, vec![choose(0, &[0])])).unwrap();
        assert_eq!(open(&desk), [request(second)]);
        assert!(desk.session(session(1)).unwrap().is_running());
        take(&mut desk, &answer(second, vec![choose(0, &[1])])).unwrap();
        assert_eq!(open(&desk), []);
        assert_eq!(state_of(&desk, first), "answered, pending");
    }
}

#[test]
fn case_23_the_same_call_again_is_the_same_request_and_other_content_is_refused() {
    let commands = open();
    let before = desk(&commands);
    let renewed = asks(Ask { id: request(9), at: at(60), limit: None, ..limited() });
    let again = check(&before, &renewed, &[], &[]);
    assert_eq!(again.request, Some(request(1)));
    let other = asks(Ask { id: request(9), questions: asked(&[single("Else?", &["A"])]), ..limited() });
    let rule = "this ID was used for another question in this session";
    assert_eq!(decide(&before, &other), Err(Rejection::invalid("native_ref", rule)));
}

#[rstest]
#[case::delivered(vec![answer(1, vec![choose(0, &[0])]), note(1, delivered())], true)]
#[case::withdrawn(vec![withdraw(1, 1, WithdrawnWhy::ByAgent)], true)]
#[case::parked(vec![answer(1, vec![choose(0, &[0])]), withdraw(1, 1, WithdrawnWhy::ByAgent)], true)]
#[case::on_its_way(vec![answer(1, vec![choose(0, &[0])])], false)]
#[case::failed(vec![answer(1, vec![choose(0, &[0])]), note(1, failed())], false)]
fn case_140_the_id_of_a_call_that_is_over_may_come_again(#[case] ended: Vec<Command>, #[case] is_over: bool) {
    let mut desk = desk(&[vec![start(1), ask(1, 1, which())], ended].concat());
    let other = Ask { native_ref: native("call-1"), ..new_ask(1, 3, asked(&[single("Else?", &["A"])])) };
    assert_eq!(decide(&desk, &asks(other)).is_ok(), is_over);
    let again = Ask { native_ref: native("call-1"), ..new_ask(1, 2, which()) };
    let known = if is_over { 2 } else { 1 };
    assert_eq!(take(&mut desk, &asks(again)).unwrap().request, Some(request(known)));
    // What the agent says of the call is about the one that waits.
    assert_eq!(desk.by_native_ref(session(1), &native("call-1")).unwrap().id, request(known));
}

#[test]
fn two_sessions_may_use_one_native_id() {
    let second = asks(Ask { id: request(2), session: session(2), ..limited() });
    let desk = desk(&[open(), vec![start(2), second]].concat());
    assert_eq!(desk.by_native_ref(session(1), &native("call-1")).unwrap().id, request(1));
    assert_eq!(desk.by_native_ref(session(2), &native("call-1")).unwrap().id, request(2));
}

#[test]
fn case_25_a_request_without_questions_is_refused() {
    let refused = Err(Rejection::invalid("questions", "too few questions (0; the minimum is 1)"));
    assert_eq!(decide(&desk(&[start(1)]), &ask(1, 1, Vec::new())), refused);
}

#[test]
fn case_25_a_request_of_an_unknown_or_ended_session_is_refused() {
    let questions = asked(&[single("Which?", &["A"])]);
    let ended = desk(&[start(1), end(1, SessionEnd::Stopped)]);
    assert_eq!(decide(&ended, &ask(1, 1, questions.clone())), Err(Rejection::SessionGone));
    assert_eq!(decide(&ended, &ask(2, 1, questions)), Err(Rejection::NotFound { what: "session" }));
}

#[test]
fn case_26_an_interrupt_withdraws_everything_open_in_its_session_and_nothing_else() {
    let before = desk(&[
        start(1),
        start(2),
        ask(1, 1, which()),
        ask(1, 2, which()),
        ask_approval(1, 1),
        ask(2, 3, which()),
        answer(1, vec![choose(0, &[0])]),
    ]);
    let why = WithdrawnWhy::Interrupted;
    let command = withdraw_all(1, why.clone());
    let effects = ended(2, Outcome::Withdrawn { why });
    let decision = check(&before, &command, &["delivery_changed", "ended", "approval_withdrawn"], &effects);
    let mut after = before;
    decision.events.iter().for_each(|event| after.fold(event));
    let states: Vec<String> = after.requests().map(state).collect();
    assert_eq!(states, ["answered, parked", "withdrawn interrupted", "open"]);
    assert_eq!(after.open_approvals(session(1)).count(), 0);
}

#[test]
fn case_107_what_a_helper_asks_outlives_an_interrupt_and_a_chat_message_and_holds_no_message_up() {
    let by_helper = || Some(HelperId::literal("helper"));
    let mut desk = desk(&[
        start(1),
        working(1, false),
        ask(1, 1, which()),
        ApprovalCommand::Ask(Box::new(AskApproval { helper: by_helper(), ..new_ask_approval(1, 1) })).into(),
        RequestCommand::Ask(Ask { helper: by_helper(), ..new_ask(1, 2, which()) }).into(),
    ]);
    take_all(&mut desk, &[withdraw_all(1, WithdrawnWhy::Interrupted), reply_in_chat(1, "let us talk")]);
    let states: Vec<String> = desk.requests().map(state).collect();
    assert_eq!(states, ["withdrawn interrupted", "open"]);
    assert_eq!(desk.open_approvals(session(1)).count(), 1);
    take(&mut desk, &queue(1, 7, "next")).unwrap();
    let sent = take(&mut desk, &send_queued(1, None)).unwrap();
    assert!(sent.events.iter().any(|event| matches!(event, Event::Queue(QueueEvent::Sent { .. }))));
}

#[test]
fn a_chat_message_ends_the_open_requests_of_its_session_alone() {
    let mut desk = desk(&[start(1), start(2), ask(1, 1, which()), ask(1, 2, which()), ask(2, 3, which())]);
    take(&mut desk, &reply_in_chat(1, "let us talk")).unwrap();
    let states: Vec<String> = desk.requests().map(state).collect();
    assert_eq!(states, ["replied_in_chat, pending", "replied_in_chat, pending", "open"]);
    let blank = Err(Rejection::invalid("text", ValidationError::Empty));
    assert_eq!(decide(&desk, &reply_in_chat(2, " \n")), blank);
}

#[test]
fn the_end_of_a_session_orphans_open_requests_and_parks_undelivered_outcomes() {
    let mut desk = desk(&[
        start(1),
        ask(1, 1, which()),
        ask(1, 2, which()),
        ask(1, 3, which()),
        ask_approval(1, 1),
        answer(2, vec![choose(0, &[0])]),
        answer(3, vec![choose(0, &[0])]),
        note(3, delivered()),
    ]);
    let decision = take(&mut desk, &end(1, SessionEnd::Stopped)).unwrap();
    assert_eq!(names(&decision.events), ["ended", "delivery_changed", "approval_withdrawn", "session_ended"]);
    let states: Vec<String> = desk.requests().map(state).collect();
    assert_eq!(states, ["orphaned session_stopped", "answered, parked", "answered, delivered"]);
    let again = take(&mut desk, &end(1, SessionEnd::Finished)).unwrap();
    assert_eq!(again, Decision::default());
}

#[rstest]
#[case::decline(decline(1, Some(&"w".repeat(1024 * 1024))), "words")]
#[case::cancel(cancel(1, Some(&"w".repeat(1024 * 1024))), "reason")]
#[case::chat(reply_in_chat(1, &"w".repeat(1024 * 1024)), "text")]
fn a_text_over_the_bound_is_refused(#[case] command: Command, #[case] field: &str) {
    let refused = Err(Rejection::invalid(field, ValidationError::TooLong { most: 32768, bytes: 1_048_576 }));
    assert_eq!(decide(&desk(&open()), &command), refused);
}

#[test]
fn a_blank_message_of_a_decline_counts_as_none() {
    let mut desk = desk(&open());
    take(&mut desk, &decline(1, Some(" \n"))).unwrap();
    let declined = Outcome::Declined { words: None };
    assert_eq!(desk.request(request(1)).unwrap().ended().unwrap().outcome, declined);
}
