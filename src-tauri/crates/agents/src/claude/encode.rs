//! The lines that are written to Claude Code.

use askdesk_domain::{
    ApprovalDecision, NativeRef, Outcome, PermissionMode, Question, QuestionDraft, QuestionPolicy,
    WithdrawnWhy,
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::answers::{self, Encoded};
use super::attached::{Attached, content};
use super::permissions::{mode_update, mode_word};
use super::{AWAITED_REQUESTS, Call, ClaudeStream, OPEN_CALLS, UNANSWERED_CAPABILITY, Wanted};

/// What the ids of our own control requests begin with.
pub(super) const REQUEST_PREFIX: &str = "askdesk-";
const NOT_ALLOWED: &str = "The user did not allow this.";
const PLAN_SENT_BACK: &str = "The user did not approve the plan. Keep planning and hand in a better one.";
const EXPIRED: &str = "The time limit set for this question has passed without an answer. An answer may still come; \
                       until then go on without it, or say what you need.";

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

/// A request of ours whose answer is told by [`AgentEvent::RequestEnded`](crate::AgentEvent::RequestEnded).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlRequest {
    /// Its id.
    pub id: String,
    /// The line to write.
    pub line: String,
}

impl ClaudeStream {
    /// Encodes the handshake; sent again, it makes the agent list everything that waits.
    pub fn hello(&mut self) -> String {
        self.request(&json!({"subtype": "initialize", "hooks": null})).line
    }

    /// Encodes the person's message with what goes along with it.
    pub fn encode_message(&mut self, text: &str, attached: &Attached, uuid: Uuid) -> String {
        json!({
            "type": "user",
            "message": {"role": "user", "content": content(text, attached)},
            "parent_tool_use_id": null,
            "session_id": "",
            "uuid": uuid,
        })
        .to_string()
    }

    /// Encodes the wish that the agent stops its turn.
    pub fn encode_interrupt(&mut self) -> String {
        self.interrupting = self.in_turn;
        self.request(&json!({"subtype": "interrupt"})).line
    }

    /// Encodes the wish for another permission mode; the agent may refuse.
    ///
    /// In a running turn it holds from the next call on: what waits for leave still waits (2.1.329).
    pub fn encode_set_mode(&mut self, mode: PermissionMode) -> ControlRequest {
        self.awaited_request(&json!({"subtype": "set_permission_mode", "mode": mode_word(mode)}))
    }

    /// Encodes the wish for another model; the agent may refuse.
    ///
    /// In a running turn it holds from the model's next message on. Any name is taken: a model that does not exist shows
    /// only when it is next asked (2.1.329).
    pub fn encode_set_model(&mut self, model: &str) -> ControlRequest {
        self.awaited_request(&json!({"subtype": "set_model", "model": model}))
    }

    /// Encodes how a question ended; it may be encoded again until the agent has shown that it has it.
    pub fn encode_outcome(
        &mut self,
        native_ref: &NativeRef,
        questions: &[Question],
        outcome: &Outcome,
    ) -> Result<Encoded, EncodeError> {
        let skips = self.has_capability(UNANSWERED_CAPABILITY);
        let gone = || EncodeError::Gone { native_ref: native_ref.clone() };
        let call = self.call_mut(native_ref).filter(|call| call.is_question()).ok_or_else(gone)?;
        let encoded = call.encode(questions, outcome, skips)?;
        call.told = true;
        if let Wanted::Answers { told, .. } = &mut call.what {
            *told = Some(outcome.clone());
        }
        Ok(encoded)
    }

    /// Encodes a refusal of a question that was understood here and turned down by the desk.
    pub fn encode_refusal(&mut self, native_ref: &NativeRef, reason: &str) -> Result<String, EncodeError> {
        self.refuse(native_ref, &refusal_words(reason))
    }

    /// Encodes the refusal of a question where the session's questions are off, in words the model can act on.
    pub fn encode_turned_off(
        &mut self,
        native_ref: &NativeRef,
        policy: QuestionPolicy,
    ) -> Result<String, EncodeError> {
        self.refuse(native_ref, turned_off(policy))
    }

