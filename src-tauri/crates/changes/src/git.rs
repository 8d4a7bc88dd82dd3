//! Runs git with limits on its time and output, and without any config but ours.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How much of git's output is read, in bytes.
const MAX_OUTPUT: u64 = 256 * 1024 * 1024;
/// How much of git's error output is read, in bytes.
const MAX_ERRORS: u64 = 16 * 1024;
/// How often a running git is looked at.
const POLL: Duration = Duration::from_millis(2);

#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    #[error("git {command} took longer than {seconds} seconds")]
    TimedOut { command: String, seconds: u64 },
    #[error("git {command} wrote more than {MAX_OUTPUT} bytes")]
    TooMuchOutput { command: String },
    #[error("git {command} failed ({status}): {errors}")]
    Failed { command: String, status: ExitStatus, errors: String },
    #[error("git can't be run: {0}")]
    NotStarted(std::io::Error),
}

/// Finds the installed git.
pub(crate) fn program() -> Option<PathBuf> {
    let found = which::which("git").ok()?;
    // On a Mac without developer tools, this program only opens a dialog that offers to install them.
    let stub = cfg!(target_os = "macos") && found == Path::new("/usr/bin/git");
    let tools = ["/Library/Developer/CommandLineTools/usr/bin/git", "/Applications/Xcode.app"];
    (!stub || tools.iter().any(|tool| Path::new(tool).exists())).then_some(found)
}

#[derive(Clone, Debug)]
pub(crate) struct Git {
    program: PathBuf,
    folder: PathBuf,
    variables: Vec<(&'static str, OsString)>,
}

impl Git {
    /// A git that finds the repository of a folder by itself, and reads nothing from it but where it is.
    pub(crate) fn discovering(program: &Path, folder: &Path) -> Self {
        Self { program: program.to_owned(), folder: folder.to_owned(), variables: Vec::new() }
    }

    /// A git with a git directory of ours, whose files are below `top`.
    pub(crate) fn private(program: &Path, git_dir: &Path, top: &Path) -> Self {
        let variables =
            vec![("GIT_DIR", git_dir.as_os_str().to_owned()), ("GIT_WORK_TREE", top.as_os_str().to_owned())];
        Self { program: program.to_owned(), folder: top.to_owned(), variables }
    }

    /// The same git with another index.
    pub(crate) fn with_index(&self, index: &Path) -> Self {
        let mut other = self.clone();
        other.variables.push(("GIT_INDEX_FILE", index.as_os_str().to_owned()));
        other
    }

    /// Runs a command and returns its output.
    pub(crate) fn run(
        &self,
        arguments: &[&OsStr],
        input: Vec<u8>,
        limit: Duration,
    ) -> Result<Vec<u8>, GitError> {
        let name = arguments.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut child = self.command(arguments).spawn().map_err(GitError::NotStarted)?;
        let stdin = child.stdin.take();
        let writer = std::thread::spawn(move || {
            // Git may end without reading all of it; its status says why.
            let _ = stdin.map(|mut stdin| stdin.write_all(&input));
        });
        let output = read_in_background(child.stdout.take(), MAX_OUTPUT);
        let errors = read_in_background(child.stderr.take(), MAX_ERRORS);
        let status = wait(&mut child, limit);
        let (_, output, errors) = (writer.join(), output.join(), errors.join());
        let Some(status) = status.map_err(GitError::NotStarted)? else {
            return Err(GitError::TimedOut { command: name, seconds: limit.as_secs() });
        };
        let output = output.unwrap_or_default();
        if output.len() as u64 >= MAX_OUTPUT {
            return Err(GitError::TooMuchOutput { command: name });
        }
        if !status.success() {
            let errors = String::from_utf8_lossy(&errors.unwrap_or_default()).trim().to_owned();
            return Err(GitError::Failed { command: name, status, errors });
        }
        Ok(output)
    }

    fn command(&self, arguments: &[&OsStr]) -> Command {
        let mut command = Command::new(&self.program);
        // Variables such as GIT_DIR or GIT_EXTERNAL_DIFF of whoever started the app are not for this git.
        let inherited = std::env::vars_os().map(|(name, _)| name);
        inherited.filter(|name| name.as_encoded_bytes().starts_with(b"GIT_")).for_each(|name| {
            command.env_remove(name);
        });
        command
            .args(["--no-pager", "--literal-pathspecs"])
            .args([
                "-c",
                "core.fsmonitor=false",
                "-c",
                "core.hooksPath=/dev/null",
                "-c",
                "core.quotePath=false",
            ])
            .args(["-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "protocol.allow=never"])
            .args(arguments)
            .current_dir(&self.folder)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("LC_ALL", "C")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        hide_console(&mut command);
        command
    }
}

/// Keeps Windows from showing a console for a moment.
#[cfg(windows)]
fn hide_console(command: &mut Command) {
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    std::os::windows::process::CommandExt::creation_flags(command, CREATE_NO_WINDOW);
}

#[cfg(not(windows))]
fn hide_console(_: &mut Command) {}

fn read_in_background(from: Option<impl Read + Send + 'static>, most: u64) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut read = Vec::new();
        // What is cut off is noticed by its length.
        let _ = from.map(|from| from.take(most).read_to_end(&mut read));
        read
    })
}

/// Waits for a process; ends it and returns none after the limit.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}

/// The arguments of a command as git takes them.
pub(crate) fn arguments<'a>(words: &'a [&'a str], paths: &'a [OsString]) -> Vec<&'a OsStr> {
    words.iter().map(OsStr::new).chain(paths.iter().map(OsString::as_os_str)).collect()
}
