//! Messages that wait: what a queue takes, when it is sent, and that each message goes out once.

use crate::support::desks::*;
use crate::support::questions::{choose, single};
use askdesk_domain::queue::QUEUED_MESSAGES;
use askdesk_domain::text::PERSON_TEXT_BYTES;
use askdesk_domain::{
    ApprovalCommand, Attachment, Command, Desk, Effect, Event, QuestionLimits, QueueCommand, QueueEvent,
    Rejection, RequestCommand, SessionCommand, SessionEnd, SessionState, WithdrawnWhy, decide,
    question_input,
};
use proptest::prelude::*;
use rstest::rstest;

fn working(working: bool) -> Command {
    Command::Session(SessionCommand::SetWorking { session: session(1), working })
}

fn question() -> Command {
    ask(1, 0, question_input::accept(&[single("Which?", &["A", "B"])], QuestionLimits::ASK_USER).unwrap())
}

fn waiting(desk: &Desk) -> Vec<&str> {
    desk.session(session(1)).unwrap().queue.iter().map(|message| message.text.as_str()).collect()
}

fn sent(desk: &Desk, command: &Command) -> Vec<String> {
    let events = decide(desk, command).unwrap().events.into_iter();
    events
        .filter_map(|event| {
            if let Event::Queue(QueueEvent::Sent { message, .. }) = event { Some(message.text) } else { None }
        })
        .collect()
}

#[test]
fn messages_wait_in_order_and_each_can_be_changed_and_taken_back() {
    let mut desk =
        desk(&[start(1), working(true), queue(1, 1, "one"), queue(1, 2, "two"), queue(1, 3, "three")]);
    assert_eq!(waiting(&desk), ["one", "two", "three"]);
    take(&mut desk, &edit_queued(1, 2, "two, but better")).unwrap();
    take(&mut desk, &remove_queued(1, 1)).unwrap();
    assert_eq!(waiting(&desk), ["two, but better", "three"]);
    assert_eq!(take(&mut desk, &remove_queued(1, 1)), Err(Rejection::NotFound { what: "message" }));
    assert_eq!(take(&mut desk, &edit_queued(1, 1, "late")), Err(Rejection::NotFound { what: "message" }));
}

#[test]
fn what_is_attached_waits_and_goes_out_with_its_message() {
    let file = Attachment::File { path: "/srv/notes.txt".to_owned(), bytes: 4 };
    let attachments = vec![file];
    let with = |text: &str| {
        Command::Queue(QueueCommand::Add {
            session: session(1),
            id: message(1),
            text: text.to_owned(),
            attachments: attachments.clone(),
        })
    };
    let mut desk = desk(&[start(1), working(true), with("")]);
    assert_eq!(waiting(&desk), [""], "nothing need be written where something is attached");
    assert_eq!(take(&mut desk, &with("")).unwrap().events, [], "the same again is no news");
    take(&mut desk, &edit_queued(1, 1, "these")).unwrap();
    take(&mut desk, &working(false)).unwrap();
    let events = take(&mut desk, &send_queued(1, None)).unwrap().events;
    let Some(Event::Queue(QueueEvent::Sent { message, .. })) = events.first() else {
        panic!("not sent: {events:?}")
    };
    assert_eq!((message.text.as_str(), &message.attachments), ("these", &attachments));
    let silent = events[0].without_words();
    assert!(!serde_json::to_string(&silent).unwrap().contains("notes"), "{silent:?}");
}

#[test]
fn the_oldest_is_sent_when_the_turn_has_ended_and_begins_the_next_one_in_the_same_step() {
    let mut desk = desk(&[start(1), working(true), queue(1, 1, "one"), queue(1, 2, "two")]);
    assert_eq!(decide(&desk, &send_queued(1, None)).unwrap().events, []);
    take(&mut desk, &working(false)).unwrap();
    let events = take(&mut desk, &send_queued(1, None)).unwrap().events;
    assert_eq!(names(&events), ["queued_sent", "turn_began"]);
    assert_eq!(waiting(&desk), ["two"]);
    assert_eq!(desk.session(session(1)).unwrap().state, SessionState::Working);
    assert_eq!(decide(&desk, &send_queued(1, None)).unwrap().events, []);
}

#[test]
fn case_35_nothing_is_sent_by_itself_past_an_open_question_and_the_question_stays_open() {
    let mut desk = desk(&[start(1), working(true), question(), queue(1, 1, "one"), working(false)]);
    assert_eq!(decide(&desk, &send_queued(1, None)).unwrap(), Default::default());
    assert!(desk.request(request(0)).unwrap().is_open());
    assert!(
        matches!(decide(&desk, &send_queued(1, Some(1))), Err(Rejection::Invalid { field, .. }) if field == "session")
    );
    take(&mut desk, &answer(0, vec![choose(0, &[0])])).unwrap();
    assert_eq!(sent(&desk, &send_queued(1, None)), ["one"]);
}

