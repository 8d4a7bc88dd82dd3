//! The engine as its callers see it: commands and queries that go to the writer or read the journal.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use askdesk_agents::Catalog;
use askdesk_contract::frame::{Frame, LiveText, StorageNotice};
use askdesk_contract::{DatabaseRecovered, DayBounds, QuestionTotals, TranscriptPage};
use askdesk_domain::{
    AnswerId, AnswerInput, Approval, ApprovalCommand, ApprovalDecision, ApprovalId, Command, DailyBudget,
    Desk, DraftTarget, EndInput, Entry, EntryBody, ImageId, Outcome, Rejection, Request, RequestCommand,
    RequestId, Session, SessionId, SessionUsage, StorageError, UndoSeconds, UsageSum,
};
use tokio::sync::oneshot;

use crate::changes::Changes;
use crate::clock::Clock;
use crate::error::EngineError;
use crate::hub::Subscription;
use crate::images::Images;
use crate::journal::{FoundEntries, QuestionFilter, QuestionsFound, Reader, Salvaged};
use crate::mailbox::{Applied, DraftRevision, EntryWrite, Input, SaveDraft, WriterMailbox};
use crate::session_tokens::SessionTokens;

/// The most entries one read returns.
pub const PAGE_ENTRIES: u32 = 500;

/// Sends commands and queries; cheap to clone. The engine ends once all clones are dropped.
#[derive(Clone)]
pub struct EngineHandle {
    pub(crate) writer: WriterMailbox,
    pub(crate) reader: Arc<Mutex<Reader>>,
    /// Searches the whole history, on its own connection so that readers of transcripts don't wait for it.
    pub(crate) history: Arc<Mutex<Reader>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) images: Images,
    pub(crate) changes: Changes,
    pub(crate) agents: Catalog,
    pub(crate) tokens: SessionTokens,
}

impl EngineHandle {
    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    pub(crate) fn shared_clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    pub const fn agents(&self) -> &Catalog {
        &self.agents
    }

    pub const fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Returns the session whose agent was given this token in its environment, while that agent runs.
    pub fn session_of_token(&self, token: &str) -> Option<SessionId> {
        self.tokens.session_of(token)
    }

    pub const fn images(&self) -> &Images {
        &self.images
    }

    /// Removes those of the images that no queued or sent message of the session uses.
    pub async fn remove_unused_images(
        &self,
        session: SessionId,
        images: Vec<ImageId>,
    ) -> Result<(), EngineError> {
        let queue = self.session(session).await?.queue;
        let waits = |image: &ImageId| {
            let mut attached = queue.iter().flat_map(|message| &message.attachments);
            attached.any(|attachment| attachment.image() == Some(*image))
        };
        let kept = self.images.clone();
        let unused = images.into_iter().filter(|image| !waits(image)).collect::<Vec<_>>();
        read(&self.history, move |reader| {
            for image in unused {
                if !reader.has_sent(session, image)? {
                    kept.remove(session, image);
                }
            }
            Ok(())
        })
        .await
    }

    /// Subscribes: a snapshot, then every change after it.
    pub async fn subscribe(&self) -> Result<Subscription, EngineError> {
        self.writer.ask(|reply| Input::Subscribe { reply }).await
    }

    /// Asks for a caller that waits. The waiter receives the outcome once, at once if the request has already ended.
    pub async fn register(
        &self,
        command: impl Into<Command>,
        waiter: oneshot::Sender<Outcome>,
    ) -> Result<RequestId, EngineError> {
        let command = command.into();
        self.writer.ask(|reply| Input::Register { command, waiter, reply }).await?
    }

    /// Finds a request of any age.
    pub async fn request(&self, request: RequestId) -> Result<Request, EngineError> {
        if let Some(known) = self.inspect(move |desk| desk.request(request).cloned()).await? {
            return Ok(known);
        }
        let kept = read(&self.reader, move |reader| reader.request(request)).await?;
        kept.ok_or_else(|| Rejection::NotFound { what: "request" }.into())
    }

