//! What the API needs from the program around it: the desktop shell, or a test.

use std::path::{Path, PathBuf};

use askdesk_client_config::discovery::DEFAULT_PORT;
use askdesk_client_config::{DataFolder, Endpoint, Env, Token};
use askdesk_domain::Settings;
use askdesk_open_in::Search;

use askdesk_contract::{
    Exported, NotePainted, NoteView, NotificationLogEntry, Pending, SetAsideUntil, UnappliedSetting,
    UpdateRead,
};

/// Provides the window, the system settings and the gateway.
pub trait Host: Send + Sync {
    /// Hears what the window shows.
    fn note_view(&self, view: NoteView);

    /// Returns the notification log, newest first.
    fn notification_log(&self) -> Vec<NotificationLogEntry>;

    /// Hears that the window painted something.
    fn painted(&self, painted: NotePainted);

    /// Asks the user for a file and writes the export to it. Returns its path, or none if the user chose no file.
    fn save(&self, export: Exported) -> Pending<Result<Option<PathBuf>, SaveError>>;

    /// Applies the settings that the system carries out, and returns those it did not apply.
    fn apply_system_settings(&self, settings: &Settings) -> Pending<Vec<UnappliedSetting>>;

    /// Returns what connecting other programs needs, or none if the user has no home folder. May block.
    fn client_host(&self) -> Option<ClientHost>;

    /// Asks the user's shell for its environment again, and waits for the answer.
    fn read_environment(&self) -> Pending<()>;

    /// Returns where to search for the user's programs.
    fn program_search(&self) -> Search;

    /// Shows a file or folder in the system's file manager; never opens a file. Fails with the system's error message. May block.
    fn reveal(&self, path: &Path) -> Result<(), String>;

    /// Carries out what is asked about updates of the app, and returns what is known then.
    fn updates(&self, asked: UpdateAsked) -> Pending<UpdateRead>;

    /// Asks a test question through the gateway.
    fn self_test(&self) -> Pending<Result<(), SelfTestError>>;
}

/// What the window asks about updates of the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateAsked {
    Nothing,
    Check,
    Install { version: String },
    Cancel,
    SetAside { version: String, until: SetAsideUntil },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveError {
    /// The file, if it has a path on this machine.
    pub path: Option<PathBuf>,
    /// The system's error message.
    pub error: String,
}

/// Why a test question did not arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelfTestError {
    GatewayClosed,
    /// The request failed.
    Failed {
        /// The message of the system or of the gateway.
        error: String,
    },
}

/// What connecting other programs needs to know about this machine and this run.
#[derive(Clone, Debug)]
pub struct ClientHost {
    /// Where the user's files are.
    pub env: Env,
    /// The data folder, which holds the token.
    pub data: PathBuf,
    /// The gateway's port; none while it is not running.
    pub port: Option<u16>,
    /// The command of a terminal's hook, if the `askdesk` program was found.
    pub command: Option<String>,
}

impl ClientHost {
    /// Returns what a client's entry must contain. While the gateway is not running, assumes the default port.
    pub(crate) fn endpoint(&self) -> Option<Endpoint> {
        let token = self.token()?;
        let port = self.port.unwrap_or(DEFAULT_PORT);
        Some(Endpoint { port, token, command: self.command.clone(), ask_by_command: false })
    }

    pub(crate) fn token(&self) -> Option<Token> {
        DataFolder::at(&self.data).token().ok().flatten()
    }
}
