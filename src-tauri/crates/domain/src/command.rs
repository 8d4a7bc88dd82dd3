//! The commands that the engine accepts.

use crate::answer::AnswerInput;
use crate::approval::{AgentRemark, ApprovalDecision, ApprovalOption};
use crate::attachment::Attachment;
use crate::config::ConfigOption;
use crate::do_not_disturb::SessionNotifications;
use crate::error::DeliveryError;
use crate::helper::{HelperKind, HelperState};
use crate::id::{
    AnswerId, ApprovalId, HelperId, MessageId, NativeRef, NativeSession, RequestId, SessionId, Timestamp,
};
use crate::inbound::{InboundClient, Leave};
use crate::origin::Origin;
use crate::permission_rule::PermissionRule;
use crate::question::Question;
use crate::request::{Asker, Delivery, Limit, WithdrawnWhy};
use crate::session::SessionEnd;
use crate::session_name::NamedBy;
use crate::session_options::SessionOptions;
use crate::tool::ToolDetail;
use crate::worktree::Worktree;

/// A command to the engine, with its time and its ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    Session(SessionCommand),
    Request(RequestCommand),
    Inbound(InboundCommand),
    Approval(ApprovalCommand),
    Queue(QueueCommand),
    Helper(HelperCommand),
}

from_variants!(Command {
    Session(SessionCommand),
    Request(RequestCommand),
    Inbound(InboundCommand),
    Approval(ApprovalCommand),
    Queue(QueueCommand),
    Helper(HelperCommand)
});

/// Commands about a session and its agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionCommand {
    Start {
        id: SessionId,
        origin: Origin,
        name: String,
        named_by: NamedBy,
        folder: String,
        options: SessionOptions,
        /// The agent's config options, with the choices as their current values.
        config: Vec<ConfigOption>,
        /// The git worktree that was made for it.
        worktree: Option<Box<Worktree>>,
        /// The agent's session that it continues, which was begun elsewhere; none for a new one.
        continues: Option<NativeSession>,
        at: Timestamp,
    },
    Rename {
        session: SessionId,
        name: String,
    },
    /// Names a session in the user's place, unless it has a better name.
    SuggestName {
        session: SessionId,
        name: String,
        by: NamedBy,
    },
    /// Sets the folder of an ended session, because it was moved.
    ChangeFolder {
        session: SessionId,
        folder: String,
        /// Where its worktree is now, if it has one that moved as well.
        worktree: Option<Box<Worktree>>,
    },
    /// Sets how the user is notified of a session.
    SetNotifications {
        session: SessionId,
        notifications: SessionNotifications,
    },
    Move {
        session: SessionId,
        /// The session that follows it; none moves it to the end.
        before: Option<SessionId>,
    },
    /// Removes an ended session from the sidebar.
    Close {
        session: SessionId,
        at: Timestamp,
    },
    /// Opens an ended session again before its agent is restarted.
    Resume {
        session: SessionId,
        at: Timestamp,
    },
    /// Notes that the agent has finished a piece of output.
    NoteSpoke {
        session: SessionId,
    },
    /// Notes that the agent no longer has the session.
    NoteForgotten {
        session: SessionId,
    },
    /// Notes the agent's information about itself.
    Introduce {
        session: SessionId,
        version: Option<String>,
        model: Option<String>,
        /// Its own id of the session.
        native_session: Option<NativeSession>,
    },
    /// Notes the agent's config options with their current values.
    NoteConfig {
        session: SessionId,
        config: Vec<ConfigOption>,
    },
    /// Notes that a turn began or ended.
    SetWorking {
        session: SessionId,
        working: bool,
    },
    /// Notes that a turn ended well, which finishes it unless a queued message follows.
    NoteFinished {
        session: SessionId,
    },
    /// Notes lines of output that could not be used.
    CountUnusable {
        session: SessionId,
        lines: u64,
    },
    /// Ends a session whose process is gone.
    End {
        session: SessionId,
        end: SessionEnd,
        at: Timestamp,
    },
    /// Deletes an ended session and its whole transcript.
    Delete {
        session: SessionId,
    },
    /// Ends what an earlier run of the app left open.
    CloseEarlierRun {
        at: Timestamp,
    },
}

