//! The commands of Claude Code. A message that begins with one runs it (2.1.329).

use askdesk_domain::AgentCommand;
use askdesk_domain::agent_command::AGENT_COMMANDS;
use serde_json::Value;

use crate::adapter::Output;
use crate::event::Configuration;
use crate::json::{list, text};

/// What the description of a command begins with that only says where it went.
const REMOVED: &str = "(removed)";
/// What the names of commands begin with that no user types.
const INTERNAL: &str = "__";

/// Tells of all commands, as the handshake and the news of a change list them.
pub(super) fn tell(said: &Value, out: &mut Output) {
    let Some(Value::Array(_)) = said.get("commands") else { return };
    let commands = list(said, "commands").iter().filter_map(command).take(AGENT_COMMANDS).collect();
    out.event(Configuration::CommandsChanged { commands });
}

fn command(said: &Value) -> Option<AgentCommand> {
    let name = text(said, "name").filter(|name| !name.starts_with(INTERNAL))?;
    let description = text(said, "description").unwrap_or_default();
    if description.starts_with(REMOVED) {
        return None;
    }
    AgentCommand::new(name, description, text(said, "argumentHint").unwrap_or_default())
}
