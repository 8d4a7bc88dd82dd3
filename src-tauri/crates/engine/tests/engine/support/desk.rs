//! An engine on a folder of its own, with a subscriber that keeps up.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use askdesk_agents::claude::{ClaudeAdapter, ClaudeCode};
use askdesk_agents::{Agent, Catalog, LaunchPlan, LinkPlan, Prepared, Start};
use askdesk_domain::{
    AgentDescriptor, AgentFailure, AgentId, AnswerInput, ApprovalDecision, ApprovalOption, ApprovalOptionId,
    ApprovalOptionKind, Ask, Command, CommandId, Draft, DraftAnswer, DraftTarget, NativeRef, OptionLabel,
    Origin, Outcome, Question, QuestionId, QuestionKind, QuestionLimits, RawOption, RawQuestion, Request,
    RequestId, Session, SessionCommand, SessionId, SessionOptions, Timestamp, question_input,
};
use askdesk_engine::clock::{Clock, ManualClock};
use askdesk_engine::frame::{Frame, Snapshot};
use askdesk_engine::{
    DraftRevision, EngineError, EngineHandle, NotificationEvent, OpenedEngine, SaveDraft, Subscription,
};
use tokio::sync::{mpsc, oneshot};

use super::mirror::Mirror;

/// Longer than anything here takes; what is late has hung.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The id of the agent of these tests.
pub const STAGED: AgentId = AgentId::literal("demo");

/// Says how the process of a session is started.
pub type Staging = Box<dyn FnOnce(&Start) -> Result<LaunchPlan, AgentFailure> + Send>;

/// An agent that speaks Claude Code's stream-json; each test says how its next process is started.
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

    fn prepare(&self, start: &Start) -> Result<Prepared, AgentFailure> {
        let staging = self.next.lock().unwrap().pop_front().expect("the test says how the agent is started");
        let link = LinkPlan::Process(staging(start)?);
        let adapter = ClaudeAdapter::new(self.descriptor.config.clone(), &start.options);
        Ok(Prepared { adapter: Box::new(adapter), link })
    }
}

pub struct TestDesk {
    pub engine: EngineHandle,
    pub notifications: mpsc::Receiver<NotificationEvent>,
    pub mirror: Mirror,
    subscription: Subscription,
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

    async fn open_with(folder: &Path, agents: Catalog) -> Self {
        // A run begins after the one before, and its ids differ from that one's.
        let clock = Arc::new(ManualClock::at(later_than(folder)));
        let OpenedEngine { handle: engine, notifications } =
            EngineHandle::open(folder, Arc::clone(&clock) as Arc<dyn Clock>, agents).unwrap();
        let mut subscription = engine.subscribe().await.unwrap();
        let mirror = Mirror::begin(subscription.take().unwrap());
        let (agent, folder) = (Staged::new(), folder.to_owned());
        Self { engine, notifications, mirror, subscription, clock, agent, folder, _kept: None }
    }

    /// Takes everything that has come.
    pub fn catch_up(&mut self) {
        while let Some(frame) = self.subscription.take() {
            self.mirror.take(&frame);
        }
    }

    /// Takes frames until something is true, and fails when that takes too long.
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

    /// Everything that is true now, as a new subscriber is told.
    pub async fn snapshot(&self) -> Snapshot {
        let mut subscription = self.engine.subscribe().await.unwrap();
        match subscription.take() {
            Some(Frame::Snapshot(snapshot)) => Arc::unwrap_or_clone(snapshot),
            other => panic!("a subscription begins with {other:?}"),
        }
    }

