//! Messages newer than the tested versions: each word of the closed lists is handled, and what isn't in them is named, refused where
//! somebody waits, and shown where it says something to the user.

use askdesk_agents::{AgentEvent, InputError, claude, codex, opencode};
use askdesk_domain::Notice;
use rstest::rstest;
use serde_json::{Value, json};

use crate::support::claude::Claude;
use crate::support::codex::Session;
use crate::support::opencode::OpenCodeSession;

fn is_unknown(event: &AgentEvent) -> bool {
    let AgentEvent::InvalidInput { why } = event else { return false };
    matches!(why, InputError::UnknownType { .. } | InputError::RequestRefused { .. })
}

/// The text and the kind of what was not understood.
fn told(events: &[AgentEvent]) -> Vec<(&str, &str)> {
    let told = events.iter().filter_map(|event| match event {
        AgentEvent::Noticed { notice: Notice::NotUnderstood { kind, text, refused: false } } => {
            Some((kind.as_str(), text.as_str()))
        }
        _ => None,
    });
    told.collect()
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
        session.event(kind, json!({"sessionID": "ses_1"}));
        assert!(!session.events.iter().any(is_unknown), "{kind}: {:?}", session.events);
    }
    for kind in PARTS {
        let mut session = OpenCodeSession::working("ses_1");
        let part = json!({"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": kind});
        session.event("message.part.updated", json!({"sessionID": "ses_1", "part": part}));
        assert!(!session.events.iter().any(is_unknown), "{kind}: {:?}", session.events);
    }
}

#[rstest]
#[case::questions(json!({"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]}), "Which?\n- A\n- B")]
#[case::in_a_frame(json!({"input": {"question": "Which one?"}}), "Which one?")]
#[case::of_another_form(json!({"questions": {"first": 1}}), "{\n  \"first\": 1\n}")]
#[case::text(json!({"text": "Please sign in."}), "Please sign in.")]
#[case::blocks(json!({"content": [{"type": "text", "text": "Please sign in."}]}), "Please sign in.")]
fn case_137_what_an_unknown_message_says_to_the_user_is_shown_with_a_mark(
    #[case] fields: Value,
    #[case] text: &str,
) {
    let with = |mut message: Value| {
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        message
    };

    let block = with(json!({"type": "poll"}));
    for (message, kind) in [
        (with(json!({"type": "poll"})), "poll"),
        (with(json!({"type": "system", "subtype": "poll"})), "system/poll"),
        (json!({"type": "assistant", "message": {"content": [block]}}), "assistant/poll"),
    ] {
        assert_eq!(told(&Claude::new().on_line(message.to_string().as_bytes())), [(kind, text)]);
    }

    let mut session = Session::in_turn();
    let item = json!({"item": with(json!({"id": "i", "type": "poll"}))});
    let mut events = session.tell("item/started", item.clone());
    events.extend(session.tell("item/completed", item));
    assert_eq!(told(&events), [("poll", text)]);
    assert_eq!(events.iter().filter(|event| is_unknown(event)).count(), 1);
    assert!(!events.iter().any(|event| matches!(event, AgentEvent::ToolStarted { .. })), "{events:?}");
    assert_eq!(told(&session.tell("thread/poll", with(json!({})))), [("thread/poll", text)]);

    let mut session = OpenCodeSession::working("ses_1");
    let part = with(json!({"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "poll"}));
    for _ in 0..2 {
        session.event("message.part.updated", json!({"sessionID": "ses_1", "part": part}));
    }
    session.event("poll.asked", with(json!({"sessionID": "ses_1"})));
    assert_eq!(told(&session.events), [("poll", text), ("poll.asked", text)]);
}

#[test]
fn case_137_an_unknown_message_that_says_nothing_to_the_user_is_only_counted_or_shown_whole() {
    let events =
        Claude::new().on_line(br#"{"type": "system", "subtype": "poll", "questions": [], "text": " "}"#);
    assert_eq!((events.len(), told(&events).len()), (1, 0), "{events:?}");
    let item = json!({"item": {"id": "i", "type": "poll", "shape": "cube"}});
    let events = Session::in_turn().tell("item/completed", item);
    let [unknown, AgentEvent::ToolStarted { name, summary, .. }, AgentEvent::ToolEnded { ok: true, .. }] =
        &events[..]
    else {
        panic!("{events:?}")
    };
    assert!(is_unknown(unknown));
    assert_eq!((name.as_str(), summary.as_str()), ("poll", "cube"));
}

#[test]
fn case_137_a_subagents_question_of_an_unknown_form_is_shown_and_its_words_are_not() {
    let message = |fields: Value| {
        let mut message = json!({"type": "system", "subtype": "poll", "parent_tool_use_id": "toolu_1"});
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        Claude::new().on_line(message.to_string().as_bytes())
    };
    assert_eq!(told(&message(json!({"questions": ["Which?"]}))), [("system/poll", "Which?")]);
    assert_eq!(told(&message(json!({"text": "Working."}))), []);
}
