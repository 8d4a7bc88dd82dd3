//! Answers of the server to our requests.

use askdesk_domain::Notice;
use askdesk_domain::text::bounded;
use serde_json::{Value, json};

use super::{CodexAdapter, DEFAULT, MODE, Sent, Thread, Turn, native_session};
use crate::adapter::{Open, Output};
use crate::event::{Configuration, Conversation, InputError, Trouble};
use crate::json::text;
use crate::rpc::RpcError;

impl CodexAdapter {
    pub(super) fn on_response(&mut self, key: u64, result: Result<Value, RpcError>, out: &mut Output) {
        let Some(what) = self.sent.remove(&key) else {
            return out.invalid(InputError::Incomplete { field: "id" });
        };
        match (what, result.map_err(|error| bounded(&error.message))) {
            (Sent::Open, Ok(result)) => self.on_opened(&result, out),
            (Sent::Open, Err(words)) => self.on_not_opened(words, out),
            (Sent::Models, Ok(result)) => {
                let changed = self.take_models(&result);
                // Before the session is open its present values are not known.
                self.tell_config(changed && matches!(self.thread, Thread::Open { .. }), out);
            }
            (Sent::Skills, Ok(result)) => self.take_skills(&result, out),
            // The commands that are no skills are there all the same.
            (Sent::Skills, Err(error)) => {
                self.take_skills(&Value::Null, out);
                out.invalid(InputError::RequestFailed { error });
            }
            (Sent::Message { .. }, Ok(result)) => {
                let turn = &result["turn"];
                if text(turn, "status") == Some("inProgress") {
                    self.note_turn(turn, out);
                }
            }
            // The turn ended before the message arrived, or takes none.
            (Sent::Message { id, input, steers: true }, Err(_)) => self.start_turn(id, input, out),
            (Sent::Message { .. }, Err(words)) if self.turn.began => {
                out.notice(Notice::MessageNotSent { error: words.into() });
            }
            (Sent::Message { .. } | Sent::Compact, Err(words)) => {
                self.end_turn(0, Some(words), out);
            }
            (Sent::Config { ticket, changes }, Ok(_)) => {
                // The server tells the present values only if they have changed.
                let mut changed = false;
                for (id, value) in changes {
                    changed |= self.set_current(&id, Some(value));
                }
                self.tell_config(changed, out);
                if let Some(ticket) = ticket {
                    out.event(Configuration::ConfigAnswered { ticket, refused: None });
                }
            }
            (Sent::Config { ticket: Some(ticket), .. }, Err(words)) => {
                out.event(Configuration::ConfigAnswered { ticket, refused: Some(words) });
            }
            (Sent::Config { ticket: None, .. }, Err(text)) => out.notice(Notice::AgentWarned { text }),
            (Sent::Interrupt | Sent::Compact | Sent::Close, Ok(_)) => {}
            // The turn ended before it could be stopped.
            (Sent::Interrupt, Err(_)) if !self.turn.began => {}
            (Sent::Interrupt | Sent::Close | Sent::Models, Err(error)) => {
                out.invalid(InputError::RequestFailed { error });
            }
        }
    }

    /// Returns the turn that has ended.
    pub(super) fn end_turn(&mut self, millis: u64, error: Option<String>, out: &mut Output) -> Turn {
        let usage = self.usage.on_turn_end();
        out.event(Conversation::TurnEnded { millis, usage, error });
        std::mem::take(&mut self.turn)
    }

    fn on_opened(&mut self, result: &Value, out: &mut Output) {
        let thread = &result["thread"];
        let Some(native) = native_session(thread) else {
            self.thread = Thread::Closed;
            return out.invalid(InputError::Incomplete { field: "id of a thread" });
        };
        self.thread = Thread::Open { id: native.to_string() };
        // Opened again, it is this one.
        let resumed = !self.how.is_new();
        self.how = Open::Resume { native_session: native.clone() };
        self.take_settings(result);
        if self.current(&MODE).is_none() {
            // A new session is told only once it changes.
            self.set_current(&MODE, Some(DEFAULT));
        }
        out.event(Configuration::Introduced {
            version: text(thread, "cliVersion").map(bounded),
            model: self.model(),
            native_session: Some(native),
        });
        self.tell_config(true, out);
        self.apply_choices(resumed, out);
        for action in std::mem::take(&mut self.held) {
            if let Err(error) = self.encode(action, out) {
                out.invalid(InputError::RequestFailed { error: error.to_string() });
            }
        }
    }

    /// What was to be sent is kept: the next message tries again.
    fn on_not_opened(&mut self, words: String, out: &mut Output) {
        self.thread = Thread::Closed;
        if !self.how.is_new() && says_unknown(&words) {
            return out.event(Trouble::SessionUnknown { error: words });
        }
        let usage = self.usage.on_turn_end();
        out.event(Conversation::TurnEnded { millis: 0, usage, error: Some(words) });
    }

    /// Takes note of the turn that runs, and stops it if the user wanted that before it was known.
    pub(super) fn note_turn(&mut self, turn: &Value, out: &mut Output) {
        let Some(id) = text(turn, "id") else { return };
        if self.turn.id.as_deref() != Some(id) {
            self.turn.id = Some(id.to_owned());
        }
        if std::mem::take(&mut self.turn.interrupt) {
            self.interrupt(out);
        }
    }

    pub(super) fn interrupt(&mut self, out: &mut Output) {
        match &self.turn.id {
            Some(turn) => {
                let params = json!({"turnId": turn});
                self.request_of_thread(Sent::Interrupt, "turn/interrupt", params, out);
            }
            // Without a turn there is nothing to stop, and the next one must not be stopped for it.
            None => {
                let begins =
                    self.sent.values().any(|sent| matches!(sent, Sent::Message { .. } | Sent::Compact));
                self.turn.interrupt = begins || self.turn.began;
            }
        }
    }
}

/// Whether the server says that it does not have the session (measured with 0.169.0).
fn says_unknown(error: &str) -> bool {
    ["no rollout found", "thread not found", "invalid session id"].iter().any(|words| error.contains(words))
}
