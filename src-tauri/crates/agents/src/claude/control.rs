//! Control requests of Claude Code: questions, permissions, and what it takes back.

use askdesk_domain::text::bounded;
use askdesk_domain::{IntakeRules, NativeRef, Question, QuestionDraft, Refusal, Source, intake};
use serde_json::{Map, Value};

use super::encode::{deny, failed, refusal_words, too_many};
use super::parse::{list, text, unknown, unusable};
use super::{
    Call, ClaudeStream, OPEN_CALLS, PLAN_TOOL, QUESTION_TOOL, Suggestions, UNANSWERED_CAPABILITY, Wanted,
    details,
};
use crate::event::{AgentEvent, Asked, Unusable};
use crate::question_json::read_questions;

impl ClaudeStream {
    pub(super) fn on_control_request(&mut self, message: &Value, out: &mut Vec<AgentEvent>) {
        let Some(request_id) = text(message, "request_id") else {
            return unusable(out, Unusable::Incomplete { field: "request_id" });
        };
        let Some(request_id) = NativeRef::new(request_id) else {
            unusable(out, Unusable::Incomplete { field: "request_id" });
            let line = failed(request_id, "Askdesk takes a request_id of 1 to 512 bytes.");
            return out.push(AgentEvent::Reply { line });
        };
        let request = message.get("request").unwrap_or(&Value::Null);
        match text(request, "subtype") {
            Some("can_use_tool") => {
                self.begin_turn(out);
                match text(request, "tool_name") {
                    Some(QUESTION_TOOL) => self.on_question(&request_id, request, out),
                    Some(tool) => self.on_permission(request_id, tool, request, out),
                    None => {
                        let line = deny(request_id.as_str(), "can_use_tool needs a tool_name.");
                        unusable(out, Unusable::Incomplete { field: "tool_name" });
                        out.push(AgentEvent::Reply { line });
                    }
                }
            }
            subtype => {
                let subtype = subtype.unwrap_or("without a subtype");
                unknown(out, &format!("control_request/{subtype}"));
                let error = format!("Askdesk does not support the control request {}.", bounded(subtype));
                out.push(AgentEvent::Reply { line: failed(request_id.as_str(), &error) });
            }
        }
    }

    fn on_question(&mut self, request_id: &NativeRef, request: &Value, out: &mut Vec<AgentEvent>) {
        let tool_use = text(request, "tool_use_id");
        // The tool use names the call in both forms and outlives a renewed request, so it comes first.
        let native_ref = tool_use.and_then(NativeRef::new).unwrap_or_else(|| request_id.clone());
        if let Some(tool_use) = tool_use {
            self.remember_question_use(tool_use);
        }
        let input = request.get("input").unwrap_or(&Value::Null);
        let refuse = |native_ref: NativeRef, reason: String| AgentEvent::Refused {
            native_ref,
            reply: Some(deny(request_id.as_str(), &refusal_words(&reason))),
            reason,
        };
        if brings_answers(input) {
            self.withdraw(&native_ref, request_id, out);
            let reply = super::encode::allow(request_id.as_str(), input);
            return out.push(AgentEvent::Passed { native_ref, reply });
        }
        let (drafts, questions) = match read(input) {
            Ok(read) => read,
            Err(refusal) => {
                self.withdraw(&native_ref, request_id, out);
                return out.push(refuse(native_ref, refusal.to_string()));
            }
        };
        let full = self.calls.len() >= OPEN_CALLS;
        let skips = self.has_capability(UNANSWERED_CAPABILITY);
        if let Some(known) = self.call_mut(&native_ref) {
            let (same, told) = match &known.what {
                Wanted::Answers { questions: asked, told, .. } => (*asked == questions, told.clone()),
                Wanted::Permission { .. } => (false, None),
            };
            let only_bare = known.request_id.is_none() && told.is_none();
            if !same && !only_bare {
                let reason = "tool_use_id: already names another call; every call needs an id of its own";
                return out.push(refuse(native_ref, reason.to_owned()));
            }
            // Renewed, or the bare form is followed by its control request: from now on this one is answered.
            let again = known.request_id.as_deref() != Some(request_id.as_str());
            known.request_id = Some(request_id.to_string());
            known.input = input.clone();
            known.what = Wanted::Answers { drafts, questions: questions.clone(), told: told.clone() };
            if let Some(outcome) = told {
                // The person is done with it, but this request would wait for ever.
                let encoded = again.then(|| known.encode(&questions, &outcome, skips));
                if let Some(Ok(encoded)) = encoded {
                    out.push(AgentEvent::Reply { line: encoded.line });
                }
                return;
            }
        } else if full {
            return out.push(refuse(native_ref, too_many()));
        } else {
            self.calls.push(Call {
                native_ref: native_ref.clone(),
                request_id: Some(request_id.to_string()),
                tool_use: tool_use.map(str::to_owned),
                input: input.clone(),
                told: false,
                what: Wanted::Answers { drafts, questions: questions.clone(), told: None },
            });
        }
        out.push(AgentEvent::Asked(Asked {
            native_ref,
            source: Source::ClaudeControl,
            asked_by: text(request, "agent_id").map(bounded),
            questions,
        }));
    }

