//! Codex over its app server: measured with 0.171.0.

mod approvals;
mod async_questions;
mod commands;
mod config;
mod descriptor;
mod encode;
mod items;
pub mod known;
mod launch;
mod notifications;
mod own_sessions;
mod plan;
mod questions;
mod requests;
mod responses;
mod sign_in;
mod usage;

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

use askdesk_domain::{
    AgentDescriptor, AgentFailure, ApprovalOption, Choices, ConfigId, ConfigOption, ConfigValue, HelperId,
    NativeRef, NativeSession, Request, ReservedFlags, ValueId,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::adapter::{Action, Adapter, EncodeError, Inbound, Open, Output};
use crate::agent::{Agent, Plan, SessionPlan, Start, with_abilities};
use crate::elicitation::Field;
use crate::event::{Conversation, InputError};
use crate::json::text;
use crate::late_answers::LateMessage;
use crate::launch::LaunchPlan;
use crate::link::LinkPlan;
use crate::open_calls::{OpenCall, OpenCalls};
use crate::own_sessions::OwnSessions;
use crate::rpc::{INTERNAL_ERROR, RpcError, RpcIn, RpcOut};
use crate::sign_in_probe::SignInProbe;
use crate::supervisor::check_folder;

use commands::Skill;
pub use descriptor::{APPROVALS, CODEX, DEFAULT, EFFORT, MODE, MODEL, PLAN, SANDBOX};
pub use launch::{launch, rules, shared};
use own_sessions::ThreadList;
use questions::Asking;
use usage::UsageReport;

/// How many actions can wait until the session is open.
const HELD_ACTIONS: usize = 64;
/// How many items of a turn are remembered; a permission request names one.
const REMEMBERED_ITEMS: usize = 512;
/// How many warnings are remembered, so that none is told twice.
const REMEMBERED_WARNINGS: usize = 64;
/// How many subagents of a session are known by name.
const SUBAGENTS: usize = 256;

/// Codex as an agent that can be started.
#[derive(Debug)]
pub struct Codex {
    descriptor: AgentDescriptor,
}

impl Default for Codex {
    fn default() -> Self {
        with_abilities(Self { descriptor: descriptor::descriptor() }, |it| &mut it.descriptor)
    }
}

impl Codex {
    fn program(&self, start: &Start) -> Result<PathBuf, AgentFailure> {
        launch::find(&self.descriptor, start.program().as_deref())
    }
}

impl Agent for Codex {
    fn descriptor(&self) -> &AgentDescriptor {
        &self.descriptor
    }

    fn reserved_flags(&self) -> Option<ReservedFlags> {
        Some(descriptor::RESERVED_FLAGS)
    }

    fn find(&self, explicit: Option<&Path>) -> Result<Option<PathBuf>, AgentFailure> {
        launch::find(&self.descriptor, explicit).map(Some)
    }

    fn prepare(&self, start: &Start) -> Result<SessionPlan, AgentFailure> {
        let Start { folder, options, .. } = start;
        // The server runs elsewhere, and takes any path (0.169.0).
        check_folder(folder)?;
        let (plan, sign_in) = shared(launch(self.program(start)?, folder), &options.extras);
        let adapter = CodexAdapter::new(folder, self.descriptor.config.clone(), &options.config);
        let link = LinkPlan::Shared(plan);
        Ok(SessionPlan { adapter: Box::new(adapter), link, sign_in: Some(sign_in) })
    }

    fn continue_in_terminal(&self) -> Option<Plan<'_, LaunchPlan>> {
        Some(Box::new(|start| {
            let Some(session) = start.open.resumed() else { return Ok(None) };
            let plan = launch::in_terminal(self.program(start)?, &start.folder, session);
            Ok(Some(plan.with_overrides(&start.options.extras)))
        }))
    }

    fn sign_in(&self, start: &Start) -> Result<Option<LaunchPlan>, AgentFailure> {
        Ok(Some(sign_in::in_terminal(self.program(start)?, &start.folder, &start.options.extras)))
    }

    fn sign_in_probe(&self, start: &Start) -> Result<Option<SignInProbe>, AgentFailure> {
        Ok(sign_in::probe(self.program(start)?, &start.folder, &start.options.extras))
    }

    fn own_sessions(&self) -> Option<Plan<'_, OwnSessions>> {
        Some(Box::new(|start| {
            let (plan, _) = shared(launch(self.program(start)?, &start.folder), &start.options.extras);
            let protocol = Box::new(ThreadList::of(&start.folder));
            Ok(Some(OwnSessions::Server { link: Box::new(LinkPlan::Shared(plan)), protocol }))
        }))
    }
}

