//! The single writer: one thread that owns the desk, the journal, the waiters and the hub.
//!
//! Every change is an [`Input`]. The writer decides it, commits, folds, publishes, and only then carries out
//! its effects, so subscribers hear only of what is already on disk.

mod changes;
mod drafts;
mod effects;
mod registrations;
mod storage;
pub(crate) mod time_limits;
mod transcript;
mod undo_window;
mod unstored;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use askdesk_contract::ChangeTotals;
use askdesk_contract::frame::{Change, SessionContext};
use askdesk_domain::{
    AgentDescriptor, ApprovalCommand, Command, Decision, Desk, Event, InboundCommand, NativeRef, Outcome,
    QueueCommand, QueueEvent, Rejection, RequestCommand, RequestEvent, RequestId, SessionCommand,
    SessionEvent, SessionId, UndoWindow, decide,
};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout_at;

use crate::clock::{Clock, ClockSteps};
use crate::error::EngineError;
use crate::fault::{self, FaultPoint};
use crate::hub::Hub;
use crate::journal::{DamageSearch, Journal, Opened, Reader};
use crate::mailbox::{Applied, Input, SessionMailbox};
use drafts::Drafts;
use transcript::Transcripts;
use unstored::Unstored;

/// How many transcript writes one transaction contains at most.
const BATCHED_WRITES: usize = 512;

/// How long no input comes before the writer counts as idle.
const IDLE: Duration = Duration::from_secs(2);

/// A call of a connected app that waits for the end of a request.
struct Waiter {
    call: NativeRef,
    caller: oneshot::Sender<Outcome>,
}

pub(crate) struct Writer {
    desk: Desk,
    held: UndoWindow,
    journal: Journal,
    reader: Reader,
    hub: Hub,
    clock: Arc<dyn Clock>,
    transcripts: Transcripts,
    unstored: Unstored,
    waiters: HashMap<RequestId, Vec<Waiter>>,
    sessions: HashMap<SessionId, SessionMailbox>,
    drafts: Drafts,
    limits: mpsc::UnboundedSender<time_limits::Limited>,
    clock_steps: ClockSteps,
    damage: Option<DamageSearch>,
}

impl Writer {
    pub(crate) fn new(
        opened: Opened,
        epoch: String,
        clock: Arc<dyn Clock>,
        limits: mpsc::UnboundedSender<time_limits::Limited>,
        agents: Vec<AgentDescriptor>,
    ) -> Result<Self, EngineError> {
        let reader = opened.journal.reader()?;
        let mut transcripts = Transcripts::new(opened.entries);
        for session in opened.desk.sessions().filter(|session| session.is_running()) {
            transcripts.add_running_tools(session.id, reader.unfinished_calls(session.id)?);
        }
        let clock_steps = ClockSteps::new(&*clock);
        let mut writer = Self {
            desk: opened.desk,
            held: UndoWindow::default(),
            journal: opened.journal,
            reader,
            hub: Hub::new(epoch, opened.notices, agents),
            clock,
            transcripts,
            unstored: Unstored::default(),
            waiters: HashMap::new(),
            sessions: HashMap::new(),
            drafts: Drafts::default(),
            limits,
            clock_steps,
            damage: None,
        };
        let at = writer.clock.now();
        writer.act(&SessionCommand::CloseEarlierRun { at }.into())?;
        Ok(writer)
    }

    /// Looks for damage in the database while the writer runs.
    pub(crate) fn search_damage(&mut self, writer: mpsc::WeakSender<Input>) {
        let report = move |path: &Path| {
            let input = Input::DamageFound { path: path.to_owned() };
            writer.upgrade().is_none_or(|writer| writer.try_send(input).is_ok())
        };
        match self.journal.search_damage(report) {
            Ok(search) => self.damage = Some(search),
            Err(error) => tracing::warn!(%error, "nothing looks for damage in the database"),
        }
    }

    /// Begins with what is known about the changed files of each session.
    pub(crate) fn with_changed_files(mut self, totals: BTreeMap<SessionId, ChangeTotals>) -> Self {
        self.hub.set_changed_files(totals);
        self
    }

