//! The questions and permission requests of OpenCode, from the event that asks to the event that shows the end.

use askdesk_domain::text::bounded;
use askdesk_domain::{
    ApprovalOption, ApprovalOptionId, ApprovalOptionKind, Asker, CallArgument, HelperId, NativeRef, Notice,
    OptionLabel, OptionScope, PermissionCall, RawQuestion, ToolDetail, ToolRule,
};
use serde_json::{Value, json};

use super::tools::{self, tool_use};
use super::{ENDED_CALLS, OpenCodeAdapter, Sent};
use crate::adapter::{Output, Partial, QuestionRefusal};
use crate::event::{ApprovalAsked, Asked, InputError, Requests};
use crate::json::{is_true, list, text, texts};
use crate::open_calls::OpenCall;
use crate::question_json::read_to_show;
use crate::tool_input::pretty;

pub(super) const ONCE: ApprovalOptionId = ApprovalOptionId::literal("once");
const ALWAYS: ApprovalOptionId = ApprovalOptionId::literal("always");
const REJECT: ApprovalOptionId = ApprovalOptionId::literal("reject");

#[derive(Debug)]
pub(super) struct Call {
    /// The session that asks: the session itself or a subagent's.
    pub(super) session: String,
    /// The tool call that waits for it.
    tool_use: Option<String>,
    pub(super) kind: CallKind,
    /// The reply, if one was sent: the answers to a question, null for its rejection, or the decision on a permission.
    reply: Value,
    /// Whether the connection failed while the reply was sent, so nobody knows whether it arrived.
    in_doubt: bool,
}

#[derive(Debug)]
pub(super) enum CallKind {
    /// The questions with their uncut texts, which are what an answer consists of.
    Question {
        drafts: Vec<RawQuestion>,
    },
    Permission {
        options: Vec<ApprovalOption>,
    },
}

impl Call {
    fn new(session: String, request: &Value, kind: CallKind) -> Self {
        let tool = &request["tool"];
        let tool_use =
            text(tool, "messageID").zip(text(tool, "callID")).map(|(message, call)| tool_use(message, call));
        Self { session, tool_use, kind, reply: Value::Null, in_doubt: false }
    }
}

impl OpenCodeAdapter {
    /// Reads a question, from an event or from the list of open ones.
    pub(super) fn on_question(&mut self, request: &Value, out: &mut Output) {
        let Some((native_ref, session)) = self.new_call(request, out) else { return };
        let read = read_to_show(request).map_err(|refusal| refusal.to_string());
        let (drafts, questions) = match read.and_then(|read| self.calls.room().map(|()| read)) {
            Ok(read) => read,
            Err(reason) => return self.refuse_question(native_ref, &session, reason, out),
        };
        if self.is_own(&session) {
            self.say_so_far(out);
        }
        let (helper, asked_by) = (self.helper(&session), self.subagents.get(&session).cloned());
        let own = Call::new(session, request, CallKind::Question { drafts });
        self.calls.ask(Asked { native_ref, helper, asked_by, questions, asker: Asker::Waits }, own, out);
    }

    fn refuse_question(&mut self, native_ref: NativeRef, session: &str, reason: String, out: &mut Output) {
        self.reject(&native_ref, out);
        if self.is_own(session) {
            self.follow_up(QuestionRefusal::Unkept { reason: reason.clone() }.words());
        }
        self.remember_ended(native_ref);
        out.notice(Notice::QuestionRefused { reason });
    }

    /// Refuses a question or a permission request that could not be read whole.
    pub(super) fn on_partial_request(&mut self, line: &[u8], why: Partial, out: &mut Output) {
        let Ok(request @ Value::Object(_)) = serde_json::from_slice(line) else {
            return out.invalid(why.into());
        };
        let Some((native_ref, session)) = self.new_call(&request, out) else { return };
        let Some(permission) = text(&request, "permission") else {
            return self.refuse_question(native_ref, &session, format!("The request: {why}"), out);
        };
        self.refuse_permission(native_ref, &why.refusal(), out);
        let reason = bounded(&format!("{permission}: {why}"));
        out.notice(Notice::PermissionRefused { reason });
    }

    fn refuse_permission(&mut self, native_ref: NativeRef, words: &str, out: &mut Output) {
        self.post("permission", &native_ref, json!({"reply": "reject", "message": words}), out);
        self.remember_ended(native_ref);
    }

    /// Reads a permission request, from an event or from the list of open ones.
    pub(super) fn on_permission(&mut self, request: &Value, out: &mut Output) {
        let Some((_, session)) = self.new_call(request, out) else { return };
        match text(&request["tool"], "messageID").filter(|_| tells_nothing(request)) {
            Some(message) => {
                let what = Sent::CallOf { request: request.clone() };
                self.request(what, &format!("GET /session/{session}/message/{message}"), Value::Null, out);
            }
            None => self.ask_permission(request, &Value::Null, out),
        }
    }

