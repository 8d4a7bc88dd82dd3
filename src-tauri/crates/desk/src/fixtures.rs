//! Frames for the tests.

use std::time::Duration;

use askdesk_contract::frame::{Change, Delta, Frame};
use askdesk_domain::{
    Approval, ApprovalId, Origin, Request, RequestId, Session, SessionId, SessionState, Settings, Timestamp,
};
use serde_json::{Value, json};
use tokio::sync::watch;
use uuid::Uuid;

use crate::{Clock, Desk};

pub fn session_id(n: u128) -> SessionId {
    SessionId::new(Uuid::from_u128(n))
}

pub fn request_id(n: u128) -> RequestId {
    RequestId::new(Uuid::from_u128(n))
}

pub fn approval_id(n: u128) -> ApprovalId {
    ApprovalId::new(Uuid::from_u128(n))
}

/// A snapshot with nothing in it, to be changed.
pub fn empty() -> Value {
    json!({
        "epoch": "e", "seq": 0, "sessions": [], "requests": [], "approvals": [], "live": [], "retries": [],
        "contexts": [], "finished": [], "held": [], "changedFiles": [], "heads": [], "storage": [], "outage": null,
        "agents": []
    })
}

pub fn snapshot(now: Value) -> Frame {
    Frame::Snapshot(serde_json::from_value(now).unwrap())
}

pub fn delta(changes: Vec<Change>) -> Frame {
    Frame::Delta(Delta { epoch: "e".to_owned(), prev: 0, seq: 1, changes }.into())
}

/// Session 1.
pub fn session(state: SessionState) -> Session {
    let origin: Origin =
        serde_json::from_value(json!({"machine": "local", "kind": "started", "agent": "demo"})).unwrap();
    Session {
        state,
        name: "one".to_owned(),
        ..Session::new(session_id(1), origin, Timestamp::from_millis(0))
    }
}

/// A request of session 1.
pub fn request(n: u128, state: &Value) -> Request {
    let request = json!({
        "id": request_id(n), "session": session_id(1), "nativeRef": "call", "askedBy": null,
        "questions": [], "askedAt": 0, "limit": null, "state": state
    });
    serde_json::from_value(request).unwrap()
}

pub fn open(n: u128) -> Request {
    request(n, &json!({"state": "open"}))
}

pub fn declined(n: u128, delivery: &Value) -> Request {
    let outcome = json!({"outcome": "declined", "words": null});
    request(n, &json!({"state": "ended", "outcome": outcome, "at": 1, "delivery": delivery}))
}

/// An approval in session 1.
pub fn approval(n: u128, state: &Value) -> Approval {
    let approval = json!({
        "id": approval_id(n), "session": session_id(1), "nativeRef": "call", "title": "Bash", "description": null,
        "subject": {"detail": "command", "command": "ls", "description": null}, "options": [], "takesMessage": false,
        "askedAt": 0, "rule": null, "state": state
    });
    serde_json::from_value(approval).unwrap()
}

/// A desk with session 1, at 22:13:20 UTC on the 14th of November 2023.
pub fn desk(settings: Settings) -> Desk {
    let mut now = empty();
    now["sessions"] = json!([session(SessionState::Idle)]);
    let clock = Clock { now: || Timestamp::from_millis(1_700_000_000_000), steady: || Duration::ZERO };
    Desk::new(&snapshot(now), watch::channel(settings).1, clock)
}
