//! What the server tells about a session, as events.

use askdesk_domain::text::bounded;
use askdesk_domain::{Asker, HelperId, Notice, ToolStatus};
use serde_json::Value;
use uuid::Uuid;

use super::known::{ITEMS, READ, SILENT, WARNINGS};
use super::{
    CodexAdapter, Item, REMEMBERED_ITEMS, REMEMBERED_WARNINGS, SUBAGENTS, Thread, async_questions, items,
    plan, unknown,
};
use crate::adapter::Output;
use crate::event::{Asked, Configuration, Conversation, InputError, Requests, Retry, RetryBegins};
use crate::json::{is_true, list, text, texts};
use crate::not_understood;
use crate::own_sessions::title;

impl CodexAdapter {
    pub(super) fn on_notification(&mut self, method: &str, params: &Value, out: &mut Output) {
        if SILENT.contains(&method) {
            return;
        }
        let warning = WARNINGS.iter().find(|(known, _)| *known == method);
        if warning.is_none() && !READ.contains(&method) {
            return self.on_unknown(method, params, out);
        }
        if let Some((_, fields)) = warning {
            let words: Vec<&str> = fields.iter().filter_map(|field| text(params, field)).collect();
            return self.warn_once(words.join("\n"), out);
        }
        let subagent = self.subagent(params);
        let of_subagent = subagent.is_some();
        match method {
            "thread/started" => self.on_thread_started(&params["thread"]),
            // The server has an answer, or no longer waits for one.
            "serverRequest/resolved" => {
                self.settle(|call| call.own.id.as_ref() == Some(&params["requestId"]), out);
            }
            "item/started" => self.on_item(&params["item"], false, of_subagent, out),
            "item/completed" => {
                self.on_item(&params["item"], true, of_subagent, out);
                self.on_async_questions(params, subagent.as_ref(), out);
            }
            "item/fileChange/patchUpdated" => {
                let id = text(params, "itemId").unwrap_or_default();
                if let Some((_, item)) = self.items.iter_mut().find(|(known, _)| known == id) {
                    item.changes = params["changes"].clone();
                }
            }
            "mcpServer/startupStatus/updated" => {
                if text(params, "status") == Some("failed") {
                    let name = text(params, "name").unwrap_or_default();
                    let error = text(params, "error").unwrap_or_default();
                    warn(format!("The MCP server {name} couldn't start. {error}").trim_end(), out);
                }
            }
            "skills/changed" => self.list_skills(out),
            "account/rateLimits/updated" => self.on_rate_limits(&params["rateLimits"], out),
            "turn/completed" if of_subagent => {
                // A child that has ended no longer waits.
                self.settle(|call| !call.answered && call.helper == subagent, out);
            }
            // What follows is about a subagent's own turn, which is a part of a turn of the agent.
            "turn/started"
            | "turn/plan/updated"
            | "item/agentMessage/delta"
            | "item/plan/delta"
            | "item/reasoning/summaryTextDelta"
            | "item/reasoning/textDelta"
            | "item/reasoning/summaryPartAdded"
            | "thread/tokenUsage/updated"
            | "thread/closed"
            | "thread/settings/updated"
            | "thread/name/updated"
            | "model/rerouted"
            | "error"
                if of_subagent => {}
            "turn/started" => {
                self.begin_turn(out);
                self.note_turn(&params["turn"], out);
            }
            "turn/completed" => self.on_turn_completed(&params["turn"], out),
            "turn/plan/updated" => out.event(Conversation::PlanChanged { items: plan::steps(params) }),
            "item/agentMessage/delta"
            | "item/plan/delta"
            | "item/reasoning/summaryTextDelta"
            | "item/reasoning/textDelta" => {
                if let Some(text) = text(params, "delta") {
                    self.begin_turn(out);
                    let thinking = method.starts_with("item/reasoning/");
                    out.event(Conversation::Delta { thinking, text: bounded(text) });
                }
            }
            "item/reasoning/summaryPartAdded" => {
                if params["summaryIndex"].as_u64().is_some_and(|index| index > 0) {
                    out.event(Conversation::Delta { thinking: true, text: "\n\n".to_owned() });
                }
            }
            "thread/tokenUsage/updated" => {
                let in_turn = self.turn.began;
                if let Some(context) = self.usage.on_report(&params["tokenUsage"], in_turn) {
                    out.event(Conversation::ContextChanged { context });
                }
            }
            "thread/settings/updated" => {
                let changed = self.take_settings(&params["threadSettings"]);
                self.tell_config(changed, out);
            }
            "thread/name/updated" => {
                if let Some(title) = text(params, "threadName").map(title).filter(|title| !title.is_empty()) {
                    out.event(Configuration::Titled { title });
                }
            }
            "thread/closed" => self.thread = Thread::Closed,
            "model/rerouted" => {
                let from = text(params, "fromModel").unwrap_or_default();
                let to = text(params, "toModel").unwrap_or_default();
                warn(&format!("The model {to} answers instead of {from}."), out);
            }
            "error" => self.on_error(params, out),
            other => self.on_unknown(other, params, out),
        }
    }

