//! OpenAI's chat completions, as OpenCode speaks them with a provider of one's own.

use serde_json::{Value, json};

use super::dialect::{Giving, Offered, Told, items, words};
use super::reply::{Block, pieces};

pub(super) fn offered(request: &Value) -> Vec<Offered> {
    items(&request["tools"]).iter().filter_map(|tool| Offered::plain(&tool["function"]["name"])).collect()
}

/// The messages of tools after the model's last one.
pub(super) fn told(request: &Value) -> Vec<Told> {
    let messages = items(&request["messages"]).iter().rev();
    let told = |message: &Value| Told {
        call: message["tool_call_id"].as_str().unwrap_or_default().to_owned(),
        text: words(&message["content"]),
    };
    let tools = messages.take_while(|message| message["role"] != "assistant");
    let mut told: Vec<Told> = tools.filter(|message| message["role"] == "tool").map(told).collect();
    told.reverse();
    told
}

pub(super) fn whole(giving: &Giving<'_>) -> Value {
    let text: String = giving.reply.blocks.iter().filter_map(said).collect();
    let calls: Vec<Value> =
        calls(giving).into_iter().map(|(_, call, arguments)| with_arguments(call, &arguments)).collect();
    let mut message = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    answer(
        giving,
        "chat.completion",
        &json!({"index": 0, "message": message, "finish_reason": finish_reason(giving)}),
    )
}

pub(super) fn events(giving: &Giving<'_>) -> Vec<String> {
    let chunk = |delta: &Value, finish: &Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        format!("data: {}\n\n", answer(giving, "chat.completion.chunk", &choice))
    };
    let going_on = |delta: &Value| chunk(delta, &Value::Null);
    let mut events = vec![going_on(&json!({"role": "assistant", "content": ""}))];
    for text in giving.reply.blocks.iter().filter_map(said) {
        events.extend(pieces(text).iter().map(|piece| going_on(&json!({"content": piece}))));
    }
    for (index, call, arguments) in calls(giving) {
        let mut first = with_arguments(call, "");
        first["index"] = json!(index);
        events.push(going_on(&json!({"tool_calls": [first]})));
        events.extend(pieces(&arguments).iter().map(|piece| {
            going_on(&json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
        }));
    }
    events.push(chunk(&json!({}), &json!(finish_reason(giving))));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn answer(giving: &Giving<'_>, object: &str, choice: &Value) -> Value {
    json!({
        "id": format!("chatcmpl-{}", giving.number), "object": object, "created": 1_700_000_000,
        "model": giving.model(), "choices": [choice],
        "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
    })
}

fn finish_reason(giving: &Giving<'_>) -> &'static str {
    if giving.reply.calls() { "tool_calls" } else { "stop" }
}

fn said(block: &Block) -> Option<&str> {
    match block {
        Block::Text(text) => Some(text),
        Block::ToolUse { .. } => None,
    }
}

/// Each call with its place among the calls, and its arguments.
fn calls(giving: &Giving<'_>) -> Vec<(usize, Value, String)> {
    let calls = giving.reply.blocks.iter().filter_map(|block| match block {
        Block::Text(_) => None,
        Block::ToolUse { id, name, input } => Some((id, giving.tool(name), input)),
    });
    let call = |(index, (id, tool, input)): (usize, (&String, Offered, &Value))| {
        let call = json!({"id": id, "type": "function", "function": {"name": tool.name}});
        (index, call, input.to_string())
    };
    calls.enumerate().map(call).collect()
}

fn with_arguments(mut call: Value, arguments: &str) -> Value {
    call["function"]["arguments"] = json!(arguments);
    call
}
