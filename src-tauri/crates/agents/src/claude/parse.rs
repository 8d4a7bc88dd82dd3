//! Parses the lines of Claude Code into events.

use askdesk_domain::text::bounded;
use askdesk_domain::{NativeRef, NativeSession, Notice, ToolStatus};
use askdesk_outside_json::{Lost, Read};
use serde_json::Value;

use super::helpers::on_output_file;
use super::known::{BLOCKS, RESULT_BLOCK, SILENT_SYSTEM, SILENT_TYPES, SYSTEM, TYPES};
use super::{CAPABILITIES, Call, ClaudeAdapter, QUESTION_TOOL, commands, details, of_subagent, told, tools};
use crate::adapter::{Output, Partial};
use crate::event::{Configuration, Conversation, InputError, Trouble};
use crate::json::{list, text};
use crate::open_calls::OpenCall;

impl ClaudeAdapter {
    /// Parses one line of the agent's output, without its line feed.
    pub(super) fn on_line(&mut self, line: &[u8], abridged: Option<Partial>, out: &mut Output) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let Read { value: message, lost, .. } = askdesk_outside_json::read(line);
        match abridged.or(lost.map(Partial::Unread)) {
            None => self.on_message(&message, out),
            Some(why) => self.on_partial(message, why, lost == Some(Lost::Malformed), out),
        }
    }

    /// Parses the bytes after the last line feed when the agent's output has ended.
    pub(super) fn on_end(&mut self, unfinished: &[u8], out: &mut Output) {
        if unfinished.trim_ascii().is_empty() {
            return;
        }
        // The last line may be complete and only lack its line feed.
        match askdesk_outside_json::from_slice::<Value>(unfinished) {
            Ok(Value::Object(_)) => self.on_line(unfinished, None, out),
            _ => out.invalid(InputError::CutInHalf),
        }
    }

    pub(super) fn on_message(&mut self, message: &Value, out: &mut Output) {
        let kind = text(message, "type").unwrap_or("without a type");
        if !TYPES.contains(&kind) && !SILENT_TYPES.contains(&kind) {
            return not_understood(kind, message, !of_subagent(message), out);
        }
        match text(message, "type") {
            Some("assistant") => self.on_assistant(message, out),
            Some("user") => self.on_user(message, out),
            Some("stream_event") => self.on_stream_event(message, out),
            Some("control_request") => self.on_control_request(message, out),
            Some("control_cancel_request") => self.on_cancel(message, out),
            Some("control_response") => self.on_control_response(message, out),
            Some("result") => self.on_result(message, out),
            Some("system") => self.on_system(message, out),
            Some("command_lifecycle") => on_lifecycle(message, out),
            Some("conversation_reset") => {
                self.usage.on_compacted();
                self.tell_context(out);
                out.notice(Notice::ConversationReset);
            }
            Some(kind) if SILENT_TYPES.contains(&kind) => {}
            _ => not_understood(kind, message, !of_subagent(message), out),
        }
    }

    fn on_system(&mut self, message: &Value, out: &mut Output) {
        let subtype = text(message, "subtype").unwrap_or("without a subtype");
        let unknown = |out: &mut Output| {
            not_understood(&format!("system/{subtype}"), message, !of_subagent(message), out);
        };
        if !SYSTEM.contains(&subtype) && !SILENT_SYSTEM.contains(&subtype) {
            return unknown(out);
        }
        match text(message, "subtype") {
            Some("init") => {
                self.resuming = None;
                self.introduce(message, out);
                self.begin_turn(out);
            }
            // Other status messages don't contain the mode.
            Some("status") => {
                if let Some(mode) = text(message, "permissionMode") {
                    let changed = self.take_mode(mode);
                    self.tell_config(changed, out);
                }
            }
            Some("compact_boundary") => {
                self.usage.on_compacted();
                self.tell_context(out);
                out.notice(Notice::Compacted);
            }
            Some("commands_changed") => commands::tell(message, out),
            Some("api_retry") => self.on_retry(message, out),
            Some("elicitation_complete") => self.on_elicitation_complete(message, out),
            Some("task_started") => self.on_task_started(message, out),
            Some("background_tasks_changed") => self.on_background_tasks(message, out),
            Some("model_refusal_fallback") => self.on_refused_by_model(message, out),
            Some("task_notification") => self.on_task_ended(message, out),
            Some(
                "informational"
                | "hook_response"
                | "notification"
                | "session_writes_lost"
                | "plugin_install"
                | "mirror_error",
            ) => told::notice(message).into_iter().for_each(|notice| out.notice(notice)),
            Some(subtype) if SILENT_SYSTEM.contains(&subtype) => {}
            _ => unknown(out),
        }
    }

    /// Updates the agent's description of itself; the handshake and the first turn each contain a part of it.
    pub(super) fn introduce(&mut self, said: &Value, out: &mut Output) {
        let info = &mut self.info;
        let keep = |known: &mut Option<String>, name: &str| {
            if let Some(said) = text(said, name) {
                *known = Some(bounded(said));
            }
        };
        keep(&mut info.version, "claude_code_version");
        keep(&mut info.model, "model");
        if let Some(session) = text(said, "session_id").and_then(NativeSession::new) {
            info.native_session = Some(session);
        }
        for capability in list(said, "capabilities").iter().filter_map(Value::as_str) {
            let known = info.capabilities.iter().any(|known| known == capability);
            if !known && info.capabilities.len() < CAPABILITIES {
                info.capabilities.push(bounded(capability));
            }
        }
        let info = info.clone();
        out.event(Configuration::Introduced {
            version: info.version,
            model: info.model,
            native_session: info.native_session,
        });
        let mut changed = self.take_models(said);
        changed |= text(said, "model").is_some_and(|model| self.take_model(model));
        // The first message of a turn and the handshake use different names for the mode.
        for name in ["permissionMode", "current_permission_mode"] {
            changed |= text(said, name).is_some_and(|mode| self.take_mode(mode));
        }
        self.tell_config(changed, out);
    }

    pub(super) fn begin_turn(&mut self, out: &mut Output) {
        if !self.in_turn {
            self.in_turn = true;
            self.interrupting = false;
            self.interrupt_sent = None;
            self.login_rejected = false;
            out.event(Conversation::TurnBegan);
        }
    }

    fn on_stream_event(&mut self, message: &Value, out: &mut Output) {
        if of_subagent(message) {
            return;
        }
        self.begin_turn(out);
        let Some(event) = message.get("event") else { return };
        match text(event, "type") {
            Some("message_start") => {
                // Not before the next message: the events that close the one with the question may come after an answer.
                self.note_next_message(out);
                if let Some(started) = event.get("message") {
                    self.usage.on_message(started);
                }
                self.tell_context(out);
            }
            Some("message_stop") if !event_is_whole(message) => out.event(Conversation::TextDropped),
            Some("message_delta") => {
                self.usage.on_message_delta(event);
                self.tell_context(out);
            }
            _ => {}
        }
        let Some(delta) = event.get("delta") else { return };
        if let Some(text) = text(delta, "text") {
            out.event(Conversation::Delta { thinking: false, text: bounded(text) });
        } else if let Some(text) = text(delta, "thinking") {
            out.event(Conversation::Delta { thinking: true, text: bounded(text) });
        }
    }

    /// A subagent's words are not the agent's own: they are its output. It may work after the agent's turn.
    fn on_assistant(&mut self, message: &Value, out: &mut Output) {
        let own = !of_subagent(message);
        if own {
            self.begin_turn(out);
            self.note_next_message(out);
            if let Some(message) = message.get("message") {
                self.usage.on_message(message);
            }
            self.tell_context(out);
        }
        let content = message.get("message").and_then(|inner| inner.get("content"));
        if let Some(Value::String(text)) = content {
            if own && !text.trim().is_empty() {
                out.event(Conversation::Finished { thinking: false, text: bounded(text) });
            } else if !own {
                self.on_helper_said(message, text, out);
            }
            return;
        }
        for block in content.and_then(Value::as_array).into_iter().flatten() {
            let kind = text(block, "type").unwrap_or("without a type");
            if !BLOCKS.contains(&kind) && !kind.ends_with(RESULT_BLOCK) {
                not_understood(&format!("assistant/{kind}"), block, own, out);
                continue;
            }
            match text(block, "type") {
                Some("text" | "thinking") if own => {
                    if let Some(text) = text(block, kind).filter(|text| !text.trim().is_empty()) {
                        out.event(Conversation::Finished {
                            thinking: kind == "thinking",
                            text: bounded(text),
                        });
                    }
                }
                Some("text") => self.on_helper_said(message, text(block, "text").unwrap_or_default(), out),
                Some("thinking" | "redacted_thinking") => {}
                Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                    self.on_tool_use(block, message, out);
                    if !own && let Some(name) = text(block, "name") {
                        let summary = tools::summary(name, block.get("input").unwrap_or(&Value::Null));
                        self.on_helper_said(message, &format!("▸ {name}: {summary}"), out);
                    }
                }
                Some(kind) if kind.ends_with(RESULT_BLOCK) => self.on_tool_result(message, block, out),
                _ => not_understood(&format!("assistant/{kind}"), block, own, out),
            }
        }
    }

    fn on_tool_use(&mut self, block: &Value, message: &Value, out: &mut Output) {
        let (Some(tool_use), Some(name)) = (text(block, "id"), text(block, "name")) else {
            return out.invalid(InputError::Incomplete { field: "id or name of a tool use" });
        };
        let input = block.get("input").unwrap_or(&Value::Null);
        if name == QUESTION_TOOL {
            // A control request contains the question.
            return self.remember_question_use(tool_use);
        }
        out.event(Conversation::ToolStarted {
            tool_use: bounded(tool_use),
            parent: text(message, "parent_tool_use_id").map(bounded),
            subagent: self.subagent_of(message),
            kind: tools::kind(name),
            name: bounded(name),
            summary: tools::summary(name, input),
            detail: details::detail(name, input),
            status: ToolStatus::Running,
        });
    }

    fn on_user(&mut self, message: &Value, out: &mut Output) {
        if message.get("isReplay").and_then(Value::as_bool) == Some(true) {
            return;
        }
        let content = message.get("message").and_then(|inner| inner.get("content"));
        for block in content.and_then(Value::as_array).into_iter().flatten() {
            if text(block, "type") == Some("tool_result") {
                on_output_file(message, block, out);
                self.on_tool_result(message, block, out);
            }
        }
    }

    fn on_tool_result(&mut self, message: &Value, block: &Value, out: &mut Output) {
        let Some(tool_use) = text(block, "tool_use_id") else {
            return out.invalid(InputError::Incomplete { field: "tool_use_id of a tool result" });
        };
        // If several calls have this ID, the result is not that of one which waits.
        let of_it = |call: &OpenCall<Call>| call.own.tool_use.as_deref() == Some(tool_use);
        let some_answered = self.calls.iter().any(|call| of_it(call) && call.answered);
        let canceled = self.canceled.iter().position(|(known, _)| known == tool_use);
        let canceled = canceled.map(|place| self.canceled.remove(place).1);
        let refused = refused_itself(message, tool_use, canceled.is_some());
        let request = canceled.or_else(|| self.open_permission(tool_use).filter(|_| !some_answered));
        self.calls.settle(|call| of_it(call) && call.answered == some_answered, out);
        if let Some(place) = self.question_uses.iter().position(|known| known == tool_use) {
            self.question_uses.remove(place);
            return;
        }
        let (output, images) = tools::result(block.get("content"));
        let ok = block.get("is_error").and_then(Value::as_bool) != Some(true);
        if !ok && refused {
            out.event(Conversation::ToolRefused { tool_use: bounded(tool_use), request });
        }
        out.event(Conversation::ToolEnded { tool_use: bounded(tool_use), ok, output, images });
    }

    /// The permission that was asked for a call and not decided.
    fn open_permission(&self, tool_use: &str) -> Option<NativeRef> {
        let mut waiting = self.calls.iter().filter(|call| !call.is_question && !call.answered);
        let call = waiting.find(|call| call.own.tool_use.as_deref() == Some(tool_use))?;
        Some(call.native_ref.clone())
    }

    fn on_result(&mut self, message: &Value, out: &mut Output) {
        let aborted = text(message, "terminal_reason").is_some_and(|reason| reason.starts_with("aborted"));
        let failure = failure(message);
        if let Some(reason) = text(message, "startup_failure_reason") {
            let why = told::start_refusal(reason);
            return out
                .event(Trouble::StartRefused { why, error: failure.unwrap_or_else(|| bounded(reason)) });
        }
        if let Some(error) = failure.as_ref().filter(|error| self.says_session_is_unknown(error)) {
            return out.event(Trouble::SessionUnknown { error: error.clone() });
        }
        self.calls.settle(|call| call.helper.is_none(), out);
        let calls = &self.calls;
        self.question_uses.retain(|known| calls.iter().any(|call| call.own.tool_use.as_ref() == Some(known)));
        let error = failure.filter(|_| !aborted && !self.interrupting);
        self.canceled.clear();
        let number = |value: Option<&Value>| value.and_then(Value::as_u64).unwrap_or_default();
        let usage = self.usage.on_result(message);
        self.tell_context(out);
        self.in_turn = false;
        self.interrupting = false;
        out.event(Conversation::TurnEnded { millis: number(message.get("duration_ms")), usage, error });
    }

    fn tell_context(&mut self, out: &mut Output) {
        if let Some(context) = self.usage.news() {
            out.event(Conversation::ContextChanged { context });
        }
    }

    /// Whether the first turn failed because the agent doesn't know the session to resume.
    ///
    /// Measured with 2.1.329: if the id is unknown, the agent sends a failed result that contains the id, no handshake, and
    /// exits with code 1. The rest of the message may change.
    fn says_session_is_unknown(&self, error: &str) -> bool {
        self.resuming.as_ref().is_some_and(|session| error.contains(session.as_str()))
    }

    /// Acknowledges answers whose arrival no tool result will confirm: the next message confirms it.
    fn note_next_message(&mut self, out: &mut Output) {
        self.calls.settle(|call| call.answered && call.is_question && call.own.tool_use.is_none(), out);
    }
}

