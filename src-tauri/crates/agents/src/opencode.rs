//! OpenCode over its HTTP server, `opencode serve`: measured with 1.18.33. The API of OpenCode 2 is turned into that one.

mod api2;
mod calls;
mod commands;
mod config;
mod connection;
mod descriptor;
mod encode;
pub mod known;
mod launch;
mod own_sessions;
mod parts;
mod receive;
mod resync;
mod subagents;
mod tools;
mod usage;

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};

use askdesk_domain::{
    AgentDescriptor, AgentFailure, ConfigId, ConfigOption, NativeRef, ReservedFlags, ValueId,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::adapter::{Action, Adapter, EncodeError, Inbound, Open, Output};
use crate::agent::{Agent, Plan, SessionPlan, Start, with_abilities};
use crate::event::{Conversation, InputError};
use crate::json::text;
use crate::launch::LaunchPlan;
use crate::link::LinkPlan;
use crate::open_calls::OpenCalls;
use crate::own_sessions::OwnSessions;
use crate::rpc::{RpcIn, RpcOut};
use crate::supervisor::check_folder;

use calls::Call;
pub use connection::OpenCodeConnection;
pub use descriptor::{AGENT, ASK, MODEL, OPENCODE, PERMISSIONS};
use own_sessions::SessionList;
use parts::Part;
use usage::UsageReport;

/// How many ended calls are remembered, so that a list read before they ended doesn't open them again.
const ENDED_CALLS: usize = 1024;
/// How many actions can wait until the session is open, or until its turn ends.
const HELD_ACTIONS: usize = 64;

/// OpenCode as an agent that can be started. All its sessions share one server.
#[derive(Debug)]
pub struct OpenCode {
    descriptor: AgentDescriptor,
    password: launch::Password,
}

impl Default for OpenCode {
    fn default() -> Self {
        with_abilities(
            Self { descriptor: descriptor::descriptor(), password: launch::Password::random() },
            |it| &mut it.descriptor,
        )
    }
}

impl Agent for OpenCode {
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
        // The server runs elsewhere.
        check_folder(folder)?;
        let program = launch::find(&self.descriptor, start.program().as_deref())?;
        let asks = options.config.get(&PERMISSIONS) == Some(&ASK);
        let plan = launch::server(program, folder, &self.password, asks, &options.extras);
        let config = askdesk_domain::config::with_choices(&self.descriptor.config, &options.config);
        Ok(SessionPlan {
            adapter: Box::new(OpenCodeAdapter::new(folder, config)),
            link: LinkPlan::Http(plan),
            sign_in: None,
        })
    }

    fn continue_in_terminal(&self) -> Option<Plan<'_, LaunchPlan>> {
        Some(Box::new(|start| {
            let Start { folder, options, open } = start;
            let Some(session) = open.resumed() else { return Ok(None) };
            let program = launch::find(&self.descriptor, start.program().as_deref())?;
            let asks = options.config.get(&PERMISSIONS) == Some(&ASK);
            let plan = launch::in_terminal(program, folder.clone(), session, asks);
            Ok(Some(plan.with_overrides(&options.extras)))
        }))
    }

    /// Whether it is signed in isn't asked: it has free models, and providers that need no sign-in.
    fn sign_in(&self, start: &Start) -> Result<Option<LaunchPlan>, AgentFailure> {
        let program = launch::find(&self.descriptor, start.program().as_deref())?;
        Ok(Some(launch::sign_in(program, &start.folder, &start.options.extras)))
    }

    fn own_sessions(&self) -> Option<Plan<'_, OwnSessions>> {
        Some(Box::new(|start| {
            let Start { folder, options, .. } = start;
            let program = launch::find(&self.descriptor, start.program().as_deref())?;
            let asks = options.config.get(&PERMISSIONS) == Some(&ASK);
            let plan = launch::server(program, folder, &self.password, asks, &options.extras);
            let protocol = Box::new(SessionList::of(folder));
            Ok(Some(OwnSessions::Server { link: Box::new(LinkPlan::Http(plan)), protocol }))
        }))
    }
}

