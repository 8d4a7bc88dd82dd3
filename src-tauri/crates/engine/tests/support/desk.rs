//! An engine on a folder of its own, with a subscriber that keeps up.
#![allow(dead_code, reason = "each test crate uses its part of it")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use askdesk_domain::{
    AgentKind, AnswerInput, Ask, Command, IntakeRules, NativeRef, OptionDraft, Outcome, Question,
    QuestionDraft, QuestionId, QuestionKind, Request, RequestId, Session, SessionId, SessionOptions,
    Source as Door, Timestamp, intake,
};
use askdesk_engine::clock::{Manual, Source};
use askdesk_engine::frame::{Frame, Snapshot};
use askdesk_engine::{Attention, EngineError, EngineHandle, OpenedEngine, Subscription};
use tokio::sync::{mpsc, oneshot};

use super::mirror::Mirror;

/// Longer than anything here takes; what is late has hung.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub struct TestDesk {
    pub engine: EngineHandle,
    pub attention: mpsc::Receiver<Attention>,
    pub mirror: Mirror,
    subscription: Subscription,
    pub clock: Arc<Manual>,
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
        // A run begins after the one before, and its ids differ from that one's.
        let clock = Arc::new(Manual::at(later_than(folder)));
        let OpenedEngine { handle, attention } =
            EngineHandle::open(folder, Arc::clone(&clock) as Arc<dyn Source>).unwrap();
        let mut subscription = handle.subscribe().await.unwrap();
        let mirror = Mirror::begin(subscription.take().unwrap());
        Self {
            engine: handle,
            attention,
            mirror,
            subscription,
            clock,
            folder: folder.to_owned(),
            _kept: None,
        }
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
    Command::StartSession {
        id: session(n),
        agent: AgentKind::Demo,
        name: format!("Session {n}"),
        folder: "/work".to_owned(),
        options: SessionOptions::default(),
        at: Timestamp::from_millis(1),
    }
}

/// A single (A, B, C), a multiple (W, X, Y, Z) and a text question.
pub fn questions() -> Vec<Question> {
    let draft = |text: &str, kind, labels: &[&str]| QuestionDraft {
        text: text.to_owned(),
        header: None,
        kind,
        options: labels
            .iter()
            .map(|label| OptionDraft { label: (*label).to_owned(), description: None, preview: None })
            .collect(),
        required: false,
        placeholder: None,
    };
    let drafts = [
        draft("Which store?", QuestionKind::Single, &["A", "B", "C"]),
        draft("Which features?", QuestionKind::Multi, &["W", "X", "Y", "Z"]),
        draft("Which name?", QuestionKind::Text, &[]),
    ];
    intake::accept(&drafts, IntakeRules::FOREIGN).unwrap()
}

/// Request `n` of a session, under a native id and for a client of its own.
pub fn ask(of: u128, n: u128) -> Ask {
    Ask {
        id: request(n),
        session: session(of),
        native_ref: NativeRef::new(format!("call-{n}")).unwrap(),
        source: Door::ClaudeControl,
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

pub fn say(question: usize, words: &str) -> AnswerInput {
    AnswerInput { other: Some(words.to_owned()), ..choose(question, &[]) }
}

/// What a waiter heard, and that it hears nothing more.
pub async fn heard(outcome: oneshot::Receiver<Outcome>) -> Outcome {
    tokio::time::timeout(PATIENCE, outcome).await.expect("the waiter hears of the end").unwrap()
}

pub fn rejected(error: EngineError) -> askdesk_domain::Reject {
    match error {
        EngineError::Reject(reject) => reject,
        other => panic!("{other}"),
    }
}
