//! What a person's desk hears of questions after a restart, and of finished turns.

use crate::support::agents::Stage;
use crate::support::desk::TestDesk;
use askdesk_desk::News;

#[tokio::test]
async fn case_39_a_restart_notifies_of_no_earlier_question() {
    let mut desk = TestDesk::started().await;
    let id = desk.ask(1, 1).await.0;
    assert_eq!(desk.news(), [News::Asked(id)]);
    assert_eq!(desk.ask(1, 1).await.0, id);
    assert_eq!(desk.news(), [], "the same call again");
    assert_eq!(desk.reopened().await.news(), []);
}

/// A background helper asks, and the turn ends before the answer; after it the agent has another turn.
const HELPER_ASKS: &str = r#"
    init() { echo '{"type":"system","subtype":"init","session_id":"s"}'; }
    ended() { echo '{"type":"result","subtype":"success","is_error":false,"duration_ms":5,"result":"","usage":{}}'; }
    init
    echo '{"type":"system","subtype":"task_started","task_id":"h","tool_use_id":"toolu_agent","description":"Look around","is_backgrounded":true,"task_type":"local_agent"}'
    echo '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","tool_use_id":"t1","agent_id":"h","input":{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}]}}}'
    ended
    while read -r line; do
        case "$line" in *'"control_response"'*)
            init
            echo '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"fine"}]}}'
            ended ;;
        esac
    done
"#;

/// Waits for a finished turn; returns whether something was open in its session.
async fn finished_with_something_open(stage: &mut Stage) -> bool {
    stage.desk.until("a finished turn", |known| !known.finished.is_empty()).await;
    stage.desk.mirror.finished.values().all(|turn| turn.has_pending)
}

#[tokio::test]
async fn case_40_a_session_with_an_open_question_has_not_finished() {
    let mut stage = Stage::open().await;
    let session = stage.script(HELPER_ASKS, None).await;
    let request = stage.asked_one(session).await;
    assert!(finished_with_something_open(&mut stage).await);
    stage.answer(&request, "B").await;
    stage.until_delivered(request.id).await;
    stage.desk.until("it works", |known| known.finished.is_empty()).await;
    assert!(!finished_with_something_open(&mut stage).await);
    stage.stop(session).await;
    stage.desk.check_mirror().await;
}
