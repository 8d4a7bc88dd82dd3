//! Background work of Claude Code: subagents and shells that outlive the turn that began them.

use std::collections::VecDeque;

use askdesk_domain::HelperId;
use askdesk_domain::text::bounded;
use serde_json::Value;

use super::ClaudeAdapter;
use super::parse::text;
use crate::adapter::Output;

/// How many helpers are remembered; of more, the oldest is forgotten.
const HELPERS: usize = 256;

/// The helpers that work, with their titles.
#[derive(Debug, Default)]
pub(super) struct Helpers(VecDeque<(HelperId, String)>);

impl Helpers {
    /// Returns the title of a helper; without one, its id.
    pub(super) fn name(&self, id: &HelperId) -> String {
        let known = self.0.iter().find(|(known, _)| known == id);
        known.map_or_else(|| bounded(id.as_str()), |(_, title)| title.clone())
    }

    fn add(&mut self, id: HelperId, title: String) {
        self.0.retain(|(known, _)| *known != id);
        if self.0.len() == HELPERS {
            self.0.pop_front();
        }
        self.0.push_back((id, title));
    }

    fn remove(&mut self, id: &HelperId) {
        self.0.retain(|(known, _)| known != id);
    }
}

impl ClaudeAdapter {
    /// The id of a subagent's task is the `agent_id` of its requests (2.1.329).
    pub(super) fn on_task_started(&mut self, message: &Value) {
        let Some(id) = text(message, "task_id").and_then(HelperId::new) else { return };
        if let Some(title) = text(message, "description").filter(|title| !title.trim().is_empty()) {
            self.helpers.add(id, bounded(title));
        }
    }

    /// Withdraws what an ended helper still waits for.
    pub(super) fn on_task_ended(&mut self, message: &Value, out: &mut Output) {
        let Some(id) = text(message, "task_id").and_then(HelperId::new) else { return };
        self.settle(out, |call| call.helper.as_ref() == Some(&id));
        self.helpers.remove(&id);
    }
}
