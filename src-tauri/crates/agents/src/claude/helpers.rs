//! Background work of Claude Code: subagents and shells that outlive the turn that began them.

use std::collections::VecDeque;

use askdesk_domain::HelperId;
use askdesk_domain::text::bounded;
use serde_json::Value;

use super::ClaudeAdapter;
use super::parse::text;
use crate::adapter::Output;
use crate::event::AgentEvent;

/// How many working helpers are remembered.
const HELPERS: usize = 256;

/// Of more than [`HELPERS`], the oldest is forgotten.
#[derive(Debug, Default)]
pub(super) struct Helpers(VecDeque<Helper>);

#[derive(Debug)]
struct Helper {
    id: HelperId,
    title: Option<String>,
    /// The call that began it.
    tool_use: Option<String>,
}

impl Helpers {
    /// Returns the title of a helper; without one, its id.
    pub(super) fn name(&self, id: &HelperId) -> String {
        let known = self.0.iter().find(|known| known.id == *id);
        known.and_then(|known| known.title.clone()).unwrap_or_else(|| bounded(id.as_str()))
    }

    fn add(&mut self, helper: Helper) {
        self.remove(&helper.id);
        if self.0.len() == HELPERS {
            self.0.pop_front();
        }
        self.0.push_back(helper);
    }

    fn remove(&mut self, id: &HelperId) -> Option<Helper> {
        let place = self.0.iter().position(|known| known.id == *id)?;
        self.0.remove(place)
    }
}

impl ClaudeAdapter {
    /// The id of a subagent's task is the `agent_id` of its requests (2.1.329).
    pub(super) fn on_task_started(&mut self, message: &Value) {
        let Some(id) = text(message, "task_id").and_then(HelperId::new) else { return };
        let title = text(message, "description").filter(|title| !title.trim().is_empty());
        let tool_use = text(message, "tool_use_id");
        self.helpers.add(Helper { id, title: title.map(bounded), tool_use: tool_use.map(bounded) });
    }

    /// Withdraws what an ended helper still waits for.
    pub(super) fn on_task_ended(&mut self, message: &Value, out: &mut Output) {
        let Some(id) = text(message, "task_id").and_then(HelperId::new) else { return };
        self.settle(out, |call| call.helper.as_ref() == Some(&id));
        if let Some(tool_use) = self.helpers.remove(&id).and_then(|helper| helper.tool_use) {
            out.event(AgentEvent::SubagentEnded { tool_use });
        }
    }
}
