//! Encodes actions as messages for the server.

use askdesk_domain::{ApprovalDecision, ConfigId, NativeRef, Outcome, Question, ValueId};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{CallKind, CodexAdapter, HELD_ACTIONS, Sent, Thread, answer, async_questions, questions};
use crate::adapter::{Action, Attached, EncodeError, Output, QuestionRefusal};
use crate::elicitation::ElicitationEnd;
use crate::open_calls::OpenCall;

const CLOSED: &str = "The user closed the session without answering.";

impl CodexAdapter {
    pub(super) fn encode(&mut self, action: Action, out: &mut Output) -> Result<(), EncodeError> {
        if !matches!(self.thread, Thread::Open { .. }) {
            return self.encode_closed(action, out);
        }
        match action {
            Action::Message { id, text, attached } => {
                if !self.run_command(id, &text, &attached, out) {
                    self.message(id, input(&text, &attached), out);
                }
            }
            Action::Answer { native_ref, questions, outcome } => {
                return self.answer(&native_ref, &questions, &outcome, out);
            }
            Action::RefuseQuestion { native_ref, why } => return self.refuse(&native_ref, &why, out),
            Action::Decide { native_ref, decision } => return self.decide(&native_ref, &decision, out),
            Action::SetConfig { ticket, option, value } => {
                return self.set_config(ticket, option, value, out);
            }
            Action::Interrupt => self.interrupt(out),
            Action::Compact => self.compact(out),
            Action::Close => self.close(out),
        }
        Ok(())
    }

    /// Holds an action until the session is open. A message opens one that could not be opened, or was closed.
    fn encode_closed(&mut self, action: Action, out: &mut Output) -> Result<(), EncodeError> {
        match action {
            Action::SetConfig { option, .. } if !self.has_option(&option) => {
                Err(EncodeError::Refused { what: "changing this option while it runs" })
            }
            Action::Message { .. } | Action::SetConfig { .. } | Action::Compact => {
                if self.held.len() >= HELD_ACTIONS {
                    let what = "so many messages before the session is open";
                    return Err(EncodeError::Refused { what });
                }
                self.held.push(action);
                if matches!(self.thread, Thread::Closed) {
                    self.open_thread(out);
                }
                Ok(())
            }
            Action::Interrupt => {
                self.turn.interrupt = !self.held.is_empty();
                Ok(())
            }
            Action::Close => Ok(()),
            Action::Answer { native_ref, .. }
            | Action::RefuseQuestion { native_ref, .. }
            | Action::Decide { native_ref, .. } => Err(EncodeError::Gone { native_ref }),
        }
    }

    /// A message goes into the turn that runs, or begins one. A plan that waits for approval is answered by it.
    pub(super) fn message(&mut self, id: Uuid, input: Value, out: &mut Output) {
        self.settle(|call| call.own.id.is_none(), out);
        match self.turn.id.clone() {
            Some(turn) => {
                let params =
                    json!({"input": input, "expectedTurnId": turn, "clientUserMessageId": id.to_string()});
                self.request_of_thread(Sent::Message { id, input, steers: true }, "turn/steer", params, out);
            }
            None => self.start_turn(id, input, out),
        }
    }

    pub(super) fn start_turn(&mut self, id: Uuid, input: Value, out: &mut Output) {
        let params = json!({"input": input, "clientUserMessageId": id.to_string()});
        self.request_of_thread(Sent::Message { id, input, steers: false }, "turn/start", params, out);
    }

    /// Sends words that go with a decision: into the turn, or once it has ended.
    pub(super) fn say(&mut self, words: &str, out: &mut Output) {
        self.message(Uuid::new_v4(), input(words, &Attached::default()), out);
    }

    fn answer(
        &mut self,
        native_ref: &NativeRef,
        questions: &[Question],
        outcome: &Outcome,
        out: &mut Output,
    ) -> Result<(), EncodeError> {
        let call = self.calls.find(native_ref)?;
        let (result, notices) = match &call.own.kind {
            CallKind::Answers(asked) => questions::encode(asked, questions, outcome)?,
            CallKind::Form(fields) => {
                (form_ended(&ElicitationEnd::of(fields, questions, outcome)?), Vec::new())
            }
            CallKind::Permission(_) => return Err(EncodeError::gone(native_ref)),
        };
        call.answered = true;
        call.own.reply(result, out);
        notices.into_iter().for_each(|notice| out.notice(notice));
        Ok(())
    }

