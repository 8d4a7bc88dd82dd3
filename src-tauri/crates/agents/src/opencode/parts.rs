//! The parts of messages: text, thinking, tool calls, and the ends of the model's steps.

use askdesk_domain::text::bounded;
use askdesk_domain::{ToolDetail, ToolKind, ToolStatus};
use serde_json::Value;

use super::known::PARTS;
use super::tools::{self, QUESTION_TOOL, TODO_TOOL};
use super::{OpenCodeAdapter, Role};
use crate::adapter::Output;
use crate::event::{AgentEvent, Conversation, InputError};
use crate::json::text;
use crate::not_understood;
use crate::tool_input::pretty;

/// The most bytes of one unfinished text that are kept.
const TEXT_BYTES: usize = 4 * 1024 * 1024;

/// How the result of a call begins that one of the server's rules forbids (measured with 1.18.33).
const REFUSED: &str = "The user has specified a rule which prevents you from using this specific tool call.";

/// A part with text, as far as it has been heard.
#[derive(Debug)]
pub(super) struct Part {
    thinking: bool,
    text: String,
    /// How many bytes of the text have been passed on as finished.
    said: usize,
    ended: bool,
}

impl Part {
    fn finished(&mut self) -> Option<AgentEvent> {
        let event = self.so_far();
        self.ended = true;
        self.text = String::new();
        event
    }

    /// Returns what has been written since the last time.
    fn so_far(&mut self) -> Option<AgentEvent> {
        let rest = self.text.get(self.said..).filter(|rest| !self.ended && !rest.trim().is_empty())?;
        let text = bounded(rest);
        self.said = self.text.len();
        Some(Conversation::Finished { thinking: self.thinking, text }.into())
    }

    /// Takes over the whole text. If it doesn't begin with what was said, a piece was lost with the stream, and all of it is
    /// said.
    fn replace(&mut self, whole: &str) {
        let said = self.text.get(..self.said).unwrap_or_default();
        if !whole.starts_with(said) {
            self.said = 0;
        }
        self.text = whole.to_owned();
    }
}

impl OpenCodeAdapter {
    pub(super) fn on_part(&mut self, session: &str, part: &Value, out: &mut Output) {
        let (Some(kind), Some(message)) = (text(part, "type"), text(part, "messageID")) else {
            return out.invalid(InputError::Incomplete { field: "part" });
        };
        if kind == "tool" {
            return self.on_tool(session, message, part, out);
        }
        if kind == "step-finish" {
            return self.usage.on_step(part);
        }
        // A subagent's words are in the output of the tool that called it.
        if !self.is_own(session) || message <= self.last_message.as_str() {
            return;
        }
        if !PARTS.contains(&kind) {
            return self.on_unknown_part(kind, part, out);
        }
        let role = self.messages.get(message).copied();
        match kind {
            "text" | "file" if matches!(role, Some(Role::User { .. })) => {
                self.on_users_part(message, part, out)
            }
            "text" | "reasoning" => self.on_text(role, kind == "reasoning", part, out),
            // A step's beginning, the state of the files, what a message of the user carries, and a compaction, which has
            // an event of its own.
            "step-start" | "snapshot" | "patch" | "file" | "agent" | "subtask" | "compaction" => {}
            "retry" => {
                let words = part.pointer("/error/data/message").and_then(Value::as_str);
                let error = bounded(words.unwrap_or("the model's provider failed"));
                out.invalid(InputError::RequestFailed { error });
            }
            other => self.on_unknown_part(other, part, out),
        }
    }

    /// A part of the user's message shows that the agent has it.
    fn on_users_part(&mut self, message: &str, part: &Value, out: &mut Output) {
        let made_up = part["synthetic"].as_bool().unwrap_or_default();
        let Some(Role::User { taken }) = self.messages.get_mut(message) else { return };
        if !made_up
            && !std::mem::replace(taken, true)
            && let Some(uuid) = self.untaken.pop_front()
        {
            out.event(Conversation::MessageTaken { uuid });
        }
    }

    fn on_text(&mut self, role: Option<Role>, thinking: bool, part: &Value, out: &mut Output) {
        let Some(id) = text(part, "id") else {
            return out.invalid(InputError::Incomplete { field: "id" });
        };
        // Only the agent's own texts have a time. A summary replaces the conversation for the model alone.
        let time = part.get("time").filter(|time| !time.is_null());
        if role == Some(Role::Summary) || (role.is_none() && time.is_none()) {
            return;
        }
        let ended = time.and_then(|time| time.get("end")).and_then(Value::as_u64);
        self.turn.heard = self.turn.heard.max(ended);
        let known = self.parts.entry(id.to_owned());
        let known = known.or_insert_with(|| Part { thinking, text: String::new(), said: 0, ended: false });
        if let Some(whole) = text(part, "text").filter(|whole| whole.len() > known.text.len() && !known.ended)
        {
            known.replace(whole);
        }
        if ended.is_some() {
            out.events.extend(known.finished());
        }
    }

