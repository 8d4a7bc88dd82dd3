//! Where a person's files are, and what their environment says of it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Variables by which clients are told where their files are, and this program that it runs from an AppImage.
const VARIABLES: [&str; 10] = [
    "APPDATA",
    "APPDIR",
    "APPIMAGE",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "GEMINI_CLI_HOME",
    "PATH",
    "PATHEXT",
    "XDG_CONFIG_HOME",
];

/// The kind of system; files are in other places on each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    Linux,
    MacOs,
    Windows,
}

impl System {
    /// The one this program was built for.
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::MacOs
    } else {
        Self::Linux
    };
}

/// Where a person's files are.
#[derive(Clone, Debug)]
pub struct Surroundings {
    pub system: System,
    /// The person's home folder.
    pub home: PathBuf,
    /// The folder that project files belong to.
    pub project: PathBuf,
    /// What the environment says, by the name of the variable.
    pub variables: BTreeMap<&'static str, OsString>,
}

impl Surroundings {
    /// Takes them from the environment of this process; none without a home folder.
    pub fn of_this_process(project: PathBuf) -> Option<Self> {
        let set = |name| Some((name, std::env::var_os(name).filter(|value| !value.is_empty())?));
        let variables = VARIABLES.into_iter().filter_map(set).collect();
        Some(Self { system: System::HERE, home: dirs::home_dir()?, project, variables })
    }

    /// A folder that a variable names, or another one.
    pub(crate) fn folder(&self, variable: &str, otherwise: PathBuf) -> Place {
        match self.variables.get(variable).map(Path::new) {
            // A folder that is named by the person is theirs wherever it is.
            Some(named) if named.is_absolute() => Place { path: named.to_owned(), within: named.to_owned() },
            _ => Place { path: otherwise, within: self.home.clone() },
        }
    }

    /// The folder for settings as desktops other than Windows and macOS have it; many programs have it everywhere.
    pub(crate) fn config(&self) -> Place {
        self.folder("XDG_CONFIG_HOME", self.home.join(".config"))
    }

    /// The folder for settings that Windows has.
    pub(crate) fn app_data(&self) -> Place {
        self.folder("APPDATA", self.home.join("AppData").join("Roaming"))
    }
}

/// A file or folder, and the folder that no link may lead out of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub path: PathBuf,
    pub within: PathBuf,
}

impl Place {
    pub(crate) fn join(&self, path: impl AsRef<Path>) -> Self {
        Self { path: self.path.join(path), within: self.within.clone() }
    }
}