    /// A notification of an unknown kind. What it says to the user is shown.
    fn on_unknown(&mut self, method: &str, params: &Value, out: &mut Output) {
        unknown(out, method);
        not_understood::show(method, params, self.subagent(params).is_none(), out);
    }

    fn warn_once(&mut self, words: String, out: &mut Output) {
        if self.warned.contains(&words) {
            return;
        }
        warn(&words, out);
        if self.warned.len() == REMEMBERED_WARNINGS {
            self.warned.pop_front();
        }
        self.warned.push_back(words);
    }

    /// A session that names one above it is a subagent's.
    fn on_thread_started(&mut self, thread: &Value) {
        let Some(id) = text(thread, "id").filter(|_| text(thread, "parentThreadId").is_some()) else {
            return;
        };
        let name = ["agentNickname", "agentRole", "name"].iter().find_map(|field| text(thread, field));
        if self.subagents.len() == SUBAGENTS {
            self.subagents.pop_front();
        }
        self.subagents.push_back((id.to_owned(), bounded(name.unwrap_or("subagent"))));
    }

    fn on_turn_completed(&mut self, turn: &Value, out: &mut Output) {
        let status = text(turn, "status").unwrap_or_default();
        let ended_well = status == "completed";
        self.begin_turn(out);
        if !ended_well {
            self.settle(|call| !call.answered && call.helper.is_none(), out);
        }
        self.submit_plan(text(turn, "id").unwrap_or_default(), ended_well, out);
        let error = (status == "failed").then(|| error_words(&turn["error"]));
        if let Some(words) = &error {
            self.tell_if_rejected(&turn["error"], words, out);
        }
        let ended = self.end_turn(turn["durationMs"].as_u64().unwrap_or_default(), error, out);
        self.items.clear();
        if let Some(words) = ended.follow_up {
            self.say(&words, out);
        }
    }

    /// The end of the turn tells the final error; one that is followed by another attempt is told at once.
    fn on_error(&mut self, params: &Value, out: &mut Output) {
        if !is_true(params, "willRetry") {
            return;
        }
        let error = &params["error"];
        let reason = error_words(error);
        self.tell_if_rejected(error, &reason, out);
        let (attempt, of) = text(error, "message").and_then(attempt_of).unzip();
        // The server doesn't say when.
        let retry = Retry { attempt, of, reason, begins: RetryBegins::Unknown };
        out.event(Conversation::Retrying { retry });
    }

    /// Tells once in a turn that a key or login was rejected.
    fn tell_if_rejected(&mut self, error: &Value, words: &str, out: &mut Output) {
        if rejects_login(error) && !std::mem::replace(&mut self.turn.login_rejected, true) {
            out.notice(Notice::LoginRejected { error: words.to_owned() });
        }
    }

    /// A limit is told of when it is reached; what is left of it has no place on the page.
    fn on_rate_limits(&mut self, limits: &Value, out: &mut Output) {
        let reached = text(limits, "rateLimitReachedType").map(|reached| {
            let name = text(limits, "limitName").or_else(|| text(limits, "limitId")).unwrap_or_default();
            format!("A usage limit was reached: {name} ({reached})")
        });
        if self.limit != reached {
            warn(reached.as_deref().unwrap_or_default(), out);
            self.limit = reached;
        }
    }

    fn on_item(&mut self, item: &Value, ended: bool, of_subagent: bool, out: &mut Output) {
        let (Some(id), Some(kind)) = (text(item, "id"), text(item, "type")) else {
            return out.invalid(InputError::Incomplete { field: "id or type of an item" });
        };
        if !of_subagent {
            self.begin_turn(out);
        }
        match kind {
            // A subagent's words are not the agent's own, so only its tool calls are told of.
            "userMessage" | "agentMessage" | "reasoning" | "plan" | "contextCompaction" if of_subagent => {}
            "userMessage" => {
                let uuid = text(item, "clientId").and_then(|id| id.parse::<Uuid>().ok());
                if let Some(uuid) = uuid.filter(|_| !ended) {
                    out.event(Conversation::MessageTaken { uuid });
                }
            }
            // While it reviews, its messages are raw findings. They come again as a text, in the message behind the review.
            "agentMessage" if ended && self.turn.is_reviewing => out.event(Conversation::TextDropped),
            "agentMessage" if ended => said(async_questions::words_besides(item), out),
            "enteredReviewMode" => self.turn.is_reviewing = true,
            "exitedReviewMode" => {
                self.turn.is_reviewing = false;
                out.event(Conversation::TextDropped);
            }
            "reasoning" if ended => {
                let parts = ["summary", "content"].into_iter().find(|name| !list(item, name).is_empty());
                let text = bounded(&texts(item, parts.unwrap_or_default()).join("\n\n"));
                if !text.trim().is_empty() {
                    out.event(Conversation::Finished { thinking: true, text });
                }
            }
            "plan" if ended => {
                if let Some(plan) = text(item, "text").filter(|plan| !plan.trim().is_empty()) {
                    self.on_proposed(plan, out);
                }
            }
            "contextCompaction" if ended => {
                if let Some(context) = self.usage.on_compacted() {
                    out.event(Conversation::ContextChanged { context });
                }
                out.notice(Notice::Compacted);
            }
            "agentMessage" | "reasoning" | "plan" | "contextCompaction" => {}
            kind if !ITEMS.contains(&kind) => self.on_unknown_item(item, ended, of_subagent, out),
            _ => self.on_tool(id, item, ended, out),
        }
    }

