//! Starting sessions, and speaking to those that run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use askdesk_agents::{AgentProcess, ClaudeStream, LaunchPlan, Lines};
use askdesk_domain::{
    AgentKind, ChangeRefused, Command, EntryBody, Failure, MessageId, PermissionMode, QuestionPolicy, Reject,
    Session, SessionEnd, SessionId, SessionOptions,
};
use tokio::sync::{mpsc, oneshot};

use super::late::Late;
use super::pending::Pending;
use super::{Change, Message, QUEUED_SESSION_INPUTS, SessionInput, SessionTask};
use crate::handle::EngineHandle;
use crate::log::{LogKind, LogLine, SessionLogs};
use crate::writer::{EngineError, EntryWrite, Input};

/// How long all sessions together may take to end when the app does.
const SHUTDOWN: Duration = Duration::from_secs(3);

/// How long an agent may take to answer a request to change something.
const CHANGE_WAIT: Duration = Duration::from_secs(30);

/// What a session is started with.
#[derive(Debug)]
pub struct StartSpec {
    /// Which program it runs.
    pub agent: AgentKind,
    /// The name on its tab.
    pub name: String,
    /// The folder it works in.
    pub folder: String,
    /// What was chosen for it, to be started with again; the plan carries out what concerns the program.
    pub options: SessionOptions,
    /// The first message.
    pub prompt: Option<String>,
    /// How to start the program, or why it cannot be.
    pub plan: Result<LaunchPlan, Failure>,
}

/// The sessions of this run.
#[derive(Clone)]
pub struct Sessions {
    pub(super) engine: EngineHandle,
    logs: SessionLogs,
    doors: Arc<Mutex<HashMap<SessionId, mpsc::Sender<SessionInput>>>>,
    /// Held while an agent is started again, so that two callers start it once.
    resuming: Arc<tokio::sync::Mutex<()>>,
}

impl Sessions {
    /// Starts with none.
    pub fn new(engine: EngineHandle) -> Self {
        Self { engine, logs: SessionLogs::default(), doors: Arc::default(), resuming: Arc::default() }
    }

    /// Starts an agent. One that cannot be started leaves an ended session that says why, with the first message kept.
    pub async fn start(&self, id: SessionId, spec: StartSpec) -> Result<Session, EngineError> {
        let at = self.engine.source().now();
        let StartSpec { agent, name, folder, options, prompt, plan } = spec;
        let questions = options.questions;
        let start = Command::StartSession { id, agent, name, folder, options, at };
        let session = self.engine.start(start).await?;
        match spawn(plan) {
            Ok(spawned) => self.run(id, spawned, questions, prompt, Late::default()).await,
            Err(error) => return self.end_unstarted(id, prompt, error).await,
        }
        Ok(session)
    }

    /// Starts the agent of an ended session again; one that runs is left as it is.
    pub async fn resume(
        &self,
        id: SessionId,
        plan: Result<LaunchPlan, Failure>,
    ) -> Result<Session, EngineError> {
        let _alone = self.resuming.lock().await;
        if self.engine.session(id).await?.is_running() {
            return self.engine.session(id).await;
        }
        let at = self.engine.source().now();
        let session = self.engine.start(Command::ResumeSession { session: id, at }).await?;
        let questions = session.options.questions;
        match spawn(plan) {
            Ok(spawned) => self.run(id, spawned, questions, None, Late::waiting()).await,
            Err(error) => return self.end_unstarted(id, None, error).await,
        }
        Ok(session)
    }

    /// Stops a session if it runs, and takes it off the sidebar.
    pub async fn close(&self, session: SessionId) -> Result<(), EngineError> {
        if self.engine.session(session).await?.is_running() {
            // One that ends by itself at this moment is stopped too.
            let _ = self.stop(session).await;
        }
        let at = self.engine.source().now();
        self.engine.act(Command::CloseSession { session, at }).await?;
        Ok(())
    }

    async fn run(
        &self,
        id: SessionId,
        (process, lines, prompt_tool): Spawned,
        questions: QuestionPolicy,
        prompt: Option<String>,
        late: Late,
    ) {
        let (door, inputs) = mpsc::channel(QUEUED_SESSION_INPUTS);
        self.engine.send(Input::OpenDoor { session: id, door: door.clone() }).await;
        self.doors().insert(id, door.clone());
        let spoke = late.is_waiting();
        let task = SessionTask {
            id,
            engine: self.engine.clone(),
            logs: self.logs.clone(),
            process,
            stream: ClaudeStream::new(prompt_tool),
            pending: Pending::default(),
            late,
            questions,
            mode: None,
            requests: HashMap::new(),
            changes_asked: 0,
            in_turn: false,
            interrupted: false,
            interrupt_until: None,
            ignored_interrupt: false,
            live: false,
            spoke,
            unusable: 0,
            count_at: None,
        };
        let running = tokio::spawn(task.run(lines, inputs, prompt));
        let sessions = self.clone();
        tokio::spawn(async move {
            // A panic in one session ends that session and nothing else.
            if let Err(error) = running.await {
                tracing::error!(session = %id, %error, "a session's task failed");
                let at = sessions.engine.source().now();
                let end = SessionEnd::Failed { why: Failure::DeskFailed };
                let _ = sessions.engine.act(Command::EndSession { session: id, end, at }).await;
            }
            // The agent may have been started again meanwhile, behind another door.
            let mut doors = sessions.doors();
            if doors.get(&id).is_some_and(|known| known.same_channel(&door)) {
                doors.remove(&id);
            }
        });
    }

