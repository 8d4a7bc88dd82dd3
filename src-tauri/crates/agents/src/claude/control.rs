//! Control requests of Claude Code: questions, permission requests, and cancellations.

use askdesk_domain::text::bounded;
use askdesk_domain::{AgentRemark, Asker, HelperId, NativeRef, Notice, RemarkStance};
use serde_json::{Map, Value};

use super::known::REQUESTS;
use super::replies::{allow, deny, failed};
use super::{
    Call, CallKind, ClaudeAdapter, PLAN_TOOL, QUESTION_TOOL, Suggestions, UNANSWERED_CAPABILITY, approvals,
    commands, details, rules,
};
use crate::adapter::{Output, QuestionRefusal};
use crate::event::{ApprovalAsked, Asked, Configuration, Helpers, InputError, Requests};
use crate::json::{list, text};
use crate::open_calls::OpenCall;
use crate::question_json::read_to_show;

impl ClaudeAdapter {
    pub(super) fn on_control_request(&mut self, message: &Value, out: &mut Output) {
        let Some(request_id) = text(message, "request_id") else {
            return out.invalid(InputError::Incomplete { field: "request_id" });
        };
        let Some(request_id) = NativeRef::new(request_id) else {
            out.invalid(InputError::Incomplete { field: "request_id" });
            return out.line(failed(request_id, "request_id: must be 1 to 512 bytes long."));
        };
        let request = message.get("request").unwrap_or(&Value::Null);
        let subtype = text(request, "subtype").unwrap_or("without a subtype");
        match Some(subtype).filter(|subtype| REQUESTS.contains(subtype)) {
            Some("can_use_tool") => {
                if helper_of(request).is_none() {
                    self.begin_turn(out);
                }
                match text(request, "tool_name") {
                    Some(QUESTION_TOOL) => self.on_question(&request_id, request, out),
                    Some(tool) => self.on_permission(request_id, tool, request, out),
                    None => {
                        out.invalid(InputError::Incomplete { field: "tool_name" });
                        out.line(deny(request_id.as_str(), "can_use_tool needs a tool_name."));
                    }
                }
            }
            Some("elicitation") => self.on_elicitation(request_id, request, out),
            Some("hook_callback") => self.on_hook(&request_id, request, out),
            _ => {
                out.invalid(InputError::request_refused(&format!("control_request/{subtype}")));
                let error = format!("Askdesk does not support the control request {}.", bounded(subtype));
                out.line(failed(request_id.as_str(), &error));
            }
        }
    }

    fn on_question(&mut self, request_id: &NativeRef, request: &Value, out: &mut Output) {
        let tool_use = text(request, "tool_use_id");
        // The tool use outlives a renewed request, so it names the call.
        let helper = helper_of(request);
        let mut native_ref = tool_use.and_then(NativeRef::new).unwrap_or_else(|| request_id.clone());
        if let Some(tool_use) = tool_use {
            self.remember_question_use(tool_use);
        }
        let input = request.get("input").unwrap_or(&Value::Null);
        let refuse = |reason: String, out: &mut Output| {
            out.line(deny(request_id.as_str(), &QuestionRefusal::Unkept { reason: reason.clone() }.words()));
            out.notice(Notice::QuestionRefused { reason });
        };
        if brings_answers(input) {
            self.withdraw(&native_ref, request_id, out);
            out.line(allow(request_id.as_str(), input));
            return out.notice(Notice::AnswersBrought);
        }
        let (drafts, questions) = match read_to_show(input) {
            Ok(read) => read,
            Err(refusal) => {
                self.withdraw(&native_ref, request_id, out);
                return refuse(refusal.to_string(), out);
            }
        };
        // Several calls may have one tool use: some backends of models don't give each an ID of its own.
        let is_renewed =
            |call: &&OpenCall<Call>| tool_use.is_some_and(|it| call.own.is_question_of(it, &questions));
        if let Some(known) = self.calls.iter().find(is_renewed) {
            native_ref = known.native_ref.clone();
        } else if self.calls.find(&native_ref).is_ok() {
            native_ref = request_id.clone();
        }
        let skips = self.has_capability(UNANSWERED_CAPABILITY);
        if let Ok(OpenCall { own: known, .. }) = self.calls.find(&native_ref) {
            let (same, outcome) = match &known.kind {
                CallKind::Answers { questions: asked, outcome, .. } => (*asked == questions, outcome.clone()),
                CallKind::Form { .. } | CallKind::Permission { .. } => (false, None),
            };
            if !same {
                let reason = "request_id: already used by another call; every request needs its own ID";
                return refuse(reason.to_owned(), out);
            }
            // A renewed request replaces the one before.
            let again = known.request_id != request_id.as_str();
            known.request_id = request_id.to_string();
            known.input = input.clone();
            known.kind = CallKind::Answers { drafts, questions: questions.clone(), outcome: outcome.clone() };
            // If the question has ended, nobody else would answer the new request.
            if let Some(outcome) = outcome.filter(|_| again)
                && let Ok((line, _)) = known.encode(&questions, &outcome, skips)
            {
                out.line(line);
            }
            return;
        }
        if let Err(words) = self.calls.room() {
            return refuse(words, out);
        }
        let kind = CallKind::Answers { drafts, questions: questions.clone(), outcome: None };
        let (request_id, tool_use) = (request_id.to_string(), tool_use.map(str::to_owned));
        let own = Call { request_id, tool_use, input: input.clone(), kind };
        let asked_by = helper.as_ref().map(|helper| self.helpers.name(helper));
        self.calls.ask(Asked { native_ref, asked_by, helper, questions, asker: Asker::Waits }, own, out);
    }

