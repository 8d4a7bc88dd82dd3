//! A desk that knows the third agent, and what its server plays.

use std::path::PathBuf;
use std::process::Command as Program;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use askdesk_domain::{
    AnswerInput, Approval, ApprovalDecision, ApprovalOptionId, Delivery, EntryBody, QuestionId, Request,
    RequestId, SessionEnd, SessionId, SessionOptions, SessionState, ToolStatus,
};
use askdesk_engine::clock::{Manual, Source};
use askdesk_engine::frame::Frame;
use askdesk_engine::{Attention, Catalog, EngineHandle, OpenedEngine, Sessions, StartSpec, Subscription};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::agent::{THIRD, ThirdAgent};
use crate::support::mirror::Mirror;

/// Longer than anything here takes; what is late has hung.
const PATIENCE: Duration = Duration::from_secs(30);
/// Long enough for something to happen that must not.
pub const QUIET: Duration = Duration::from_millis(250);

/// The built server; a test that runs by itself builds it first.
pub fn server() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        let test = std::env::current_exe().unwrap();
        let target = test.ancestors().nth(3).unwrap();
        let mut cargo = Program::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--package", "askdesk-testkit", "--features", "mock-api"]);
        cargo.args(["--bin", "fake-server", "--target-dir"]).arg(target);
        assert!(cargo.status().unwrap().success(), "the fake server does not build");
    };
    let find = || {
        askdesk_testkit::fake_server::program().unwrap_or_else(|| {
            build();
            askdesk_testkit::fake_server::program().expect("the fake server stands beside the tests")
        })
    };
    PROGRAM.get_or_init(find).clone()
}

/// A desk with sessions of the third agent on it.
pub struct Stage {
    pub engine: EngineHandle,
    pub sessions: Sessions,
    pub mirror: Mirror,
    pub attention: mpsc::Receiver<Attention>,
    subscription: Subscription,
    clock: Arc<Manual>,
    folder: tempfile::TempDir,
}

impl Stage {
    pub async fn open() -> Self {
        Self::of(ThirdAgent::new(server())).await
    }

    pub async fn of(agent: ThirdAgent) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(Manual::at(1_000_000));
        let source = Arc::clone(&clock) as Arc<dyn Source>;
        let agents = Catalog::new(vec![Arc::new(agent)]);
        let OpenedEngine { handle: engine, attention } =
            EngineHandle::open(folder.path(), source, agents).unwrap();
        let mut subscription = engine.subscribe().await.unwrap();
        let Some(first @ Frame::Snapshot(_)) = subscription.take() else { panic!("no snapshot") };
        let (sessions, mirror) = (Sessions::new(engine.clone()), Mirror::begin(first));
        Self { engine, sessions, mirror, attention, subscription, clock, folder }
    }

    pub fn source(&self) -> &dyn Source {
        &*self.clock
    }

    pub fn folder(&self) -> String {
        self.folder.path().display().to_string()
    }

    /// Starts a session whose first turn plays these steps.
    pub async fn play(&self, steps: &[Value]) -> SessionId {
        self.start(Some(plays(steps)), SessionOptions::default()).await
    }

    pub async fn start(&self, prompt: Option<String>, options: SessionOptions) -> SessionId {
        let id = self.clock.session();
        let folder = self.folder.path().to_owned();
        let spec = StartSpec { agent: THIRD, name: "Third".to_owned(), folder, options, prompt };
        self.sessions.start(id, spec).await.unwrap();
        id
    }

    pub async fn send(&self, session: SessionId, steps: &[Value]) {
        self.sessions.send_message(session, plays(steps)).await.unwrap();
    }

    /// Lets the server of a session say something, and returns it.
    pub async fn ask_server(&mut self, session: SessionId, name: &str) -> String {
        let before = self.mirror.said(session).len();
        self.send(session, &[says(name)]).await;
        self.until("the server tells", |known| known.said(session).len() > before).await;
        let told = self.mirror.said(session)[before].to_owned();
        self.until_idle(session).await;
        told
    }

    pub async fn pid(&mut self, session: SessionId) -> u32 {
        self.ask_server(session, "$pid").await.parse().unwrap()
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

    pub async fn until_said(&mut self, session: SessionId, text: &str) {
        let said = |known: &Mirror| known.said(session).iter().any(|said| said.contains(text));
        self.until(&format!("the agent says {text:?}"), said).await;
    }

    pub async fn until_idle(&mut self, session: SessionId) {
        let idle =
            |known: &Mirror| known.sessions.get(&session).is_some_and(|it| it.state == SessionState::Idle);
        self.until("the turn is over", idle).await;
    }

    pub async fn until_turns(&mut self, session: SessionId, count: usize) {
        self.until(&format!("{count} turns"), |known| known.turns(session).len() == count).await;
        self.until_idle(session).await;
    }

    pub async fn until_ended(&mut self, session: SessionId) -> SessionEnd {
        let end = |known: &Mirror| match &known.sessions.get(&session)?.state {
            SessionState::Ended { end, .. } => Some(end.clone()),
            _ => None,
        };
        self.until("the session has ended", |known| end(known).is_some()).await;
        end(&self.mirror).unwrap()
    }

    /// Waits until a session has an open question, and returns it.
    pub async fn asked(&mut self, session: SessionId) -> Request {
        self.until("an open question", |known| known.open(session).len() == 1).await;
        self.mirror.open(session)[0].clone()
    }

    /// Waits until a session has an open approval, and returns it.
    pub async fn permission(&mut self, session: SessionId) -> Approval {
        let open = |known: &Mirror| {
            let mut of_it = known.approvals.values().filter(|approval| approval.session == session);
            of_it.find(|approval| approval.state == askdesk_domain::ApprovalState::Open).cloned()
        };
        self.until("an open approval", |known| open(known).is_some()).await;
        open(&self.mirror).unwrap()
    }

    pub async fn answer(&self, request: &Request, label: &str) {
        self.engine.answer(request.id, vec![chooses(request, label)]).await.unwrap();
    }

    pub async fn decide(&self, approval: &Approval, option: &'static str) {
        let decision = ApprovalDecision::of(ApprovalOptionId::literal(option));
        self.engine.decide_approval(approval.id, decision).await.unwrap();
    }

    pub async fn until_delivered(&mut self, id: RequestId, late: bool) {
        let delivered = |known: &Mirror| {
            let ended = known.requests[&id].ended();
            matches!(ended.and_then(|it| it.delivery.as_ref()), Some(Delivery::Delivered { late: it, .. }) if *it == late)
        };
        self.until("the answer is delivered", delivered).await;
    }

    pub async fn until_status(&mut self, session: SessionId, status: ToolStatus) {
        let is = |known: &Mirror| statuses(known, session).last() == Some(&status);
        self.until(&format!("the tool is {status:?}"), is).await;
    }

    pub fn log(&self, session: SessionId) -> String {
        let lines = self.sessions.log(session).into_iter();
        lines.map(|line| format!("{:?}: {}\n", line.kind, line.text)).collect()
    }

    /// Fails unless what the subscriber has put together is what is true.
    pub async fn check_mirror(&mut self) {
        loop {
            let mut subscription = self.engine.subscribe().await.unwrap();
            let Some(Frame::Snapshot(now)) = subscription.take() else { panic!("no snapshot") };
            self.catch_up();
            if !self.mirror.is_later_than(&now) {
                return self.mirror.check(&now);
            }
        }
    }
}

