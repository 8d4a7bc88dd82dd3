//! The single writer: one thread that owns the desk, the journal, the waiters and the hub.
//!
//! Every trigger that can change anything is an [`Input`]. Each is decided, committed, folded, published and only
//! then acted upon, so what anybody hears of is already on disk.

mod drafts;
mod held;
mod visits;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use askdesk_domain::{
    AgentDescriptor, Approval, ApprovalCommand, ApprovalEvent, ApprovalId, Ask, Command, Decision, Delivery,
    DeliveryError, Desk, Effect, Entry, EntryBody, Event, InboundCommand, NativeRef, Outcome, QueueCommand,
    QueueEvent, QueuedMessage, Rejection, Request, RequestCommand, RequestEvent, RequestId, Session,
    SessionCommand, SessionEvent, SessionId, TodoItem, ToolStatus, UndoWindow, UndoableAnswer, decide,
};
use tokio::sync::{mpsc, oneshot};

use crate::clock::Source;
use crate::fault::{self, Step};
use crate::frame::{Change, LiveText};
use crate::hub::{Hub, Subscription};
use crate::journal::{Journal, JournalError, Opened, Reader};
use crate::session::SessionInput;
use drafts::Drafts;
pub use drafts::{DraftTurn, SaveDraft};

pub(crate) use held::HoldAnswer;

pub(crate) mod limits;

/// How many inputs wait for the writer before senders wait for it.
pub const QUEUED_INPUTS: usize = 4_096;

/// How many transcript writes go into one transaction at most.
const BATCHED_WRITES: usize = 512;

/// How many entries are kept for another try when the disk takes none.
const UNSAVED_ENTRIES: usize = 10_000;

/// Why a command was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// It is against the rules, and changed nothing.
    #[error(transparent)]
    Reject(#[from] Rejection),
    /// It could not be written down, and changed nothing.
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("the app is closing")]
    Closing,
}

/// What a command was about, as it is now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    pub request: Option<Request>,
    pub approval: Option<Approval>,
    pub session: Option<Session>,
    /// The requests whose ends are to be sent now, late and as one message.
    pub late: Vec<Request>,
    /// The message that was taken out of the queue and is to be sent now.
    pub sent: Option<QueuedMessage>,
}

/// What the person should be told outside the window, or need not be told any more.
#[derive(Clone, Debug, PartialEq)]
pub enum Attention {
    /// A request waits.
    Asked {
        request: Request,
        session: Session,
    },
    Ended {
        request: RequestId,
    },
    /// An answer that was held did not go, though its request is open: it was taken back, another took its place, or, with
    /// its error, it could not be given.
    NotGiven {
        held: UndoableAnswer,
    },
    /// A request has waited for as long as the person set.
    StillWaits {
        request: Request,
        session: Session,
    },
    ApprovalAsked {
        approval: Approval,
        session: Session,
    },
    /// An approval waits no more.
    ApprovalEnded {
        approval: ApprovalId,
    },
    /// A session has finished its turn.
    Finished {
        session: Session,
        /// Whether a question or a permission waits in it.
        waits: bool,
    },
    /// A session works again, or is gone.
    FinishedNoMore {
        session: SessionId,
    },
}

/// A change to a transcript.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum EntryWrite {
    New(EntryBody),
    /// A tool that runs is in another state; unknown calls are passed over.
    ToolStatus {
        tool_use: String,
        status: ToolStatus,
    },
    /// A tool came to its end; unknown calls are passed over.
    ToolEnded {
        tool_use: String,
        ok: bool,
        output: String,
    },
    /// The plan of this turn; it replaces an earlier one.
    Plan {
        items: Vec<TodoItem>,
    },
}

