//! The commands of OpenCode: those that its server lists, and what its terminal does by a request (measured with 1.18.33).

use askdesk_domain::AgentCommand;
use askdesk_domain::agent_command::{AGENT_COMMANDS, shell_command, split};
use serde_json::{Value, json};
use uuid::Uuid;

use super::descriptor::AGENT;
use super::{OpenCodeAdapter, Sent};
use crate::adapter::{Action, Attached, EncodeError, Output};
use crate::event::{Configuration, InputError};
use crate::json::{text, texts};

const COMPACT: &str = "compact";
/// The agent that a shell command is recorded for while none is known.
const BUILD: &str = "build";

impl OpenCodeAdapter {
    pub(super) fn list_commands(&mut self, out: &mut Output) {
        self.request(Sent::Commands, "GET /command", Value::Null, out);
    }

    pub(super) fn on_commands(&mut self, listed: &Value, out: &mut Output) {
        let Some(listed) = listed.as_array() else {
            return out.invalid(InputError::Incomplete { field: "commands" });
        };
        let compact = AgentCommand::new(COMPACT, "Summarize the conversation to free up context", "");
        let command = |said: &Value| {
            let name = text(said, "name").filter(|name| *name != COMPACT)?;
            AgentCommand::new(
                name,
                text(said, "description").unwrap_or_default(),
                &texts(said, "hints").join(" "),
            )
        };
        let commands: Vec<_> =
            listed.iter().filter_map(command).take(AGENT_COMMANDS).chain(compact).collect();
        self.commands = commands.iter().map(|command| command.name.clone()).collect();
        out.event(Configuration::CommandsChanged { commands });
    }

    /// Carries out a message that begins with a command or `!`. Returns whether it does.
    pub(super) fn run_command(
        &mut self,
        id: Uuid,
        words: &str,
        attached: &Attached,
        out: &mut Output,
    ) -> Result<bool, EncodeError> {
        let alone = attached.images.is_empty() && attached.files.is_empty();
        if let Some(command) = shell_command(words).filter(|_| alone) {
            let agent = self.chosen(&AGENT).map_or(BUILD, askdesk_domain::ValueId::as_str);
            let body = json!({"agent": agent, "command": command});
            self.untaken.push_back(id);
            self.session_request(Sent::Command { id }, "POST", "/shell", body, out);
            return Ok(true);
        }
        let Some((name, arguments)) = split(words) else { return Ok(false) };
        if name == COMPACT && alone {
            self.encode(Action::Compact, out)?;
            return Ok(true);
        }
        if !self.commands.iter().any(|known| known == name) {
            return Ok(false);
        }
        let mut body =
            json!({"command": name, "arguments": arguments, "parts": super::encode::files(attached)});
        if let Some(agent) = self.chosen(&AGENT) {
            body["agent"] = json!(agent.as_str());
        }
        if let Some((provider, model)) = self.model() {
            body["model"] = json!(format!("{provider}/{model}"));
        }
        self.untaken.push_back(id);
        self.session_request(Sent::Command { id }, "POST", "/command", body, out);
        Ok(true)
    }
}
