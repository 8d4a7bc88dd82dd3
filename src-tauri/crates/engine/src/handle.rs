//! The engine as everybody else sees it: an address to send inputs to.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use askdesk_agents::Catalog;
use askdesk_domain::{
    AnswerInput, Approval, ApprovalCommand, ApprovalDecision, ApprovalId, Ask, Command, Desk, DraftTarget,
    ImageId, Outcome, Rejection, Request, RequestCommand, RequestId, Session, SessionId, UndoSeconds,
};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use crate::clock::Source;
use crate::hub::Subscription;
use crate::images::Images;
use crate::journal::{Found, Journal, JournalError, Page, QuestionFilter, QuestionsFound, Reader};
use crate::writer::{
    Applied, Attention, EngineError, EntryWrite, HoldAnswer, Input, QUEUED_INPUTS, SaveDraft, Writer, limits,
};

/// How many notices wait for the shell before further ones are dropped.
const QUEUED_ATTENTION: usize = 1_024;

/// The most entries one read returns.
pub const PAGE_ENTRIES: u32 = 500;

/// Sends inputs to the writer; cheap to clone.
#[derive(Clone)]
pub struct EngineHandle {
    inputs: mpsc::Sender<Input>,
    reader: Arc<Mutex<Reader>>,
    /// Looks through the whole past; that must hold up nobody who reads a transcript.
    past: Arc<Mutex<Reader>>,
    source: Arc<dyn Source>,
    images: Images,
    agents: Catalog,
}

pub struct OpenedEngine {
    /// Where to send inputs.
    pub handle: EngineHandle,
    /// What the person should be told outside the window.
    pub attention: mpsc::Receiver<Attention>,
}

impl EngineHandle {
    /// Opens the journal of a data folder, closes what an earlier run left open, and starts the writer's thread.
    pub fn open(
        folder: &Path,
        source: Arc<dyn Source>,
        agents: Catalog,
    ) -> Result<OpenedEngine, EngineError> {
        let opened = Journal::open(folder, source.now())?;
        // The journal is locked, so no other desk has agents of this folder.
        #[cfg(unix)]
        askdesk_agents::supervisor::kill_orphans(folder);
        let reader = Arc::new(Mutex::new(opened.journal.reader()?));
        let past = Arc::new(Mutex::new(opened.journal.reader()?));
        let images = Images::new(folder);
        images.sweep(|session| opened.desk.session(session).is_some());
        let (tell, attention) = mpsc::channel(QUEUED_ATTENTION);
        let (inputs, received) = mpsc::channel(QUEUED_INPUTS);
        let limits =
            limits::watch(inputs.downgrade(), Arc::clone(&source)).map_err(|_| EngineError::Closing)?;
        let epoch = Uuid::new_v4().to_string();
        let writer = Writer::new(opened, epoch, Arc::clone(&source), tell, limits, agents.descriptors())?;
        std::thread::Builder::new()
            .name("desk-writer".to_owned())
            .spawn(move || writer.run(received))
            .map_err(|_| EngineError::Closing)?;
        Ok(OpenedEngine { handle: Self { inputs, reader, past, source, images, agents }, attention })
    }

    /// Returns the clock and the source of ids.
    pub fn source(&self) -> &dyn Source {
        &*self.source
    }

    pub(crate) fn shared_source(&self) -> Arc<dyn Source> {
        Arc::clone(&self.source)
    }

    /// Returns the agents that can be started.
    pub const fn agents(&self) -> &Catalog {
        &self.agents
    }

    /// Returns the images of messages.
    pub const fn images(&self) -> &Images {
        &self.images
    }

    /// Forgets the images of a session that go along with no message of it any more.
    pub async fn forget_unused(&self, session: SessionId, images: Vec<ImageId>) -> Result<(), EngineError> {
        let queue = self.session(session).await?.queue;
        let waits = |image: &ImageId| {
            let mut attached = queue.iter().flat_map(|message| &message.attachments);
            attached.any(|attachment| attachment.image() == Some(*image))
        };
        let kept = self.images.clone();
        let unused = images.into_iter().filter(|image| !waits(image)).collect::<Vec<_>>();
        read(&self.past, move |reader| {
            for image in unused {
                if !reader.has_sent(session, image)? {
                    kept.forget_one(session, image);
                }
            }
            Ok(())
        })
        .await
    }