/// Everything the writer can be told.
pub(crate) enum Input {
    Act {
        command: Command,
        reply: oneshot::Sender<Result<Applied, EngineError>>,
    },
    Register {
        ask: Ask,
        waiter: oneshot::Sender<Outcome>,
        reply: oneshot::Sender<Result<RequestId, EngineError>>,
    },
    Visit {
        ask: Ask,
        again: Option<RequestId>,
        waiter: oneshot::Sender<Outcome>,
        reply: oneshot::Sender<Result<RequestId, EngineError>>,
    },
    Hold {
        hold: HoldAnswer,
        reply: oneshot::Sender<Result<Option<UndoableAnswer>, EngineError>>,
    },
    TakeBack {
        request: RequestId,
        reply: oneshot::Sender<Result<(), EngineError>>,
    },
    HeldDue {
        held: UndoableAnswer,
    },
    Write {
        session: SessionId,
        writes: Vec<EntryWrite>,
    },
    Live {
        added: LiveText,
    },
    LiveCleared {
        session: SessionId,
    },
    OpenDoor {
        session: SessionId,
        door: mpsc::Sender<SessionInput>,
    },
    Find {
        session: SessionId,
        reply: oneshot::Sender<Option<Session>>,
    },
    Subscribe {
        reply: oneshot::Sender<Subscription>,
    },
    SaveDraft {
        save: SaveDraft,
        reply: oneshot::Sender<Result<(), EngineError>>,
    },
    WriteDrafts {
        reply: oneshot::Sender<()>,
    },
    Close {
        reply: oneshot::Sender<()>,
    },
    Look {
        look: Box<dyn FnOnce(&Desk) + Send>,
    },
}

pub(crate) struct Writer {
    desk: Desk,
    held: UndoWindow,
    journal: Journal,
    reader: Reader,
    hub: Hub,
    source: Arc<dyn Source>,
    newest: BTreeMap<SessionId, u64>,
    unsaved: Vec<(SessionId, Entry)>,
    running_tools: HashMap<(SessionId, String), Entry>,
    /// The plan of each running turn.
    plans: HashMap<SessionId, Entry>,
    waiters: HashMap<RequestId, Vec<(NativeRef, oneshot::Sender<Outcome>)>>,
    doors: HashMap<SessionId, mpsc::Sender<SessionInput>>,
    attention: mpsc::Sender<Attention>,
    /// The sessions that were told to have finished and rest still.
    finished: BTreeSet<SessionId>,
    drafts: Drafts,
    limits: std::sync::mpsc::Sender<limits::Limited>,
}

impl Writer {
    pub(crate) fn new(
        opened: Opened,
        epoch: String,
        source: Arc<dyn Source>,
        attention: mpsc::Sender<Attention>,
        limits: std::sync::mpsc::Sender<limits::Limited>,
        agents: Vec<AgentDescriptor>,
    ) -> Result<Self, EngineError> {
        let reader = opened.journal.reader()?;
        let mut writer = Self {
            desk: opened.desk,
            held: UndoWindow::default(),
            journal: opened.journal,
            reader,
            hub: Hub::new(epoch, opened.notice, agents),
            source,
            newest: opened.entries,
            unsaved: Vec::new(),
            running_tools: HashMap::new(),
            plans: HashMap::new(),
            waiters: HashMap::new(),
            doors: HashMap::new(),
            attention,
            finished: BTreeSet::new(),
            drafts: Drafts::default(),
            limits,
        };
        let at = writer.source.now();
        writer.act(&Command::Session(SessionCommand::CloseEarlierRun { at }))?;
        Ok(writer)
    }

    /// Takes inputs until it is told to close or nobody is left to tell it anything.
    pub(crate) fn run(mut self, mut inputs: mpsc::Receiver<Input>) {
        let mut next = inputs.blocking_recv();
        while let Some(input) = next.take() {
            match input {
                Input::Write { session, writes } => {
                    let mut batch = vec![(session, writes)];
                    while next.is_none() && batch.len() < BATCHED_WRITES {
                        match inputs.try_recv() {
                            Ok(Input::Write { session, writes }) => batch.push((session, writes)),
                            Ok(other) => next = Some(other),
                            Err(_) => break,
                        }
                    }
                    self.write(batch);
                }
                Input::Close { reply } => {
                    // What the disk did not take before may fit now.
                    self.write(Vec::new());
                    self.write_drafts();
                    self.journal.sweep_or_later();
                    if let Err(error) = self.journal.checkpoint() {
                        tracing::warn!(%error, "the journal was not folded into the database");
                    }
                    drop(self);
                    let _ = reply.send(());
                    return;
                }
                other => self.take(other),
            }
            if next.is_none() {
                next = inputs.try_recv().ok();
            }
            // An answer never waits for a draft: drafts are written once nothing else is to be done.
            if next.is_none() || self.drafts.have_waited() {
                self.write_drafts();
            }
            if next.is_none() {
                next = inputs.blocking_recv();
            }
        }
    }