    /// A message may hold questions that the agent doesn't wait for. A subagent's are answered to the agent itself: there is no way to
    /// send it a message alone.
    fn on_async_questions(&mut self, params: &Value, subagent: Option<&HelperId>, out: &mut Output) {
        let item = &params["item"];
        let (turn, id) = (text(params, "turnId").unwrap_or_default(), text(item, "id").unwrap_or_default());
        let (Some(questions), Some(native_ref)) =
            (async_questions::read(item), async_questions::native_ref(turn, id))
        else {
            return;
        };
        match questions {
            Ok(questions) => {
                let asked_by = subagent.map(|subagent| self.subagent_name(subagent));
                let asker = Asker::GoesOn;
                out.event(Requests::Asked(Asked { native_ref, helper: None, asked_by, questions, asker }));
            }
            Err(refusal) => out.notice(Notice::QuestionRefused { reason: refusal.to_string() }),
        }
    }

    /// An item of an unknown kind. What it says to the user is shown as text, and anything else whole, as a tool call.
    fn on_unknown_item(&mut self, item: &Value, ended: bool, of_subagent: bool, out: &mut Output) {
        let (Some(id), Some(kind)) = (text(item, "id"), text(item, "type")) else { return };
        let known = self.known_item(id);
        if known.told {
            return;
        }
        if !known.shown {
            unknown(out, &format!("item {kind}"));
        }
        known.told = not_understood::show(kind, item, !of_subagent, out);
        if !known.told || known.shown {
            self.on_tool(id, item, ended, out);
        }
    }

    fn on_tool(&mut self, id: &str, item: &Value, ended: bool, out: &mut Output) {
        let tool_use = bounded(id);
        let known = self.known_item(id);
        if let Some(changes) = item.get("changes") {
            known.changes = changes.clone();
        }
        let asked = known.asked;
        if !std::mem::replace(&mut known.shown, true) {
            let shown = items::shown(item, &self.folder);
            out.event(Conversation::ToolStarted {
                tool_use: tool_use.clone(),
                parent: None,
                subagent: None,
                kind: shown.kind,
                name: shown.name,
                summary: shown.summary,
                detail: shown.detail,
                status: ToolStatus::Running,
            });
        }
        if ended {
            // Whoever was asked declined it.
            if !asked && text(item, "status") == Some("declined") {
                out.event(Conversation::ToolRefused { tool_use: tool_use.clone(), request: None });
            }
            let (ok, output, images) = items::ended(item);
            out.event(Conversation::ToolEnded { tool_use, ok, output, images });
        }
    }

    pub(super) fn known_item(&mut self, id: &str) -> &mut Item {
        let place = self.items.iter().position(|(known, _)| known == id);
        let place = place.unwrap_or_else(|| {
            if self.items.len() == REMEMBERED_ITEMS {
                self.items.pop_front();
            }
            self.items.push_back((id.to_owned(), Item::default()));
            self.items.len() - 1
        });
        &mut self.items[place].1
    }
}

fn said(text: &str, out: &mut Output) {
    if !text.trim().is_empty() {
        out.event(Conversation::Finished { thinking: false, text: bounded(text) });
    }
}

/// Reads the count in the words of a retry, as in `Reconnecting... 2/5` (0.169.0).
fn attempt_of(words: &str) -> Option<(u32, u32)> {
    let (attempt, of) = words.rsplit(' ').next()?.split_once('/')?;
    Some((attempt.parse().ok()?, of.parse().ok()?))
}

/// Whether the model's provider rejected the key or the login.
fn rejects_login(error: &Value) -> bool {
    let info = &error["codexErrorInfo"];
    let status = info.as_object().and_then(|info| info.values().next()?.get("httpStatusCode")?.as_u64());
    info == "unauthorized" || matches!(status, Some(401 | 403))
}

fn error_words(error: &Value) -> String {
    let parts = [text(error, "message"), text(error, "additionalDetails")];
    let words = parts.into_iter().flatten().collect::<Vec<_>>().join("\n");
    if words.trim().is_empty() { "the turn failed".to_owned() } else { bounded(&words) }
}

fn warn(words: &str, out: &mut Output) {
    if !words.trim().is_empty() {
        out.notice(Notice::AgentWarned { text: bounded(words) });
    }
}
