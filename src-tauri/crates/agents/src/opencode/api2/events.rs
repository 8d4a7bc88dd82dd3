//! Events in the shapes of the API before.

use serde_json::{Value, json};

use super::shapes::{self, old_name};
use super::{Api2, Translated};
use crate::connection::MemberId;
use crate::json::text;

/// Kinds of events that say nothing the adapter shows.
const PASSED_OVER: &[&str] = &[
    "session.agent.",
    "session.compaction.",
    "session.context.",
    "session.forked",
    "session.inbox.",
    "session.instructions.",
    "session.message.",
    "session.model.",
    "session.moved",
    "session.permissions",
    "session.prompt.",
    "session.revert.",
    "session.shell.",
    "session.skill.",
    "session.step.streamed",
    "session.synthetic",
    "session.tool.",
    "session.usage.",
];

impl Api2 {
    /// Turns an event into those that the API before would have. `owner` is whose session it is about.
    pub(in crate::opencode) fn on_event(&mut self, event: &Value, owner: Option<MemberId>) -> Translated {
        let mut out = Translated::default();
        // 2.x says outside the data when something happened.
        let mut data = event["data"].clone();
        if data.get("timestamp").is_none() && event["created"].is_number() {
            data["timestamp"] = event["created"].clone();
        }
        let data = &data;
        let kind = text(event, "type").unwrap_or_default().replacen("session.next.", "session.", 1);
        let kind = kind.replacen(".v2.", ".", 1);
        let session = text(data, "sessionID").or_else(|| data.pointer("/form/sessionID")?.as_str());
        let (Some(session), Some(owner)) = (session, owner) else {
            out.event(&kind, data.clone());
            return out;
        };
        let message =
            text(data, "assistantMessageID").or_else(|| text(data, "messageID")).unwrap_or_default();
        let begins = matches!(
            kind.as_str(),
            "session.prompted" | "session.step.started" | "session.execution.started"
        );
        if begins {
            self.begin(session, owner, &mut out);
        }
        match kind.as_str() {
            "session.prompted" => self.on_prompted(session, message, &data["prompt"]["text"], &mut out),
            "session.inbox.enqueued" if data["item"]["type"] == "user" => {
                let id = text(data, "inboxID").unwrap_or_default();
                self.inbox.insert(id.to_owned(), data["item"]["payload"]["text"].clone());
            }
            "session.inbox.delivered" | "session.inbox.cancelled" => {
                let id = text(data, "inboxID").unwrap_or_default();
                if let Some(words) = self.inbox.remove(id).filter(|_| kind.ends_with("delivered")) {
                    self.begin(session, owner, &mut out);
                    self.on_prompted(session, id, &words, &mut out);
                }
            }
            "session.idle" => self.end(session, &mut out),
            "session.execution.started" => self.started(session),
            "session.execution.succeeded" | "session.execution.interrupted" => {
                self.started(session);
                self.end(session, &mut out);
            }
            "session.execution.failed" => {
                out.session_error(session, failure(data));
                self.started(session);
                self.end(session, &mut out);
            }
            "session.step.started" => {
                self.started(session);
                let time = json!({"created": data["timestamp"]});
                let info = shapes::message_info(session, message, data, &time);
                out.event("message.updated", json!({"sessionID": session, "info": info}));
            }
            "session.step.ended" => {
                if text(data, "finish") != Some("tool-calls")
                    && let Some(work) = self.works.get_mut(session)
                {
                    work.final_step = true;
                    self.look_soon(session, &mut out);
                }
                let time = json!({"completed": data["timestamp"]});
                let info = shapes::message_info(session, message, data, &time);
                out.event("message.updated", json!({"sessionID": session, "info": info}));
                let part = shapes::step_end(session, message, data);
                out.event("message.part.updated", json!({"sessionID": session, "part": part}));
            }
            "session.step.failed" => {
                out.session_error(session, failure(data));
                self.look_soon(session, &mut out);
            }
            "session.retried" | "session.retry.scheduled" => {
                let status = json!({"type": "retry", "attempt": data["attempt"], "message": failure(data)});
                out.event("session.status", json!({"sessionID": session, "status": status}));
            }
            "session.compaction.ended" => out.event("session.compacted", json!({"sessionID": session})),
            "session.text.started"
            | "session.text.delta"
            | "session.text.ended"
            | "session.reasoning.started"
            | "session.reasoning.delta"
            | "session.reasoning.ended" => text_part(session, message, data, &kind, &mut out),
            // 2.x names the tool only here.
            "session.tool.input.started" => {
                let tool = old_name(text(data, "name").unwrap_or("tool")).to_owned();
                self.tools.insert(tool_key(message, data), (tool, Value::Null));
            }
            "session.tool.called" => {
                let begun = self.tools.remove(&tool_key(message, data)).map(|(tool, _)| tool);
                let tool = text(data, "tool").map(|tool| old_name(tool).to_owned()).or(begun);
                let tool = tool.unwrap_or_else(|| "tool".to_owned());
                let input = shapes::input(&tool, &data["input"]);
                let state = shapes::tool_state("running", &input, &Value::Null);
                tool_part(&tool, session, message, data, &state, &mut out);
                self.tools.insert(tool_key(message, data), (tool, input));
            }
            "session.tool.success" | "session.tool.failed" => {
                // The beginning may have been lost with the stream.
                let Some((tool, input)) = self.tools.remove(&tool_key(message, data)) else { return out };
                let status = if kind.ends_with("success") { "completed" } else { "error" };
                tool_part(&tool, session, message, data, &shapes::tool_state(status, &input, data), &mut out);
            }
            "permission.asked" => {
                let mut request = shapes::permission(data);
                // The request itself has only patterns.
                let source = &data["source"];
                let call = self.tools.get(&tool_key(text(source, "messageID").unwrap_or_default(), source));
                if let Some((_, input)) = call.filter(|_| request["metadata"].is_null()) {
                    request["metadata"] = input.clone();
                }
                self.note_call(&request, None);
                out.event("permission.asked", request);
            }
            "question.asked" => {
                self.note_call(data, None);
                out.event("question.asked", data.clone());
            }
            "question.rejected" | "question.replied" | "permission.replied" => {
                self.calls.remove(text(data, "requestID").unwrap_or_default());
                self.look_soon(session, &mut out);
                out.event(&kind, data.clone());
            }
            "form.created" => {
                let question = self.note_form(&data["form"]);
                out.event("question.asked", question);
            }
            "form.replied" | "form.cancelled" => {
                let id = text(data, "id").unwrap_or_default();
                let form = self.calls.remove(id).and_then(|call| call.form);
                let answers =
                    form.map_or_else(|| data["answer"].clone(), |form| form.answers(&data["answer"]));
                self.look_soon(session, &mut out);
                let ended = if kind.ends_with("replied") { "question.replied" } else { "question.rejected" };
                out.event(ended, json!({"sessionID": session, "requestID": id, "answers": answers}));
            }
            known if PASSED_OVER.iter().any(|passed| known.starts_with(passed)) => {}
            other => out.event(other, data.clone()),
        }
        out
    }

