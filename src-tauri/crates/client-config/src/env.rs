//! The system, folders and environment variables that decide where a client's files are.

use std::path::{Path, PathBuf};

pub use askdesk_user_environment::Os;
use askdesk_user_environment::{Variables, variables};

/// The variables that an AppImage sets for what is inside it. No client gets them.
const OF_IMAGE: [&str; 2] = ["APPDIR", "APPIMAGE"];

/// Where to look for a user's files.
#[derive(Clone, Debug)]
pub struct Env {
    pub os: Os,
    pub home: PathBuf,
    /// The folder that files of [`Scope::Project`](crate::Scope::Project) belong to.
    pub project: PathBuf,
    pub variables: Variables,
}

impl Env {
    /// Takes the user's environment. Returns `None` if there is no home folder.
    pub fn of_user(project: PathBuf) -> Option<Self> {
        let mut variables = Variables::clone(&variables());
        for name in OF_IMAGE {
            if let Some(value) = std::env::var_os(name) {
                variables.set(name, value);
            }
        }
        Some(Self { os: Os::CURRENT, home: dirs::home_dir()?, project, variables })
    }

    /// Returns the home folder as a place for files.
    pub(crate) fn home_path(&self) -> ConfigPath {
        ConfigPath::root(self.home.clone())
    }

    /// Returns the folder that a variable names, or another one.
    pub(crate) fn folder(&self, variable: &str, otherwise: PathBuf) -> ConfigPath {
        match self.variables.get(variable).map(Path::new) {
            // A folder that the user names may be anywhere. Where it is the usual one, its links may lead to as many places
            // as without the variable.
            Some(named) if named.is_absolute() && named.starts_with(&self.home) => {
                ConfigPath { path: named.to_owned(), within: self.home.clone() }
            }
            Some(named) if named.is_absolute() => ConfigPath::root(named.to_owned()),
            _ => ConfigPath { path: otherwise, within: self.home.clone() },
        }
    }

    /// Returns the XDG configuration folder. Many programs use it on macOS and Windows too.
    pub(crate) fn config(&self) -> ConfigPath {
        self.folder("XDG_CONFIG_HOME", self.home.join(".config"))
    }

    /// Returns the `AppData` folder of Windows.
    pub(crate) fn app_data(&self) -> ConfigPath {
        self.folder("APPDATA", self.home.join("AppData").join("Roaming"))
    }
}

/// A file or folder, and the folder that no link may lead out of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigPath {
    pub path: PathBuf,
    /// The folder it must stay in.
    pub within: PathBuf,
}

impl ConfigPath {
    /// Uses a folder as its own limit.
    pub(crate) fn root(folder: PathBuf) -> Self {
        Self { path: folder.clone(), within: folder }
    }

    pub(crate) fn join(&self, path: impl AsRef<Path>) -> Self {
        Self { path: self.path.join(path), within: self.within.clone() }
    }
}