/// Commands about the requests of any session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestCommand {
    Ask(Ask),
    Answer {
        request: RequestId,
        answers: Vec<AnswerInput>,
        at: Timestamp,
    },
    Decline {
        request: RequestId,
        /// The user's message about it.
        words: Option<String>,
        at: Timestamp,
    },
    /// Ends a request without an answer, at the user's request.
    Cancel {
        request: RequestId,
        reason: Option<String>,
        at: Timestamp,
    },
    /// Ends open requests of a session with an ordinary message of the user.
    ReplyInChat {
        session: SessionId,
        /// Those that the user was told of. One that has ended meanwhile is left alone.
        requests: Vec<RequestId>,
        text: String,
        at: Timestamp,
    },
    /// Withdraws one request or approval, because its agent did.
    Withdraw {
        session: SessionId,
        /// The agent's own id of the call.
        native_ref: NativeRef,
        why: WithdrawnWhy,
        at: Timestamp,
    },
    /// Withdraws everything that the agent itself has open in a session. What its helpers ask stays open.
    WithdrawAll {
        session: SessionId,
        why: WithdrawnWhy,
        at: Timestamp,
    },
    /// Ends a request whose time limit has passed; ignored if it has no limit or the limit has not passed.
    Expire {
        request: RequestId,
        at: Timestamp,
    },
    /// Notes how far the outcome of a request has traveled.
    NoteDelivery {
        request: RequestId,
        /// The agent's own id of the call; none means every call of the request, or a message.
        call: Option<NativeRef>,
        delivery: Delivery,
    },
    /// Notes that the outcome of a request is about to be sent to the agent.
    NoteSending {
        request: RequestId,
        /// The agent's own id of the call.
        call: NativeRef,
    },
    /// Sends the answers that are parked for a session.
    SendParked {
        session: SessionId,
    },
    /// Dismisses a missed request, or discards an answer that could not be delivered.
    Dismiss {
        request: RequestId,
        at: Timestamp,
    },
    /// Answers or declines, and keeps the id that the caller gave to its answer.
    Identified {
        answer: AnswerId,
        command: Box<RequestCommand>,
    },
    /// Follows a step of the system's clock: what is open was asked as long ago, and has as much time left, as before.
    MoveTimes {
        /// How far the clock has moved, in milliseconds.
        by: i64,
    },
    /// Tries again to deliver an outcome.
    Retry {
        request: RequestId,
    },
}

impl RequestCommand {
    /// Returns the request that the user answers, closes, or sends again.
    pub fn about(&self) -> Option<RequestId> {
        match self {
            Self::Answer { request, .. }
            | Self::Decline { request, .. }
            | Self::Cancel { request, .. }
            | Self::Dismiss { request, .. }
            | Self::Retry { request } => Some(*request),
            Self::Identified { command, .. } => command.about(),
            _ => None,
        }
    }
}

/// Commands about connected apps, which Askdesk did not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InboundCommand {
    /// Opens a session for a connected app, or reopens the one that it left.
    Open {
        /// A new id from the caller, used for a new session.
        id: SessionId,
        client: InboundClient,
        at: Timestamp,
    },
    /// Registers a request of a connected app; if the app asks the same again, this finds the earlier request.
    Ask {
        ask: Ask,
        /// The request that this call waited for before, if the caller knows it.
        again: Option<RequestId>,
    },
    /// Notes that one call of a connected app no longer waits.
    LeaveCall {
        session: SessionId,
        /// The app's own id of the call.
        native_ref: NativeRef,
        why: Leave,
        at: Timestamp,
    },
    /// Notes that a client moved a call to its background, so that its agent goes on.
    GoOn {
        request: RequestId,
        /// The app's own id of that call.
        native_ref: NativeRef,
    },
    /// Notes whether a connected app received the outcome of its request.
    NoteDelivered {
        request: RequestId,
        /// The app's own id of that call.
        native_ref: NativeRef,
        result: Result<(), DeliveryError>,
        at: Timestamp,
    },
    /// Notes that a connected app is gone, with all its calls.
    Leave { session: SessionId, at: Timestamp },
}

