//! Starting sessions, and speaking to those that run.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use askdesk_agents::{Adapter, Agent, Link, LinkEvents, Links, Open, Prepared, Start};
use askdesk_domain::{
    AgentFailure, AgentId, ChangeRefused, Command, ConfigOption, EntryBody, LaunchOverrides, MessageId,
    Origin, QuestionPolicy, Rejection, Session, SessionCommand, SessionEnd, SessionId, SessionOptions,
    config,
};
use tokio::sync::{mpsc, oneshot};

use super::late::Late;
use super::pending::Pending;
use super::permissions::Permissions;
use super::{Change, Message, QUEUED_SESSION_INPUTS, SessionInput, SessionTask};
use crate::handle::EngineHandle;
use crate::log::{LogKind, LogLine, SessionLogs};
use crate::writer::{EngineError, EntryWrite, Input};

/// How long all sessions together may take to end when the app does.
const SHUTDOWN: Duration = Duration::from_secs(3);

/// How long an agent may take to answer a request to change something.
const CHANGE_WAIT: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct StartSpec {
    pub agent: AgentId,
    pub name: String,
    pub folder: PathBuf,
    /// What was chosen for it. It is kept without its secrets, to be started with again.
    pub options: SessionOptions,
    /// The first message.
    pub prompt: Option<String>,
}

#[derive(Clone)]
pub struct Sessions {
    pub(super) engine: EngineHandle,
    logs: SessionLogs,
    links: Links,
    doors: Arc<Mutex<HashMap<SessionId, mpsc::Sender<SessionInput>>>>,
    /// Held while an agent is started again, so that two callers start it once.
    resuming: Arc<tokio::sync::Mutex<()>>,
}

impl Sessions {
    /// Starts with none.
    pub fn new(engine: EngineHandle) -> Self {
        Self {
            engine,
            logs: SessionLogs::default(),
            links: Links::default(),
            doors: Arc::default(),
            resuming: Arc::default(),
        }
    }

    /// Starts an agent. One that cannot be started leaves an ended session that says why, with the first message kept.
    pub async fn start(&self, id: SessionId, spec: StartSpec) -> Result<Session, EngineError> {
        let at = self.engine.source().now();
        let StartSpec { agent, name, folder, options, prompt } = spec;
        let known = self.agent(&agent)?;
        let kept = SessionOptions { extras: options.extras.clone().without_secrets(), ..options.clone() };
        let start = Command::Session(SessionCommand::Start {
            id,
            origin: Origin::started(agent),
            name,
            folder: folder.display().to_string(),
            options: kept,
            config: config::with_choices(&known.descriptor().config, &options.config),
            at,
        });
        let session = self.engine.start(start).await?;
        let questions = options.questions;
        match Box::pin(self.open(&*known, Start { folder, options, resume: None })).await {
            Ok(opened) => self.run(id, opened, questions, prompt, Late::default()).await,
            Err(error) => return self.end_unstarted(id, prompt, error).await,
        }
        Ok(session)
    }

