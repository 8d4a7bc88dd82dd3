//! What is known of a turn while it is played.

use std::time::Instant;

use serde_json::Value;

use super::spending::Spending;

/// The current turn, or the last one.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub(super) running: bool,
    pub(super) started: Option<Instant>,
    pub(super) message: Option<ModelMessage>,
    pub(super) model_messages: u64,
    pub(super) tokens: u64,
    pub(super) spending: Option<Spending>,
    pub(super) last_text: String,
    pub(super) denials: Vec<Value>,
    /// The user messages that this turn handles: the first started it, the others arrived during it.
    pub(super) uuids: Vec<String>,
    pub(super) folded: Vec<String>,
}

/// The model message that is being streamed.
#[derive(Debug)]
pub(super) struct ModelMessage {
    pub(super) id: String,
    pub(super) blocks: u64,
}
