//! Sessions that the engine runs itself, beside an open gateway. The agent is a shell script that takes Claude Code's place.

use std::path::Path;

use askdesk_agents::installed_agents;
use askdesk_domain::{AgentId, SessionId, SessionOptions, Settings};
use askdesk_engine::{Beginning, Catalog, EngineHandle, Sessions, StartSpec};
use tokio::sync::watch;

use super::fixture::{Fixture, PATIENCE};

pub const CLAUDE: AgentId = AgentId::literal("claude_code");

/// An engine with a gateway and with sessions.
pub struct Managed {
    pub fixture: Fixture,
    pub sessions: Sessions,
    pub folder: tempfile::TempDir,
    _settings: watch::Sender<Settings>,
}

impl Managed {
    pub async fn open() -> Self {
        let fixture = Fixture::open_with_agents(Catalog::new(installed_agents())).await;
        let (settings, followed) = watch::channel(Settings::default());
        let sessions = Sessions::new(fixture.engine.clone(), followed);
        Self { fixture, sessions, folder: tempfile::tempdir().unwrap(), _settings: settings }
    }

    /// Starts a session whose agent is this script. Its folder contains what the script writes.
    pub async fn script(&self, script: &str, options: SessionOptions) -> SessionId {
        let program = self.folder.path().join("agent");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        self.start(&program, options, None).await
    }

    pub async fn start(&self, program: &Path, options: SessionOptions, prompt: Option<&str>) -> SessionId {
        let id = self.fixture.engine.clock().session_id();
        let spec = StartSpec {
            agent: CLAUDE,
            name: "notes".to_owned(),
            named_by: askdesk_domain::NamedBy::User,
            folder: self.folder.path().to_owned(),
            options: SessionOptions { program: Some(program.display().to_string()), ..options },
            prompt: prompt.map(str::to_owned),
            worktree: None,
            make: None,
            beginning: Beginning::Nothing,
        };
        let session = self.sessions.start(id, spec).await.unwrap();
        assert!(session.is_running(), "{session:?}");
        id
    }

    /// Starts a session whose agent does nothing, and returns the token that it was given.
    pub async fn idle_session(&self) -> (SessionId, String) {
        self.idle_session_with(SessionOptions::default()).await
    }

    pub async fn idle_session_with(&self, options: SessionOptions) -> (SessionId, String) {
        let script = r#"printf %s "$ASKDESK_SESSION" > token.part; mv token.part token; exec cat"#;
        let id = self.script(script, options).await;
        let token = self.read("token").await;
        assert!(token.len() >= 32, "{token:?}");
        std::fs::remove_file(self.folder.path().join("token")).unwrap();
        (id, token)
    }

    /// Waits until the agent has written a file.
    pub async fn read(&self, name: &str) -> String {
        let file = self.folder.path().join(name);
        let written = async {
            loop {
                if let Ok(text) = std::fs::read_to_string(&file) {
                    return text;
                }
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, written).await.unwrap_or_else(|_| panic!("{name} in time"))
    }

    pub async fn all_sessions(&self) -> Vec<SessionId> {
        sessions_of(&self.fixture.engine).await
    }
}

async fn sessions_of(engine: &EngineHandle) -> Vec<SessionId> {
    engine
        .inspect(|desk| desk.sessions().chain(desk.closed_sessions()).map(|session| session.id).collect())
        .await
        .unwrap()
}
