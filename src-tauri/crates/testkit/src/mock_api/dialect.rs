//! What the APIs with which agent CLIs talk to their models have in common.

use serde_json::Value;

use super::reply::Reply;
use super::{ASK_TOOL, CODEX_ASK_TOOL, MCP_ASK_TOOL, OPENCODE_ASK_TOOL};

/// A form of a model's HTTP API.
#[derive(Debug)]
pub struct Dialect {
    /// Lists the tools a request offers.
    pub(super) tools: fn(&Value) -> Vec<Tool>,
    /// Returns the results of the model's last calls that a request contains.
    pub(super) call_results: fn(&Value) -> Vec<CallResult>,
    /// The whole reply, not streamed.
    pub(super) json_body: fn(&ReplyContext<'_>) -> Value,
    /// The reply as server-sent events.
    pub(super) events: fn(&ReplyContext<'_>) -> Vec<String>,
}

/// A tool as a request offers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tool {
    pub name: String,
    /// The group it is in, where a dialect has groups.
    pub namespace: Option<String>,
}

/// The result of a tool call, as the model gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult {
    /// The id of the call; where a dialect has none, the name of the tool.
    pub call: String,
    /// The words, or the JSON of what is no text.
    pub text: String,
}

pub(super) struct ReplyContext<'a> {
    pub reply: &'a Reply,
    pub request: &'a Value,
    pub number: usize,
    pub tools: &'a [Tool],
}

/// Whether the reply is streamed; Gemini's path says so, the other dialects' request.
pub(super) fn is_streamed(path: &str, request: &Value) -> bool {
    path.ends_with(":streamGenerateContent") || request["stream"] == true
}

impl Tool {
    pub(super) fn plain(name: &Value) -> Option<Self> {
        Some(Self { name: name.as_str()?.to_owned(), namespace: None })
    }

    /// Whether it asks the user; only the conversation offers such a tool.
    pub(super) fn asks(&self) -> bool {
        [ASK_TOOL, CODEX_ASK_TOOL, OPENCODE_ASK_TOOL].contains(&self.name.as_str())
            || self.name.ends_with(MCP_ASK_TOOL)
    }
}

impl ReplyContext<'_> {
    /// The tool that a script means by a name: each program puts something else before that of an MCP server's tool.
    pub(super) fn tool(&self, wanted: &str) -> Tool {
        let exactly = self.tools.iter().find(|tool| tool.name == wanted);
        let ending = || self.tools.iter().find(|tool| tool.name.ends_with(wanted));
        let unknown = || Tool { name: wanted.to_owned(), namespace: None };
        exactly.or_else(ending).cloned().unwrap_or_else(unknown)
    }

    pub(super) fn model(&self) -> &str {
        self.request["model"].as_str().unwrap_or("mock")
    }
}

/// The words of something that is a text, or a list of parts with texts; its JSON otherwise.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) if parts.iter().all(|part| part["text"].is_string()) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

/// The items of a list; none where it is no list.
pub(super) fn items(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}
