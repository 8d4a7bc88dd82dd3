//! An agent that repeats an open question joins its request, and the outcome goes to each call once.

use crate::support::desks::*;
use crate::support::questions::{self, choose, described, draft, option, single};
use askdesk_domain::{
    ASKED_AGAIN_MILLIS, Ask, CALLS_OF_A_REQUEST, Command, Delivery, Desk, Effect, Limit, NativeRef, Outcome,
    Question, QuestionKind, RawOption, RawQuestion, Rejection, SessionEnd, WithdrawnWhy, decide,
};
use proptest::prelude::*;
use rstest::rstest;

fn accepted(draft: RawQuestion) -> Vec<Question> {
    questions::asked(&[draft])
}

fn store() -> Vec<Question> {
    accepted(single("Which store?", &["SQLite", "Files"]))
}

/// Call `n` asks the same question in session 1, `after` milliseconds later.
fn again(n: u128, after: i64) -> Ask {
    Ask { asked_by: None, at: at(10 + after), ..new_ask(1, n, store()) }
}

fn asked(n: u128, after: i64) -> Command {
    asks(again(n, after))
}

fn call(n: u128) -> NativeRef {
    native(&format!("call-{n}"))
}

/// A desk with one request that calls 1 to 3 have asked.
fn three() -> Desk {
    desk(&[start(1), asked(1, 0), asked(2, 5), asked(3, 9)])
}

fn sqlite() -> Command {
    answer(1, vec![choose(0, &[0])])
}

#[test]
fn case_34_repeated_content_is_one_request_and_notifies_nobody() {
    let mut desk = desk(&[start(1), asked(1, 0)]);
    let second = take(&mut desk, &asked(2, ASKED_AGAIN_MILLIS - 1)).unwrap();
    assert_eq!(second.request, Some(request(1)));
    assert_eq!(names(&second.events), ["asked_again"]);
    assert_eq!(second.effects, []);
    assert_eq!(desk.requests().count(), 1);
    assert_eq!(desk.by_native_ref(session(1), &call(2)).map(|it| it.id), Some(request(1)));
    // A call that is repeated is known.
    for n in [1, 2] {
        let renewed = take(&mut desk, &asked(n, 40)).unwrap();
        assert_eq!((renewed.request, renewed.events.len()), (Some(request(1)), 0));
        let other = asks(Ask { questions: accepted(single("Else?", &["A", "B"])), ..again(n, 40) });
        assert!(
            matches!(decide(&desk, &other), Err(Rejection::Invalid { field, .. }) if field == "native_ref")
        );
    }
}

#[test]
fn case_34_three_minutes_after_the_first_call_the_same_content_is_a_new_request() {
    let mut desk = desk(&[start(1), asked(1, 0), asked(2, ASKED_AGAIN_MILLIS - 1)]);
    let third = take(&mut desk, &asked(3, ASKED_AGAIN_MILLIS)).unwrap();
    assert_eq!(third.request, Some(request(3)));
    assert_eq!(names(&third.events), ["asked"]);
    // Later calls join the newer one.
    assert_eq!(take(&mut desk, &asked(4, ASKED_AGAIN_MILLIS + 1)).unwrap().request, Some(request(3)));
}

#[rstest]
#[case::by_an_answer(sqlite())]
#[case::by_declining(decline(1, None))]
#[case::by_a_message(reply_in_chat(1, "let us talk"))]
#[case::by_the_agent(withdraw(1, 1, WithdrawnWhy::ByAgent))]
fn case_34_no_call_joins_an_ended_request(#[case] how: Command) {
    let mut desk = desk(&[start(1), asked(1, 0), how]);
    assert_eq!(take(&mut desk, &asked(2, 5)).unwrap().request, Some(request(2)));
    assert!(desk.request(request(2)).unwrap().is_open());
}