    /// Takes back what this call asked before, where the reply to this request settles it.
    ///
    /// An older request of the same call that is still unanswered stays: it needs a reply of its own.
    fn withdraw(&mut self, native_ref: &NativeRef, request_id: &NativeRef, out: &mut Vec<AgentEvent>) {
        let older = |call: &&Call| call.request_id.as_deref().is_some_and(|id| id != request_id.as_str());
        if self.call(native_ref).filter(older).is_none() && self.forget(native_ref).is_some() {
            out.push(AgentEvent::Withdrawn { native_ref: native_ref.clone() });
        }
    }

    /// A permission is named by its request: one tool use may need several.
    fn on_permission(
        &mut self,
        native_ref: NativeRef,
        tool: &str,
        request: &Value,
        out: &mut Vec<AgentEvent>,
    ) {
        if self.call(&native_ref).is_some_and(Call::is_question) {
            let line = deny(native_ref.as_str(), "request_id: already names a question that waits.");
            return out.push(AgentEvent::Reply { line });
        }
        // What was shown is what will be allowed, so a request that still waits keeps its first input and rules.
        let waiting = self.call(&native_ref).filter(|call| !call.told);
        let waiting = waiting.and_then(|call| match &call.what {
            Wanted::Permission { suggestions, .. } => Some((call.input.clone(), suggestions.clone())),
            Wanted::Answers { .. } => None,
        });
        let renewed = waiting.is_some();
        if !renewed {
            self.forget(&native_ref);
        }
        if !renewed && self.calls.len() >= OPEN_CALLS {
            return out.push(AgentEvent::Reply { line: deny(native_ref.as_str(), &too_many()) });
        }
        let received = || {
            let input = request.get("input").cloned().unwrap_or_else(|| Value::Object(Map::new()));
            (input, Suggestions::of(request))
        };
        let (input, suggestions) = waiting.unwrap_or_else(received);
        let tool_use = text(request, "tool_use_id").map(str::to_owned);
        out.push(AgentEvent::ApprovalAsked {
            native_ref: native_ref.clone(),
            tool_use: tool_use.as_deref().map(bounded),
            tool: bounded(tool),
            description: text(request, "description").filter(|words| !words.trim().is_empty()).map(bounded),
            what: details::detail(tool, &input),
            rules: suggestions.rules(),
        });
        if !renewed {
            self.calls.push(Call {
                request_id: Some(native_ref.to_string()),
                native_ref,
                tool_use,
                input,
                told: false,
                what: Wanted::Permission { suggestions, plan: tool == PLAN_TOOL },
            });
        }
    }

    /// What is taken back is withdrawn even if its answer is on the way: the agent will not use it.
    pub(super) fn on_cancel(&mut self, message: &Value, out: &mut Vec<AgentEvent>) {
        let Some(request_id) = text(message, "request_id") else {
            return unusable(out, Unusable::Incomplete { field: "request_id" });
        };
        let known = self.calls.iter().position(|call| call.request_id.as_deref() == Some(request_id));
        if let Some(place) = known {
            let call = self.calls.remove(place);
            out.push(AgentEvent::Withdrawn { native_ref: call.native_ref });
        }
    }

    pub(super) fn on_control_response(&mut self, message: &Value, out: &mut Vec<AgentEvent>) {
        let response = message.get("response").unwrap_or(&Value::Null);
        let ours =
            text(response, "request_id").is_some_and(|id| id.starts_with(super::encode::REQUEST_PREFIX));
        if !ours {
            // An agent that replays its input repeats our own answers.
            return;
        }
        let request_id = text(response, "request_id").unwrap_or_default();
        let awaited = self.awaited.iter().position(|awaited| awaited == request_id);
        let awaited = awaited.and_then(|place| self.awaited.remove(place));
        if text(response, "subtype") == Some("error") {
            let error = bounded(text(response, "error").unwrap_or("no reason given"));
            return match awaited {
                Some(request_id) => out.push(AgentEvent::RequestEnded { request_id, refused: Some(error) }),
                None => unusable(out, Unusable::RequestFailed { error }),
            };
        }
        if let (Some(request_id), Some(said)) = (awaited, response.get("response")) {
            if let Some(mode) = text(said, "mode") {
                self.note_mode(mode, out);
            }
            if said.get("model").is_some() {
                self.introduce(said, out);
            }
            return out.push(AgentEvent::RequestEnded { request_id, refused: None });
        }
        if let Some(said) = response.get("response").filter(|said| said.get("claude_code_version").is_some())
        {
            self.introduce(said, out);
        }
        for pending in list(response, "pending_permission_requests") {
            self.on_control_request(pending, out);
        }
    }
}

fn read(input: &Value) -> Result<(Vec<QuestionDraft>, Vec<Question>), Refusal> {
    let drafts = read_questions(input)?;
    let questions = intake::accept(&drafts, IntakeRules::FOREIGN)?;
    Ok((drafts, questions))
}

/// Says whether a question comes with answers that say something.
fn brings_answers(input: &Value) -> bool {
    let says = |value: &Value| match value {
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) => true,
    };
    match input.get("answers") {
        Some(Value::Object(answers)) => answers.values().any(says),
        _ => false,
    }
}
