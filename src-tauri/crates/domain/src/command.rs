//! The changes that the engine can be asked to make.

use crate::answer::AnswerInput;
use crate::approval::{ApprovalDecision, ApprovalOption};
use crate::attachment::Attachment;
use crate::config::ConfigOption;
use crate::do_not_disturb::SessionNotifications;
use crate::error::DeliveryError;
use crate::id::{ApprovalId, MessageId, NativeRef, NativeSession, RequestId, SessionId, Timestamp};
use crate::inbound::{InboundClient, Leave};
use crate::origin::Origin;
use crate::question::Question;
use crate::request::{Delivery, Limit, OrphanedWhy, WithdrawnWhy};
use crate::session::SessionEnd;
use crate::session_options::SessionOptions;
use crate::tool::ToolDetail;

/// A change that the engine is asked to make, with its time and its ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    Session(SessionCommand),
    Request(RequestCommand),
    Inbound(InboundCommand),
    Approval(ApprovalCommand),
    Queue(QueueCommand),
}

/// Commands about a session and its agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionCommand {
    Start {
        /// Its id, minted by the caller.
        id: SessionId,
        origin: Origin,
        name: String,
        folder: String,
        options: SessionOptions,
        /// The agent's config options, with what was chosen as their present values.
        config: Vec<ConfigOption>,
        at: Timestamp,
    },
    Rename {
        session: SessionId,
        name: String,
    },
    /// Says how the person is told of a session.
    SetNotifications {
        session: SessionId,
        attention: SessionNotifications,
    },
    /// Gives a session another place in the order.
    Move {
        session: SessionId,
        /// The session it shall stand before; none for the end.
        before: Option<SessionId>,
    },
    /// Takes an ended session off the sidebar.
    Close {
        session: SessionId,
        at: Timestamp,
    },
    /// Opens an ended session again, because its agent is about to be started again.
    Resume {
        session: SessionId,
        at: Timestamp,
    },
    /// Notes that the agent has finished a piece of output.
    NoteSpoke {
        session: SessionId,
    },
    /// Notes that the agent has no such session any more.
    NoteForgotten {
        session: SessionId,
    },
    /// Notes what the agent said about itself.
    Introduce {
        session: SessionId,
        version: Option<String>,
        model: Option<String>,
        /// Its own id of the session.
        native_session: Option<NativeSession>,
    },
    /// Notes the agent's config options with their present values.
    NoteConfig {
        session: SessionId,
        config: Vec<ConfigOption>,
    },
    /// Notes that a turn began or ended.
    SetWorking {
        session: SessionId,
        working: bool,
    },
    /// Tells that a session has finished its turn, after all that was to follow by itself.
    NotifyFinished {
        session: SessionId,
    },
    /// Notes lines of output that could not be used.
    CountUnusable {
        session: SessionId,
        lines: u64,
    },
    /// Closes a session whose process is gone.
    End {
        session: SessionId,
        end: SessionEnd,
        at: Timestamp,
    },
    /// Forgets a session that has ended, with everything that was said in it.
    Delete {
        session: SessionId,
    },
    /// Closes what an earlier run of the app left open.
    CloseEarlierRun {
        at: Timestamp,
    },
}

impl From<SessionCommand> for Command {
    fn from(command: SessionCommand) -> Self {
        Self::Session(command)
    }
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
        /// What the person said about it.
        words: Option<String>,
        at: Timestamp,
    },
    /// Closes a request without an answer, by the person's own hand.
    Cancel {
        request: RequestId,
        /// What the person said about it.
        reason: Option<String>,
        at: Timestamp,
    },
    /// Ends a session's open requests by an ordinary message of the person.
    ReplyInChat {
        session: SessionId,
        text: String,
        at: Timestamp,
    },
    /// Takes back one request or approval, because its agent did.
    Withdraw {
        session: SessionId,
        /// The agent's own id of the call.
        native_ref: NativeRef,
        why: WithdrawnWhy,
        at: Timestamp,
    },
    /// Takes back all that a session has open.
    WithdrawAll {
        session: SessionId,
        why: WithdrawnWhy,
        at: Timestamp,
    },
    /// Ends a request whose limit has passed; ignored where none was set or it has not passed.
    Expire {
        request: RequestId,
        at: Timestamp,
    },
    /// Notes how far the end of a request has travelled.
    NoteDelivery {
        request: RequestId,
        /// To which call, by the agent's own id of it; none for all that wait for it, or for a message.
        call: Option<NativeRef>,
        delivery: Delivery,
    },
    /// Notes that the end of a request is about to be handed to the agent.
    NoteSending {
        request: RequestId,
        /// To which call, by the agent's own id of it.
        call: NativeRef,
    },
    /// Sends the answers that wait for a session to run.
    SendParked {
        session: SessionId,
    },
    /// Gives up a request that was missed or could not be delivered.
    Dismiss {
        request: RequestId,
        at: Timestamp,
    },
    /// Hands over once more an end that could not be handed over.
    Retry {
        request: RequestId,
    },
}