    /// Subscribes: the state of one moment, and every change after it.
    pub async fn subscribe(&self) -> Result<Subscription, EngineError> {
        self.ask_writer(|reply| Input::Subscribe { reply }).await
    }

    /// Registers a request; the waiter hears of its end once, if it is still open.
    pub async fn register(
        &self,
        ask: Ask,
        waiter: oneshot::Sender<Outcome>,
    ) -> Result<RequestId, EngineError> {
        self.ask_writer(|reply| Input::Register { ask, waiter, reply }).await?
    }

    /// Registers a request of a client that visits; the waiter hears of its end, at once where that has come already.
    pub(crate) async fn visit(
        &self,
        ask: Ask,
        again: Option<RequestId>,
        waiter: oneshot::Sender<Outcome>,
    ) -> Result<RequestId, EngineError> {
        self.ask_writer(|reply| Input::Visit { ask, again, waiter, reply }).await?
    }

    /// Finds a request of any age.
    pub async fn request(&self, request: RequestId) -> Result<Request, EngineError> {
        if let Some(known) = self.look(move |desk| desk.request(request).cloned()).await? {
            return Ok(known);
        }
        let kept = read(&self.reader, move |reader| reader.request(request)).await?;
        kept.ok_or_else(|| Rejection::NotFound { what: "request" }.into())
    }

    /// Answers a request; the same answer again is the same result.
    pub async fn answer(
        &self,
        request: RequestId,
        answers: Vec<AnswerInput>,
    ) -> Result<Request, EngineError> {
        let at = self.source.now();
        self.on_request(Command::Request(RequestCommand::Answer { request, answers, at })).await
    }

    /// Holds the one choice of a lone question for a moment, then gives it; until then it can be taken back, and any
    /// other end of the request goes before it. Nothing of it is written down: an engine that ends gives none.
    pub async fn hold_answer(
        &self,
        request: RequestId,
        answers: Vec<AnswerInput>,
        undo: UndoSeconds,
    ) -> Result<(), EngineError> {
        let (told, result) = oneshot::channel();
        let (engine, inputs) = (self.clone(), self.inputs.downgrade());
        // However the caller ends, an answer that is held must come to its time.
        tokio::spawn(async move {
            let hold = HoldAnswer { request, answers, undo };
            let held = engine.ask_writer(|reply| Input::Hold { hold, reply }).await;
            let held = held.and_then(|held| held);
            let due = held.as_ref().ok().cloned().flatten();
            let _ = told.send(held.map(drop));
            let Some(held) = due else { return };
            let source = Arc::clone(&engine.source);
            // Whoever waits for a time keeps no engine open.
            drop(engine);
            source.wait_until(held.until).await;
            if let Some(inputs) = inputs.upgrade() {
                let _ = inputs.send(Input::HeldDue { held }).await;
            }
        });
        result.await.map_err(|_| EngineError::Closing)?
    }

    /// Takes back an answer that is held: the request is open, and nothing was sent.
    pub async fn take_back_answer(&self, request: RequestId) -> Result<(), EngineError> {
        self.ask_writer(|reply| Input::TakeBack { request, reply }).await?
    }

    pub async fn decline(&self, request: RequestId, words: Option<String>) -> Result<Request, EngineError> {
        let at = self.source.now();
        self.on_request(Command::Request(RequestCommand::Decline { request, words, at })).await
    }

    /// Closes a request without an answer.
    pub async fn cancel(&self, request: RequestId, reason: Option<String>) -> Result<Request, EngineError> {
        let at = self.source.now();
        self.on_request(Command::Request(RequestCommand::Cancel { request, reason, at })).await
    }

    /// Gives up a request that was missed or could not be delivered.
    pub async fn dismiss(&self, request: RequestId) -> Result<Request, EngineError> {
        let at = self.source.now();
        self.on_request(Command::Request(RequestCommand::Dismiss { request, at })).await
    }

    /// Finds a session, closed or not.
    pub async fn session(&self, session: SessionId) -> Result<Session, EngineError> {
        let found = self.ask_writer(|reply| Input::Find { session, reply }).await?;
        found.ok_or_else(|| Rejection::NotFound { what: "session" }.into())
    }

    /// Hands an end over once more.
    pub async fn retry(&self, request: RequestId) -> Result<Request, EngineError> {
        self.on_request(Command::Request(RequestCommand::Retry { request })).await
    }

