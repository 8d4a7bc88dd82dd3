//! The inputs of the writer and of the sessions, and what they carry.
//!
//! The writer, the sessions and the handles send to each other; they meet here and do not know each other.

use std::path::PathBuf;
use std::sync::Arc;

use askdesk_contract::frame::{LiveText, Retry, StorageNotice};
use askdesk_contract::{ChangeTotals, DatabaseRecovered, Head};
use askdesk_domain::{
    Approval, ApprovalDecision, ApprovalId, Attachment, Command, CommandId, ConfigId, ContextUse,
    DailyBudget, Desk, DraftTarget, EndInput, EntryBody, HeldEnd, HelperId, MessageId, NativeRef, Outcome,
    Question, QueuedMessage, Request, RequestId, Session, SessionEnd, SessionId, StoredImage, TodoItem,
    ToolStatus, UndoSeconds, ValueId,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::error::EngineError;
use crate::hub::Subscription;
use crate::journal::Salvaged;

/// How many inputs can wait for the writer before senders wait for it.
pub const QUEUED_INPUTS: usize = 4_096;

/// How many inputs can wait for a session before further ones are refused.
pub const QUEUED_SESSION_INPUTS: usize = 1_024;

/// Where the result of an input is sent.
pub(crate) type Reply<T> = oneshot::Sender<T>;

/// Every input of the writer. Nothing else changes the state.
pub(crate) enum Input {
    /// Carry out a command.
    Act {
        command: Command,
        reply: Reply<Result<Applied, EngineError>>,
    },
    /// Take over what was read of a database that was set aside.
    Recover {
        kept: String,
        salvaged: Salvaged,
        reply: Reply<Result<DatabaseRecovered, EngineError>>,
    },
    /// The database is damaged.
    DamageFound {
        path: PathBuf,
    },
    /// The user has dealt with a storage problem.
    Settle {
        notice: StorageNotice,
        reply: Reply<Result<(), EngineError>>,
    },
    /// Carry out a command that reports what has happened. If it can't be stored now, it is tried again.
    Record {
        command: Command,
        reply: Reply<Result<(), EngineError>>,
    },
    /// Carry out a command that asks, for a caller that waits for the outcome.
    Register {
        command: Command,
        waiter: oneshot::Sender<Outcome>,
        reply: Reply<Result<RequestId, EngineError>>,
    },
    /// Hold an end of a request for its undo window.
    HoldEnd {
        request: RequestId,
        end: EndInput,
        undo: UndoSeconds,
        reply: Reply<Result<Option<HeldEnd>, EngineError>>,
    },
    UndoEnd {
        request: RequestId,
        reply: Reply<Result<(), EngineError>>,
    },
    UndoWindowOver {
        held: HeldEnd,
    },
    /// Change a transcript.
    Write {
        session: SessionId,
        writes: Vec<EntryWrite>,
        room: Room,
    },
    /// Add an entry to a transcript, or fail.
    WriteNow {
        session: SessionId,
        body: EntryBody,
        reply: Reply<Result<(), EngineError>>,
    },
    /// The agent wrote more text.
    Live {
        added: LiveText,
        room: Room,
    },
    /// The session has no live text any more.
    LiveCleared {
        session: SessionId,
    },
    /// The agent waits for its next attempt at a call of the model; none if it no longer does.
    Retry {
        session: SessionId,
        retry: Option<Retry>,
    },
    /// A session runs, and takes inputs here.
    SessionOpened {
        session: SessionId,
        mailbox: SessionMailbox,
    },
    /// A session's folder was compared with the state that the session began with.
    FilesChanged {
        session: SessionId,
        totals: ChangeTotals,
    },
    /// Something else is checked out in a session's folder.
    CheckedOut {
        session: SessionId,
        head: Option<Head>,
    },
    Subscribe {
        reply: Reply<Subscription>,
    },
    /// The system's clock was set.
    LookAtClock,
    /// Save a draft when there is nothing else to do.
    SaveDraft {
        save: SaveDraft,
        reply: Reply<Result<(), EngineError>>,
    },
    FlushDrafts {
        reply: Reply<()>,
    },
    /// The agent reported how full its context is.
    ContextChanged {
        session: SessionId,
        context: Option<ContextUse>,
    },
    /// A day's cost has passed a budget; the reply says whether that is news.
    NotePassedBudget {
        /// The date in the user's time zone.
        day: String,
        budget: DailyBudget,
        reply: Reply<Result<bool, EngineError>>,
    },
    /// Inspect the state between two inputs.
    Inspect {
        inspect: Box<dyn FnOnce(&Desk) + Send>,
    },
    /// Write pending changes and stop.
    Close {
        reply: Reply<()>,
    },
}

/// What a command was about, as it is now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    /// The request, if the command was about one.
    pub request: Option<Request>,
    /// The approval, if the command was about one.
    pub approval: Option<Approval>,
    /// The session, if the command was about one.
    pub session: Option<Session>,
    /// The requests whose ends are to be sent late, in one message.
    pub late: Vec<Request>,
    /// The message that left the queue and is to be sent now.
    pub sent: Option<QueuedMessage>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SaveDraft {
    /// Orders the saves of one page.
    pub revision: DraftRevision,
    pub of: DraftTarget,
}

/// Which of a page's saves it is: two that are on their way at once may overtake each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DraftRevision {
    /// The page, from its load to its end.
    pub page: CommandId,
    /// Counts the page's saves.
    pub n: u64,
}

