//! The commands on an engine of their own, with the fake agent as the demo.
#![allow(dead_code, reason = "each test crate uses its part of it")]

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use askdesk_agents::{Catalog, Demo, installed_agents};
use askdesk_api::dto::{ExportFormat, Exported, NotePainted};
use askdesk_api::{DeskApi, Error, Save, dispatch};
use askdesk_domain::{ConfigValue, Request, Risk, ValueId};
use askdesk_engine::clock::System;
use askdesk_engine::frame::{Frame, Snapshot};
use askdesk_engine::{EngineHandle, OpenedEngine, SettingsFile};
use serde_json::{Value, json};
use uuid::Uuid;

/// Longer than anything here takes; what is late has hung.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Finds the fake agent; builds it where only one package is tested and nobody has built it yet.
pub fn fake_agent() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        let running = std::env::current_exe().unwrap();
        let target = running.ancestors().nth(3).unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "build",
            "--quiet",
            "--package",
            "askdesk-testkit",
            "--bin",
            "fake-agent",
            "--target-dir",
        ]);
        assert!(cargo.arg(target).status().unwrap().success(), "the fake agent does not build");
    };
    let find = || {
        askdesk_testkit::fake_agent::program().unwrap_or_else(|| {
            build();
            askdesk_testkit::fake_agent::program().expect("the fake agent stands beside the tests")
        })
    };
    PROGRAM.get_or_init(find).clone()
}

pub struct Bridge {
    pub api: DeskApi,
    pub folder: tempfile::TempDir,
    pub painted: Arc<Mutex<Vec<NotePainted>>>,
    /// The file the person chooses when something is to be saved.
    pub chosen: Arc<Mutex<Option<PathBuf>>>,
}

impl Bridge {
    pub fn open() -> Self {
        Self::open_in(tempfile::tempdir().unwrap())
    }

    /// Opens the same folder again, once the engine was closed.
    pub fn reopen(self) -> Self {
        Self::open_in(self.folder)
    }

    fn open_in(folder: tempfile::TempDir) -> Self {
        let data = folder.path().join("data");
        let record = format!("ASKDESK_FAKE_RECORD={}", folder.path().join("record").display());
        // A program that sets what the agent shall find in its environment, and then is the agent.
        let args = vec![record, "ASKDESK_FAKE_PACE=0".to_owned(), fake_agent().display().to_string()];
        let example = ConfigValue {
            id: ValueId::literal("technology"),
            name: "One choice".to_owned(),
            description: Some("A question".to_owned()),
            risk: Risk::Usual,
            planning: false,
        };
        let demo = Demo::new("/usr/bin/env".into(), args, folder.path().join("demo"), vec![example]);
        let mut agents = installed_agents();
        agents.push(Arc::new(demo));
        let agents = Catalog::new(agents);
        let OpenedEngine { handle, .. } =
            EngineHandle::open(&data, Arc::new(System), agents.clone()).unwrap();
        let painted: Arc<Mutex<Vec<NotePainted>>> = Arc::default();
        let notes = Arc::clone(&painted);
        let settings = Arc::new(SettingsFile::open(&data, agents));
        let api = DeskApi::new(handle, settings, Arc::new(move |note| notes.lock().unwrap().push(note)));
        let chosen: Arc<Mutex<Option<PathBuf>>> = Arc::default();
        let file = Arc::clone(&chosen);
        let save: Save = Arc::new(move |exported| {
            let file = file.lock().unwrap().clone();
            Box::pin(async move {
                let Some(file) = file else { return Ok(None) };
                std::fs::write(&file, exported.text).map_err(|error| {
                    let path = Some(file.clone());
                    askdesk_api::Unsaved { path, error: error.to_string() }
                })?;
                Ok(Some(file))
            })
        });
        Self { api: api.saving(save), folder, painted, chosen }
    }

    pub async fn call(&self, name: &str, input: Value) -> Result<Value, Error> {
        dispatch(&self.api, name, input).await
    }

    /// A session as it would be saved.
    pub async fn exported(&self, session: &Value, format: &str) -> Exported {
        let session = serde_json::from_value(session.clone()).unwrap();
        let format: ExportFormat = serde_json::from_value(json!(format)).unwrap();
        self.api.export(session, format).await.unwrap()
    }

    /// What the error says, as a consumer reads it.
    pub async fn refused(&self, name: &str, input: Value) -> Value {
        let error = self.call(name, input.clone()).await;
        serde_json::to_value(error.expect_err(&format!("{name} with {input} must be refused"))).unwrap()
    }

    pub async fn snapshot(&self) -> Snapshot {
        let mut subscription = self.api.engine().subscribe().await.unwrap();
        match subscription.take() {
            Some(Frame::Snapshot(snapshot)) => Arc::unwrap_or_clone(snapshot),
            other => panic!("a subscription begins with {other:?}"),
        }
    }

    /// Waits until something is true.
    pub async fn until(&self, what: &str, is_true: impl Fn(&Snapshot) -> bool) -> Snapshot {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let now = self.snapshot().await;
            if is_true(&now) {
                return now;
            }
            assert!(tokio::time::Instant::now() < deadline, "not in time: {what}; known: {now:#?}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Starts the demo and waits for its question.
    pub async fn asked(&self, example: &str) -> Request {
        self.call("start_session", demo(example)).await.unwrap();
        let open = |now: &Snapshot| now.requests.iter().any(Request::is_open);
        let now = self.until("the question is open", open).await;
        // The agent has nothing more to say until it is answered.
        tokio::time::sleep(Duration::from_millis(50)).await;
        now.requests.into_iter().find(Request::is_open).unwrap()
    }

    /// The words of every message the agents were sent, in order.
    pub fn messages(&self) -> Vec<String> {
        let record = std::fs::read_to_string(self.folder.path().join("record")).unwrap_or_default();
        let lines = record.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let sent = lines.filter(|line| line["dir"] == "in");
        let sent = sent.map(|line| serde_json::from_str::<Value>(line["line"].as_str().unwrap()).unwrap());
        let text = |line: Value| {
            let content = &line["message"]["content"];
            content.as_str().or_else(|| content[0]["text"].as_str()).map(str::to_owned)
        };
        sent.filter(|line| line["type"] == "user").filter_map(text).collect()
    }

    /// How many lines that decide something the agent was sent.
    pub fn decisions(&self) -> usize {
        let record = std::fs::read_to_string(self.folder.path().join("record")).unwrap_or_default();
        let lines = record.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let sent = lines.filter(|line| line["dir"] == "in");
        sent.filter(|line| line["line"].as_str().unwrap().contains("\"control_response\"")).count()
    }
}

/// A start of Claude Code, for which the fake agent plays a scenario.
#[cfg(unix)]
pub fn claude_code(bridge: &Bridge, scenario: &str, config: &Value) -> Value {
    use std::os::unix::fs::PermissionsExt;
    let program = bridge.folder.path().join("claude");
    let fake = fake_agent();
    let script =
        format!("#!/bin/sh\nASKDESK_FAKE_PACE=0 exec '{}' --scenario {scenario} \"$@\"\n", fake.display());
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    json!({
        "requestId": fresh(), "agent": "claude_code", "folder": bridge.folder.path(), "prompt": "go",
        "options": {"program": program, "config": config}
    })
}

pub fn demo(example: &str) -> Value {
    json!({"requestId": fresh(), "agent": "demo", "prompt": "go", "options": {"config": {"example": example}}})
}

pub fn fresh() -> Uuid {
    Uuid::new_v4()
}
