//! What an agent asks again while it is open waits for one request, and each call is told of its end once.

use std::collections::HashMap;

use crate::support::desks::*;
use crate::support::questions::{choose, draft, single};
use askdesk_domain::{
    ASKED_AGAIN_MILLIS, Ask, CALLS_OF_A_REQUEST, Command, Delivery, Desk, Effect, Event, Limit, NativeRef,
    Outcome, Question, QuestionKind, QuestionLimits, RawOption, RawQuestion, Rejection, RequestCommand,
    RequestEvent, SessionEnd, WithdrawnWhy, decide, question_input,
};
use proptest::prelude::*;
use rstest::rstest;

fn accepted(draft: RawQuestion) -> Vec<Question> {
    question_input::accept(&[draft], QuestionLimits::FOREIGN).unwrap()
}

fn store() -> Vec<Question> {
    accepted(single("Which store?", &["SQLite", "Files"]))
}

/// The same question in session 1 under another call, `after` milliseconds later.
fn again(n: u128, after: i64) -> Ask {
    let Command::Request(RequestCommand::Ask(ask)) = ask(1, n, store()) else { unreachable!() };
    Ask { asked_by: None, at: at(10 + after), ..ask }
}

fn asked(n: u128, after: i64) -> Command {
    Command::Request(RequestCommand::Ask(again(n, after)))
}

fn call(n: u128) -> NativeRef {
    native(&format!("call-{n}"))
}

/// A session that asked by call 1, and the same again by calls 2 and 3.
fn three() -> Desk {
    desk(&[start(1), asked(1, 0), asked(2, 5), asked(3, 9)])
}

fn sqlite() -> Command {
    answer(1, vec![choose(0, &[0])])
}

fn state_of(desk: &Desk) -> String {
    state(desk.request(request(1)).unwrap())
}

#[test]
fn case_34_the_same_content_asked_again_is_one_request_and_news_to_nobody() {
    let mut desk = desk(&[start(1), asked(1, 0)]);
    let second = take(&mut desk, &asked(2, ASKED_AGAIN_MILLIS - 1)).unwrap();
    assert_eq!(second.request, Some(request(1)));
    assert_eq!(names(&second.events), ["asked_again"]);
    assert_eq!(second.effects, []);
    assert_eq!(desk.requests().count(), 1);
    assert_eq!(desk.by_native_ref(session(1), &call(2)).map(|it| it.id), Some(request(1)));
    // Each call that is sent once more is known.
    for n in [1, 2] {
        let renewed = take(&mut desk, &asked(n, 40)).unwrap();
        assert_eq!((renewed.request, renewed.events.len()), (Some(request(1)), 0));
        let other = Command::Request(RequestCommand::Ask(Ask {
            questions: accepted(single("Else?", &["A", "B"])),
            ..again(n, 40)
        }));
        assert!(
            matches!(decide(&desk, &other), Err(Rejection::Invalid { field, .. }) if field == "native_ref")
        );
    }
}

#[test]
fn case_34_three_minutes_after_it_was_asked_the_same_is_a_new_question_however_often_it_came_meanwhile() {
    let mut desk = desk(&[start(1), asked(1, 0), asked(2, ASKED_AGAIN_MILLIS - 1)]);
    let third = take(&mut desk, &asked(3, ASKED_AGAIN_MILLIS)).unwrap();
    assert_eq!(third.request, Some(request(3)));
    assert_eq!(third.effects, [Effect::Notify { request: request(3) }]);
    // What is asked from now on joins the newer one.
    assert_eq!(take(&mut desk, &asked(4, ASKED_AGAIN_MILLIS + 1)).unwrap().request, Some(request(3)));
}