impl From<RequestCommand> for Command {
    fn from(command: RequestCommand) -> Self {
        Self::Request(command)
    }
}

/// Commands about clients that Askdesk did not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InboundCommand {
    /// Opens a session for a client that the desk did not start, or takes up again the one it left.
    Open {
        /// Its id if it is a new one, minted by the caller.
        id: SessionId,
        visitor: InboundClient,
        at: Timestamp,
    },
    /// Registers a request of such a client; one that asks the same finds what it has asked before.
    Ask {
        ask: Ask,
        /// The request that this call waited for before, if it knows.
        again: Option<RequestId>,
    },
    /// Notes that one call of such a client waits no more.
    LeaveCall {
        session: SessionId,
        /// The client's own id of the call.
        native_ref: NativeRef,
        why: Leave,
        at: Timestamp,
    },
    /// Notes whether such a client was told how its request ended.
    NoteDelivered {
        request: RequestId,
        /// The client's own id of the call that was told.
        native_ref: NativeRef,
        told: Result<(), DeliveryError>,
        at: Timestamp,
    },
    /// Notes that such a client is gone with all its calls.
    Leave { session: SessionId, at: Timestamp },
}

impl From<InboundCommand> for Command {
    fn from(command: InboundCommand) -> Self {
        Self::Inbound(command)
    }
}

/// Commands about permission requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalCommand {
    Ask(AskApproval),
    Decide {
        approval: ApprovalId,
        decision: ApprovalDecision,
        at: Timestamp,
    },
    /// Notes that a decision could not be handed to the agent.
    NoteNotDelivered {
        approval: ApprovalId,
        /// What went wrong.
        error: DeliveryError,
    },
}

impl From<ApprovalCommand> for Command {
    fn from(command: ApprovalCommand) -> Self {
        Self::Approval(command)
    }
}

/// Commands about the messages that wait for the end of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueCommand {
    /// Keeps a message until the agent's turn ends.
    Add {
        session: SessionId,
        /// The message's id, minted by the caller.
        id: MessageId,
        text: String,
        /// What goes along with it.
        attachments: Vec<Attachment>,
    },
    /// Changes the words of a message that waits.
    Edit { session: SessionId, id: MessageId, text: String },
    /// Takes back a message that waits.
    Remove { session: SessionId, id: MessageId },
    /// Takes a message out of the queue to send it to the agent.
    Send {
        session: SessionId,
        /// The message the person wants sent now; none sends the oldest by itself, once the agent is at rest.
        now: Option<MessageId>,
    },
}

impl From<QueueCommand> for Command {
    fn from(command: QueueCommand) -> Self {
        Self::Queue(command)
    }
}

/// A request as an adapter registers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Its id, minted by the caller; not used if the request is already known.
    pub id: RequestId,
    pub session: SessionId,
    /// The agent's own id of the call.
    pub native_ref: NativeRef,
    /// The subagent or client that asks.
    pub asked_by: Option<String>,
    /// Its questions, accepted by [`crate::question_input::accept`].
    pub questions: Vec<Question>,
    /// A deadline, if one was set.
    pub limit: Option<Limit>,
    pub at: Timestamp,
}

/// An approval as an adapter registers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskApproval {
    /// Its id, minted by the caller.
    pub id: ApprovalId,
    pub session: SessionId,
    /// The agent's own id of the call.
    pub native_ref: NativeRef,
    /// What the agent calls it; mostly the name of a tool.
    pub title: String,
    /// The agent's own line about it.
    pub description: Option<String>,
    /// What exactly would run or change.
    pub subject: ToolDetail,
    pub options: Vec<ApprovalOption>,
    /// Whether a refusal may carry words for the agent.
    pub takes_message: bool,
    pub at: Timestamp,
}

/// Says what became of the session when its end orphans a request.
pub(crate) const fn orphaned_by(end: &SessionEnd) -> OrphanedWhy {
    match end {
        SessionEnd::Stopped => OrphanedWhy::SessionStopped,
        SessionEnd::AppQuit => OrphanedWhy::AppQuit,
        SessionEnd::Finished | SessionEnd::Failed { .. } => OrphanedWhy::AgentEnded,
    }
}
