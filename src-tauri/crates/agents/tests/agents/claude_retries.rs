//! Retries, resets and other lines of Claude Code that are about its own state.

use askdesk_agents::{AgentEvent, Retry, RetryBegins};
use askdesk_domain::Notice;
use rstest::rstest;
use serde_json::{Value, json};

use crate::support::claude::Claude;

fn retry(attempt: u32, error: &str, status: Option<u64>) -> Value {
    json!({"type": "system", "subtype": "api_retry", "attempt": attempt, "max_retries": 10,
        "retry_delay_ms": 4001, "error_status": status, "error": error})
}

fn told(session: &mut Claude, line: &Value) -> Vec<AgentEvent> {
    session.on_line(line.to_string().as_bytes())
}

fn retrying(attempt: u32, reason: &str) -> AgentEvent {
    let begins = RetryBegins::InMillis(4001);
    let retry = Retry { attempt: Some(attempt), of: Some(10), reason: reason.to_owned(), begins };
    AgentEvent::Retrying { retry }
}

#[rstest]
#[case("overloaded", Some(529), "Overloaded (529)")]
#[case("rate_limit", Some(429), "Rate limit (429)")]
#[case("unknown", None, "Unknown error")]
fn case_112_a_retry_is_told_with_its_reason(
    #[case] error: &str,
    #[case] status: Option<u64>,
    #[case] reason: &str,
) {
    let mut session = Claude::new();
    let expected = [AgentEvent::TurnBegan, retrying(2, reason)];
    assert_eq!(told(&mut session, &retry(2, error, status)), expected);
}

#[test]
fn case_112_a_rejected_key_is_told_once_in_a_turn() {
    let mut session = Claude::new();
    let reason = "Authentication failed (401)";
    let notice = AgentEvent::Noticed { notice: Notice::LoginRejected { error: reason.to_owned() } };
    let first = told(&mut session, &retry(1, "authentication_failed", Some(401)));
    assert_eq!(first, [AgentEvent::TurnBegan, notice.clone(), retrying(1, reason)]);
    let second = told(&mut session, &retry(2, "authentication_failed", Some(401)));
    assert_eq!(second, [retrying(2, reason)]);
    told(&mut session, &json!({"type": "result", "subtype": "success", "is_error": false}));
    let next_turn = told(&mut session, &retry(1, "authentication_failed", Some(401)));
    assert!(next_turn.contains(&notice), "{next_turn:?}");
}

#[test]
fn case_112_the_text_of_an_abandoned_message_is_dropped() {
    let stop = |abandoned: bool| {
        let mut stop = json!({"type": "stream_event", "event": {"type": "message_stop"}});
        if abandoned {
            stop["abandoned_blocks"] = json!({"api_message_id": "msg_1", "from_block_index": 0});
        }
        stop
    };
    let mut session = Claude::new();
    assert_eq!(told(&mut session, &stop(false)), [AgentEvent::TurnBegan]);
    assert_eq!(told(&mut session, &stop(true)), [AgentEvent::TextDropped]);
}

#[test]
fn a_reset_of_the_conversation_leaves_a_mark() {
    let mut session = Claude::new();
    let reset = json!({"type": "conversation_reset", "new_conversation_id": "x", "trigger": "clear"});
    let mark = AgentEvent::Noticed { notice: Notice::ConversationReset };
    assert!(told(&mut session, &reset).contains(&mark));
}

#[rstest]
#[case("commands_changed")]
#[case("hook_started")]
#[case("hook_progress")]
#[case("hook_response")]
fn lines_that_say_nothing_to_a_user_are_known(#[case] subtype: &str) {
    let line = json!({"type": "system", "subtype": subtype});
    assert_eq!(told(&mut Claude::new(), &line), []);
}