    fn take(&mut self, input: Input) {
        match input {
            Input::Act { command, reply } => {
                let applied = self.act(&command).map(|decision| self.applied(&command, &decision));
                let _ = reply.send(applied);
            }
            Input::Register { ask, waiter, reply } => {
                let _ = reply.send(self.register(ask, waiter));
            }
            Input::Visit { ask, again, waiter, reply } => self.visited(ask, again, waiter, reply),
            Input::Hold { hold, reply } => drop(reply.send(self.hold(hold))),
            Input::TakeBack { request, reply } => drop(reply.send(self.take_back(request))),
            Input::HeldDue { held } => self.send_held(held),
            Input::Live { added } => self.hub.publish(&self.desk, vec![Change::LiveText { added }]),
            Input::LiveCleared { session } => {
                self.hub.publish(&self.desk, vec![Change::LiveCleared { session }]);
            }
            Input::OpenDoor { session, door } => {
                self.doors.insert(session, door);
            }
            Input::Find { session, reply } => {
                let _ = reply.send(self.desk.session(session).cloned());
            }
            Input::Subscribe { reply } => {
                let _ = reply.send(self.hub.subscribe(&self.desk));
            }
            Input::SaveDraft { save, reply } => self.drafts.wait(save, reply),
            Input::WriteDrafts { reply } => {
                self.write_drafts();
                let _ = reply.send(());
            }
            Input::Look { look } => look(&self.desk),
            // Handled by `run`, which may take several at once or end.
            Input::Write { .. } | Input::Close { .. } => {}
        }
    }

    /// Decides, commits, folds, publishes, then carries out the effects.
    fn act(&mut self, command: &Command) -> Result<Decision, EngineError> {
        let decision = decide(&self.desk, command).map_err(|reject| self.explain(command, reject))?;
        if decision.events.is_empty() {
            // That a session has finished its turn is told and not written down.
            for effect in &decision.effects {
                self.carry_out(effect);
            }
            return Ok(decision);
        }
        let mut entries = Vec::new();
        let mut newest = self.newest.clone();
        for event in &decision.events {
            self.entries_of(event, &mut newest, &mut entries);
        }
        fault::reached(Step::Deciding(command));
        self.journal.commit(&decision.events, &entries, self.source.now())?;
        fault::reached(Step::Committed(command));
        self.newest = newest;
        for event in &decision.events {
            self.desk.fold(event);
            if let Event::Session(SessionEvent::Ended { session, .. }) = event {
                self.doors.remove(session);
                self.running_tools.retain(|(owner, _), _| owner != session);
                self.plans.remove(session);
            }
            if let Event::Session(SessionEvent::Deleted { session }) = event {
                self.newest.remove(session);
                self.unsaved.retain(|(owner, _)| owner != session);
            }
        }
        fault::reached(Step::Folded(command));
        let mut changes = self.changes_of(&decision.events);
        changes.extend(entries.into_iter().map(|(session, entry)| Change::Entry { session, entry }));
        changes
            .extend(self.held.settle(&self.desk).into_iter().map(|request| Change::AnswerLetGo { request }));
        self.hub.publish(&self.desk, changes);
        fault::reached(Step::Published(command));
        for effect in &decision.effects {
            self.carry_out(effect);
        }
        if let Command::Session(SessionCommand::Delete { .. }) = command {
            self.journal.sweep_soon();
        }
        Ok(decision)
    }

    /// A request that is no longer in memory has ended; the journal knows how.
    fn explain(&self, command: &Command, reject: Rejection) -> EngineError {
        let id = match command {
            Command::Request(RequestCommand::Answer { request, .. })
            | Command::Request(RequestCommand::Decline { request, .. })
            | Command::Request(RequestCommand::Cancel { request, .. })
            | Command::Request(RequestCommand::Dismiss { request, .. })
            | Command::Request(RequestCommand::Retry { request }) => *request,
            _ => return reject.into(),
        };
        self.explain_end(id, reject)
    }

