use askdesk_domain::RequestId;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::fixtures::{
    approval, approval_id, declined, delta, empty, open, request_id, session, session_id, snapshot,
};

/// A snapshot with session 1 and these open requests.
fn with_open(requests: &[u128]) -> Value {
    let mut now = empty();
    now["sessions"] = json!([session(SessionState::Idle)]);
    now["requests"] = json!(requests.iter().map(|n| open(*n)).collect::<Vec<_>>());
    now
}

fn begun(requests: &[u128]) -> Mirror {
    let mut mirror = Mirror::default();
    assert_eq!(mirror.fold(&snapshot(with_open(requests))), [], "what was open before is no news");
    mirror
}

fn asked(n: u128) -> Change {
    Change::Request { request: open(n) }
}

fn ended(n: u128) -> Change {
    Change::Request { request: declined(n, &json!({"delivery": "pending"})) }
}

fn permission(n: u128, state: &str) -> Change {
    Change::Approval { approval: approval(n, &json!({"state": state, "at": 1})) }
}

fn held(n: u128, since: i64, error: &Value) -> HeldEnd {
    let held = json!({
        "request": request_id(n), "end": {"end": "canceled"}, "since": since, "until": since + 3_000, "error": error
    });
    serde_json::from_value(held).unwrap()
}

fn finished(at: i64) -> Change {
    let turn = json!({"at": at, "hasPending": false});
    Change::Finished { session: session_id(1), turn: Some(serde_json::from_value(turn).unwrap()) }
}

#[rstest]
#[case::asked(vec![asked(2)], vec![News::Asked(request_id(2))])]
#[case::ended(vec![ended(1)], vec![News::Ended(request_id(1))])]
#[case::delivered(vec![Change::Request { request: declined(1, &json!({"delivery": "delivered", "at": 2})) }], vec![News::Ended(request_id(1))])]
#[case::asked_again(vec![ended(1), asked(1)], vec![])]
#[case::asked_and_ended_at_once(vec![asked(2), ended(2)], vec![])]
#[case::a_permission(vec![permission(3, "open")], vec![News::ApprovalAsked(approval_id(3))])]
#[case::a_permission_that_a_rule_denied(vec![permission(3, "withdrawn")], vec![])]
#[case::closed(vec![Change::SessionClosed { session: session_id(1) }], vec![News::Ended(request_id(1))])]
#[case::deleted(vec![Change::SessionDeleted { session: session_id(1) }], vec![News::Ended(request_id(1))])]
#[case::finished_and_at_work_again(vec![finished(1), Change::Finished { session: session_id(1), turn: None }], vec![])]
fn a_delta_brings_what_has_begun_and_ended(#[case] changes: Vec<Change>, #[case] expected: Vec<News>) {
    assert_eq!(begun(&[1]).fold(&delta(changes)), expected);
}

#[test]
fn case_134_an_open_question_whose_time_follows_the_clock_is_no_news_so_that_its_reminder_stays() {
    let request = Request { asked_at: open(1).asked_at.moved(86_400_000), ..open(1) };
    assert_eq!(begun(&[1]).fold(&delta(vec![Change::Request { request }])), []);
}

#[test]
fn a_request_that_opens_again_is_news_again() {
    let mut mirror = begun(&[1]);
    assert_eq!(mirror.fold(&delta(vec![ended(1)])), [News::Ended(request_id(1))]);
    assert_eq!(mirror.fold(&delta(vec![asked(1)])), [News::Asked(request_id(1))]);
}

#[test]
fn after_a_snapshot_nothing_is_news_twice_and_what_has_ended_is() {
    let mut mirror = begun(&[1, 2]);
    mirror.fold(&delta(vec![permission(3, "open"), finished(1)]));
    let mut now = with_open(&[2, 4]);
    assert_eq!(
        mirror.fold(&snapshot(now.clone())),
        [
            News::Ended(request_id(1)),
            News::ApprovalEnded(approval_id(3)),
            News::FinishedWithdrawn(session_id(1)),
            News::Asked(request_id(4)),
            News::Spent,
        ]
    );
    now["seq"] = json!(9);
    assert_eq!(mirror.fold(&snapshot(now)), [News::Spent]);
}

#[rstest]
#[case::undone(vec![Change::HoldReleased { request: request_id(1) }], Some(held(1, 0, &Value::Null)))]
#[case::replaced(vec![Change::EndHeld { held: held(1, 5, &Value::Null) }], Some(held(1, 0, &Value::Null)))]
#[case::failed(vec![Change::EndHeld { held: held(1, 0, &json!({"undelivered": "not_running"})) }], Some(held(1, 0, &json!({"undelivered": "not_running"}))))]
#[case::carried_out(vec![ended(1), Change::HoldReleased { request: request_id(1) }], None)]
fn an_end_that_was_not_carried_out_is_news(#[case] changes: Vec<Change>, #[case] expected: Option<HeldEnd>) {
    let mut mirror = begun(&[1]);
    assert_eq!(mirror.fold(&delta(vec![Change::EndHeld { held: held(1, 0, &Value::Null) }])), []);
    let news = mirror.fold(&delta(changes));
    assert_eq!(
        news.into_iter().find(|it| matches!(it, News::EndNotGiven(_))),
        expected.map(News::EndNotGiven)
    );
}

#[test]
fn each_finished_turn_is_news() {
    let mut mirror = begun(&[]);
    for at in [1, 2] {
        let [News::Finished(session, turn)] = mirror.fold(&delta(vec![finished(at)]))[..] else {
            panic!("no turn")
        };
        assert_eq!((session, turn.at.millis()), (session_id(1), at));
    }
    let works = Change::Finished { session: session_id(1), turn: None };
    assert_eq!(mirror.fold(&delta(vec![works])), [News::FinishedWithdrawn(session_id(1))]);
}

#[rstest]
#[case::with_a_cost(json!(1.5), 1)]
#[case::without(Value::Null, 0)]
fn a_turn_with_a_cost_is_news(#[case] cost: Value, #[case] expected: usize) {
    let body = json!({
        "kind": "turn_ended", "millis": 1, "inputTokens": 1, "outputTokens": 1, "cachedTokens": 0, "error": null, "costUsd": cost
    });
    let entry = json!({"n": 1, "at": 1, "body": body});
    let change = Change::Entry { session: session_id(1), entry: serde_json::from_value(entry).unwrap() };
    let news = begun(&[]).fold(&delta(vec![change]));
    assert_eq!((news.len(), news.contains(&News::Spent)), (expected, expected == 1));
}

#[test]
fn running_work_counts_open_items_and_agents_at_work() {
    let mut now = with_open(&[1, 2]);
    now["sessions"] = json!([session(SessionState::Working)]);
    now["approvals"] = json!([approval(3, &json!({"state": "open"}))]);
    let mut mirror = Mirror::default();
    mirror.fold(&snapshot(now));
    assert_eq!(mirror.running_work(), RunningWork { sessions: 1, questions: 2, approvals: 1 });
    let ids: Vec<RequestId> = mirror.requests.keys().copied().collect();
    assert_eq!(ids, [request_id(1), request_id(2)]);
}
