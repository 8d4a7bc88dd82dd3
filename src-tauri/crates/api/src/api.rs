//! The API over one engine: its state, and what the handlers share.

use std::sync::{Arc, Mutex};

use askdesk_client_config::{Change, Plan};
use askdesk_contract::Error;
use askdesk_domain::CommandId;
use askdesk_engine::{EngineError, EngineHandle, Sessions, SettingsFile};
use askdesk_file_search::FileSearch;

use crate::host::Host;
use crate::receipts::Receipts;

/// Runs the commands of the bridge on an engine. Clones share their state.
#[derive(Clone)]
pub struct Api {
    pub(crate) engine: EngineHandle,
    pub(crate) sessions: Sessions,
    pub(crate) settings: Arc<SettingsFile>,
    pub(crate) host: Arc<dyn Host>,
    /// The change of another program's files that was shown last, under the command that planned it.
    pub(crate) client_plan: Arc<Mutex<Option<(CommandId, Plan)>>>,
    /// The removal of a permission that was shown last, under the command that planned it.
    pub(crate) permission_removal: Arc<Mutex<Option<(CommandId, Change)>>>,
    /// The folders in which files were looked for last.
    pub(crate) files: FileSearch,
    pub(crate) receipts: Receipts,
}

impl Api {
    /// Creates the API over an engine.
    pub fn new(engine: EngineHandle, settings: Arc<SettingsFile>, host: Arc<dyn Host>) -> Self {
        let sessions = Sessions::new(engine.clone(), settings.watch());
        Self {
            engine,
            sessions,
            settings,
            host,
            client_plan: Arc::default(),
            permission_removal: Arc::default(),
            files: FileSearch::default(),
            receipts: Receipts::default(),
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
}

/// Runs blocking work, such as reading files, off the async threads.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.map_err(|_| EngineError::Closing.into())
}
