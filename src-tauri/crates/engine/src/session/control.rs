//! Starts sessions and controls them: messages, interrupts, config changes, closing and deletion.

mod beginning;
pub mod fork;
mod leaving;
mod own_sessions;
mod retention;
mod setup;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use askdesk_agents::{Agent, LaunchPlan, Links, Open, Start};
use askdesk_contract::{HelperOutput, LogLine};
use askdesk_domain::{
    AgentCommand, AgentFailure, AgentId, ChangeRefused, ConfigOption, EntryBody, HelperId, LaunchOverrides,
    NamedBy, NativeSession, Origin, ProgramError, Rejection, Session, SessionCommand, SessionEnd, SessionId,
    SessionOptions, Settings, Worktree, config, name_of_message,
};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout, timeout_at};

use crate::error::EngineError;
use crate::handle::EngineHandle;
use crate::helper_outputs::HelperOutputs;
use crate::mailbox::{EntryWrite, Reply, SessionCall, SessionInput};
use crate::session_commands::SessionCommands;
use crate::session_log::SessionLogs;
use crate::slow_files::{FILES_LIMIT, on_slow_files};
use beginning::Run;
use leaving::{Leaving, ResolvedFolder};

pub use beginning::WorktreeToMake;
pub use leaving::FolderLeaving;
pub use own_sessions::NotListed;

/// How long everything together may take to end when the app quits.
pub const QUIT_LIMIT: Duration = Duration::from_secs(3);
/// How much of that is left for the writer.
const WRITER_LIMIT: Duration = Duration::from_millis(300);

/// How long an agent may take to answer a request to change something.
const CHANGE_WAIT: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct StartSpec {
    pub agent: AgentId,
    pub name: String,
    pub named_by: NamedBy,
    pub folder: PathBuf,
    /// The chosen options. They are stored without secrets, for the next start.
    pub options: SessionOptions,
    /// The first message to the agent.
    pub prompt: Option<String>,
    /// The git worktree of its own that it works in.
    pub worktree: Option<Box<Worktree>>,
    /// How that is made; none if it is there already.
    pub make: Option<WorktreeToMake>,
    pub beginning: Beginning,
}

/// What a session begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beginning {
    Nothing,
    /// It continues a session of the agent's that was begun elsewhere.
    Elsewhere {
        native_session: NativeSession,
    },
    /// It continues a copy of another session.
    Fork {
        open: Open,
        /// What its transcript begins with.
        entries: Vec<EntryBody>,
    },
}

#[derive(Clone)]
pub struct Sessions {
    engine: EngineHandle,
    logs: SessionLogs,
    commands: SessionCommands,
    helper_outputs: HelperOutputs,
    links: Links,
    running: Arc<Mutex<HashMap<SessionId, Running>>>,
    /// The settings with the user's permission rules.
    settings: watch::Receiver<Settings>,
    /// Each locked while the agent of its session is resumed, so that two callers start it once.
    resuming: Arc<Mutex<HashMap<SessionId, Arc<tokio::sync::Mutex<()>>>>>,
    /// Locked from the check of a folder until its session is stored.
    starting: Arc<tokio::sync::Mutex<()>>,
    leaving: Leaving,
}

/// A session whose task runs.
struct Running {
    mailbox: mpsc::Sender<SessionInput>,
    /// Closed at the end of the task.
    ended: watch::Receiver<()>,
}

impl Sessions {
    /// Creates a control for the sessions of an engine, which follow the permission rules of the settings.
    pub fn new(engine: EngineHandle, settings: watch::Receiver<Settings>) -> Self {
        Self {
            settings,
            engine,
            logs: SessionLogs::default(),
            commands: SessionCommands::default(),
            helper_outputs: HelperOutputs::default(),
            links: Links::default(),
            running: Arc::default(),
            resuming: Arc::default(),
            starting: Arc::default(),
            leaving: Leaving::default(),
        }
    }