    fn explain_end(&self, id: RequestId, reject: Rejection) -> EngineError {
        if !matches!(reject, Rejection::NotFound { .. }) {
            return reject.into();
        }
        match self.reader.request(id) {
            Ok(Some(request)) => match request.ended() {
                Some(ended) => Rejection::AlreadyEnded { by: ended.outcome.by(), at: ended.at }.into(),
                None => reject.into(),
            },
            Ok(None) => reject.into(),
            Err(error) => error.into(),
        }
    }

    fn applied(&self, command: &Command, decision: &Decision) -> Applied {
        let request = decision.request.and_then(|id| self.desk.request(id)).cloned();
        let approval = match command {
            Command::Approval(ApprovalCommand::Decide { approval, .. }) => {
                self.desk.approval(*approval).cloned()
            }
            _ => None,
        };
        let session = match command {
            Command::Session(SessionCommand::Start { id, .. }) => self.desk.session(*id).cloned(),
            Command::Inbound(InboundCommand::Open { .. }) => {
                visits::opened(decision).and_then(|id| self.desk.session(id)).cloned()
            }
            Command::Session(SessionCommand::End { session, .. })
            | Command::Session(SessionCommand::Rename { session, .. })
            | Command::Session(SessionCommand::SetNotifications { session, .. })
            | Command::Session(SessionCommand::Resume { session, .. })
            | Command::Queue(QueueCommand::Add { session, .. })
            | Command::Queue(QueueCommand::Edit { session, .. })
            | Command::Queue(QueueCommand::Remove { session, .. }) => self.desk.session(*session).cloned(),
            _ => None,
        };
        let leaves = |event: &Event| match (command, event) {
            (
                Command::Request(RequestCommand::SendParked { .. }),
                Event::Request(RequestEvent::Sending { request, .. }),
            ) => self.desk.request(*request).cloned(),
            _ => None,
        };
        let late = decision.events.iter().filter_map(leaves).collect();
        let sent = decision.events.iter().find_map(|event| match event {
            Event::Queue(QueueEvent::Sent { message, .. }) => Some(message.clone()),
            _ => None,
        });
        Applied { request, approval, session, late, sent }
    }

    fn register(&mut self, ask: Ask, waiter: oneshot::Sender<Outcome>) -> Result<RequestId, EngineError> {
        if waiter.is_closed() {
            // Whoever asked has given up already: a card for nobody must not appear.
            return Err(Rejection::SessionGone.into());
        }
        let (minted, native_ref) = (ask.id, ask.native_ref.clone());
        let decision = self.act(&Command::Request(RequestCommand::Ask(ask)))?;
        let id = decision.request.unwrap_or(minted);
        // An ended request was handed over once; a late waiter must not hand it over again.
        if self.desk.request(id).is_some_and(Request::is_open) {
            self.waiters.entry(id).or_default().push((native_ref, waiter));
        }
        Ok(id)
    }

