//! How a program is to be started: data, carried out by the supervisor.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use askdesk_domain::{AgentDescriptor, AgentFailure, LaunchOverrides, ProgramError, SearchedLocation};
use askdesk_user_environment::{Variables, find_in, variables};

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

    /// Runs the program, and returns what it prints. Blocks, for no longer than the limit; none if it doesn't end by then.
    pub fn answer(&self, limit: Duration) -> Option<String> {
        let args: Vec<&str> = self.args.iter().map(|arg| arg.to_str()).collect::<Option<_>>()?;
        let set = self.env.iter().map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
        let set: Vec<(&str, &str)> = set.collect::<Option<_>>()?;
        askdesk_version_probe::answer(&self.program, &args, &self.folder, &set, limit)
    }

    /// The value that the program finds in a variable; an empty one counts as none.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        let set = self.env.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let is_removed = self.env_remove.iter().any(|known| known == name);
        let of_user = || variables().get(name).filter(|_| !is_removed).map(ToOwned::to_owned);
        set.or_else(of_user).filter(|value| !value.is_empty())
    }

    /// Returns the user's home folder, as the program finds it: on Windows, `HOME` is that of Git Bash.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        self.variable(name).map(PathBuf::from).or_else(env::home_dir)
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

/// Finds a program: the one the user named, else where every program is looked for.
pub(crate) fn find_program(
    agent: &AgentDescriptor,
    name: &str,
    explicit: Option<&Path>,
) -> Result<PathBuf, AgentFailure> {
    let home = env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
    find_as(agent, name, explicit, &variables(), &home)
}

fn find_as(
    agent: &AgentDescriptor,
    name: &str,
    explicit: Option<&Path>,
    variables: &Variables,
    home: &Path,
) -> Result<PathBuf, AgentFailure> {
    let folders = variables.search_folders(home);
    // Somebody who named a program wants that one, not another of the same name.
    let wanted = explicit.unwrap_or(Path::new(name));
    if let Some(found) = find_in(wanted, &folders) {
        return Ok(found);
    }
    let mut places = folders.iter().map(|folder| folder.join(wanted));
    if let Some(broken) = places.find_map(|place| broken_link(&place)) {
        return Err(broken);
    }
    let file = |path: PathBuf| SearchedLocation::File { path: path.display().to_string() };
    let tried = match explicit {
        Some(path) => vec![file(path.to_owned())],
        None => {
            let value = variables.get("PATH").unwrap_or_default().display().to_string();
            let known = folders.iter().skip(variables.program_folders().len());
            let known = known.map(|folder| file(folder.join(name)));
            [SearchedLocation::PathVariable { value }].into_iter().chain(known).collect()
        }
    };
    Err(AgentFailure::AgentMissing {
        agent: agent.id.clone(),
        program: name.to_owned(),
        tried,
        install: agent.install.clone(),
    })
}

/// A link to a file that isn't there: an update that replaces the program leaves one for a moment.
fn broken_link(place: &Path) -> Option<AgentFailure> {
    let error = place.is_symlink().then(|| fs::metadata(place).err())??;
    Some(AgentFailure::NotStarted {
        program: place.display().to_string(),
        problem: ProgramError::BrokenLink,
        error: error.to_string(),
    })
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::Agent as _;
    use crate::claude::ClaudeCode;

    fn find(path: &Path, home: &Path, explicit: Option<&Path>) -> Result<PathBuf, AgentFailure> {
        let variables = [("PATH".into(), path.into())].into_iter().collect();
        find_as(ClaudeCode::default().descriptor(), "claude-of-test", explicit, &variables, home)
    }

    fn install(folder: &Path) -> PathBuf {
        let program = folder.join("claude-of-test");
        fs::create_dir_all(folder).unwrap();
        fs::write(&program, "").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program
    }

    #[test]
    fn case_142_an_agent_is_found_on_the_path_and_else_where_installers_put_it() {
        let (home, bin) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for folder in [".opencode/bin", ".npm-global/bin", ".nvm/versions/node/v22.1.0/bin"] {
            let program = install(&home.path().join(folder));
            assert_eq!(find(bin.path(), home.path(), None), Ok(program.clone()), "{folder}");
            fs::remove_file(program).unwrap();
        }
        install(&home.path().join(".local/bin"));
        let first = install(bin.path());
        assert_eq!(find(bin.path(), home.path(), None), Ok(first));
        let other = home.path().join("other");
        let found = find(bin.path(), home.path(), Some(&other));
        assert!(matches!(found, Err(AgentFailure::AgentMissing { .. })), "{found:?}");
    }

    #[test]
    fn a_link_that_leads_nowhere_is_called_that_unless_another_program_is_there() {
        let (home, bin) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let link = home.path().join(".local/bin/claude-of-test");
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink("versions/gone", &link).unwrap();
        let is_broken = |found| match found {
            Err(AgentFailure::NotStarted { program, problem: ProgramError::BrokenLink, .. }) => {
                program == link.display().to_string()
            }
            _ => false,
        };
        assert!(is_broken(find(bin.path(), home.path(), None)));
        assert!(is_broken(find(bin.path(), home.path(), Some(&link))));
        let program = install(bin.path());
        assert_eq!(find(bin.path(), home.path(), None), Ok(program));
    }
}
