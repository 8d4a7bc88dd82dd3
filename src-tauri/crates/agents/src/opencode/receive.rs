//! What the server's events and responses mean.

use askdesk_domain::text::bounded;
use askdesk_domain::{NativeSession, Notice, TodoItem, TodoStatus};
use serde_json::{Value, json};

use super::connection::{CONNECTED, HEARTBEAT, concerns_server};
use super::known::{EVENTS, REPEATED, REQUESTS};
use super::launch::CHANGES;
use super::subagents::asking;
use super::tools;
use super::{OpenCodeAdapter, Role, Sent, parent_of};
use crate::adapter::Output;
use crate::event::{Configuration, Conversation, InputError, Retry, RetryBegins, Trouble};
use crate::json::{list_of, text};
use crate::not_understood;
use crate::own_sessions::title;
use crate::rpc::{INTERNAL_ERROR, RpcError};

/// The status of a response about something that doesn't exist.
const NOT_FOUND: i64 = 404;
/// The error of a turn that was interrupted.
const ABORTED: &str = "MessageAbortedError";
/// What the titles of sessions begin with that the server has no title for yet; its time follows.
const PLACEHOLDERS: [&str; 2] = ["New session - ", "Child session - "];

fn is_placeholder(title: &str) -> bool {
    PLACEHOLDERS.iter().any(|known| title.starts_with(known))
}

impl OpenCodeAdapter {
    pub(super) fn on_event(&mut self, kind: &str, properties: &Value, out: &mut Output) {
        let session =
            text(properties, "sessionID").or_else(|| properties.pointer("/info/sessionID")?.as_str());
        let session = session.unwrap_or_default().to_owned();
        if !session.is_empty() {
            self.resync.quiet = 0;
        }
        if concerns_server(kind) || REPEATED.iter().any(|known| kind.starts_with(known)) {
            return;
        }
        if !EVENTS.contains(&kind) && !REQUESTS.contains(&kind) {
            return self.on_unknown(kind, &session, properties, out);
        }
        match kind {
            // What happened while the stream was broken, or before the folder was loaded anew, isn't sent again.
            CONNECTED => self.begin_resync(out),
            "server.instance.disposed" => {
                self.list_agents(out);
                self.list_servers(out);
                self.begin_resync(out);
            }
            HEARTBEAT => self.on_heartbeat(out),
            "session.created" | "session.updated" => self.on_session_info(&properties["info"], out),
            "session.status" => self.on_status(&session, &properties["status"], out),
            "session.idle" => self.on_idle(&session, out),
            "session.error" => self.on_error(&session, &properties["error"], out),
            "session.compacted" if self.is_own(&session) => {
                out.notice(Notice::Compacted);
                self.usage.on_compacted();
                self.tell_context(out);
            }
            "session.compacted" => {}
            "message.updated" => self.on_message(&session, &properties["info"], out),
            "message.part.updated" => self.on_part(&session, &properties["part"], out),
            "message.part.delta" => self.on_delta(properties, out),
            "todo.updated" if self.is_own(&session) => on_todos(&properties["todos"], out),
            "todo.updated" => {}
            "question.asked" => self.on_question(properties, out),
            "permission.asked" => self.on_permission(properties, out),
            "question.replied" | "question.rejected" => self.on_question_ended(properties, out),
            "permission.replied" => self.on_permission_ended(properties, out),
            other => self.on_unknown(other, &session, properties, out),
        }
    }

    /// An event of an unknown kind. What it says to the user is shown.
    fn on_unknown(&self, kind: &str, session: &str, properties: &Value, out: &mut Output) {
        out.invalid(InputError::unknown_type(kind));
        not_understood::show(kind, properties, self.is_own(session), out);
    }

    /// Creates the session on the server.
    pub(super) fn create(&mut self, out: &mut Output) {
        let mut body = json!({});
        if self.asks() {
            body["permission"] = CHANGES.map(asking).into_iter().collect();
        }
        self.request(Sent::New, "POST /session", body, out);
    }

