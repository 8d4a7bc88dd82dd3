//! Asks a program which version it is.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How long a program may take to say its version.
const WAIT: Duration = Duration::from_secs(10);
/// How much of what it says is read, in bytes.
const SAID_MOST: u64 = 4 * 1024;
/// The longest version that is taken, in characters.
const VERSION_MOST: usize = 64;
/// What a program needs to run at all; nothing else is handed to it for such a small question.
const VARIABLES: [&str; 8] =
    ["PATH", "HOME", "USERPROFILE", "SystemRoot", "TMPDIR", "TEMP", "APPDATA", "LOCALAPPDATA"];

/// Asks a program for its version with `--version`; none where it does not say one in time.
pub fn ask(program: &Path) -> Option<String> {
    ask_within(program, WAIT)
}

fn ask_within(program: &Path, wait: Duration) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").env_clear().current_dir(std::env::temp_dir());
    command.envs(VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().ok()?;
    let stdout = child.stdout.take()?;
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut said = Vec::new();
        let read = stdout.take(SAID_MOST).read_to_end(&mut said);
        // Nobody waits any more where it took too long.
        let _ = tell.send(read.map(|_| said));
    });
    let said = told.recv_timeout(wait).ok().and_then(Result::ok);
    // Whatever it still does is of no use to anybody.
    end(&mut child);
    version_in(&String::from_utf8_lossy(&said?))
}

fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(id) = i32::try_from(child.id())
        && let Some(group) = rustix::process::Pid::from_raw(id)
    {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Finds the version in what a program says: the first word of its first lines that begins with a digit.
fn version_in(said: &str) -> Option<String> {
    let bare = |word: &str| word.strip_prefix('v').unwrap_or(word).trim_end_matches([',', ';']).to_owned();
    let is_version =
        |word: &String| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.');
    let found = said.split_whitespace().map(bare).find(is_version)?;
    Some(found.chars().filter(|c| c.is_ascii_graphic()).take(VERSION_MOST).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_first_word_that_looks_like_one() {
        assert_eq!(version_in("2.1.329 (Claude Code)\n").as_deref(), Some("2.1.329"));
        assert_eq!(version_in("codex-cli 0.169.0\n").as_deref(), Some("0.169.0"));
        assert_eq!(version_in("Zed v0.210.3, abc\n").as_deref(), Some("0.210.3"));
        assert_eq!(version_in("unknown option --version"), None);
    }

    /// Writes a program by way of a shell: a file that this process has open for writing cannot be run.
    #[cfg(unix)]
    fn program(folder: &Path, script: &str) -> std::path::PathBuf {
        let program = folder.join("agent");
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", r#"printf %s "$1" > "$0" && chmod +x "$0""#]).arg(&program).arg(script);
        assert!(shell.status().unwrap().success());
        program
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_asked_once_and_ended_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let quick = program(folder.path(), "#!/bin/sh\necho \"x 1.2.3 $1 $SECRET_OF_TEST\"\n");
        assert_eq!(ask(&quick).as_deref(), Some("1.2.3"));
        let slow = program(folder.path(), "#!/bin/sh\nsleep 600 &\nwait\n");
        let asked = std::time::Instant::now();
        assert_eq!(ask_within(&slow, Duration::from_millis(300)), None);
        assert!(asked.elapsed() < Duration::from_secs(60), "{:?}", asked.elapsed());
        assert_eq!(ask(&folder.path().join("none")), None);
    }
}