    /// The agent takes up a message.
    fn on_prompted(&mut self, session: &str, message: &str, words: &Value, out: &mut Translated) {
        self.taken.insert(session.to_owned(), message.to_owned());
        let info = json!({"id": message, "sessionID": session, "role": "user"});
        out.event("message.updated", json!({"sessionID": session, "info": info}));
        let made_up = self.words.remove(message);
        let part = json!({"id": format!("{message}/text"), "type": "text", "messageID": message,
            "sessionID": session, "text": words, "synthetic": made_up});
        out.event("message.part.updated", json!({"sessionID": session, "part": part}));
    }

    fn started(&mut self, session: &str) {
        if let Some(work) = self.works.get_mut(session) {
            work.started = true;
        }
    }
}

fn failure(data: &Value) -> &str {
    let said = data.pointer("/error/message").and_then(Value::as_str);
    said.or_else(|| text(data, "error")).unwrap_or("no reason given")
}

fn tool_key(message: &str, data: &Value) -> String {
    format!("{message}/{}", shapes::call_id(data).unwrap_or_default())
}

fn tool_part(tool: &str, session: &str, message: &str, data: &Value, state: &Value, out: &mut Translated) {
    let part = json!({"id": tool_key(message, data), "type": "tool", "messageID": message, "sessionID": session,
        "tool": tool, "callID": shapes::call_id(data), "state": state});
    out.event("message.part.updated", json!({"sessionID": session, "part": part}));
}

fn text_part(session: &str, message: &str, data: &Value, kind: &str, out: &mut Translated) {
    let part = if kind.starts_with("session.text.") { "text" } else { "reasoning" };
    let id = match text(data, &format!("{part}ID")) {
        Some(id) => format!("{message}/{id}"),
        None => shapes::counted(message, part, data["ordinal"].as_u64().unwrap_or_default()),
    };
    if kind.ends_with("delta") {
        let delta = json!({"sessionID": session, "messageID": message, "partID": id, "field": "text",
            "delta": data["delta"]});
        return out.event("message.part.delta", delta);
    }
    let end = kind.ends_with("ended").then(|| data["timestamp"].clone());
    let text = text(data, "text").unwrap_or_default();
    let part = json!({"id": id, "type": part, "messageID": message, "sessionID": session, "text": text,
        "time": {"start": data["timestamp"], "end": end}});
    out.event("message.part.updated", json!({"sessionID": session, "part": part}));
}
