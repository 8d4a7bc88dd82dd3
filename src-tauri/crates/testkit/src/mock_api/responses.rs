//! OpenAI's Responses, as Codex speaks them.

use serde_json::{Value, json};

use super::dialect::{CallResult, Dialect, ReplyContext, Tool, items, text_of};
use super::reply::{Block, pieces};

pub(super) static RESPONSES: Dialect = Dialect { tools, call_results, json_body, events };

/// Tools stand by themselves or in groups; a server of MCP is one. Newer models get theirs as an item of the input (Codex 0.169).
fn tools(request: &Value) -> Vec<Tool> {
    let mut tools = Vec::new();
    let input = items(&request["input"]).iter().filter(|item| item["type"] == "additional_tools");
    let lists = input.map(|item| &item["tools"]).chain([&request["tools"]]);
    for tool in lists.flat_map(items) {
        let namespace = (tool["type"] == "namespace").then(|| tool["name"].as_str()).flatten();
        let members = if namespace.is_some() { items(&tool["tools"]) } else { std::slice::from_ref(tool) };
        let found = members.iter().filter_map(|tool| Tool::plain(&tool["name"]));
        tools.extend(found.map(|tool| Tool { namespace: namespace.map(str::to_owned), ..tool }));
    }
    tools
}

/// Whether a request is that of a subagent, which offers the same question tool (Codex 0.169).
pub(super) fn is_of_subagent(request: &Value) -> bool {
    request["client_metadata"]["x-openai-subagent"].is_string()
}

/// What follows the last words or calls of the model.
fn call_results(request: &Value) -> Vec<CallResult> {
    let outputs = items(&request["input"]).iter().rev();
    let outputs = outputs.skip_while(|item| !is_output(item)).take_while(|item| is_output(item));
    let result = |item: &Value| CallResult {
        call: item["call_id"].as_str().unwrap_or_default().to_owned(),
        text: text_of(&item["output"]),
    };
    let mut results: Vec<CallResult> = outputs.map(result).collect();
    results.reverse();
    results
}

fn is_output(item: &Value) -> bool {
    item["type"] == "function_call_output"
}

fn json_body(context: &ReplyContext<'_>) -> Value {
    let blocks = context.reply.blocks.iter().enumerate();
    let output: Vec<_> = blocks.map(|(index, block)| item(context, index, block, true)).collect();
    json!({
        "id": format!("resp_{}", context.number), "object": "response", "status": "completed",
        "model": context.model(), "output": output, "usage": {
            "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 10, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 20,
        },
    })
}

fn events(context: &ReplyContext<'_>) -> Vec<String> {
    let whole = json_body(context);
    let mut begun = whole.clone();
    begun["status"] = json!("in_progress");
    begun["output"] = json!([]);
    let mut events = vec![json!({"type": "response.created", "response": begun})];
    for (index, block) in context.reply.blocks.iter().enumerate() {
        let added = item(context, index, block, false);
        let id = added["id"].clone();
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": added}));
        let (kind, text) = match block {
            Block::Text(text) => ("response.output_text.delta", text.clone()),
            Block::ToolUse { input, .. } => ("response.function_call_arguments.delta", input.to_string()),
        };
        events.extend(pieces(&text).into_iter().map(|piece| {
            json!({"type": kind, "item_id": id, "output_index": index, "content_index": 0, "delta": piece})
        }));
        let done = item(context, index, block, true);
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": done}));
    }
    events.push(json!({"type": "response.completed", "response": whole}));
    let event = |(number, event): (usize, &mut Value)| {
        event["sequence_number"] = json!(number);
        format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
    };
    events.iter_mut().enumerate().map(event).collect()
}

fn item(context: &ReplyContext<'_>, index: usize, block: &Block, whole: bool) -> Value {
    let status = if whole { "completed" } else { "in_progress" };
    let number = context.number;
    match block {
        Block::Text(text) => {
            let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
            json!({
                "type": "message", "id": format!("msg_{number}_{index}"), "role": "assistant", "status": status,
                "content": if whole { content } else { json!([]) },
            })
        }
        Block::ToolUse { id, name, input } => {
            let tool = context.tool(name);
            let mut call = json!({
                "type": "function_call", "id": format!("fc_{number}_{index}"), "call_id": id, "name": tool.name,
                "arguments": if whole { input.to_string() } else { String::new() }, "status": status,
            });
            if let Some(namespace) = tool.namespace {
                call["namespace"] = json!(namespace);
            }
            call
        }
    }
}