    /// Stores a session and begins it. It runs from now on; if its agent can't start, it ends and says why.
    pub async fn start(&self, id: SessionId, spec: StartSpec) -> Result<Session, EngineError> {
        let at = self.engine.clock().now();
        let StartSpec { agent, name, named_by, folder, options, prompt, worktree, make, beginning } = spec;
        let said = prompt.as_deref().filter(|_| named_by == NamedBy::Folder).and_then(name_of_message);
        let (name, named_by) = said.map_or((name, named_by), |name| (name, NamedBy::Message));
        let (open, copied) = match beginning {
            Beginning::Nothing => (Open::New, Vec::new()),
            Beginning::Elsewhere { native_session } => (Open::Resume { native_session }, Vec::new()),
            Beginning::Fork { open, entries } => (open, entries),
        };
        let known = self.agent(&agent)?;
        let kept = SessionOptions { extras: options.extras.clone().without_secrets(), ..options.clone() };
        let start = SessionCommand::Start {
            id,
            origin: Origin::started(agent),
            name,
            named_by,
            folder: folder.display().to_string(),
            options: kept,
            config: config::with_choices(&known.descriptor().config, &options.config),
            worktree,
            continues: open.resumed().cloned(),
            at,
        };
        let session = self.store_start(&folder, start).await?;
        // What a continued session was told before comes first.
        let elsewhere = open.resumed().is_some();
        let (prompt, later) = if elsewhere { (None, prompt) } else { (prompt, None) };
        let said = prompt.clone().map(|text| EntryBody::User { text, attachments: Vec::new() });
        let writes: Vec<_> = copied.into_iter().chain(said).map(EntryWrite::New).collect();
        if !writes.is_empty() {
            self.engine.write(id, writes).await;
        }
        let questions = options.questions;
        let start = Start { folder, options, open };
        let run = Run { agent: known, start, questions, worktree: make, prompt, tells_earlier: elsewhere };
        self.begin(&session, run).await;
        self.send_once_resumed(id, later);
        Ok(session)
    }

    /// Restarts the agent of an ended session. Secrets are not stored; they come from `set`. A running session is
    /// not changed.
    pub async fn resume(&self, id: SessionId, set: &LaunchOverrides) -> Result<Session, EngineError> {
        let resuming = self.resuming(id);
        let _alone = resuming.lock().await;
        let ended = self.engine.session(id).await?;
        if ended.is_running() {
            return Ok(ended);
        }
        let agent = ended.origin.agent().ok_or(Rejection::SessionGone)?;
        let known = self.agent(agent)?;
        let at = self.engine.clock().now();
        let resume = SessionCommand::Resume { session: id, at };
        let session = self.store_start(Path::new(&ended.folder), resume).await?;
        let questions = session.options.questions;
        let start = start_again(&ended, set, &known.descriptor().config);
        let run = Run { agent: known, start, questions, worktree: None, prompt: None, tells_earlier: false };
        self.begin(&session, run).await;
        Ok(session)
    }

    /// Sets where the folder of an ended session is now. A worktree of the session moves with it.
    pub async fn change_folder(&self, id: SessionId, folder: PathBuf) -> Result<Session, EngineError> {
        let resuming = self.resuming(id);
        let _alone = resuming.lock().await;
        let ended = self.engine.session(id).await?;
        let (from, to) = (PathBuf::from(&ended.folder), folder.clone());
        let moved = move || ended.worktree.map(|known| Box::new(moved_worktree(&known, &from, &to)));
        let no_response = || Rejection::invalid("folder", "the folder doesn't respond");
        let worktree = on_slow_files(FILES_LIMIT, moved).await.ok_or_else(no_response)?;
        let place = ResolvedFolder::find(&folder).await;
        let change =
            SessionCommand::ChangeFolder { session: id, folder: folder.display().to_string(), worktree };
        let starting = self.starting.lock().await;
        self.leaving.check(&place)?;
        self.engine.act(change).await?;
        drop(starting);
        self.engine.changes().follow(id, folder).await;
        self.engine.session(id).await
    }

    /// Stores the start of a session, unless its folder is being removed.
    async fn store_start(&self, folder: &Path, start: SessionCommand) -> Result<Session, EngineError> {
        let place = ResolvedFolder::find(folder).await;
        let _alone = self.starting.lock().await;
        self.leaving.check(&place)?;
        self.engine.change(start).await
    }

