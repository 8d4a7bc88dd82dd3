//! Any JSON and any nesting reach the adapter without a panic; `contract` tries any bytes.

use crate::support::claude::Claude;
use askdesk_agents::{AgentEvent, Requests, Trouble};
use askdesk_domain::Notice;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// JSON that is likely to come near the protocol: its words as keys and values, in any shape.
fn near_protocol() -> impl Strategy<Value = Value> {
    const WORDS: &str = "type assistant user control_request control_cancel_request control_response result \
        system init stream_event event delta text request request_id subtype can_use_tool tool_name AskUserQuestion \
        Bash Edit input questions question options label answers tool_use_id message content tool_use tool_result id \
        name response pending_permission_requests askdesk-1 toolu_1";
    let words: Vec<&str> = WORDS.split(' ').chain([""]).collect();
    let word = move || proptest::sample::select(words.clone());
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((word(), inner), 0..6).prop_map(|fields| {
                Value::Object(
                    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>(),
                )
            }),
        ]
    })
}

fn as_control_request(input: &Value) -> Value {
    json!({"type": "control_request", "request_id": "req", "request": {
        "subtype": "can_use_tool", "tool_name": "AskUserQuestion", "tool_use_id": "toolu_1", "input": input}})
}

proptest! {
    #[test]
    fn any_json_is_taken(messages in proptest::collection::vec(near_protocol(), 0..8)) {
        let mut stream = Claude::new();
        for message in &messages {
            stream.on_line(message.to_string().as_bytes());
        }
    }

    #[test]
    fn a_question_of_any_content_is_asked_passed_or_refused_and_never_met_with_silence(input in near_protocol()) {
        let out = Claude::new().line(as_control_request(&input).to_string().as_bytes());
        let asked = out.events.iter().filter(|event| matches!(event, AgentEvent::Requests(Requests::Asked(_)))).count();
        let settled = |event: &&AgentEvent| matches!(event, AgentEvent::Trouble(Trouble::Noticed { notice: Notice::AnswersBrought | Notice::QuestionRefused { .. } }));
        let settled = out.events.iter().filter(settled).count();
        prop_assert_eq!((asked + settled, out.outbound.len()), (1, settled));
    }
}

#[test]
fn deep_nesting_is_not_json_to_us() {
    let deep = "[".repeat(100_000);
    let events = Claude::new().on_line(deep.as_bytes());
    assert!(matches!(events[..], [AgentEvent::Trouble(Trouble::InvalidInput { .. })]));
}