    fn carry_out(&mut self, effect: &Effect) {
        match effect {
            Effect::Resolve { request, outcome } => {
                let mut unheard = Vec::new();
                for (call, waiter) in self.waiters.remove(request).unwrap_or_default() {
                    if waiter.send(outcome.clone()).is_err() {
                        unheard.push(call);
                    }
                }
                self.keep_unheard(*request, unheard);
            }
            Effect::LetGo { request, native_ref } => {
                if let Some(waiters) = self.waiters.get_mut(request) {
                    waiters.retain(|(call, _)| call != native_ref);
                }
            }
            Effect::Redeliver { request, native_ref, outcome } => {
                let input = SessionInput::Redeliver {
                    request: *request,
                    native_ref: native_ref.clone(),
                    outcome: outcome.clone(),
                };
                let session = self.desk.request(*request).map(|request| request.session);
                if let Err(error) = self.knock(session, input) {
                    let delivery = Delivery::Failed { error };
                    let call = Some(native_ref.clone());
                    self.note(&Command::Request(RequestCommand::NoteDelivery {
                        request: *request,
                        call,
                        delivery,
                    }));
                }
            }
            Effect::SendParked { session } => {
                // A session that takes nothing now sends it when its next turn ends.
                if let Err(error) = self.knock(Some(*session), SessionInput::SendParked) {
                    tracing::debug!(%session, %error, "a late answer goes on waiting");
                }
            }
            Effect::ResolveApproval { approval, decision } => {
                let Some(known) = self.desk.approval(*approval) else { return };
                let input = SessionInput::Decided {
                    approval: *approval,
                    native_ref: known.native_ref.clone(),
                    decision: decision.clone(),
                    allows: decision.allows(known).unwrap_or(false),
                };
                if let Err(error) = self.knock(Some(known.session), input) {
                    self.note(&Command::Approval(ApprovalCommand::NoteNotDelivered {
                        approval: *approval,
                        error,
                    }));
                }
            }
            Effect::SendQueued { session } => {
                // A session that takes nothing now sends it when its next turn ends.
                if let Err(error) = self.knock(Some(*session), SessionInput::SendQueued) {
                    tracing::debug!(%session, %error, "a message goes on waiting");
                }
            }
            Effect::Notify { request } => {
                let request = self.desk.request(*request);
                let session = request.and_then(|request| self.desk.session(request.session));
                if let (Some(request), Some(session)) = (request, session) {
                    self.tell(Attention::Asked { request: request.clone(), session: session.clone() });
                }
            }
            Effect::WithdrawNotification { request } => self.tell(Attention::Ended { request: *request }),
            Effect::NotifyApproval { approval } => {
                let approval = self.desk.approval(*approval);
                let session = approval.and_then(|approval| self.desk.session(approval.session));
                if let (Some(approval), Some(session)) = (approval, session) {
                    let (approval, session) = (approval.clone(), session.clone());
                    self.tell(Attention::ApprovalAsked { approval, session });
                }
            }
            Effect::WithdrawApprovalNotification { approval } => {
                self.tell(Attention::ApprovalEnded { approval: *approval });
            }
            Effect::NotifyFinished { session: id } => {
                if let Some(session) = self.desk.session(*id).cloned() {
                    self.finished.insert(*id);
                    let waits = self.desk.open_requests(*id).next().is_some()
                        || self.desk.open_approvals(*id).next().is_some();
                    self.tell(Attention::Finished { session, waits });
                }
            }
            Effect::WithdrawFinished { session } => {
                if self.finished.remove(session) {
                    self.tell(Attention::FinishedNoMore { session: *session });
                }
            }
            Effect::WatchLimit { request, at } => {
                // The thread lives as long as the writer; without one the request simply waits.
                if self.limits.send((*at, *request)).is_err() {
                    tracing::error!(%request, "nobody watches the limit of a request");
                }
            }
        }
    }

    fn knock(&self, session: Option<SessionId>, input: SessionInput) -> Result<(), DeliveryError> {
        let door = session.and_then(|session| self.doors.get(&session));
        let door = door.ok_or(DeliveryError::NotRunning)?;
        door.try_send(input).map_err(|_| DeliveryError::Busy)
    }

    fn tell(&self, attention: Attention) {
        // Notifications are best effort and never needed for correctness.
        if self.attention.try_send(attention).is_err() {
            tracing::debug!("nobody listens for notifications");
        }
    }

    fn note(&mut self, command: &Command) {
        if let Err(error) = self.act(command) {
            tracing::error!(%error, ?command, "could not be noted");
        }
    }

    fn write(&mut self, batch: Vec<(SessionId, Vec<EntryWrite>)>) {
        let mut fresh = Vec::new();
        for (session, writes) in batch {
            // A session that was deleted leaves nothing behind, what was on its way included.
            if self.desk.session(session).is_none() {
                continue;
            }
            for write in writes {
                fresh.extend(self.entry(session, write).map(|entry| (session, entry)));
            }
        }
        self.unsaved.extend(fresh);
        if self.unsaved.is_empty() {
            return;
        }
        if let Err(error) = self.journal.commit_entries(&self.unsaved) {
            tracing::error!(%error, waiting = self.unsaved.len(), "the transcript could not be written");
            let over = self.unsaved.len().saturating_sub(UNSAVED_ENTRIES);
            self.unsaved.drain(..over);
            return;
        }
        let written = std::mem::take(&mut self.unsaved).into_iter();
        let changes = written.map(|(session, entry)| Change::Entry { session, entry }).collect();
        self.hub.publish(&self.desk, changes);
    }

