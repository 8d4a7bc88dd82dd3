//! The API over one engine: its state, and the bookkeeping that the handlers share.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use askdesk_client_config::{Change, Plan};
use askdesk_domain::{
    ApprovalState, Command, CommandId, Rejection, Request, Session, SessionId, SessionState, StorageError,
};
use askdesk_engine::frame::Frame;
use askdesk_engine::{EngineError, EngineHandle, Sessions, SettingsFile};
use askdesk_file_search::FileSearch;
use tokio::sync::{OnceCell, watch};

use crate::dto::{Done, UpdateObstacle};
use crate::error::{Detail, Error, ErrorCode};
use crate::host::Host;
use crate::notification_log::Notifications;
use crate::update_obstacles::update_obstacles;

/// How many commands are remembered, so that a repeated one is not run again.
const REMEMBERED_COMMANDS: usize = 1_024;

/// What the window shows. The notification policy reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    pub session: Option<SessionId>,
    /// Whether the window has the focus.
    pub focused: bool,
}

/// What would stop if the app quit now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunningWork {
    pub sessions: usize,
    pub questions: usize,
    /// Open permission requests.
    pub approvals: usize,
}

/// A command that must not run twice.
struct RememberedCommand {
    id: CommandId,
    name: &'static str,
    /// The session it returned, if it returns one.
    result: Arc<OnceCell<Option<Session>>>,
}

/// Runs the commands of the bridge on an engine. Clones share their state.
#[derive(Clone)]
pub struct Api {
    pub(crate) engine: EngineHandle,
    pub(crate) sessions: Sessions,
    pub(crate) settings: Arc<SettingsFile>,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) view: Arc<watch::Sender<View>>,
    /// The change of another program's files that was shown last, under the command that planned it.
    pub(crate) client_plan: Arc<Mutex<Option<(CommandId, Plan)>>>,
    /// The removal of a permission that was shown last, under the command that planned it.
    pub(crate) permission_removal: Arc<Mutex<Option<(CommandId, Change)>>>,
    /// The folders in which files were looked for last.
    pub(crate) files: FileSearch,
    commands: Arc<Mutex<VecDeque<RememberedCommand>>>,
    notifications: Arc<Mutex<Notifications>>,
}

impl Api {
    /// Creates the API over an engine.
    pub fn new(engine: EngineHandle, settings: Arc<SettingsFile>, host: Arc<dyn Host>) -> Self {
        let (view, _) = watch::channel(View { session: None, focused: false });
        let sessions = Sessions::new(engine.clone(), settings.watch());
        Self {
            engine,
            sessions,
            settings,
            host,
            view: Arc::new(view),
            client_plan: Arc::default(),
            permission_removal: Arc::default(),
            files: FileSearch::default(),
            commands: Arc::default(),
            notifications: Arc::default(),
        }
    }

    pub const fn engine(&self) -> &EngineHandle {
        &self.engine
    }

    /// Returns the sessions of this run.
    pub const fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    pub const fn settings(&self) -> &Arc<SettingsFile> {
        &self.settings
    }

    /// Deletes expired sessions, now and once a day, until the engine closes.
    pub async fn delete_expired_daily(&self) {
        self.sessions.delete_due_daily(Arc::clone(&self.settings)).await;
    }

    /// Counts what would stop if the app quit now.
    pub async fn running_work(&self) -> Result<RunningWork, Error> {
        let mut frames = self.engine.subscribe().await?;
        let Some(Frame::Snapshot(now)) = frames.take() else { return Ok(RunningWork::default()) };
        let runs =
            |session: &&Session| matches!(session.state, SessionState::Starting | SessionState::Working);
        Ok(RunningWork {
            sessions: now.sessions.iter().filter(runs).count(),
            questions: now.requests.iter().filter(|request| Request::is_open(request)).count(),
            approvals: now.approvals.iter().filter(|it| it.state == ApprovalState::Open).count(),
        })
    }

    /// Returns what keeps an update from being installed.
    pub async fn update_obstacles(&self) -> Result<Vec<UpdateObstacle>, Error> {
        let mut frames = self.engine.subscribe().await?;
        match frames.take() {
            Some(Frame::Snapshot(now)) => Ok(update_obstacles(&now)),
            Some(Frame::Delta(_)) | None => Err(EngineError::Closing.into()),
        }
    }

    /// Returns what the window shows.
    pub fn view(&self) -> View {
        *self.view.borrow()
    }

    /// Watches what the window shows.
    pub fn watch_view(&self) -> watch::Receiver<View> {
        self.view.subscribe()
    }

    pub(crate) fn notifications(&self) -> MutexGuard<'_, Notifications> {
        self.notifications.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a command once for each command id. A repeated call waits for the first and shares its result. Failures are
    /// not remembered, so that the caller can try again.
    async fn once<F>(&self, id: CommandId, name: &'static str, run: F) -> Result<Option<Session>, Error>
    where
        F: Future<Output = Result<Option<Session>, Error>> + Send,
    {
        let cell = {
            let mut commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
            match commands.iter().find(|command| command.id == id) {
                Some(command) if command.name == name => Arc::clone(&command.result),
                // Returning the first command's result would drop the second one silently.
                Some(_) => return Err(Rejection::invalid("requestId", "was used for another command").into()),
                None => {
                    if commands.len() == REMEMBERED_COMMANDS {
                        commands.pop_front();
                    }
                    let result = Arc::new(OnceCell::new());
                    commands.push_back(RememberedCommand { id, name, result: Arc::clone(&result) });
                    result
                }
            }
        };
        cell.get_or_try_init(|| run).await.cloned()
    }

    /// Runs a command that returns nothing, once for each command id.
    pub(crate) async fn run_once<T, E: Into<Error>>(
        &self,
        id: CommandId,
        name: &'static str,
        run: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<Done, Error> {
        let run = async { run.await.map(|_| None).map_err(Into::into) };
        self.once(id, name, run).await.map(|_| Done {})
    }

    /// Runs a command that returns a session, once for each command id.
    pub(crate) async fn session_once(
        &self,
        id: CommandId,
        name: &'static str,
        run: impl Future<Output = Result<Session, Error>> + Send,
    ) -> Result<Session, Error> {
        let run = async { run.await.map(Some) };
        self.once(id, name, run).await?.ok_or_else(|| Rejection::NotFound { what: "session" }.into())
    }

    /// Applies a domain command that changes a session, once for each command id.
    pub(crate) async fn apply_once(
        &self,
        id: CommandId,
        name: &'static str,
        command: impl Into<Command> + Send,
    ) -> Result<Session, Error> {
        let apply = async {
            let session = self.engine.act(command).await?.session;
            session.ok_or_else(|| Rejection::NotFound { what: "session" }.into())
        };
        self.session_once(id, name, apply).await
    }
}

/// Runs blocking work, such as reading files, off the async threads.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.map_err(|_| EngineError::Closing.into())
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        let message = error.to_string();
        let journal = match error {
            EngineError::Reject(reject) => return reject.into(),
            EngineError::Closing => return Self::new(ErrorCode::Closing, message),
            EngineError::Journal(journal) => journal,
            EngineError::Unread(journal) => {
                return Self::new(ErrorCode::StorageUnread, message)
                    .with(Detail::Storage { trouble: journal });
            }
        };
        let code = match journal {
            StorageError::Busy { .. } => ErrorCode::StorageBusy,
            StorageError::Full { .. } => ErrorCode::StorageFull,
            _ => ErrorCode::Storage,
        };
        Self::new(code, message).with(Detail::Storage { trouble: journal })
    }
}
