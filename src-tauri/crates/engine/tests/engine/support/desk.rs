//! An engine on a folder of its own, with a subscriber that keeps up.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use askdesk_agents::claude::{ClaudeAdapter, ClaudeCode};
use askdesk_agents::{Agent, Catalog, LaunchPlan, LinkPlan, SessionPlan, Start};
use askdesk_contract::frame::{Frame, Snapshot, StorageNotice};
use askdesk_desk::News;
use askdesk_domain::{
    AgentDescriptor, AgentFailure, AgentId, ApprovalDecision, ApprovalOptionId, Ask, Attachment, Command,
    CommandId, Desk, Draft, DraftAnswer, DraftTarget, MessageId, Outcome, Question, QuestionId, QuestionKind,
    QueueCommand, Request, RequestCommand, RequestId, Session, SessionId, Timestamp,
};
use askdesk_engine::clock::{Clock, ManualClock};
use askdesk_engine::{DraftRevision, EngineError, EngineHandle, Journal, Subscription};
use tokio::sync::oneshot;

pub use super::desks::{
    answer, approval, ask_approval, asks, decide_approval, end, introduce, new_ask, new_ask_approval,
    request, session, start, take, withdraw,
};
use super::mirror::Mirror;
use super::questions;
pub use super::questions::{choose, say};

/// Longer than anything here takes.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The id of the agent of these tests.
pub const STAGED: AgentId = AgentId::literal("demo");

/// Makes the launch plan of a session.
pub type Staging = Box<dyn FnOnce(&Start) -> Result<LaunchPlan, AgentFailure> + Send>;

/// An agent that speaks Claude Code's stream-json; each test stages how its next process is started.
#[derive(Clone)]
pub struct Staged {
    descriptor: AgentDescriptor,
    next: Arc<Mutex<VecDeque<Staging>>>,
}

impl Staged {
    fn new() -> Self {
        let descriptor = AgentDescriptor {
            id: STAGED,
            name: "Demo".to_owned(),
            ..ClaudeCode::default().descriptor().clone()
        };
        Self { descriptor, next: Arc::default() }
    }

    /// Starts the next session in this way.
    pub fn stage(&self, staging: Staging) {
        self.next.lock().unwrap().push_back(staging);
    }
}

impl std::fmt::Debug for Staged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Staged").finish_non_exhaustive()
    }
}

impl Agent for Staged {
    fn descriptor(&self) -> &AgentDescriptor {
        &self.descriptor
    }

    fn find(&self, _: Option<&Path>) -> Result<Option<PathBuf>, AgentFailure> {
        Ok(None)
    }

    fn prepare(&self, start: &Start) -> Result<SessionPlan, AgentFailure> {
        let staging = self.next.lock().unwrap().pop_front().expect("a staged start");
        let link = LinkPlan::Process(staging(start)?);
        let adapter = ClaudeAdapter::new(self.descriptor.config.clone(), &start.options);
        Ok(SessionPlan { adapter: Box::new(adapter), link, sign_in: None })
    }
}

pub struct TestDesk {
    pub engine: EngineHandle,
    pub mirror: Mirror,
    subscription: Subscription,
    /// What a person's desk takes from the frames.
    person: (Subscription, askdesk_desk::Mirror),
    pub clock: Arc<ManualClock>,
    pub agent: Staged,
    pub folder: PathBuf,
    _kept: Option<tempfile::TempDir>,
}

impl TestDesk {
    pub async fn open() -> Self {
        let kept = tempfile::tempdir().unwrap();
        let folder = kept.path().to_owned();
        Self { _kept: Some(kept), ..Self::open_at(&folder).await }
    }

    /// Opens a desk with session 1.
    pub async fn started() -> Self {
        let desk = Self::open().await;
        desk.start(1).await;
        desk
    }

    /// Closes the engine, and opens its folder again.
    pub async fn reopened(self) -> Self {
        self.engine.close().await.unwrap();
        Self { _kept: self._kept, ..Self::open_at(&self.folder).await }
    }

    pub async fn open_at(folder: &Path) -> Self {
        let agent = Staged::new();
        let agents = Catalog::new(vec![Arc::new(agent.clone())]);
        Self { agent, ..Self::open_with(folder, agents).await }
    }

    /// Opens a desk on a folder of its own, with other agents than the staged one.
    pub async fn open_alone_with(agents: Catalog) -> Self {
        let kept = tempfile::tempdir().unwrap();
        let folder = kept.path().to_owned();
        Self { _kept: Some(kept), ..Self::open_with(&folder, agents).await }
    }