    fn entry(&mut self, session: SessionId, write: EntryWrite) -> Option<Entry> {
        match write {
            EntryWrite::New(body) => {
                let entry = next_entry(&mut self.newest, session, self.source.now(), body);
                match &entry.body {
                    EntryBody::Tool { tool_use, .. } => {
                        self.running_tools.insert((session, tool_use.clone()), entry.clone());
                    }
                    EntryBody::TurnEnded { .. } => {
                        self.plans.remove(&session);
                    }
                    _ => {}
                }
                Some(entry)
            }
            EntryWrite::ToolStatus { tool_use, status: now } => {
                let entry = self.running_tools.get_mut(&(session, tool_use))?;
                if let EntryBody::Tool { status, .. } = &mut entry.body {
                    *status = now;
                }
                Some(entry.clone())
            }
            EntryWrite::Plan { items } => {
                let body = EntryBody::Plan { items };
                let entry = match self.plans.remove(&session) {
                    Some(earlier) => Entry { body, ..earlier },
                    None => next_entry(&mut self.newest, session, self.source.now(), body),
                };
                self.plans.insert(session, entry.clone());
                Some(entry)
            }
            EntryWrite::ToolEnded { tool_use, ok, output: came_out } => {
                let mut entry = self.running_tools.remove(&(session, tool_use))?;
                if let EntryBody::Tool { status, output, .. } = &mut entry.body {
                    *status = if ok { ToolStatus::Done } else { ToolStatus::Failed };
                    *output = Some(came_out);
                }
                Some(entry)
            }
        }
    }

    /// Lists the entries that an event leaves in the transcript.
    fn entries_of(
        &self,
        event: &Event,
        newest: &mut BTreeMap<SessionId, u64>,
        entries: &mut Vec<(SessionId, Entry)>,
    ) {
        let now = self.source.now();
        let (session, body) = match event {
            Event::Request(RequestEvent::Asked { request }) => {
                (request.session, EntryBody::Request { request: request.id })
            }
            Event::Approval(ApprovalEvent::Asked { approval }) => {
                (approval.session, EntryBody::Approval { approval: approval.id })
            }
            Event::Queue(QueueEvent::Sent { session, message }) => {
                let QueuedMessage { text, attachments, .. } = message.clone();
                (*session, EntryBody::Person { text, attachments })
            }
            Event::Session(SessionEvent::Ended { session, .. }) => {
                let cut_off = self.running_tools.iter().filter(|((owner, _), _)| owner == session);
                entries.extend(cut_off.map(|(_, entry)| (*session, failed(entry))));
                return;
            }
            _ => return,
        };
        entries.push((session, next_entry(newest, session, now, body)));
    }

    /// A session that was closed comes back with all that belongs to it.
    fn comes_back(
        &self,
        session: SessionId,
        sessions: &mut Vec<SessionId>,
        requests: &mut Vec<RequestId>,
        approvals: &mut Vec<ApprovalId>,
    ) {
        once(sessions, session);
        let of_it = self.desk.requests().filter(|request| request.session == session);
        of_it.for_each(|request| once(requests, request.id));
        let of_it = self.desk.approvals().filter(|approval| approval.session == session);
        of_it.for_each(|approval| once(approvals, approval.id));
    }

