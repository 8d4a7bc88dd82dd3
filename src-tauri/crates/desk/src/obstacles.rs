//! What keeps an update from being installed.

use std::collections::BTreeSet;

use askdesk_contract::UpdateObstacle;
use askdesk_domain::{Delivery, Request, Session, SessionState};

use crate::mirror::Mirror;

/// Returns what a restart of the app would interrupt or lose.
pub fn update_obstacles(now: &Mirror) -> Vec<UpdateObstacle> {
    let found = [
        (UpdateObstacle::QuestionOpen, now.requests.values().any(Request::is_open)),
        (UpdateObstacle::PermissionOpen, !now.approvals.is_empty()),
        (UpdateObstacle::AnswerUndoable, !now.held.is_empty()),
        (UpdateObstacle::AnswerUndelivered, now.requests.values().any(is_on_its_way)),
        (UpdateObstacle::AgentWorks, now.sessions.values().any(works)),
        (UpdateObstacle::NotStored, now.has_outage),
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
    use askdesk_domain::{SessionEnd, Timestamp};
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;
    use crate::fixtures::{self, declined, empty, open, request_id, snapshot};

    fn obstacles_of(now: Value) -> Vec<UpdateObstacle> {
        let mut mirror = Mirror::default();
        mirror.fold(&snapshot(now));
        update_obstacles(&mirror)
    }

    fn session(state: SessionState, helpers: &Value) -> Value {
        let mut session = serde_json::to_value(fixtures::session(state)).unwrap();
        session["helpers"] = helpers.clone();
        session
    }

    fn held(error: &Value) -> Value {
        json!({
            "request": request_id(2), "end": {"end": "canceled"}, "since": 0, "until": 3_000, "error": error
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
    #[case::an_open_question("requests", json!([open(2)]), &[UpdateObstacle::QuestionOpen])]
    #[case::an_answer_on_its_way(
        "requests",
        json!([declined(2, &json!({"delivery": "pending"}))]),
        &[UpdateObstacle::AnswerUndelivered]
    )]
    #[case::a_delivered_answer("requests", json!([declined(2, &json!({"delivery": "delivered", "at": 2}))]), &[])]
    #[case::nothing_to_deliver("requests", json!([declined(2, &Value::Null)]), &[])]
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
        assert_eq!(obstacles_of(now), expected);
    }

    #[test]
    fn all_that_is_in_the_way_is_named_once() {
        let mut now = empty();
        now["requests"] = json!([open(2), open(3)]);
        now["sessions"] =
            json!([session(SessionState::Working, &json!([])), session(SessionState::Working, &json!([]))]);
        now["held"] = json!([held(&Value::Null)]);
        let expected =
            [UpdateObstacle::QuestionOpen, UpdateObstacle::AnswerUndoable, UpdateObstacle::AgentWorks];
        assert_eq!(obstacles_of(now), expected);
    }
}
