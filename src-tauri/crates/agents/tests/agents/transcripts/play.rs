//! A session of one agent that is told what a transcript says.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use askdesk_agents::claude::{ClaudeAdapter, ClaudeCode};
use askdesk_agents::codex::{Codex, CodexAdapter};
use askdesk_agents::{
    Action, Adapter, Agent, AgentEvent, Attached, EncodeError, Inbound, Open, Outbound, Partial,
    QuestionRefusal, Requests, RpcError, RpcIn, RpcOut,
};
use askdesk_domain::{
    Choices, ConfigId, HelperId, ImageFormat, NativeRef, NativeSession, Question, QuestionPolicy,
    SessionOptions, ValueId,
};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use uuid::Uuid;

use super::show::Shown;
use crate::support::opencode::OpenCodeSession;

enum Session {
    /// Lines that are written are JSON, and so are messages of a shared server.
    Adapter(Box<dyn Adapter>),
    OpenCode(Box<OpenCodeSession>),
}

pub struct Play {
    session: Session,
    rpc: bool,
    asked: HashMap<NativeRef, Vec<Question>>,
    shown: Shown,
}

impl Play {
    /// Begins what `claude mode=plan` says.
    pub fn begin(session: &str, inputs: Rc<str>) -> Self {
        let (agent, choices) = session.split_once(' ').unwrap_or((session, ""));
        let choice = |choice: &str| {
            let (id, value) = choice.split_once('=').unwrap();
            (ConfigId::new(id).unwrap(), ValueId::new(value).unwrap())
        };
        let choices: Choices = choices.split_whitespace().map(choice).collect();
        let (session, config) = match agent {
            "claude" => {
                let config = ClaudeCode::default().descriptor().config.clone();
                let options = SessionOptions { config: choices, ..SessionOptions::default() };
                let adapter = ClaudeAdapter::new(config.clone(), &options);
                (Session::Adapter(Box::new(adapter)), config)
            }
            "codex" => {
                let config = Codex::default().descriptor().config.clone();
                let adapter = CodexAdapter::new(Path::new("/proj"), config.clone(), &choices);
                (Session::Adapter(Box::new(adapter)), config)
            }
            "opencode" => {
                let config = askdesk_agents::OpenCode::default().descriptor().config.clone();
                (Session::OpenCode(Box::new(OpenCodeSession::unopened(&choices))), config)
            }
            other => panic!("no agent {other}"),
        };
        Self { session, rpc: agent == "codex", asked: HashMap::new(), shown: Shown::new(config, inputs) }
    }

    /// Does what a line says, and returns what follows.
    pub fn step(&mut self, line: &str) -> String {
        let mut out = String::new();
        let line = self.shown.with_run(line);
        let (events, sent) = match self.follow(&line) {
            Ok(followed) => followed,
            Err(error) => return format!("  cannot: {}\n", self.shown.debug(&error)),
        };
        for event in &events {
            if let AgentEvent::Requests(Requests::Asked(asked)) = event {
                self.asked.insert(asked.native_ref.clone(), asked.questions.clone());
            }
            out += &format!("  {}\n", self.shown.event(event));
        }
        for sent in sent {
            out += &format!("> {}\n", self.shown.text(&sent));
        }
        if out.is_empty() { "-\n".to_owned() } else { out }
    }

