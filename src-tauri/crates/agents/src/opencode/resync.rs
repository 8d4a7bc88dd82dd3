//! Reads the state of a session anew. The event stream repeats nothing, so this follows every connection of it.

use std::collections::HashSet;

use serde_json::Value;

use super::{OpenCodeAdapter, Sent, invalid_input, text};
use crate::adapter::Output;
use crate::event::InputError;

/// How many of the newest messages are read. A turn that wrote more during a break of the stream is shown from there on.
const MESSAGES: usize = 50;

/// What has been read so far.
#[derive(Debug, Default)]
pub(super) struct Resync {
    /// How many are on their way; only the last one counts.
    running: usize,
    /// The sessions that work, whose questions are alive.
    busy: HashSet<String>,
    /// Whether a list could not be read, so what it lacks may still be open.
    pub(super) incomplete: bool,
    /// The open requests of the server.
    listed: HashSet<String>,
}

impl OpenCodeAdapter {
    /// Asks for everything that the stream may have lost. Subagents come first: their questions are told by their sessions.
    pub(super) fn begin_resync(&mut self, out: &mut Output) {
        if self.session.is_none() {
            return;
        }
        self.resync.running += 1;
        self.session_request(Sent::Children, "GET", "/children", Value::Null, out);
        self.request(Sent::Status, "GET /session/status", Value::Null, out);
        self.request(Sent::Questions, "GET /question", Value::Null, out);
        self.request(Sent::Permissions, "GET /permission", Value::Null, out);
        self.session_request(Sent::Messages, "GET", &format!("/message?limit={MESSAGES}"), Value::Null, out);
    }

    /// A session without a status is idle.
    pub(super) fn on_status_list(&mut self, status: &Value, out: &mut Output) {
        let Some(all) = status.as_object() else {
            return invalid_input(InputError::Incomplete { field: "status" }, out);
        };
        let works = |status: &Value| text(status, "type").is_some_and(|kind| kind != "idle");
        self.resync.busy = all.iter().filter(|(_, status)| works(status)).map(|(id, _)| id.clone()).collect();
        self.resync.listed.clear();
        if self.resync.busy.iter().any(|session| self.is_own(session)) {
            self.begin_turn(out);
        }
    }

    pub(super) fn on_question_list(&mut self, questions: &Value, out: &mut Output) {
        for question in self.alive(questions) {
            self.resend_reply(&question, out);
            self.on_question(&question, out);
        }
    }

    pub(super) fn on_permission_list(&mut self, permissions: &Value, out: &mut Output) {
        for permission in self.alive(permissions) {
            self.resend_reply(&permission, out);
            self.on_permission(&permission, out);
        }
    }

    /// Returns those requests of a list that somebody waits for; the server also lists those of interrupted turns.
    fn alive(&mut self, list: &Value) -> Vec<Value> {
        let is_alive = |request: &&Value| {
            text(request, "sessionID").is_some_and(|session| self.resync.busy.contains(session))
        };
        let alive: Vec<Value> = list.as_array().into_iter().flatten().filter(is_alive).cloned().collect();
        self.resync.listed.extend(alive.iter().filter_map(|request| text(request, "id")).map(str::to_owned));
        alive
    }

    /// Reads the newest messages, the last thing that is asked for.
    pub(super) fn on_message_list(&mut self, messages: &Value, out: &mut Output) {
        let session = self.session.clone().unwrap_or_default();
        for message in messages.as_array().into_iter().flatten() {
            if text(&message["info"], "id").is_none_or(|id| id <= self.last_message.as_str()) {
                continue;
            }
            self.on_message(&session, &message["info"], out);
            for part in message["parts"].as_array().into_iter().flatten() {
                self.on_part(&session, part, out);
            }
        }
        self.resync.running = self.resync.running.saturating_sub(1);
        if std::mem::take(&mut self.resync.incomplete) || self.resync.running > 0 {
            return;
        }
        let listed = std::mem::take(&mut self.resync.listed);
        self.withdraw_where(|call| !listed.contains(call.native_ref.as_str()), out);
        if self.turn.running && !self.resync.busy.contains(&session) {
            self.end_turn(out);
        }
    }
}
