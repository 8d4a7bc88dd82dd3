//! The API on an engine of its own, with the fake agent in place of the demo.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use askdesk_agents::{Agent, Catalog, Demo, installed_agents};
use askdesk_api::{Api, ClientHost, Host, SaveError, SelfTestError, UpdateAsked};
use askdesk_contract::frame::{Frame, Snapshot};
use askdesk_contract::{
    Error, ExportFormat, Exported, NotePainted, NoteView, NotificationLogEntry, Pending, UnappliedReason,
    UnappliedSetting, UpdatePhase, UpdateRead,
};
use askdesk_desk::Desk;
use askdesk_domain::{ConfigValue, OptIn, Request, Settings, ValueId};
use askdesk_engine::clock::{Clock, SystemClock};
use askdesk_engine::{EngineHandle, SettingsFile};
use askdesk_open_in::{Os, Search};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::dispatch::dispatch;

/// Longer than any step of a test takes.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub fn fake_agent() -> PathBuf {
    askdesk_testkit::fake_agent::program_or_build().unwrap()
}

/// Records what the API asks of its host, and answers as the test says.
#[derive(Default)]
pub struct TestHost {
    pub views: Mutex<Vec<NoteView>>,
    pub log: Mutex<Vec<NotificationLogEntry>>,
    pub painted: Mutex<Vec<NotePainted>>,
    /// The file that the user chooses to save to.
    pub chosen: Mutex<Option<PathBuf>>,
    pub saved: Mutex<Vec<Exported>>,
    pub start_at_login: Mutex<Vec<OptIn>>,
    pub shortcuts: Mutex<Vec<String>>,
    /// Why a system setting that is turned on is not applied.
    pub refuses: Mutex<Option<UnappliedReason>>,
    /// The folders with the user's programs.
    pub programs: Mutex<Vec<PathBuf>>,
    pub revealed: Mutex<Vec<PathBuf>>,
    pub client_host: Mutex<Option<ClientHost>>,
    /// How often the shell was asked for its environment.
    pub environments_read: Arc<Mutex<u32>>,
    /// The results of the next self tests.
    pub self_tests: Mutex<VecDeque<Result<(), SelfTestError>>>,
    pub updates_asked: Mutex<Vec<UpdateAsked>>,
}

impl Host for TestHost {
    fn note_view(&self, view: NoteView) {
        self.views.lock().unwrap().push(view);
    }

    fn notification_log(&self) -> Vec<NotificationLogEntry> {
        self.log.lock().unwrap().clone()
    }

    fn painted(&self, painted: NotePainted) {
        self.painted.lock().unwrap().push(painted);
    }

    fn save(&self, export: Exported) -> Pending<Result<Option<PathBuf>, SaveError>> {
        let file = self.chosen.lock().unwrap().clone();
        let write = |file: &PathBuf| std::fs::write(file, &export.text);
        let written = file.as_ref().map_or(Ok(()), write);
        self.saved.lock().unwrap().push(export);
        let result = match written {
            Ok(()) => Ok(file),
            Err(error) => Err(SaveError { path: file, error: error.to_string() }),
        };
        Box::pin(async move { result })
    }

    fn apply_system_settings(&self, settings: &Settings) -> Pending<Vec<UnappliedSetting>> {
        let &Settings { start_at_login, global_shortcut, .. } = settings;
        self.start_at_login.lock().unwrap().push(start_at_login);
        self.shortcuts.lock().unwrap().push(global_shortcut.into());
        let refused = |is_on: bool| self.refuses.lock().unwrap().clone().filter(|_| is_on);
        let login = refused(start_at_login == OptIn::On).map(|why| UnappliedSetting::StartAtLogin { why });
        let shortcut = refused(global_shortcut.combination().is_some());
        let shortcut = shortcut.map(|why| UnappliedSetting::GlobalShortcut { why });
        let unapplied = login.into_iter().chain(shortcut).collect();
        Box::pin(async move { unapplied })
    }

    fn client_host(&self) -> Option<ClientHost> {
        self.client_host.lock().unwrap().clone()
    }

    fn read_environment(&self) -> Pending<()> {
        let read = Arc::clone(&self.environments_read);
        Box::pin(async move { *read.lock().unwrap() += 1 })
    }

    fn program_search(&self) -> Search {
        Search { os: Os::CURRENT, folders: self.programs.lock().unwrap().clone(), applications: Vec::new() }
    }

    fn reveal(&self, path: &Path) -> Result<(), String> {
        self.revealed.lock().unwrap().push(path.to_owned());
        Ok(())
    }

    fn updates(&self, asked: UpdateAsked) -> Pending<UpdateRead> {
        self.updates_asked.lock().unwrap().push(asked);
        Box::pin(async {
            UpdateRead {
                running: "0.2.0".to_owned(),
                phase: UpdatePhase::Unavailable,
                problem: None,
                in_the_way: Vec::new(),
                checked_at: None,
                is_offered: false,
                by_hand: None,
            }
        })
    }

    fn self_test(&self) -> Pending<Result<(), SelfTestError>> {
        let next = self.self_tests.lock().unwrap().pop_front();
        Box::pin(async { next.unwrap_or(Err(SelfTestError::GatewayClosed)) })
    }
}

pub struct Bridge {
    pub api: Api,
    pub folder: tempfile::TempDir,
    pub host: Arc<TestHost>,
}