    /// Fails unless what the subscriber has put together is what is true.
    pub async fn check_mirror(&mut self) {
        loop {
            let now = self.snapshot().await;
            self.catch_up();
            // An agent that is at work may have said more since.
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
        let (waiter, outcome) = oneshot::channel();
        (self.engine.register(ask(of, n), waiter).await.unwrap(), outcome)
    }

    /// Saves a draft that begins an answer.
    pub async fn begin(&self, id: RequestId) {
        let revision = DraftRevision { page: CommandId::new(uuid::Uuid::from_u128(1)), n: 1 };
        self.engine.save_draft(SaveDraft { revision, of: half(id) }).await.unwrap();
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

pub fn session(n: u128) -> SessionId {
    SessionId::new(uuid::Uuid::from_u128(n))
}

pub fn request(n: u128) -> RequestId {
    RequestId::new(uuid::Uuid::from_u128(0x100 + n))
}

pub fn start(n: u128) -> Command {
    Command::Session(SessionCommand::Start {
        id: session(n),
        origin: Origin::started(STAGED),
        name: format!("Session {n}"),
        folder: "/work".to_owned(),
        options: SessionOptions::default(),
        config: Vec::new(),
        at: Timestamp::from_millis(1),
    })
}

/// What an approval offers here: to allow it once, or to refuse it.
pub fn approval_options() -> Vec<ApprovalOption> {
    let option = |id, kind| ApprovalOption {
        id: ApprovalOptionId::literal(id),
        kind,
        label: OptionLabel::Plain,
        scope: None,
        combines: false,
    };
    vec![option("allow", ApprovalOptionKind::AllowOnce), option("deny", ApprovalOptionKind::RejectOnce)]
}

pub fn allow() -> ApprovalDecision {
    ApprovalDecision::of(ApprovalOptionId::literal("allow"))
}

/// The decision that refuses it, with words for the agent.
pub fn deny(message: &str) -> ApprovalDecision {
    let message = Some(message.to_owned());
    ApprovalDecision { message, ..ApprovalDecision::of(ApprovalOptionId::literal("deny")) }
}

/// A single (A, B, C), a multiple (W, X, Y, Z) and a text question.
pub fn questions() -> Vec<Question> {
    let draft = |text: &str, kind, labels: &[&str]| RawQuestion {
        text: text.to_owned(),
        header: None,
        kind,
        options: labels
            .iter()
            .map(|label| RawOption { label: (*label).to_owned(), description: None, preview: None })
            .collect(),
        required: false,
        placeholder: None,
    };
    let drafts = [
        draft("Which store?", QuestionKind::Single, &["A", "B", "C"]),
        draft("Which features?", QuestionKind::Multi, &["W", "X", "Y", "Z"]),
        draft("Which name?", QuestionKind::Text, &[]),
    ];
    question_input::accept(&drafts, QuestionLimits::FOREIGN).unwrap()
}

/// Request `n` of a session, under a native id and for a client of its own.
pub fn ask(of: u128, n: u128) -> Ask {
    Ask {
        id: request(n),
        session: session(of),
        native_ref: NativeRef::new(format!("call-{n}")).unwrap(),
        asked_by: Some(format!("client {n}")),
        questions: questions(),
        limit: None,
        at: Timestamp::from_millis(10),
    }
}

pub fn choose(question: usize, chosen: &[usize]) -> AnswerInput {
    let question = QuestionId::at(question);
    let chosen = chosen.iter().map(|place| question.option(*place)).collect();
    AnswerInput { question, chosen, other: None, note: None }
}

/// A draft with the beginning of an answer in the person's own words.
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

pub fn say(question: usize, words: &str) -> AnswerInput {
    AnswerInput { other: Some(words.to_owned()), ..choose(question, &[]) }
}

/// What a waiter heard, and that it hears nothing more.
pub async fn heard(outcome: oneshot::Receiver<Outcome>) -> Outcome {
    tokio::time::timeout(PATIENCE, outcome).await.expect("the waiter hears of the end").unwrap()
}

pub fn rejected(error: EngineError) -> askdesk_domain::Rejection {
    match error {
        EngineError::Reject(reject) => reject,
        other => panic!("{other}"),
    }
}
