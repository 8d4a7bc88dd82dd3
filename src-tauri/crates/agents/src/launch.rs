//! How a program is to be started: data, carried out by the supervisor.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use askdesk_domain::{AgentDescriptor, AgentFailure, LaunchOverrides, SearchedLocation};
use askdesk_user_environment::variables;

/// Everything needed to start one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchPlan {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub folder: PathBuf,
    /// Variables set for it, beside those of the user's environment.
    pub env: Vec<(OsString, OsString)>,
    /// Variables of the user's environment that it must not see.
    pub env_remove: Vec<OsString>,
}

impl LaunchPlan {
    /// Adds what the user's settings say, after everything else.
    #[must_use]
    pub fn with_overrides(mut self, overrides: &LaunchOverrides) -> Self {
        self.args.extend(overrides.arguments.iter().map(OsString::from));
        self.with_variables_of(overrides)
    }

    /// Adds only the variables of the user's settings: for a command that takes no other arguments.
    #[must_use]
    pub(crate) fn with_variables_of(mut self, overrides: &LaunchOverrides) -> Self {
        self.env.extend(overrides.environment.iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// The value that the program finds in a variable; an empty one counts as none.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        let set = self.env.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let is_removed = self.env_remove.iter().any(|known| known == name);
        let of_user = || variables().get(name).filter(|_| !is_removed).map(ToOwned::to_owned);
        set.or_else(of_user).filter(|value| !value.is_empty())
    }
}

/// Replaces a leading `~` by the user's home folder.
pub fn expand_home(path: &str) -> PathBuf {
    match (path.strip_prefix('~'), env::home_dir()) {
        (Some(""), Some(home)) => home,
        (Some(rest), Some(home)) if rest.starts_with(['/', '\\']) => home.join(&rest[1..]),
        _ => PathBuf::from(path),
    }
}

/// Finds a program: the one the user named, else on `PATH`, else where installers put it: in these folders below the home
/// folder, or in those for all users.
pub(crate) fn find_program(
    agent: &AgentDescriptor,
    name: &str,
    explicit: Option<&Path>,
    home_folders: &[&str],
) -> Result<PathBuf, AgentFailure> {
    let mut folders = Vec::new();
    if let Some(home) = env::home_dir() {
        folders.extend(home_folders.iter().map(|folder| home.join(folder)));
    }
    if cfg!(unix) {
        folders.extend(["/usr/local/bin", "/opt/homebrew/bin"].map(PathBuf::from));
    }
    let missing = |tried: Vec<SearchedLocation>| AgentFailure::AgentMissing {
        agent: agent.id.clone(),
        program: name.to_owned(),
        tried,
        install: agent.install.clone(),
    };
    let file = |path: &Path| SearchedLocation::File { path: path.display().to_string() };
    if let Some(path) = explicit {
        // Somebody who named a program wants that one, not another of the same name.
        return variables().find_program(path).ok_or_else(|| missing(vec![file(path)]));
    }
    let variables = variables();
    if let Some(found) = variables.find_program(name) {
        return Ok(found);
    }
    let value = variables.get("PATH").unwrap_or_default().display().to_string();
    let mut tried = vec![SearchedLocation::PathVariable { value }];
    for folder in folders {
        let candidate = folder.join(name);
        if let Ok(found) = which::which(&candidate) {
            return Ok(found);
        }
        tried.push(file(&candidate));
    }
    Err(missing(tried))
}