    fn follow(&mut self, line: &str) -> Result<(Vec<AgentEvent>, Vec<String>), EncodeError> {
        let (sign, rest) = line.split_once(' ').unwrap_or((line, ""));
        let action = (sign == "!").then(|| rest.split_once(' ').unwrap_or((rest, "")));
        let output = match (&mut self.session, action) {
            (Session::Adapter(adapter), Some(("open", how))) => adapter.open(open(how)),
            (Session::Adapter(adapter), Some(("stop", id))) => {
                adapter.stop_helper(HelperId::new(id).unwrap()).unwrap()
            }
            (Session::Adapter(adapter), Some(("review", of))) => {
                let (native_ref, reviewed) = of.split_once(' ').unwrap();
                adapter.review_call(&NativeRef::new(native_ref).unwrap(), reviewed == "ask").unwrap()
            }
            (Session::Adapter(adapter), Some((act, of))) => adapter.send(action_of(act, of, &self.asked))?,
            (Session::Adapter(adapter), None) => adapter.receive(&inbound(sign, rest, self.rpc)),
            (Session::OpenCode(session), act) => {
                match act {
                    Some(("open", how)) => session.open(open(how)),
                    Some((act, of)) => session.act(action_of(act, of, &self.asked))?,
                    None if rest.starts_with('{') || sign != "<" => {
                        session.receive(inbound(sign, rest, false))
                    }
                    None => {
                        let (to, body) = rest.split_once(": ").unwrap();
                        let error = body.strip_prefix("error ").map(parsed);
                        session.respond(
                            to,
                            error.map_or_else(|| Ok(parsed(body)), |it| Err(RpcError::read(&it))),
                        );
                    }
                }
                let requests = session.requests.drain(..).map(|(to, body)| format!("{to} {body}"));
                return Ok((std::mem::take(&mut session.events), requests.collect()));
            }
        };
        Ok((output.events, output.outbound.iter().map(written).collect()))
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn inbound(sign: &str, rest: &str, rpc: bool) -> Inbound {
    match sign {
        "<" if rpc => Inbound::Rpc(message(parsed(rest))),
        "<" => Inbound::Line(rest.as_bytes().to_vec()),
        "<<" => {
            let (bytes, line) = rest.split_once(' ').unwrap();
            let why = Partial::TooLarge { bytes: bytes.parse().unwrap() };
            Inbound::Abridged { line: line.as_bytes().to_vec(), why }
        }
        "<end" => Inbound::End { unfinished: rest.as_bytes().to_vec() },
        other => panic!("nothing is told by {other}"),
    }
}

fn message(mut message: Value) -> RpcIn {
    let (id, params) = (message["id"].take(), message["params"].take());
    match message["method"].as_str() {
        Some(method) if id.is_null() => RpcIn::notification(method, params),
        Some(method) => RpcIn::request(id, method, params),
        None => {
            let error = message.get("error").map(RpcError::read);
            RpcIn::Response {
                id: id.as_u64().unwrap(),
                result: error.map_or(Ok(message["result"].take()), Err),
            }
        }
    }
}

fn written(outbound: &Outbound) -> String {
    let message = match outbound {
        Outbound::Line(line) => return line.clone(),
        Outbound::Rpc(RpcOut::Request { id, method, params }) => {
            json!({"id": id, "method": method, "params": params})
        }
        Outbound::Rpc(RpcOut::Notification { method, params }) => json!({"method": method, "params": params}),
        Outbound::Rpc(RpcOut::Response { id, result: Ok(result) }) => json!({"id": id, "result": result}),
        Outbound::Rpc(RpcOut::Response { id, result: Err(error) }) => {
            json!({"id": id, "error": error.to_json()})
        }
    };
    message.to_string()
}

fn open(how: &str) -> Open {
    let native = |id| NativeSession::new(id).unwrap();
    match how.split(' ').collect::<Vec<_>>()[..] {
        ["new"] => Open::New,
        ["resume", id] => Open::Resume { native_session: native(id) },
        ["fork", id] => Open::Fork { native_session: native(id), place: None },
        ["fork", id, place] => Open::Fork { native_session: native(id), place: Some(place.to_owned()) },
        _ => panic!("no way to open: {how}"),
    }
}

fn action_of(act: &str, of: &str, asked: &HashMap<NativeRef, Vec<Question>>) -> Action {
    let (first, rest) = of.split_once(' ').unwrap_or((of, ""));
    let native_ref = || NativeRef::new(first).unwrap();
    match act {
        "message" => {
            let message = parsed(of);
            let text = |name| message[name].as_str().unwrap_or_default().to_owned();
            let list = |name| message[name].as_array().cloned().unwrap_or_default();
            let image =
                |image: Value| (ImageFormat::Png, BASE64_STANDARD.decode(image.as_str().unwrap()).unwrap());
            let files = list("files").iter().map(|file| file.as_str().unwrap().to_owned()).collect();
            let images = list("images").into_iter().map(image).collect();
            let id = message["id"].as_str().map_or(Uuid::nil(), |id| id.parse().unwrap());
            Action::Message { id, text: text("text"), attached: Attached { images, files } }
        }
        "answer" => {
            let questions = asked.get(&native_ref()).cloned().unwrap_or_default();
            Action::Answer {
                native_ref: native_ref(),
                questions,
                outcome: serde_json::from_str(rest).unwrap(),
            }
        }
        "refuse" => {
            let why = match rest.split_once(' ').unwrap_or((rest, "")) {
                ("never", _) => QuestionRefusal::TurnedOff { policy: QuestionPolicy::Never },
                ("plan_only", _) => QuestionRefusal::TurnedOff { policy: QuestionPolicy::PlanOnly },
                ("unkept", reason) => QuestionRefusal::Unkept { reason: reason.to_owned() },
                ("not_stored", reason) => QuestionRefusal::NotStored { reason: reason.to_owned() },
                (other, _) => panic!("no reason {other}"),
            };
            Action::RefuseQuestion { native_ref: native_ref(), why }
        }
        "decide" => {
            Action::Decide { native_ref: native_ref(), decision: serde_json::from_str(rest).unwrap() }
        }
        "set" => {
            let (option, value) = rest.split_once(' ').unwrap();
            let (option, value) = (ConfigId::new(option).unwrap(), ValueId::new(value).unwrap());
            Action::SetConfig { ticket: first.parse().unwrap(), option, value }
        }
        "interrupt" => Action::Interrupt,
        "compact" => Action::Compact,
        "close" => Action::Close,
        other => panic!("nothing to do: {other}"),
    }
}