    /// Answers a request; repeating the same answer returns the same result.
    pub async fn answer(
        &self,
        request: RequestId,
        answers: Vec<AnswerInput>,
    ) -> Result<Request, EngineError> {
        let at = self.clock.now();
        self.on_request(RequestCommand::Answer { request, answers, at }).await
    }

    /// Answers a request as [`Self::answer`] does, or declines it. The end keeps the id that the caller gave to its answer.
    pub async fn end_as(
        &self,
        request: RequestId,
        end: EndInput,
        answer: Option<AnswerId>,
    ) -> Result<Request, EngineError> {
        let command = end.command(request, self.clock.now());
        let command = match answer {
            Some(answer) => RequestCommand::Identified { answer, command: Box::new(command) },
            None => command,
        };
        self.on_request(command).await
    }

    /// Holds an end of a request during its undo window, then carries it out; of answers, only a single choice for a lone
    /// question. Any other end of the request takes precedence. It is not stored: if the engine ends, the request stays open.
    pub async fn hold_end(
        &self,
        request: RequestId,
        end: EndInput,
        undo: UndoSeconds,
    ) -> Result<(), EngineError> {
        let (reply, result) = oneshot::channel();
        let (engine, writer) = (self.clone(), self.writer.downgrade());
        // A held end must be carried out even if the caller is dropped.
        tokio::spawn(async move {
            let held = engine.writer.ask(|reply| Input::HoldEnd { request, end, undo, reply }).await;
            let held = held.and_then(|held| held);
            let due = held.as_ref().ok().cloned().flatten();
            let _ = reply.send(held.map(drop));
            let Some(held) = due else { return };
            let clock = engine.shared_clock();
            // Waiting must not keep the engine alive.
            drop(engine);
            clock.wait_until(held.until).await;
            if let Some(writer) = writer.upgrade() {
                let _ = writer.send(Input::UndoWindowOver { held }).await;
            }
        });
        result.await.map_err(|_| EngineError::Closing)?
    }

    /// Undoes a held end: the request stays open, and nothing was sent.
    pub async fn undo_end(&self, request: RequestId) -> Result<(), EngineError> {
        self.writer.ask(|reply| Input::UndoEnd { request, reply }).await?
    }

    pub async fn decline(&self, request: RequestId, words: Option<String>) -> Result<Request, EngineError> {
        let at = self.clock.now();
        self.on_request(RequestCommand::Decline { request, words, at }).await
    }

    /// Closes a request without an answer.
    pub async fn cancel(&self, request: RequestId, reason: Option<String>) -> Result<Request, EngineError> {
        let at = self.clock.now();
        self.on_request(RequestCommand::Cancel { request, reason, at }).await
    }

    /// Dismisses a request that was missed, or discards an answer that could not be delivered.
    pub async fn dismiss(&self, request: RequestId) -> Result<Request, EngineError> {
        let at = self.clock.now();
        self.on_request(RequestCommand::Dismiss { request, at }).await
    }

    /// Finds a session, closed or not.
    pub async fn session(&self, session: SessionId) -> Result<Session, EngineError> {
        let found = self.inspect(move |desk| desk.session(session).cloned()).await?;
        found.ok_or_else(|| Rejection::NotFound { what: "session" }.into())
    }

    /// Tries again to deliver the end of a request.
    pub async fn retry(&self, request: RequestId) -> Result<Request, EngineError> {
        self.on_request(RequestCommand::Retry { request }).await
    }

    pub async fn decide_approval(
        &self,
        approval: ApprovalId,
        decision: ApprovalDecision,
    ) -> Result<Approval, EngineError> {
        let at = self.clock.now();
        let applied = self.act(ApprovalCommand::Decide { approval, decision, at }).await?;
        applied.approval.ok_or_else(|| Rejection::NotFound { what: "approval" }.into())
    }

    /// Saves a draft in place of the one before; an older save of the same page has no effect.
    pub async fn save_draft(&self, revision: DraftRevision, of: DraftTarget) -> Result<(), EngineError> {
        let save = SaveDraft { revision, of };
        self.writer.ask(|reply| Input::SaveDraft { save, reply }).await?
    }

