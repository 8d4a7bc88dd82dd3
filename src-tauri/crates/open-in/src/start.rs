//! Starts a program that outlives Askdesk.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use askdesk_domain::OpenError;

/// How long a start is watched. A program that fails later has a window of its own to say so.
const WATCHED: Duration = Duration::from_secs(1);

/// A program to start, with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub folder: PathBuf,
    /// Variables set for it, beside those it inherits.
    pub env: Vec<(OsString, OsString)>,
    /// Inherited variables it must not see.
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
    for (name, value) in cleaned(env::vars_os()) {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    for name in &launch.env_remove {
        command.env_remove(name);
    }
    command.envs(launch.env.iter().map(|(name, value)| (name, value)));
    // Ctrl+C in the terminal that Askdesk was started from must not reach it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let not_started =
        |error: std::io::Error| OpenError::NotStarted { program: launch.name(), error: error.to_string() };
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

/// Variables that Askdesk sets for its own webview.
const OWN: [&str; 1] = ["WEBKIT_DISABLE_DMABUF_RENDERER"];

/// Variables that the start script of an AppImage sets for what is inside it.
const OF_IMAGE: [&str; 6] = ["APPDIR", "APPIMAGE", "ARGV0", "OWD", "GDK_BACKEND", "GTK_THEME"];

/// Lists the variables that another program must not inherit; with a value, it gets that one instead.
fn cleaned(vars: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, Option<OsString>)> {
    let vars: Vec<_> = vars.collect();
    let image =
        vars.iter().find(|(name, value)| name == "APPDIR" && !value.is_empty()).map(|(_, value)| value);
    let change = |(name, value): &(OsString, OsString)| {
        let is_of_image = image.is_some() && OF_IMAGE.iter().any(|it| name == it);
        if name.as_encoded_bytes().starts_with(b"ASKDESK_") || OWN.iter().any(|it| name == it) || is_of_image
        {
            return Some((name.clone(), None));
        }
        outside(value, Path::new(image?)).map(|kept| (name.clone(), kept))
    };
    vars.iter().filter_map(change).collect()
}

/// Drops the paths inside an AppImage from a list of paths; none if there are none of those.
fn outside(value: &OsStr, image: &Path) -> Option<Option<OsString>> {
    let paths: Vec<PathBuf> = env::split_paths(value).collect();
    let kept: Vec<&PathBuf> = paths.iter().filter(|path| !path.starts_with(image)).collect();
    if kept.len() == paths.len() {
        return None;
    }
    let is_empty = kept.iter().all(|path| path.as_os_str().is_empty());
    Some(env::join_paths(kept).ok().filter(|_| !is_empty))
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
    fn a_program_gets_its_arguments_and_folder_and_a_process_group_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("seen");
        let mut launch = shell(
            "printf '%s\\0' \"$PWD\" \"$@\" \"$VISIBLE\" \"$(ps -o pgid= -p $$ | tr -d ' ')\" \"$$\" > seen",
        );
        launch.args.extend(["sh", "a b", "$(x)\n", "-y"].map(OsString::from));
        launch.folder = folder.path().to_owned();
        launch.env.push(("VISIBLE".into(), "yes".into()));
        assert_eq!(start(&launch), Ok(()));
        let seen = std::fs::read_to_string(file).unwrap();
        let seen: Vec<&str> = seen.split_terminator('\0').collect();
        assert_eq!(seen[1..5], ["a b", "$(x)\n", "-y", "yes"]);
        assert!(seen[0].ends_with(folder.path().file_name().unwrap().to_str().unwrap()));
        assert_eq!(seen[5], seen[6], "it leads its process group");
    }

    fn check(vars: &[(&str, &str)], expected: &[(&str, Option<&str>)]) {
        let vars = vars.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let expected: Vec<_> =
            expected.iter().map(|(name, value)| (OsString::from(name), value.map(OsString::from))).collect();
        assert_eq!(cleaned(vars), expected);
    }

    #[test]
    fn what_askdesk_sets_for_itself_stays_here() {
        check(
            &[
                ("PATH", "/bin"),
                ("ASKDESK_DATA_DIR", "/d"),
                ("WEBKIT_DISABLE_DMABUF_RENDERER", "1"),
                ("GDK_BACKEND", "x11"),
            ],
            &[("ASKDESK_DATA_DIR", None), ("WEBKIT_DISABLE_DMABUF_RENDERER", None)],
        );
    }

    #[test]
    fn what_an_appimage_sets_stays_here() {
        check(
            &[
                ("APPDIR", "/tmp/.mount_a"),
                ("APPIMAGE", "/home/ada/Askdesk.AppImage"),
                ("GDK_BACKEND", "x11"),
                ("PATH", "/tmp/.mount_a/usr/bin:/usr/bin:/bin"),
                ("GTK_PATH", "/tmp/.mount_a/usr/lib/gtk-3.0"),
                ("LD_LIBRARY_PATH", "/tmp/.mount_a/usr/lib:"),
                ("HOME", "/home/ada"),
                ("NOTE", "/tmp/.mount_ab"),
            ],
            &[
                ("APPDIR", None),
                ("APPIMAGE", None),
                ("GDK_BACKEND", None),
                ("PATH", Some("/usr/bin:/bin")),
                ("GTK_PATH", None),
                ("LD_LIBRARY_PATH", None),
            ],
        );
    }
}