    pub(super) fn on_response(&mut self, key: u64, result: &Result<Value, RpcError>, out: &mut Output) {
        let Some(what) = self.sent.remove(&key) else {
            return out.invalid(InputError::Incomplete { field: "id" });
        };
        match (what, result) {
            (Sent::New | Sent::Resume, Ok(session)) => self.on_session(session, out),
            (Sent::Resume, Err(error)) if error.code == NOT_FOUND => {
                out.event(Trouble::SessionUnknown { error: error.message.clone() });
            }
            (Sent::Bar { barred, lacks_asking }, Err(error)) => {
                (self.barred, self.lacks_asking) = (barred, lacks_asking);
                self.turn.error = Some(error.message.clone());
                self.end_turn(out);
            }
            (Sent::New | Sent::Resume | Sent::Compact, Err(error)) => {
                self.turn.error = Some(error.message.clone());
                self.end_turn(out);
            }
            (Sent::Moved, result) => {
                value_of(result, out);
                self.read_newest(out);
            }
            (Sent::Newest, result) => {
                let newest = list_of(value_of(result, out)).iter();
                if let Some(id) = newest.filter_map(|message| text(&message["info"], "id")).max() {
                    self.last_message = id.to_owned();
                }
                self.opened(out);
            }
            (Sent::Version, Ok(health)) => {
                self.version = text(health, "version").map(str::to_owned).or(self.version.take());
                self.introduce(out);
            }
            (Sent::Agents, Ok(agents)) => {
                self.on_agents(agents, out);
                self.bar_subagents(agents, out);
            }
            (Sent::Agents, failed) => self.bar_subagents(value_of(failed, out), out),
            (Sent::Bar { .. }, Ok(_)) => self.release(out),
            (Sent::Models, Ok(providers)) => self.on_models(providers, out),
            (Sent::Commands, Ok(commands)) => self.on_commands(commands, out),
            (Sent::Prompt { .. } | Sent::Command { .. } | Sent::Abort | Sent::Compact, Ok(_)) => {}
            // It was taken up, and its turn says how it ended.
            (Sent::Command { id }, Err(error)) if !self.untaken.contains(&id) => request_failed(error, out),
            (Sent::Prompt { id } | Sent::Command { id }, Err(error)) => {
                self.untaken.retain(|waiting| *waiting != id);
                let notice = Notice::MessageNotSent { error: error.message.clone().into() };
                out.notice(notice);
                if !self.turn.running {
                    self.turn.error = Some(error.message.clone());
                    self.end_turn(out);
                }
            }
            // Its event says that the reply has arrived; a reply to a request of a dead turn gets no error.
            (Sent::Reply { .. }, Ok(_)) => {}
            // The link's own error: the server has not responded.
            (Sent::Reply { native_ref }, Err(error)) if error.code == INTERNAL_ERROR => {
                request_failed(error, out);
                self.on_reply_in_doubt(&native_ref, out);
            }
            (Sent::Reply { native_ref }, Err(error)) => {
                request_failed(error, out);
                self.withdraw(|call| call.native_ref == native_ref, out);
            }
            (Sent::Status, Ok(status)) => self.on_status_list(status, out),
            (Sent::Questions, Ok(questions)) => self.on_question_list(questions, out),
            (Sent::Permissions, Ok(permissions)) => self.on_permission_list(permissions, out),
            (Sent::Servers, Ok(status)) => self.servers = tools::servers(status),
            (Sent::CallOf { request }, result) => {
                self.ask_permission(&request, value_of(result, out), out);
            }
            (Sent::Children, Ok(sessions)) => {
                list_of(sessions).iter().for_each(|session| self.on_session_info(session, out));
            }
            (Sent::Messages, result) => self.on_message_list(value_of(result, out), out),
            (Sent::Status | Sent::Questions | Sent::Permissions, Err(error)) => {
                request_failed(error, out);
                self.resync.incomplete = true;
            }
            (_, Err(error)) => request_failed(error, out),
        }
    }

