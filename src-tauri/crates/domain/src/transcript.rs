//! The transcript: what was said and done in a session, entry by entry.

use serde::{Deserialize, Serialize};

use crate::attachment::{Attachment, ImageFormat, ImageId};
use crate::error::DeliveryError;
use crate::helper::{HelperEnd, HelperKind};
use crate::id::{ApprovalId, RequestId, SessionId, Timestamp};
use crate::question::Question;
use crate::request::Outcome;
use crate::session_options::QuestionPolicy;
use crate::tool::{TodoItem, ToolDetail, ToolKind};
use crate::usage::{ContextUse, Usd};

/// One entry of a session's transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Entry {
    /// Its position in the session, counted from 1; a later entry with the same position replaces it.
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
    User {
        /// Its text; empty if there are only attachments.
        text: String,
        attachments: Vec<Attachment>,
    },
    Agent {
        text: String,
    },
    /// The agent's reasoning.
    Thinking {
        text: String,
    },
    /// A tool the agent used.
    Tool {
        /// The agent's id of the call.
        tool_use: String,
        name: String,
        tool_kind: ToolKind,
        /// One line that says what it does.
        summary: String,
        detail: ToolDetail,
        status: ToolStatus,
        output: Option<String>,
        /// The images in what came out, at most [`RESULT_IMAGES`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<StoredImage>>"))]
        images: Vec<StoredImage>,
        /// What the subagent does that makes the call, in the agent's words; none if the agent itself makes it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        subagent: Option<String>,
    },
    /// The position of a request; its state is read from the request.
    Request {
        request: RequestId,
    },
    /// A question of the conversation that this session continues. It is only told: it belongs to no request.
    CopiedQuestion {
        questions: Vec<Question>,
        /// How it ended; none if that isn't known.
        outcome: Option<Outcome>,
    },
    /// The position of an approval; its state is read from the approval.
    Approval {
        approval: ApprovalId,
    },
    /// The agent's plan; a newer one of the same turn replaces it.
    Plan {
        items: Vec<TodoItem>,
    },
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
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        cached_tokens: u64,
        /// The agent's own error message, if the turn failed.
        error: Option<String>,
        /// The cost that the agent reports.
        cost_usd: Option<Usd>,
        /// How full the agent's context was afterwards.
        context: Option<ContextUse>,
    },
}

/// How many images of a tool call's result are stored.
pub const RESULT_IMAGES: usize = 8;

/// An image of the session that is stored like those of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct StoredImage {
    pub image: ImageId,
    pub format: ImageFormat,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub bytes: u64,
}

/// The state of a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ToolStatus {
    /// It was announced and has not started.
    Pending,
    AwaitingPermission,
    Running,
    /// It finished successfully.
    Done,
    Failed,
    /// The user denied it.
    Denied,
    /// The agent itself refused it, so it didn't run.
    Refused,
    /// Its turn, its subagent, or the agent ended, and no result came.
    NoResult,
}

impl ToolStatus {
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Denied | Self::Refused | Self::NoResult)
    }
}

/// Which messages from before a session began here are in its transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum EarlierMessages {
    All,
    /// The newest ones.
    Newest,
    /// None, because they could not be read.
    Unread,
}

/// What an agent couldn't store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Unsaved {
    /// A part of the conversation, with which a resumed session would go on.
    Conversation,
    Settings,
}

/// A notice about a session; the page chooses the words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "notice", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Notice {
    /// A question could not be shown, and the agent was told.
    QuestionRefused {
        /// The field and the rule that the agent was told.
        reason: String,
    },
    /// A permission request could not be shown; it was refused, and the agent was told.
    PermissionRefused {
        /// What could not be shown, as the agent was told.
        reason: String,
    },
    /// A question was refused because the session's question policy excludes it.
    QuestionTurnedOff {
        policy: QuestionPolicy,
        /// The questions, one per line.
        text: String,
    },
    /// The agent's call already had answers; they were passed through unchanged and the user wasn't asked.
    AnswersBrought,
    /// Two questions had the same text; their answers were sent joined under it.
    SameTextJoined {
        text: String,
    },
    /// The agent ended in the middle of its last line.
    CutInHalf,
    /// The user interrupted the agent.
    Interrupted,
    /// The agent summarized the conversation to make room in its context.
    Compacted,
    /// The agent forgot the conversation, as it was told to, and begins another one.
    ConversationReset,
    /// The model's provider rejected the agent's key or login; the agent may go on trying.
    LoginRejected {
        /// In the agent's words.
        error: String,
    },
    HelperEnded {
        helper: HelperKind,
        title: String,
        end: HelperEnd,
    },
    /// The agent did not stop a helper that the user wanted to stop.
    HelperNotStopped {
        title: String,
        /// In the agent's words.
        error: String,
    },
    /// The model's provider rejected the key or login that the agent started with; the user has signed in otherwise since.
    SignInChanged {
        /// In the agent's words.
        error: String,
    },
    /// The file that the agent's program was started from has been replaced or removed.
    ProgramReplaced,
    /// A hook of the repository failed while the session's worktree was made. The worktree was kept.
    HookFailed {
        /// Its last lines.
        output: String,
    },
    /// The session was begun outside Askdesk.
    BegunElsewhere {
        earlier: EarlierMessages,
    },
    /// The session began with a copy of another session's conversation.
    Forked {
        from: SessionId,
        earlier: EarlierMessages,
    },
    /// The files were put back to how they were before a message of the session that this one is a fork of.
    FilesPutBack {
        files: u32,
        /// The paths of files that were left as they are.
        left: Vec<String>,
        /// How many more were left.
        more: u32,
    },
    FilesNotPutBack {
        error: String,
    },
    /// What the agent, or a hook of the user's, tells the user, in its own words.
    AgentTold {
        text: String,
    },
    /// A warning of the agent, in its own words.
    AgentWarned {
        text: String,
    },
    /// The agent couldn't store something of its own, because the disk or its quota was full.
    AgentUnsaved {
        what: Unsaved,
    },
    /// The model refused a request, and the agent had another model answer it.
    ModelRefused {
        refused: String,
        /// The one that answered.
        model: String,
        /// Whether the session goes on with it.
        lasting: bool,
        /// In the words of the model's provider.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        why: Option<String>,
    },
    /// The agent sent something of a kind that isn't known, and the user should read it.
    NotUnderstood {
        /// The kind as the agent calls it.
        kind: String,
        /// What it says to the user; of a request, all of it.
        text: String,
        /// Whether the agent waited for a response, and got a refusal.
        refused: bool,
    },
    /// Entries are missing here, because the disk accepted nothing and too much waited for it.
    EntriesLost {
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        count: u64,
    },
    /// The stored entry can't be read.
    Unreadable,
    /// The message did not reach the agent.
    MessageNotSent {
        error: DeliveryError,
    },
}