    /// Withdraws the question of this call if the reply to this request settles it. An older unanswered request of the same
    /// call stays, because it needs its own reply.
    pub(super) fn withdraw(&mut self, native_ref: &NativeRef, request_id: &NativeRef, out: &mut Output) {
        let of_it = |call: &OpenCall<Call>| call.own.request_id == request_id.as_str();
        if self.calls.forget(|call| call.native_ref == *native_ref && of_it(call)).is_some() {
            out.event(Requests::Withdrawn { native_ref: native_ref.clone() });
        }
    }

    /// Identifies a permission request by its request id, because one tool use may need several permissions.
    fn on_permission(&mut self, native_ref: NativeRef, tool: &str, request: &Value, out: &mut Output) {
        let waiting = match self.calls.find(&native_ref) {
            Ok(OpenCall { is_question: true, .. }) => {
                return out.line(deny(native_ref.as_str(), "request_id: already used by a question."));
            }
            // An open request keeps the input and rules that the user sees.
            Ok(OpenCall {
                answered: false,
                own: Call { input, kind: CallKind::Permission { suggestions, .. }, .. },
                ..
            }) => Some((input.clone(), suggestions.clone())),
            _ => None,
        };
        let renewed = waiting.is_some();
        if !renewed {
            self.calls.forget(|call| call.native_ref == native_ref);
            if let Err(words) = self.calls.room() {
                return out.line(deny(native_ref.as_str(), &words));
            }
        }
        let received = || {
            let input = request.get("input").cloned().unwrap_or_else(|| Value::Object(Map::new()));
            (input, Suggestions::of(request))
        };
        let (input, suggestions) = waiting.unwrap_or_else(received);
        let tool_use = text(request, "tool_use_id").map(str::to_owned);
        let plan = tool == PLAN_TOOL;
        let options =
            if plan { approvals::of_plan(self.may_bypass) } else { approvals::of_tool(&suggestions) };
        let helper = helper_of(request);
        let request_id = native_ref.to_string();
        let asked = ApprovalAsked {
            native_ref,
            asked_by: helper.as_ref().map(|helper| self.helpers.name(helper)),
            helper,
            tool_use: tool_use.as_deref().map(bounded),
            call: rules::call_of(tool, &input),
            title: bounded(tool),
            description: text(request, "description").filter(|words| !words.trim().is_empty()).map(bounded),
            remark: remark_of(request),
            subject: details::detail(tool, &input),
            options: options.clone(),
            takes_message: true,
        };
        if renewed {
            return out.event(Requests::ApprovalAsked(Box::new(asked)));
        }
        let own =
            Call { request_id, tool_use, input, kind: CallKind::Permission { suggestions, options, plan } };
        self.calls.ask_permission(asked, own, out);
    }

    /// Withdraws a canceled call even if its answer has been sent: the agent will not use it.
    pub(super) fn on_cancel(&mut self, message: &Value, out: &mut Output) {
        let Some(request_id) = text(message, "request_id") else {
            return out.invalid(InputError::Incomplete { field: "request_id" });
        };
        let Some(call) = self.calls.forget(|call| call.own.request_id == request_id) else { return };
        if let Some(tool_use) = call.own.tool_use.filter(|_| !call.is_question) {
            self.canceled.push((tool_use, call.native_ref.clone()));
        }
        out.event(Requests::Withdrawn { native_ref: call.native_ref });
    }

    pub(super) fn on_control_response(&mut self, message: &Value, out: &mut Output) {
        let response = message.get("response").unwrap_or(&Value::Null);
        let ours =
            text(response, "request_id").is_some_and(|id| id.starts_with(super::encode::REQUEST_PREFIX));
        if !ours {
            // An agent that replays its input echoes our own responses.
            return;
        }
        let request_id = text(response, "request_id").unwrap_or_default();
        let awaited = self.awaited.iter().position(|(awaited, _)| awaited == request_id);
        let ticket = awaited.and_then(|place| self.awaited.remove(place)).map(|(_, ticket)| ticket);
        if self.interrupt_sent.as_deref() == Some(request_id) {
            self.interrupt_sent = None;
        }
        let stopped = self.stop_answered(request_id);
        if text(response, "subtype") == Some("error") {
            let error = bounded(text(response, "error").unwrap_or("no reason given"));
            if let Some(id) = stopped {
                return out.event(Helpers::NotStopped { id, error });
            }
            return match ticket {
                Some(ticket) => out.event(Configuration::ConfigAnswered { ticket, refused: Some(error) }),
                None => out.invalid(InputError::RequestFailed { error }),
            };
        }
        if let (Some(ticket), Some(said)) = (ticket, response.get("response")) {
            let changed = text(said, "mode").is_some_and(|mode| self.take_mode(mode));
            self.tell_config(changed, out);
            if said.get("model").is_some() {
                self.introduce(said, out);
            }
            return out.event(Configuration::ConfigAnswered { ticket, refused: None });
        }
        if let Some(said) = response.get("response").filter(|said| said.get("claude_code_version").is_some())
        {
            self.introduce(said, out);
            commands::tell(said, out);
        }
        for pending in list(response, "pending_permission_requests") {
            self.on_control_request(pending, out);
        }
    }
}

/// The subagent that asks; none if the agent itself does.
fn helper_of(request: &Value) -> Option<HelperId> {
    text(request, "agent_id").and_then(HelperId::new)
}

/// Whether a question already contains answers that are not blank.
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

/// What the program itself says about a permission request; the description is its model's.
fn remark_of(request: &Value) -> Option<AgentRemark> {
    let marked = request.get("default_to_no").and_then(Value::as_bool) == Some(true);
    let warns = marked || text(request, "decision_reason_type") == Some("safetyCheck");
    let stance = if warns { RemarkStance::NoByDefault } else { RemarkStance::Reason };
    AgentRemark::new(text(request, "decision_reason"), stance)
}
