//! Google's generateContent, as Gemini CLI speaks it.

use serde_json::{Value, json};

use super::dialect::{CallResult, Dialect, ReplyContext, Tool, items, text_of};
use super::reply::{Block, pieces};

pub(super) static GENERATE_CONTENT: Dialect = Dialect { tools, call_results, json_body, events };

fn tools(request: &Value) -> Vec<Tool> {
    let declared = items(&request["tools"]).iter().flat_map(|tool| items(&tool["functionDeclarations"]));
    declared.filter_map(|tool| Tool::plain(&tool["name"])).collect()
}

/// The responses of functions in the last message of the user.
fn call_results(request: &Value) -> Vec<CallResult> {
    let last = items(&request["contents"]).iter().rev().find(|content| content["role"] == "user");
    let parts = last.map_or(&[][..], |content| items(&content["parts"]));
    parts.iter().filter_map(|part| part.get("functionResponse")).map(answered).collect()
}

fn answered(response: &Value) -> CallResult {
    let call = response["id"].as_str().or_else(|| response["name"].as_str());
    let output = response["response"].get("output").unwrap_or(&response["response"]);
    CallResult { call: call.unwrap_or_default().to_owned(), text: text_of(output) }
}

fn json_body(context: &ReplyContext<'_>) -> Value {
    let parts: Vec<Value> = context.reply.blocks.iter().map(|block| part(context, block)).collect();
    answer(context, &json!(parts), true)
}

fn events(context: &ReplyContext<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    for block in &context.reply.blocks {
        match block {
            // A call comes whole; only words come in pieces.
            Block::Text(text) => parts.extend(pieces(text).into_iter().map(|piece| json!({"text": piece}))),
            Block::ToolUse { .. } => parts.push(part(context, block)),
        }
    }
    let last = parts.len().saturating_sub(1);
    let event = |(index, part): (usize, &Value)| {
        format!("data: {}\r\n\r\n", answer(context, &json!([part]), index == last))
    };
    parts.iter().enumerate().map(event).collect()
}

fn answer(context: &ReplyContext<'_>, parts: &Value, ends: bool) -> Value {
    let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
    if ends {
        candidate["finishReason"] = json!("STOP");
    }
    json!({
        "candidates": [candidate], "modelVersion": "mock", "responseId": format!("resp_{}", context.number),
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
    })
}

fn part(context: &ReplyContext<'_>, block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({"text": text}),
        Block::ToolUse { id, name, input } => {
            json!({"functionCall": {"id": id, "name": context.tool(name).name, "args": input}})
        }
    }
}
