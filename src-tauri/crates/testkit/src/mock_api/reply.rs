//! Scripted replies of the model, and their two forms on the wire.

use serde::Deserialize;
use serde_json::{Value, json};

/// The replies to the conversation, in order.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Script(pub Vec<Reply>);

/// One reply.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// What the model says and calls.
    pub blocks: Vec<Block>,
    /// How long it thinks before.
    #[serde(default)]
    pub delay_ms: u64,
    /// The pause between two pieces of a streamed reply.
    #[serde(default)]
    pub pace_ms: u64,
}

/// A part of a reply.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// Words.
    Text(String),
    /// A tool call.
    ToolUse {
        /// The id of the call.
        id: String,
        /// The tool.
        name: String,
        /// What it is called with.
        input: Value,
    },
}

impl Script {
    /// Parses the JSON of a script: a list of `{"blocks": [{"text": …} | {"tool_use": {…}}]}`.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

impl Reply {
    /// A reply of these blocks.
    pub fn new(blocks: impl IntoIterator<Item = Block>) -> Self {
        Self { blocks: blocks.into_iter().collect(), delay_ms: 0, pace_ms: 0 }
    }

    /// A reply of words only.
    pub fn text(text: &str) -> Self {
        Self::new([Block::Text(text.to_owned())])
    }

    /// A reply that asks the person.
    pub fn question(id: &str, questions: &Value) -> Self {
        Self::new([Block::ask(id, questions)])
    }

    /// The reply, given after a while.
    pub fn after(mut self, delay_ms: u64) -> Self {
        self.delay_ms = delay_ms;
        self
    }

    /// The reply, streamed with a pause between two pieces.
    pub fn paced(mut self, pace_ms: u64) -> Self {
        self.pace_ms = pace_ms;
        self
    }

    fn stop_reason(&self) -> &'static str {
        let calls = self.blocks.iter().any(|block| matches!(block, Block::ToolUse { .. }));
        if calls { "tool_use" } else { "end_turn" }
    }

    /// The whole message, as an answer that is not streamed.
    pub(super) fn as_message(&self, model: &str, number: usize) -> Value {
        let content: Vec<_> = self.blocks.iter().map(|block| block.as_json(true)).collect();
        json!({
            "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": model,
            "content": content, "stop_reason": self.stop_reason(), "stop_sequence": null,
            "usage": {"input_tokens": 10, "output_tokens": 10},
        })
    }

    /// The message as server-sent events.
    pub(super) fn as_sse(&self, model: &str, number: usize) -> Vec<String> {
        let mut head = self.as_message(model, number);
        head["content"] = json!([]);
        head["stop_reason"] = Value::Null;
        let mut events = vec![json!({"type": "message_start", "message": head})];
        for (index, block) in self.blocks.iter().enumerate() {
            events.push(json!({
                "type": "content_block_start", "index": index, "content_block": block.as_json(false),
            }));
            let deltas = block.deltas().into_iter();
            events.extend(
                deltas.map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
            );
            events.push(json!({"type": "content_block_stop", "index": index}));
        }
        events.push(json!({
            "type": "message_delta", "usage": {"output_tokens": 10},
            "delta": {"stop_reason": self.stop_reason(), "stop_sequence": null},
        }));
        events.push(json!({"type": "message_stop"}));
        let event = |event: &Value| {
            format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
        };
        events.iter().map(event).collect()
    }
}

impl Block {
    /// Words.
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// A tool call.
    pub fn tool(id: &str, name: &str, input: Value) -> Self {
        Self::ToolUse { id: id.to_owned(), name: name.to_owned(), input }
    }

    /// A question to the person.
    pub fn ask(id: &str, questions: &Value) -> Self {
        Self::tool(id, super::CONVERSATION_TOOL, json!({"questions": questions}))
    }

    fn as_json(&self, whole: bool) -> Value {
        match self {
            Self::Text(text) => json!({"type": "text", "text": if whole { text } else { "" }}),
            Self::ToolUse { id, name, input } => {
                let input = if whole { input.clone() } else { json!({}) };
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            }
        }
    }

    fn deltas(&self) -> Vec<Value> {
        /// Small enough that every reply is put together from several pieces.
        const PIECE_CHARS: usize = 16;
        let (kind, field, text) = match self {
            Self::Text(text) => ("text_delta", "text", text.clone()),
            Self::ToolUse { input, .. } => ("input_json_delta", "partial_json", input.to_string()),
        };
        let chars: Vec<char> = text.chars().collect();
        chars
            .chunks(PIECE_CHARS)
            .map(|piece| json!({"type": kind, field: String::from_iter(piece)}))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_streamed_pieces_make_up_the_whole_input() {
        let input = json!({"questions": [{"question": "Which “way” out of here?"}]});
        let reply = Reply::new([Block::text("Hm."), Block::tool("t1", "AskUserQuestion", input.clone())]);
        let sse = reply.as_sse("m", 1).concat();
        let events: Vec<Value> = sse
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|data| serde_json::from_str(data).unwrap())
            .collect();
        let pieces: String =
            events.iter().filter_map(|event| event["delta"]["partial_json"].as_str()).collect();
        assert_eq!(serde_json::from_str::<Value>(&pieces).unwrap(), input);
        assert_eq!(events.first().unwrap()["type"], "message_start");
        assert_eq!(events.last().unwrap()["type"], "message_stop");
        assert!(events.iter().any(|event| event["delta"]["stop_reason"] == "tool_use"));
    }

    #[test]
    fn a_script_file_is_a_list_of_replies() {
        let script =
            Script::parse(r#"[{"blocks":[{"text":"a"},{"tool_use":{"id":"t","name":"Bash","input":{}}}]}]"#);
        assert_eq!(script.unwrap().0[0].blocks.len(), 2);
        assert!(Script::parse(r#"[{"blocks":[],"speed":1}]"#).is_err());
    }
}