#[test]
fn case_34_any_visible_difference_or_another_asker_makes_a_new_request() {
    let with = |first: RawOption| RawQuestion {
        options: vec![first, option("Files")],
        ..single("Which store?", &[])
    };
    let preview = RawOption { preview: Some("open()".to_owned()), ..option("SQLite") };
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
        accepted(with(described("SQLite", "One file"))),
        accepted(with(preview)),
    ];
    let all = contents.into_iter().map(|questions| Ask { questions, ..again(2, 5) }).chain([
        Ask { asked_by: Some("explorer".to_owned()), ..again(2, 5) },
        Ask { limit: Some(Limit { at: at(900), then: String::new() }), ..again(2, 5) },
        Ask { session: session(2), ..again(2, 5) },
    ]);
    for ask in all {
        let mut desk = desk(&[start(1), start(2), asked(1, 0)]);
        let decision = take(&mut desk, &asks(ask.clone())).unwrap();
        assert_eq!(decision.request, Some(request(2)), "{ask:?}");
    }
    // Content alone counts: questions parsed twice from the same texts are equal.
    let mut desk = desk(&[start(1), asked(1, 0)]);
    assert_eq!(take(&mut desk, &asked(2, 5)).unwrap().request, Some(request(1)));
}

#[test]
fn case_34_only_so_many_calls_join_a_request() {
    let mut desk = desk(&[start(1)]);
    for n in 1..=CALLS_OF_A_REQUEST as u128 {
        assert_eq!(take(&mut desk, &asked(n, 5)).unwrap().request, Some(request(1)));
    }
    let next = CALLS_OF_A_REQUEST as u128 + 1;
    assert_eq!(take(&mut desk, &asked(next, 5)).unwrap().request, Some(request(next)));
}

