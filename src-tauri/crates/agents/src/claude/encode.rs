//! The lines that are written to Claude Code.

use askdesk_domain::{ApprovalDecision, NativeRef, Outcome, Question, WithdrawnWhy};
use serde_json::{Value, json};
use uuid::Uuid;

use super::answers::{self, Encoded};
use super::{ClaudeStream, OPEN_CALLS, UNANSWERED_CAPABILITY, Wanted};

/// What the ids of our own control requests begin with.
pub(super) const REQUEST_PREFIX: &str = "askdesk-";

/// Why an end cannot be put into a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The agent does not wait to be told of this end.
    #[error("the agent does not wait to be told of this end")]
    NothingToSend,
    /// The agent no longer waits for this call, or never made it.
    #[error("the agent no longer waits for the call {native_ref}")]
    Gone {
        /// The agent's id of the call.
        native_ref: NativeRef,
    },
}

impl ClaudeStream {
    /// Encodes the handshake; sent again, it makes the agent list everything that waits.
    pub fn hello(&mut self) -> String {
        self.request(&json!({"subtype": "initialize", "hooks": null}))
    }

    /// Encodes the person's message.
    pub fn encode_message(&mut self, text: &str, uuid: Uuid) -> String {
        json!({
            "type": "user",
            "message": {"role": "user", "content": text},
            "parent_tool_use_id": null,
            "session_id": "",
            "uuid": uuid,
        })
        .to_string()
    }

    /// Encodes the wish that the agent stops its turn.
    pub fn encode_interrupt(&mut self) -> String {
        self.interrupting = self.in_turn;
        self.request(&json!({"subtype": "interrupt"}))
    }

    /// Encodes how a question ended; it may be encoded again until the agent has shown that it has it.
    pub fn encode_outcome(
        &mut self,
        native_ref: &NativeRef,
        questions: &[Question],
        outcome: &Outcome,
    ) -> Result<Encoded, EncodeError> {
        let deny_with = match outcome {
            Outcome::Answered { .. } => None,
            Outcome::Declined { words } => {
                Some(with_words("The user declined to answer.", words.as_deref()))
            }
            Outcome::RepliedInChat { .. } => Some("User responded in chat; questions canceled".to_owned()),
            Outcome::Expired => Some(
                "The time limit set for this question has passed without an answer. An answer may still come; \
                 until then go on without it, or say what you need."
                    .to_owned(),
            ),
            Outcome::Withdrawn { why: WithdrawnWhy::Cancelled { reason } } => {
                Some(with_words("The user closed the question without answering it.", reason.as_deref()))
            }
            Outcome::Withdrawn { .. } | Outcome::Orphaned { .. } => return Err(EncodeError::NothingToSend),
        };
        let skips = self.has_capability(UNANSWERED_CAPABILITY);
        let gone = || EncodeError::Gone { native_ref: native_ref.clone() };
        let call = self.call_mut(native_ref).filter(|call| call.is_question()).ok_or_else(gone)?;
        let Wanted::Answers { drafts, .. } = &call.what else { return Err(gone()) };
        let plain = |line: String| Encoded { line, notices: Vec::new() };
        let encoded = match (&call.request_id, outcome, deny_with) {
            (Some(request_id), Outcome::Answered { answers }, _) => {
                let said = answers::said(drafts, questions, answers);
                let (input, notices) = answers::with_answers(&call.input, &said, skips);
                Encoded { line: allow(request_id, &input), notices }
            }
            (None, Outcome::Answered { answers }, _) => {
                let said = answers::said(drafts, questions, answers);
                plain(tool_result(native_ref.as_str(), &answers::as_text(&said), false))
            }
            (Some(request_id), _, Some(message)) => plain(deny(request_id, &message)),
            (None, _, Some(message)) => plain(tool_result(native_ref.as_str(), &message, true)),
            (_, _, None) => return Err(EncodeError::NothingToSend),
        };
        call.told = true;
        Ok(encoded)
    }

    /// Encodes a refusal of a question that was understood here and turned down by the desk.
    pub fn encode_refusal(&mut self, native_ref: &NativeRef, reason: &str) -> Result<String, EncodeError> {
        let gone = || EncodeError::Gone { native_ref: native_ref.clone() };
        let call = self.call(native_ref).filter(|call| call.is_question()).ok_or_else(gone)?;
        let words = refusal_words(reason);
        let line = match &call.request_id {
            Some(request_id) => deny(request_id, &words),
            None => tool_result(native_ref.as_str(), &words, true),
        };
        self.forget(native_ref);
        Ok(line)
    }

    /// Encodes what was decided on a permission.
    pub fn encode_decision(
        &mut self,
        native_ref: &NativeRef,
        decision: &ApprovalDecision,
    ) -> Result<String, EncodeError> {
        let gone = || EncodeError::Gone { native_ref: native_ref.clone() };
        let call = self.call_mut(native_ref).filter(|call| !call.is_question()).ok_or_else(gone)?;
        call.told = true;
        Ok(match decision {
            ApprovalDecision::AllowOnce => allow(native_ref.as_str(), &call.input),
            ApprovalDecision::Deny { message } => {
                let words = message.as_deref().filter(|words| !words.trim().is_empty());
                deny(native_ref.as_str(), words.unwrap_or("The user did not allow this."))
            }
        })
    }

    fn request(&mut self, request: &Value) -> String {
        self.requests_sent += 1;
        let request_id = format!("{REQUEST_PREFIX}{}", self.requests_sent);
        json!({"type": "control_request", "request_id": request_id, "request": request}).to_string()
    }
}

pub(super) fn allow(request_id: &str, input: &Value) -> String {
    reply(request_id, &json!({"behavior": "allow", "updatedInput": input}))
}

pub(super) fn deny(request_id: &str, message: &str) -> String {
    reply(request_id, &json!({"behavior": "deny", "message": message}))
}

pub(super) fn failed(request_id: &str, error: &str) -> String {
    let response = json!({"subtype": "error", "request_id": request_id, "error": error});
    json!({"type": "control_response", "response": response}).to_string()
}

fn reply(request_id: &str, response: &Value) -> String {
    let response = json!({"subtype": "success", "request_id": request_id, "response": response});
    json!({"type": "control_response", "response": response}).to_string()
}

/// The answer to a bare tool use: a message of the user that holds its result.
pub(super) fn tool_result(tool_use: &str, text: &str, is_error: bool) -> String {
    let block =
        json!({"type": "tool_result", "tool_use_id": tool_use, "content": text, "is_error": is_error});
    json!({
        "type": "user",
        "message": {"role": "user", "content": [block]},
        "parent_tool_use_id": null,
        "session_id": "",
    })
    .to_string()
}

/// The words by which a question that cannot be shown is refused.
pub(super) fn refusal_words(reason: &str) -> String {
    format!("The question could not be shown to the user. {reason}. Repair the call and ask again.")
}

pub(super) fn too_many() -> String {
    format!("at most {OPEN_CALLS} questions and permission requests may wait at a time")
}

fn with_words(sentence: &str, words: Option<&str>) -> String {
    match words.map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => format!("{sentence} The user said: {words}"),
        None => sentence.to_owned(),
    }
}