    /// Shows a permission request, with the input of its call if that is in the message.
    pub(super) fn ask_permission(&mut self, request: &Value, message: &Value, out: &mut Output) {
        let Some((native_ref, session)) = self.new_call(request, out) else { return };
        let permission = text(request, "permission").unwrap_or("permission").to_owned();
        let tool = tools::neutral_name(&self.servers, &permission);
        if self.calls.room().is_err() {
            let words = "There are too many open permission requests.";
            return self.refuse_permission(native_ref, words, out);
        }
        if self.is_own(&session) {
            self.say_so_far(out);
        }
        let options = options(&tool, request);
        let own = Call::new(session, request, CallKind::Permission { options: options.clone() });
        let asked = ApprovalAsked {
            native_ref,
            helper: self.helper(&own.session),
            asked_by: self.subagents.get(&own.session).cloned(),
            tool_use: own.tool_use.clone(),
            call: Some(call_of(&permission, &tool, request)),
            title: bounded(&tool),
            description: None,
            remark: None,
            subject: input_of(request, message)
                .map_or_else(|| subject(&permission, request), |input| tools::detail(&permission, input)),
            options,
            takes_message: true,
        };
        self.calls.ask_permission(asked, own, out);
    }

    fn helper(&self, session: &str) -> Option<HelperId> {
        self.subagents.contains_key(session).then(|| HelperId::new(session)).flatten()
    }

    /// Returns the id of a request and its session, if it is one that is not known yet.
    fn new_call(&self, request: &Value, out: &mut Output) -> Option<(NativeRef, String)> {
        let session = text(request, "sessionID").filter(|session| self.is_ours(session))?;
        let Some(native_ref) = text(request, "id").and_then(NativeRef::new) else {
            out.invalid(InputError::Incomplete { field: "id" });
            return None;
        };
        let known = self.calls.iter().any(|call| call.native_ref == native_ref);
        let is_new = !known && !self.ended_calls.contains(&native_ref);
        is_new.then(|| (native_ref, session.to_owned()))
    }

    pub(super) fn on_question_ended(&mut self, properties: &Value, out: &mut Output) {
        let id = text(properties, "requestID");
        let ended = self.end_call(|call| Some(call.native_ref.as_str()) == id);
        let Some(OpenCall { native_ref, answered, own, .. }) = ended else { return };
        // A rejection has no answers. Another program that uses this server may have answered before us.
        out.event(match answered && own.reply == properties["answers"] {
            true => Requests::Acknowledged { native_ref },
            false => Requests::Withdrawn { native_ref },
        });
    }

    /// A rejected permission also ends the others of its session.
    pub(super) fn on_permission_ended(&mut self, properties: &Value, out: &mut Output) {
        let Some(native_ref) = text(properties, "requestID").and_then(NativeRef::new) else { return };
        let ended = self.calls.forget(|call| call.native_ref == native_ref);
        if ended.is_some_and(|call| !call.answered) {
            out.event(Requests::Withdrawn { native_ref: native_ref.clone() });
        }
        // One that is not known may still come: the message with its call may be on its way.
        self.remember_ended(native_ref);
    }

    /// The call of the question tool shows what became of a question whose event was lost with the stream.
    pub(super) fn on_question_tool(
        &mut self,
        message: &str,
        call: &str,
        ended: Option<bool>,
        out: &mut Output,
    ) {
        let Some(answered) = ended else { return };
        let tool_use = tool_use(message, call);
        let ended = self.end_call(|it| it.own.tool_use.as_ref() == Some(&tool_use) && it.is_question);
        let Some(call) = ended else { return };
        let native_ref = call.native_ref;
        out.event(match call.answered && (answered || self.turn.rejecting) {
            true => Requests::Acknowledged { native_ref },
            false => Requests::Withdrawn { native_ref },
        });
    }

    fn end_call(&mut self, which: impl Fn(&OpenCall<Call>) -> bool) -> Option<OpenCall<Call>> {
        let call = self.calls.forget(which)?;
        self.remember_ended(call.native_ref.clone());
        Some(call)
    }

    fn remember_ended(&mut self, native_ref: NativeRef) {
        if self.ended_calls.len() >= ENDED_CALLS {
            self.ended_calls.pop_front();
        }
        self.ended_calls.push_back(native_ref);
    }

    /// Ends calls that the server no longer has, even if they were answered.
    pub(super) fn withdraw(&mut self, gone: impl Fn(&OpenCall<Call>) -> bool, out: &mut Output) {
        while let Some(OpenCall { native_ref, .. }) = self.end_call(&gone) {
            out.event(Requests::Withdrawn { native_ref });
        }
    }

    /// The connection failed while a reply was sent. Whether its request is still open is read anew.
    pub(super) fn on_reply_in_doubt(&mut self, native_ref: &NativeRef, out: &mut Output) {
        if let Ok(call) = self.calls.find(native_ref) {
            call.own.in_doubt = true;
            self.begin_resync(out);
        }
    }

    /// Sends a reply in doubt again: it has not arrived, because the server still lists its request.
    pub(super) fn resend_reply(&mut self, request: &Value, out: &mut Output) {
        let Some(native_ref) = text(request, "id").and_then(NativeRef::new) else { return };
        if let Ok(call) = self.calls.find(&native_ref)
            && std::mem::take(&mut call.own.in_doubt)
        {
            let reply = call.own.reply.clone();
            self.reply(&native_ref, reply, out);
        }
    }