    fn refuse(
        &mut self,
        native_ref: &NativeRef,
        why: &QuestionRefusal,
        out: &mut Output,
    ) -> Result<(), EncodeError> {
        let words = why.words();
        if async_questions::is_async(native_ref) {
            self.say(&words, out);
            return Ok(());
        }
        let call = self.calls.take_question(native_ref)?.own;
        let result = match &call.kind {
            CallKind::Answers(asked) => questions::refused(asked, &words),
            _ => form_ended(&ElicitationEnd::DECLINED),
        };
        call.reply(result, out);
        Ok(())
    }

    fn decide(
        &mut self,
        native_ref: &NativeRef,
        decision: &ApprovalDecision,
        out: &mut Output,
    ) -> Result<(), EncodeError> {
        let call = self.calls.find(native_ref)?;
        let options = match &call.own.kind {
            CallKind::Permission(options) if !call.answered => options,
            _ => return Err(EncodeError::gone(native_ref)),
        };
        let unknown = || EncodeError::Refused { what: "a decision it did not offer" };
        let [chosen] = decision.options.as_slice() else { return Err(unknown()) };
        let (option, result) = options.iter().find(|(option, _)| option.id == *chosen).ok_or_else(unknown)?;
        let (allows, stops) = (option.kind.allows(), option.id.as_str() == "cancel");
        let Some(id) = &call.own.id else {
            self.decide_plan(decision, allows, out)?;
            self.calls.forget(|call| call.native_ref == *native_ref);
            return Ok(());
        };
        let answered = answer(id, result.clone());
        call.answered = true;
        // A stop ends the turn, so the words begin the next. Otherwise they go before the answer: after it, the
        // model's next request could leave without them.
        match decision.message.as_deref().filter(|words| !allows && !words.trim().is_empty()) {
            Some(message) if stops => self.turn.follow_up = Some(message.to_owned()),
            Some(message) => self.say(message, out),
            None => {}
        }
        out.rpc(answered);
        Ok(())
    }

    fn set_config(
        &mut self,
        ticket: u64,
        option: ConfigId,
        value: ValueId,
        out: &mut Output,
    ) -> Result<(), EncodeError> {
        if !self.has_option(&option) {
            return Err(EncodeError::Refused { what: "changing this option while it runs" });
        }
        let params = self.change(&option, &value)?;
        let change = Sent::Config { ticket: Some(ticket), changes: vec![(option, value)] };
        self.request_of_thread(change, "thread/settings/update", params, out);
        Ok(())
    }

    /// Ends the turn and leaves the session on the server.
    ///
    /// Requests that nobody answers would reach the model as empty answers once the session has left, so they are answered in
    /// words, behind the end of the turn.
    fn close(&mut self, out: &mut Output) {
        if self.turn.id.is_some() {
            self.interrupt(out);
        }
        while let Some(OpenCall { answered, own, .. }) = self.calls.forget(|_| true) {
            let result = match &own.kind {
                _ if answered => continue,
                CallKind::Answers(asked) => questions::refused(asked, CLOSED),
                CallKind::Form(_) => form_ended(&ElicitationEnd::CANCELED),
                CallKind::Permission(options) => {
                    let refusal = options.iter().rev().find(|(option, _)| !option.kind.allows());
                    refusal.map(|(_, result)| result.clone()).unwrap_or_default()
                }
            };
            own.reply(result, out);
        }
        self.request_of_thread(Sent::Close, "thread/unsubscribe", json!({}), out);
    }
}

pub(super) fn form_ended(ended: &ElicitationEnd) -> Value {
    json!({"action": ended.action, "content": ended.content, "_meta": null})
}

/// A message with its images and files. An image travels with its bytes; of a file the agent gets the path.
pub(super) fn input(text: &str, attached: &Attached) -> Value {
    let lines = attached.files.iter().map(|path| format!("Attached file: {path}"));
    let lines = lines.collect::<Vec<_>>().join("\n");
    let parts: Vec<&str> = [text, &lines].into_iter().filter(|part| !part.is_empty()).collect();
    let words = parts.join("\n\n");
    let images = attached.images.iter().map(|(format, bytes)| {
        let url = format!("data:{};base64,{}", format.media_type(), STANDARD.encode(bytes));
        json!({"type": "image", "url": url})
    });
    let words = (!words.is_empty()).then(|| json!({"type": "text", "text": words, "text_elements": []}));
    images.chain(words).collect()
}