/// One session on a server.
#[derive(Debug)]
pub struct OpenCodeAdapter {
    /// The query that names the session's folder, as in `directory=%2Fcode`.
    folder: String,
    /// The same folder as a path.
    path: String,
    config: Vec<ConfigOption>,
    requests_sent: u64,
    /// Our open requests, by their keys.
    sent: HashMap<u64, Sent>,
    version: Option<String>,
    /// The server's id of the session, once it is known.
    session: Option<String>,
    /// The title that was told last.
    title: Option<String>,
    resumes: bool,
    /// Whether messages can be sent.
    open: bool,
    /// The actions that came before that.
    held: VecDeque<Action>,
    /// Messages that are sent once the running turn has ended. A turn that a rejected question ends takes no message.
    after_turn: VecDeque<Action>,
    turn: Turn,
    turns: u64,
    /// Messages that the agent has not taken up yet.
    untaken: VecDeque<Uuid>,
    /// The sessions of subagents, with the names they ask under.
    subagents: HashMap<String, String>,
    /// The agents that the session may not call as subagents.
    barred: HashSet<String>,
    /// The names of the commands that the server knows.
    commands: Vec<String>,
    /// Whether the session's own rules don't ask before changes.
    lacks_asking: bool,
    /// The MCP servers, as the names of their tools begin.
    servers: Vec<String>,
    /// The newest message of all earlier turns. Ids of messages ascend.
    last_message: String,
    messages: HashMap<String, Role>,
    parts: HashMap<String, Part>,
    /// The tool calls that are shown and have not ended, and those that have ended in this turn.
    tools: HashMap<String, bool>,
    calls: OpenCalls<Call>,
    ended_calls: VecDeque<NativeRef>,
    resync: resync::Resync,
    /// The error of the last turn that failed.
    last_error: String,
    usage: UsageReport,
}

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    User {
        taken: bool,
    },
    Agent,
    /// The agent, summarizing the conversation.
    Summary,
}

/// What is known about the running turn.
#[derive(Debug, Default)]
struct Turn {
    running: bool,
    interrupting: bool,
    /// Whether a question was rejected, which ends the turn.
    rejecting: bool,
    /// Whether the user declined it and nothing follows.
    declined: bool,
    error: Option<String>,
    /// When it began and when it was last heard of, in milliseconds since 1970.
    began: Option<u64>,
    heard: Option<u64>,
}

/// The kind of a request that we sent.
#[derive(Debug)]
enum Sent {
    New,
    Resume,
    /// The session was told its new folder.
    Moved,
    /// The newest message of a resumed session.
    Newest,
    Version,
    Agents,
    /// What the session's subagents may do, and what was known of that before.
    Bar {
        barred: HashSet<String>,
        lacks_asking: bool,
    },
    Models,
    Commands,
    /// The server responds once the command has ended.
    Command {
        id: Uuid,
    },
    Prompt {
        id: Uuid,
    },
    Reply {
        native_ref: NativeRef,
    },
    /// The message with the call that a permission request is about.
    CallOf {
        request: Value,
    },
    Servers,
    Abort,
    Compact,
    Status,
    Questions,
    Permissions,
    Children,
    Messages,
}

impl OpenCodeAdapter {
    /// Makes a session in a folder, with its config options and their chosen values.
    pub fn new(folder: &Path, config: Vec<ConfigOption>) -> Self {
        Self {
            folder: launch::folder_query(folder),
            path: folder.to_string_lossy().into_owned(),
            config,
            requests_sent: 0,
            sent: HashMap::new(),
            version: None,
            session: None,
            title: None,
            resumes: false,
            open: false,
            held: VecDeque::new(),
            after_turn: VecDeque::new(),
            turn: Turn::default(),
            turns: 0,
            untaken: VecDeque::new(),
            subagents: HashMap::new(),
            barred: HashSet::new(),
            commands: Vec::new(),
            lacks_asking: false,
            servers: Vec::new(),
            last_message: String::new(),
            messages: HashMap::new(),
            parts: HashMap::new(),
            tools: HashMap::new(),
            calls: OpenCalls::new(),
            ended_calls: VecDeque::new(),
            resync: resync::Resync::default(),
            last_error: String::new(),
            usage: UsageReport::default(),
        }
    }

    /// Sends a request, with a method and a path such as `GET /agent`.
    fn request(&mut self, what: Sent, line: &str, body: Value, out: &mut Output) {
        self.requests_sent += 1;
        self.sent.insert(self.requests_sent, what);
        let query = if line.contains('?') { '&' } else { '?' };
        out.rpc(RpcOut::request(self.requests_sent, format!("{line}{query}{}", self.folder), body));
    }