/// One session on an app server, which calls it a thread.
///
/// It holds what the protocol needs to answer: the ids of the server's open requests, and what each option of them is
/// answered with.
#[derive(Debug)]
pub struct CodexAdapter {
    /// Sets this run's requests apart from those of earlier servers, whose ids begin at 0 too.
    run: Uuid,
    folder: String,
    choices: Choices,
    /// The config options with their present values.
    config: Vec<ConfigOption>,
    /// The efforts that each listed model takes.
    efforts: HashMap<String, Vec<ConfigValue>>,
    skills: Vec<Skill>,
    /// The sandbox as the server described it last.
    sandbox: Value,
    requests_sent: u64,
    /// Our open requests, by their keys.
    sent: HashMap<u64, Sent>,
    how: Open,
    thread: Thread,
    /// The actions that came before the session was open.
    held: Vec<Action>,
    turn: Turn,
    calls: OpenCalls<Call>,
    /// What the server began, by its ids, with what was shown of it.
    items: VecDeque<(String, Item)>,
    /// The sessions of subagents, by the server's ids, with their names.
    subagents: VecDeque<(String, String)>,
    usage: UsageReport,
    /// The warnings that were told; the server repeats some in each turn.
    warned: VecDeque<String>,
    /// The usage limit that was told of, until it is no longer reached.
    limit: Option<String>,
}

#[derive(Debug, Default)]
enum Thread {
    /// It is not there: it could not be opened, or the server closed it. The next message opens it.
    #[default]
    Closed,
    Opening,
    Open {
        id: String,
    },
}

/// The turn that runs, or the next one.
#[derive(Debug, Default)]
struct Turn {
    began: bool,
    /// The server's id, once it said it.
    id: Option<String>,
    /// The user wants it to stop before its id is known.
    interrupt: bool,
    /// Whether a rejected key or login was told of in this turn.
    login_rejected: bool,
    /// Whether it reviews changes.
    is_reviewing: bool,
    /// The last plan that was proposed in it.
    proposed: Option<String>,
    /// Words for the agent that are sent once the turn has ended.
    follow_up: Option<String>,
}

/// The kind of a request that we sent.
#[derive(Debug)]
enum Sent {
    Open,
    Models,
    Skills,
    Message {
        id: Uuid,
        input: Value,
        /// Whether it went into a running turn.
        steers: bool,
    },
    Config {
        /// None for a change that nobody waits for.
        ticket: Option<u64>,
        changes: Vec<(ConfigId, ValueId)>,
    },
    Interrupt,
    Compact,
    Close,
}

/// What is known of an item of the turn.
#[derive(Debug, Default)]
struct Item {
    /// Whether it was shown as a tool call that has not ended.
    shown: bool,
    /// Whether it was shown as text that was not understood.
    told: bool,
    /// Whether somebody was asked about it.
    asked: bool,
    /// The changes that it makes to files, as the server listed them last.
    changes: Value,
}

/// A request of the server.
#[derive(Debug)]
struct Call {
    /// The server's id; none for a proposed plan, which the server doesn't wait for.
    id: Option<Value>,
    kind: CallKind,
}

/// What a request asks the user for.
#[derive(Debug)]
enum CallKind {
    Answers(Vec<Asking>),
    /// A form of an MCP server, or a page that it wants opened.
    Form(Vec<Field>),
    /// What can be chosen, each with the result that the server gets.
    Permission(Vec<(ApprovalOption, Value)>),
}

impl Call {
    fn reply(&self, result: Value, out: &mut Output) {
        if let Some(id) = &self.id {
            out.rpc(answer(id, result));
        }
    }
}

impl Adapter for CodexAdapter {
    fn open(&mut self, how: Open) -> Output {
        self.how = how;
        let mut out = Output::default();
        self.open_thread(&mut out);
        self.request(Sent::Models, "model/list", json!({}), &mut out);
        self.list_skills(&mut out);
        out
    }

    fn receive(&mut self, inbound: &Inbound) -> Output {
        let mut out = Output::default();
        match inbound {
            Inbound::Rpc(RpcIn::Request { id, method, params }) => {
                self.on_request(id, method, params, &mut out);
            }
            Inbound::Rpc(RpcIn::Notification { method, params }) => {
                self.on_notification(method, params, &mut out);
            }
            Inbound::Rpc(RpcIn::Response { id, result }) => self.on_response(*id, result.clone(), &mut out),
            Inbound::Line(_) => out.invalid(InputError::NotJson),
            Inbound::Abridged { why, .. } => out.invalid((*why).into()),
            Inbound::End { unfinished } if unfinished.trim_ascii().is_empty() => {}
            Inbound::End { .. } => out.invalid(InputError::CutInHalf),
        }
        out
    }