    /// The session is there, and what waited for it can be sent.
    fn on_session(&mut self, session: &Value, out: &mut Output) {
        let Some(native_session) = text(session, "id").and_then(NativeSession::new) else {
            return out.invalid(InputError::Incomplete { field: "id" });
        };
        self.session = Some(native_session.to_string());
        self.version = text(session, "version").filter(|_| !self.resumes).map(str::to_owned);
        self.on_session_info(session, out);
        self.note_rules(session);
        if !self.resumes {
            return self.opened(out);
        }
        if text(session, "directory").is_some_and(|directory| directory != self.path) {
            // The user has moved the folder. In the old one, every prompt would fail (measured with 1.18.33).
            let moved =
                json!({ "sessionID": native_session.as_str(), "destination": { "directory": self.path } });
            return self.request(Sent::Moved, "POST /experimental/control-plane/move-session", moved, out);
        }
        self.read_newest(out);
    }

    /// What was said before is on the desk already.
    fn read_newest(&mut self, out: &mut Output) {
        self.session_request(Sent::Newest, "GET", "/message?limit=1", Value::Null, out);
    }

    fn opened(&mut self, out: &mut Output) {
        self.introduce(out);
        if !self.asks() {
            self.release(out);
        }
        self.request(Sent::Version, "GET /global/health", Value::Null, out);
        self.list_agents(out);
        self.list_servers(out);
        self.list_commands(out);
        self.request(Sent::Models, "GET /config/providers", Value::Null, out);
        if self.resumes {
            self.begin_resync(out);
        }
    }

    pub(super) fn list_agents(&mut self, out: &mut Output) {
        self.request(Sent::Agents, "GET /agent", Value::Null, out);
    }

    fn list_servers(&mut self, out: &mut Output) {
        self.request(Sent::Servers, "GET /mcp", Value::Null, out);
    }

    /// Sends what waited until the session was open.
    pub(super) fn release(&mut self, out: &mut Output) {
        self.open = true;
        for action in std::mem::take(&mut self.held) {
            // It was checked before it was held.
            if let Err(error) = self.encode(action, out) {
                out.invalid(InputError::RequestFailed { error: error.to_string() });
            }
        }
    }

    pub(super) fn introduce(&self, out: &mut Output) {
        out.event(Configuration::Introduced {
            version: self.version.clone(),
            model: self.usage.model().map(str::to_owned),
            native_session: self.session.clone().and_then(NativeSession::new),
        });
    }

    /// Reads what the server says about a session.
    fn on_session_info(&mut self, session: &Value, out: &mut Output) {
        if let Some((id, parent)) = parent_of(session)
            && self.is_ours(parent)
        {
            let name = text(session, "agent").or_else(|| text(session, "title")).unwrap_or("subagent");
            self.subagents.insert(id.to_owned(), bounded(name));
            return;
        }
        if text(session, "id").is_some_and(|id| self.is_own(id)) {
            let given =
                text(session, "title").map(title).filter(|title| !title.is_empty() && !is_placeholder(title));
            if let Some(title) = given.filter(|title| self.title.as_ref() != Some(title)) {
                self.title = Some(title.clone());
                out.event(Configuration::Titled { title });
            }
            let model = &session["model"];
            self.note_choice(text(session, "agent"), text(model, "providerID"), text(model, "id"), out);
        }
    }

    pub(super) fn on_status(&mut self, session: &str, status: &Value, out: &mut Output) {
        match text(status, "type") {
            Some("idle") => self.on_idle(session, out),
            Some("busy") if self.is_own(session) => self.begin_turn(out),
            Some("busy") => {}
            Some("retry") if self.is_own(session) => {
                self.begin_turn(out);
                self.drop_unfinished();
                let retry = Retry {
                    attempt: status["attempt"].as_u64().and_then(|attempt| attempt.try_into().ok()),
                    of: None,
                    reason: bounded(text(status, "message").unwrap_or("no reason given")),
                    begins: status["next"].as_i64().map_or(RetryBegins::Unknown, RetryBegins::At),
                };
                out.event(Conversation::Retrying { retry });
            }
            Some("retry") => {
                let words = text(status, "message").unwrap_or("no reason given");
                let attempt = &status["attempt"];
                let error = bounded(&format!("the model's provider failed (attempt {attempt}): {words}"));
                out.invalid(InputError::RequestFailed { error });
            }
            _ => out.invalid(InputError::Incomplete { field: "status" }),
        }
    }

