//! The transcript: what was said and done in a session, entry by entry.

use serde::{Deserialize, Serialize};

use crate::agent_failure::known_or_text;
use crate::attachment::Attachment;
use crate::error::DeliveryError;
use crate::id::{ApprovalId, RequestId, Timestamp};
use crate::session_options::QuestionPolicy;
use crate::tool::{TodoItem, ToolDetail, ToolKind, detail_or_text};
use crate::usage::{ContextUse, Usd};

/// One entry of a session's transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Entry {
    /// Its place in the session, counted from 1; a later entry of the same place replaces it.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub n: u64,
    /// When it was first written.
    pub at: Timestamp,
    pub body: EntryBody,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum EntryBody {
    Person {
        /// Its words; none where something is attached and nothing was written.
        text: String,
        /// What went along with it.
        #[serde(default)]
        attachments: Vec<Attachment>,
    },
    Agent {
        text: String,
    },
    /// What the agent thought.
    Thinking {
        text: String,
    },
    /// A tool the agent used.
    Tool {
        /// The agent's id of the call.
        tool_use: String,
        name: String,
        #[serde(default)]
        tool_kind: ToolKind,
        /// One line that says what it does.
        summary: String,
        /// What exactly it does; earlier versions kept it as text under `input`.
        #[serde(alias = "input", deserialize_with = "detail_or_text")]
        detail: ToolDetail,
        status: ToolStatus,
        /// What came out.
        output: Option<String>,
    },
    /// A request stands here; its state is read from the request.
    Request {
        request: RequestId,
    },
    /// An approval stands here; its state is read from the approval.
    Approval {
        approval: ApprovalId,
    },
    /// The agent's plan; a newer one of the same turn replaces it.
    Plan {
        items: Vec<TodoItem>,
    },
    /// Something the person should know.
    Notice {
        notice: Notice,
    },
    TurnEnded {
        /// Its length in milliseconds.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        millis: u64,
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        input_tokens: u64,
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        output_tokens: u64,
        #[serde(default)]
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        cached_tokens: u64,
        /// The agent's error in its own words, where the turn failed.
        error: Option<String>,
        /// What it cost, as the agent reckons it.
        #[serde(default)]
        cost_usd: Option<Usd>,
        /// How full the agent's context was after it.
        #[serde(default)]
        context: Option<ContextUse>,
    },
}

/// How far a tool call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ToolStatus {
    /// It was announced and has not begun.
    Pending,
    /// It waits for the person's permission.
    AwaitingPermission,
    Running,
    /// It came to its end.
    Done,
    /// It failed or was refused.
    Failed,
}

/// Something the person should know about a session; the words are chosen by the screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "notice", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Notice {
    /// A question could not be shown and was refused to the agent.
    QuestionRefused {
        /// The field and the rule, as the agent was told.
        reason: String,
    },
    /// A question was refused to the agent because this session's questions are off.
    QuestionTurnedOff {
        /// When questions come to the person in this session.
        policy: QuestionPolicy,
        /// What was asked, a line for each question.
        text: String,
    },
    /// The agent brought answers with its question; they went through unchanged and nobody was asked.
    AnswersBrought,
    /// Two questions had one text; their answers were sent joined under it.
    SameTextJoined { text: String },
    /// The last line of the agent was cut off by its end.
    CutInHalf,
    /// The person interrupted the agent.
    Interrupted,
    /// The message did not reach the agent.
    MessageNotSent {
        /// What went wrong; earlier versions kept it as a sentence.
        #[serde(deserialize_with = "known_or_text")]
        error: DeliveryError,
    },
}
