//! Claude Code's adapter, with the calls that tests make often.

use askdesk_agents::claude::{ClaudeAdapter, ClaudeCode};
use askdesk_agents::{Action, Adapter, Agent, AgentEvent, EncodeError, Inbound, Outbound, Output};
use askdesk_domain::SessionOptions;

pub struct Claude(ClaudeAdapter);

impl Claude {
    /// A session with nothing chosen.
    pub fn new() -> Self {
        let config = ClaudeCode::default().descriptor().config.clone();
        Self(ClaudeAdapter::new(config, &SessionOptions::default()))
    }

    pub fn line(&mut self, line: &[u8]) -> Output {
        self.0.receive(&Inbound::Line(line.to_vec()))
    }

    pub fn on_line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        self.line(line).events
    }

    pub fn on_end(&mut self, unfinished: &[u8]) -> Vec<AgentEvent> {
        self.0.receive(&Inbound::End { unfinished: unfinished.to_vec() }).events
    }

    pub fn send(&mut self, action: Action) -> Result<Output, EncodeError> {
        self.0.send(action)
    }
}

/// The lines that are to be written.
pub fn lines(outbound: &[Outbound]) -> Vec<&str> {
    let lines = outbound.iter().map(|outbound| match outbound {
        Outbound::Line(line) => line.as_str(),
        message @ Outbound::Rpc(_) => panic!("{message:?}"),
    });
    lines.collect()
}
