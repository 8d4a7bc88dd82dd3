//! The commands of Codex. Its server runs no commands: what its terminal does for one is a request (measured with 0.169.0).

use askdesk_domain::agent_command::{AGENT_COMMANDS, shell_command, split};
use askdesk_domain::{AgentCommand, text::bounded};
use serde_json::{Value, json};
use uuid::Uuid;

use super::encode::input;
use super::{CodexAdapter, Sent};
use crate::adapter::{Attached, Output};
use crate::event::Configuration;
use crate::json::{is_true, list, text};

const REVIEW: &str = "review";
const COMPACT: &str = "compact";

/// What the user can call by name besides the commands: the server lists it with its file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Skill {
    name: String,
    path: String,
}

impl CodexAdapter {
    pub(super) fn list_skills(&mut self, out: &mut Output) {
        let params = json!({"cwds": [self.folder]});
        self.request(Sent::Skills, "skills/list", params, out);
    }

    /// Tells of all commands, with the skills as the server lists them.
    pub(super) fn take_skills(&mut self, listed: &Value, out: &mut Output) {
        let own = [
            (REVIEW, "Review the changes that are not committed, or what you describe", "[what to review]"),
            (COMPACT, "Summarize the conversation to free up context", ""),
        ];
        let own = own.into_iter().filter_map(|(name, words, hint)| AgentCommand::new(name, words, hint));
        let skills = list(listed, "data").iter().flat_map(|of_folder| list(of_folder, "skills"));
        let skills = skills.filter(|skill| is_true(skill, "enabled")).filter_map(|skill| {
            let name = text(skill, "name").filter(|name| ![REVIEW, COMPACT].contains(name))?;
            let short =
                skill.pointer("/interface/shortDescription").or_else(|| skill.get("shortDescription"));
            let words = short.or_else(|| skill.get("description")).and_then(Value::as_str);
            let command = AgentCommand::new(name, words.unwrap_or_default(), "")?;
            Some((Skill { name: name.to_owned(), path: text(skill, "path")?.to_owned() }, command))
        });
        let (skills, commands): (Vec<_>, Vec<_>) = skills.take(AGENT_COMMANDS).unzip();
        self.skills = skills;
        out.event(Configuration::CommandsChanged { commands: own.chain(commands).collect() });
    }

    /// Carries out a message that begins with a command or `!`. Returns whether it does.
    ///
    /// A command takes no attachments, so a message with some is sent as it is.
    pub(super) fn run_command(
        &mut self,
        id: Uuid,
        words: &str,
        attached: &Attached,
        out: &mut Output,
    ) -> bool {
        let alone = attached.images.is_empty() && attached.files.is_empty();
        if let Some(command) = shell_command(words).filter(|_| alone) {
            let sent = Sent::Message { id, input: Value::Null, steers: false };
            self.request_of_thread(sent, "thread/shellCommand", json!({"command": command}), out);
            return true;
        }
        let Some((name, arguments)) = split(words) else { return false };
        if let Some(skill) = self.skills.iter().find(|skill| skill.name == name) {
            let mut parts = vec![json!({"type": "skill", "name": skill.name, "path": skill.path})];
            parts.extend(input(arguments, attached).as_array().cloned().unwrap_or_default());
            self.message(id, Value::Array(parts), out);
            return true;
        }
        if !alone {
            return false;
        }
        match name {
            REVIEW => {
                let target = match arguments {
                    "" => json!({"type": "uncommittedChanges"}),
                    words => json!({"type": "custom", "instructions": bounded(words)}),
                };
                let sent = Sent::Message { id, input: Value::Null, steers: false };
                self.request_of_thread(sent, "review/start", json!({"target": target}), out);
            }
            COMPACT => self.compact(out),
            _ => return false,
        }
        true
    }

    pub(super) fn compact(&mut self, out: &mut Output) {
        self.request_of_thread(Sent::Compact, "thread/compact/start", json!({}), out);
    }
}