    fn reject(&mut self, native_ref: &NativeRef, out: &mut Output) {
        self.turn.rejecting = true;
        let what = Sent::Reply { native_ref: native_ref.clone() };
        self.request(what, &format!("POST /question/{native_ref}/reject"), Value::Null, out);
    }

    /// Sends the end of a call, and keeps it in case it has to be sent again.
    pub(super) fn reply(&mut self, native_ref: &NativeRef, reply: Value, out: &mut Output) {
        let Ok(call) = self.calls.find(native_ref) else { return };
        call.answered = true;
        call.own.reply.clone_from(&reply);
        match (call.is_question, reply) {
            (true, Value::Null) => self.reject(native_ref, out),
            (true, answers) => self.post("question", native_ref, json!({"answers": answers}), out),
            (false, decision) => self.post("permission", native_ref, decision, out),
        }
    }

    fn post(&mut self, what: &str, native_ref: &NativeRef, body: Value, out: &mut Output) {
        let sent = Sent::Reply { native_ref: native_ref.clone() };
        self.request(sent, &format!("POST /{what}/{native_ref}/reply"), body, out);
    }
}

/// Lists what can be decided. Always holds for every session in the folder until the server ends (measured with 1.18.33);
/// with OpenCode 2 it is saved.
fn options(permission: &str, request: &Value) -> Vec<ApprovalOption> {
    let plain =
        |id, kind| ApprovalOption { id, kind, label: OptionLabel::Plain, scope: None, combines: false };
    let content = texts(request, "always").join(", ");
    let always = (!content.is_empty()).then(|| ApprovalOption {
        id: ALWAYS,
        kind: ApprovalOptionKind::AllowAlways,
        label: OptionLabel::Tool {
            tool: bounded(permission),
            content: (content != "*").then(|| bounded(&content)),
            behavior: ToolRule::Allow,
        },
        scope: Some(if is_true(request, "saved") { OptionScope::Local } else { OptionScope::Server }),
        combines: false,
    });
    let once = plain(ONCE, ApprovalOptionKind::AllowOnce);
    let reject = plain(REJECT, ApprovalOptionKind::RejectOnce);
    [once].into_iter().chain(always).chain([reject]).collect()
}

/// Whether a request says nothing of what would happen, as for every tool of an MCP server: its patterns are `["*"]` and its
/// metadata is empty (measured with 1.18.33).
fn tells_nothing(request: &Value) -> bool {
    list(request, "patterns").iter().all(|pattern| pattern == "*")
        && request["metadata"].as_object().is_none_or(serde_json::Map::is_empty)
}

/// Finds the input of the call that a request is about. The event with the input can come after the request.
fn input_of<'a>(request: &Value, message: &'a Value) -> Option<&'a Value> {
    let call = text(&request["tool"], "callID")?;
    let part = list(message, "parts").iter().find(|part| text(part, "callID") == Some(call))?;
    part["state"].get("input").filter(|_| text(&part["state"], "status") != Some("pending"))
}

/// Says what exactly would run or change.
fn subject(permission: &str, request: &Value) -> ToolDetail {
    let metadata = &request["metadata"];
    let known = match permission {
        "bash" => text(metadata, "command")
            .map(|command| ToolDetail::Command { command: command.to_owned(), description: None }),
        "edit" => text(metadata, "filepath").zip(text(metadata, "diff")).map(|(path, diff)| {
            // The file's name stands above the first hunk.
            let hunks = diff.find("@@").map_or(diff, |start| &diff[start..]);
            ToolDetail::Edit { path: path.to_owned(), diff: hunks.to_owned() }
        }),
        "webfetch" => text(metadata, "url").map(|url| ToolDetail::Network { target: url.to_owned() }),
        _ => None,
    };
    let whole = || json!({"patterns": request["patterns"], "metadata": metadata});
    known.unwrap_or_else(|| ToolDetail::Other { input: pretty(&whole()) }).bounded()
}

/// Returns a request as the user's own rules see it.
fn call_of(permission: &str, tool: &str, request: &Value) -> PermissionCall {
    let said = |name: &str| text(&request["metadata"], name).map(str::to_owned);
    let command = said("command").map(CallArgument::Command);
    let path = said("filepath").or_else(|| said("filePath")).map(CallArgument::Path);
    let address = said("url").map(CallArgument::Address);
    let mut arguments: Vec<CallArgument> = [command, path, address].into_iter().flatten().collect();
    if arguments.is_empty() && !tells_nothing(request) {
        let patterns = texts(request, "patterns").into_iter();
        arguments = patterns.map(|pattern| CallArgument::Text(pattern.to_owned())).collect();
    }
    if arguments.is_empty() {
        arguments.push(CallArgument::Uncompared);
    }
    let mut letters = permission.chars();
    let title: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    PermissionCall { tools: vec![permission.to_owned(), title, tool.to_owned()], arguments }
}