    /// Reads all drafts, including every save that was sent before.
    pub async fn drafts(&self) -> Result<Vec<DraftTarget>, EngineError> {
        self.writer.ask(|reply| Input::FlushDrafts { reply }).await?;
        read(&self.reader, Reader::drafts).await
    }

    pub async fn page(
        &self,
        session: SessionId,
        before: Option<u64>,
        limit: u32,
    ) -> Result<TranscriptPage, EngineError> {
        let limit = limit.clamp(1, PAGE_ENTRIES);
        read(&self.reader, move |reader| reader.page(session, before, limit)).await
    }

    pub async fn whole(&self, session: SessionId) -> Result<TranscriptPage, EngineError> {
        self.newest(session, None, u32::MAX).await
    }

    pub async fn user_messages(&self, session: SessionId) -> Result<Vec<Entry>, EngineError> {
        read(&self.history, move |reader| reader.user_messages(session)).await
    }

    /// Reads the newest `limit` entries before a position.
    pub async fn newest(
        &self,
        session: SessionId,
        before: Option<u64>,
        limit: u32,
    ) -> Result<TranscriptPage, EngineError> {
        read(&self.history, move |reader| reader.page(session, before, limit)).await
    }

    /// Searches the entries of all sessions; see [`Reader::search`].
    pub async fn search(&self, text: String, limit: u32, offset: u32) -> Result<FoundEntries, EngineError> {
        let limit = limit.clamp(1, PAGE_ENTRIES);
        read(&self.history, move |reader| reader.search(&text, limit, offset)).await
    }

    /// Reads a page of the ended requests that match a filter; see [`Reader::questions`].
    pub async fn questions(
        &self,
        filter: QuestionFilter,
        limit: u32,
        offset: u32,
    ) -> Result<QuestionsFound, EngineError> {
        let limit = limit.clamp(1, PAGE_ENTRIES);
        read(&self.history, move |reader| reader.questions(&filter, limit, offset)).await
    }

    /// Reads all ended requests that match a filter.
    pub async fn all_questions(&self, filter: QuestionFilter) -> Result<QuestionsFound, EngineError> {
        read(&self.history, move |reader| reader.questions(&filter, u32::MAX, 0)).await
    }

    /// Counts the ended requests of some days; see [`Reader::question_totals`].
    pub async fn question_totals(
        &self,
        filter: QuestionFilter,
        days: DayBounds,
    ) -> Result<QuestionTotals, EngineError> {
        read(&self.history, move |reader| reader.question_totals(&filter, &days)).await
    }

    /// Reads what was always allowed; see [`Reader::lasting_permissions`].
    pub async fn lasting_permissions(&self) -> Result<Vec<Approval>, EngineError> {
        read(&self.history, Reader::lasting_permissions).await
    }

    /// Adds up what a session used; see [`Reader::session_usage`].
    pub async fn session_usage(&self, session: SessionId) -> Result<SessionUsage, EngineError> {
        read(&self.reader, move |reader| reader.session_usage(session)).await
    }

    /// Adds up what was used on each day; see [`Reader::usage_of_days`].
    pub async fn usage_of_days(
        &self,
        session: Option<SessionId>,
        days: DayBounds,
    ) -> Result<Vec<UsageSum>, EngineError> {
        read(&self.history, move |reader| reader.usage_of_days(session, &days)).await
    }

    /// Notes that a day's cost has passed a budget; returns whether that is news. It is on disk before this returns, so that
    /// nobody is notified twice.
    pub async fn note_passed_budget(&self, day: String, budget: DailyBudget) -> Result<bool, EngineError> {
        self.writer.ask(|reply| Input::NotePassedBudget { day, budget, reply }).await?
    }