    pub(super) fn on_delta(&mut self, properties: &Value, out: &mut Output) {
        let (Some(id), Some(delta)) = (text(properties, "partID"), text(properties, "delta")) else {
            return out.invalid(InputError::Incomplete { field: "delta" });
        };
        // The beginning of an unknown part was lost with the stream; its end brings the whole.
        let Some(part) = self.parts.get_mut(id).filter(|part| !part.ended) else { return };
        if text(properties, "field") != Some("text") || part.text.len() + delta.len() > TEXT_BYTES {
            return;
        }
        part.text.push_str(delta);
        out.event(Conversation::Delta { thinking: part.thinking, text: delta.to_owned() });
    }

    /// Says the texts that the end of the turn cut off.
    pub(super) fn say_unfinished(&mut self, out: &mut Output) {
        for part in self.unfinished() {
            out.events.extend(part.finished());
        }
    }

    /// Says what was written so far: a text ends only after the question or the tool call that follows it has begun.
    pub(super) fn say_so_far(&mut self, out: &mut Output) {
        for part in self.unfinished() {
            out.events.extend(part.so_far());
        }
    }

    /// Drops the texts of a failed call of the model; another attempt begins parts of its own.
    pub(super) fn drop_unfinished(&mut self) {
        for part in self.unfinished() {
            part.finished();
        }
    }

    /// The ids of parts are in the order in which they began.
    fn unfinished(&mut self) -> impl Iterator<Item = &mut Part> {
        let mut parts: Vec<_> = self.parts.iter_mut().filter(|(_, part)| !part.ended).collect();
        parts.sort_by_key(|(id, _)| *id);
        parts.into_iter().map(|(_, part)| part)
    }

    fn on_tool(&mut self, session: &str, message: &str, part: &Value, out: &mut Output) {
        let state = &part["state"];
        let (Some(name), Some(call), Some(status)) =
            (text(part, "tool"), text(part, "callID"), text(state, "status"))
        else {
            return out.invalid(InputError::Incomplete { field: "part" });
        };
        if !self.is_ours(session) {
            return;
        }
        let ended = match status {
            // Its input isn't known yet.
            "pending" => return,
            "running" => None,
            "completed" => Some(true),
            "error" => Some(false),
            other => {
                return out.invalid(InputError::UnknownType { kind: bounded(&format!("tool {other}")) });
            }
        };
        if name == QUESTION_TOOL {
            return self.on_question_tool(message, call, ended, out);
        }
        if name == TODO_TOOL && ended != Some(false) {
            return;
        }
        let tool_use = tools::tool_use(message, call);
        let known = self.tools.get(&tool_use).copied();
        if known == Some(false)
            || (known.is_none() && self.is_own(session) && message <= self.last_message.as_str())
        {
            return;
        }
        if known.is_none() {
            if self.is_own(session) {
                self.say_so_far(out);
            }
            let input = &state["input"];
            out.event(Conversation::ToolStarted {
                tool_use: tool_use.clone(),
                parent: None,
                subagent: self.subagents.get(session).cloned(),
                kind: tools::kind(name),
                name: bounded(&tools::neutral_name(&self.servers, name)),
                summary: tools::summary(name, input),
                detail: tools::detail(name, input),
                status: ToolStatus::Running,
            });
        }
        self.tools.insert(tool_use.clone(), ended.is_none());
        if let Some(ok) = ended {
            let (output, images) = tools::result(state, ok);
            if !ok && output.starts_with(REFUSED) {
                out.event(Conversation::ToolRefused { tool_use: tool_use.clone(), request: None });
            }
            out.event(Conversation::ToolEnded { tool_use, ok, output, images });
        }
    }

    /// Shows a part of an unknown kind: what it says to the user as text, and anything else whole, as a finished tool call. A part
    /// arrives again with each change.
    fn on_unknown_part(&mut self, kind: &str, part: &Value, out: &mut Output) {
        let tool_use = bounded(text(part, "id").unwrap_or(kind));
        let is_written = part.get("time").is_some_and(|time| time.get("end").is_none());
        if is_written || self.tools.insert(tool_use.clone(), false).is_some() {
            return;
        }
        out.invalid(InputError::unknown_type(&format!("part {kind}")));
        if not_understood::show(kind, part, true, out) {
            return;
        }
        out.event(Conversation::ToolStarted {
            tool_use: tool_use.clone(),
            parent: None,
            subagent: None,
            kind: ToolKind::Other,
            name: bounded(kind),
            summary: String::new(),
            detail: ToolDetail::Other { input: pretty(part) }.bounded(),
            status: ToolStatus::Running,
        });
        out.event(Conversation::ToolEnded { tool_use, ok: true, output: String::new(), images: Vec::new() });
    }
}