/// Commands about permission requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalCommand {
    Ask(Box<AskApproval>),
    Decide {
        approval: ApprovalId,
        decision: ApprovalDecision,
        at: Timestamp,
    },
    /// Notes that the agent itself refused what it asked, which is open or was withdrawn.
    NoteRefused {
        session: SessionId,
        /// The agent's own id of the call.
        native_ref: NativeRef,
        at: Timestamp,
    },
    /// Notes that a decision could not be delivered to the agent.
    NoteNotDelivered {
        approval: ApprovalId,
        /// What went wrong.
        error: DeliveryError,
    },
}

/// Commands about the queued messages of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueCommand {
    /// Queues a message until the agent's turn ends.
    Add {
        session: SessionId,
        /// A new id that the caller generates.
        id: MessageId,
        text: String,
        attachments: Vec<Attachment>,
    },
    /// Changes the text of a queued message.
    Edit { session: SessionId, id: MessageId, text: String },
    /// Removes a queued message without sending it.
    Remove { session: SessionId, id: MessageId },
    /// Takes a message out of the queue to send it to the agent.
    Send {
        session: SessionId,
        /// The message that the user wants to send now; none sends the oldest once the agent is idle.
        now: Option<MessageId>,
    },
}

/// Commands about the helpers of a session's agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HelperCommand {
    /// Notes that a helper works; ignored if it is known, or if too many are.
    Begin {
        session: SessionId,
        id: HelperId,
        kind: HelperKind,
        /// What it does, in the agent's words.
        title: String,
        at: Timestamp,
    },
    /// Notes that the user has asked the agent to stop a helper, or that the agent refused.
    SetState {
        session: SessionId,
        id: HelperId,
        state: HelperState,
    },
    End {
        session: SessionId,
        id: HelperId,
    },
}

/// A request as an adapter registers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// A new id from the caller; ignored if the request is already known.
    pub id: RequestId,
    pub session: SessionId,
    /// The agent's own id of the call.
    pub native_ref: NativeRef,
    /// The subagent or connected app that asks.
    pub asked_by: Option<String>,
    /// The helper of the agent that asks; none if the agent itself asks.
    pub helper: Option<HelperId>,
    /// Its questions, checked by [`crate::question_input::accept`].
    pub questions: Vec<Question>,
    /// A time limit, if one was set.
    pub limit: Option<Limit>,
    pub asker: Asker,
    pub at: Timestamp,
}

/// An approval as an adapter registers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskApproval {
    pub id: ApprovalId,
    pub session: SessionId,
    /// The agent's own id of the call.
    pub native_ref: NativeRef,
    /// The helper of the agent that asks; none if the agent itself asks.
    pub helper: Option<HelperId>,
    /// The name of that helper.
    pub asked_by: Option<String>,
    /// The agent's title for it, usually the name of a tool.
    pub title: String,
    /// What the agent's model says about it.
    pub description: Option<String>,
    /// What the agent itself says about it.
    pub remark: Option<AgentRemark>,
    /// What exactly would run or change.
    pub subject: ToolDetail,
    pub options: Vec<ApprovalOption>,
    /// Whether a denial can carry a message to the agent.
    pub takes_message: bool,
    /// The user's rule that matches it.
    pub rule: Option<PermissionRule>,
    pub at: Timestamp,
}
