//! Each word of the adapters' closed lists is handled; `transcripts/not_understood.txt` has what becomes of other words.

use askdesk_agents::{AgentEvent, InputError, Trouble, claude, codex, opencode};
use serde_json::{Value, json};

use crate::support::claude::Claude;
use crate::support::codex::Session;
use crate::support::opencode::OpenCodeSession;

fn is_unknown(event: &AgentEvent) -> bool {
    let AgentEvent::Trouble(Trouble::InvalidInput { why }) = event else { return false };
    matches!(why, InputError::UnknownType { .. } | InputError::RequestRefused { .. })
}

#[test]
fn case_137_each_word_that_the_adapter_of_claude_code_lists_is_handled() {
    use claude::known::{BLOCKS, REQUESTS, SILENT_SYSTEM, SILENT_TYPES, SYSTEM, TYPES};
    let hear = |message: Value| Claude::new().on_line(message.to_string().as_bytes());
    let types = TYPES.iter().filter(|kind| !matches!(**kind, "system" | "control_request"));
    let types = types.chain(SILENT_TYPES).map(|kind| json!({"type": kind}));
    let system =
        SYSTEM.iter().chain(SILENT_SYSTEM).map(|subtype| json!({"type": "system", "subtype": subtype}));
    let requests = REQUESTS.iter().map(
        |subtype| json!({"type": "control_request", "request_id": "r", "request": {"subtype": subtype}}),
    );
    let blocks =
        BLOCKS.iter().map(|kind| json!({"type": "assistant", "message": {"content": [{"type": kind}]}}));
    for message in types.chain(system).chain(requests).chain(blocks) {
        let events = hear(message.clone());
        assert!(!events.iter().any(is_unknown), "{message}: {events:?}");
    }
}

#[test]
fn case_137_each_word_that_the_adapter_of_codex_lists_is_handled() {
    use codex::known::{ITEMS, READ, REQUESTS, SILENT, WARNINGS};
    for method in READ.iter().chain(SILENT).chain(WARNINGS.iter().map(|(method, _)| method)) {
        let events = Session::in_turn().tell(method, json!({}));
        assert!(!events.iter().any(is_unknown), "{method}: {events:?}");
    }
    for method in REQUESTS {
        let events = Session::in_turn().ask(1, method, json!({})).events;
        assert!(!events.iter().any(is_unknown), "{method}: {events:?}");
    }
    for kind in ITEMS {
        let item = json!({"item": {"id": "i", "type": kind}});
        let events = Session::in_turn().tell("item/completed", item);
        assert!(!events.iter().any(is_unknown), "{kind}: {events:?}");
    }
}

#[test]
fn case_137_each_word_that_the_adapter_of_opencode_lists_is_handled() {
    use opencode::known::{ABOUT_SERVER, EVENTS, PARTS, REPEATED, REQUESTS};
    let events = EVENTS.iter().chain(REQUESTS).chain(ABOUT_SERVER).chain(REPEATED);
    for kind in events {
        let mut session = OpenCodeSession::working("ses_1");
        session.event(kind, &json!({"sessionID": "ses_1"}));
        assert!(!session.events.iter().any(is_unknown), "{kind}: {:?}", session.events);
    }
    for kind in PARTS {
        let mut session = OpenCodeSession::working("ses_1");
        let part = json!({"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": kind});
        session.event("message.part.updated", &json!({"sessionID": "ses_1", "part": part}));
        assert!(!session.events.iter().any(is_unknown), "{kind}: {:?}", session.events);
    }
}
