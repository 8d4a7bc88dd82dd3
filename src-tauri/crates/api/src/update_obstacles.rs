//! What keeps an update from being installed.

use std::collections::BTreeSet;

use askdesk_contract::frame::Snapshot;
use askdesk_domain::{ApprovalState, Delivery, Request, Session, SessionState};

use askdesk_contract::UpdateObstacle;

/// Returns what a restart of the app would interrupt or lose.
pub fn update_obstacles(now: &Snapshot) -> Vec<UpdateObstacle> {
    let found = [
        (UpdateObstacle::QuestionOpen, now.requests.iter().any(Request::is_open)),
        (UpdateObstacle::PermissionOpen, now.approvals.iter().any(|it| it.state == ApprovalState::Open)),
        (UpdateObstacle::AnswerUndoable, !now.held.is_empty()),
        (UpdateObstacle::AnswerUndelivered, now.requests.iter().any(is_on_its_way)),
        (UpdateObstacle::AgentWorks, now.sessions.iter().any(works)),
        (UpdateObstacle::NotStored, now.outage.is_some()),
    ];
    let found: BTreeSet<_> =
        found.into_iter().filter_map(|(obstacle, is_there)| is_there.then_some(obstacle)).collect();
    found.into_iter().collect()
}

fn is_on_its_way(request: &Request) -> bool {
    request.ended().is_some_and(|ended| ended.delivery == Some(Delivery::Pending))
}

fn works(session: &Session) -> bool {
    match session.state {
        SessionState::Starting | SessionState::Working => true,
        SessionState::Idle => !session.helpers.is_empty(),
        SessionState::Ended { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{Origin, SessionEnd, SessionId, Timestamp};
    use rstest::rstest;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;

    fn empty() -> Value {
        json!({
            "epoch": "e", "seq": 0, "sessions": [], "requests": [], "approvals": [], "live": [], "retries": [],
            "contexts": [], "held": [], "changedFiles": [], "heads": [], "storage": [], "outage": null, "agents": []
        })
    }

    fn session(state: SessionState, helpers: &Value) -> Value {
        let origin: Origin =
            serde_json::from_value(json!({"machine": "local", "kind": "started", "agent": "demo"})).unwrap();
        let mut session = Session::new(SessionId::new(Uuid::from_u128(1)), origin, Timestamp::from_millis(0));
        session.state = state;
        let mut session = serde_json::to_value(session).unwrap();
        session["helpers"] = helpers.clone();
        session
    }

    fn request(state: &Value) -> Value {
        json!({
            "id": Uuid::from_u128(2), "session": Uuid::from_u128(1), "nativeRef": "call", "askedBy": null,
            "questions": [], "askedAt": 0, "limit": null, "state": state
        })
    }

    fn declined(delivery: &Value) -> Value {
        json!({"state": "ended", "outcome": {"outcome": "declined", "words": null}, "at": 1, "delivery": delivery})
    }

    fn held(error: &Value) -> Value {
        json!({
            "request": Uuid::from_u128(2), "end": {"end": "canceled"}, "since": 0, "until": 3_000, "error": error
        })
    }

    fn ended() -> SessionState {
        SessionState::Ended { end: SessionEnd::Stopped, at: Timestamp::from_millis(1) }
    }

    #[rstest]
    #[case::nothing("sessions", json!([]), &[])]
    #[case::an_idle_agent("sessions", json!([session(SessionState::Idle, &json!([]))]), &[])]
    #[case::an_ended_session("sessions", json!([session(ended(), &json!([]))]), &[])]
    #[case::a_starting_agent("sessions", json!([session(SessionState::Starting, &json!([]))]), &[UpdateObstacle::AgentWorks])]
    #[case::a_working_agent("sessions", json!([session(SessionState::Working, &json!([]))]), &[UpdateObstacle::AgentWorks])]
    #[case::a_helper(
        "sessions",
        json!([session(SessionState::Idle, &json!([
            {"id": "b1", "kind": "shell", "title": "build", "state": "working", "beganAt": 0}
        ]))]),
        &[UpdateObstacle::AgentWorks]
    )]
    #[case::an_open_question("requests", json!([request(&json!({"state": "open"}))]), &[UpdateObstacle::QuestionOpen])]
    #[case::an_answer_on_its_way(
        "requests",
        json!([request(&declined(&json!({"delivery": "pending"})))]),
        &[UpdateObstacle::AnswerUndelivered]
    )]
    #[case::a_delivered_answer("requests", json!([request(&declined(&json!({"delivery": "delivered", "at": 2})))]), &[])]
    #[case::nothing_to_deliver("requests", json!([request(&declined(&Value::Null))]), &[])]
    #[case::undo_time("held", json!([held(&Value::Null)]), &[UpdateObstacle::AnswerUndoable])]
    #[case::a_full_disk(
        "outage",
        json!({"error": {"trouble": "full", "path": "/desk/desk.db"}, "entries": 1, "lost": 0}),
        &[UpdateObstacle::NotStored]
    )]
    fn what_a_restart_would_interrupt_or_lose_is_in_the_way(
        #[case] field: &str,
        #[case] value: Value,
        #[case] expected: &[UpdateObstacle],
    ) {
        let mut now = empty();
        now[field] = value;
        assert_eq!(update_obstacles(&serde_json::from_value(now).unwrap()), expected);
    }

    #[test]
    fn all_that_is_in_the_way_is_named_once() {
        let mut now = empty();
        let open = request(&json!({"state": "open"}));
        now["requests"] = json!([open, open]);
        now["sessions"] =
            json!([session(SessionState::Working, &json!([])), session(SessionState::Working, &json!([]))]);
        now["held"] = json!([held(&Value::Null)]);
        let expected =
            [UpdateObstacle::QuestionOpen, UpdateObstacle::AnswerUndoable, UpdateObstacle::AgentWorks];
        assert_eq!(update_obstacles(&serde_json::from_value(now).unwrap()), expected);
    }
}
