//! Tokens, cost and the daily budget, with the fake agent.

use crate::bridge::{Bridge, claude_code};
use askdesk_desk::{Desk, PassedBudget};
use askdesk_domain::{Occasion, SessionState, Usd};
use askdesk_engine::EngineError;
use serde_json::{Value, json};

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

async fn passed(bridge: &Bridge, desk: &Desk) -> Option<PassedBudget> {
    let engine = bridge.api.engine();
    let cost_of = async |day| {
        let sums = engine.usage_of_days(None, day).await?;
        Ok::<_, EngineError>(sums.first().and_then(|sum| sum.cost))
    };
    let is_news = async |day, budget| engine.note_passed_budget(day, budget).await;
    desk.newly_passed_budget(cost_of, is_news).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn case_99_a_budget_is_reported_once_when_it_is_passed_and_the_agent_goes_on() {
    let bridge = Bridge::open();
    let session = spend(&bridge).await;
    let desk = bridge.desk().await;
    assert_eq!(passed(&bridge, &desk).await, None, "there is no budget");
    set_budget(&bridge, 5).await;
    assert_eq!(passed(&bridge, &desk).await, None, "it is not passed");
    send(&bridge, &session, 2).await;
    let expected = PassedBudget { dollars: 5, cost: Usd::new(11.2).unwrap() };
    assert_eq!(passed(&bridge, &desk).await, Some(expected));
    assert_eq!(passed(&bridge, &desk).await, None, "once a day");
    send(&bridge, &session, 3).await;
    assert_eq!(passed(&bridge, &desk).await, None, "the agent goes on, and nobody is told again");
    let [logged] = &desk.notification_log()[..] else { panic!("one decision") };
    assert_eq!((logged.occasion, logged.session.as_str()), (Occasion::Budget, ""));

    bridge.api.sessions().shut_down().await;
    let bridge = bridge.reopen();
    let desk = bridge.desk().await;
    assert_eq!(passed(&bridge, &desk).await, None, "not after a restart either");
    set_budget(&bridge, 4).await;
    assert!(passed(&bridge, &desk).await.is_some(), "another budget");
}
