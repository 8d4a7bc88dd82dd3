//! Claude Code and whatever speaks its stream-json: measured with 2.1.329.

mod answers;
mod attached;
mod control;
mod details;
mod encode;
mod late;
mod launch;
mod parse;
mod permissions;
mod resume;
mod tools;

use std::collections::VecDeque;
use std::time::Duration;

use askdesk_domain::{NativeRef, Outcome, Question, QuestionDraft, Usd};
use serde_json::Value;

pub use answers::{Encoded, InWords, answered_input, in_words};
pub use attached::Attached;
pub use encode::{ControlRequest, EncodeError};
pub use late::late_words;
pub use launch::{ClaudeOptions, claude_launch, find_claude};
use permissions::Suggestions;
pub use resume::{claude_resume, no_longer_has};

/// How long a bare question waits for the control request of the same call; measured: 8 ms.
pub const BARE_GRACE: Duration = Duration::from_millis(400);
/// How many questions and permission requests of one process may wait at a time; more are refused.
pub const OPEN_CALLS: usize = 256;
/// How many ids of question tool calls are remembered, so that their results are not shown as tool output.
pub const REMEMBERED_TOOL_USES: usize = 1024;
/// How many capabilities of one agent are kept.
pub const CAPABILITIES: usize = 256;
/// The tool by which Claude Code asks.
const QUESTION_TOOL: &str = "AskUserQuestion";
/// The tool by which Claude Code hands in a plan.
const PLAN_TOOL: &str = "ExitPlanMode";
/// How many of our own requests may wait for an answer; of more, the oldest is given up.
const AWAITED_REQUESTS: usize = 64;
/// The capability that lets an answer say that a question was skipped.
const UNANSWERED_CAPABILITY: &str = "ask_user_question_unanswered_v1";

/// One side of a conversation with one Claude Code process: lines in, events out, and lines to write.
///
/// It holds what the protocol needs to answer: the raw input of every call that waits, because an answer repeats it,
/// and which control request belongs to which tool use. It does no IO and reads no clock.
#[derive(Debug)]
pub struct ClaudeStream {
    prompt_tool: bool,
    /// Counts our own control requests, for their ids.
    requests_sent: u64,
    /// Our own requests whose answer somebody waits for.
    awaited: VecDeque<String>,
    about: About,
    /// All that this process has spent; it says sums, never single turns.
    spent: Usd,
    in_turn: bool,
    interrupting: bool,
    calls: Vec<Call>,
    /// Tool uses of the question tool: never shown as a tool, because the question itself is.
    question_uses: VecDeque<String>,
}

/// What the agent has said about itself so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct About {
    version: Option<String>,
    model: Option<String>,
    native_session: Option<String>,
    capabilities: Vec<String>,
    /// The permission mode in its own word.
    mode: Option<String>,
}

/// One call of the agent that has not been seen to its end.
#[derive(Debug)]
struct Call {
    native_ref: NativeRef,
    /// The newest control request for this call; none while it is only known in the bare form.
    request_id: Option<String>,
    tool_use: Option<String>,
    /// As received; an answer repeats it unchanged.
    input: Value,
    /// Whether its end was encoded. It is kept until the agent shows that it has it, so that it can be sent again.
    told: bool,
    what: Wanted,
}

/// What a call wants from a person.
#[derive(Debug)]
enum Wanted {
    /// Answers.
    Answers {
        /// They hold the uncut texts, which are the keys of the answer.
        drafts: Vec<QuestionDraft>,
        questions: Vec<Question>,
        /// What it was told, to say it again where the same call comes by a new request.
        told: Option<Outcome>,
    },
    /// Permission.
    Permission {
        /// The rules that may be given with it.
        suggestions: Suggestions,
        /// Whether it is a plan that waits for approval.
        plan: bool,
    },
}

impl Call {
    fn is_question(&self) -> bool {
        matches!(self.what, Wanted::Answers { .. })
    }
}

impl ClaudeStream {
    /// Starts the conversation with a process; `prompt_tool` says whether it was told to ask by control request.
    pub const fn new(prompt_tool: bool) -> Self {
        Self {
            prompt_tool,
            requests_sent: 0,
            awaited: VecDeque::new(),
            about: About {
                version: None,
                model: None,
                native_session: None,
                capabilities: Vec::new(),
                mode: None,
            },
            spent: Usd::ZERO,
            in_turn: false,
            interrupting: false,
            calls: Vec::new(),
            question_uses: VecDeque::new(),
        }
    }

    fn has_capability(&self, name: &str) -> bool {
        self.about.capabilities.iter().any(|capability| capability == name)
    }

    fn call(&self, native_ref: &NativeRef) -> Option<&Call> {
        self.calls.iter().find(|call| call.native_ref == *native_ref)
    }

    fn call_mut(&mut self, native_ref: &NativeRef) -> Option<&mut Call> {
        self.calls.iter_mut().find(|call| call.native_ref == *native_ref)
    }

    fn forget(&mut self, native_ref: &NativeRef) -> Option<Call> {
        let place = self.calls.iter().position(|call| call.native_ref == *native_ref)?;
        Some(self.calls.remove(place))
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
