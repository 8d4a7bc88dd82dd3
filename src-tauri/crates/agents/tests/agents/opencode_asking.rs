//! OpenCode sessions that ask before changes, and their subagents.

use askdesk_agents::Open;
use askdesk_agents::opencode::{ASK, PERMISSIONS};
use askdesk_domain::NativeSession;
use serde_json::{Value, json};

use crate::opencode::{connection_reset, errors_of_turns};
use crate::support::opencode::OpenCodeSession;

fn agent(name: &str, change: &str) -> Value {
    let rules = [("*", "allow"), ("edit", change), ("bash", change), ("webfetch", change)];
    let rule = |(permission, action)| json!({"permission": permission, "pattern": "*", "action": action});
    json!({"name": name, "mode": "subagent", "permission": rules.map(rule).to_vec()})
}

fn asking(how: Open) -> OpenCodeSession {
    let config = [(PERMISSIONS, ASK)].into_iter().collect();
    OpenCodeSession::begin_with(how, &config)
}

fn asking_rules() -> Vec<Value> {
    ["edit", "bash", "webfetch"].map(|it| json!({"permission": it, "pattern": "*", "action": "ask"})).to_vec()
}

#[test]
fn case_124_a_session_begun_elsewhere_asks_before_changes_from_its_first_message_here() {
    let mut session = asking(Open::Resume { native_session: NativeSession::literal("ses_1") });
    session.message("go");
    session.respond("GET /session/ses_1", Ok(json!({"id": "ses_1", "permission": []})));
    session.respond("GET /session/ses_1/message", Ok(json!([])));
    session.respond("GET /agent", Ok(json!([agent("general", "ask")])));
    assert_eq!(session.sent("PATCH /session/ses_1"), [&json!({"permission": asking_rules()})]);
    assert_eq!(session.sent("POST /session/ses_1/prompt_async").len(), 0, "not before it asks");
    session.respond("PATCH /session/ses_1", Ok(json!({"id": "ses_1"})));
    assert_eq!(session.sent("POST /session/ses_1/prompt_async").len(), 1);
}

#[test]
fn case_108_a_session_that_asks_bars_the_subagents_that_would_not_ask_before_it_begins() {
    let mut session = asking(Open::New);
    session.respond("POST /session", Ok(json!({"id": "ses_1", "version": "1.18.33"})));
    session.message("go");
    session.respond("GET /agent", Ok(json!([agent("general", "ask"), agent("mine", "allow")])));
    let bar = json!({"permission": [{"permission": "task", "pattern": "mine", "action": "deny"}]});
    assert_eq!(session.sent("PATCH /session/ses_1"), [&bar]);
    assert_eq!(session.sent("POST /session/ses_1/prompt_async").len(), 0, "not before it is barred");
    session.respond("PATCH /session/ses_1", Ok(json!({"id": "ses_1"})));
    assert_eq!(session.sent("POST /session/ses_1/prompt_async").len(), 1);

    // Its configuration can change while it runs.
    session.event("server.instance.disposed", json!({"directory": "/proj"}));
    session.respond("GET /agent", Ok(json!([agent("general", "allow"), agent("mine", "allow")])));
    let bar = json!({"permission": [{"permission": "task", "pattern": "general", "action": "deny"}]});
    assert_eq!(session.sent("PATCH /session/ses_1").last(), Some(&&bar));
}

#[test]
fn case_108_a_session_whose_subagents_ask_begins_at_once_and_one_without_a_list_has_none() {
    let mut session = asking(Open::New);
    session.message("go");
    session.respond("POST /session", Ok(json!({"id": "ses_1", "version": "1.18.33"})));
    session.respond("GET /agent", Ok(json!([agent("general", "ask")])));
    assert_eq!(session.sent("PATCH /session/ses_1").len(), 0);
    assert_eq!(session.sent("POST /session/ses_1/prompt_async").len(), 1);

    let mut session = asking(Open::Resume { native_session: NativeSession::literal("ses_1") });
    session.message("go");
    let rules =
        [asking_rules(), vec![json!({"permission": "task", "pattern": "mine", "action": "deny"})]].concat();
    session.respond("GET /session/ses_1", Ok(json!({"id": "ses_1", "permission": rules})));
    session.respond("GET /session/ses_1/message", Ok(json!([])));
    session.respond("GET /agent", Err(connection_reset()));
    let bar = json!({"permission": [{"permission": "task", "pattern": "*", "action": "deny"}]});
    assert_eq!(session.sent("PATCH /session/ses_1"), [&bar]);
    session.respond("PATCH /session/ses_1", Err(connection_reset()));
    assert_eq!(errors_of_turns(&session), [Some("connection reset")]);
    assert_eq!(session.sent("POST /session/ses_1/prompt_async").len(), 0);
}

#[test]
fn case_108_a_bar_that_failed_is_tried_again_before_anything_is_sent() {
    let mut session = asking(Open::New);
    session.message("go");
    session.respond("POST /session", Ok(json!({"id": "ses_1", "version": "1.18.33"})));
    session.respond("GET /agent", Ok(json!([agent("mine", "allow")])));
    session.respond("PATCH /session/ses_1", Err(connection_reset()));
    for (to, body) in [
        ("GET /global/health", json!({})),
        ("GET /mcp", json!({})),
        ("GET /command", json!([])),
        ("GET /config/providers", json!({"providers": []})),
    ] {
        session.respond(to, Ok(body));
    }
    session.message("again");
    session.respond("GET /agent", Ok(json!([agent("mine", "allow")])));
    assert_eq!(session.sent("PATCH /session/ses_1").len(), 2);
    assert_eq!(session.sent("POST /session/ses_1/prompt_async").len(), 0);
}