#[rstest]
#[case::by_an_answer(sqlite())]
#[case::by_declining(decline(1, None))]
#[case::by_a_message(reply_in_chat(1, "let us talk"))]
#[case::by_the_agent(withdraw(1, 1, WithdrawnWhy::ByAgent))]
fn case_34_a_request_that_has_ended_takes_in_no_further_call(#[case] how: Command) {
    let mut desk = desk(&[start(1), asked(1, 0), how]);
    assert_eq!(take(&mut desk, &asked(2, 5)).unwrap().request, Some(request(2)));
    assert!(desk.request(request(2)).unwrap().is_open());
}

#[test]
fn case_34_what_differs_in_anything_a_person_sees_or_in_who_asks_is_a_question_of_its_own() {
    let option = |label: &str, description: Option<&str>, preview: Option<&str>| RawOption {
        label: label.to_owned(),
        description: description.map(str::to_owned),
        preview: preview.map(str::to_owned),
    };
    let with = |first: RawOption| RawQuestion {
        options: vec![first, option("Files", None, None)],
        ..single("Which store?", &[])
    };
    let text = accepted(single("Which shop?", &["SQLite", "Files"]));
    let header =
        RawQuestion { header: Some("Store".to_owned()), ..single("Which store?", &["SQLite", "Files"]) };
    let kind = RawQuestion { kind: QuestionKind::Multi, ..single("Which store?", &["SQLite", "Files"]) };
    let words = accepted(draft(QuestionKind::Text, "Which store?", &[]));
    let more = [store(), words.clone()].concat();
    let contents = [
        text,
        accepted(header),
        accepted(kind),
        words,
        more,
        accepted(single("Which store?", &["SQL", "Files"])),
        accepted(single("Which store?", &["Files", "SQLite"])),
        accepted(with(option("SQLite", Some("One file"), None))),
        accepted(with(option("SQLite", None, Some("open()")))),
    ];
    let asks = contents.into_iter().map(|questions| Ask { questions, ..again(2, 5) }).chain([
        Ask { asked_by: Some("explorer".to_owned()), ..again(2, 5) },
        Ask { limit: Some(Limit { at: at(900), then: String::new() }), ..again(2, 5) },
        Ask { session: session(2), ..again(2, 5) },
    ]);
    for ask in asks {
        let mut desk = desk(&[start(1), start(2), asked(1, 0)]);
        let decision = take(&mut desk, &Command::Request(RequestCommand::Ask(ask.clone()))).unwrap();
        assert_eq!(decision.request, Some(request(2)), "{ask:?}");
    }
    // Content alone counts: what was read twice from the same texts is the same.
    let mut desk = desk(&[start(1), asked(1, 0)]);
    let same = Ask { questions: accepted(single("Which store?", &["SQLite", "Files"])), ..again(2, 5) };
    assert_eq!(
        take(&mut desk, &Command::Request(RequestCommand::Ask(same))).unwrap().request,
        Some(request(1))
    );
}

#[test]
fn case_34_a_request_takes_in_only_so_many_calls_and_the_next_is_asked_by_itself() {
    let mut desk = desk(&[start(1)]);
    for n in 1..=CALLS_OF_A_REQUEST as u128 {
        assert_eq!(take(&mut desk, &asked(n, 5)).unwrap().request, Some(request(1)));
    }
    let next = CALLS_OF_A_REQUEST as u128 + 1;
    assert_eq!(take(&mut desk, &asked(next, 5)).unwrap().request, Some(request(next)));
}

#[test]
fn case_34_one_answer_goes_to_each_call_once_and_is_delivered_when_all_have_it() {
    let mut desk = three();
    let ended = take(&mut desk, &sqlite()).unwrap();
    let resolved = ended.effects.iter().filter(|effect| matches!(effect, Effect::Resolve { .. })).count();
    assert_eq!((resolved, ends_of(&ended.events, request(1))), (1, 1));
    for n in [2, 1, 3] {
        assert_eq!(state_of(&desk), "answered, pending");
        assert!(take(&mut desk, &sending_to(1, n)).is_ok());
        assert!(take(&mut desk, &sending_to(1, n)).is_err(), "twice to call {n}");
        let at = at(200 + i64::try_from(n).unwrap());
        take(&mut desk, &note_call(1, n, Delivery::Delivered { at, late: false })).unwrap();
        assert!(take(&mut desk, &sending_to(1, n)).is_err(), "again to call {n}");
    }
    let last = Delivery::Delivered { at: at(203), late: false };
    assert_eq!(desk.request(request(1)).unwrap().ended().unwrap().delivery, Some(last));
    assert!(take(&mut desk, &sending_to(1, 4)).is_err(), "to a call that never asked");
}

