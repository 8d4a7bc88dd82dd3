//! Anthropic's Messages, as Claude Code speaks them.

use serde_json::{Value, json};

use super::dialect::{Giving, Offered, Told, items, words};
use super::reply::{Block, pieces};

pub(super) fn offered(request: &Value) -> Vec<Offered> {
    items(&request["tools"]).iter().filter_map(|tool| Offered::plain(&tool["name"])).collect()
}

/// The `tool_result` blocks in the last message of the user.
pub(super) fn tool_results(request: &Value) -> Vec<Value> {
    let last = items(&request["messages"]).iter().rev().find(|message| message["role"] == "user");
    let blocks = last.map_or(&[][..], |message| items(&message["content"]));
    blocks.iter().filter(|block| block["type"] == "tool_result").cloned().collect()
}

pub(super) fn told(request: &Value) -> Vec<Told> {
    let told = |block: &Value| Told {
        call: block["tool_use_id"].as_str().unwrap_or_default().to_owned(),
        text: words(&block["content"]),
    };
    tool_results(request).iter().map(told).collect()
}

pub(super) fn whole(giving: &Giving<'_>) -> Value {
    let content: Vec<_> = giving.reply.blocks.iter().map(|block| as_json(giving, block, true)).collect();
    json!({
        "id": format!("msg_{}", giving.number), "type": "message", "role": "assistant", "model": giving.model(),
        "content": content, "stop_reason": stop_reason(giving), "stop_sequence": null,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    })
}

pub(super) fn events(giving: &Giving<'_>) -> Vec<String> {
    let mut head = whole(giving);
    head["content"] = json!([]);
    head["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": head})];
    for (index, block) in giving.reply.blocks.iter().enumerate() {
        events.push(json!({
            "type": "content_block_start", "index": index, "content_block": as_json(giving, block, false),
        }));
        events.extend(
            deltas(block)
                .into_iter()
                .map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({
        "type": "message_delta", "usage": {"output_tokens": 10},
        "delta": {"stop_reason": stop_reason(giving), "stop_sequence": null},
    }));
    events.push(json!({"type": "message_stop"}));
    let event =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    events.iter().map(event).collect()
}

fn stop_reason(giving: &Giving<'_>) -> &'static str {
    if giving.reply.calls() { "tool_use" } else { "end_turn" }
}

fn as_json(giving: &Giving<'_>, block: &Block, whole: bool) -> Value {
    match block {
        Block::Text(text) => json!({"type": "text", "text": if whole { text } else { "" }}),
        Block::ToolUse { id, name, input } => {
            let input = if whole { input.clone() } else { json!({}) };
            json!({"type": "tool_use", "id": id, "name": giving.tool(name).name, "input": input})
        }
    }
}

fn deltas(block: &Block) -> Vec<Value> {
    let (kind, field, text) = match block {
        Block::Text(text) => ("text_delta", "text", text.clone()),
        Block::ToolUse { input, .. } => ("input_json_delta", "partial_json", input.to_string()),
    };
    pieces(&text).into_iter().map(|piece| json!({"type": kind, field: piece})).collect()
}