    fn refuse(&mut self, native_ref: &NativeRef, words: &str) -> Result<String, EncodeError> {
        let gone = || EncodeError::Gone { native_ref: native_ref.clone() };
        let call = self.call(native_ref).filter(|call| call.is_question()).ok_or_else(gone)?;
        let line = match &call.request_id {
            Some(request_id) => deny(request_id, words),
            None => tool_result(native_ref.as_str(), words, true),
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
        let Wanted::Permission { suggestions, plan } = &call.what else { return Err(gone()) };
        let updates = match decision {
            ApprovalDecision::AllowOnce => Vec::new(),
            ApprovalDecision::AllowWithRules { rules } => suggestions.chosen(rules),
            ApprovalDecision::ApprovePlan { mode, .. } => mode.map(mode_update).into_iter().collect(),
            ApprovalDecision::Deny { message } => {
                let otherwise = if *plan { PLAN_SENT_BACK } else { NOT_ALLOWED };
                let words = message.as_deref().filter(|words| !words.trim().is_empty());
                return Ok(deny(native_ref.as_str(), words.unwrap_or(otherwise)));
            }
        };
        let edited = match decision {
            ApprovalDecision::ApprovePlan { plan, .. } => plan.as_deref(),
            _ => None,
        };
        let input = if *plan { plan_input(&call.input, edited) } else { call.input.clone() };
        let mut response = json!({"behavior": "allow", "updatedInput": input});
        if !updates.is_empty() {
            response["updatedPermissions"] = Value::Array(updates);
        }
        Ok(reply(native_ref.as_str(), &response))
    }

    fn awaited_request(&mut self, request: &Value) -> ControlRequest {
        let request = self.request(request);
        if self.awaited.len() == AWAITED_REQUESTS {
            self.awaited.pop_front();
        }
        self.awaited.push_back(request.id.clone());
        request
    }

    fn request(&mut self, request: &Value) -> ControlRequest {
        self.requests_sent += 1;
        let id = format!("{REQUEST_PREFIX}{}", self.requests_sent);
        let line = json!({"type": "control_request", "request_id": id, "request": request}).to_string();
        ControlRequest { id, line }
    }
}

impl Call {
    /// Puts an end into the form in which this call waits for it.
    pub(super) fn encode(
        &self,
        questions: &[Question],
        outcome: &Outcome,
        skips: bool,
    ) -> Result<Encoded, EncodeError> {
        let plain = |line: String| Ok(Encoded { line, notices: Vec::new() });
        let refusal = match outcome {
            Outcome::Answered { answers } => {
                let drafts: &[QuestionDraft] = match &self.what {
                    Wanted::Answers { drafts, .. } => drafts,
                    Wanted::Permission { .. } => &[],
                };
                let said = answers::said(drafts, questions, answers);
                let Some(request_id) = &self.request_id else {
                    return plain(tool_result(self.native_ref.as_str(), &answers::as_text(&said), false));
                };
                let (input, notices) = answers::with_answers(&self.input, &said, skips);
                return Ok(Encoded { line: allow(request_id, &input), notices });
            }
            Outcome::Declined { words } => with_words("The user declined to answer.", words.as_deref()),
            Outcome::RepliedInChat { .. } => "User responded in chat; questions canceled".to_owned(),
            Outcome::Expired => EXPIRED.to_owned(),
            Outcome::Withdrawn { why: WithdrawnWhy::Cancelled { reason } } => {
                with_words("The user closed the question without answering it.", reason.as_deref())
            }
            Outcome::Withdrawn { .. } | Outcome::Orphaned { .. } => return Err(EncodeError::NothingToSend),
        };
        match &self.request_id {
            Some(request_id) => plain(deny(request_id, &refusal)),
            None => plain(tool_result(self.native_ref.as_str(), &refusal, true)),
        }
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

/// The input of an approved plan: what was shown, and nothing the call may hold beside it.
fn plan_input(input: &Value, edited: Option<&str>) -> Value {
    let mut shown = Map::new();
    for name in ["plan", "planFilePath"] {
        if let Some(value) = input.get(name) {
            shown.insert(name.to_owned(), value.clone());
        }
    }
    if let Some(plan) = edited {
        shown.insert("plan".to_owned(), json!(plan));
    }
    Value::Object(shown)
}

const fn turned_off(policy: QuestionPolicy) -> &'static str {
    match policy {
        QuestionPolicy::PlanOnly => {
            "The user takes questions in this session only while you are in plan mode, and you are not in it. Nobody was \
             asked. Decide by yourself, say what you assumed, and go on."
        }
        QuestionPolicy::Always | QuestionPolicy::Never => {
            "The user takes no questions in this session. Nobody was asked. Decide by yourself, say what you assumed, \
             and go on."
        }
    }
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
