//! The events of an agent, without the words of any one protocol.

use std::path::PathBuf;

use askdesk_domain::{
    AgentCommand, AgentRemark, ApprovalOption, Asker, ConfigOption, ContextUse, HelperEnd, HelperId,
    HelperKind, NativeRef, NativeSession, Notice, PermissionCall, Question, StartRefusal, TodoItem,
    ToolDetail, ToolKind, ToolStatus, Usage,
};
use uuid::Uuid;

use crate::tool_result::ResultImage;

macro_rules! groups {
    ($($group:ident),*) => {
        /// A protocol-independent event from an agent.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum AgentEvent {
            $($group($group),)*
        }

        $(impl From<$group> for AgentEvent {
            fn from(event: $group) -> Self {
                Self::$group(event)
            }
        })*
    };
}

groups!(Conversation, Requests, Helpers, Configuration, Trouble);

/// What the agent says and does in its turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversation {
    /// A turn began: the first sign of work since the start or since the last turn's end.
    TurnBegan,
    /// A piece of text or thinking as it is written; live only, [`Conversation::Finished`] repeats it whole.
    Delta { thinking: bool, text: String },
    /// A finished text or thought of the agent.
    Finished { thinking: bool, text: String },
    /// The agent uses a tool, or a subagent of it does.
    ToolStarted {
        /// The agent's id of the call.
        tool_use: String,
        /// The call that began the subagent which makes this one; none if the agent itself makes it.
        parent: Option<String>,
        /// What that subagent does, in the agent's words.
        subagent: Option<String>,
        kind: ToolKind,
        name: String,
        /// One line that says what the call does.
        summary: String,
        detail: ToolDetail,
        status: ToolStatus,
    },
    /// The agent itself refused a tool call, so it doesn't run; its end follows.
    ToolRefused {
        /// The agent's id of the call.
        tool_use: String,
        /// The permission request of the call, if the agent had asked.
        request: Option<NativeRef>,
    },
    /// A tool call came to its end.
    ToolEnded {
        /// The agent's id of the call.
        tool_use: String,
        ok: bool,
        /// What came out, as text.
        output: String,
        /// At most [`RESULT_IMAGES`](askdesk_domain::transcript::RESULT_IMAGES).
        images: Vec<ResultImage>,
    },
    /// A subagent has ended: what it left running gets no result any more.
    SubagentEnded {
        /// The call that began it.
        tool_use: String,
    },
    /// The agent has another plan; it replaces the one before.
    PlanChanged { items: Vec<TodoItem> },
    /// The agent has taken up a message of the user.
    MessageTaken {
        /// The message's id, as it was sent with.
        uuid: Uuid,
    },
    /// A call of the model failed, and the agent tries again by itself. The text of the failed attempt is dropped.
    Retrying { retry: Retry },
    /// The text that was being written is dropped: its call of the model failed.
    TextDropped,
    /// The agent's context is fuller or emptier. An agent that never reports it has no such event.
    ContextChanged {
        /// None where the agent no longer knows it.
        context: Option<ContextUse>,
    },
    /// The agent itself is idle again. If the turn ended well, its own calls are no longer open, and those of its helpers stay open.
    /// If it was interrupted or failed, every call is withdrawn, whoever made it.
    TurnEnded {
        /// Its length in milliseconds.
        millis: u64,
        usage: Usage,
        /// The agent's error in its own words; none for a turn that was interrupted.
        error: Option<String>,
    },
}

/// What the agent asks the user, and how that ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requests {
    Asked(Asked),
    /// The agent asks for a permission, and waits.
    ApprovalAsked(Box<ApprovalAsked>),
    /// The agent is about to call a tool, and waits for [`Adapter::review_call`](crate::Adapter::review_call).
    ToolCallProposed {
        /// The agent's id of its inquiry.
        native_ref: NativeRef,
        call: PermissionCall,
    },
    /// The agent no longer waits for a question or a permission.
    Withdrawn {
        /// The agent's id of the call.
        native_ref: NativeRef,
    },
    /// The agent has shown that it holds the end of a question. Without this, an answer never counts as delivered.
    Acknowledged {
        /// The agent's id of the call.
        native_ref: NativeRef,
    },
}

/// The subagents and shells that work in the background.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Helpers {
    /// A helper works in the background.
    Began { id: HelperId, kind: HelperKind, title: String },
    /// A subagent said something or used a tool.
    Said { id: HelperId, text: String },
    /// A helper writes what it puts out to this file.
    WritesTo { id: HelperId, path: PathBuf },
    /// A helper has ended. What it asked was withdrawn before.
    Ended { id: HelperId, end: HelperEnd },
    /// The agent refused [`Adapter::stop_helper`](crate::Adapter::stop_helper).
    NotStopped { id: HelperId, error: String },
}

/// What the session is: its agent, its options and its commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Configuration {
    /// The agent said something about itself; everything known so far, so a later one replaces an earlier one.
    Introduced {
        version: Option<String>,
        model: Option<String>,
        /// Its own id of the session, by which it can resume it; none for an agent that cannot.
        native_session: Option<NativeSession>,
    },
    /// A config option has another value, or other values are offered.
    ConfigChanged {
        /// All of the session's config options with their present values.
        config: Vec<ConfigOption>,
    },
    /// The agent answered [`Action::SetConfig`](crate::Action::SetConfig).
    ConfigAnswered {
        ticket: u64,
        /// Why it refused, in its own words; none where it did what was asked.
        refused: Option<String>,
    },
    /// The agent has a title for the session.
    Titled { title: String },
    /// The agent has other commands of its own; the list replaces the one before.
    CommandsChanged { commands: Vec<AgentCommand> },
}