/// Whether a call that failed was refused by the agent itself, and not by the user (measured with 2.1.332). A version that
/// says nothing of it has taken the permission request back before.
fn refused_itself(message: &Value, tool_use: &str, canceled: bool) -> bool {
    let of_call = |it: &&Value| text(it, "id") == Some(tool_use);
    let Some(told) = list(message, "tool_result_meta").iter().find(of_call) else { return canceled };
    let decision = told.get("permission_decision").unwrap_or(&Value::Null);
    let reason = text(decision, "reason_type");
    // It calls a rule in the user's settings "user_reject" too, but with a reason.
    let rejected =
        text(decision, "source").is_some_and(|source| source.starts_with("user")) && reason.is_none();
    let by_user = rejected || text(told, "non_execution_kind") == Some("user-rejected");
    match text(decision, "decision") {
        _ if by_user => false,
        Some("accept") => false,
        // With "other" it also reports a request that nobody could answer, as its input was closed.
        Some("reject") => canceled || reason.is_some_and(|reason| reason != "other"),
        _ => canceled,
    }
}

/// A message counts as accepted once the agent works on it; until then it may be lost with the process.
fn on_lifecycle(message: &Value, out: &mut Output) {
    let taken = matches!(text(message, "state"), Some("started" | "completed"));
    let uuid = text(message, "command_uuid").and_then(|uuid| uuid.parse().ok());
    if let Some(uuid) = uuid.filter(|_| taken) {
        out.event(Conversation::MessageTaken { uuid });
    }
}

/// The agent's error message for a failed turn.
fn failure(message: &Value) -> Option<String> {
    let subtype = text(message, "subtype").unwrap_or_default();
    let failed =
        message.get("is_error").and_then(Value::as_bool) == Some(true) || subtype.starts_with("error");
    if !failed {
        return None;
    }
    let listed: Vec<&str> = list(message, "errors").iter().filter_map(Value::as_str).collect();
    let words = text(message, "result").filter(|words| !words.trim().is_empty()).map(str::to_owned);
    let words = words.or_else(|| (!listed.is_empty()).then(|| listed.join("\n")));
    Some(bounded(&words.unwrap_or_else(|| format!("the turn failed ({subtype})"))))
}

/// Whether the message of the model that a stream event ends arrived whole (measured with 2.1.329).
fn event_is_whole(message: &Value) -> bool {
    message.get("abandoned_blocks").is_none()
}

/// Counts a message of an unknown kind, and shows what it says to the user.
fn not_understood(kind: &str, message: &Value, own: bool, out: &mut Output) {
    out.invalid(InputError::unknown_type(kind));
    crate::not_understood::show(kind, message, own, out);
}
