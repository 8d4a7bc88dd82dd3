//! Sessions of the fake agent, and of small shell scripts that misbehave.

use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use askdesk_agents::{LaunchPlan, Start, claude};
use askdesk_domain::{
    AgentFailure, AgentId, AnswerInput, Approval, ApprovalDecision, ApprovalOptionId, Choices, ConfigId,
    Delivery, DeliveryError, LaunchOverrides, Notice, QuestionId, Request, RequestId, Session, SessionEnd,
    SessionId, SessionOptions, SessionState, Settings, ValueId,
};
use askdesk_engine::clock::Clock;
use askdesk_engine::{Beginning, EngineError, SessionCall, Sessions, StartSpec};
use askdesk_engine::{ConfigChange, Message};
use serde_json::Value;
use tokio::sync::watch;

use super::desk::{PATIENCE, STAGED, Staging, TestDesk, poll};
use super::mirror::Mirror;

pub fn fake_agent() -> PathBuf {
    askdesk_testkit::fake_agent::program_or_build().unwrap()
}

/// A desk with sessions on it.
pub struct Stage {
    pub desk: TestDesk,
    pub sessions: Sessions,
    /// The settings that the sessions follow.
    pub settings: watch::Sender<Settings>,
}

/// How a session of the fake agent is started.
pub struct Play<'a> {
    pub scenario: &'a str,
    pub prompt: Option<&'a str>,
    pub pace_percent: u32,
    pub options: SessionOptions,
}

impl<'a> Play<'a> {
    pub fn of(scenario: &'a str) -> Self {
        Self { scenario, prompt: Some("go"), pace_percent: 0, options: SessionOptions::default() }
    }
}

impl Stage {
    pub async fn open() -> Self {
        Self::on(TestDesk::open().await)
    }

    /// Opens the folder of an earlier run.
    pub async fn open_at(folder: &Path) -> Self {
        Self::on(TestDesk::open_at(folder).await)
    }

    /// Plays a scenario until its agent asks.
    pub async fn asking(scenario: &str) -> (Self, SessionId, Request) {
        let mut stage = Self::open().await;
        let session = stage.play(scenario).await;
        let request = stage.asked_one(session).await;
        (stage, session, request)
    }

    /// A session that waits for its first message.
    pub async fn idle() -> (Self, SessionId) {
        let mut stage = Self::open().await;
        let session = stage.start(Play { prompt: None, ..Play::of("technology") }).await;
        stage.until_idle(session).await;
        (stage, session)
    }

    pub fn on(desk: TestDesk) -> Self {
        let (settings, followed) = watch::channel(Settings::default());
        let sessions = Sessions::new(desk.engine.clone(), followed);
        Self { desk, sessions, settings }
    }

    pub async fn play(&self, scenario: &str) -> SessionId {
        self.start(Play::of(scenario)).await
    }

    pub async fn start(&self, play: Play<'_>) -> SessionId {
        let id = self.desk.clock.session_id();
        let staging = self.played(id, play.scenario, play.pace_percent);
        self.start_staged(id, staging, play.prompt, play.options).await;
        id
    }

    pub async fn resume(&self, id: SessionId, scenario: &str) -> Session {
        self.desk.agent.stage(self.played(id, scenario, 0));
        self.sessions.resume(id, &LaunchOverrides::default()).await.unwrap()
    }

    pub fn played(&self, id: SessionId, scenario: &str, pace_percent: u32) -> Staging {
        let args: Vec<OsString> = ["--scenario", scenario].map(OsString::from).to_vec();
        let env = [
            ("ASKDESK_FAKE_RECORD".into(), self.record(id).into_os_string()),
            ("ASKDESK_FAKE_PACE".into(), pace_percent.to_string().into()),
            ("ASKDESK_FAKE_SESSIONS".into(), self.desk.folder.clone().into_os_string()),
        ];
        // Outside the plan, which has a time limit: the program may have to be built.
        let program = fake_agent();
        Box::new(move |start: &Start| {
            let Start { folder, options, open } = start;
            let mut plan = claude::launch(program, folder.clone(), &options.config, open);
            plan.args.extend(args);
            plan.env.extend(env);
            Ok(plan)
        })
    }

    /// The fake agent's file of a session.
    pub fn memory_of_agent(&self, id: SessionId) -> PathBuf {
        let native = self.desk.mirror.sessions[&id].native_session.clone();
        self.desk.folder.join(format!("{}.turns", native.expect("the agent has introduced itself")))
    }

