//! Starts a program that outlives Askdesk.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use askdesk_domain::OpenError;
use askdesk_user_environment::variables;

/// How long a start is watched. A program that fails later has a window of its own to say so.
const WATCHED: Duration = Duration::from_secs(1);

/// A program to start, with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub folder: PathBuf,
    /// Variables set for it, beside those of the user's environment.
    pub env: Vec<(OsString, OsString)>,
    /// Variables of the user's environment that it must not see.
    pub env_remove: Vec<OsString>,
}

impl Launch {
    pub fn new(program: PathBuf, args: Vec<OsString>, folder: &Path) -> Self {
        Self { program, args, folder: folder.to_owned(), env: Vec::new(), env_remove: Vec::new() }
    }

    fn name(&self) -> String {
        self.program.file_name().unwrap_or(self.program.as_os_str()).display().to_string()
    }
}

/// Starts a program and watches it for a second. Blocks.
pub fn start(launch: &Launch) -> Result<(), OpenError> {
    let mut command = Command::new(&launch.program);
    command.args(&launch.args).current_dir(&launch.folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    variables().give_to(&mut command);
    for name in &launch.env_remove {
        command.env_remove(name);
    }
    command.envs(launch.env.iter().map(|(name, value)| (name, value)));
    let not_started =
        |error: std::io::Error| OpenError::NotStarted { program: launch.name(), error: error.to_string() };
    #[cfg(unix)]
    askdesk_user_environment::in_own_session(&mut command).map_err(not_started)?;
    let mut child = command.spawn().map_err(not_started)?;
    let (ended, has_ended) = mpsc::channel();
    // It goes on waiting, so that the ended process doesn't stay as a zombie.
    thread::spawn(move || {
        let _ = ended.send(child.wait());
    });
    match has_ended.recv_timeout(WATCHED) {
        Ok(Ok(status)) if !status.success() => {
            Err(OpenError::Exited { program: launch.name(), code: status.code() })
        }
        Ok(Err(error)) => {
            tracing::warn!(%error, "{} could not be watched", launch.name());
            Ok(())
        }
        // Many programs hand over to a running instance and exit.
        Ok(Ok(_)) | Err(_) => Ok(()),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Launch {
        Launch::new("/bin/sh".into(), vec!["-c".into(), script.into()], Path::new("/"))
    }

    #[test]
    fn a_program_that_runs_or_hands_over_has_started_and_one_that_fails_at_once_has_not() {
        assert_eq!(start(&shell("exit 0")), Ok(()));
        assert_eq!(start(&shell("sleep 3")), Ok(()));
        assert_eq!(
            start(&shell("exit 3")),
            Err(OpenError::Exited { program: "sh".to_owned(), code: Some(3) })
        );
        assert_eq!(
            start(&shell("kill -9 $$")),
            Err(OpenError::Exited { program: "sh".to_owned(), code: None })
        );
        let missing = Launch::new("/nowhere/ed".into(), Vec::new(), Path::new("/"));
        assert!(matches!(start(&missing), Err(OpenError::NotStarted { program, .. }) if program == "ed"));
    }

    #[test]
    fn a_program_gets_its_arguments_and_folder_and_a_session_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("seen");
        let mut launch = shell(
            "printf '%s\\0' \"$PWD\" \"$@\" \"$VISIBLE\" \"$(ps -o sid= -p $$ | tr -d ' ')\" \"$$\" > seen",
        );
        launch.args.extend(["sh", "a b", "$(x)\n", "-y"].map(OsString::from));
        launch.folder = folder.path().to_owned();
        launch.env.push(("VISIBLE".into(), "yes".into()));
        assert_eq!(start(&launch), Ok(()));
        let seen = std::fs::read_to_string(file).unwrap();
        let seen: Vec<&str> = seen.split_terminator('\0').collect();
        assert_eq!(seen[1..5], ["a b", "$(x)\n", "-y", "yes"]);
        assert!(seen[0].ends_with(folder.path().file_name().unwrap().to_str().unwrap()));
        assert_eq!(seen[5], seen[6], "it leads its session");
    }
}
