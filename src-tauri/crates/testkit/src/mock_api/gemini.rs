//! Google's generateContent, as Gemini CLI speaks it.

use serde_json::{Value, json};

use super::dialect::{Giving, Offered, Told, items, words};
use super::reply::{Block, pieces};

pub(super) fn offered(request: &Value) -> Vec<Offered> {
    let declared = items(&request["tools"]).iter().flat_map(|tool| items(&tool["functionDeclarations"]));
    declared.filter_map(|tool| Offered::plain(&tool["name"])).collect()
}

/// The responses of functions in the last message of the user.
pub(super) fn told(request: &Value) -> Vec<Told> {
    let last = items(&request["contents"]).iter().rev().find(|content| content["role"] == "user");
    let parts = last.map_or(&[][..], |content| items(&content["parts"]));
    parts.iter().filter_map(|part| part.get("functionResponse")).map(answered).collect()
}

fn answered(response: &Value) -> Told {
    let call = response["id"].as_str().or_else(|| response["name"].as_str());
    let output = response["response"].get("output").unwrap_or(&response["response"]);
    Told { call: call.unwrap_or_default().to_owned(), text: words(output) }
}

pub(super) fn whole(giving: &Giving<'_>) -> Value {
    let parts: Vec<Value> = giving.reply.blocks.iter().map(|block| part(giving, block)).collect();
    answer(giving, &json!(parts), true)
}

pub(super) fn events(giving: &Giving<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    for block in &giving.reply.blocks {
        match block {
            // A call comes whole; only words come in pieces.
            Block::Text(text) => parts.extend(pieces(text).into_iter().map(|piece| json!({"text": piece}))),
            Block::ToolUse { .. } => parts.push(part(giving, block)),
        }
    }
    let last = parts.len().saturating_sub(1);
    let event = |(index, part): (usize, &Value)| {
        format!("data: {}\r\n\r\n", answer(giving, &json!([part]), index == last))
    };
    parts.iter().enumerate().map(event).collect()
}

fn answer(giving: &Giving<'_>, parts: &Value, ends: bool) -> Value {
    let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
    if ends {
        candidate["finishReason"] = json!("STOP");
    }
    json!({
        "candidates": [candidate], "modelVersion": "mock", "responseId": format!("resp_{}", giving.number),
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
    })
}

fn part(giving: &Giving<'_>, block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({"text": text}),
        Block::ToolUse { id, name, input } => {
            json!({"functionCall": {"id": id, "name": giving.tool(name).name, "args": input}})
        }
    }
}
