//! Encodes actions as lines for Claude Code.

use askdesk_domain::{ConfigId, NativeRef, Notice, Outcome, Question, RawQuestion, ValueId};
use serde_json::{Value, json};
use uuid::Uuid;

use super::answers;
use super::content::content;
use super::permissions::mode_word;
use super::replies::{allow, deny, form_reply};
use super::rules;
use super::{AWAITED_CHANGES, Call, CallKind, ClaudeAdapter, MODE, MODEL, UNANSWERED_CAPABILITY};
use crate::adapter::{Action, Attached, EncodeError, Output, refusal_words};
use crate::elicitation::ElicitationEnd;

/// What the ids of our own control requests begin with.
pub(super) const REQUEST_PREFIX: &str = "askdesk-";
const IN_CHAT: &str = "User responded in chat; questions canceled";

impl ClaudeAdapter {
    pub(super) fn encode(&mut self, action: Action) -> Result<Output, EncodeError> {
        let line = match action {
            Action::Message { id, text, attached } => message(&text, &attached, id),
            Action::Answer { native_ref, questions, outcome } => {
                return self.answer(&native_ref, &questions, outcome);
            }
            Action::RefuseQuestion { native_ref, why } => self.refuse(&native_ref, &why.words())?,
            Action::Decide { native_ref, decision } => self.decide(&native_ref, &decision)?,
            Action::SetConfig { ticket, option, value } => self.set_config(ticket, &option, &value)?,
            Action::Interrupt => {
                self.interrupting = self.in_turn;
                self.interrupt()
            }
            Action::Compact => compact(),
            Action::Close => return Ok(self.close()),
        };
        Ok(Output::of_line(line))
    }

    /// Stops what runs before the input is closed.
    ///
    /// At a closed input alone, the agent takes open permissions as refused and has the model go on, or works through the
    /// messages that wait (2.1.329).
    fn close(&mut self) -> Output {
        let mut out = Output::default();
        if self.in_turn || self.calls.iter().any(|call| !call.answered) {
            self.interrupting = self.in_turn;
            out.line(self.request(&json!({"subtype": "interrupt", "cancel_queued": true})).1);
        }
        out
    }

    /// Encodes the handshake. Sent again, it makes the agent list its open requests.
    ///
    /// An agent that knows that each helper has a Stop of its own lets the helpers go on at an interrupt (2.1.329).
    pub(super) fn hello(&mut self) -> String {
        let hello = json!({"subtype": "initialize", "hooks": rules::hooks(), "perTaskStopAffordance": true});
        self.request(&hello).1
    }

    /// Encodes the change of a config option; the agent may refuse it.
    ///
    /// During a turn, a new mode applies from the next tool call; open permission requests stay open. A new model applies from
    /// the next model message. The agent accepts any name: an unknown model fails only when it is used (2.1.329).
    fn set_config(&mut self, ticket: u64, option: &ConfigId, value: &ValueId) -> Result<String, EncodeError> {
        let request = if *option == MODE {
            let unknown = EncodeError::Refused { what: "this permission mode" };
            json!({"subtype": "set_permission_mode", "mode": mode_word(value).ok_or(unknown)?})
        } else if *option == MODEL && self.config.iter().any(|option| option.id == MODEL) {
            self.model_chosen = Some(value.clone());
            json!({"subtype": "set_model", "model": value.as_str()})
        } else {
            return Err(EncodeError::Refused { what: "changing this option while it runs" });
        };
        let (id, line) = self.request(&request);
        if self.awaited.len() == AWAITED_CHANGES {
            self.awaited.pop_front();
        }
        self.awaited.push_back((id, ticket));
        Ok(line)
    }

    fn answer(
        &mut self,
        native_ref: &NativeRef,
        questions: &[Question],
        outcome: Outcome,
    ) -> Result<Output, EncodeError> {
        let skips = self.has_capability(UNANSWERED_CAPABILITY);
        let call = self.calls.question(native_ref)?;
        let (line, notices) = call.own.encode(questions, &outcome, skips)?;
        call.answered = true;
        if let CallKind::Answers { outcome: sent, .. } = &mut call.own.kind {
            *sent = Some(outcome);
        }
        let mut out = Output::default();
        out.line(line);
        notices.into_iter().for_each(|notice| out.notice(notice));
        Ok(out)
    }

    fn refuse(&mut self, native_ref: &NativeRef, words: &str) -> Result<String, EncodeError> {
        let Call { request_id, kind, .. } = self.calls.take_question(native_ref)?.own;
        Ok(match kind {
            // It has no place for words.
            CallKind::Form { .. } => form_reply(&request_id, ElicitationEnd::DECLINED),
            CallKind::Answers { .. } | CallKind::Permission { .. } => deny(&request_id, words),
        })
    }

    fn interrupt(&mut self) -> String {
        let (id, line) = self.request(&json!({"subtype": "interrupt"}));
        self.interrupt_sent = Some(id);
        line
    }

    /// Returns the request's id and its line.
    pub(super) fn request(&mut self, request: &Value) -> (String, String) {
        self.requests_sent += 1;
        let id = format!("{REQUEST_PREFIX}{}", self.requests_sent);
        let line = json!({"type": "control_request", "request_id": id, "request": request}).to_string();
        (id, line)
    }
}

impl Call {
    /// Encodes how the question ended as the response to this call. The notices say what could not be expressed exactly.
    pub(super) fn encode(
        &self,
        questions: &[Question],
        outcome: &Outcome,
        skips: bool,
    ) -> Result<(String, Vec<Notice>), EncodeError> {
        let drafts: &[RawQuestion] = match &self.kind {
            CallKind::Form { fields, .. } => {
                let ended = ElicitationEnd::of(fields, questions, outcome)?;
                return Ok((form_reply(&self.request_id, ended), Vec::new()));
            }
            CallKind::Answers { drafts, .. } => drafts,
            CallKind::Permission { .. } => &[],
        };
        match outcome {
            Outcome::Answered { answers } => {
                let said = answers::answers_by_question(drafts, questions, answers);
                let (input, notices) = answers::with_answers(&self.input, &said, skips);
                Ok((allow(&self.request_id, &input), notices))
            }
            refusal => Ok((deny(&self.request_id, &refusal_words(refusal, IN_CHAT)?), Vec::new())),
        }
    }
}

/// Encodes the command that summarizes the conversation. Between turns, it is a turn of its own (2.1.329).
fn compact() -> String {
    let message = json!({"role": "user", "content": "/compact"});
    json!({"type": "user", "message": message, "parent_tool_use_id": null, "session_id": ""}).to_string()
}

fn message(text: &str, attached: &Attached, uuid: Uuid) -> String {
    json!({
        "type": "user",
        "message": {"role": "user", "content": content(text, attached)},
        "parent_tool_use_id": null,
        "session_id": "",
        "uuid": uuid,
    })
    .to_string()
}
