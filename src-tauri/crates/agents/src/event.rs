//! What one line of an agent means to the desk.

use askdesk_domain::{NativeRef, PermissionMode, Question, Source, SuggestedRule, ToolDetail, Usd};
use uuid::Uuid;

/// What one line of an agent, or the end of its output, means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentEvent {
    /// The agent said something about itself; everything known so far, so a later one replaces an earlier one.
    Introduced {
        /// Its version.
        version: Option<String>,
        /// Its model.
        model: Option<String>,
        /// Its own id of the session.
        native_session: Option<String>,
        /// What it says it can do.
        capabilities: Vec<String>,
    },
    /// The agent's permission mode is another one now.
    ModeChanged {
        /// The mode; none for one the desk has no name for.
        mode: Option<PermissionMode>,
    },
    /// The agent answered a request of ours.
    RequestEnded {
        /// The id of the request.
        request_id: String,
        /// Why it refused, in its own words; none where it did what was asked.
        refused: Option<String>,
    },
    /// A turn began: the first sign of work since the start or since the last turn's end.
    TurnBegan,
    /// A piece of text as it is written; live only, [`AgentEvent::Said`] repeats it whole.
    TextDelta {
        /// The piece.
        text: String,
    },
    /// A piece of thinking as it is written; live only, [`AgentEvent::Thought`] repeats it whole.
    ThinkingDelta {
        /// The piece.
        text: String,
    },
    /// A finished text of the agent.
    Said {
        /// The text.
        text: String,
    },
    /// A finished thought of the agent.
    Thought {
        /// The thought.
        text: String,
    },
    /// The agent uses a tool, or a subagent of it does.
    ToolStarted {
        /// The agent's id of the call.
        tool_use: String,
        /// The tool's name.
        name: String,
        /// One line that says what the call does.
        summary: String,
        /// What exactly it does.
        detail: ToolDetail,
    },
    /// A tool call came to its end.
    ToolEnded {
        /// The agent's id of the call.
        tool_use: String,
        /// Whether it succeeded.
        ok: bool,
        /// What came out, as text.
        output: String,
    },
    /// The agent asks, and waits for a reply to its control request.
    Asked(Asked),
    /// The agent used the question tool and has not asked by control request; it counts as asked once
    /// [`BARE_GRACE`](crate::BARE_GRACE) has passed and neither [`AgentEvent::Asked`] nor [`AgentEvent::Withdrawn`]
    /// came for the same reference.
    AskedBare(Asked),
    /// The agent asked something that cannot be shown.
    Refused {
        /// The agent's id of the call.
        native_ref: NativeRef,
        /// The refusal, to be written at once.
        reply: Option<String>,
        /// The field and the rule, as the agent is told.
        reason: String,
    },
    /// The agent brought the answers with its question; nobody is asked.
    Passed {
        /// The agent's id of the call.
        native_ref: NativeRef,
        /// The permission to go on, to be written at once.
        reply: String,
    },
    /// The agent wants permission to use a tool.
    ApprovalAsked {
        /// The agent's id of the permission request.
        native_ref: NativeRef,
        /// The agent's id of the tool call.
        tool_use: Option<String>,
        /// The tool's name.
        tool: String,
        /// The agent's own line about it.
        description: Option<String>,
        /// What exactly would run or change.
        what: ToolDetail,
        /// The standing permissions that may be given with it.
        rules: Vec<SuggestedRule>,
    },
    /// The agent no longer waits for a question or a permission.
    Withdrawn {
        /// The agent's id of the call.
        native_ref: NativeRef,
    },
    /// The agent has shown that it holds the end of a question.
    Acknowledged {
        /// The agent's id of the call.
        native_ref: NativeRef,
    },
    /// The agent has taken up a message of the person.
    MessageTaken {
        /// The message's id, as it was encoded with.
        uuid: Uuid,
    },
    /// A turn ended.
    TurnEnded {
        /// Its length in milliseconds.
        millis: u64,
        /// Tokens read, those from the cache included.
        input_tokens: u64,
        /// Tokens written.
        output_tokens: u64,
        /// The agent's error in its own words; none for a turn that was interrupted.
        error: Option<String>,
        /// What it cost, as the agent reckons it.
        cost_usd: Option<Usd>,
    },
    /// The protocol wants this answered at once, and no person is needed for it.
    Reply {
        /// The answer, to be written at once.
        line: String,
    },
    /// A line, or a part of one, that could not be used; to be counted and shown in the session's log.
    Unusable {
        /// Why.
        why: Unusable,
    },
}

impl AgentEvent {
    /// Reports whether a question or a permission begins or stops to wait because of this.
    pub const fn changes_what_waits(&self) -> bool {
        matches!(
            self,
            Self::Asked(_)
                | Self::AskedBare(_)
                | Self::ApprovalAsked { .. }
                | Self::Withdrawn { .. }
                | Self::TurnEnded { .. }
        )
    }
}

/// One call of the agent with questions that can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The agent's id of the call.
    pub native_ref: NativeRef,
    /// The door by which it came.
    pub source: Source,
    /// The subagent that asks, where it is not the agent itself.
    pub asked_by: Option<String>,
    /// At least one question.
    pub questions: Vec<Question>,
}

/// Why a line of an agent could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// It is not JSON.
    #[error("a line that is not JSON")]
    NotJson,
    /// It is longer than [`MAX_LINE`](crate::MAX_LINE) and was skipped.
    #[error("a line of {bytes} bytes, longer than the {} that are read", crate::MAX_LINE)]
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// The agent ended in the middle of it.
    #[error("a line that was cut in half by the agent's end")]
    CutInHalf,
    /// It is of a kind that is not known.
    #[error("a message of the unknown kind {kind}")]
    UnknownType {
        /// The kind as it calls itself, shortened.
        kind: String,
    },
    /// It lacks a field without which it means nothing.
    #[error("a message without a usable {field}")]
    Incomplete {
        /// The field.
        field: &'static str,
    },
    /// It says that a request of ours failed.
    #[error("the agent refused a request: {error}")]
    RequestFailed {
        /// What it said.
        error: String,
    },
}