    pub async fn decide_approval(
        &self,
        approval: ApprovalId,
        decision: ApprovalDecision,
    ) -> Result<Approval, EngineError> {
        let at = self.source.now();
        let applied = self.act(Command::Approval(ApprovalCommand::Decide { approval, decision, at })).await?;
        applied.approval.ok_or_else(|| Rejection::NotFound { what: "approval" }.into())
    }

    /// Keeps a draft in the place of the one before; an older save of the same page changes nothing.
    pub async fn save_draft(&self, save: SaveDraft) -> Result<(), EngineError> {
        self.ask_writer(|reply| Input::SaveDraft { save, reply }).await?
    }

    /// Reads all drafts, every save included that was sent before.
    pub async fn drafts(&self) -> Result<Vec<DraftTarget>, EngineError> {
        self.ask_writer(|reply| Input::WriteDrafts { reply }).await?;
        read(&self.reader, Reader::drafts).await
    }

    /// Reads a stretch of a transcript, on a connection of its own.
    pub async fn page(
        &self,
        session: SessionId,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Page, EngineError> {
        let limit = limit.clamp(1, PAGE_ENTRIES);
        read(&self.reader, move |reader| reader.page(session, before, limit)).await
    }

    /// Reads a whole transcript.
    pub async fn whole(&self, session: SessionId) -> Result<Page, EngineError> {
        read(&self.past, move |reader| reader.page(session, None, u32::MAX)).await
    }

    /// Finds entries of all sessions by their words; see [`Reader::search`].
    pub async fn search(&self, text: String, limit: u32, offset: u32) -> Result<Found, EngineError> {
        let now = self.source.now();
        let limit = limit.clamp(1, PAGE_ENTRIES);
        read(&self.past, move |reader| reader.search(&text, limit, offset, now)).await
    }

    /// Reads a stretch of the requests that have ended and fit a filter; see [`Reader::questions`].
    pub async fn questions(
        &self,
        filter: QuestionFilter,
        limit: u32,
        offset: u32,
    ) -> Result<QuestionsFound, EngineError> {
        let limit = limit.clamp(1, PAGE_ENTRIES);
        read(&self.past, move |reader| reader.questions(&filter, limit, offset)).await
    }

    /// Reads all requests that have ended and fit a filter.
    pub async fn all_questions(&self, filter: QuestionFilter) -> Result<QuestionsFound, EngineError> {
        read(&self.past, move |reader| reader.questions(&filter, u32::MAX, 0)).await
    }

    /// Looks at the desk between two inputs.
    pub async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Desk) -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        self.ask_writer(|reply| {
            let look = move |desk: &Desk| drop(reply.send(look(desk)));
            Input::Look { look: Box::new(look) }
        })
        .await
    }

    /// Carries out a command.
    pub async fn act(&self, command: Command) -> Result<Applied, EngineError> {
        self.ask_writer(|reply| Input::Act { command, reply }).await?
    }

    /// Ends the writer once it has done everything it was told before.
    pub async fn close(&self) -> Result<(), EngineError> {
        self.ask_writer(|reply| Input::Close { reply }).await
    }

    pub(crate) async fn start(&self, command: Command) -> Result<Session, EngineError> {
        let session = self.act(command).await?.session;
        session.ok_or_else(|| Rejection::NotFound { what: "session" }.into())
    }

    pub(crate) async fn write(&self, session: SessionId, writes: Vec<EntryWrite>) {
        self.send(Input::Write { session, writes }).await;
    }

    pub(crate) async fn send(&self, input: Input) {
        if self.inputs.send(input).await.is_err() {
            tracing::debug!("the writer has ended");
        }
    }

    async fn on_request(&self, command: Command) -> Result<Request, EngineError> {
        let applied = self.act(command).await?;
        applied.request.ok_or_else(|| Rejection::NotFound { what: "request" }.into())
    }

    async fn ask_writer<T>(&self, input: impl FnOnce(oneshot::Sender<T>) -> Input) -> Result<T, EngineError> {
        let (reply, answer) = oneshot::channel();
        self.inputs.send(input(reply)).await.map_err(|_| EngineError::Closing)?;
        answer.await.map_err(|_| EngineError::Closing)
    }
}

async fn read<T: Send + 'static>(
    reader: &Arc<Mutex<Reader>>,
    read: impl FnOnce(&Reader) -> Result<T, JournalError> + Send + 'static,
) -> Result<T, EngineError> {
    let reader = Arc::clone(reader);
    let read = move || read(&reader.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(tokio::task::spawn_blocking(read).await.map_err(|_| EngineError::Closing)??)
}
