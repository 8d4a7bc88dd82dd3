//! Starting sessions, and speaking to those that run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use askdesk_agents::{AgentError, AgentProcess, ClaudeStream, LaunchPlan};
use askdesk_domain::{AgentKind, Command, EntryBody, MessageId, Reject, Session, SessionEnd, SessionId};
use tokio::sync::{mpsc, oneshot};

use super::pending::Pending;
use super::{QUEUED_SESSION_INPUTS, SessionInput, SessionTask};
use crate::handle::EngineHandle;
use crate::log::{LogKind, LogLine, SessionLogs};
use crate::writer::{EngineError, EntryWrite, Input};

/// How long all sessions together may take to end when the app does.
const SHUTDOWN: Duration = Duration::from_secs(3);

/// What a session is started with.
#[derive(Debug)]
pub struct StartSpec {
    /// Which program it runs.
    pub agent: AgentKind,
    /// The name on its tab.
    pub name: String,
    /// The folder it works in.
    pub folder: String,
    /// The first message.
    pub prompt: Option<String>,
    /// How to start the program, or why it cannot be.
    pub plan: Result<LaunchPlan, AgentError>,
}

/// The sessions of this run.
#[derive(Clone)]
pub struct Sessions {
    engine: EngineHandle,
    logs: SessionLogs,
    doors: Arc<Mutex<HashMap<SessionId, mpsc::Sender<SessionInput>>>>,
}

impl Sessions {
    /// Starts with none.
    pub fn new(engine: EngineHandle) -> Self {
        Self { engine, logs: SessionLogs::default(), doors: Arc::default() }
    }

    /// Starts an agent. One that cannot be started leaves an ended session that says why, with the first message kept.
    pub async fn start(&self, id: SessionId, spec: StartSpec) -> Result<Session, EngineError> {
        let at = self.engine.source().now();
        let StartSpec { agent, name, folder, prompt, plan } = spec;
        let session = self.engine.start(Command::StartSession { id, agent, name, folder, at }).await?;
        let spawned = match plan {
            Ok(plan) => AgentProcess::spawn(&plan).map(|(process, lines)| (process, lines, plan.prompt_tool)),
            Err(error) => Err(error),
        };
        let (process, lines, prompt_tool) = match spawned {
            Ok(spawned) => spawned,
            Err(error) => return self.end_unstarted(id, prompt, &error).await,
        };
        let (door, inputs) = mpsc::channel(QUEUED_SESSION_INPUTS);
        self.engine.send(Input::OpenDoor { session: id, door: door.clone() }).await;
        self.doors().insert(id, door);
        let task = SessionTask {
            id,
            engine: self.engine.clone(),
            logs: self.logs.clone(),
            process,
            stream: ClaudeStream::new(prompt_tool),
            pending: Pending::default(),
            in_turn: false,
            interrupted: false,
            live: false,
            unusable: 0,
            count_at: None,
        };
        let running = tokio::spawn(task.run(lines, inputs, prompt));
        let sessions = self.clone();
        tokio::spawn(async move {
            // A panic in one session ends that session and nothing else.
            if let Err(error) = running.await {
                tracing::error!(session = %id, %error, "a session's task failed");
                let why = "The app failed inside this session. Start the session again.".to_owned();
                let at = sessions.engine.source().now();
                let end = SessionEnd::Failed { why };
                let _ = sessions.engine.act(Command::EndSession { session: id, end, at }).await;
            }
            sessions.doors().remove(&id);
        });
        Ok(session)
    }

    /// Sends the person's message; what is open in the session ends as replied in chat.
    pub async fn send_message(&self, session: SessionId, text: String) -> Result<(), EngineError> {
        let (reply, sent) = oneshot::channel();
        self.knock(session, SessionInput::Message { text, reply })?;
        sent.await.map_err(|_| Reject::SessionGone)?
    }

    /// Sends a message that waits, now and into a running turn too.
    pub async fn send_queued(&self, session: SessionId, message: MessageId) -> Result<(), EngineError> {
        let (reply, sent) = oneshot::channel();
        self.knock(session, SessionInput::SendNow { message, reply })?;
        sent.await.map_err(|_| Reject::SessionGone)?
    }

    /// Asks the agent to stop what it does and wait.
    pub fn interrupt(&self, session: SessionId) -> Result<(), EngineError> {
        self.knock(session, SessionInput::Interrupt)
    }

    /// Ends the agent's process and everything it started.
    pub async fn stop(&self, session: SessionId) -> Result<(), EngineError> {
        self.stop_as(session, SessionEnd::Stopped).await
    }

    /// Deletes a session that has ended, for good.
    pub async fn delete(&self, session: SessionId) -> Result<(), EngineError> {
        self.engine.act(Command::DeleteSession { session }).await?;
        self.logs.forget(session);
        Ok(())
    }

    /// Returns the newest lines of a session's log.
    pub fn log(&self, session: SessionId) -> Vec<LogLine> {
        self.logs.of(session)
    }

    /// Ends all sessions, then the writer.
    pub async fn shut_down(&self) {
        let running: Vec<SessionId> = self.doors().keys().copied().collect();
        let stops = running.into_iter().map(|id| self.stop_as(id, SessionEnd::AppQuit));
        if tokio::time::timeout(SHUTDOWN, futures_util::future::join_all(stops)).await.is_err() {
            tracing::warn!("some agents did not end in time");
        }
        let _ = self.engine.close().await;
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
        error: &AgentError,
    ) -> Result<Session, EngineError> {
        let why = error.to_string();
        self.logs.add(id, self.engine.source().now(), LogKind::Note, &why);
        if let Some(text) = prompt {
            self.engine.write(id, vec![EntryWrite::New(EntryBody::Person { text })]).await;
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