    /// Handles inputs until it is closed or every handle is dropped.
    pub(crate) fn run(mut self, mut inputs: mpsc::Receiver<Input>, waiting: &Runtime) {
        let mut next = self.next(&mut inputs, waiting);
        while let Some(input) = next.take() {
            if self.unstored.are_due() {
                self.try_again();
            }
            self.follow_clock();
            match input {
                Input::Write { session, writes, room } => {
                    let (mut batch, mut rooms) = (vec![(session, writes)], vec![room]);
                    while next.is_none() && batch.len() < BATCHED_WRITES {
                        match inputs.try_recv() {
                            Ok(Input::Write { session, writes, room }) => {
                                batch.push((session, writes));
                                rooms.push(room);
                            }
                            Ok(other) => next = Some(other),
                            Err(_) => break,
                        }
                    }
                    self.write(batch);
                    drop(rooms);
                }
                Input::Close { reply } => {
                    if self.unstored.due().is_some() {
                        self.try_again();
                    }
                    self.write_drafts();
                    self.damage = None;
                    self.journal.write_last_snapshot(&self.desk);
                    self.journal.sweep_at_end();
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
            // An answer never waits for a draft: drafts are written when no other input is queued.
            if next.is_none() || self.drafts.are_overdue() {
                self.write_drafts();
            }
            if next.is_none() {
                next = self.next(&mut inputs, waiting);
            }
        }
    }

    /// Waits for the next input, and meanwhile tries again what the disk refused, removes the traces of deletions step by step,
    /// or writes a snapshot of the desk.
    fn next(&mut self, inputs: &mut mpsc::Receiver<Input>, waiting: &Runtime) -> Option<Input> {
        let mut rest = Duration::ZERO;
        loop {
            let again = self.unstored.due();
            let is_sweep_due = again.is_none() && self.journal.is_sweep_due();
            let is_snapshot_due = again.is_none() && !is_sweep_due && self.journal.is_snapshot_due();
            let idle = if is_sweep_due { rest } else { IDLE };
            let until = again.or_else(|| (is_sweep_due || is_snapshot_due).then(|| Instant::now() + idle));
            let Some(until) = until else { return inputs.blocking_recv() };
            if let Ok(next) = waiting.block_on(async { timeout_at(until.into(), inputs.recv()).await }) {
                return next;
            }
            match (is_sweep_due, is_snapshot_due) {
                (true, _) => rest = if self.sweep() { Duration::ZERO } else { IDLE },
                (_, true) => self.journal.write_snapshot(&self.desk),
                _ => self.try_again(),
            }
        }
    }

    /// Removes some traces of deletions; returns whether that went well.
    fn sweep(&mut self) -> bool {
        // While the database is searched for damage, its log can't be emptied.
        let held = self.damage.as_ref().map(DamageSearch::hold_back);
        let swept = self.journal.sweep();
        drop(held);
        if let Err(error) = &swept {
            tracing::warn!(%error, "traces of a deleted session are still in the file");
        }
        swept.is_ok()
    }

    fn take(&mut self, input: Input) {
        match input {
            Input::Act { command, reply } => {
                let applied = self.act(&command).map(|decision| self.applied(&command, &decision));
                let _ = reply.send(applied);
            }
            Input::WriteNow { session, body, reply } => {
                let _ = reply.send(self.write_now(session, body).map_err(Into::into));
            }
            Input::Recover { kept, salvaged, reply } => {
                let _ = reply.send(self.recover(kept, salvaged));
            }
            Input::DamageFound { path } => self.tell_damage(&path),
            Input::Settle { notice, reply } => drop(reply.send(self.settle(&notice))),
            Input::Record { command, reply } => drop(reply.send(self.record(command))),
            Input::Register { command, waiter, reply } => self.register(&command, waiter, reply),
            Input::HoldEnd { request, end, undo, reply } => {
                let _ = reply.send(self.hold(request, end, undo));
            }
            Input::UndoEnd { request, reply } => drop(reply.send(self.undo(request))),
            Input::UndoWindowOver { held } => self.give_held(held),
            Input::Live { added, room } => {
                self.hub.publish(&self.desk, vec![Change::LiveText { added }]);
                drop(room);
            }
            Input::LiveCleared { session } => {
                self.hub.publish(&self.desk, vec![Change::LiveCleared { session }]);
            }
            Input::Retry { session, retry } => {
                self.hub.publish(&self.desk, vec![Change::Retry { session, retry }]);
            }
            Input::FilesChanged { session, totals } => self.note_changed_files(session, totals),
            Input::CheckedOut { session, head } => {
                // A session may have been deleted while its folder was read.
                if self.desk.session(session).is_some() {
                    self.hub.publish(&self.desk, vec![Change::CheckedOut { session, head }]);
                }
            }
            Input::SessionOpened { session, mailbox } => drop(self.sessions.insert(session, mailbox)),
            Input::Subscribe { reply } => {
                let _ = reply.send(self.hub.subscribe(&self.desk));
            }
            Input::SaveDraft { save, reply } => self.drafts.queue(save, reply),
            Input::FlushDrafts { reply } => {
                self.write_drafts();
                let _ = reply.send(());
            }
            Input::ContextChanged { session, context } => {
                if self.desk.session(session).is_some() {
                    let changed = SessionContext { session, context };
                    self.hub.publish(&self.desk, vec![Change::Context { changed }]);
                }
            }
            Input::NotePassedBudget { day, budget, reply } => {
                let noted = self.store_with(|journal| journal.note_passed_budget(&day, budget));
                let _ = reply.send(noted.map_err(Into::into));
            }
            Input::Inspect { inspect } => inspect(&self.desk),
            // Every input is preceded by a look at the clock.
            Input::LookAtClock => {}
            // Handled by `run`, which may batch several or end.
            Input::Write { .. } | Input::Close { .. } => {}
        }
    }

    /// If the system's clock was set, moves the times of everything that is open along with it.
    fn follow_clock(&mut self) {
        let Some(by) = self.clock_steps.look(&*self.clock) else { return };
        tracing::warn!(seconds = by / 1_000, "the system's clock was set");
        self.note(RequestCommand::MoveTimes { by });
    }

    /// Carries out a command whose caller hears if it can't be stored. What waits for the disk comes first.
    fn act(&mut self, command: &Command) -> Result<Decision, EngineError> {
        // A deletion makes room for what waits.
        if !matches!(command, Command::Session(SessionCommand::Delete { .. })) {
            self.check_disk()?;
        }
        self.decide_and_store(command)
    }

    /// Decides, commits, folds, publishes, then carries out the effects.
    fn decide_and_store(&mut self, command: &Command) -> Result<Decision, EngineError> {
        let decision = decide(&self.desk, command).map_err(|reject| self.explain(command, reject))?;
        if decision.events.is_empty() {
            // A finished turn is published and not stored.
            for effect in &decision.effects {
                self.carry_out(effect);
            }
            return Ok(decision);
        }
        let written = self.transcripts.entries_of(&decision.events, self.clock.now());
        fault::reached(FaultPoint::Deciding(command));
        let at = self.clock.now();
        self.store_with(|journal| journal.commit(&decision.events, &written.entries, at))?;
        fault::reached(FaultPoint::Committed(command));
        let entries = self.transcripts.commit(&decision.events, written);
        for event in &decision.events {
            self.desk.fold(event);
            if let Event::Session(SessionEvent::Ended { session, .. }) = event {
                self.sessions.remove(session);
            }
        }
        fault::reached(FaultPoint::Folded(command));
        let mut changes = changes::changes_of(&self.desk, &decision.events);
        changes.extend(entries.into_iter().map(|(session, entry)| Change::Entry { session, entry }));
        changes
            .extend(self.held.settle(&self.desk).into_iter().map(|request| Change::HoldReleased { request }));
        changes.extend(decision.events.iter().filter_map(|event| match event {
            Event::Session(SessionEvent::TurnBegan { session }) if self.hub.has_finished(*session) => {
                Some(Change::Finished { session: *session, turn: None })
            }
            _ => None,
        }));
        self.hub.publish(&self.desk, changes);
        fault::reached(FaultPoint::Published(command));
        for effect in &decision.effects {
            self.carry_out(effect);
        }
        if matches!(command, Command::Session(SessionCommand::Delete { .. })) && self.unstored.due().is_some()
        {
            self.try_again();
        }
        Ok(decision)
    }

    /// Publishes the sums of a session's changed files, if they are others than before.
    fn note_changed_files(&mut self, session: SessionId, totals: ChangeTotals) {
        // A session may have been deleted while its folder was compared.
        if self.desk.session(session).is_some() && self.hub.changed_files(session) != totals {
            self.hub.publish(&self.desk, vec![Change::FilesChanged { session, totals }]);
        }
    }

    /// A request that is no longer in memory has ended; the journal has its outcome.
    fn explain(&self, command: &Command, reject: Rejection) -> EngineError {
        let Command::Request(command) = command else { return reject.into() };
        let Some(id) = command.about() else { return reject.into() };
        self.explain_end(id, reject)
    }

    fn explain_end(&self, id: RequestId, reject: Rejection) -> EngineError {
        if !matches!(reject, Rejection::NotFound { .. }) {
            return reject.into();
        }
        match self.reader.request(id) {
            Ok(Some(request)) => match request.ended() {
                Some(ended) => ended.rejection().into(),
                None => reject.into(),
            },
            Ok(None) => reject.into(),
            Err(error) => EngineError::Unread(error),
        }
    }

    fn applied(&self, command: &Command, decision: &Decision) -> Applied {
        let request = decision.request.and_then(|id| self.desk.request(id)).cloned();
        let approval = match command {
            Command::Approval(ApprovalCommand::Decide { approval, .. }) => {
                self.desk.approval(*approval).cloned()
            }
            Command::Approval(ApprovalCommand::Ask(ask)) => self.desk.approval(ask.id).cloned(),
            _ => None,
        };
        let session = match command {
            Command::Session(SessionCommand::Start { id, .. }) => Some(*id),
            Command::Inbound(InboundCommand::Open { .. }) => registrations::opened(decision),
            Command::Session(
                SessionCommand::End { session, .. }
                | SessionCommand::Rename { session, .. }
                | SessionCommand::SetNotifications { session, .. }
                | SessionCommand::Resume { session, .. },
            )
            | Command::Queue(
                QueueCommand::Add { session, .. }
                | QueueCommand::Edit { session, .. }
                | QueueCommand::Remove { session, .. },
            ) => Some(*session),
            _ => None,
        };
        let session = session.and_then(|id| self.desk.session(id)).cloned();
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
}

#[cfg(test)]
mod tests;
