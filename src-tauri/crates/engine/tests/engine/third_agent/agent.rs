//! The third agent: its descriptor, and how a session of it starts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use askdesk_agents::{
    Address, Agent, AttachedPlan, Connection, Handshake, JsonRpcConnection, JsonRpcRules, LaunchPlan,
    LinkPlan, NewConnection, SessionPlan, SharedPlan, Start,
};
use askdesk_domain::{
    AgentDescriptor, AgentFailure, AgentId, Capabilities, ConfigCategory, ConfigId, ConfigOption,
    ConfigValue, DuringTurn, QuestionPath, Risk, Takes, ValueId,
};
use serde_json::json;
use uuid::Uuid;

use super::adapter::ThirdAdapter;

pub const THIRD: AgentId = AgentId::literal("third");
pub const MODEL: ConfigId = ConfigId::literal("model");

/// An agent whose server holds all its sessions.
#[derive(Debug)]
pub struct ThirdAgent {
    descriptor: AgentDescriptor,
    program: PathBuf,
    /// A server that somebody else runs, instead of one that is started.
    attached: Option<Address>,
    /// The method of the handshake.
    hello: &'static str,
}

impl ThirdAgent {
    /// The agent whose server is this program.
    pub fn new(program: PathBuf) -> Self {
        Self { descriptor: descriptor(), program, attached: None, hello: "hello" }
    }

    /// The same agent at a server that runs already.
    pub fn attached(address: Address) -> Self {
        Self { attached: Some(address), ..Self::new(PathBuf::new()) }
    }

    /// The same agent with another handshake.
    pub fn with_hello(self, hello: &'static str) -> Self {
        Self { hello, ..self }
    }

    fn connection(&self) -> NewConnection {
        let hello = self.hello;
        Arc::new(move || -> Box<dyn Connection> {
            Box::new(JsonRpcConnection::new(JsonRpcRules {
                handshake: Some(Handshake {
                    method: hello,
                    params: json!({"client": "askdesk"}),
                    notification: Some("ready"),
                }),
                session_in_params: &["/sessionId"],
                parent_in_params: None,
                children_in_params: &[],
                session_in_result: &["/sessionId"],
                sends_version: true,
            }))
        })
    }
}

fn descriptor() -> AgentDescriptor {
    AgentDescriptor {
        id: THIRD,
        name: "Third".to_owned(),
        program: Some("third-agent".to_owned()),
        install: Some("cargo install third-agent".to_owned()),
        login: None,
        verified: None,
        capabilities: Capabilities {
            questions: QuestionPath::Native,
            approvals: true,
            plan: true,
            resume: true,
            takes: Takes::Words,
            during_turn: DuringTurn::Queue,
            compact: false,
            stop_helper: false,
            cost_is_estimate: false,
            cost: true,
            context_size: true,
            folder: true,
            launch_overrides: true,
            continue_in_terminal: false,
        },
        config: vec![ConfigOption {
            id: MODEL,
            name: "Model".to_owned(),
            category: ConfigCategory::Model,
            values: vec![ConfigValue {
                id: ValueId::literal("small"),
                name: "Small".to_owned(),
                description: None,
                risk: Risk::Usual,
                planning: false,
            }],
            free_text: false,
            live: true,
            current: None,
        }],
    }
}

impl Agent for ThirdAgent {
    fn descriptor(&self) -> &AgentDescriptor {
        &self.descriptor
    }

    fn find(&self, explicit: Option<&Path>) -> Result<Option<PathBuf>, AgentFailure> {
        Ok(Some(explicit.unwrap_or(&self.program).to_owned()))
    }

    fn prepare(&self, start: &Start) -> Result<SessionPlan, AgentFailure> {
        let Start { folder, options, .. } = start;
        let connection = self.connection();
        let link = match &self.attached {
            Some(address) => LinkPlan::Attached(AttachedPlan { address: address.clone(), connection }),
            None => {
                let program = self.find(options.program.as_deref().map(Path::new))?.unwrap_or_default();
                let launch = LaunchPlan {
                    program,
                    args: Vec::new(),
                    folder: folder.clone(),
                    env: Vec::new(),
                    env_remove: Vec::new(),
                };
                let launch = launch.with_overrides(&options.extras);
                LinkPlan::Shared(SharedPlan { key: "third".to_owned(), launch, connection })
            }
        };
        // Ids of the server's requests count up anew in each server, and the journal remembers those of earlier ones.
        let run = Uuid::new_v4();
        let adapter = ThirdAdapter::new(run, folder, &options.config, &self.descriptor.config);
        Ok(SessionPlan { adapter: Box::new(adapter), link, sign_in: None })
    }
}