/// A change to a transcript. One of an unknown tool call has no effect.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum EntryWrite {
    New(EntryBody),
    /// A running tool call is in another state.
    ToolStatus {
        tool_use: String,
        status: ToolStatus,
    },
    ToolEnded {
        tool_use: String,
        ok: bool,
        output: String,
        images: Vec<StoredImage>,
    },
    /// The plan of this turn; it replaces an earlier one.
    Plan {
        items: Vec<TodoItem>,
    },
}

/// What the user wants of a session's agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionCall {
    /// Take this message. Those open questions that it names end as replied in chat.
    Message(Message),
    /// Take this queued message now, even in a running turn.
    SendNow(MessageId),
    /// Make the context smaller, which it does between turns.
    Compact,
    /// Stop one helper, and nothing else. The helper ends when the agent says so.
    StopHelper(HelperId),
    /// Stop the turn. If it doesn't, its process tree is killed.
    Interrupt,
    /// Change a config option. An error has the agent's own words; an accepted change appears in the session's config.
    SetConfig(ConfigChange),
}

impl SessionCall {
    pub fn message(message: impl Into<Message>) -> Self {
        Self::Message(message.into())
    }
}

#[derive(Debug)]
pub(crate) enum SessionInput {
    Call {
        call: SessionCall,
        reply: Reply<Result<(), EngineError>>,
    },
    /// Send the oldest queued message if the agent is idle.
    SendQueued,
    /// End the process. `end` is how the end of the session is noted.
    Stop {
        end: SessionEnd,
        reply: Reply<()>,
    },
    /// Late answers can be sent.
    SendParked,
}

/// What one call of an agent waits for. Every answer, decision, and retry reaches a session's agent as one of these.
#[derive(Debug)]
pub(crate) enum Resolution {
    Outcome(CallEnd),
    Decision { approval: ApprovalId, call: NativeRef, decision: ApprovalDecision, allows: bool },
}

/// The outcome of a request for one of its calls.
#[derive(Clone, Debug)]
pub(crate) struct CallEnd {
    pub(crate) request: RequestId,
    pub(crate) call: NativeRef,
    pub(crate) questions: Vec<Question>,
    pub(crate) outcome: Outcome,
    /// Whether it is the first of the agent's calls. What all calls would say, the transcript shows once.
    pub(crate) first: bool,
}

/// Where a running session takes what it is sent.
#[derive(Clone, Debug)]
pub(crate) struct SessionMailbox {
    pub(crate) inputs: mpsc::Sender<SessionInput>,
    /// Unbounded, so that no answer is ever refused: a call is resolved once, and again only when the user retries.
    pub(crate) resolutions: mpsc::UnboundedSender<Resolution>,
}

/// What the user sends to an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// May be empty where something is attached.
    pub text: String,
    /// Files and images that go with it.
    pub attachments: Vec<Attachment>,
    /// The open requests that it ends as replied in chat.
    pub closes: Vec<RequestId>,
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self { text, attachments: Vec::new(), closes: Vec::new() }
    }
}

/// Another value of a config option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigChange {
    pub option: ConfigId,
    pub value: ValueId,
}

impl EntryWrite {
    /// Returns about how much memory it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::New(body) => serde_json::to_string(body).map_or(0, |text| text.len()),
            Self::ToolEnded { output, .. } => output.len(),
            Self::ToolStatus { .. } => 0,
            Self::Plan { items } => items.iter().map(|item| item.text.len()).sum(),
        }
    }
}

/// How much of what agents write can be on its way to the writer, in units of [`ROOM_UNIT`]. On a slow disk, agents wait.
const ROOM: u32 = 65_536;
const ROOM_UNIT: usize = 1_024;

/// The memory that an input takes on its way; dropped once the writer has dealt with it.
pub(crate) type Room = Option<OwnedSemaphorePermit>;

/// Sends inputs to the writer; cheap to clone. The writer ends once all are dropped.
#[derive(Clone)]
pub(crate) struct WriterMailbox {
    inputs: mpsc::Sender<Input>,
    room: Arc<Semaphore>,
}

impl WriterMailbox {
    /// Makes the mailbox of a writer, and the end from which the writer takes its inputs.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Input>) {
        let (inputs, received) = mpsc::channel(QUEUED_INPUTS);
        (Self { inputs, room: Arc::new(Semaphore::new(ROOM as usize)) }, received)
    }

    /// Waits until there is room for some bytes.
    pub(crate) async fn room(&self, bytes: usize) -> Room {
        let units = u32::try_from(bytes / ROOM_UNIT + 1).unwrap_or(ROOM).min(ROOM);
        Arc::clone(&self.room).acquire_many_owned(units).await.ok()
    }

    /// Sends an input whose result nobody needs.
    pub(crate) async fn send(&self, input: Input) {
        if self.inputs.send(input).await.is_err() {
            tracing::debug!("the writer has ended");
        }
    }

    /// Sends an input and waits for its result.
    pub(crate) async fn ask<T>(&self, input: impl FnOnce(Reply<T>) -> Input) -> Result<T, EngineError> {
        let (reply, answer) = oneshot::channel();
        self.inputs.send(input(reply)).await.map_err(|_| EngineError::Closing)?;
        answer.await.map_err(|_| EngineError::Closing)
    }

    /// Returns a way to the writer that does not keep it running.
    pub(crate) fn downgrade(&self) -> mpsc::WeakSender<Input> {
        self.inputs.downgrade()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn what_is_on_its_way_to_the_writer_is_bounded_in_bytes() {
        let (mailbox, _inputs) = WriterMailbox::new();
        let first = mailbox.room(usize::MAX).await;
        let mut second = pin!(mailbox.room(1));
        assert!(timeout(Duration::ZERO, &mut second).await.is_err(), "there is no room");
        drop(first);
        assert!(second.await.is_some());
    }
}