#[test]
fn nothing_is_sent_by_itself_past_an_open_permission() {
    let mut desk = desk(&[start(1), working(true), ask_approval(1, 0), queue(1, 1, "one"), working(false)]);
    assert_eq!(sent(&desk, &send_queued(1, None)), [""; 0]);
    let decision = decides(&["allow"]);
    take(
        &mut desk,
        &Command::Approval(ApprovalCommand::Decide { approval: approval(0), decision, at: at(5) }),
    )
    .unwrap();
    assert_eq!(sent(&desk, &send_queued(1, None)), ["one"]);
}

#[test]
fn the_person_can_send_any_of_them_at_once_into_a_running_turn() {
    let mut desk = desk(&[start(1), working(true), queue(1, 1, "one"), queue(1, 2, "two")]);
    let events = take(&mut desk, &send_queued(1, Some(2))).unwrap().events;
    assert_eq!(names(&events), ["queued_sent"]);
    assert_eq!(waiting(&desk), ["one"]);
}

#[test]
fn what_comes_when_the_agent_already_rests_does_not_wait_for_another_turn() {
    let mut desk = desk(&[start(1), working(true), working(false)]);
    let effects = take(&mut desk, &queue(1, 1, "one")).unwrap().effects;
    assert_eq!(effects, [Effect::SendQueued { session: session(1) }]);
    take(&mut desk, &working(true)).unwrap();
    assert_eq!(take(&mut desk, &queue(1, 2, "two")).unwrap().effects, []);
}

#[test]
fn a_queue_survives_the_end_of_its_session_and_takes_no_more() {
    let mut desk = desk(&[start(1), queue(1, 1, "one"), end(1, SessionEnd::AppQuit)]);
    assert_eq!(waiting(&desk), ["one"]);
    assert_eq!(sent(&desk, &send_queued(1, None)), [""; 0]);
    assert_eq!(decide(&desk, &send_queued(1, Some(1))), Err(Rejection::SessionGone));
    assert_eq!(decide(&desk, &queue(1, 2, "two")), Err(Rejection::SessionGone));
    take(&mut desk, &edit_queued(1, 1, "later")).unwrap();
    assert_eq!(waiting(&desk), ["later"]);
    take(&mut desk, &remove_queued(1, 1)).unwrap();
    assert_eq!(waiting(&desk), [""; 0]);
}

#[rstest]
#[case::nothing("", "text")]
#[case::blank(" \n\u{200b}", "text")]
#[case::too_long(&"x".repeat(PERSON_TEXT_BYTES + 1), "text")]
fn a_message_that_says_nothing_or_too_much_is_refused(#[case] text: &str, #[case] named: &str) {
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
enum Deed {
    Queue(u128),
    Remove(u128),
    TurnEnds,
    SendNext,
    SendNow(u128),
    Interrupted,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (0..10_u128).prop_map(Deed::Queue),
        1 => (0..10_u128).prop_map(Deed::Remove),
        3 => Just(Deed::TurnEnds),
        3 => Just(Deed::SendNext),
        1 => (0..10_u128).prop_map(Deed::SendNow),
        1 => Just(Deed::Interrupted),
    ]
}

proptest! {
    #[test]
    fn every_message_is_sent_once_or_taken_back_or_still_waits(deeds in prop::collection::vec(deed(), 1..60)) {
        let mut desk = desk(&[start(1), working(true)]);
        let (mut queued, mut gone) = (Vec::new(), Vec::new());
        for (turn, deed) in deeds.iter().enumerate() {
            // An id is drawn anew for each message, so none is ever used twice.
            let id = |n: &u128| *n + 100 * turn as u128;
            let pick = |n: &u128| queued.get(*n as usize).copied().unwrap_or(999_u128);
            let command = match deed {
                Deed::Queue(n) => { queued.push(id(n)); queue(1, id(n), &id(n).to_string()) }
                Deed::Remove(n) => remove_queued(1, pick(n)),
                Deed::TurnEnds => working(false),
                Deed::SendNext => send_queued(1, None),
                Deed::SendNow(n) => send_queued(1, Some(pick(n))),
                Deed::Interrupted => Command::Request(RequestCommand::WithdrawAll { session: session(1), why: WithdrawnWhy::Interrupted, at: at(9) }),
            };
            let was_working = desk.session(session(1)).unwrap().state == SessionState::Working;
            let oldest = waiting(&desk).first().map(|text| (*text).to_owned());
            let Ok(decision) = take(&mut desk, &command) else { continue };
            for event in &decision.events {
                match event {
                    Event::Queue(QueueEvent::Sent { message, .. }) => {
                        gone.push(message.text.clone());
                        if matches!(deed, Deed::SendNext) {
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
        let mut all: Vec<String> = gone.into_iter().chain(waiting(&desk).into_iter().map(str::to_owned)).collect();
        all.sort();
        let mut expected: Vec<String> = queued.iter().map(u128::to_string).collect();
        expected.sort();
        prop_assert_eq!(all, expected);
    }
}