    /// Lists what events have changed, each thing once, as it is now.
    fn changes_of(&self, events: &[Event]) -> Vec<Change> {
        let mut sessions = Vec::new();
        let mut requests = Vec::new();
        let mut approvals = Vec::new();
        let mut closed = Vec::new();
        let mut deleted = Vec::new();
        for event in events {
            match event {
                Event::Session(SessionEvent::Started { session }) => once(&mut sessions, session.id),
                Event::Session(SessionEvent::Introduced { session, .. })
                | Event::Session(SessionEvent::NativeSessionKnown { session, .. })
                | Event::Session(SessionEvent::ConfigChanged { session, .. })
                | Event::Session(SessionEvent::TurnBegan { session })
                | Event::Session(SessionEvent::TurnFinished { session })
                | Event::Session(SessionEvent::LinesUnusable { session, .. })
                | Event::Session(SessionEvent::Ended { session, .. })
                | Event::Session(SessionEvent::Renamed { session, .. })
                | Event::Session(SessionEvent::NotificationsSet { session, .. })
                | Event::Queue(QueueEvent::Added { session, .. })
                | Event::Queue(QueueEvent::Edited { session, .. })
                | Event::Queue(QueueEvent::Removed { session, .. })
                | Event::Queue(QueueEvent::Sent { session, .. })
                | Event::Session(SessionEvent::AgentSpoke { session })
                | Event::Session(SessionEvent::Forgotten { session }) => once(&mut sessions, *session),
                Event::Session(SessionEvent::Moved { .. }) => {
                    self.desk.sessions().for_each(|session| once(&mut sessions, session.id));
                }
                Event::Session(SessionEvent::Closed { session, .. }) => closed.push(*session),
                Event::Session(SessionEvent::Resumed { session, .. }) => {
                    self.comes_back(*session, &mut sessions, &mut requests, &mut approvals);
                }
                Event::Request(RequestEvent::Asked { request }) => once(&mut requests, request.id),
                Event::Request(RequestEvent::Reopened { request, .. }) => {
                    once(&mut requests, *request);
                    if let Some(request) = self.desk.request(*request) {
                        self.comes_back(request.session, &mut sessions, &mut requests, &mut approvals);
                    }
                }
                // An end that goes to its call is on its way already, for whoever looks.
                Event::Request(RequestEvent::Sending { late: false, .. }) => {}
                // Who else waits is nothing to look at.
                Event::Request(RequestEvent::AskedAgain { .. })
                | Event::Request(RequestEvent::CallLeft { .. })
                | Event::Session(SessionEvent::ClientLeft { .. }) => {}
                Event::Request(RequestEvent::Ended { request, .. })
                | Event::Request(RequestEvent::DeliveryChanged { request, .. })
                | Event::Request(RequestEvent::Sending { request, .. })
                | Event::Request(RequestEvent::AnsweredLate { request, .. })
                | Event::Request(RequestEvent::Dismissed { request, .. }) => once(&mut requests, *request),
                Event::Approval(ApprovalEvent::Asked { approval }) => once(&mut approvals, approval.id),
                Event::Approval(ApprovalEvent::Decided { approval, .. })
                | Event::Approval(ApprovalEvent::DeliveryFailed { approval, .. })
                | Event::Approval(ApprovalEvent::Withdrawn { approval, .. }) => {
                    once(&mut approvals, *approval)
                }
                Event::Session(SessionEvent::Deleted { session }) => once(&mut deleted, *session),
            }
        }
        // What belongs to a closed session is no more shown than the session.
        let shown = |session: SessionId| !self.desk.is_closed(session);
        let sessions = sessions.into_iter().filter_map(|id| self.desk.session(id)).filter(|it| shown(it.id));
        let requests =
            requests.into_iter().filter_map(|id| self.desk.request(id)).filter(|it| shown(it.session));
        let approvals =
            approvals.into_iter().filter_map(|id| self.desk.approval(id)).filter(|it| shown(it.session));
        sessions
            .map(|session| Change::Session { session: session.clone() })
            .chain(requests.map(|request| Change::Request { request: request.clone() }))
            .chain(approvals.map(|approval| Change::Approval { approval: approval.clone() }))
            .chain(closed.into_iter().map(|session| Change::SessionClosed { session }))
            .chain(deleted.into_iter().map(|session| Change::SessionDeleted { session }))
            .collect()
    }
}

fn once<T: PartialEq>(list: &mut Vec<T>, id: T) {
    if !list.contains(&id) {
        list.push(id);
    }
}

fn next_entry(
    newest: &mut BTreeMap<SessionId, u64>,
    session: SessionId,
    at: askdesk_domain::Timestamp,
    body: EntryBody,
) -> Entry {
    let n = newest.entry(session).or_default();
    *n += 1;
    Entry { n: *n, at, body }
}

fn failed(entry: &Entry) -> Entry {
    let mut entry = entry.clone();
    if let EntryBody::Tool { status, .. } = &mut entry.body {
        *status = ToolStatus::Failed;
    }
    entry
}

#[cfg(test)]
mod tests;
