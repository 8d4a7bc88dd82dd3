//! A desk that knows the third agent, and what its server plays.

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::Arc;

use askdesk_domain::{Approval, ApprovalDecision, ApprovalOptionId, SessionId, SessionOptions, ToolStatus};
use askdesk_engine::clock::Clock;
use askdesk_engine::{Catalog, StartSpec};
use serde_json::{Value, json};

use super::agent::{THIRD, ThirdAgent};
use crate::support::agents;
use crate::support::desk::TestDesk;
use crate::support::mirror::Mirror;

pub fn server() -> PathBuf {
    askdesk_testkit::fake_server::program_or_build().unwrap()
}

/// A desk with sessions of the third agent on it.
pub struct Stage(agents::Stage);

impl Deref for Stage {
    type Target = agents::Stage;

    fn deref(&self) -> &agents::Stage {
        &self.0
    }
}

impl DerefMut for Stage {
    fn deref_mut(&mut self) -> &mut agents::Stage {
        &mut self.0
    }
}

impl Stage {
    pub async fn open() -> Self {
        Self::of(ThirdAgent::new(server())).await
    }

    pub async fn of(agent: ThirdAgent) -> Self {
        let agents = Catalog::new(vec![Arc::new(agent)]);
        Self(agents::Stage::on(TestDesk::open_alone_with(agents).await))
    }

    /// Starts a session whose first turn plays these steps.
    pub async fn play(&self, steps: &[Value]) -> SessionId {
        self.start(Some(plays(steps)), SessionOptions::default()).await
    }

    pub async fn start(&self, prompt: Option<String>, options: SessionOptions) -> SessionId {
        let id = self.desk.clock.session_id();
        let folder = self.desk.folder.clone();
        let spec =
            StartSpec { agent: THIRD, name: "Third".to_owned(), folder, options, prompt, worktree: None };
        self.sessions.start(id, spec).await.unwrap();
        id
    }

    pub async fn send(&self, session: SessionId, steps: &[Value]) {
        self.sessions.send_message(session, plays(steps)).await.unwrap();
    }

    /// Lets the server of a session say something, and returns it.
    pub async fn ask_server(&mut self, session: SessionId, name: &str) -> String {
        let before = self.desk.mirror.said(session).len();
        self.send(session, &[says(name)]).await;
        self.desk.until("the server tells", |known| known.said(session).len() > before).await;
        let told = self.desk.mirror.said(session)[before].to_owned();
        self.until_idle(session).await;
        told
    }

    pub async fn pid(&mut self, session: SessionId) -> u32 {
        self.ask_server(session, "$pid").await.parse().unwrap()
    }

    pub async fn until_turns(&mut self, session: SessionId, count: usize) {
        self.desk.until(&format!("{count} turns"), |known| known.turns(session).len() == count).await;
        self.until_idle(session).await;
    }

    /// Waits until a session has an open approval, and returns it.
    pub async fn permission(&mut self, session: SessionId) -> Approval {
        self.desk.until("an open approval", |known| known.open_approval(session).is_some()).await;
        self.desk.mirror.open_approval(session).unwrap().clone()
    }

    pub async fn decide(&self, approval: &Approval, option: &'static str) {
        let decision = ApprovalDecision::of(ApprovalOptionId::literal(option));
        self.desk.engine.decide_approval(approval.id, decision).await.unwrap();
    }

    pub async fn until_status(&mut self, session: SessionId, status: ToolStatus) {
        let is = |known: &Mirror| known.tool_statuses(session).last() == Some(&status);
        self.desk.until(&format!("the tool is {status:?}"), is).await;
    }
}

/// A message that makes the server play steps.
pub fn plays(steps: &[Value]) -> String {
    format!("play {}", json!(steps))
}

pub fn says(text: &str) -> Value {
    json!({"notify": "session/message", "params": {"text": text}})
}

/// A question with the options A and B; what was answered is said.
pub fn asks(text: &str) -> [Value; 2] {
    let questions = json!([{"question": text, "options": ["A", "B"]}]);
    [json!({"ask": "session/ask", "params": {"questions": questions}}), says("$answer")]
}

/// A permission for a tool call, with ids that mean nothing to the desk; what was decided is said.
pub fn permits(tool: &str, command: &str) -> [Value; 2] {
    let option = |id: &str, name: &str, kind: &str| json!({"id": id, "name": name, "kind": kind});
    let options = [
        option("0x7f/Yes ✓", "Yes, go ahead", "allow_once"),
        option("opt:{\"always\":1}", "Yes, and never ask again here", "allow_always"),
        option("no", "No", "reject_once"),
        option("NEVER", "No, and never again", "reject_always"),
    ];
    let params = json!({"tool": tool, "title": "Shell", "command": command, "options": options});
    [json!({"ask": "session/permit", "params": params}), says("$answer")]
}

pub fn tool(id: &str, status: &str) -> Value {
    let params = json!({"id": id, "kind": "execute", "title": "Shell", "command": "rm -r notes",
        "status": status, "output": format!("{status}.")});
    json!({"notify": "session/tool", "params": params})
}
