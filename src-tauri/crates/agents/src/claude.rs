//! Claude Code and whatever speaks its stream-json: measured with 2.1.332.

mod abridged;
mod answers;
mod approvals;
mod commands;
mod config;
mod content;
mod control;
mod descriptor;
mod details;
mod elicitations;
mod encode;
mod helpers;
pub mod known;
mod launch;
mod own_sessions;
mod parse;
mod permissions;
mod replies;
mod retries;
mod rules;
mod settings_files;
mod sign_in;
mod told;
mod tools;
mod usage;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use askdesk_domain::{
    AgentDescriptor, AgentFailure, ApprovalOption, ConfigOption, HelperId, NativeRef, NativeSession, Outcome,
    Question, RawQuestion, ReservedFlags, SessionOptions, ValueId,
};
use serde_json::Value;

use crate::adapter::{Action, Adapter, EncodeError, Inbound, Open, Output};
use crate::agent::{Agent, PermissionFile, Plan, SessionPlan, Start, with_abilities};
use crate::elicitation::Field;
use crate::event::{InputError, Trouble};
use crate::json::text;
use crate::launch::LaunchPlan;
use crate::link::LinkPlan;
use crate::open_calls::OpenCalls;
use crate::own_sessions::OwnSessions;
use crate::sign_in_probe::SignInProbe;

pub use answers::{FormattedAnswers, answered_input, format_answers};
pub use descriptor::{ACCEPT_EDITS, ASK, AUTO, BYPASS, CLAUDE_CODE, EFFORT, MODE, MODEL, PLAN};
pub(crate) use descriptor::{capabilities, mode};
use helpers::KnownHelpers;
pub use launch::launch;
use own_sessions::ClaudeFiles;
use permissions::Suggestions;
use usage::UsageReport;

/// How many ids of question tool calls are remembered, so that their results are not shown as tool output.
pub const REMEMBERED_TOOL_USES: usize = 1024;
/// How many capabilities of one agent are kept.
pub const CAPABILITIES: usize = 256;
/// The tool with which Claude Code asks questions.
const QUESTION_TOOL: &str = "AskUserQuestion";
/// The tool with which Claude Code submits a plan.
const PLAN_TOOL: &str = "ExitPlanMode";
/// How many changes of config options may wait for an answer; of more, the oldest is given up.
const AWAITED_CHANGES: usize = 64;
/// The capability that lets an answer say that a question was skipped.
const UNANSWERED_CAPABILITY: &str = "ask_user_question_unanswered_v1";

/// Claude Code as an agent that can be started.
#[derive(Debug)]
pub struct ClaudeCode {
    descriptor: AgentDescriptor,
}

impl Default for ClaudeCode {
    fn default() -> Self {
        with_abilities(Self { descriptor: descriptor::descriptor() }, |it| &mut it.descriptor)
    }
}

impl Agent for ClaudeCode {
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
        let Start { folder, options, open } = start;
        let program = launch::find(&self.descriptor, start.program().as_deref())?;
        let plan = launch(program, folder.clone(), &options.config, open);
        let adapter = ClaudeAdapter::new(self.descriptor.config.clone(), options);
        Ok(SessionPlan {
            adapter: Box::new(adapter),
            link: LinkPlan::Process(plan.with_overrides(&options.extras)),
            sign_in: None,
        })
    }

    fn continue_in_terminal(&self) -> Option<Plan<'_, LaunchPlan>> {
        Some(Box::new(|start| {
            let Start { folder, options, open } = start;
            let Some(session) = open.resumed() else { return Ok(None) };
            let program = launch::find(&self.descriptor, start.program().as_deref())?;
            Ok(Some(launch::in_terminal(program, folder, session).with_overrides(&options.extras)))
        }))
    }

    fn end_in_background(&self, start: &Start) -> Result<Option<LaunchPlan>, AgentFailure> {
        let Start { folder, options, open } = start;
        let Some(session) = open.resumed() else { return Ok(None) };
        let program = launch::find(&self.descriptor, start.program().as_deref())?;
        Ok(Some(launch::end_in_background(program, folder, session).with_variables_of(&options.extras)))
    }

    fn sign_in(&self, start: &Start) -> Result<Option<LaunchPlan>, AgentFailure> {
        let program = launch::find(&self.descriptor, start.program().as_deref())?;
        Ok(Some(sign_in::in_terminal(program, &start.folder, &start.options.extras)))
    }

    fn sign_in_probe(&self, start: &Start) -> Result<Option<SignInProbe>, AgentFailure> {
        let program = launch::find(&self.descriptor, start.program().as_deref())?;
        Ok(Some(sign_in::probe(program, &start.folder, &start.options.extras)))
    }

    fn own_sessions(&self) -> Option<Plan<'_, OwnSessions>> {
        Some(Box::new(|start| {
            Ok(launch::home(&start.options.extras)
                .map(|home| OwnSessions::Files(Box::new(ClaudeFiles { home, folder: start.folder.clone() }))))
        }))
    }

    fn permission_files(&self, folder: &Path) -> Vec<PermissionFile> {
        settings_files::of(folder)
    }
}

