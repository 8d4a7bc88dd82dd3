//! A real gateway, a user's home folder, and the `askdesk` program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use askdesk_domain::{Desk, Request, Session};
use askdesk_gateway::Timeouts;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Child;

use crate::gateway;
use crate::gateway::fixture::{PATIENCE, first_open};
use crate::gateway::real_claude::which_store;

pub const QUESTION: &str = "Which store should the notes be kept in?";

pub fn questions() -> Value {
    which_store(QUESTION)
}

/// A gateway, and a user's home folder and project.
pub struct Fixture {
    pub gateway: gateway::fixture::Fixture,
    folder: TempDir,
}

impl Fixture {
    pub async fn open() -> Self {
        Self::open_with(Timeouts::default()).await
    }

    /// Uses a gateway that sends progress often.
    pub async fn open_with_frequent_progress() -> Self {
        Self::open_with(Timeouts { progress: Duration::from_millis(200), ..Timeouts::default() }).await
    }

    async fn open_with(timeouts: Timeouts) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "project"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { gateway: gateway::fixture::Fixture::open_with(timeouts).await, folder }
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn project(&self) -> PathBuf {
        // Programs report a folder without links.
        dunce::canonicalize(self.folder.path().join("project")).unwrap()
    }

    /// Runs `askdesk` as the user, and returns its output.
    pub async fn askdesk(&self, line: &[&str]) -> String {
        self.askdesk_with(line, Vec::new()).await
    }

    /// Runs it with further environment variables.
    pub async fn askdesk_with(&self, line: &[&str], set: Vec<(String, String)>) -> String {
        // It talks to the gateway, so this must not block.
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_askdesk"));
        command.args(line).env_clear().envs(set).current_dir(self.project()).stdin(Stdio::null());
        command.env("ASKDESK_DATA_DIR", self.gateway.folder.path()).env("HOME", self.home());
        let output = command.output().await.unwrap();
        assert!(output.status.success(), "askdesk {line:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Starts a program whose output is kept in a file.
    pub fn start(&self, command: Command) -> Running {
        let mut running = self.start_with_input(command);
        // Some programs wait for the end of their input before they start.
        drop(running.child.stdin.take());
        running
    }

    /// Starts a program with an open input.
    pub fn start_with_input(&self, command: Command) -> Running {
        let output = self.folder.path().join("output.txt");
        let into = fs::File::create(&output).unwrap();
        let mut command = tokio::process::Command::from(command);
        command.stdin(Stdio::piped());
        command.stdout(into.try_clone().unwrap()).stderr(into).kill_on_drop(true);
        Running { child: command.spawn().unwrap(), output }
    }

    /// Waits until a condition holds, while the program runs.
    pub async fn until<T: Send + 'static>(
        &self,
        running: &mut Running,
        what: &str,
        is_true: impl Fn(&Desk) -> Option<T> + Clone + Send + 'static,
    ) -> T {
        let looking = async {
            loop {
                let is_true = is_true.clone();
                if let Some(found) = self.gateway.engine.inspect(move |desk| is_true(desk)).await.unwrap() {
                    return found;
                }
                running.must_run(what);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        match tokio::time::timeout(PATIENCE, looking).await {
            Ok(found) => found,
            Err(_) => panic!("not in time: {what}; the program says:\n{}", running.says()),
        }
    }

    /// Waits for the program's question.
    pub async fn asked(&self, running: &mut Running) -> (Request, Session) {
        self.until(running, "it asks", first_open).await
    }
}

/// A program. Dropping it ends the program.
pub struct Running {
    child: Child,
    output: PathBuf,
}

impl Running {
    pub fn says(&self) -> String {
        fs::read_to_string(&self.output).unwrap()
    }

    fn must_run(&mut self, what: &str) {
        let ended = self.child.try_wait().unwrap();
        assert!(ended.is_none(), "it ended ({ended:?}) before: {what}; it says:\n{}", self.says());
    }

    /// Writes to its input.
    pub async fn say(&mut self, words: &str) {
        self.child.stdin.as_mut().unwrap().write_all(words.as_bytes()).await.unwrap();
    }

    /// Waits for a line of JSON that matches.
    pub async fn line<T>(&mut self, found: impl Fn(&Value) -> Option<T>) -> T {
        let looking = async {
            loop {
                // This comes before the output is read, so that its last line counts too.
                let ended = self.child.try_wait().unwrap();
                let said = self.says();
                let mut lines = said.lines().filter_map(|line| serde_json::from_str(line).ok());
                if let Some(found) = lines.find_map(|line| found(&line)) {
                    return found;
                }
                assert!(ended.is_none(), "it ended ({ended:?}) and said:\n{said}");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, looking).await.expect("it says so in time")
    }

    /// Waits until it exits with success, and returns its output.
    pub async fn ends_well(mut self) -> String {
        drop(self.child.stdin.take());
        match tokio::time::timeout(PATIENCE, self.child.wait()).await {
            Ok(status) => assert!(status.unwrap().success(), "it says:\n{}", self.says()),
            Err(_) => panic!("it does not end; it says:\n{}", self.says()),
        }
        self.says()
    }
}

/// Returns the text of each file.
pub fn read(files: &[(PathBuf, String)]) -> Vec<(&Path, String)> {
    let text = |file: &Path| fs::read_to_string(file).unwrap_or_else(|error| error.to_string());
    files.iter().map(|(file, _)| (file.as_path(), text(file))).collect()
}
