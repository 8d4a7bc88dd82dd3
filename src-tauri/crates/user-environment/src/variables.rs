//! The variables of an environment, and what a shell changes in them.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variables of an environment, by name.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<OsString, OsString>);

/// What has to be done to one environment to get another one.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Changes {
    pub set: BTreeMap<OsString, OsString>,
    pub removed: BTreeSet<OsString>,
}

impl Variables {
    pub fn of_process() -> Self {
        env::vars_os().collect()
    }

    /// Returns the value of a variable; an empty one counts as none.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let value = match cfg!(windows) {
            // Windows doesn't tell `Path` from `PATH`.
            true => self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value),
            false => self.0.get(OsStr::new(name)),
        };
        value.map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.0.insert(name.into(), value.into());
    }

    pub fn remove(&mut self, name: &OsStr) {
        self.0.remove(name);
    }

    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// Lists the folders of `PATH` in their order. A relative one would depend on the folder that the app runs in.
    pub fn program_folders(&self) -> Vec<PathBuf> {
        let path = self.get("PATH").unwrap_or_default();
        env::split_paths(path).filter(|folder| folder.is_absolute()).collect()
    }

    /// Finds a program in the folders of [`Self::search_folders`], or by its path.
    pub fn find_program(&self, name: impl AsRef<OsStr>) -> Option<PathBuf> {
        let home = env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
        find_in(name, &self.search_folders(&home))
    }

    /// Adds a program's own folder to `PATH`: a script there may need what is beside it, as npm's scripts need `node`.
    #[must_use]
    pub fn for_program(&self, program: &Path) -> Self {
        let folder = program.parent().filter(|folder| folder.is_absolute()).map(Path::to_owned);
        self.with_folders_behind(folder.into_iter())
    }

    pub(crate) fn with_folders_behind(&self, behind: impl Iterator<Item = PathBuf>) -> Self {
        // An empty list would be a list with an empty folder.
        let mut folders: Vec<PathBuf> =
            self.get("PATH").map(env::split_paths).into_iter().flatten().collect();
        let before = folders.len();
        for folder in behind {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let mut variables = self.clone();
        // A folder with a separator in its name can't be in the list.
        if let (true, Ok(path)) = (folders.len() > before, env::join_paths(folders)) {
            variables.set_path(path);
        }
        variables
    }

    fn set_path(&mut self, value: OsString) {
        let is_path = |name: &&OsString| match cfg!(windows) {
            true => name.eq_ignore_ascii_case("PATH"),
            false => *name == "PATH",
        };
        let name = self.0.keys().find(is_path).cloned().unwrap_or_else(|| "PATH".into());
        self.set(name, value);
    }

    /// Makes these the only variables that a command inherits. What the command sets itself must be set afterwards.
    pub fn give_to(&self, command: &mut Command) {
        command.env_clear().envs(self.iter());
    }

    /// Returns what turns another environment into this one.
    pub fn changes_from(&self, base: &Self) -> Changes {
        let is_new = |(name, value): &(&OsString, &OsString)| base.0.get(*name) != Some(value);
        let set = self.0.iter().filter(is_new).map(|(name, value)| (name.clone(), value.clone())).collect();
        let removed = base.0.keys().filter(|name| !self.0.contains_key(*name)).cloned().collect();
        Changes { set, removed }
    }

    /// Applies changes. The folders of `PATH` that these variables have stay, behind those of the changes: a shell that sets
    /// `PATH` anew knows nothing of what a program was started with.
    #[must_use]
    pub fn with(&self, changes: &Changes) -> Self {
        let mut variables = self.clone();
        variables.0.retain(|name, _| !changes.removed.contains(name));
        variables.0.extend(changes.set.iter().map(|(name, value)| (name.clone(), value.clone())));
        variables.with_folders_behind(self.program_folders().into_iter())
    }
}

/// Finds a program in one of these folders, or by its path.
pub fn find_in(name: impl AsRef<OsStr>, folders: &[PathBuf]) -> Option<PathBuf> {
    which::which_in(name, Some(env::join_paths(folders).ok()?), Path::new("/")).ok()
}

impl FromIterator<(OsString, OsString)> for Variables {
    fn from_iter<I: IntoIterator<Item = (OsString, OsString)>>(variables: I) -> Self {
        Self(variables.into_iter().collect())
    }
}

/// Values may be secrets, so only names are shown.
impl fmt::Debug for Variables {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = (self.set.keys(), &self.removed);
        formatter.debug_set().entries(names.0).finish()?;
        formatter.debug_set().entries(names.1).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn some_variables() -> impl Strategy<Value = Variables> {
        let pairs = prop::collection::vec(("[A-D]", "[xyz]{0,2}"), 0..6);
        pairs.prop_map(|pairs| pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    proptest! {
        #[test]
        fn the_changes_from_one_environment_to_another_lead_there(base in some_variables(), other in some_variables()) {
            prop_assert_eq!(&base.with(&other.changes_from(&base)), &other);
        }
    }

    #[test]
    fn a_command_gets_these_variables_and_no_others() {
        let mut variables = Variables::default();
        variables.set("ONLY", "this");
        let mut command = Command::new("program");
        command.env("BEFORE", "1");
        variables.give_to(&mut command);
        let given: Vec<_> = command.get_envs().collect();
        assert_eq!(given, [(OsStr::new("ONLY"), Some(OsStr::new("this")))]);
    }

    #[test]
    fn no_value_is_written_to_a_log() {
        let mut variables = Variables::default();
        variables.set("API_KEY", "very-secret");
        let changes = variables.changes_from(&Variables::default());
        let shown = format!("{variables:?} {changes:?}");
        assert!(shown.contains("API_KEY") && !shown.contains("very-secret"), "{shown}");
    }
}
