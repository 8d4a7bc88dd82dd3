//! The message queue: what it accepts, when it is sent, and that each message is sent once.

use crate::support::desks::*;
use crate::support::questions::{choose, which};
use askdesk_domain::attachment::MESSAGE_BYTES;
use askdesk_domain::queue::QUEUED_MESSAGES;
use askdesk_domain::{
    Attachment, Command, Desk, Effect, Event, QueueCommand, QueueEvent, Rejection, SessionEnd, SessionState,
    WithdrawnWhy, decide,
};
use proptest::prelude::*;
use rstest::rstest;

fn question() -> Command {
    ask(1, 0, which())
}

fn queued(desk: &Desk) -> Vec<&str> {
    desk.session(session(1)).unwrap().queue.iter().map(|message| message.text.as_str()).collect()
}

fn sent(desk: &Desk, command: &Command) -> Vec<String> {
    let sent = |event| match event {
        Event::Queue(QueueEvent::Sent { message, .. }) => Some(message.text),
        _ => None,
    };
    decide(desk, command).unwrap().events.into_iter().filter_map(sent).collect()
}

#[test]
fn queued_messages_keep_their_order_and_can_be_edited_and_removed() {
    let mut desk =
        desk(&[start(1), working(1, true), queue(1, 1, "one"), queue(1, 2, "two"), queue(1, 3, "three")]);
    assert_eq!(queued(&desk), ["one", "two", "three"]);
    take_all(&mut desk, &[edit_queued(1, 2, "two, but better"), remove_queued(1, 1)]);
    assert_eq!(queued(&desk), ["two, but better", "three"]);
    assert_eq!(take(&mut desk, &remove_queued(1, 1)), Err(Rejection::NotFound { what: "message" }));
    assert_eq!(take(&mut desk, &edit_queued(1, 1, "late")), Err(Rejection::NotFound { what: "message" }));
}

#[test]
fn attachments_are_queued_and_sent_with_their_message() {
    let file = Attachment::File { path: "/srv/notes.txt".to_owned(), bytes: 4 };
    let attachments = vec![file];
    let with = |text: &str| -> Command {
        let (text, attachments) = (text.to_owned(), attachments.clone());
        QueueCommand::Add { session: session(1), id: message(1), text, attachments }.into()
    };
    let mut desk = desk(&[start(1), working(1, true), with("")]);
    assert_eq!(queued(&desk), [""], "an attachment needs no text");
    assert_eq!(take(&mut desk, &with("")).unwrap().events, [], "the same message again changes nothing");
    take_all(&mut desk, &[edit_queued(1, 1, "these"), working(1, false)]);
    let events = take(&mut desk, &send_queued(1, None)).unwrap().events;
    let Some(Event::Queue(QueueEvent::Sent { message, .. })) = events.first() else {
        panic!("not sent: {events:?}")
    };
    assert_eq!((message.text.as_str(), &message.attachments), ("these", &attachments));
    let silent = events[0].without_words();
    assert!(!serde_json::to_string(&silent).unwrap().contains("notes"), "{silent:?}");
}

#[test]
fn the_oldest_message_is_sent_after_the_turn_and_begins_the_next_one_at_once() {
    let mut desk = desk(&[start(1), working(1, true), queue(1, 1, "one"), queue(1, 2, "two")]);
    assert_eq!(decide(&desk, &send_queued(1, None)).unwrap().events, []);
    take(&mut desk, &working(1, false)).unwrap();
    let events = take(&mut desk, &send_queued(1, None)).unwrap().events;
    assert_eq!(names(&events), ["queued_sent", "turn_began"]);
    assert_eq!(queued(&desk), ["two"]);
    assert_eq!(desk.session(session(1)).unwrap().state, SessionState::Working);
    assert_eq!(decide(&desk, &send_queued(1, None)).unwrap().events, []);
}

#[test]
fn case_35_no_queued_message_is_sent_while_a_question_is_open() {
    let mut desk = desk(&[start(1), working(1, true), question(), queue(1, 1, "one"), working(1, false)]);
    assert_eq!(decide(&desk, &send_queued(1, None)).unwrap(), Default::default());
    assert!(desk.request(request(0)).unwrap().is_open());
    assert!(
        matches!(decide(&desk, &send_queued(1, Some(1))), Err(Rejection::Invalid { field, .. }) if field == "session")
    );
    take(&mut desk, &answer(0, vec![choose(0, &[0])])).unwrap();
    assert_eq!(sent(&desk, &send_queued(1, None)), ["one"]);
}

#[test]
fn no_queued_message_is_sent_while_a_permission_request_is_open() {
    let mut desk =
        desk(&[start(1), working(1, true), ask_approval(1, 0), queue(1, 1, "one"), working(1, false)]);
    assert_eq!(sent(&desk, &send_queued(1, None)), [""; 0]);
    take(&mut desk, &decide_approval(0, decides(&["allow"]))).unwrap();
    assert_eq!(sent(&desk, &send_queued(1, None)), ["one"]);
}

#[test]
fn the_user_can_send_any_queued_message_during_a_turn() {
    let mut desk = desk(&[start(1), working(1, true), queue(1, 1, "one"), queue(1, 2, "two")]);
    let events = take(&mut desk, &send_queued(1, Some(2))).unwrap().events;
    assert_eq!(names(&events), ["queued_sent"]);
    assert_eq!(queued(&desk), ["one"]);
}

