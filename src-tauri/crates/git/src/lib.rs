//! Runs the installed git with limits on its time and output, without a prompt, and without a console window.
//!
//! There are two ways to run it. A *closed* git reads no config of the user or the system, but for the folders of other users
//! that they trust, and starts no program: it is for what Askdesk does by itself. A git *of the user* has their config and hooks, as in their terminal: it is only for what the
//! user has just asked for.

mod of_user;
mod path;
mod process;
mod refused;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use askdesk_user_environment::variables;
pub use of_user::excludes_file;
pub use path::{to_bytes, to_path};

/// How much of git's output is read, in bytes.
const MAX_OUTPUT: u64 = 256 * 1024 * 1024;
/// How much of git's error output is read, in bytes.
const MAX_ERRORS: u64 = 16 * 1024;

/// Variables that say which repository a git works on, or make it start another program. They are for whoever started the
/// app, and not for a git that works on another folder.
const OF_ANOTHER_GIT: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_QUARANTINE_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_LITERAL_PATHSPECS",
    "GIT_REFLOG_ACTION",
];

#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("git {command} took longer than {seconds} seconds")]
    TimedOut { command: String, seconds: u64 },
    #[error("git {command} wrote more than {MAX_OUTPUT} bytes")]
    TooMuchOutput { command: String },
    #[error("git {command} failed ({status}): {errors}")]
    Failed {
        command: String,
        status: ExitStatus,
        /// What it wrote before it failed, for commands whose exit code is an answer.
        output: Vec<u8>,
        errors: String,
    },
    #[error("git can't be run: {0}")]
    NotStarted(std::io::Error),
}

impl GitError {
    /// The repository that git refuses because it belongs to another user. Only a closed git says so in words that are known.
    pub fn repository_of_other(&self) -> Option<PathBuf> {
        let Self::Failed { errors, .. } = self else { return None };
        let (_, rest) = errors.split_once("detected dubious ownership in repository at '")?;
        Some(PathBuf::from(rest.lines().next()?.trim_end_matches('\'')))
    }
}

/// Finds the installed git.
pub fn program() -> Option<PathBuf> {
    let found = variables().find_program("git")?;
    // On a Mac without developer tools, this program only opens a dialog that offers to install them.
    let stub = cfg!(target_os = "macos") && found == Path::new("/usr/bin/git");
    let tools = ["/Library/Developer/CommandLineTools/usr/bin/git", "/Applications/Xcode.app"];
    (!stub || tools.iter().any(|tool| Path::new(tool).exists())).then_some(found)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Config {
    Closed,
    OfUser,
}

#[derive(Clone, Debug)]
pub struct Git {
    program: PathBuf,
    folder: PathBuf,
    config: Config,
    variables: Vec<(&'static str, OsString)>,
}

impl Git {
    /// A git without any config but the repository's own, which starts no program and never reaches the network.
    pub fn closed(program: &Path, folder: &Path) -> Self {
        Self::new(program, folder, Config::Closed)
    }

    /// A git with the user's config and hooks. It never asks for anything, and opens no editor.
    pub fn of_user(program: &Path, folder: &Path) -> Self {
        Self::new(program, folder, Config::OfUser)
    }

    fn new(program: &Path, folder: &Path, config: Config) -> Self {
        Self { program: program.to_owned(), folder: folder.to_owned(), config, variables: Vec::new() }
    }

    /// The same git with another variable.
    #[must_use]
    pub fn with(&self, name: &'static str, value: impl AsRef<OsStr>) -> Self {
        let mut other = self.clone();
        other.variables.push((name, value.as_ref().to_owned()));
        other
    }

    /// The same git in another folder.
    #[must_use]
    pub fn in_folder(&self, folder: &Path) -> Self {
        Self { folder: folder.to_owned(), ..self.clone() }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs a command and returns its output.
    pub fn run(&self, arguments: &[&OsStr], input: Vec<u8>, limit: Duration) -> Result<Vec<u8>, GitError> {
        let result = self.run_once(&[], arguments, input.clone(), limit);
        let refused = result.as_ref().is_err_and(|error| error.repository_of_other().is_some());
        if !refused || self.config == Config::OfUser {
            return result;
        }
        // Whom the user trusts is for the user's config to say, also where nothing else of it is read.
        match of_user::safe_directories(&self.program, &self.folder) {
            safe if safe.is_empty() => result,
            safe => self.run_once(&safe, arguments, input, limit),
        }
    }

    fn run_once(
        &self,
        config: &[OsString],
        arguments: &[&OsStr],
        input: Vec<u8>,
        limit: Duration,
    ) -> Result<Vec<u8>, GitError> {
        let command = arguments.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let run = self.command(config, arguments);
        let ended = process::run(run, input, limit).map_err(GitError::NotStarted)?;
        let Some(ended) = ended else {
            return Err(GitError::TimedOut { command, seconds: limit.as_secs() });
        };
        if ended.output.len() as u64 >= MAX_OUTPUT {
            return Err(GitError::TooMuchOutput { command });
        }
        if !ended.status.success() {
            let errors = String::from_utf8_lossy(&ended.errors).trim().to_owned();
            return Err(GitError::Failed { command, status: ended.status, output: ended.output, errors });
        }
        Ok(ended.output)
    }

    fn command(&self, config: &[OsString], arguments: &[&OsStr]) -> Command {
        let mut command = Command::new(&self.program);
        let variables = variables();
        variables.give_to(&mut command);
        let goes = |name: &&OsStr| match self.config {
            Config::Closed => name.as_encoded_bytes().starts_with(b"GIT_"),
            Config::OfUser => name.to_str().is_some_and(|name| OF_ANOTHER_GIT.contains(&name)),
        };
        for name in variables.iter().map(|(name, _)| name).filter(goes) {
            command.env_remove(name);
        }
        command.args(["--no-pager", "--literal-pathspecs", "-c", "core.quotePath=false"]);
        match self.config {
            Config::Closed => close(&mut command),
            Config::OfUser => keep_quiet(&mut command),
        }
        for setting in config {
            command.arg("-c").arg(setting);
        }
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env("GIT_TERMINAL_PROMPT", "0")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// Takes away every config and program that is not git's own.
fn close(command: &mut Command) {
    command
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        .args(["-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "protocol.allow=never"])
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_ATTR_NOSYSTEM", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("LC_ALL", "C");
}

/// Answers every editor with what is there, and leaves no terminal to ask in.
fn keep_quiet(command: &mut Command) {
    command
        .env("GIT_EDITOR", "true")
        .env("GIT_SEQUENCE_EDITOR", "true")
        .env("GIT_MERGE_AUTOEDIT", "no")
        .env_remove("GPG_TTY");
}

/// The arguments of a command as git takes them.
pub fn arguments<'a>(words: &'a [&'a str], more: &'a [OsString]) -> Vec<&'a OsStr> {
    words.iter().map(OsStr::new).chain(more.iter().map(OsString::as_os_str)).collect()
}
