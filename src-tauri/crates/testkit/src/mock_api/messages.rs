//! Anthropic's Messages, as Claude Code speaks them.

use serde_json::{Value, json};

use super::dialect::{CallResult, Dialect, ReplyContext, Tool, items, text_of};
use super::reply::{Block, HALF, pieces};

pub(super) static MESSAGES: Dialect = Dialect { tools, call_results, json_body, events };

fn tools(request: &Value) -> Vec<Tool> {
    items(&request["tools"]).iter().filter_map(|tool| Tool::plain(&tool["name"])).collect()
}

/// The `tool_result` blocks in the last message of the user.
pub(super) fn tool_results(request: &Value) -> Vec<Value> {
    let last = items(&request["messages"]).iter().rev().find(|message| message["role"] == "user");
    let blocks = last.map_or(&[][..], |message| items(&message["content"]));
    blocks.iter().filter(|block| block["type"] == "tool_result").cloned().collect()
}

fn call_results(request: &Value) -> Vec<CallResult> {
    let result = |block: &Value| CallResult {
        call: block["tool_use_id"].as_str().unwrap_or_default().to_owned(),
        text: text_of(&block["content"]),
    };
    tool_results(request).iter().map(result).collect()
}

fn json_body(context: &ReplyContext<'_>) -> Value {
    let content: Vec<_> = context.reply.blocks.iter().map(|block| as_json(context, block, true)).collect();
    let tokens = context.reply.tokens;
    json!({
        "id": format!("msg_{}", context.number), "type": "message", "role": "assistant", "model": context.model(),
        "content": content, "stop_reason": stop_reason(context), "stop_sequence": null,
        "usage": {
            "input_tokens": tokens.input, "cache_read_input_tokens": tokens.cached,
            "cache_creation_input_tokens": 0, "output_tokens": tokens.output,
        },
    })
}

fn events(context: &ReplyContext<'_>) -> Vec<String> {
    let mut head = json_body(context);
    head["content"] = json!([]);
    head["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": head})];
    for (index, block) in context.reply.blocks.iter().enumerate() {
        events.push(json!({
            "type": "content_block_start", "index": index, "content_block": as_json(context, block, false),
        }));
        events.extend(
            deltas(block)
                .into_iter()
                .map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({
        "type": "message_delta", "usage": {"output_tokens": context.reply.tokens.output},
        "delta": {"stop_reason": stop_reason(context), "stop_sequence": null},
    }));
    events.push(json!({"type": "message_stop"}));
    let event =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    events.iter().map(event).collect()
}

fn stop_reason(context: &ReplyContext<'_>) -> &'static str {
    if context.reply.calls() { "tool_use" } else { "end_turn" }
}

fn as_json(context: &ReplyContext<'_>, block: &Block, whole: bool) -> Value {
    match block {
        Block::Text(text) => json!({"type": "text", "text": if whole { text } else { "" }}),
        Block::ToolUse { id, name, input } => {
            let input = if whole { input.clone() } else { json!({}) };
            json!({"type": "tool_use", "id": id, "name": context.tool(name).name, "input": input})
        }
    }
}

fn deltas(block: &Block) -> Vec<Value> {
    let (kind, field, text) = match block {
        Block::Text(text) => ("text_delta", "text", text.clone()),
        Block::ToolUse { input, .. } => {
            ("input_json_delta", "partial_json", input.to_string().replace(HALF, r"\ud83d"))
        }
    };
    pieces(&text).into_iter().map(|piece| json!({"type": kind, field: piece})).collect()
}