    /// Sends a request about the session, with a method and the end of a path.
    fn session_request(&mut self, what: Sent, method: &str, rest: &str, body: Value, out: &mut Output) {
        let Some(session) = self.session.clone() else { return };
        self.request(what, &format!("{method} /session/{session}{rest}"), body, out);
    }

    /// Whether an id is that of the session or of one of its subagents.
    fn is_ours(&self, session: &str) -> bool {
        self.is_own(session) || self.subagents.contains_key(session)
    }

    fn is_own(&self, session: &str) -> bool {
        self.session.as_deref() == Some(session)
    }

    fn chosen(&self, id: &ConfigId) -> Option<&ValueId> {
        self.config.iter().find(|option| option.id == *id)?.current.as_ref()
    }

    /// Whether it asks before changes.
    fn asks(&self) -> bool {
        self.chosen(&PERMISSIONS) == Some(&ASK)
    }

    fn begin_turn(&mut self, out: &mut Output) {
        if !std::mem::replace(&mut self.turn.running, true) {
            self.turns += 1;
            out.event(Conversation::TurnBegan);
        }
    }

    /// Ends the turn, and sends what waited for its end.
    fn end_turn(&mut self, out: &mut Output) {
        self.say_unfinished(out);
        // The server sends no events for requests that an abort or an error ended.
        self.withdraw(|_| true, out);
        let turn = std::mem::take(&mut self.turn);
        let newest = self.messages.keys().max().cloned().unwrap_or_default();
        self.last_message = std::mem::take(&mut self.last_message).max(newest);
        self.messages.clear();
        self.parts.clear();
        self.tools.retain(|_, open| *open);
        let error = turn.error.or_else(|| turn.declined.then(|| DECLINED.to_owned()));
        let error = error.filter(|_| !turn.interrupting);
        let millis = turn.began.zip(turn.heard).map_or(0, |(from, to)| to.saturating_sub(from));
        out.event(Conversation::TurnEnded { millis, usage: self.usage.take_turn(), error });
        for action in std::mem::take(&mut self.after_turn) {
            // It was checked before it was held.
            if let Err(error) = self.encode(action, out) {
                out.invalid(InputError::RequestFailed { error: error.to_string() });
            }
        }
    }
}

/// Said when the user declined a question and nothing else was sent.
const DECLINED: &str =
    "The question was declined, and OpenCode ends its turn then. Send a message to continue.";

impl Adapter for OpenCodeAdapter {
    fn open(&mut self, how: Open) -> Output {
        let mut out = Output::default();
        match how {
            Open::New => self.create(&mut out),
            Open::Resume { native_session } => {
                self.resumes = true;
                self.request(Sent::Resume, &format!("GET /session/{native_session}"), Value::Null, &mut out);
            }
            Open::Fork { native_session, place } => {
                self.resumes = true;
                let before = place.map_or_else(|| json!({}), |message| json!({ "messageID": message }));
                self.request(Sent::Resume, &format!("POST /session/{native_session}/fork"), before, &mut out);
            }
        }
        out
    }

    fn receive(&mut self, inbound: &Inbound) -> Output {
        let mut out = Output::default();
        match inbound {
            Inbound::Rpc(RpcIn::Notification { method, params }) => self.on_event(method, params, &mut out),
            Inbound::Rpc(RpcIn::Response { id, result }) => self.on_response(*id, result, &mut out),
            Inbound::Rpc(RpcIn::Request { method, .. }) => {
                out.invalid(InputError::unknown_type(method));
            }
            Inbound::Line(_) => out.invalid(InputError::NotJson),
            Inbound::Abridged { line, why } => self.on_partial_request(line, *why, &mut out),
            Inbound::End { unfinished } if unfinished.is_empty() => {}
            Inbound::End { .. } => out.invalid(InputError::CutInHalf),
        }
        out
    }

    fn send(&mut self, action: Action) -> Result<Output, EncodeError> {
        let mut out = Output::default();
        self.encode(action, &mut out)?;
        Ok(out)
    }
}

/// Returns the id of a subagent's session, and the id of the session that it works for.
fn parent_of(session: &Value) -> Option<(&str, &str)> {
    Some((text(session, "id")?, text(session, "parentID")?))
}