    /// Sends the person's message; what is open in the session ends as replied in chat.
    pub async fn send_message(
        &self,
        session: SessionId,
        message: impl Into<Message>,
    ) -> Result<(), EngineError> {
        let (reply, sent) = oneshot::channel();
        self.knock(session, SessionInput::Message { message: message.into(), reply })?;
        sent.await.map_err(|_| Reject::SessionGone)?
    }

    /// Sends a message that waits, now and into a running turn too.
    pub async fn send_queued(&self, session: SessionId, message: MessageId) -> Result<(), EngineError> {
        let (reply, sent) = oneshot::channel();
        self.knock(session, SessionInput::SendNow { message, reply })?;
        sent.await.map_err(|_| Reject::SessionGone)?
    }

    /// Asks the agent for another permission mode; its refusal comes back in its own words, and what it takes on is
    /// told by the session's mode.
    pub async fn set_mode(&self, session: SessionId, mode: PermissionMode) -> Result<(), EngineError> {
        self.change(session, Change::Mode(mode)).await
    }

    /// Asks the agent for another model; its refusal comes back in its own words. A name that no model has is taken, and
    /// fails in the next turn.
    pub async fn set_model(&self, session: SessionId, model: String) -> Result<(), EngineError> {
        self.change(session, Change::Model(model)).await
    }

    async fn change(&self, session: SessionId, change: Change) -> Result<(), EngineError> {
        let (reply, changed) = oneshot::channel();
        self.knock(session, SessionInput::Change { change, reply })?;
        match tokio::time::timeout(CHANGE_WAIT, changed).await {
            Ok(Ok(changed)) => changed,
            Ok(Err(_)) => Err(Reject::SessionGone.into()),
            Err(_) => {
                let why = ChangeRefused::Unanswered { seconds: CHANGE_WAIT.as_secs() };
                Err(Reject::AgentRefused { why }.into())
            }
        }
    }

    /// Asks the agent to stop what it does and wait; if it does not stop, it is ended with everything it started.
    pub fn interrupt(&self, session: SessionId) -> Result<(), EngineError> {
        self.knock(session, SessionInput::Interrupt)
    }

    /// Ends the agent's process and everything it started.
    pub async fn stop(&self, session: SessionId) -> Result<(), EngineError> {
        self.stop_as(session, SessionEnd::Stopped).await
    }

    /// Deletes a session that has ended, for good.
    pub async fn delete(&self, session: SessionId) -> Result<(), EngineError> {
        let images = self.engine.images().clone();
        // The deletion of one that runs is refused, and its images are needed.
        if !self.engine.session(session).await?.is_running() {
            images.put_aside(session);
        }
        if let Err(error) = self.engine.act(Command::DeleteSession { session }).await {
            images.put_back(session);
            return Err(error);
        }
        self.logs.forget(session);
        let _ = tokio::task::spawn_blocking(move || images.forget(session)).await;
        Ok(())
    }

    /// Returns the newest lines of a session's log.
    pub fn log(&self, session: SessionId) -> Vec<LogLine> {
        self.logs.of(session)
    }

    /// Ends all sessions, then the writer.
    pub async fn shut_down(&self) {
        self.end_all().await;
        let _ = self.engine.close().await;
    }

    /// Ends all sessions at the end of the app.
    pub async fn end_all(&self) {
        let running: Vec<SessionId> = self.doors().keys().copied().collect();
        let stops = running.into_iter().map(|id| self.stop_as(id, SessionEnd::AppQuit));
        if tokio::time::timeout(SHUTDOWN, futures_util::future::join_all(stops)).await.is_err() {
            tracing::warn!("some agents did not end in time");
        }
    }

    async fn stop_as(&self, session: SessionId, end: SessionEnd) -> Result<(), EngineError> {
        let (reply, stopped) = oneshot::channel();
        self.knock(session, SessionInput::Stop { end, reply })?;
        stopped.await.map_err(|_| Reject::SessionGone.into())
    }

    async fn end_unstarted(
        &self,
        id: SessionId,
        prompt: Option<String>,
        why: Failure,
    ) -> Result<Session, EngineError> {
        self.logs.add(id, self.engine.source().now(), LogKind::Note, &why.to_string());
        if let Some(text) = prompt {
            self.engine
                .write(id, vec![EntryWrite::New(EntryBody::Person { text, attachments: Vec::new() })])
                .await;
        }
        let at = self.engine.source().now();
        self.engine.start(Command::EndSession { session: id, end: SessionEnd::Failed { why }, at }).await
    }

    fn knock(&self, session: SessionId, input: SessionInput) -> Result<(), EngineError> {
        let doors = self.doors();
        let door = doors.get(&session).ok_or(Reject::SessionGone)?;
        door.try_send(input).map_err(|_| Reject::SessionGone.into())
    }

    fn doors(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, mpsc::Sender<SessionInput>>> {
        self.doors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A process with its output, and whether it was told to ask by control request.
type Spawned = (AgentProcess, Lines, bool);

fn spawn(plan: Result<LaunchPlan, Failure>) -> Result<Spawned, Failure> {
    let plan = plan?;
    let (process, lines) = AgentProcess::spawn(&plan)?;
    Ok((process, lines, plan.prompt_tool))
}