/// How far the tool calls of a session are, in order.
pub fn statuses(known: &Mirror, session: SessionId) -> Vec<ToolStatus> {
    let status = |body: &EntryBody| match body {
        EntryBody::Tool { status, .. } => Some(*status),
        _ => None,
    };
    known.transcript(session).into_iter().filter_map(status).collect()
}

/// Chooses the option of a lone question by its label.
pub fn chooses(request: &Request, label: &str) -> AnswerInput {
    let option = request.questions[0].options.iter().find(|option| option.label == label).unwrap();
    AnswerInput { question: QuestionId::at(0), chosen: vec![option.id], other: None, note: None }
}

/// A message that makes the server play steps.
pub fn plays(steps: &[Value]) -> String {
    format!("play {}", json!(steps))
}

pub fn says(text: &str) -> Value {
    json!({"notify": "session/message", "params": {"text": text}})
}

/// A question with the options A and B; what was answered is said.
pub fn asks(text: &str) -> [Value; 2] {
    let questions = json!([{"question": text, "options": ["A", "B"]}]);
    [json!({"ask": "session/ask", "params": {"questions": questions}}), says("$answer")]
}

/// A permission for a tool call, with ids that mean nothing to the desk; what was decided is said.
pub fn permits(tool: &str, command: &str) -> [Value; 2] {
    let option = |id: &str, name: &str, kind: &str| json!({"id": id, "name": name, "kind": kind});
    let options = [
        option("0x7f/Yes ✓", "Yes, go ahead", "allow_once"),
        option("opt:{\"always\":1}", "Yes, and never ask again here", "allow_always"),
        option("no", "No", "reject_once"),
        option("NEVER", "No, and never again", "reject_always"),
    ];
    let params = json!({"tool": tool, "title": "Shell", "command": command, "options": options});
    [json!({"ask": "session/permit", "params": params}), says("$answer")]
}

pub fn tool(id: &str, status: &str) -> Value {
    let params = json!({"id": id, "kind": "execute", "title": "Shell", "command": "rm -r notes",
        "status": status, "output": format!("{status}.")});
    json!({"notify": "session/tool", "params": params})
}

/// Says whether a process runs; one that has ended and was not collected by its parent does not.
pub fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').and_then(|(_, fields)| fields.split_whitespace().next());
    !matches!(state, None | Some("Z" | "X"))
}
