//! Asks a program which version it is.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use process_wrap::tokio::{CommandWrap, KillOnDrop};
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::time::timeout;

/// How long a program may take to say its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(5);
/// How much of what it says is read, in bytes.
const VERSION_OUTPUT: u64 = 4 * 1024;
/// The longest version that is taken, in characters.
const VERSION_CHARS: usize = 64;
/// What a program needs to run at all; nothing else is handed to it for such a small question.
const VARIABLES: &[&str] = &["PATH", "HOME", "USERPROFILE", "SystemRoot", "TMPDIR", "TEMP"];

/// Asks a program for its version with `--version`; none where it does not say one in time.
pub async fn ask_version(program: &Path) -> Option<String> {
    ask_version_within(program, VERSION_TIMEOUT).await
}

async fn ask_version_within(program: &Path, wait: Duration) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").env_clear().current_dir(std::env::temp_dir());
    command.envs(VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut command = CommandWrap::from(command);
    command.wrap(KillOnDrop);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    let mut child = command.spawn().ok()?;
    let stdout = child.stdout().take()?;
    let said = timeout(wait, async move {
        let mut said = Vec::new();
        stdout.take(VERSION_OUTPUT).read_to_end(&mut said).await.ok()?;
        Some(said)
    });
    let said = said.await.ok().flatten();
    // Whatever it still does is of no use to anybody.
    let _ = child.start_kill();
    let _ = timeout(VERSION_TIMEOUT, child.wait()).await;
    version_in(&String::from_utf8_lossy(&said?))
}

/// Finds the version in what a program says: the first word of its first line that begins with a digit.
fn version_in(said: &str) -> Option<String> {
    let line = said.lines().find(|line| !line.trim().is_empty())?;
    let bare = |word: &str| word.strip_prefix('v').unwrap_or(word).to_owned();
    let is_version =
        |word: &String| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.');
    line.split_whitespace().map(bare).find(is_version).map(|word| word.chars().take(VERSION_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("2.1.329 (Claude Code)\n", Some("2.1.329"))]
    #[case("\nclaude v3.0.0-beta\nmore", Some("3.0.0-beta"))]
    #[case("unknown option --version", None)]
    #[case("", None)]
    fn the_version_is_the_first_word_that_looks_like_one(#[case] said: &str, #[case] expected: Option<&str>) {
        assert_eq!(version_in(said).as_deref(), expected);
    }

    /// Writes a program by way of a shell: a file that this process has open for writing cannot be run, and whatever
    /// another test starts at that moment holds it open too.
    #[cfg(unix)]
    fn program(folder: &Path, script: &str) -> std::path::PathBuf {
        let program = folder.join("agent");
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", r#"printf %s "$1" > "$0" && chmod +x "$0""#]).arg(&program).arg(script);
        assert!(shell.status().unwrap().success());
        program
    }

    #[cfg(unix)]
    #[rstest]
    #[case("#!/bin/sh\necho \"1.2.3 ($1 $SECRET_OF_TEST)\"\n", Some("1.2.3"))]
    #[case("#!/bin/sh\nexit 3\n", None)]
    #[case(
        "#!/bin/sh\nyes 1.2 | tr -d '\\n'\n",
        Some("1.21.21.21.21.21.21.21.21.21.21.21.21.21.21.21.21.21.21.21.21.21")
    )]
    #[tokio::test]
    async fn a_program_is_asked_and_left_alone(#[case] script: &str, #[case] expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), script);
        assert_eq!(ask_version(&program).await.as_deref(), expected);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_program_that_does_not_say_its_version_is_ended_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        let script =
            format!("#!/bin/sh\nsleep 600 &\necho $! > {0}.new; mv {0}.new {0}; wait\n", pid.display());
        let program = program(folder.path(), &script);
        let asked = std::time::Instant::now();
        assert_eq!(ask_version_within(&program, Duration::from_millis(300)).await, None);
        assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
        let pid = std::fs::read_to_string(pid).unwrap();
        let stat = std::path::PathBuf::from("/proc").join(pid.trim()).join("stat");
        let runs = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
        while cfg!(target_os = "linux") && runs() {
            assert!(asked.elapsed() < Duration::from_secs(30), "what it started lives on");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}