/// What the user or the log should know besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Something the user should know.
    Noticed { notice: Notice },
    /// The agent no longer has the session that was to be resumed; told instead of the end of the turn.
    SessionUnknown { error: String },
    /// The agent refused to start; told instead of the end of the turn, and its process ends.
    StartRefused { why: StartRefusal, error: String },
    /// A line, or a part of one, that could not be used; to be counted and shown in the session's log.
    InvalidInput { why: InputError },
}

impl AgentEvent {
    /// Whether the agent goes on, so that no retry is awaited any more.
    pub const fn ends_retry(&self) -> bool {
        use Conversation::{Delta, Finished, ToolStarted, TurnEnded};
        matches!(
            self,
            Self::Conversation(Delta { .. } | Finished { .. } | ToolStarted { .. } | TurnEnded { .. })
                | Self::Requests(Requests::Asked(_) | Requests::ApprovalAsked(_))
        )
    }

    /// Whether it opens or closes a question or a permission request.
    pub const fn opens_or_closes_request(&self) -> bool {
        use Requests::{ApprovalAsked, Asked, Withdrawn};
        matches!(
            self,
            Self::Requests(Asked(_) | ApprovalAsked(_) | Withdrawn { .. })
                | Self::Conversation(Conversation::TurnEnded { .. })
        )
    }
}

/// The next attempt at a call of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Its number, where the agent counts; the first retry is 1.
    pub attempt: Option<u32>,
    pub of: Option<u32>,
    /// Why the attempt before failed, in the agent's words.
    pub reason: String,
    pub begins: RetryBegins,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryBegins {
    /// The agent doesn't say.
    Unknown,
    InMillis(u64),
    /// At this time, in milliseconds since the Unix epoch.
    At(i64),
}

/// One call of the agent with questions that can be shown. It is told once, also if the agent repeats the call while it waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The agent's id of the call. It is unlike that of any other call of the session, also of its earlier runs; otherwise the
    /// question is refused.
    pub native_ref: NativeRef,
    /// The helper that asks, where it is not the agent itself.
    pub helper: Option<HelperId>,
    /// The name of the helper or the server that asks.
    pub asked_by: Option<String>,
    /// At least one question.
    pub questions: Vec<Question>,
    pub asker: Asker,
}

/// One permission request of the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalAsked {
    /// The agent's id of the permission request.
    pub native_ref: NativeRef,
    /// The helper that asks, where it is not the agent itself.
    pub helper: Option<HelperId>,
    /// The name of that helper.
    pub asked_by: Option<String>,
    /// The agent's id of the tool call that waits for it.
    pub tool_use: Option<String>,
    /// What rules of the user's own are compared with; none where no rule may decide.
    pub call: Option<PermissionCall>,
    /// What the agent calls it; mostly the name of a tool.
    pub title: String,
    /// The model's own line about it.
    pub description: Option<String>,
    /// What the agent itself says about it.
    pub remark: Option<AgentRemark>,
    /// What exactly would run or change.
    pub subject: ToolDetail,
    /// What can be decided, in the agent's order.
    pub options: Vec<ApprovalOption>,
    /// Whether a refusal may carry words for the agent.
    pub takes_message: bool,
}

/// The longest line that is passed on whole, in bytes without its line feed; a longer one is abridged, however long it is.
///
/// A permission request has to be answered with its whole input, and an edit of a large file has several megabytes.
pub const WHOLE_LINE: usize = 4 * 1024 * 1024;

/// Why a line of an agent could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// It is not JSON.
    #[error("a line that isn't JSON")]
    NotJson,
    /// It is longer than [`WHOLE_LINE`], and what is kept of it cannot be used.
    #[error("a line that is too long ({bytes} bytes; the limit is {})", WHOLE_LINE)]
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// A request in it was refused, because a part of it can't be shown.
    #[error("a line that is nested too deeply")]
    TooDeep,
    /// The agent ended in the middle of it.
    #[error("a line that was cut off when the agent exited")]
    CutInHalf,
    /// It is of a kind that is not known.
    #[error("a message of unknown type {kind}")]
    UnknownType {
        /// The kind as it calls itself, shortened.
        kind: String,
    },
    /// It asks for something that is not known, and got an error as its reply.
    #[error("a request of unknown type {kind}, which was refused")]
    RequestRefused {
        /// The kind as it calls itself, shortened.
        kind: String,
    },
    /// It lacks a field without which it means nothing.
    #[error("a message without a valid {field}")]
    Incomplete { field: &'static str },
    /// It says that a request of ours failed.
    #[error("the agent refused a request: {error}")]
    RequestFailed { error: String },
}

/// The most characters quoted from the name of an unknown kind of message.
const KIND_CHARS: usize = 80;

impl InputError {
    pub(crate) fn unknown_type(kind: &str) -> Self {
        Self::UnknownType { kind: kind_as_named(kind) }
    }

    pub(crate) fn request_refused(kind: &str) -> Self {
        Self::RequestRefused { kind: kind_as_named(kind) }
    }
}

/// An unknown kind as it calls itself, shortened.
pub(crate) fn kind_as_named(kind: &str) -> String {
    kind.chars().take(KIND_CHARS).collect()
}