    fn resuming(&self, id: SessionId) -> Arc<tokio::sync::Mutex<()>> {
        let mut resuming = self.resuming.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody holds or waits for the others.
        resuming.retain(|_, lock| Arc::strong_count(lock) > 1);
        Arc::clone(resuming.entry(id).or_default())
    }

    /// Plans a command of the agent's own program that is about a session; none if the agent has no such command. Secrets are not
    /// stored; they come from `set`.
    pub async fn plan_own(
        &self,
        session: &Session,
        set: &LaunchOverrides,
        plan: impl FnOnce(&dyn Agent, &Start) -> Result<Option<LaunchPlan>, AgentFailure> + Send + 'static,
    ) -> Result<Result<Option<LaunchPlan>, AgentFailure>, EngineError> {
        let agent = self.agent(session.origin.agent().ok_or(Rejection::SessionGone)?)?;
        let start = start_again(session, set, &agent.descriptor().config);
        let name = agent.descriptor().name.clone();
        let plan = on_slow_files(FILES_LIMIT, move || plan(agent.as_ref(), &start)).await;
        Ok(plan.unwrap_or_else(|| Err(not_prepared(name))))
    }

    /// Stops a session if it runs, and removes it from the sidebar.
    pub async fn close(&self, session: SessionId) -> Result<(), EngineError> {
        if self.engine.session(session).await?.is_running() {
            // It may have ended meanwhile.
            let _ = self.stop(session).await;
        }
        let at = self.engine.clock().now();
        self.engine.act(SessionCommand::Close { session, at }).await?;
        Ok(())
    }

    /// Has the agent of a session do something.
    pub async fn call(&self, session: SessionId, call: SessionCall) -> Result<(), EngineError> {
        // An agent that starts is interrupted once it has started; nobody waits for that.
        let waits = call != SessionCall::Interrupt;
        let limit = matches!(call, SessionCall::SetConfig(_)).then_some(CHANGE_WAIT);
        let done = self.ask(session, |reply| SessionInput::Call { call, reply })?;
        match limit {
            _ if !waits => Ok(()),
            None => done.await.map_err(gone)?,
            Some(limit) => match timeout(limit, done).await {
                Ok(changed) => changed.map_err(gone)?,
                Err(_) => {
                    let why = ChangeRefused::Unanswered { seconds: limit.as_secs() };
                    Err(Rejection::AgentRefused { why }.into())
                }
            },
        }
    }

    /// Returns the end of what a helper has put out so far.
    pub async fn helper_output(&self, session: SessionId, helper: &HelperId) -> HelperOutput {
        self.helper_outputs.read(session, helper).await
    }

    /// Ends the agent's process tree.
    pub async fn stop(&self, session: SessionId) -> Result<(), EngineError> {
        self.stop_as(session, SessionEnd::Stopped).await
    }

    /// Deletes an ended session permanently.
    pub async fn delete(&self, session: SessionId) -> Result<(), EngineError> {
        let images = self.engine.images().clone();
        let changes = self.engine.changes().clone();
        let folders = (images.clone(), changes.clone());
        // Deleting a running session is refused, and it needs its images.
        if !self.engine.session(session).await?.is_running() {
            let (images, changes) = folders.clone();
            let stage = move || {
                images.folders().stage_removal(session);
                changes.folders().stage_removal(session);
            };
            spawn_blocking(stage).await.map_err(|_| EngineError::Closing)?;
        }
        if let Err(error) = self.engine.act(SessionCommand::Delete { session }).await {
            let (images, changes) = folders;
            let restore = move || {
                images.folders().restore(session);
                changes.folders().restore(session);
            };
            let _ = spawn_blocking(restore).await;
            return Err(error);
        }
        self.logs.remove(session);
        self.commands.remove(session);
        let remove = move || {
            images.folders().remove(session);
            changes.remove(session);
        };
        let _ = spawn_blocking(remove).await;
        Ok(())
    }

    /// Lists the commands that a session's agent told of last. One that has just started is waited for.
    pub async fn commands(&self, session: SessionId) -> Vec<AgentCommand> {
        let runs = self.running().contains_key(&session);
        if runs {
            self.commands.told(session).await;
        }
        self.commands.of(session)
    }

