//! The notification policy with what the API knows, and the log of its decisions.

use crate::bridge::Bridge;
use askdesk_domain::{NotificationCause, PendingItem, RequestId};
use serde_json::{Value, json};

fn asked(item: PendingItem) -> NotificationCause {
    NotificationCause::Pending { item, reminder: false, by_subagent: false }
}

async fn notification_log(bridge: &Bridge) -> Vec<Value> {
    let read = bridge.call("read_notification_log", json!({})).await.unwrap();
    read["entries"].as_array().unwrap().clone()
}

#[tokio::test]
async fn the_last_fifty_decisions_are_read_newest_first_each_with_its_reason() {
    let bridge = Bridge::open();
    let asks = bridge.asked("technology").await;
    let session = bridge.snapshot().await.sessions[0].clone();
    assert_eq!(notification_log(&bridge).await, [] as [Value; 0]);
    let decide = |item| bridge.api.decide_notification(asked(item), &session);
    decide(PendingItem::Question(asks.id));
    decide(PendingItem::Question(asks.id));
    let last = notification_log(&bridge).await;
    assert_eq!(last[0]["decision"], json!({"decision": "nothing", "why": "before"}));
    assert_eq!(last[1]["decision"], json!({"decision": "notify", "why": "whole"}));
    assert_eq!(last[1]["session"], json!(session.name));
    assert_eq!(last[1]["waiting"], json!({"what": "question", "id": asks.id}));
    for n in 0..60 {
        decide(PendingItem::Question(RequestId::new(uuid::Uuid::from_u128(n))));
    }
    assert_eq!(notification_log(&bridge).await.len(), 50);
}

#[tokio::test]
async fn case_37_the_session_in_view_causes_no_notification_and_a_muted_one_only_counts() {
    let bridge = Bridge::open();
    let asks = bridge.asked("technology").await;
    let session = bridge.snapshot().await.sessions[0].clone();
    let why = |n: u128, session: &askdesk_domain::Session| {
        let waiting = PendingItem::Question(RequestId::new(uuid::Uuid::from_u128(n)));
        serde_json::to_value(bridge.api.decide_notification(asked(waiting), session)).unwrap()["why"].clone()
    };
    let view = |focused: bool| json!({"session": session.id, "focused": focused});
    bridge.call("note_view", view(true)).await.unwrap();
    assert_eq!(why(1, &session), "in_view");
    bridge.call("note_view", view(false)).await.unwrap();
    assert_eq!(why(2, &session), "whole");
    let attention = json!({"muted": true, "private": false});
    let muted =
        bridge.run("set_session_notifications", json!({"session": session.id, "attention": attention})).await;
    assert_eq!(muted["attention"], attention);
    let muted = serde_json::from_value(muted).unwrap();
    assert_eq!(why(3, &muted), "muted");
    assert!(asks.is_open());
}