/// One side of a conversation with one Claude Code process.
///
/// It holds what the protocol needs to answer: the raw input of every call that waits, because an answer repeats it,
/// and which control request belongs to which tool use.
#[derive(Debug)]
pub struct ClaudeAdapter {
    /// Counts our own control requests, for their ids.
    requests_sent: u64,
    /// The ids of our own requests whose answer somebody waits for, with their tickets.
    awaited: VecDeque<(String, u64)>,
    info: AgentInfo,
    /// The config options with their present values.
    config: Vec<ConfigOption>,
    /// The models that the agent lists, each with its full name.
    models: Vec<(ValueId, String)>,
    /// The model that was chosen last.
    model_chosen: Option<ValueId>,
    /// Whether the session was started so that it may do everything without asking.
    may_bypass: bool,
    /// The session that was to be resumed, until the agent has shown that it has it.
    resuming: Option<NativeSession>,
    usage: UsageReport,
    in_turn: bool,
    interrupting: bool,
    /// Whether a rejected key or login was told of in this turn.
    login_rejected: bool,
    calls: OpenCalls<Call>,
    helpers: KnownHelpers,
    /// Our newest interrupt, until the agent has answered it.
    interrupt_sent: Option<String>,
    /// Our requests to stop a helper that the agent has not answered.
    stops_sent: VecDeque<(String, HelperId)>,
    /// Tool uses of the question tool: never shown as a tool, because the question itself is.
    question_uses: VecDeque<String>,
    /// Permission requests of this turn that the agent took back, after the tool use that each was for.
    canceled: Vec<(String, NativeRef)>,
}

/// What the agent has said about itself so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct AgentInfo {
    version: Option<String>,
    model: Option<String>,
    native_session: Option<NativeSession>,
    capabilities: Vec<String>,
}

/// What a call is answered with.
#[derive(Debug)]
struct Call {
    /// The newest control request for this call.
    request_id: String,
    tool_use: Option<String>,
    /// As received; an answer repeats it unchanged.
    input: Value,
    kind: CallKind,
}

/// What a call asks the user for.
#[derive(Debug)]
enum CallKind {
    Answers {
        /// They hold the uncut texts, which are the keys of the answer.
        drafts: Vec<RawQuestion>,
        questions: Vec<Question>,
        /// The outcome that was sent, to send it again if the call is repeated in a new request.
        outcome: Option<Outcome>,
    },
    /// A form of an MCP server, or a page that it wants opened.
    Form {
        fields: Vec<Field>,
        /// The server's id of the page, by which it says that the page has done its part.
        page: Option<String>,
    },
    Permission {
        suggestions: Suggestions,
        /// What was offered; only that can be chosen.
        options: Vec<ApprovalOption>,
        /// Whether it is a plan that waits for approval.
        plan: bool,
    },
}

impl Call {
    fn is_question_of(&self, tool_use: &str, questions: &[Question]) -> bool {
        let same = matches!(&self.kind, CallKind::Answers { questions: asked, .. } if asked == questions);
        same && self.tool_use.as_deref() == Some(tool_use)
    }
}

impl Adapter for ClaudeAdapter {
    fn open(&mut self, how: Open) -> Output {
        self.usage = UsageReport::new(!how.is_new());
        self.resuming = match how {
            Open::New => None,
            Open::Resume { native_session } | Open::Fork { native_session, .. } => Some(native_session),
        };
        Output::of_line(self.hello())
    }

    fn receive(&mut self, inbound: &Inbound) -> Output {
        let mut out = Output::default();
        match inbound {
            Inbound::Line(line) => self.on_line(line, None, &mut out),
            Inbound::Abridged { line, why } => self.on_line(line, Some(*why), &mut out),
            Inbound::End { unfinished } => self.on_end(unfinished, &mut out),
            Inbound::Rpc(_) => out.event(Trouble::InvalidInput { why: InputError::NotJson }),
        }
        out
    }

    fn send(&mut self, action: Action) -> Result<Output, EncodeError> {
        self.encode(action)
    }

    fn stop_helper(&mut self, id: HelperId) -> Option<Output> {
        Some(Output::of_line(self.stop_task(id)))
    }

    fn review_call(&mut self, native_ref: &NativeRef, ask: bool) -> Option<Output> {
        Some(Output::of_line(rules::reviewed(native_ref, ask)))
    }
}

impl ClaudeAdapter {
    /// Starts the conversation with a process whose session was started with these options.
    pub fn new(config: Vec<ConfigOption>, options: &SessionOptions) -> Self {
        Self {
            requests_sent: 0,
            awaited: VecDeque::new(),
            info: AgentInfo::default(),
            config: config::at_start(config, &options.config),
            models: Vec::new(),
            model_chosen: options.config.get(&MODEL).cloned(),
            may_bypass: options.config.get(&MODE) == Some(&BYPASS),
            resuming: None,
            usage: UsageReport::new(false),
            in_turn: false,
            interrupting: false,
            login_rejected: false,
            calls: OpenCalls::new(),
            helpers: KnownHelpers::default(),
            interrupt_sent: None,
            stops_sent: VecDeque::new(),
            question_uses: VecDeque::new(),
            canceled: Vec::new(),
        }
    }

    fn has_capability(&self, name: &str) -> bool {
        self.info.capabilities.iter().any(|capability| capability == name)
    }

    fn remember_question_use(&mut self, tool_use: &str) {
        if self.question_uses.iter().any(|known| known == tool_use) {
            return;
        }
        if self.question_uses.len() == REMEMBERED_TOOL_USES {
            self.question_uses.pop_front();
        }
        self.question_uses.push_back(tool_use.to_owned());
    }
}

/// Whether a message is of a subagent.
fn of_subagent(message: &Value) -> bool {
    text(message, "parent_tool_use_id").is_some()
}
