//! Requests of the server: questions, permission requests, and forms of MCP servers.

use askdesk_domain::text::bounded;
use askdesk_domain::{AgentRemark, Asker, NativeRef, Notice, RemarkStance};
use serde_json::{Value, json};

use super::approvals::{self, Permission};
use super::encode::form_ended;
use super::known::REQUESTS;
use super::{Call, CallKind, CodexAdapter, answer, failed, questions};
use crate::adapter::{Output, QuestionRefusal};
use crate::elicitation::{self, Elicitation, ElicitationEnd};
use crate::event::{ApprovalAsked, Asked, InputError};
use crate::json::text;
use crate::rpc::{RpcError, RpcOut};

impl CodexAdapter {
    pub(super) fn on_request(&mut self, id: &Value, method: &str, params: &Value, out: &mut Output) {
        let Some(native_ref) = self.native_ref(id) else {
            return out.rpc(failed(id, "the id of the request is too long"));
        };
        // The ID of an open request is that request once more. One that was answered has ended, whatever the server says.
        if self.calls.find(&native_ref).is_ok_and(|call| !call.answered) {
            return;
        }
        self.settle(|call| call.native_ref == native_ref, out);
        if let Err(words) = self.calls.room() {
            return out.rpc(failed(id, &words));
        }
        if self.subagent(params).is_none() {
            self.begin_turn(out);
        }
        if let Some(item) = text(params, "itemId") {
            self.known_item(item).asked = true;
        }
        if !REQUESTS.contains(&method) {
            return refuse_unknown(id, method, out);
        }
        let permission = match method {
            "item/tool/requestUserInput" => return self.on_questions(id, native_ref, params, out),
            "mcpServer/elicitation/request" => match approvals::of_tool(params) {
                Some(permission) => permission,
                None => return self.on_form(id, native_ref, params, out),
            },
            "item/commandExecution/requestApproval" => match approvals::of_command(params, &self.folder) {
                Some(permission) => permission,
                None => {
                    out.rpc(answer(id, json!({"decision": "decline"})));
                    let kind = text(params, "kind").unwrap_or_default();
                    let reason = bounded(&format!("a command of an unknown kind ({kind})"));
                    return out.notice(Notice::PermissionRefused { reason });
                }
            },
            "item/fileChange/requestApproval" => {
                let item = text(params, "itemId").unwrap_or_default();
                let known = self.items.iter().find(|(known, _)| known == item);
                approvals::of_files(params, known.map_or(&Value::Null, |(_, item)| &item.changes))
            }
            "item/permissions/requestApproval" => approvals::of_permissions(params),
            "item/tool/call" => {
                let tool = text(params, "tool").unwrap_or_default();
                let words = format!("Askdesk offers no tool named {tool}.");
                let words = json!([{"type": "inputText", "text": words}]);
                return out.rpc(answer(id, json!({"contentItems": words, "success": false})));
            }
            other => return refuse_unknown(id, other, out),
        };
        let Permission { title, description, remark, subject, call, options } = permission;
        let helper = self.subagent(params);
        let asked = ApprovalAsked {
            native_ref,
            asked_by: helper.as_ref().map(|helper| self.subagent_name(helper)),
            helper,
            tool_use: text(params, "itemId").map(bounded),
            call,
            title: bounded(&title),
            description: description.as_deref().map(bounded),
            remark: AgentRemark::new(Some(&remark.join("\n")), RemarkStance::Reason),
            subject: subject.bounded(),
            options: options.iter().map(|(option, _)| option.clone()).collect(),
            // The protocol has no place for words; they follow as a message of their own.
            takes_message: true,
        };
        let own = Call { id: Some(id.clone()), kind: CallKind::Permission(options) };
        self.calls.ask_permission(asked, own, out);
    }

    fn on_questions(&mut self, id: &Value, native_ref: NativeRef, params: &Value, out: &mut Output) {
        let asked = questions::read(params);
        match questions::accept(params, &asked) {
            Ok(questions) => {
                let helper = self.subagent(params);
                let asked_by = helper.as_ref().map(|helper| self.subagent_name(helper));
                let asking = Asked { native_ref, helper, asked_by, questions, asker: Asker::Waits };
                let own = Call { id: Some(id.clone()), kind: CallKind::Answers(asked) };
                self.calls.ask(asking, own, out);
            }
            Err(refusal) => {
                let reason = refusal.to_string();
                let words = QuestionRefusal::Unkept { reason: reason.clone() }.words();
                out.rpc(answer(id, questions::refused(&asked, &words)));
                out.notice(Notice::QuestionRefused { reason });
            }
        }
    }

    fn on_form(&mut self, id: &Value, native_ref: NativeRef, params: &Value, out: &mut Output) {
        let schema = params.get("requestedSchema").unwrap_or(&Value::Null);
        let fields = elicitation::read(Elicitation {
            mode: text(params, "mode").unwrap_or_default(),
            message: text(params, "message").unwrap_or_default(),
            url: text(params, "url"),
            schema,
            order: &[],
        });
        match fields.and_then(|fields| Ok((elicitation::accept(&fields)?, fields))) {
            Ok((questions, fields)) => {
                let helper = self.subagent(params);
                let asked_by = text(params, "serverName").map(bounded);
                let asking = Asked { native_ref, helper, asked_by, questions, asker: Asker::Waits };
                let own = Call { id: Some(id.clone()), kind: CallKind::Form(fields) };
                self.calls.ask(asking, own, out);
            }
            Err(refusal) => {
                // A form has no place for words.
                out.rpc(answer(id, form_ended(&ElicitationEnd::DECLINED)));
                out.notice(Notice::QuestionRefused { reason: refusal.to_string() });
            }
        }
    }
}

fn refuse_unknown(id: &Value, method: &str, out: &mut Output) {
    out.invalid(InputError::request_refused(method));
    out.rpc(RpcOut::Response { id: id.clone(), result: Err(RpcError::unknown_method(method)) });
}