    /// Opens the folder of an earlier run with other agents than the staged one.
    pub async fn open_with(folder: &Path, agents: Catalog) -> Self {
        // Each run starts later than the one before, so its ids differ.
        let clock = Arc::new(ManualClock::at(later_than(folder)));
        let engine = EngineHandle::open(folder, Arc::clone(&clock) as Arc<dyn Clock>, agents).unwrap();
        let mut subscription = engine.subscribe().await.unwrap();
        let mirror = Mirror::begin(subscription.take().unwrap());
        let (agent, folder) = (Staged::new(), folder.to_owned());
        let person = (engine.subscribe().await.unwrap(), askdesk_desk::Mirror::default());
        Self { engine, mirror, subscription, person, clock, agent, folder, _kept: None }
    }

    /// Takes all frames that have come.
    pub fn catch_up(&mut self) {
        while let Some(frame) = self.subscription.take() {
            self.mirror.take(&frame);
        }
    }

    /// Applies frames until something is true; fails after [`PATIENCE`].
    pub async fn until(&mut self, what: &str, mut is_true: impl FnMut(&Mirror) -> bool) {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        while !is_true(&self.mirror) {
            match tokio::time::timeout_at(deadline, self.subscription.next()).await {
                Ok(Some(frame)) => self.mirror.take(&frame),
                Ok(None) => panic!("the engine ended before {what}"),
                Err(_) => panic!("not in time: {what}; known: {:#?}", self.mirror),
            }
        }
    }

    /// Waits until the engine waits for exactly this time, and so has done everything that was due before.
    pub async fn until_awaited(&self, at: Timestamp) {
        let awaited = tokio::time::timeout(PATIENCE, self.clock.until_awaited(at));
        awaited.await.expect("the engine waits for this time");
    }

    /// The snapshot that a new subscriber gets now.
    pub async fn snapshot(&self) -> Snapshot {
        let mut subscription = self.engine.subscribe().await.unwrap();
        match subscription.take() {
            Some(Frame::Snapshot(snapshot)) => Arc::unwrap_or_clone(snapshot),
            other => panic!("a subscription begins with {other:?}"),
        }
    }

    /// Fails unless the mirror equals a new snapshot.
    pub async fn check_mirror(&mut self) {
        loop {
            let now = self.snapshot().await;
            self.catch_up();
            // An agent at work may have written more since.
            if !self.mirror.is_later_than(&now) {
                return self.mirror.check(&now);
            }
        }
    }

    pub async fn start(&self, n: u128) -> Session {
        self.engine.act(start(n)).await.unwrap().session.unwrap()
    }

    /// Registers request `n` of a session, and returns it with its waiter.
    pub async fn ask(&self, of: u128, n: u128) -> (RequestId, oneshot::Receiver<Outcome>) {
        self.register(ask(of, n)).await
    }

    pub async fn register(&self, ask: Ask) -> (RequestId, oneshot::Receiver<Outcome>) {
        let (waiter, outcome) = oneshot::channel();
        (self.engine.register(RequestCommand::Ask(ask), waiter).await.unwrap(), outcome)
    }

    /// Saves a draft that begins an answer.
    pub async fn begin(&self, id: RequestId) {
        let revision = DraftRevision { page: CommandId::new(uuid::Uuid::from_u128(1)), n: 1 };
        self.engine.save_draft(revision, half(id)).await.unwrap();
    }

    pub async fn queue(&self, session: SessionId, text: &str, attachments: Vec<Attachment>) -> MessageId {
        let (id, text) = (self.clock.message_id(), text.to_owned());
        self.engine.act(QueueCommand::Add { session, id, text, attachments }).await.unwrap();
        id
    }

    /// Takes the news of all frames that have come.
    pub fn news(&mut self) -> Vec<News> {
        let (frames, mirror) = &mut self.person;
        std::iter::from_fn(|| frames.take()).flat_map(|frame| mirror.fold(&frame)).collect()
    }

    /// Fails unless there was one notification, and it was withdrawn.
    #[track_caller]
    pub fn check_notified_and_withdrawn(&mut self, id: RequestId) {
        assert_eq!(self.news(), [News::Asked(id), News::Ended(id)]);
    }

    pub async fn request(&self, id: RequestId) -> Request {
        self.snapshot().await.requests.into_iter().find(|request| request.id == id).unwrap()
    }
}

