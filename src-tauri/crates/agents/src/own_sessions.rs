//! Sessions that were begun in an agent's own terminal: what there is for a folder, and what was said in one.

use std::fmt::Debug;
use std::io;
use std::time::Duration;

use askdesk_domain::text::{bounded, on_one_line};
use askdesk_domain::{
    AgentFailure, AnswerInput, Answers, EntryBody, NativeSession, NextStep, Outcome, Question, Timestamp,
};
use serde_json::Value;
use tokio::time::timeout;

use crate::adapter::{Inbound, Outbound};
use crate::link::{Link, LinkEvents, LinkPlan};
use crate::link_event::LinkEvent;
use crate::rpc::{RpcError, RpcIn, RpcOut};

/// How many sessions of a folder are read, the newest first.
pub const OWN_SESSIONS: usize = 200;
/// How many messages of an earlier conversation are kept, the newest ones.
pub const EARLIER_MESSAGES: usize = 200;
/// The longest title, in characters.
const TITLE_CHARS: usize = 200;
/// How long a server may take to answer, in addition to its start.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);
/// The key of the only request of a link.
const KEY: u64 = 1;

/// A session that the agent keeps for a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnSession {
    pub native_session: NativeSession,
    /// Its title or first message, in one line; empty if it has neither.
    pub title: String,
    /// When something was last said in it.
    pub updated_at: Timestamp,
}

/// Something that was said in an earlier conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    User {
        text: String,
        /// The agent's own name of the place right before it, where a fork can end; none if there is none.
        place: Option<String>,
    },
    Agent(String),
    /// A tool that it used, or a question that it asked.
    Did(Box<EntryBody>),
}

/// What was said in a session before it was continued.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PastConversation {
    /// The newest messages, at most [`EARLIER_MESSAGES`], and what was done between them, oldest first.
    pub said: Vec<Said>,
    /// Whether messages before them were left out.
    pub is_cut: bool,
}

impl PastConversation {
    /// Keeps the newest messages.
    pub(crate) fn newest(mut said: Vec<Said>, is_cut: bool) -> Self {
        let mut messages =
            said.iter().enumerate().rev().filter(|(_, said)| !matches!(said, Said::Did(_))).map(|(at, _)| at);
        let first = messages.nth(EARLIER_MESSAGES - 1);
        let more = messages.next().is_some();
        if let Some(first) = first.filter(|_| more) {
            said.drain(..first);
        }
        Self { said, is_cut: is_cut || more }
    }
}

/// Where an agent keeps its sessions.
#[derive(Debug)]
pub enum OwnSessions {
    /// In files that are read without the agent.
    Files(Box<dyn SessionFiles>),
    /// Its server lists them. Only requests that begin no turn are sent.
    Server { link: Box<LinkPlan>, protocol: Box<dyn SessionsProtocol> },
}

/// The files of an agent for one folder. Both calls may block.
pub trait SessionFiles: Send + Sync + Debug {
    /// Lists the sessions of the folder but some, newest first; empty if there are none.
    fn list(&self, except: &[NativeSession]) -> io::Result<Vec<OwnSession>>;

    fn read(&self, session: &NativeSession) -> io::Result<PastConversation>;
}

/// The two requests to an agent's server, and what the responses mean.
pub trait SessionsProtocol: Send + Sync + Debug {
    /// The method and parameters that ask for the newest sessions of the folder.
    fn list(&self) -> (String, Value);

    fn listed(&self, response: &Value) -> Vec<OwnSession>;

    /// The method and parameters that ask for the newest messages of a session.
    fn read(&self, session: &NativeSession) -> (String, Value);

    fn conversation(&self, response: &Value) -> PastConversation;
}

/// Why a server did not answer.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum Unanswered {
    #[error("{0}")]
    Failed(AgentFailure),
    #[error("{}", .0.message)]
    Refused(RpcError),
    #[error("it didn't answer within {seconds} seconds")]
    TimedOut { seconds: u64 },
}

/// Sends one request over a link and returns the response. The link is left.
pub async fn ask_server(
    (link, mut events): (Link, LinkEvents),
    (method, params): (String, Value),
) -> Result<Value, Unanswered> {
    let written = link.write(vec![Outbound::Rpc(RpcOut::request(KEY, method, params))]);
    let answer = async {
        // If it can't be written, the link ends.
        let _ = written.await;
        loop {
            match events.next().await {
                Some(LinkEvent::Inbound(Inbound::Rpc(RpcIn::Response { id: KEY, result }))) => {
                    return result.map_err(Unanswered::Refused);
                }
                Some(LinkEvent::Ended(end)) => {
                    let failure = end.status.into_failure(&end.stderr_tail, NextStep::StartAnew);
                    return Err(Unanswered::Failed(failure));
                }
                Some(_) => {}
                None => {
                    let next = NextStep::StartAnew;
                    return Err(Unanswered::Failed(AgentFailure::OutputLost { next }));
                }
            }
        }
    };
    let seconds = ANSWER_WITHIN.as_secs();
    let answered = timeout(ANSWER_WITHIN, answer).await.unwrap_or(Err(Unanswered::TimedOut { seconds }));
    link.stop(Duration::ZERO).await;
    answered
}

/// Tells a question that was asked, with what the agent kept as the answers: the parts of each, none if it has none. An answer
/// that doesn't fit the questions is not known.
pub(crate) fn asked(questions: Vec<Question>, kept: Option<Vec<Vec<String>>>) -> Said {
    let outcome = kept.and_then(|kept| {
        let inputs = questions.iter().zip(&kept).filter(|(_, parts)| !parts.is_empty());
        let inputs: Vec<AnswerInput> = inputs.map(|(question, parts)| answer(question, parts)).collect();
        if inputs.is_empty() {
            return Some(Outcome::Declined { words: None });
        }
        Answers::check(&questions, &inputs).ok().map(|answers| Outcome::Answered { answers })
    });
    Said::Did(Box::new(EntryBody::CopiedQuestion { questions, outcome }))
}

fn answer(question: &Question, parts: &[String]) -> AnswerInput {
    let option = |part: &String| question.options.iter().find(|option| *option.label == bounded(part));
    let own: Vec<&str> = parts.iter().filter(|part| option(part).is_none()).map(String::as_str).collect();
    AnswerInput {
        question: question.id,
        chosen: parts.iter().filter_map(option).map(|option| option.id).collect(),
        other: (!own.is_empty()).then(|| bounded(&own.join(", "))),
        note: None,
    }
}

/// Makes one line of a title.
pub(crate) fn title(text: &str) -> String {
    bounded(&on_one_line(text, TITLE_CHARS))
}
