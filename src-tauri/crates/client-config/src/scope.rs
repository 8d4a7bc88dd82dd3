//! Where a client is configured.

use serde::{Deserialize, Serialize};

/// Where a client is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    #[default]
    User,
    /// For one project. The file may be shared.
    Project,
}

impl Scope {
    /// Returns its name on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}