    /// Returns the newest lines of a session's log.
    pub fn log(&self, session: SessionId) -> Vec<LogLine> {
        self.logs.of(session)
    }

    /// Ends all sessions, then the writer.
    pub async fn shut_down(&self) {
        let until = Instant::now() + QUIT_LIMIT;
        self.end_all(until).await;
        self.close_writer(until).await;
    }

    /// Ends the writer, which saves what isn't saved yet.
    pub async fn close_writer(&self, until: Instant) {
        if timeout_at(until, self.engine.close()).await.is_err() {
            tracing::warn!("the journal could not be closed in time");
        }
    }

    /// Ends all sessions at the end of the app, early enough to close the writer until then.
    pub async fn end_all(&self, until: Instant) {
        let running: Vec<SessionId> = self.running().keys().copied().collect();
        let stops = running.into_iter().map(|id| self.stop_as(id, SessionEnd::AppQuit));
        let all = async {
            futures_util::future::join_all(stops).await;
            self.links.shut_down(Duration::ZERO).await;
        };
        if timeout_at(until - WRITER_LIMIT, all).await.is_err() {
            tracing::warn!("some agents did not end in time");
        }
    }

    async fn stop_as(&self, session: SessionId, end: SessionEnd) -> Result<(), EngineError> {
        let ending = self.running().get(&session).map(|known| known.ended.clone());
        match (self.ask(session, |reply| SessionInput::Stop { end, reply }), ending) {
            // It takes nothing any more, because it is ending.
            (Err(EngineError::Reject(Rejection::SessionGone)), Some(mut ended)) => {
                let _ = timeout(CHANGE_WAIT, ended.changed()).await;
                Ok(())
            }
            (asked, _) => asked?.await.map_err(gone),
        }
    }

    fn agent(&self, id: &AgentId) -> Result<Arc<dyn Agent>, EngineError> {
        self.engine.agents().get(id).cloned().ok_or_else(|| Rejection::NotFound { what: "agent" }.into())
    }

    /// Sends an input; its result arrives at the receiver.
    fn ask<T>(
        &self,
        session: SessionId,
        input: impl FnOnce(Reply<T>) -> SessionInput,
    ) -> Result<oneshot::Receiver<T>, EngineError> {
        let (reply, result) = oneshot::channel();
        let running = self.running();
        let known = running.get(&session).ok_or(Rejection::SessionGone)?;
        match known.mailbox.try_send(input(reply)) {
            Ok(()) => Ok(result),
            Err(TrySendError::Full(_)) => Err(EngineError::busy()),
            Err(TrySendError::Closed(_)) => Err(Rejection::SessionGone.into()),
        }
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session that ends drops its replies.
fn gone(_: oneshot::error::RecvError) -> EngineError {
    Rejection::SessionGone.into()
}

/// An agent whose program or config could not be found in time.
fn not_prepared(agent: String) -> AgentFailure {
    let error = format!("its files didn't respond within {} seconds", FILES_LIMIT.as_secs());
    AgentFailure::NotStarted { program: agent, problem: ProgramError::TimedOut, error }
}

/// Returns how to resume an ended session: with its original options, in its last mode.
fn start_again(ended: &Session, set: &LaunchOverrides, described: &[ConfigOption]) -> Start {
    let options = SessionOptions {
        config: config::choices_to_resume(&ended.options.config, &ended.config, described),
        extras: ended.options.extras.clone().with_secrets_of(set),
        ..ended.options.clone()
    };
    let native_session = ended.native_session.clone();
    let open = native_session.map_or(Open::New, |native_session| Open::Resume { native_session });
    Start { folder: PathBuf::from(&ended.folder), options, open }
}

/// Returns where a session's worktree and its repository are after the session's folder was moved.
fn moved_worktree(known: &Worktree, from: &Path, to: &Path) -> Worktree {
    let moved = |path: &str| {
        let moved = askdesk_changes::moved_path(Path::new(path), from, to);
        moved
            .filter(|moved| moved.is_dir())
            .map_or_else(|| path.to_owned(), |moved| moved.display().to_string())
    };
    Worktree { path: moved(&known.path), repository: moved(&known.repository), ..known.clone() }
}