    /// Starts a shell script as the agent; it finds the session's folder as `$0`.
    pub async fn script(&self, script: &str, prompt: Option<&str>) -> SessionId {
        let id = self.desk.clock.session_id();
        self.start_plan(id, Ok(self.script_plan(script)), prompt).await;
        id
    }

    /// Resumes an ended session with a shell script as the agent.
    pub async fn resume_script(&self, id: SessionId, script: &str) -> Session {
        let plan = self.script_plan(script);
        self.desk.agent.stage(Box::new(|_| Ok(plan)));
        self.sessions.resume(id, &LaunchOverrides::default()).await.unwrap()
    }

    pub fn script_plan(&self, script: &str) -> LaunchPlan {
        LaunchPlan {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into(), self.desk.folder.clone().into_os_string()],
            folder: self.desk.folder.clone(),
            env: Vec::new(),
            env_remove: Vec::new(),
        }
    }

    pub async fn start_plan(
        &self,
        id: SessionId,
        plan: Result<LaunchPlan, AgentFailure>,
        prompt: Option<&str>,
    ) -> Session {
        self.start_staged(id, Box::new(|_| plan), prompt, SessionOptions::default()).await
    }

    pub async fn start_staged(
        &self,
        id: SessionId,
        staging: Staging,
        prompt: Option<&str>,
        options: SessionOptions,
    ) -> Session {
        self.start_staged_in(self.desk.folder.clone(), id, staging, prompt, options).await
    }

    pub async fn start_staged_in(
        &self,
        folder: PathBuf,
        id: SessionId,
        staging: Staging,
        prompt: Option<&str>,
        options: SessionOptions,
    ) -> Session {
        self.desk.agent.stage(staging);
        self.start_of(id, STAGED, folder, prompt, options).await
    }

    /// Starts a session of any agent of the desk.
    pub async fn start_of(
        &self,
        id: SessionId,
        agent: AgentId,
        folder: PathBuf,
        prompt: Option<&str>,
        options: SessionOptions,
    ) -> Session {
        let spec = StartSpec {
            agent,
            name: "Demo".to_owned(),
            named_by: askdesk_domain::NamedBy::User,
            folder,
            options,
            prompt: prompt.map(str::to_owned),
            worktree: None,
            make: None,
            beginning: Beginning::Nothing,
        };
        self.sessions.start(id, spec).await.unwrap()
    }

    /// Asks the agent to change a config option.
    pub async fn set(
        &self,
        session: SessionId,
        option: &'static str,
        value: &str,
    ) -> Result<(), EngineError> {
        let change = ConfigChange { option: ConfigId::literal(option), value: ValueId::new(value).unwrap() };
        self.sessions.call(session, SessionCall::SetConfig(change)).await
    }

    pub async fn until_mode(&mut self, session: SessionId, mode: &str) {
        let is = |known: &Mirror| known.sessions.get(&session).is_some_and(|it| mode_of(it) == Some(mode));
        self.desk.until(&format!("the mode {mode:?}"), is).await;
    }

    fn record(&self, id: SessionId) -> PathBuf {
        self.desk.folder.join(format!("record-{id}"))
    }

    /// Waits until a session has so many open requests, and returns them, oldest first.
    pub async fn asked(&mut self, session: SessionId, count: usize) -> Vec<Request> {
        let what = format!("{count} open requests");
        self.desk.until(&what, |known| known.open(session).len() == count).await;
        self.desk.mirror.open(session).into_iter().cloned().collect()
    }

    pub async fn asked_one(&mut self, session: SessionId) -> Request {
        self.asked(session, 1).await.remove(0)
    }

    /// Waits until a session has an open approval, and returns it.
    pub async fn permission(&mut self, session: SessionId) -> Approval {
        self.desk.until("an open approval", |known| known.open_approval(session).is_some()).await;
        self.desk.mirror.open_approval(session).unwrap().clone()
    }

    pub async fn until_delivered(&mut self, id: RequestId) {
        self.until_delivery(id, |delivery| matches!(delivery, Delivery::Delivered { late: false, .. })).await;
    }

    pub async fn until_delivered_late(&mut self, id: RequestId) {
        self.until_delivery(id, |delivery| matches!(delivery, Delivery::Delivered { late: true, .. })).await;
    }

    pub async fn until_undelivered(&mut self, id: RequestId) -> DeliveryError {
        self.until_delivery(id, |delivery| matches!(delivery, Delivery::Failed { .. })).await;
        match self.desk.mirror.delivery(id) {
            Some(Delivery::Failed { error }) => error.clone(),
            other => panic!("{other:?}"),
        }
    }

    pub async fn until_delivery(&mut self, id: RequestId, is: impl Fn(&Delivery) -> bool) {
        let is = |known: &Mirror| known.delivery(id).is_some_and(&is);
        self.desk.until("the delivery", is).await;
    }

    /// Answers the first question of a request by the label of an option.
    pub async fn answer(&self, request: &Request, label: &str) -> Request {
        self.desk.engine.answer(request.id, vec![choose(request, 0, &[label])]).await.unwrap()
    }

    /// Stops a session and waits for its end.
    pub async fn stop(&mut self, session: SessionId) {
        self.sessions.stop(session).await.unwrap();
        assert_eq!(self.until_ended(session).await, SessionEnd::Stopped);
    }

    /// Sends "go on" and waits until the agent has read it. It has then received everything that was sent before.
    pub async fn go_on(&mut self, session: SessionId) {
        let read = || self.messages(session).iter().filter(|text| *text == "go on").count();
        let before = read();
        self.sessions.call(session, SessionCall::message("go on".to_owned())).await.unwrap();
        poll("the agent reads \"go on\"", || read() > before).await;
        self.desk.catch_up();
    }

    /// Sends a message that closes these requests of one session.
    pub async fn reply_in_chat(&self, requests: &[&Request], text: &str) {
        let closes = requests.iter().map(|request| request.id).collect();
        let message = Message { closes, ..text.to_owned().into() };
        self.sessions.call(requests[0].session, SessionCall::message(message)).await.unwrap();
    }

    pub async fn until_said(&mut self, session: SessionId, text: &str) {
        let what = format!("the agent says {text:?}");
        self.desk.until(&what, |known| known.said(session).iter().any(|said| said.contains(text))).await;
    }

    pub async fn until_idle(&mut self, session: SessionId) {
        self.until_state(session, "the turn is over", |state| *state == SessionState::Idle).await;
    }

    /// Waits until the agent has said something and its turn is over.
    pub async fn until_idle_after(&mut self, session: SessionId, text: &str) {
        self.until_said(session, text).await;
        self.until_idle(session).await;
    }

    async fn until_state(&mut self, session: SessionId, what: &str, is: impl Fn(&SessionState) -> bool) {
        self.desk.until(what, |known| known.sessions.get(&session).is_some_and(|it| is(&it.state))).await;
    }

    pub async fn until_ended(&mut self, session: SessionId) -> SessionEnd {
        let ended = |state: &SessionState| matches!(state, SessionState::Ended { .. });
        self.until_state(session, "the session has ended", ended).await;
        match &self.desk.mirror.sessions[&session].state {
            SessionState::Ended { end, .. } => end.clone(),
            other => panic!("{other:?}"),
        }
    }

    /// Every line the agent was sent, in order.
    pub fn sent(&self, session: SessionId) -> Vec<Value> {
        self.recorded(session, "in")
    }

    /// The lines of one direction that are JSON.
    fn recorded(&self, session: SessionId, direction: &str) -> Vec<Value> {
        let record = std::fs::read_to_string(self.record(session)).unwrap_or_default();
        // The agent may be writing the last line.
        let complete = record.rsplit_once('\n').map_or("", |(complete, _)| complete);
        let lines = complete.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let lines = lines.filter(|line| line["dir"] == direction);
        lines.filter_map(|line| serde_json::from_str(line["line"].as_str().unwrap()).ok()).collect()
    }

    /// The text of every message that the agent was sent, in order.
    pub fn messages(&self, session: SessionId) -> Vec<String> {
        let text = |line: &Value| {
            let content = &line["message"]["content"];
            content.as_str().or_else(|| content[0]["text"].as_str()).map(str::to_owned)
        };
        let sent = self.sent(session).into_iter();
        sent.filter(|line| line["type"] == "user").filter_map(|line| text(&line)).collect()
    }

    /// The responses to the agent's own requests, without their envelopes.
    pub fn responses(&self, session: SessionId) -> Vec<Value> {
        let decisions = self.decisions(session).into_iter();
        decisions.map(|line| line["response"]["response"].clone()).collect()
    }

    /// The lines that answer the agent's own requests.
    pub fn decisions(&self, session: SessionId) -> Vec<Value> {
        self.sent(session).into_iter().filter(|line| line["type"] == "control_response").collect()
    }

    /// The questions the agent has asked by control request, in order.
    pub fn asked_by_agent(&self, session: SessionId) -> Vec<Value> {
        let lines = self.recorded(session, "out").into_iter();
        lines.filter(|line| line["type"] == "control_request").collect()
    }

    /// Sends messages to an agent that reads nothing, until its pipe and its queue are full.
    pub async fn fill_pipe(&mut self, session: SessionId) {
        let not_sent = |notice: &&Notice| matches!(notice, Notice::MessageNotSent { .. });
        while !self.desk.mirror.notices(session).iter().any(not_sent) {
            self.sessions.call(session, SessionCall::message("w".repeat(30_000))).await.unwrap();
            self.desk.catch_up();
        }
    }

    /// Retries a delivery until something is true: a queue may still be full for a moment.
    pub async fn retry_until(&mut self, request: &Request, is_true: impl Fn(&Mirror) -> bool) {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        while !is_true(&self.desk.mirror) {
            assert!(tokio::time::Instant::now() < deadline, "the answer does not arrive");
            self.desk.engine.retry(request.id).await.unwrap();
            tokio::time::sleep(Duration::from_millis(50)).await;
            self.desk.catch_up();
        }
    }

    pub fn log(&self, session: SessionId) -> String {
        let lines = self.sessions.log(session).into_iter();
        lines.map(|line| format!("{:?}: {}\n", line.kind, line.text)).collect()
    }
}

