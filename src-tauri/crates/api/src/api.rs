//! The API over one engine: its state, and what the handlers share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use askdesk_client_config::{Change, Plan};
use askdesk_contract::frame::Frame;
use askdesk_contract::{Error, UpdateObstacle};
use askdesk_domain::{ApprovalState, CommandId, Request, Session, SessionId, SessionState};
use askdesk_engine::{EngineError, EngineHandle, Sessions, SettingsFile};
use askdesk_file_search::FileSearch;
use tokio::sync::watch;

use crate::host::Host;
use crate::notification_log::Notifications;
use crate::receipts::Receipts;
use crate::update_obstacles::update_obstacles;

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
    pub(crate) receipts: Receipts,
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
            receipts: Receipts::default(),
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
}

/// Runs blocking work, such as reading files, off the async threads.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.map_err(|_| EngineError::Closing.into())
}
