//! Tokens, cost and the daily budget, with the fake agent.

use crate::bridge::{Bridge, assert_invalid, claude_code, fresh};
use askdesk_api::PassedBudget;
use askdesk_domain::{SessionState, Usd};
use serde_json::{Value, json};

const DAY: i64 = 24 * 3_600_000;

/// Starts the scenario whose turns cost 1.84, 9.36 and 0.5 dollars, and waits for the end of the first.
async fn spend(bridge: &Bridge) -> Value {
    let session = bridge.call("start_session", claude_code(bridge, "spend", &json!({}))).await.unwrap();
    idle(bridge, &session, 1).await;
    session["id"].clone()
}

/// Waits until the session is idle after so many turns.
async fn idle(bridge: &Bridge, session: &Value, turns: u64) {
    let id = session.get("id").unwrap_or(session).clone();
    loop {
        let used = usage(bridge, &id).await;
        let snapshot = bridge.snapshot().await;
        let idle = snapshot.sessions.iter().all(|session| session.state == SessionState::Idle);
        if idle && used["sum"]["turns"] == turns {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

async fn usage(bridge: &Bridge, session: &Value) -> Value {
    bridge.call("read_session_usage", json!({"session": session})).await.unwrap()
}

async fn send(bridge: &Bridge, session: &Value, turns: u64) {
    bridge.run("send_message", json!({"session": session, "text": "go on"})).await;
    idle(bridge, session, turns).await;
}

async fn set_budget(bridge: &Bridge, dollars: u16) {
    let change = json!({"setting": "daily_budget", "value": dollars});
    bridge.call("change_setting", json!({"change": change})).await.unwrap();
}

/// The bounds of one long day around now.
fn days(bridge: &Bridge) -> [i64; 2] {
    let now = bridge.api.engine().clock().now().millis();
    [now - DAY, now + DAY]
}

#[tokio::test(flavor = "multi_thread")]
async fn case_99_use_is_counted_a_session_and_a_day_and_survives_a_restart_and_a_deletion() {
    let bridge = Bridge::open();
    let session = spend(&bridge).await;
    send(&bridge, &session, 2).await;
    let used = usage(&bridge, &session).await;
    assert_eq!(used["sum"]["cost"], json!(11.2));
    assert_eq!(used["sum"]["inputTokens"], 264_000);
    assert_eq!(used["context"]["size"], 200_000);
    let count = async |bridge: &Bridge, of: &Value| {
        let input = json!({"session": of, "days": days(bridge)});
        bridge.call("count_usage", input).await.unwrap()["days"].clone()
    };
    assert_eq!(count(&bridge, &json!(null)).await, json!([used["sum"]]));
    assert_eq!(count(&bridge, &session).await, json!([used["sum"]]));

    bridge.api.sessions().shut_down().await;
    let bridge = bridge.reopen();
    assert_eq!(usage(&bridge, &session).await, used);
    bridge.run("delete_session", json!({"session": session})).await;
    assert_eq!(usage(&bridge, &session).await["sum"]["turns"], 0);
    assert_eq!(count(&bridge, &json!(null)).await, json!([used["sum"]]), "the money is spent");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_99_a_budget_is_reported_once_when_it_is_passed_and_the_agent_goes_on() {
    let bridge = Bridge::open();
    let session = spend(&bridge).await;
    let passed = async |bridge: &Bridge| bridge.api.newly_passed_budget().await.unwrap();
    assert_eq!(passed(&bridge).await, None, "there is no budget");
    set_budget(&bridge, 5).await;
    assert_eq!(passed(&bridge).await, None, "it is not passed");
    send(&bridge, &session, 2).await;
    let expected = PassedBudget { dollars: 5, cost: Usd::new(11.2).unwrap() };
    assert_eq!(passed(&bridge).await, Some(expected));
    assert_eq!(passed(&bridge).await, None, "once a day");
    send(&bridge, &session, 3).await;
    assert_eq!(passed(&bridge).await, None, "the agent goes on, and nobody is told again");
    let log = bridge.call("read_notification_log", json!({})).await.unwrap();
    assert_eq!(log["entries"].as_array().unwrap().len(), 1);
    assert_eq!(log["entries"][0]["occasion"], "budget");
    assert_eq!(log["entries"][0]["session"], "");

    bridge.api.sessions().shut_down().await;
    let bridge = bridge.reopen();
    assert_eq!(passed(&bridge).await, None, "not after a restart either");
    set_budget(&bridge, 4).await;
    assert!(passed(&bridge).await.is_some(), "another budget");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_that_is_passed_while_notifications_are_silenced_is_only_logged() {
    let bridge = Bridge::open();
    bridge
        .call("change_setting", json!({"change": {"setting": "quiet_hours", "value": "00:00-23:59"}}))
        .await
        .unwrap();
    set_budget(&bridge, 1).await;
    spend(&bridge).await;
    assert_eq!(bridge.api.newly_passed_budget().await.unwrap(), None);
    let log = bridge.call("read_notification_log", json!({})).await.unwrap();
    assert_eq!(log["entries"][0]["decision"], json!({"decision": "suppressed", "why": "quiet_hours"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn compacting_is_a_turn_of_its_own_and_its_command_is_sent_once() {
    let bridge = Bridge::open();
    let session = spend(&bridge).await;
    bridge.run("compact_session", json!({"session": session})).await;
    idle(&bridge, &session, 2).await;
    assert_eq!(bridge.messages(), ["go", "/compact"]);
    assert_eq!(usage(&bridge, &session).await["context"], json!(null), "it is unknown until the next call");
    let snapshot = bridge.snapshot().await;
    assert_eq!(snapshot.contexts.iter().map(|of| of.context).collect::<Vec<_>>(), [None]);
    let input = json!({"requestId": fresh(), "session": uuid::Uuid::from_u128(7)});
    assert_eq!(bridge.refused("compact_session", input).await["code"], "session_gone");
}

#[tokio::test]
async fn days_without_bounds_are_refused() {
    let bridge = Bridge::open();
    assert_invalid(&bridge.refused("count_usage", json!({"session": null, "days": []})).await, "days");
}