    /// Reads from the desk between two inputs of the writer.
    pub async fn inspect<T: Send + 'static>(
        &self,
        inspect: impl FnOnce(&Desk) -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        self.writer
            .ask(|reply| {
                let inspect = move |desk: &Desk| drop(reply.send(inspect(desk)));
                Input::Inspect { inspect: Box::new(inspect) }
            })
            .await
    }

    pub async fn act(&self, command: impl Into<Command>) -> Result<Applied, EngineError> {
        let command = command.into();
        self.writer.ask(|reply| Input::Act { command, reply }).await?
    }

    /// Takes over what can be read of a database that was set aside as damaged. Its sessions have ended.
    pub async fn recover(&self, kept: String) -> Result<DatabaseRecovered, EngineError> {
        let known = self.storage_notices().await?;
        if !known.contains(&StorageNotice::SetAside { kept: kept.clone() }) {
            return Err(Rejection::NotFound { what: "damaged database" }.into());
        }
        let database = PathBuf::from(&kept);
        let salvaged = tokio::task::spawn_blocking(move || Salvaged::read(&database));
        let salvaged = salvaged.await.map_err(|_| EngineError::Closing)?.map_err(EngineError::Unread)?;
        self.writer.ask(|reply| Input::Recover { kept, salvaged, reply }).await?
    }

    /// Notes that the user has dealt with a storage problem, so that it isn't shown again.
    pub async fn settle_storage(&self, notice: StorageNotice) -> Result<(), EngineError> {
        self.writer.ask(|reply| Input::Settle { notice, reply }).await?
    }

    /// Lists the storage problems that the user has not dealt with.
    async fn storage_notices(&self) -> Result<Vec<StorageNotice>, EngineError> {
        match self.subscribe().await?.take() {
            Some(Frame::Snapshot(snapshot)) => Ok(snapshot.storage.clone()),
            _ => Ok(Vec::new()),
        }
    }

    /// Reports what has happened. If the disk doesn't accept it now, it is stored as soon as the disk does, before anything
    /// that happens later. An error means that it was rejected.
    pub async fn record(&self, command: impl Into<Command>) -> Result<(), EngineError> {
        let command = command.into();
        self.writer.ask(|reply| Input::Record { command, reply }).await?
    }

    /// Ends the writer after all earlier inputs.
    pub async fn close(&self) -> Result<(), EngineError> {
        self.writer.ask(|reply| Input::Close { reply }).await
    }

    /// Carries out a command about a session, and returns the session.
    pub async fn change(&self, command: impl Into<Command>) -> Result<Session, EngineError> {
        let session = self.act(command).await?.session;
        session.ok_or_else(|| Rejection::NotFound { what: "session" }.into())
    }

    pub(crate) async fn write(&self, session: SessionId, writes: Vec<EntryWrite>) {
        let room = self.writer.room(writes.iter().map(EntryWrite::bytes).sum()).await;
        self.send(Input::Write { session, writes, room }).await;
    }

    /// Adds an entry to a transcript. An error means that it is not stored, and never will be.
    pub(crate) async fn write_now(&self, session: SessionId, body: EntryBody) -> Result<(), EngineError> {
        self.writer.ask(|reply| Input::WriteNow { session, body, reply }).await?
    }

    /// Shows text that an agent is writing.
    pub(crate) async fn show_live(&self, added: LiveText) {
        let room = self.writer.room(added.text.len()).await;
        self.send(Input::Live { added, room }).await;
    }

    pub(crate) async fn send(&self, input: Input) {
        self.writer.send(input).await;
    }

    async fn on_request(&self, command: impl Into<Command>) -> Result<Request, EngineError> {
        let applied = self.act(command).await?;
        applied.request.ok_or_else(|| Rejection::NotFound { what: "request" }.into())
    }
}

async fn read<T: Send + 'static>(
    reader: &Arc<Mutex<Reader>>,
    read: impl FnOnce(&Reader) -> Result<T, StorageError> + Send + 'static,
) -> Result<T, EngineError> {
    let reader = Arc::clone(reader);
    let read = move || read(&reader.lock().unwrap_or_else(PoisonError::into_inner));
    let read = tokio::task::spawn_blocking(read).await.map_err(|_| EngineError::Closing)?;
    read.map_err(EngineError::Unread)
}