    /// Starts the agent of an ended session again, with the extras that are set now for what was kept without its secrets;
    /// one that runs is left as it is.
    pub async fn resume(&self, id: SessionId, set: &LaunchOverrides) -> Result<Session, EngineError> {
        let _alone = self.resuming.lock().await;
        if self.engine.session(id).await?.is_running() {
            return self.engine.session(id).await;
        }
        let ended = self.engine.session(id).await?;
        let agent = ended.origin.agent().ok_or(Rejection::SessionGone)?;
        let known = self.agent(agent)?;
        let at = self.engine.source().now();
        let session = self.engine.start(Command::Session(SessionCommand::Resume { session: id, at })).await?;
        let questions = session.options.questions;
        match Box::pin(self.open(&*known, start_again(&ended, set, &known.descriptor().config))).await {
            Ok(opened) => self.run(id, opened, questions, None, Late::waiting()).await,
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
        self.engine.act(Command::Session(SessionCommand::Close { session, at })).await?;
        Ok(())
    }

    async fn run(
        &self,
        id: SessionId,
        Opened { open, adapter, link, events }: Opened,
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
            link,
            adapter,
            pending: Pending::default(),
            late,
            questions,
            planning: false,
            permissions: Permissions::default(),
            changes: HashMap::new(),
            changes_asked: 0,
            in_turn: false,
            stopping: false,
            interrupted: false,
            interrupt_until: None,
            ignored_interrupt: false,
            live: false,
            spoke,
            unusable: 0,
            count_at: None,
        };
        let running = tokio::spawn(task.run(open, events, inputs, prompt));
        let sessions = self.clone();
        tokio::spawn(async move {
            // A panic in one session ends that session and nothing else.
            if let Err(error) = running.await {
                tracing::error!(session = %id, %error, "a session's task failed");
                let at = sessions.engine.source().now();
                let end = SessionEnd::Failed { why: AgentFailure::DeskFailed };
                let _ =
                    sessions.engine.act(Command::Session(SessionCommand::End { session: id, end, at })).await;
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
        sent.await.map_err(|_| Rejection::SessionGone)?
    }

    /// Sends a message that waits, now and into a running turn too.
    pub async fn send_queued(&self, session: SessionId, message: MessageId) -> Result<(), EngineError> {
        let (reply, sent) = oneshot::channel();
        self.knock(session, SessionInput::SendNow { message, reply })?;
        sent.await.map_err(|_| Rejection::SessionGone)?
    }

    /// Asks the agent for another value of a config option. Its refusal comes back in its own words, and what it takes on is
    /// told by the session's config.
    pub async fn set_config(&self, session: SessionId, change: Change) -> Result<(), EngineError> {
        let (reply, changed) = oneshot::channel();
        self.knock(session, SessionInput::Change { change, reply })?;
        match tokio::time::timeout(CHANGE_WAIT, changed).await {
            Ok(Ok(changed)) => changed,
            Ok(Err(_)) => Err(Rejection::SessionGone.into()),
            Err(_) => {
                let why = ChangeRefused::Unanswered { seconds: CHANGE_WAIT.as_secs() };
                Err(Rejection::AgentRefused { why }.into())
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
        if let Err(error) = self.engine.act(Command::Session(SessionCommand::Delete { session })).await {
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
        self.links.shut_down(Duration::ZERO).await;
    }

    async fn stop_as(&self, session: SessionId, end: SessionEnd) -> Result<(), EngineError> {
        let (reply, stopped) = oneshot::channel();
        self.knock(session, SessionInput::Stop { end, reply })?;
        stopped.await.map_err(|_| Rejection::SessionGone.into())
    }

    fn agent(&self, id: &AgentId) -> Result<Arc<dyn Agent>, EngineError> {
        self.engine.agents().get(id).cloned().ok_or_else(|| Rejection::NotFound { what: "agent" }.into())
    }

    /// Plans a session and opens its link.
    async fn open(&self, agent: &dyn Agent, start: Start) -> Result<Opened, AgentFailure> {
        let open = match &start.resume {
            Some(native_session) => Open::Resume { native_session: native_session.clone() },
            None => Open::New,
        };
        let Prepared { adapter, link } = agent.prepare(&start)?;
        let (link, events) = self.links.open(link).await?;
        Ok(Opened { open, adapter, link, events })
    }

    async fn end_unstarted(
        &self,
        id: SessionId,
        prompt: Option<String>,
        why: AgentFailure,
    ) -> Result<Session, EngineError> {
        self.logs.add(id, self.engine.source().now(), LogKind::Note, &why.to_string());
        if let Some(text) = prompt {
            self.engine
                .write(id, vec![EntryWrite::New(EntryBody::Person { text, attachments: Vec::new() })])
                .await;
        }
        let at = self.engine.source().now();
        self.engine
            .start(Command::Session(SessionCommand::End { session: id, end: SessionEnd::Failed { why }, at }))
            .await
    }

    fn knock(&self, session: SessionId, input: SessionInput) -> Result<(), EngineError> {
        let doors = self.doors();
        let door = doors.get(&session).ok_or(Rejection::SessionGone)?;
        door.try_send(input).map_err(|_| Rejection::SessionGone.into())
    }

    fn doors(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, mpsc::Sender<SessionInput>>> {
        self.doors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session whose link is open.
struct Opened {
    open: Open,
    adapter: Box<dyn Adapter>,
    link: Link,
    events: LinkEvents,
}

/// Says how an ended session is started again: with what it was started with, in the mode it was in last.
fn start_again(ended: &Session, set: &LaunchOverrides, described: &[ConfigOption]) -> Start {
    let options = SessionOptions {
        config: config::choices_to_resume(&ended.options.config, &ended.config, described),
        extras: ended.options.extras.clone().with_secrets_of(set),
        ..ended.options.clone()
    };
    Start { folder: PathBuf::from(&ended.folder), options, resume: ended.native_session.clone() }
}
