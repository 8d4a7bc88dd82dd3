//! One session of the third agent: frames in, events and frames out.
//!
//! | the server sends | it means |
//! |---|---|
//! | `session/message {text}` | the agent says something |
//! | `session/tool {id, kind, title, status, output}` | a tool call, from its first status to its last |
//! | `session/plan {items}` | another plan |
//! | `session/config {options}` | the options of the session, with their present values |
//! | `session/ask {questions}` | a request: a question |
//! | `session/permit {tool, title, command, options}` | a request: a permission |
//! | `session/resolved {id}` | the answer to a request has arrived |
//! | `session/withdrawn {id}` | a request was withdrawn |
//! | `session/idle {usage}` | a turn ended that the agent began |
//! | `session/update {n}` | it is at work; nothing a user needs |
//!
//! A turn that the user began ends with the answer to `turn`.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::Path;

use askdesk_agents::question_json::read_questions;
use askdesk_agents::rpc::INTERNAL_ERROR;
use askdesk_agents::{
    Action, Adapter, AgentEvent, Asked, EncodeError, Inbound, InputError, Open, Output, QuestionRefusal,
    RpcError, RpcIn, RpcOut,
};
use askdesk_domain::text::bounded;
use askdesk_domain::{
    ApprovalDecision, ApprovalOption, ApprovalOptionId, CallArgument, Choices, ConfigId, ConfigOption,
    NativeRef, NativeSession, Outcome, PermissionCall, QuestionLimits, TodoItem, ToolStatus, ValueId,
    question_input,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::wire::{answer, approval_options, config_options, detail, text, usage};

/// How many actions can wait until the session is open.
const HELD_ACTIONS: usize = 64;
/// How many requests of the server can be open.
const OPEN_CALLS: usize = 64;
/// The JSON-RPC code for params that cannot be used.
const INVALID_PARAMS: i64 = -32_602;

/// One session of the third agent.
#[derive(Debug)]
pub struct ThirdAdapter {
    /// Sets this run's requests apart from those of earlier servers.
    run: Uuid,
    /// The parameters of a new session.
    wanted: Value,
    config: Vec<ConfigOption>,
    requests_sent: u64,
    /// Our open requests, by their keys.
    sent: HashMap<u64, Sent>,
    /// The server's id of the session, once it is known.
    session: Option<String>,
    /// The actions that came before that.
    held: Vec<Action>,
    in_turn: bool,
    /// Messages that the agent does not work on yet.
    untaken: VecDeque<(u64, Uuid)>,
    calls: Vec<Call>,
    /// The tool calls that have not ended.
    tools: BTreeSet<String>,
}

/// The kind of a request that we sent.
#[derive(Debug)]
enum Sent {
    New,
    Resume,
    Turn,
    Config { ticket: u64, option: ConfigId, value: ValueId },
    Close,
}

/// A request of the server.
#[derive(Debug)]
struct Call {
    native_ref: NativeRef,
    id: Value,
    /// What was offered, for a permission.
    options: Option<Vec<ApprovalOption>>,
    told: bool,
}

impl ThirdAdapter {
    pub fn new(run: Uuid, folder: &Path, choices: &Choices, config: &[ConfigOption]) -> Self {
        Self {
            run,
            wanted: json!({"folder": folder.display().to_string(), "config": choices}),
            config: askdesk_domain::config::with_choices(config, choices),
            requests_sent: 0,
            sent: HashMap::new(),
            session: None,
            held: Vec::new(),
            in_turn: false,
            untaken: VecDeque::new(),
            calls: Vec::new(),
            tools: BTreeSet::new(),
        }
    }

    /// Asks the server; the session's id is added to the params.
    fn request(&mut self, what: Sent, method: &str, params: Value, out: &mut Output) -> u64 {
        self.requests_sent += 1;
        let key = self.requests_sent;
        self.sent.insert(key, what);
        out.rpc(RpcOut::request(key, method, self.with_session(params)));
        key
    }

    fn with_session(&self, mut params: Value) -> Value {
        if let Some(session) = &self.session {
            params["sessionId"] = json!(session);
        }
        params
    }

    fn native_ref(&self, id: &Value) -> Option<NativeRef> {
        NativeRef::new(format!("{}/{id}", self.run))
    }

    fn begin_turn(&mut self, out: &mut Output) {
        if !self.in_turn {
            let taken = self.untaken.pop_front();
            self.take_up(taken, out);
        }
    }

    fn take_up(&mut self, message: Option<(u64, Uuid)>, out: &mut Output) {
        if let Some((_, uuid)) = message {
            out.event(AgentEvent::MessageTaken { uuid });
        }
        if !std::mem::replace(&mut self.in_turn, true) {
            out.event(AgentEvent::TurnBegan);
        }
    }

    fn end_turn(&mut self, ended: &Value, error: Option<String>, out: &mut Output) {
        if error.is_some() {
            // The questions of a failed turn are closed.
            self.close_calls(out);
        }
        self.in_turn = false;
        let millis = ended["millis"].as_u64().unwrap_or_default();
        out.event(AgentEvent::TurnEnded { millis, usage: usage(&ended["usage"]), error });
    }

    /// Closes all open requests without an answer.
    fn close_calls(&mut self, out: &mut Output) {
        for call in std::mem::take(&mut self.calls) {
            if !call.told {
                out.rpc(respond(call.id, Ok(json!({"closed": "cancelled"}))));
                out.event(AgentEvent::Withdrawn { native_ref: call.native_ref });
            }
        }
    }

    fn on_response(&mut self, key: u64, result: Result<Value, RpcError>, out: &mut Output) {
        let Some(what) = self.sent.remove(&key) else {
            return invalid_input(InputError::Incomplete { field: "id" }, out);
        };
        match (what, result) {
            (Sent::New | Sent::Resume, Ok(result)) => self.on_session(&result, out),
            (Sent::Resume, Err(error)) => out.event(AgentEvent::SessionUnknown { error: error.message }),
            (Sent::New, Err(error)) => self.end_turn(&Value::Null, Some(error.message), out),
            (Sent::Turn, result) => {
                // A turn may have no output.
                let place = self.untaken.iter().position(|(turn, _)| *turn == key);
                let taken = place.and_then(|place| self.untaken.remove(place));
                self.take_up(taken, out);
                match result {
                    Ok(ended) => {
                        if let Some(text) = ended["said"].as_str() {
                            out.event(AgentEvent::Said { text: bounded(text) });
                        }
                        self.end_turn(&ended, None, out);
                    }
                    Err(error) => self.end_turn(&Value::Null, Some(error.message), out),
                }
            }
            (Sent::Config { ticket, option, value }, Ok(_)) => {
                if let Some(known) = self.config.iter_mut().find(|known| known.id == option) {
                    known.current = Some(value);
                }
                out.event(AgentEvent::ConfigChanged { config: self.config.clone() });
                out.event(AgentEvent::ConfigAnswered { ticket, refused: None });
            }
            (Sent::Config { ticket, .. }, Err(error)) => {
                out.event(AgentEvent::ConfigAnswered { ticket, refused: Some(error.message) });
            }
            (Sent::Close, Ok(_)) => {}
            (Sent::Close, Err(error)) => {
                invalid_input(InputError::RequestFailed { error: error.message }, out);
            }
        }
    }

    fn on_session(&mut self, result: &Value, out: &mut Output) {
        let native_session = result["sessionId"].as_str().and_then(NativeSession::new);
        let Some(native_session) = native_session else {
            return invalid_input(InputError::Incomplete { field: "sessionId" }, out);
        };
        self.session = Some(native_session.to_string());
        let native_session = Some(native_session);
        out.event(AgentEvent::Introduced { version: None, model: None, native_session });
        for action in std::mem::take(&mut self.held) {
            // Held actions have been checked before.
            if let Err(error) = self.encode(action, out) {
                invalid_input(InputError::RequestFailed { error: error.to_string() }, out);
            }
        }
    }

    fn on_request(&mut self, id: Value, method: &str, params: &Value, out: &mut Output) {
        let refuse = |code, words: String, out: &mut Output| {
            out.rpc(respond(id.clone(), Err(RpcError::new(code, words))));
        };
        if !matches!(method, "session/ask" | "session/permit") {
            invalid_input(InputError::UnknownType { kind: bounded(method) }, out);
            return out.rpc(respond(id, Err(RpcError::unknown_method(method))));
        }
        let Some(native_ref) = self.native_ref(&id) else {
            return refuse(INVALID_PARAMS, "the id is too long".to_owned(), out);
        };
        if self.calls.len() >= OPEN_CALLS {
            return refuse(INTERNAL_ERROR, "too many open requests".to_owned(), out);
        }
        self.begin_turn(out);
        let options = if method == "session/ask" {
            let drafts = read_questions(params);
            match drafts.and_then(|drafts| question_input::accept(&drafts, QuestionLimits::FOREIGN)) {
                Ok(questions) => {
                    let native_ref = native_ref.clone();
                    out.event(AgentEvent::Asked(Asked {
                        native_ref,
                        helper: None,
                        asked_by: None,
                        questions,
                    }));
                    None
                }
                Err(refusal) => {
                    let reason = refusal.to_string();
                    refuse(INVALID_PARAMS, reason.clone(), out);
                    return out.event(AgentEvent::Refused { native_ref, reason });
                }
            }
        } else {
            let Some(options) = approval_options(&params["options"]) else {
                invalid_input(InputError::Incomplete { field: "options" }, out);
                return refuse(
                    INVALID_PARAMS,
                    "options: at least one, each with id, name and kind".to_owned(),
                    out,
                );
            };
            out.event(AgentEvent::ApprovalAsked {
                native_ref: native_ref.clone(),
                helper: None,
                asked_by: None,
                tool_use: params["tool"].as_str().map(str::to_owned),
                call: Some(PermissionCall {
                    tools: vec![text(params, "title")],
                    arguments: vec![CallArgument::Command(text(params, "command"))],
                }),
                title: text(params, "title"),
                description: None,
                subject: detail(params),
                options: options.clone(),
                takes_message: true,
            });
            Some(options)
        };
        self.calls.push(Call { native_ref, id, options, told: false });
    }

    fn on_notification(&mut self, method: &str, params: &Value, out: &mut Output) {
        match method {
            "session/update" => {}
            "session/message" => {
                self.begin_turn(out);
                out.event(AgentEvent::Said { text: text(params, "text") });
            }
            "session/tool" => self.on_tool(params, out),
            "session/plan" => match serde_json::from_value::<Vec<TodoItem>>(params["items"].clone()) {
                Ok(items) => {
                    self.begin_turn(out);
                    out.event(AgentEvent::PlanChanged { items });
                }
                Err(_) => invalid_input(InputError::Incomplete { field: "items" }, out),
            },
            "session/config" => {
                self.config = config_options(&params["options"]);
                out.event(AgentEvent::ConfigChanged { config: self.config.clone() });
            }
            "session/resolved" | "session/withdrawn" => {
                let native_ref = self.native_ref(&params["id"]);
                let place = self.calls.iter().position(|call| Some(&call.native_ref) == native_ref.as_ref());
                let Some(place) = place else { return };
                let Call { native_ref, options, .. } = self.calls.remove(place);
                if method == "session/withdrawn" {
                    out.event(AgentEvent::Withdrawn { native_ref });
                } else if options.is_none() {
                    out.event(AgentEvent::Acknowledged { native_ref });
                }
            }
            "session/idle" => {
                self.begin_turn(out);
                self.end_turn(params, None, out);
            }
            other => invalid_input(InputError::UnknownType { kind: bounded(other) }, out),
        }
    }

    fn on_tool(&mut self, params: &Value, out: &mut Output) {
        let status = serde_json::from_value::<ToolStatus>(params["status"].clone());
        let (Some(tool_use), Ok(status)) = (params["id"].as_str().map(bounded), status) else {
            return invalid_input(InputError::Incomplete { field: "status" }, out);
        };
        self.begin_turn(out);
        if self.tools.insert(tool_use.clone()) {
            out.event(AgentEvent::ToolStarted {
                tool_use: tool_use.clone(),
                parent: None,
                kind: serde_json::from_value(params["kind"].clone()).unwrap_or_default(),
                name: text(params, "title"),
                summary: text(params, "title"),
                detail: detail(params),
                status,
            });
        }
        if matches!(status, ToolStatus::Done | ToolStatus::Failed) {
            self.tools.remove(&tool_use);
            let ok = status == ToolStatus::Done;
            out.event(AgentEvent::ToolEnded { tool_use, ok, output: text(params, "output") });
        }
    }

    fn encode(&mut self, action: Action, out: &mut Output) -> Result<(), EncodeError> {
        match action {
            Action::Message { id, text, attached } => {
                if !attached.images.is_empty() || !attached.files.is_empty() {
                    return Err(EncodeError::Unsupported { what: "attachments" });
                }
                if self.session.is_none() {
                    return self.hold(Action::Message { id, text, attached });
                }
                let key = self.request(Sent::Turn, "turn", json!({"text": text}), out);
                self.untaken.push_back((key, id));
            }
            Action::Answer { native_ref, questions, outcome } => {
                let answer = match &outcome {
                    Outcome::Answered { answers } => {
                        let answers = questions.iter().map(|asked| answer(asked, answers.to(asked.id)));
                        json!({"answers": answers.collect::<Vec<_>>()})
                    }
                    Outcome::Declined { words } => json!({"declined": words}),
                    Outcome::RepliedInChat { .. } => json!({"closed": "replied in chat"}),
                    Outcome::Expired => json!({"closed": "expired"}),
                    Outcome::Withdrawn { .. } => json!({"closed": "cancelled"}),
                    Outcome::Orphaned { .. } => return Err(EncodeError::NothingToSend),
                };
                let id = self.tell_call(&native_ref, |call| call.options.is_none())?;
                out.rpc(respond(id, Ok(answer)));
            }
            Action::RefuseQuestion { native_ref, why } => {
                let id = self.tell_call(&native_ref, |call| call.options.is_none())?;
                let words = match why {
                    QuestionRefusal::Unkept { reason } => reason,
                    QuestionRefusal::TurnedOff { .. } => "The user takes no questions now.".to_owned(),
                };
                out.rpc(respond(id, Err(RpcError::new(INTERNAL_ERROR, words))));
            }
            Action::Decide { native_ref, decision } => {
                let ApprovalDecision { options: chosen, message, .. } = decision;
                let offers = |call: &Call, id: &ApprovalOptionId| {
                    call.options.as_ref().is_some_and(|options| options.iter().any(|option| option.id == *id))
                };
                let [chosen] = chosen.as_slice() else {
                    return Err(EncodeError::Unsupported { what: "a decision of several options" });
                };
                let id = self.tell_call(&native_ref, |call| offers(call, chosen))?;
                let mut decided = json!({"option": chosen.as_str()});
                if let Some(message) = message {
                    decided["message"] = json!(message);
                }
                out.rpc(respond(id, Ok(decided)));
            }
            Action::SetConfig { ticket, option, value } => {
                let live = |known: &&ConfigOption| known.id == option && known.live;
                if self.session.is_none() || !self.config.iter().any(|known| live(&known)) {
                    return Err(EncodeError::Unsupported { what: "this change" });
                }
                let params = json!({"option": option.as_str(), "value": value.as_str()});
                let change = Sent::Config { ticket, option, value };
                self.request(change, "session/set_config", params, out);
            }
            Action::Interrupt => {
                if self.session.is_some() {
                    let params = self.with_session(json!({}));
                    out.rpc(RpcOut::notification("session/cancel", params));
                    self.close_calls(out);
                }
            }
            Action::ReviewToolCall { .. } => {
                return Err(EncodeError::Unsupported { what: "reviewing calls" });
            }
            Action::StopHelper { .. } => return Err(EncodeError::Unsupported { what: "stopping a helper" }),
            Action::Compact => return Err(EncodeError::Unsupported { what: "compaction" }),
            Action::Close => {
                if self.session.is_some() {
                    self.request(Sent::Close, "session/close", json!({}), out);
                }
            }
        }
        Ok(())
    }

    fn hold(&mut self, action: Action) -> Result<(), EncodeError> {
        if self.held.len() >= HELD_ACTIONS {
            return Err(EncodeError::Unsupported { what: "so many messages before the session is there" });
        }
        self.held.push(action);
        Ok(())
    }

    /// Returns the server's id of an open call, and notes that it is answered.
    fn tell_call(
        &mut self,
        native_ref: &NativeRef,
        fits: impl Fn(&Call) -> bool,
    ) -> Result<Value, EncodeError> {
        let call = self.calls.iter_mut().find(|call| call.native_ref == *native_ref && fits(call));
        let call = call.ok_or_else(|| EncodeError::Gone { native_ref: native_ref.clone() })?;
        call.told = true;
        Ok(call.id.clone())
    }
}

impl Adapter for ThirdAdapter {
    fn open(&mut self, how: Open) -> Output {
        let mut out = Output::default();
        let mut params = self.wanted.clone();
        match how {
            Open::New => self.request(Sent::New, "session/new", params, &mut out),
            Open::Resume { native_session } => {
                params["sessionId"] = json!(native_session.as_str());
                self.request(Sent::Resume, "session/resume", params, &mut out)
            }
        };
        out
    }

    fn receive(&mut self, inbound: &Inbound) -> Output {
        let mut out = Output::default();
        match inbound {
            Inbound::Rpc(RpcIn::Request { id, method, params }) => {
                self.on_request(id.clone(), method, params, &mut out);
            }
            Inbound::Rpc(RpcIn::Notification { method, params }) => {
                self.on_notification(method, params, &mut out);
            }
            Inbound::Rpc(RpcIn::Response { id: key, result }) => {
                self.on_response(*key, result.clone(), &mut out);
            }
            Inbound::Line(_) => invalid_input(InputError::NotJson, &mut out),
            Inbound::Abridged { bytes, .. } => invalid_input(InputError::TooLong { bytes: *bytes }, &mut out),
            Inbound::End { unfinished } if unfinished.is_empty() => {}
            Inbound::End { .. } => invalid_input(InputError::CutInHalf, &mut out),
        }
        out
    }

    fn send(&mut self, action: Action) -> Result<Output, EncodeError> {
        let mut out = Output::default();
        self.encode(action, &mut out)?;
        Ok(out)
    }
}

fn respond(id: Value, result: Result<Value, RpcError>) -> RpcOut {
    RpcOut::Response { id, result }
}

fn invalid_input(why: InputError, out: &mut Output) {
    out.event(AgentEvent::InvalidInput { why });
}
