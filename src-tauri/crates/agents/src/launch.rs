//! How a program is to be started: data, carried out by the supervisor.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use askdesk_domain::Extras;

use crate::error::AgentError;

/// Everything needed to start one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchPlan {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The folder it works in.
    pub folder: PathBuf,
    /// Variables set for it, beside those it inherits.
    pub env: Vec<(OsString, OsString)>,
    /// Inherited variables it must not see.
    pub env_remove: Vec<OsString>,
    /// Whether it was told to ask for permissions, and so for answers, by control request.
    pub prompt_tool: bool,
}

impl LaunchPlan {
    /// Adds what the person's settings say, after everything else.
    #[must_use]
    pub fn with_extras(mut self, extras: &Extras) -> Self {
        self.args.extend(extras.arguments.iter().map(OsString::from));
        self.env.extend(extras.environment.iter().map(|(name, value)| (name.into(), value.into())));
        self
    }
}

/// Finds a program: the one the person named, else on `PATH`, else in the folders named.
///
/// A desktop app is often started without the `PATH` of the person's shell, so the folders matter.
pub(crate) fn find_program(
    name: &str,
    explicit: Option<&Path>,
    folders: &[PathBuf],
    hint: &str,
) -> Result<PathBuf, AgentError> {
    let missing =
        |tried: Vec<String>| AgentError::Missing { program: name.to_owned(), tried, hint: hint.to_owned() };
    if let Some(path) = explicit {
        // Somebody who named a program wants that one, not another of the same name.
        return which::which(path).map_err(|_| missing(vec![path.display().to_string()]));
    }
    if let Ok(found) = which::which(name) {
        return Ok(found);
    }
    let mut tried = vec![match env::var_os("PATH") {
        Some(path) if !path.is_empty() => format!("the PATH {}", path.display()),
        _ => "the PATH, which is empty".to_owned(),
    }];
    for folder in folders {
        let candidate = folder.join(name);
        if let Ok(found) = which::which(&candidate) {
            return Ok(found);
        }
        tried.push(candidate.display().to_string());
    }
    Err(missing(tried))
}
