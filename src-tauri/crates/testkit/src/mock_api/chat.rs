//! OpenAI's chat completions, as OpenCode speaks them with a provider of one's own.

use serde_json::{Value, json};

use super::dialect::{CallResult, Dialect, ReplyContext, Tool, items, text_of};
use super::reply::{Block, pieces};

pub(super) static CHAT_COMPLETIONS: Dialect = Dialect { tools, call_results, json_body, events };

fn tools(request: &Value) -> Vec<Tool> {
    items(&request["tools"]).iter().filter_map(|tool| Tool::plain(&tool["function"]["name"])).collect()
}

/// The messages of tools after the model's last one.
fn call_results(request: &Value) -> Vec<CallResult> {
    let messages = items(&request["messages"]).iter().rev();
    let result = |message: &Value| CallResult {
        call: message["tool_call_id"].as_str().unwrap_or_default().to_owned(),
        text: text_of(&message["content"]),
    };
    let tools = messages.take_while(|message| message["role"] != "assistant");
    let mut results: Vec<CallResult> =
        tools.filter(|message| message["role"] == "tool").map(result).collect();
    results.reverse();
    results
}

fn json_body(context: &ReplyContext<'_>) -> Value {
    let text: String = context.reply.blocks.iter().filter_map(said).collect();
    let calls: Vec<Value> =
        calls(context).into_iter().map(|(_, call, arguments)| with_arguments(call, &arguments)).collect();
    let mut message = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    answer(
        context,
        "chat.completion",
        &json!({"index": 0, "message": message, "finish_reason": finish_reason(context)}),
    )
}

fn events(context: &ReplyContext<'_>) -> Vec<String> {
    let chunk = |delta: &Value, finish: &Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        format!("data: {}\n\n", answer(context, "chat.completion.chunk", &choice))
    };
    let going_on = |delta: &Value| chunk(delta, &Value::Null);
    let mut events = vec![going_on(&json!({"role": "assistant", "content": ""}))];
    for text in context.reply.blocks.iter().filter_map(said) {
        events.extend(pieces(text).iter().map(|piece| going_on(&json!({"content": piece}))));
    }
    for (index, call, arguments) in calls(context) {
        let mut first = with_arguments(call, "");
        first["index"] = json!(index);
        events.push(going_on(&json!({"tool_calls": [first]})));
        events.extend(pieces(&arguments).iter().map(|piece| {
            going_on(&json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
        }));
    }
    events.push(chunk(&json!({}), &json!(finish_reason(context))));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn answer(context: &ReplyContext<'_>, object: &str, choice: &Value) -> Value {
    json!({
        "id": format!("chatcmpl-{}", context.number), "object": object, "created": 1_700_000_000,
        "model": context.model(), "choices": [choice],
        "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
    })
}

fn finish_reason(context: &ReplyContext<'_>) -> &'static str {
    if context.reply.calls() { "tool_calls" } else { "stop" }
}

fn said(block: &Block) -> Option<&str> {
    match block {
        Block::Text(text) => Some(text),
        Block::ToolUse { .. } => None,
    }
}

/// Each call with its place among the calls, and its arguments.
fn calls(context: &ReplyContext<'_>) -> Vec<(usize, Value, String)> {
    let calls = context.reply.blocks.iter().filter_map(|block| match block {
        Block::Text(_) => None,
        Block::ToolUse { id, name, input } => Some((id, context.tool(name), input)),
    });
    let call = |(index, (id, tool, input)): (usize, (&String, Tool, &Value))| {
        let call = json!({"id": id, "type": "function", "function": {"name": tool.name}});
        (index, call, input.to_string())
    };
    calls.enumerate().map(call).collect()
}

fn with_arguments(mut call: Value, arguments: &str) -> Value {
    call["function"]["arguments"] = json!(arguments);
    call
}
