//! The forms in which agent CLIs speak with their models, told apart by the path.

use axum::http::Method;
use serde_json::Value;

use super::reply::Reply;
use super::{ASK_TOOL, MCP_ASK_TOOL, chat, gemini, messages, responses};

/// A form of a model's HTTP API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Messages,
    /// OpenAI's Responses.
    Responses,
    /// OpenAI's chat completions, which many others speak too.
    Chat,
    /// Google's generateContent.
    Gemini,
}

/// A tool as a request offers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Offered {
    pub name: String,
    /// The group it is in, where a dialect has groups.
    pub namespace: Option<String>,
}

/// What a model is told of a call it made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The id of the call; where a dialect has none, the name of the tool.
    pub call: String,
    /// The words, or the JSON of what is no text.
    pub text: String,
}

/// One reply on its way to a program: what was asked for, and how many were given before.
pub(super) struct Giving<'a> {
    pub reply: &'a Reply,
    pub request: &'a Value,
    pub number: usize,
    pub offered: &'a [Offered],
}

impl Dialect {
    /// Tells the dialect of a request that wants a reply of the model; none where it wants something else.
    pub(super) fn of(method: &Method, path: &str) -> Option<Self> {
        match path.rsplit('/').next() {
            _ if method != Method::POST => None,
            Some("messages") => Some(Self::Messages),
            Some("responses") => Some(Self::Responses),
            Some("completions") if path.ends_with("/chat/completions") => Some(Self::Chat),
            Some(last) if last.ends_with(":streamGenerateContent") || last.ends_with(":generateContent") => {
                Some(Self::Gemini)
            }
            _ => None,
        }
    }

    /// Lists the tools a request offers.
    pub(super) fn offered(self, request: &Value) -> Vec<Offered> {
        match self {
            Self::Messages => messages::offered(request),
            Self::Responses => responses::offered(request),
            Self::Chat => chat::offered(request),
            Self::Gemini => gemini::offered(request),
        }
    }

    /// Whether the reply is to come in pieces.
    pub(super) fn streams(self, path: &str, request: &Value) -> bool {
        match self {
            Self::Gemini => path.ends_with(":streamGenerateContent"),
            Self::Messages | Self::Responses | Self::Chat => request["stream"] == true,
        }
    }

    /// The whole reply, not streamed.
    pub(super) fn whole(self, giving: &Giving<'_>) -> Value {
        match self {
            Self::Messages => messages::whole(giving),
            Self::Responses => responses::whole(giving),
            Self::Chat => chat::whole(giving),
            Self::Gemini => gemini::whole(giving),
        }
    }

    /// The reply as server-sent events.
    pub(super) fn events(self, giving: &Giving<'_>) -> Vec<String> {
        match self {
            Self::Messages => messages::events(giving),
            Self::Responses => responses::events(giving),
            Self::Chat => chat::events(giving),
            Self::Gemini => gemini::events(giving),
        }
    }

    /// What a request tells the model of its last calls.
    pub(super) fn told(self, request: &Value) -> Vec<Told> {
        match self {
            Self::Messages => messages::told(request),
            Self::Responses => responses::told(request),
            Self::Chat => chat::told(request),
            Self::Gemini => gemini::told(request),
        }
    }
}

impl Offered {
    pub(super) fn plain(name: &Value) -> Option<Self> {
        Some(Self { name: name.as_str()?.to_owned(), namespace: None })
    }

    /// Whether it asks the person; only the conversation offers such a tool.
    pub(super) fn asks(&self) -> bool {
        self.name == ASK_TOOL || self.name.ends_with(MCP_ASK_TOOL)
    }
}

impl Giving<'_> {
    /// The tool that a script means by a name: each program puts something else before that of an MCP server's tool.
    pub(super) fn tool(&self, wanted: &str) -> Offered {
        let exactly = self.offered.iter().find(|tool| tool.name == wanted);
        let ending = || self.offered.iter().find(|tool| tool.name.ends_with(wanted));
        let unknown = || Offered { name: wanted.to_owned(), namespace: None };
        exactly.or_else(ending).cloned().unwrap_or_else(unknown)
    }

    pub(super) fn model(&self) -> &str {
        self.request["model"].as_str().unwrap_or("mock")
    }
}

/// The words of something that is a text, or a list of parts with texts; its JSON otherwise.
pub(super) fn words(content: &Value) -> String {
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