/// Starts a real program in a sealed environment; where there is a shell, its process writes its id to the file `pid` in its
/// home.
pub fn seal(plan: &mut LaunchPlan, home: &Path, base_url: &str) {
    if cfg!(unix) {
        let first = ["-c", "echo $$ > \"$0\"; exec \"$@\""].map(Into::into);
        let program = std::mem::replace(&mut plan.program, "/bin/sh".into());
        let pid_and_program = [home.join("pid").into_os_string(), program.into_os_string()];
        plan.args = first.into_iter().chain(pid_and_program).chain(std::mem::take(&mut plan.args)).collect();
    }
    plan.env_remove.extend(std::env::vars_os().map(|(name, _)| name));
    let sealed = askdesk_testkit::clis::sealed_env(home, base_url).into_iter();
    plan.env.extend(sealed.map(|(name, value)| (name.into(), value.into())));
}

/// The decision that chooses these options of an approval.
pub fn decides(options: &[&'static str]) -> ApprovalDecision {
    let options = options.iter().map(|id| ApprovalOptionId::literal(id)).collect();
    ApprovalDecision { options, message: None, plan: None }
}

pub fn denies(message: &str) -> ApprovalDecision {
    ApprovalDecision { message: Some(message.to_owned()), ..decides(&["deny"]) }
}

/// Chosen values of config options.
pub fn choices(of: &[(&'static str, &'static str)]) -> Choices {
    of.iter().map(|(id, value)| (ConfigId::literal(id), ValueId::literal(value))).collect()
}

pub fn in_mode(mode: &'static str) -> SessionOptions {
    SessionOptions { config: choices(&[("mode", mode)]), ..SessionOptions::default() }
}

/// The current permission mode of a session.
pub fn mode_of(session: &Session) -> Option<&str> {
    let mode = session.config.iter().find(|option| option.id.as_str() == "mode")?;
    mode.current.as_ref().map(ValueId::as_str)
}

/// Chooses options of a question by their labels.
pub fn choose(request: &Request, question: usize, labels: &[&str]) -> AnswerInput {
    let asked = &request.questions[question];
    let id = |label: &&str| asked.options.iter().find(|option| option.label == **label).unwrap().id;
    let chosen = labels.iter().map(id).collect();
    AnswerInput { question: QuestionId::at(question), chosen, other: None, note: None }
}

/// Returns whether a process runs; a zombie does not.
pub fn is_alive(pid: impl Display) -> bool {
    !matches!(process_field(pid, 0).as_deref(), None | Some("Z" | "X"))
}

/// Returns the id of the process that started a process.
pub fn parent_of(pid: impl Display) -> String {
    process_field(pid, 1).expect("the process runs")
}

/// Reads a name as the system keeps it: at most 15 characters.
pub fn name_of(pid: impl Display) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/comm")).expect("the process runs").trim().to_owned()
}

/// Reads a field of a process; the first is the one after its name.
fn process_field(pid: impl Display, place: usize) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(place).map(str::to_owned)
}
