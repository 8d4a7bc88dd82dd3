//! Updates of the app: what the window asks reaches the host, and what the desk says is in the way.

use askdesk_api::UpdateAsked;
use askdesk_api::dto::{SetAsideUntil, UpdateObstacle};
use askdesk_domain::SessionState;
use serde_json::json;

use crate::bridge::{Bridge, fresh};

#[tokio::test]
async fn each_command_asks_the_host_for_one_thing() {
    let bridge = Bridge::open();
    bridge.call("read_update", json!({})).await.unwrap();
    bridge.call("check_for_update", json!({})).await.unwrap();
    bridge.call("install_update", json!({"version": "0.3.0"})).await.unwrap();
    bridge.call("cancel_update", json!({})).await.unwrap();
    for until in ["next_start", "next_version"] {
        bridge.call("set_update_aside", json!({"version": "0.3.0", "until": until})).await.unwrap();
    }
    let version = || "0.3.0".to_owned();
    let expected = [
        UpdateAsked::Nothing,
        UpdateAsked::Check,
        UpdateAsked::Install { version: version() },
        UpdateAsked::Cancel,
        UpdateAsked::SetAside { version: version(), until: SetAsideUntil::NextStart },
        UpdateAsked::SetAside { version: version(), until: SetAsideUntil::NextVersion },
    ];
    assert_eq!(*bridge.host.updates_asked.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_question_its_undo_time_and_its_agent_are_in_the_way_until_all_is_done() {
    let bridge = Bridge::open();
    assert_eq!(bridge.api.update_obstacles().await.unwrap(), []);
    let change = json!({"change": {"setting": "undo_seconds", "value": 1}});
    bridge.call("change_setting", change).await.unwrap();
    let request = bridge.asked("technology").await;
    let asked = bridge.api.update_obstacles().await.unwrap();
    assert_eq!(asked, [UpdateObstacle::QuestionOpen, UpdateObstacle::AgentWorks]);
    let end = json!({"end": "answered", "answers": [{"question": "q1", "chosen": ["q1o1"]}]});
    bridge.call("hold_end", json!({"requestId": fresh(), "id": request.id, "end": end})).await.unwrap();
    let held = bridge.api.update_obstacles().await.unwrap();
    assert!(held.contains(&UpdateObstacle::AnswerUndoable), "{held:?}");
    bridge.until("the agent is done", |now| now.sessions[0].state == SessionState::Idle).await;
    assert_eq!(bridge.api.update_obstacles().await.unwrap(), []);
}