    fn send(&mut self, action: Action) -> Result<Output, EncodeError> {
        let mut out = Output::default();
        self.encode(action, &mut out)?;
        Ok(out)
    }

    fn late_message(&self, requests: &[Request]) -> LateMessage {
        async_questions::message(requests)
    }
}

impl CodexAdapter {
    /// Makes the adapter of a session in this folder that is started with these choices.
    pub fn new(folder: &Path, config: Vec<ConfigOption>, choices: &Choices) -> Self {
        Self {
            run: Uuid::new_v4(),
            folder: folder.display().to_string(),
            choices: choices.clone(),
            config,
            efforts: HashMap::new(),
            skills: Vec::new(),
            sandbox: Value::Null,
            requests_sent: 0,
            sent: HashMap::new(),
            how: Open::New,
            thread: Thread::Closed,
            held: Vec::new(),
            turn: Turn::default(),
            calls: OpenCalls::new(),
            items: VecDeque::new(),
            subagents: VecDeque::new(),
            usage: UsageReport::default(),
            warned: VecDeque::new(),
            limit: None,
        }
    }

    /// Asks the server. The key names the request in its answer.
    fn request(&mut self, what: Sent, method: &str, params: Value, out: &mut Output) {
        self.requests_sent += 1;
        self.sent.insert(self.requests_sent, what);
        out.rpc(RpcOut::request(self.requests_sent, method, params));
    }

    /// Asks the server about the session.
    fn request_of_thread(&mut self, what: Sent, method: &str, mut params: Value, out: &mut Output) {
        if let Thread::Open { id } = &self.thread {
            params["threadId"] = json!(id);
            self.request(what, method, params, out);
        }
    }

    /// Starts, resumes, or forks the session; what is chosen nowhere is left to the agent's own settings.
    fn open_thread(&mut self, out: &mut Output) {
        let chosen = |option: &ConfigId| self.choices.get(option).map(ValueId::as_str);
        let mut params = json!({"cwd": self.folder});
        for (name, option) in [("approvalPolicy", &APPROVALS), ("sandbox", &SANDBOX), ("model", &MODEL)] {
            if let Some(value) = chosen(option) {
                params[name] = json!(value);
            }
        }
        let method = match &self.how {
            Open::New => "thread/start",
            Open::Resume { native_session } => {
                params["threadId"] = json!(native_session.as_str());
                // The transcript is ours.
                params["excludeTurns"] = json!(true);
                "thread/resume"
            }
            Open::Fork { native_session, place } => {
                params["threadId"] = json!(native_session.as_str());
                params["excludeTurns"] = json!(true);
                if let Some(turn) = place {
                    params["lastTurnId"] = json!(turn);
                }
                "thread/fork"
            }
        };
        self.thread = Thread::Opening;
        self.request(Sent::Open, method, params, out);
    }

    /// The subagent that a message is from; none if it is from the agent itself.
    fn subagent(&self, params: &Value) -> Option<HelperId> {
        let thread = text(params, "threadId")?;
        let Thread::Open { id } = &self.thread else { return None };
        (thread != id).then(|| HelperId::new(thread)).flatten()
    }

    fn subagent_name(&self, subagent: &HelperId) -> String {
        let known = self.subagents.iter().find(|(known, _)| known == subagent.as_str());
        known.map_or_else(|| "subagent".to_owned(), |(_, name)| name.clone())
    }

    fn native_ref(&self, id: &Value) -> Option<NativeRef> {
        NativeRef::new(format!("{}/{id}", self.run))
    }

    fn begin_turn(&mut self, out: &mut Output) {
        if !std::mem::replace(&mut self.turn.began, true) {
            out.event(Conversation::TurnBegan);
        }
    }

    fn settle(&mut self, over: impl Fn(&OpenCall<Call>) -> bool, out: &mut Output) {
        let withdrawn = self.calls.settle(over, out).into_iter();
        // The server takes no notice of it (0.169.0); the connection counts the request as answered.
        withdrawn.filter_map(|call| call.id).for_each(|id| out.rpc(failed(&id, "the request is over")));
    }
}

/// The answer to a request of the server.
fn answer(id: &Value, result: Value) -> RpcOut {
    RpcOut::Response { id: id.clone(), result: Ok(result) }
}

fn failed(id: &Value, words: &str) -> RpcOut {
    RpcOut::Response { id: id.clone(), result: Err(RpcError::new(INTERNAL_ERROR, words)) }
}

/// Counts a message of a kind that is not known.
fn unknown(out: &mut Output, kind: &str) {
    out.invalid(InputError::unknown_type(kind));
}

/// The id under which a thread is known.
fn native_session(thread: &Value) -> Option<NativeSession> {
    text(thread, "id").and_then(NativeSession::new)
}
