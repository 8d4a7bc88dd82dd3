//! Reads the state of a session anew. The event stream repeats nothing, so this follows every connection of it.

use std::collections::HashSet;

use askdesk_domain::NativeRef;
use serde_json::Value;

use super::{OpenCodeAdapter, Sent};
use crate::adapter::Output;
use crate::event::InputError;
use crate::json::{list, list_of, text};

/// How many of the newest messages are read. A turn that wrote more during a break of the stream is shown from there on.
const MESSAGES: usize = 50;

/// How many heartbeats are between two readings in a long silence, at most.
const HEARTBEATS: u32 = 8;

/// What has been read so far.
#[derive(Debug, Default)]
pub(super) struct Resync {
    /// How many heartbeats have come since anything was heard of the session.
    pub(super) quiet: u32,
    /// The turn during which the reading began; the end of a later one is not in it.
    turn: u64,
    /// The calls that were known then; a later one may be missing in the lists.
    known: HashSet<NativeRef>,
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
        self.resync.turn = self.turns;
        self.resync.known = self.calls.iter().map(|call| call.native_ref.clone()).collect();
        self.session_request(Sent::Children, "GET", "/children", Value::Null, out);
        self.request(Sent::Status, "GET /session/status", Value::Null, out);
        self.request(Sent::Questions, "GET /question", Value::Null, out);
        self.request(Sent::Permissions, "GET /permission", Value::Null, out);
        self.session_request(Sent::Messages, "GET", &format!("/message?limit={MESSAGES}"), Value::Null, out);
    }

    /// Reads anew if nothing has been heard in a turn: at first with every heartbeat, later less often.
    pub(super) fn on_heartbeat(&mut self, out: &mut Output) {
        if !self.turn.running || self.resync.running > 0 {
            return;
        }
        self.resync.quiet += 1;
        if self.resync.quiet.is_power_of_two() || self.resync.quiet.is_multiple_of(HEARTBEATS) {
            self.begin_resync(out);
        }
    }

    /// A session without a status is idle.
    pub(super) fn on_status_list(&mut self, status: &Value, out: &mut Output) {
        let Some(all) = status.as_object() else {
            return out.invalid(InputError::Incomplete { field: "status" });
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
        let busy = &self.resync.busy;
        let is_alive = |it: &&Value| text(it, "sessionID").is_some_and(|session| busy.contains(session));
        let alive: Vec<Value> = list_of(list).iter().filter(is_alive).cloned().collect();
        self.resync.listed.extend(alive.iter().filter_map(|request| text(request, "id")).map(str::to_owned));
        alive
    }

    /// Reads the newest messages, the last thing that is asked for.
    pub(super) fn on_message_list(&mut self, messages: &Value, out: &mut Output) {
        let session = self.session.clone().unwrap_or_default();
        for message in list_of(messages) {
            if text(&message["info"], "id").is_none_or(|id| id <= self.last_message.as_str()) {
                continue;
            }
            self.on_message(&session, &message["info"], out);
            list(message, "parts").iter().for_each(|part| self.on_part(&session, part, out));
        }
        self.resync.running = self.resync.running.saturating_sub(1);
        if std::mem::take(&mut self.resync.incomplete) || self.resync.running > 0 {
            return;
        }
        let listed = std::mem::take(&mut self.resync.listed);
        let known = std::mem::take(&mut self.resync.known);
        let is_gone =
            |native_ref: &NativeRef| known.contains(native_ref) && !listed.contains(native_ref.as_str());
        self.withdraw(|call| is_gone(&call.native_ref), out);
        let same_turn = self.resync.turn == self.turns;
        if self.turn.running && same_turn && !self.resync.busy.contains(&session) {
            self.end_turn(out);
        }
    }
}
