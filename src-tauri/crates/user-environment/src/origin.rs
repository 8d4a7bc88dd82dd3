//! The ways to an environment, and why a shell may not give it.

use std::path::PathBuf;

use askdesk_contract::{FailedWay, Way};
use serde::{Deserialize, Serialize};

/// Where an environment comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub way: Way,
    /// None if no shell was asked.
    pub shell: Option<PathBuf>,
    pub failed: Vec<FailedWay>,
    /// When it was read, in milliseconds since 1970.
    pub read_at: i64,
}

impl Origin {
    /// Says in English how the environment was got, for the command line.
    pub fn words(&self) -> String {
        let shell =
            self.shell.as_ref().map_or_else(|| "the shell".into(), |shell| shell.display().to_string());
        match self.way {
            Way::Terminal => "of the terminal that Askdesk was started from".to_owned(),
            Way::InteractiveLogin => format!("of {shell}, as in a terminal"),
            Way::Login => format!("of {shell}, with its login files only"),
            Way::KnownFolders => {
                "of the desktop session, with the folders of version managers in PATH".to_owned()
            }
            Way::Process => "of the desktop session".to_owned(),
        }
    }
}
