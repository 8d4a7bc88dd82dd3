//! Background work of Claude Code: subagents and shells that outlive the turn that began them (measured with 2.1.329).
//!
//! An interrupt leaves them alone, because the handshake says that each can be stopped alone. Older versions stop the
//! subagents with it.

use std::collections::VecDeque;
use std::path::PathBuf;

use askdesk_domain::helper::HELPERS;
use askdesk_domain::text::bounded;
use askdesk_domain::{HelperEnd, HelperId, HelperKind};
use serde_json::{Value, json};

use super::{ClaudeAdapter, tools};
use crate::adapter::Output;
use crate::event::{Conversation, Helpers};
use crate::json::{list, text};

/// The helpers that work, in the background or within the turn; of more than [`HELPERS`], the oldest is forgotten.
#[derive(Debug, Default)]
pub(super) struct KnownHelpers(VecDeque<Known>);

#[derive(Debug)]
struct Known {
    id: HelperId,
    title: String,
    /// The call that began it.
    tool_use: Option<String>,
    /// Whether it outlives the turn.
    background: bool,
}

impl KnownHelpers {
    /// Returns the title of a helper; without one, its id.
    pub(super) fn name(&self, id: &HelperId) -> String {
        let known = self.0.iter().find(|known| known.id == *id);
        known.map_or_else(|| bounded(id.as_str()), |known| known.title.clone())
    }

    /// Returns whether it is news that the helper works in the background.
    fn add(&mut self, mut known: Known) -> bool {
        let was = self.remove(&known.id);
        known.tool_use = known.tool_use.or_else(|| was.as_ref()?.tool_use.clone());
        if self.0.len() == HELPERS {
            self.0.pop_front();
        }
        let news = known.background && !was.is_some_and(|was| was.background);
        self.0.push_back(known);
        news
    }

    fn remove(&mut self, id: &HelperId) -> Option<Known> {
        let place = self.0.iter().position(|known| known.id == *id)?;
        self.0.remove(place)
    }
}

impl ClaudeAdapter {
    /// The id of a subagent's task is the `agent_id` of its requests.
    pub(super) fn on_task_started(&mut self, message: &Value, out: &mut Output) {
        let background = message.get("is_backgrounded").and_then(Value::as_bool) != Some(false);
        self.add_task(message, background, out);
    }

    /// Also tells of tasks that began within a turn and were moved to the background.
    pub(super) fn on_background_tasks(&mut self, message: &Value, out: &mut Output) {
        for task in list(message, "tasks").iter().take(HELPERS) {
            self.add_task(task, true, out);
        }
    }

    fn add_task(&mut self, task: &Value, background: bool, out: &mut Output) {
        let Some(id) = text(task, "task_id").and_then(HelperId::new) else { return };
        let title = text(task, "description").filter(|title| !title.trim().is_empty());
        let title = bounded(title.unwrap_or(id.as_str()));
        let tool_use = text(task, "tool_use_id").map(bounded);
        if self.helpers.add(Known { id: id.clone(), title: title.clone(), tool_use, background }) {
            let kind = match text(task, "task_type") {
                Some("local_agent") => HelperKind::Subagent,
                Some("local_bash") => HelperKind::Shell,
                _ => HelperKind::Task,
            };
            out.event(Helpers::Began { id, kind, title });
        }
    }

    /// Tells what a subagent said, if it is one that works in the background.
    pub(super) fn on_helper_said(&self, message: &Value, said: &str, out: &mut Output) {
        let known = self.helper_of_message(message).filter(|known| known.background);
        if let Some(known) = known.filter(|_| !said.trim().is_empty()) {
            out.event(Helpers::Said { id: known.id.clone(), text: bounded(said.trim_end()) });
        }
    }

    /// Returns what the subagent does that a message is from; none for a message of the agent itself.
    pub(super) fn subagent_of(&self, message: &Value) -> Option<String> {
        let call = text(message, "parent_tool_use_id")?;
        let known = self.helper_of_message(message).map(|known| known.title.clone());
        Some(known.unwrap_or_else(|| bounded(text(message, "task_description").unwrap_or(call))))
    }

    fn helper_of_message(&self, message: &Value) -> Option<&Known> {
        let by = text(message, "agent_id").and_then(HelperId::new);
        let call = text(message, "parent_tool_use_id");
        self.helpers.0.iter().find(|known| match &by {
            Some(id) => known.id == *id,
            None => known.tool_use.as_deref() == call,
        })
    }

    /// Withdraws what an ended helper still waits for.
    pub(super) fn on_task_ended(&mut self, message: &Value, out: &mut Output) {
        let Some(id) = text(message, "task_id").and_then(HelperId::new) else { return };
        self.calls.settle(|call| call.helper.as_ref() == Some(&id), out);
        let known = self.helpers.remove(&id);
        if let Some(tool_use) = known.as_ref().and_then(|known| known.tool_use.clone()) {
            out.event(Conversation::SubagentEnded { tool_use });
        }
        // One that was forgotten may still be listed.
        if known.is_none_or(|known| known.background) {
            let end = match text(message, "status") {
                Some("failed") => HelperEnd::Failed,
                // The answer to an interrupt comes after the ends that it leads to.
                Some("stopped") if self.interrupt_sent.is_some() => HelperEnd::WithTurn,
                Some("stopped") => HelperEnd::Stopped,
                _ => HelperEnd::Finished,
            };
            out.event(Helpers::Ended { id, end });
        }
    }

    /// Encodes the stop of one task. The agent also accepts the ids of tasks that it doesn't have.
    pub(super) fn stop_task(&mut self, id: HelperId) -> String {
        let (request, line) = self.request(&json!({"subtype": "stop_task", "task_id": id.as_str()}));
        if self.stops_sent.len() == HELPERS {
            self.stops_sent.pop_front();
        }
        self.stops_sent.push_back((request, id));
        line
    }

    /// Returns the helper that the agent was asked to stop with this request.
    pub(super) fn stop_answered(&mut self, request: &str) -> Option<HelperId> {
        let place = self.stops_sent.iter().position(|(sent, _)| sent == request)?;
        self.stops_sent.remove(place).map(|(_, id)| id)
    }
}

/// Tells which file a shell in the background writes to. Only the sentence for the model names it (2.1.329): `Command running
/// in background with ID: b1. Output is being written to: /tmp/…/tasks/b1.output. …`.
pub(super) fn on_output_file(message: &Value, result: &Value, out: &mut Output) {
    let Some(task) = message.pointer("/tool_use_result/backgroundTaskId").and_then(Value::as_str) else {
        return;
    };
    let (said, _) = tools::result(result.get("content"));
    let path = said.split_once("Output is being written to: ").and_then(|(_, after)| {
        let name = format!("{task}.output");
        let end = after.find(&name)? + name.len();
        after.get(..end)
    });
    let path = path.map(PathBuf::from).filter(|path| path.is_absolute());
    if let (Some(id), Some(path)) = (HelperId::new(task), path) {
        out.event(Helpers::WritesTo { id, path });
    }
}
