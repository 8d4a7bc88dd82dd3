//! The inputs and outputs of the bridge commands.

use askdesk_domain::{
    AgentKind, AnswerInput, Approval, ApprovalDecision, ApprovalId, CommandId, Entry, MessageId, Request,
    RequestId, SessionId, Setting, Settings, Timestamp,
};
use askdesk_engine::IgnoredSetting;
use askdesk_engine::log::LogLine;
use serde::{Deserialize, Serialize};

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
    /// Answers a request.
    struct AnswerQuestion {
        /// The caller's id of this command; sent again, it does nothing more.
        request_id: CommandId,
        /// The request.
        id: RequestId,
        /// The answers; a question that is missing is left unanswered.
        answers: Vec<AnswerInput>,
    }

    /// Declines a request, with words or without.
    struct DeclineQuestion {
        /// The caller's id of this command.
        request_id: CommandId,
        /// The request.
        id: RequestId,
        /// What to tell the agent.
        #[serde(default)]
        words: Option<String>,
    }

    /// Closes a request without an answer.
    struct CancelQuestion {
        /// The caller's id of this command.
        request_id: CommandId,
        /// The request.
        id: RequestId,
        /// What to tell the agent.
        #[serde(default)]
        reason: Option<String>,
    }

    /// Hands an end over once more that could not be handed over.
    struct RetryDelivery {
        /// The caller's id of this command.
        request_id: CommandId,
        /// The request.
        id: RequestId,
    }

    /// Decides an approval.
    struct DecideApproval {
        /// The caller's id of this command.
        request_id: CommandId,
        /// The approval.
        id: ApprovalId,
        /// What is decided.
        decision: ApprovalDecision,
    }

    /// Starts an agent in a folder.
    struct StartSession {
        /// The caller's id of this command.
        request_id: CommandId,
        /// Which agent.
        agent: AgentKind,
        /// The folder it works in; the demo takes none and works in one of its own.
        #[serde(default)]
        folder: Option<String>,
        /// The first message; none leaves the agent waiting for one.
        #[serde(default)]
        prompt: Option<String>,
        /// The name on the tab; none takes the folder's.
        #[serde(default)]
        name: Option<String>,
        /// The program to run instead of the one found on PATH.
        #[serde(default)]
        program: Option<String>,
        /// Set for an older wrapper that asks by a bare tool use and takes a tool result as the answer.
        #[serde(default)]
        bare_tool_use: bool,
        /// Which example the demo plays, by name or by the path of a scenario file.
        #[serde(default)]
        example: Option<String>,
    }

    /// Sends a message to an agent; requests that are open in its session end as replied in chat.
    struct SendMessage {
        /// The caller's id of this command.
        request_id: CommandId,
        /// The session.
        session: SessionId,
        /// The message.
        text: String,
    }

    /// Keeps a message until the agent's turn ends; sent by itself, it leaves open questions alone.
    struct QueueMessage {
        /// The caller's id of this command.
        request_id: CommandId,
        /// The session.
        session: SessionId,
        /// The message.
        text: String,
    }

    /// Changes the words of a message that waits.
    struct EditQueued {
        /// The caller's id of this command.
        request_id: CommandId,
        /// The session.
        session: SessionId,
        /// The message.
        id: MessageId,
        /// Its new words.
        text: String,
    }

    /// Takes back a message that waits.
    struct RemoveQueued {
        /// The caller's id of this command.
        request_id: CommandId,
        /// The session.
        session: SessionId,
        /// The message.
        id: MessageId,
    }

    /// Sends a message that waits now, into a running turn too; refused while a question is open.
    struct SendQueued {
        /// The caller's id of this command.
        request_id: CommandId,
        /// The session.
        session: SessionId,
        /// The message.
        id: MessageId,
    }

    /// Asks an agent to stop what it does and wait.
    struct InterruptSession {
        /// The caller's id of this command.
        request_id: CommandId,
        /// The session.
        session: SessionId,
    }

    /// Ends an agent's process and all that it started.
    struct StopSession {
        /// The caller's id of this command.
        request_id: CommandId,
        /// The session.
        session: SessionId,
    }

    /// Looks for agents on this machine.
    struct ListAgents {}

    /// What was found.
    struct AgentsFound {
        /// One entry for each agent the app knows, found or not.
        agents: Vec<AgentFound>,
        /// What the demo can play.
        examples: Vec<Example>,
        /// A folder to suggest for the first session.
        home: Option<String>,
    }

    /// One agent the app knows.
    struct AgentFound {
        /// Which.
        agent: AgentKind,
        /// Where it is.
        program: Option<String>,
        /// Why it cannot be started and what to do about it.
        problem: Option<String>,
    }

    /// One thing the demo can play.
    struct Example {
        /// Its name, as `startSession` takes it.
        name: String,
        /// A title for people.
        title: String,
        /// A line about it.
        description: String,
    }

    /// Reads a stretch of a transcript.
    struct ReadTranscript {
        /// The session.
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
        /// The entries.
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
        /// The session.
        session: SessionId,
    }

    /// The newest lines of a session's log, oldest first.
    struct SessionLog {
        /// The lines.
        lines: Vec<LogLine>,
    }

    /// Reads what is set; the file may have been edited.
    struct ReadSettings {}

    /// Changes one setting.
    struct ChangeSetting {
        /// Which, and to what.
        change: Setting,
    }

    /// What is set.
    struct SettingsRead {
        /// What holds.
        settings: Settings,
        /// What stands in the file and has no effect.
        ignored: Vec<IgnoredSetting>,
        /// Where the file is.
        file: String,
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