#[test]
fn case_34_what_one_call_could_not_be_told_is_retried_for_that_one_alone() {
    let mut desk = three();
    take(&mut desk, &sqlite()).unwrap();
    for n in [1, 2, 3] {
        take(&mut desk, &sending_to(1, n)).unwrap();
    }
    take(&mut desk, &note_call(1, 1, delivered())).unwrap();
    take(&mut desk, &note_call(1, 2, failed())).unwrap();
    assert_eq!(state_of(&desk), "answered, failed");
    take(&mut desk, &note_call(1, 3, delivered())).unwrap();
    assert_eq!(state_of(&desk), "answered, failed");
    let retry = Command::Request(RequestCommand::Retry { request: request(1) });
    let decision = take(&mut desk, &retry).unwrap();
    let to = |effect: &Effect| match effect {
        Effect::Redeliver { request, native_ref, .. } => (*request, native_ref.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(decision.effects.iter().map(to).collect::<Vec<_>>(), [(request(1), call(2))]);
    assert_eq!(state_of(&desk), "answered, pending");
    assert_eq!(take(&mut desk, &retry).unwrap().effects, []);
    assert!(take(&mut desk, &sending_to(1, 1)).is_err());
    take(&mut desk, &sending_to(1, 2)).unwrap();
    take(&mut desk, &note_call(1, 2, delivered())).unwrap();
    assert_eq!(state_of(&desk), "answered, delivered");
}

#[test]
fn case_34_a_call_that_is_taken_back_leaves_the_question_open_for_the_others_until_the_last_is() {
    let mut desk = three();
    let first = take(&mut desk, &withdraw(1, 1, WithdrawnWhy::ByAgent)).unwrap();
    assert_eq!(names(&first.events), ["call_left"]);
    assert_eq!(first.effects, [Effect::LetGo { request: request(1), native_ref: call(1) }]);
    assert_eq!(take(&mut desk, &withdraw(1, 1, WithdrawnWhy::ByAgent)).unwrap().events, []);
    assert_eq!(desk.by_native_ref(session(1), &call(1)), None);
    take(&mut desk, &withdraw(1, 3, WithdrawnWhy::ByAgent)).unwrap();
    assert_eq!(state_of(&desk), "open");
    let last = take(&mut desk, &withdraw(1, 2, WithdrawnWhy::ByAgent)).unwrap();
    assert_eq!(names(&last.events), ["ended"]);
    assert_eq!(state_of(&desk), "withdrawn by_agent");
}

#[test]
fn case_34_a_call_that_was_taken_back_may_ask_again_and_those_that_left_are_told_nothing() {
    let mut desk = three();
    take(&mut desk, &withdraw(1, 1, WithdrawnWhy::ByAgent)).unwrap();
    take(&mut desk, &withdraw(1, 3, WithdrawnWhy::ByAgent)).unwrap();
    let back = take(&mut desk, &asked(1, 60)).unwrap();
    assert_eq!((back.request, names(&back.events)), (Some(request(1)), vec!["asked_again".to_owned()]));
    take(&mut desk, &sqlite()).unwrap();
    assert!(take(&mut desk, &sending_to(1, 3)).is_err());
    for n in [1, 2] {
        take(&mut desk, &sending_to(1, n)).unwrap();
        take(&mut desk, &note_call(1, n, delivered())).unwrap();
    }
    assert_eq!(state_of(&desk), "answered, delivered");
}

#[test]
fn case_34_a_call_taken_back_after_the_answer_is_waited_for_no_more() {
    let mut desk = three();
    take(&mut desk, &sqlite()).unwrap();
    take(&mut desk, &withdraw(1, 3, WithdrawnWhy::ByAgent)).unwrap();
    for n in [1, 2] {
        take(&mut desk, &sending_to(1, n)).unwrap();
        take(&mut desk, &note_call(1, n, delivered())).unwrap();
    }
    assert_eq!(state_of(&desk), "answered, delivered");
}

#[test]
fn case_34_an_agent_that_took_back_all_calls_has_its_answer_parked() {
    let mut desk = three();
    take(&mut desk, &sqlite()).unwrap();
    let why = WithdrawnWhy::TurnEnded;
    take(&mut desk, &Command::Request(RequestCommand::WithdrawAll { session: session(1), why, at: at(150) }))
        .unwrap();
    assert_eq!(state_of(&desk), "answered, parked");
    take(&mut desk, &end(1, SessionEnd::Finished)).unwrap();
    take(&mut desk, &resume(1)).unwrap();
    take(&mut desk, &introduce(1)).unwrap();
    let sent = take(&mut desk, &send_parked(1)).unwrap();
    assert_eq!(names(&sent.events), ["sending"]);
    assert_eq!(take(&mut desk, &send_parked(1)).unwrap().events, []);
    take(&mut desk, &note(1, delivered_late())).unwrap();
    assert_eq!(state_of(&desk), "answered, delivered late");
}

#[rstest]
#[case::none_was_told(&[], &[], "answered, parked")]
#[case::one_may_have_been_told(&[2], &[], "answered, failed")]
#[case::one_was_told(&[2], &[2], "answered, delivered")]
#[case::one_was_told_and_one_may_have_been(&[1, 2], &[2], "answered, delivered")]
fn case_34_when_the_agent_ends_what_one_call_was_told_is_not_sent_again(
    #[case] sent: &[u128],
    #[case] told: &[u128],
    #[case] becomes: &str,
) {
    let mut desk = three();
    take(&mut desk, &sqlite()).unwrap();
    for n in sent {
        take(&mut desk, &sending_to(1, *n)).unwrap();
    }
    for n in told {
        take(&mut desk, &note_call(1, *n, delivered())).unwrap();
    }
    take(&mut desk, &end(1, SessionEnd::Finished)).unwrap();
    assert_eq!(state_of(&desk), becomes);
    take(&mut desk, &resume(1)).unwrap();
    take(&mut desk, &introduce(1)).unwrap();
    let goes = take(&mut desk, &send_parked(1)).unwrap().events.len();
    assert_eq!(goes, usize::from(becomes == "answered, parked"));
}

#[test]
fn case_34_missed_with_several_calls_it_is_one_missed_question_and_its_late_answer_is_one_message() {
    let mut desk = three();
    let ended = take(&mut desk, &end(1, SessionEnd::Finished)).unwrap();
    assert_eq!(ends_of(&ended.events, request(1)), 1);
    assert_eq!(state_of(&desk), "orphaned agent_ended");
    take(&mut desk, &sqlite()).unwrap();
    take(&mut desk, &resume(1)).unwrap();
    take(&mut desk, &introduce(1)).unwrap();
    assert_eq!(names(&take(&mut desk, &send_parked(1)).unwrap().events), ["sending"]);
    take(&mut desk, &note(1, delivered_late())).unwrap();
    assert_eq!(state_of(&desk), "answered, delivered late");
    // The new run's calls have nothing to do with those of the old one.
    assert_eq!(take(&mut desk, &asked(2, 20)).unwrap().request, Some(request(2)));
}

fn some_step() -> impl Strategy<Value = Command> {
    const REQUESTS: u128 = 3;
    const CALLS: u128 = 5;
    let news = prop_oneof![
        3 => Just(delivered()),
        2 => Just(failed()),
        1 => Just(Delivery::Parked),
    ];
    prop_oneof![
        8 => (1..=CALLS, 0_i64..400_000).prop_map(|(n, after)| asked(n, after)),
        3 => (1..=REQUESTS).prop_map(|n| answer(n, vec![choose(0, &[0])])),
        1 => (1..=REQUESTS).prop_map(|n| decline(n, None)),
        1 => Just(reply_in_chat(1, "let us talk")),
        3 => (1..=CALLS).prop_map(|n| withdraw(1, n, WithdrawnWhy::ByAgent)),
        8 => (1..=REQUESTS, 1..=CALLS).prop_map(|(n, call)| sending_to(n, call)),
        6 => (1..=REQUESTS, 1..=CALLS, news).prop_map(|(n, call, news)| note_call(n, call, news)),
        2 => (1..=REQUESTS).prop_map(|n| Command::Request(RequestCommand::Retry { request: request(n) })),
        1 => Just(end(1, SessionEnd::Finished)),
        1 => Just(resume(1)),
        1 => Just(send_parked(1)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// Between two times that an end leaves for one call stands the news that the first time failed.
    #[test]
    fn each_call_is_handed_each_end_at_most_once_and_the_journal_replayed_is_the_memory(
        steps in prop::collection::vec(some_step(), 1..60),
    ) {
        let mut desk = Desk::default();
        let mut journal = take(&mut desk, &start(1)).unwrap().events;
        let mut left = HashMap::new();
        for step in &steps {
            let Ok(decision) = take(&mut desk, step) else { continue };
            for event in &decision.events {
                match event {
                    Event::Request(RequestEvent::Sending { request, late: false, call }) => {
                        let twice = left.insert((*request, call.clone()), step.clone());
                        prop_assert_eq!(twice, None, "{:?}", event);
                    }
                    Event::Request(RequestEvent::DeliveryChanged { request, call: None, delivery: Delivery::Failed { .. } }) => {
                        left.remove(&(*request, None));
                    }
                    Event::Request(RequestEvent::DeliveryChanged { request, call: Some(news), .. })
                        if matches!(news.delivery, Delivery::Failed { .. }) =>
                    {
                        left.remove(&(*request, Some(news.native_ref.clone())));
                    }
                    _ => {}
                }
            }
            journal.extend(decision.events);
            for request in desk.requests() {
                prop_assert_eq!(ends_of(&journal, request.id), usize::from(!request.is_open()));
            }
        }
        prop_assert_eq!(Desk::replay(&journal), desk);
    }

    /// Nobody who waits is left without a word: of an end that is to be told, all that still wait have it in the end.
    #[test]
    fn once_every_call_that_waits_has_shown_that_it_has_the_end_it_is_delivered(
        before in prop::collection::vec((1..5_u128, any::<bool>()), 0..12),
        order in Just([1_u128, 2, 3, 4]).prop_shuffle(),
    ) {
        let mut desk = desk(&[start(1), asked(1, 0)]);
        for (n, asks) in before {
            let step = if asks { asked(n, 5) } else { withdraw(1, n, WithdrawnWhy::ByAgent) };
            if desk.request(request(1)).unwrap().is_open() {
                take(&mut desk, &step).unwrap();
            }
        }
        let waits = |n: &u128| desk.by_native_ref(session(1), &call(*n)).is_some();
        let waiting: Vec<u128> = order.into_iter().filter(waits).collect();
        if take(&mut desk, &sqlite()).is_err() {
            let ended = &desk.request(request(1)).unwrap().ended().unwrap().outcome;
            prop_assert!(matches!(ended, Outcome::Withdrawn { .. }), "{ended:?}");
            return Ok(());
        }
        for n in waiting {
            prop_assert_eq!(state_of(&desk), "answered, pending");
            take(&mut desk, &sending_to(1, n)).unwrap();
            take(&mut desk, &note_call(1, n, delivered())).unwrap();
        }
        prop_assert_eq!(state_of(&desk), "answered, delivered");
    }
}
