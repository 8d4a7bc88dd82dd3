//! Updates of the app: what the window asks reaches the host, and what the desk says is in the way.

use askdesk_contract::UpdateObstacle;
use askdesk_domain::SessionState;
use serde_json::json;

use crate::bridge::{Bridge, fresh};

#[tokio::test]
async fn a_question_its_undo_time_and_its_agent_are_in_the_way_until_all_is_done() {
    let bridge = Bridge::open();
    assert_eq!(bridge.desk().await.watch_obstacles().borrow().clone(), []);
    let change = json!({"change": {"setting": "undo_seconds", "value": 1}});
    bridge.call("change_setting", change).await.unwrap();
    let request = bridge.asked("technology").await;
    let asked = bridge.desk().await.watch_obstacles().borrow().clone();
    assert_eq!(asked, [UpdateObstacle::QuestionOpen, UpdateObstacle::AgentWorks]);
    let end = json!({"end": "answered", "answers": [{"question": "q1", "chosen": ["q1o1"]}]});
    bridge.call("hold_end", json!({"requestId": fresh(), "id": request.id, "end": end})).await.unwrap();
    let held = bridge.desk().await.watch_obstacles().borrow().clone();
    assert!(held.contains(&UpdateObstacle::AnswerUndoable), "{held:?}");
    bridge.until("the agent is done", |now| now.sessions[0].state == SessionState::Idle).await;
    assert_eq!(bridge.desk().await.watch_obstacles().borrow().clone(), []);
}