#[test]
fn a_message_for_an_idle_agent_is_sent_without_another_turn() {
    let mut desk = desk(&[start(1), working(1, true), working(1, false)]);
    let effects = take(&mut desk, &queue(1, 1, "one")).unwrap().effects;
    assert_eq!(effects, [Effect::SendQueued { session: session(1) }]);
    take(&mut desk, &working(1, true)).unwrap();
    assert_eq!(take(&mut desk, &queue(1, 2, "two")).unwrap().effects, []);
}

#[test]
fn a_queue_survives_the_end_of_its_session_and_accepts_no_more() {
    let mut desk = desk(&[start(1), queue(1, 1, "one"), end(1, SessionEnd::AppQuit)]);
    assert_eq!(queued(&desk), ["one"]);
    assert_eq!(sent(&desk, &send_queued(1, None)), [""; 0]);
    assert_eq!(decide(&desk, &send_queued(1, Some(1))), Err(Rejection::SessionGone));
    assert_eq!(decide(&desk, &queue(1, 2, "two")), Err(Rejection::SessionGone));
    take(&mut desk, &edit_queued(1, 1, "later")).unwrap();
    assert_eq!(queued(&desk), ["later"]);
    take(&mut desk, &remove_queued(1, 1)).unwrap();
    assert_eq!(queued(&desk), [""; 0]);
}

#[rstest]
#[case::nothing("", "text")]
#[case::blank(" \n\u{200b}", "text")]
#[case::too_long(&"x".repeat(MESSAGE_BYTES + 1), "text")]
fn a_blank_or_too_long_message_is_refused(#[case] text: &str, #[case] named: &str) {
    let desk = desk(&[start(1), queue(1, 1, "one")]);
    for command in [queue(1, 2, text), edit_queued(1, 1, text)] {
        let refused = decide(&desk, &command);
        assert!(matches!(&refused, Err(Rejection::Invalid { field, .. }) if field == named), "{refused:?}");
    }
}

#[test]
fn a_queue_is_bounded() {
    let mut desk = desk(&[start(1)]);
    for n in 0..QUEUED_MESSAGES as u128 {
        take(&mut desk, &queue(1, n, "again")).unwrap();
    }
    let refused = decide(&desk, &queue(1, 1_000, "one too many"));
    assert!(matches!(&refused, Err(Rejection::Invalid { field, .. }) if field == "queue"), "{refused:?}");
    assert_eq!(decide(&desk, &queue(1, 0, "again")).unwrap().events, []);
}

#[derive(Clone, Debug)]
enum Step {
    Queue(u128),
    Remove(u128),
    TurnEnds,
    SendNext,
    SendNow(u128),
    Interrupted,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..10_u128).prop_map(Step::Queue),
        1 => (0..10_u128).prop_map(Step::Remove),
        3 => Just(Step::TurnEnds),
        3 => Just(Step::SendNext),
        1 => (0..10_u128).prop_map(Step::SendNow),
        1 => Just(Step::Interrupted),
    ]
}

proptest! {
    #[test]
    fn every_message_is_sent_once_or_removed_or_still_queued(steps in prop::collection::vec(step(), 1..60)) {
        let mut desk = desk(&[start(1), working(1, true)]);
        let (mut added, mut gone) = (Vec::new(), Vec::new());
        for (turn, step) in steps.iter().enumerate() {
            // Each message gets a new id.
            let id = |n: &u128| *n + 100 * turn as u128;
            let pick = |n: &u128| added.get(*n as usize).copied().unwrap_or(999_u128);
            let command = match step {
                Step::Queue(n) => { added.push(id(n)); queue(1, id(n), &id(n).to_string()) }
                Step::Remove(n) => remove_queued(1, pick(n)),
                Step::TurnEnds => working(1, false),
                Step::SendNext => send_queued(1, None),
                Step::SendNow(n) => send_queued(1, Some(pick(n))),
                Step::Interrupted => withdraw_all(1, WithdrawnWhy::Interrupted),
            };
            let was_working = desk.session(session(1)).unwrap().state == SessionState::Working;
            let oldest = queued(&desk).first().map(|text| (*text).to_owned());
            let Ok(decision) = take(&mut desk, &command) else { continue };
            for event in &decision.events {
                match event {
                    Event::Queue(QueueEvent::Sent { message, .. }) => {
                        gone.push(message.text.clone());
                        if matches!(step, Step::SendNext) {
                            prop_assert!(!was_working);
                            prop_assert_eq!(Some(&message.text), oldest.as_ref());
                        }
                    }
                    Event::Queue(QueueEvent::Removed { message, .. }) => {
                        gone.push((message.uuid().as_u128() - 0x300).to_string());
                    }
                    _ => {}
                }
            }
        }
        let mut all: Vec<String> = gone.into_iter().chain(queued(&desk).into_iter().map(str::to_owned)).collect();
        all.sort();
        let mut expected: Vec<String> = added.iter().map(u128::to_string).collect();
        expected.sort();
        prop_assert_eq!(all, expected);
    }
}
