//! Scripted replies of the model.

use serde_json::{Value, json};

/// Stands for half an emoji in the input of a call, which no string of Rust can hold. Only Anthropic's dialect sends it.
pub const HALF: char = '\u{f8ff}';

/// The replies to the conversation, in order.
#[derive(Debug, Clone, Default)]
pub struct Script(pub Vec<Reply>);

#[derive(Debug, Clone)]
pub struct Reply {
    /// What the model says and calls.
    pub blocks: Vec<Block>,
    /// How long it thinks before.
    pub delay_ms: u64,
    /// The pause between two pieces of a streamed reply.
    pub pace_ms: u64,
    /// What the model says that the call used.
    pub tokens: Tokens,
    /// How the call fails; none for a reply that is given whole.
    pub failure: Option<Failure>,
}

/// How a call of the model fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// An HTTP error, with the API's name of it.
    Status(u16, &'static str),
    /// The stream ends within the first text.
    Broken,
}

/// The tokens of one call of the model.
#[derive(Debug, Clone, Copy)]
pub struct Tokens {
    /// Read, and not from the cache.
    pub input: u64,
    pub cached: u64,
    pub output: u64,
}

impl Default for Tokens {
    fn default() -> Self {
        Self { input: 10, cached: 0, output: 10 }
    }
}

/// A part of a reply.
#[derive(Debug, Clone)]
pub enum Block {
    Text(String),
    ToolUse {
        id: String,
        /// The tool; where no tool of exactly this name is offered, the one whose name ends with it.
        name: String,
        input: Value,
    },
}

impl Reply {
    pub fn new(blocks: impl IntoIterator<Item = Block>) -> Self {
        Self {
            blocks: blocks.into_iter().collect(),
            delay_ms: 0,
            pace_ms: 0,
            tokens: Tokens::default(),
            failure: None,
        }
    }

    /// A reply of words only.
    pub fn text(text: &str) -> Self {
        Self::new([Block::Text(text.to_owned())])
    }

    /// An error in place of a reply. Only Anthropic's dialect has its form.
    pub fn error(status: u16, kind: &'static str) -> Self {
        Self { failure: Some(Failure::Status(status, kind)), ..Self::new([]) }
    }

    /// The reply, of which only the first words arrive before the stream ends.
    pub const fn broken(mut self) -> Self {
        self.failure = Some(Failure::Broken);
        self
    }

    /// A reply that asks the user.
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

    /// The reply, of a call that used these tokens. Only Anthropic's dialect says so.
    pub const fn using(mut self, tokens: Tokens) -> Self {
        self.tokens = tokens;
        self
    }

    /// Whether the turn goes on after it, with what its calls return.
    pub(super) fn calls(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::ToolUse { .. }))
    }
}

impl Block {
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub fn tool(id: &str, name: &str, input: Value) -> Self {
        Self::ToolUse { id: id.to_owned(), name: name.to_owned(), input }
    }

    pub fn ask(id: &str, questions: &Value) -> Self {
        Self::tool(id, super::ASK_TOOL, json!({"questions": questions}))
    }
}

/// Cuts a text into pieces small enough that every reply is put together from several.
pub(super) fn pieces(text: &str) -> Vec<String> {
    const PIECE_CHARS: usize = 16;
    /// A program takes long for each event, so a large text has larger pieces.
    const MOST_PIECES: usize = 512;
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(PIECE_CHARS.max(chars.len().div_ceil(MOST_PIECES))).map(String::from_iter).collect()
}