#[test]
fn case_34_an_answer_goes_to_each_call_once_and_is_delivered_when_all_have_it() {
    let mut desk = three();
    let ended = take(&mut desk, &sqlite()).unwrap();
    let resolved = ended.effects.iter().filter(|effect| matches!(effect, Effect::Resolve { .. })).count();
    assert_eq!((resolved, ends_of(&ended.events, request(1))), (1, 1));
    for n in [2, 1, 3] {
        assert_eq!(state_of(&desk, 1), "answered, pending");
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
fn case_34_a_failed_delivery_is_retried_for_its_call_alone() {
    let mut desk = three();
    take(&mut desk, &sqlite()).unwrap();
    for n in [1, 2, 3] {
        take(&mut desk, &sending_to(1, n)).unwrap();
    }
    take_all(&mut desk, &[note_call(1, 1, delivered()), note_call(1, 2, failed())]);
    assert_eq!(state_of(&desk, 1), "answered, failed");
    take(&mut desk, &note_call(1, 3, delivered())).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, failed");
    let retry = retry(1);
    let decision = take(&mut desk, &retry).unwrap();
    let to = |effect: &Effect| match effect {
        Effect::Redeliver { request, native_ref, .. } => (*request, native_ref.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(decision.effects.iter().map(to).collect::<Vec<_>>(), [(request(1), call(2))]);
    assert_eq!(state_of(&desk, 1), "answered, pending");
    assert_eq!(take(&mut desk, &retry).unwrap().effects, []);
    assert!(take(&mut desk, &sending_to(1, 1)).is_err());
    take_all(&mut desk, &[sending_to(1, 2), note_call(1, 2, delivered())]);
    assert_eq!(state_of(&desk, 1), "answered, delivered");
}

#[test]
fn case_34_a_request_stays_open_until_its_last_call_is_withdrawn() {
    let mut desk = three();
    let first = take(&mut desk, &withdraw(1, 1, WithdrawnWhy::ByAgent)).unwrap();
    assert_eq!(names(&first.events), ["call_left"]);
    assert_eq!(first.effects, [Effect::ReleaseWaiter { request: request(1), native_ref: call(1) }]);
    assert_eq!(take(&mut desk, &withdraw(1, 1, WithdrawnWhy::ByAgent)).unwrap().events, []);
    assert_eq!(desk.by_native_ref(session(1), &call(1)), None);
    take(&mut desk, &withdraw(1, 3, WithdrawnWhy::ByAgent)).unwrap();
    assert_eq!(state_of(&desk, 1), "open");
    let last = take(&mut desk, &withdraw(1, 2, WithdrawnWhy::ByAgent)).unwrap();
    assert_eq!(names(&last.events), ["ended"]);
    assert_eq!(state_of(&desk, 1), "withdrawn by_agent");
}

#[test]
fn case_34_a_withdrawn_call_can_ask_again_and_calls_that_left_get_nothing() {
    let mut desk = three();
    take_all(&mut desk, &[withdraw(1, 1, WithdrawnWhy::ByAgent), withdraw(1, 3, WithdrawnWhy::ByAgent)]);
    let back = take(&mut desk, &asked(1, 60)).unwrap();
    assert_eq!((back.request, names(&back.events)), (Some(request(1)), vec!["asked_again".to_owned()]));
    take(&mut desk, &sqlite()).unwrap();
    assert!(take(&mut desk, &sending_to(1, 3)).is_err());
    for n in [1, 2] {
        take_all(&mut desk, &[sending_to(1, n), note_call(1, n, delivered())]);
    }
    assert_eq!(state_of(&desk, 1), "answered, delivered");
}

#[test]
fn case_34_delivery_does_not_wait_for_a_call_withdrawn_after_the_answer() {
    let mut desk = three();
    take_all(&mut desk, &[sqlite(), withdraw(1, 3, WithdrawnWhy::ByAgent)]);
    for n in [1, 2] {
        take_all(&mut desk, &[sending_to(1, n), note_call(1, n, delivered())]);
    }
    assert_eq!(state_of(&desk, 1), "answered, delivered");
}

#[test]
fn case_34_the_answer_is_parked_if_all_calls_were_withdrawn() {
    let mut desk = three();
    take_all(&mut desk, &[sqlite(), withdraw_all(1, WithdrawnWhy::TurnEnded)]);
    assert_eq!(state_of(&desk, 1), "answered, parked");
    take_all(&mut desk, &[end(1, SessionEnd::Finished), resume(1), introduce(1)]);
    let sent = take(&mut desk, &send_parked(1)).unwrap();
    assert_eq!(names(&sent.events), ["sending"]);
    assert_eq!(take(&mut desk, &send_parked(1)).unwrap().events, []);
    take(&mut desk, &note(1, delivered_late())).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered late");
}

#[rstest]
#[case::none_has_it(&[], &[], "answered, parked")]
#[case::one_may_have_it(&[2], &[], "answered, failed")]
#[case::one_has_it(&[2], &[2], "answered, delivered")]
#[case::one_has_it_and_one_may(&[1, 2], &[2], "answered, delivered")]
fn case_34_an_answer_that_one_call_has_is_not_sent_again_after_the_agent_ends(
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
    assert_eq!(state_of(&desk, 1), becomes);
    take_all(&mut desk, &[resume(1), introduce(1)]);
    let goes = take(&mut desk, &send_parked(1)).unwrap().events.len();
    assert_eq!(goes, usize::from(becomes == "answered, parked"));
}

#[test]
fn case_34_a_missed_request_of_several_calls_gets_its_late_answer_in_one_message() {
    let mut desk = three();
    let ended = take(&mut desk, &end(1, SessionEnd::Finished)).unwrap();
    assert_eq!(ends_of(&ended.events, request(1)), 1);
    assert_eq!(state_of(&desk, 1), "orphaned agent_ended");
    take_all(&mut desk, &[sqlite(), resume(1), introduce(1)]);
    assert_eq!(names(&take(&mut desk, &send_parked(1)).unwrap().events), ["sending"]);
    take(&mut desk, &note(1, delivered_late())).unwrap();
    assert_eq!(state_of(&desk, 1), "answered, delivered late");
    // Calls of the new run don't match those of the old one.
    assert_eq!(take(&mut desk, &asked(2, 20)).unwrap().request, Some(request(2)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn an_outcome_is_delivered_once_every_waiting_call_has_it(
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
            prop_assert_eq!(state_of(&desk, 1), "answered, pending");
            take(&mut desk, &sending_to(1, n)).unwrap();
            take(&mut desk, &note_call(1, n, delivered())).unwrap();
        }
        prop_assert_eq!(state_of(&desk, 1), "answered, delivered");
    }
}