impl Bridge {
    pub fn open() -> Self {
        Self::open_in(tempfile::tempdir().unwrap())
    }

    /// Opens an engine that knows other agents.
    pub fn with_agents(agents: Vec<Arc<dyn Agent>>) -> Self {
        Self::with_catalog(tempfile::tempdir().unwrap(), Catalog::new(agents))
    }

    /// Opens the same folder again after the engine was closed.
    pub fn reopen(self) -> Self {
        Self::open_in(self.folder)
    }

    fn open_in(folder: tempfile::TempDir) -> Self {
        let record = format!("ASKDESK_FAKE_RECORD={}", folder.path().join("record").display());
        // `env` sets the agent's variables and then becomes the agent.
        let args = vec![record, "ASKDESK_FAKE_PACE=0".to_owned(), fake_agent().display().to_string()];
        let example = ConfigValue::new(ValueId::literal("technology"), "One choice");
        let demo = Demo::new("/usr/bin/env".into(), args, folder.path().join("demo"), vec![example]);
        let mut agents = installed_agents();
        agents.push(Arc::new(demo));
        Self::with_catalog(folder, Catalog::new(agents))
    }

    fn with_catalog(folder: tempfile::TempDir, agents: Catalog) -> Self {
        let data = folder.path().join("data");
        let handle = EngineHandle::open(&data, Arc::new(SystemClock), agents.clone()).unwrap();
        let settings = Arc::new(SettingsFile::open(&data, agents));
        let host = Arc::<TestHost>::default();
        let api = Api::new(handle, settings, Arc::<TestHost>::clone(&host));
        Self { api, folder, host }
    }

    /// Returns a desk that has begun with the engine's present state.
    pub async fn desk(&self) -> Desk {
        let first = self.api.engine().subscribe().await.unwrap().take().unwrap();
        let clock = askdesk_desk::Clock { now: || SystemClock.now(), steady: || SystemClock.steady() };
        Desk::new(&first, self.api.settings().watch(), clock)
    }

    pub async fn call(&self, name: &str, input: Value) -> Result<Value, Error> {
        Box::pin(dispatch(&self.api, name, input)).await
    }

    /// Runs a command under a new request id, and returns its result.
    pub async fn run(&self, name: &str, mut input: Value) -> Value {
        input["requestId"] = json!(fresh());
        self.call(name, input).await.unwrap()
    }

    pub async fn exported(&self, session: &Value, format: &str) -> Exported {
        let session = serde_json::from_value(session.clone()).unwrap();
        let format: ExportFormat = serde_json::from_value(json!(format)).unwrap();
        self.api.export(session, format).await.unwrap()
    }

    /// Runs a command that must fail, and returns its error as JSON.
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
        // The agent writes nothing more until it is answered.
        tokio::time::sleep(Duration::from_millis(50)).await;
        now.requests.into_iter().find(Request::is_open).unwrap()
    }

    /// The text of every message to the agents, in order.
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

    /// The number of decisions that were sent to the agent.
    pub fn decisions(&self) -> usize {
        let record = std::fs::read_to_string(self.folder.path().join("record")).unwrap_or_default();
        let lines = record.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let sent = lines.filter(|line| line["dir"] == "in");
        sent.filter(|line| line["line"].as_str().unwrap().contains("\"control_response\"")).count()
    }
}

/// Writes a program that runs these shell lines and then becomes the fake agent, in the place of Claude Code.
pub fn fake_claude(bridge: &Bridge, lines: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let program = bridge.folder.path().join("claude");
    let (fake, record) = (fake_agent(), bridge.folder.path().join("record"));
    let script = format!(
        "#!/bin/sh\nexport ASKDESK_FAKE_PACE=0 ASKDESK_FAKE_RECORD='{}'\n{lines}\nexec '{}' \"$@\"\n",
        record.display(),
        fake.display()
    );
    // The one before may be starting at this moment, and can't be written then.
    let part = program.with_extension("part");
    std::fs::write(&part, script).unwrap();
    std::fs::set_permissions(&part, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::rename(part, &program).unwrap();
    program
}

/// Writes a program that plays these turns in the place of Claude Code.
pub fn playing(bridge: &Bridge, turns: &Value) -> PathBuf {
    let scenario = bridge.folder.path().join("scenario.json");
    let text = json!({"name": "own", "title": "Own", "description": "For one test.", "turns": turns});
    std::fs::write(&scenario, text.to_string()).unwrap();
    fake_claude(bridge, &format!("export ASKDESK_SCENARIO='{}'", scenario.display()))
}

/// Input that starts the fake agent with a scenario in place of Claude Code.
pub fn claude_code(bridge: &Bridge, scenario: &str, config: &Value) -> Value {
    let program = fake_claude(bridge, &format!("export ASKDESK_SCENARIO={scenario}"));
    json!({
        "requestId": fresh(), "agent": "claude_code", "folder": bridge.folder.path(), "prompt": "go",
        "options": {"program": program, "config": config}
    })
}

/// Checks that an error is about a field that breaks a rule.
#[track_caller]
pub fn assert_invalid(error: &Value, field: &str) {
    assert_eq!((&error["code"], &error["field"]), (&json!("invalid"), &json!(field)), "{error}");
}

pub fn demo(example: &str) -> Value {
    json!({"requestId": fresh(), "agent": "demo", "prompt": "go", "options": {"config": {"example": example}}})
}

pub fn fresh() -> Uuid {
    Uuid::new_v4()
}