fn later_than(folder: &Path) -> i64 {
    let runs = folder.join("runs");
    let earlier = std::fs::read(&runs).map(|bytes| bytes.len()).unwrap_or_default();
    std::fs::write(&runs, vec![b'.'; earlier + 1]).unwrap();
    1_000_000 * (earlier as i64 + 1)
}

/// Commits what commands do, and returns the desk they lead to.
pub fn commit(journal: &mut Journal, commands: &[Command]) -> Desk {
    let mut desk = Desk::default();
    for command in commands {
        let events = take(&mut desk, command).unwrap().events;
        journal.commit(&events, &[], Timestamp::from_millis(9)).unwrap();
    }
    desk
}

/// Copies what is on disk now, as a crash would leave it.
pub fn copy_of(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for name in ["desk.db", "desk.db-wal", "runs"] {
        if folder.join(name).exists() {
            std::fs::copy(folder.join(name), copy.path().join(name)).unwrap();
        }
    }
    copy
}

/// Locks the database against the engine until it is dropped.
pub fn locked(folder: &Path) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(folder.join("desk.db")).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    connection
}

/// Lets the database refuse one kind of events or entries until it is dropped.
pub struct Refusal(rusqlite::Connection);

impl Refusal {
    pub fn of_event(folder: &Path, event: &str) -> Self {
        Self::of(folder, "events", &format!("'$.event' = '{event}'"))
    }

    pub fn of_entry(folder: &Path, kind: &str) -> Self {
        Self::of(folder, "entries", &format!("'$.kind' = '{kind}'"))
    }

    fn of(folder: &Path, table: &str, kind: &str) -> Self {
        let connection = rusqlite::Connection::open(folder.join("desk.db")).unwrap();
        let refuse = format!(
            "CREATE TRIGGER refusal BEFORE INSERT ON {table} WHEN new.body ->> {kind}
             BEGIN SELECT RAISE(FAIL, 'refused'); END"
        );
        connection.execute_batch(&refuse).unwrap();
        Self(connection)
    }
}

impl Drop for Refusal {
    fn drop(&mut self) {
        // The engine may be trying at this moment.
        self.0.busy_timeout(PATIENCE).unwrap();
        self.0.execute_batch("DROP TRIGGER refusal").unwrap();
    }
}

/// Runs an engine on a folder with a damaged database until it has found that.
pub async fn find_damage(folder: &Path) {
    let mut desk = TestDesk::open_at(folder).await;
    let is_found = |known: &Mirror| matches!(&known.storage[..], [StorageNotice::Damaged { .. }]);
    desk.until("the damage is found", is_found).await;
    desk.engine.close().await.unwrap();
}

/// Counts a lower-case word in the files of a folder, in any case.
pub fn count_in_files(folder: &Path, word: &str) -> usize {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let count = |path| {
        let bytes = std::fs::read(path).unwrap().to_ascii_lowercase();
        bytes.windows(word.len()).filter(|part| *part == word.as_bytes()).count()
    };
    files.filter(|path| path.is_file()).map(count).sum()
}

/// Polls until something is true.
pub async fn poll(what: &str, mut is_true: impl FnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while !is_true() {
        assert!(tokio::time::Instant::now() < deadline, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

pub fn allow() -> ApprovalDecision {
    ApprovalDecision::of(ApprovalOptionId::literal("allow"))
}

/// A single (A, B, C), a multiple (W, X, Y, Z) and a text question.
pub fn questions() -> Vec<Question> {
    questions::asked(&[
        questions::single("Which store?", &["A", "B", "C"]),
        questions::multi("Which features?", &["W", "X", "Y", "Z"]),
        questions::draft(QuestionKind::Text, "Which name?", &[]),
    ])
}

/// Request `n` of a session with these questions.
pub fn ask(of: u128, n: u128) -> Ask {
    new_ask(of, n, questions())
}

pub fn half(id: RequestId) -> DraftTarget {
    let answer = DraftAnswer {
        question: QuestionId::at(0),
        chosen: Vec::new(),
        other_chosen: true,
        other: "half a thought".to_owned(),
        note: String::new(),
    };
    DraftTarget::Request { id, draft: Draft { answers: vec![answer], ..Draft::default() } }
}

/// Waits for the outcome that a waiter receives.
pub async fn heard(outcome: oneshot::Receiver<Outcome>) -> Outcome {
    tokio::time::timeout(PATIENCE, outcome).await.expect("an outcome in time").unwrap()
}

pub fn rejected(error: EngineError) -> askdesk_domain::Rejection {
    match error {
        EngineError::Reject(reject) => reject,
        other => panic!("{other}"),
    }
}
