//! The inputs and outputs of the bridge commands.

use askdesk_domain::{
    AgentFailure, AgentId, AnswerInput, Approval, ApprovalDecision, ApprovalId, Attachment, CommandId,
    ConfigId, Entry, LaunchOverrides, MessageId, NotificationDecision, Occasion, PendingItem, Request,
    RequestId, SessionId, SessionNotifications, SessionOptions, Setting, Settings, Timestamp,
};
use askdesk_engine::IgnoredSetting;
use askdesk_engine::log::LogLine;
use serde::{Deserialize, Serialize};

use crate::unmet::Unmet;

macro_rules! wire {
    ($($(#[$doc:meta])* struct $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }
    )+};
}

wire! {
    struct AnswerQuestion {
        /// The caller's id of this command; sent again, it does nothing more.
        request_id: CommandId,
        id: RequestId,
        /// The answers; a question that is missing is left unanswered.
        answers: Vec<AnswerInput>,
    }

    /// Answers a lone question with one choice, after a moment in which that can be taken back.
    struct HoldAnswer {
        request_id: CommandId,
        id: RequestId,
        answers: Vec<AnswerInput>,
    }

    /// Takes back an answer that has not gone yet.
    struct TakeBackAnswer {
        request_id: CommandId,
        id: RequestId,
    }

    /// Declines a request, with words or without.
    struct DeclineQuestion {
        request_id: CommandId,
        id: RequestId,
        /// What to tell the agent.
        #[serde(default)]
        words: Option<String>,
    }

    /// Closes a request without an answer.
    struct CancelQuestion {
        request_id: CommandId,
        id: RequestId,
        /// What to tell the agent.
        #[serde(default)]
        reason: Option<String>,
    }

    /// Hands an end over once more that could not be handed over.
    struct RetryDelivery {
        request_id: CommandId,
        id: RequestId,
    }

    struct DecideApproval {
        request_id: CommandId,
        id: ApprovalId,
        decision: ApprovalDecision,
    }

    /// Starts an agent in a folder.
    struct StartSession {
        request_id: CommandId,
        agent: AgentId,
        /// The folder it works in; an agent that needs none has one of its own.
        #[serde(default)]
        folder: Option<String>,
        /// The first message; none leaves the agent waiting for one.
        #[serde(default)]
        prompt: Option<String>,
        /// The name on the tab; none takes the folder's.
        #[serde(default)]
        name: Option<String>,
        /// What was chosen for it; what is left out is as the agent has it.
        #[serde(default)]
        options: SessionOptions,
    }

    /// Asks an agent for another value of a config option.
    struct SetConfig {
        request_id: CommandId,
        session: SessionId,
        option: ConfigId,
        /// Its new value; one that is not listed where the option takes free text.
        value: String,
    }

    /// Gives up a request that was missed, or whose end could not be delivered.
    struct DismissRequest {
        request_id: CommandId,
        id: RequestId,
    }

    /// Gives a session another name.
    struct RenameSession {
        request_id: CommandId,
        session: SessionId,
        name: String,
    }

    /// Says how the person is told of a session.
    struct SetAttention {
        request_id: CommandId,
        session: SessionId,
        attention: SessionNotifications,
    }

    /// Puts a session in another place among the sessions.
    struct MoveSession {
        request_id: CommandId,
        session: SessionId,
        /// The session it goes before; none means the end.
        before: Option<SessionId>,
    }

    /// Ends a session if it runs, and takes it out of the list; it stays in the history.
    struct CloseSession {
        request_id: CommandId,
        session: SessionId,
    }

    /// Has the agent take up an ended session again.
    struct ResumeSession {
        request_id: CommandId,
        session: SessionId,
    }

    /// Sends a message to an agent; requests that are open in its session end as replied in chat. An ended session that
    /// can be taken up again is taken up first.
    struct SendMessage {
        request_id: CommandId,
        session: SessionId,
        text: String,
        /// What goes along with it.
        #[serde(default)]
        attachments: Vec<Attachment>,
    }

    /// Keeps a message until the agent's turn ends; sent by itself, it leaves open questions alone.
    struct QueueMessage {
        request_id: CommandId,
        session: SessionId,
        text: String,
        /// What goes along with it.
        #[serde(default)]
        attachments: Vec<Attachment>,
    }

    /// Changes the words of a message that waits.
    struct EditQueued {
        request_id: CommandId,
        session: SessionId,
        id: MessageId,
        text: String,
    }

    /// Takes back a message that waits.
    struct RemoveQueued {
        request_id: CommandId,
        session: SessionId,
        id: MessageId,
    }

    /// Sends a message that waits now, into a running turn too; refused while a question is open.
    struct SendQueued {
        request_id: CommandId,
        session: SessionId,
        id: MessageId,
    }

    /// Asks an agent to stop what it does and wait.
    struct InterruptSession {
        request_id: CommandId,
        session: SessionId,
    }

    /// Ends an agent's process and all that it started.
    struct StopSession {
        request_id: CommandId,
        session: SessionId,
    }

    /// Looks for agents on this machine.
    struct ListAgents {}

    struct AgentsFound {
        /// One entry for each agent the app knows, found or not.
        agents: Vec<AgentFound>,
        /// A folder to suggest for the first session.
        home: Option<String>,
    }

    /// One agent the app knows.
    struct AgentFound {
        agent: AgentId,
        program: Option<String>,
        /// Why it cannot be started and what to do about it.
        problem: Option<AgentFailure>,
        /// Its version as it says itself; none where it did not say.
        version: Option<String>,
        /// What the settings add to its start; a start has to name the same.
        extras: LaunchOverrides,
    }

    struct ReadTranscript {
        session: SessionId,
        /// Read entries before this place; none reads the newest.
        #[serde(default)]
        #[cfg_attr(feature = "ts", ts(type = "number | null"))]
        before: Option<u64>,
        /// How many entries at most.
        limit: u32,
    }

    /// A stretch of a transcript, oldest entry first.
    struct TranscriptPage {
        entries: Vec<Entry>,
        /// Whether there are older ones.
        more: bool,
        /// The requests these entries speak of.
        requests: Vec<Request>,
        /// The approvals these entries speak of.
        approvals: Vec<Approval>,
    }

    /// Reads the newest lines of a session's log.
    struct ReadLog {
        session: SessionId,
    }

    /// The newest lines of a session's log, oldest first.
    struct SessionLog {
        /// The lines.
        lines: Vec<LogLine>,
    }

    /// Reads what is set; the file may have been edited.
    struct ReadSettings {}

    struct ChangeSetting {
        change: Setting,
    }

    struct SettingsRead {
        settings: Settings,
        /// What stands in the file and has no effect.
        ignored: Vec<IgnoredSetting>,
        /// What is set and the system does not do.
        unmet: Vec<Unmet>,
        file: String,
    }

    /// Asks for the last decisions of the rule of what is told.
    struct ReadTellings {}

    /// What was decided last, newest first.
    struct TellingsRead {
        /// The decisions of this run.
        tellings: Vec<Decided>,
    }

    /// One decision of the rule of what is told.
    struct Decided {
        at: Timestamp,
        /// The name of the session that asks.
        session: String,
        /// What waits; nothing does where a session has finished its turn.
        waiting: Option<PendingItem>,
        /// Why the person might have been told.
        occasion: Occasion,
        telling: NotificationDecision,
    }

    /// Says what the window shows, so that nobody is told of what they are looking at.
    struct NoteView {
        /// The session that is shown; none on the first screen.
        session: Option<SessionId>,
        /// Whether the window has the focus.
        focused: bool,
    }

    /// Says that something was painted, for the log and for measurements.
    struct NotePainted {
        /// The request; none means the window's first paint.
        request: Option<RequestId>,
        /// When, by the page's clock: the way here takes time of its own.
        at: Timestamp,
    }

    /// Says that a command was carried out.
    struct Done {}
}

pub mod attached;
pub mod clients;
pub mod drafts;
pub mod past;

pub use attached::*;
pub use clients::*;
pub use drafts::*;
pub use past::*;