    /// A session works no longer. What it asked is dead, although the server goes on listing it.
    fn on_idle(&mut self, session: &str, out: &mut Output) {
        if !self.is_own(session) {
            return self.withdraw(|call| call.own.session == session, out);
        }
        if self.turn.running {
            self.end_turn(out);
        }
    }

    fn on_error(&mut self, session: &str, error: &Value, out: &mut Output) {
        if text(error, "name") == Some(ABORTED) {
            self.turn.interrupting |= self.is_own(session);
            return;
        }
        let words = error.pointer("/data/message").and_then(Value::as_str).or_else(|| text(error, "name"));
        let words = bounded(words.unwrap_or("no reason given"));
        if self.is_own(session) && self.turn.running {
            self.last_error = words.clone();
            self.turn.error.get_or_insert(words);
        } else if self.last_error.is_empty() || !words.contains(&self.last_error) {
            // A turn's error is repeated, with its stack, after the turn has ended.
            out.invalid(InputError::RequestFailed { error: words });
        }
    }

    pub(super) fn on_message(&mut self, session: &str, info: &Value, out: &mut Output) {
        let Some(id) = text(info, "id") else {
            return out.invalid(InputError::Incomplete { field: "id" });
        };
        if !self.is_own(session) || id <= self.last_message.as_str() {
            return;
        }
        let role = match text(info, "role") {
            Some("user") => Role::User { taken: false },
            Some("assistant") if info["summary"] == json!(true) => Role::Summary,
            Some("assistant") => Role::Agent,
            _ => return out.invalid(InputError::Incomplete { field: "role" }),
        };
        self.messages.entry(id.to_owned()).or_insert(role);
        if role == (Role::User { taken: false }) {
            return;
        }
        let time = &info["time"];
        let created = time["created"].as_u64();
        self.turn.began = self.turn.began.or(created);
        self.turn.heard = time["completed"].as_u64().or(created).max(self.turn.heard);
        let changed = self.usage.on_message(info);
        let model = (text(info, "providerID"), text(info, "modelID"));
        if role == Role::Agent {
            self.note_choice(text(info, "agent"), model.0, model.1, out);
        }
        if changed {
            self.introduce(out);
        }
        self.tell_context(out);
    }

    pub(super) fn tell_context(&mut self, out: &mut Output) {
        if let Some(context) = self.usage.news() {
            out.event(Conversation::ContextChanged { context });
        }
    }
}

fn on_todos(todos: &Value, out: &mut Output) {
    let item = |item: &Value| {
        let status = match text(item, "status") {
            Some("in_progress") => TodoStatus::InProgress,
            Some("completed") => TodoStatus::Done,
            // Nobody will do it any more.
            Some("cancelled") => return None,
            _ => TodoStatus::Pending,
        };
        Some(TodoItem { text: bounded(text(item, "content")?), status })
    };
    match todos.as_array() {
        Some(todos) => {
            let items = todos.iter().filter_map(item).take(askdesk_domain::tool::TODO_ITEMS).collect();
            out.event(Conversation::PlanChanged { items });
        }
        None => out.invalid(InputError::Incomplete { field: "todos" }),
    }
}

/// What was responded. A failure is reported, and reads as nothing.
fn value_of<'a>(result: &'a Result<Value, RpcError>, out: &mut Output) -> &'a Value {
    result.as_ref().unwrap_or_else(|error| {
        request_failed(error, out);
        &Value::Null
    })
}

pub(super) fn request_failed(error: &RpcError, out: &mut Output) {
    out.invalid(InputError::RequestFailed { error: bounded(&error.to_string()) });
}
