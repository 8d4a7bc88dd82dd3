//! Ends of requests within their undo window, in which the user can undo them. They are never stored: when the app quits,
//! none is carried out, and their requests are open again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::answer::{AnswerInput, Answers, optional_text};
use crate::command::RequestCommand;
use crate::desk::Desk;
use crate::error::DeliveryError;
use crate::id::{RequestId, Timestamp};
use crate::question::QuestionKind;
use crate::rejection::Rejection;
use crate::request::{Outcome, Request, WithdrawnWhy};
use crate::settings::UndoSeconds;

/// How the user wants to end a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum EndInput {
    Answered {
        answers: Vec<AnswerInput>,
    },
    Declined {
        /// A message to the agent.
        words: Option<String>,
    },
    Canceled,
}

impl EndInput {
    /// Makes the command that ends a request this way.
    pub fn command(self, request: RequestId, at: Timestamp) -> RequestCommand {
        match self {
            Self::Answered { answers } => RequestCommand::Answer { request, answers, at },
            Self::Declined { words } => RequestCommand::Decline { request, words, at },
            Self::Canceled => RequestCommand::Cancel { request, reason: None, at },
        }
    }
}

/// An end that will be carried out when its undo window ends, unless it is undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct HeldEnd {
    pub request: RequestId,
    pub end: EndInput,
    /// When the user chose it.
    pub since: Timestamp,
    pub until: Timestamp,
    /// Why it could not be carried out; the user can try again.
    pub error: Option<DeliveryError>,
}

/// The held ends, at most one per request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoWindow(BTreeMap<RequestId, HeldEnd>);

/// The result of holding an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// It is held now, and replaces an earlier one of the same request.
    Held(HeldEnd),
    /// The same end is already held, or has already ended the request.
    Already,
}

impl UndoWindow {
    /// Lists them, by request.
    pub fn iter(&self) -> impl Iterator<Item = &HeldEnd> {
        self.0.values()
    }

    /// Decides whether to hold an end. Of answers, only a single choice for a lone question is ever held.
    pub fn hold(
        &self,
        desk: &Desk,
        id: RequestId,
        end: EndInput,
        undo: UndoSeconds,
        at: Timestamp,
    ) -> Result<Hold, Rejection> {
        let request = desk.request(id).ok_or(Rejection::NotFound { what: "request" })?;
        let outcome = outcome(request, &end)?;
        if let Some(ended) = request.ended() {
            return if outcome == ended.outcome { Ok(Hold::Already) } else { Err(ended.rejection()) };
        }
        if let EndInput::Answered { answers } = &end
            && !is_one_choice(request, answers)
        {
            return Err(Rejection::invalid(
                "answers",
                "only a request with one question and one choice can be held",
            ));
        }
        if self.0.get(&id).is_some_and(|held| held.end == end && held.error.is_none()) {
            return Ok(Hold::Already);
        }
        let until = Timestamp::from_millis(at.millis() + undo.millis());
        Ok(Hold::Held(HeldEnd { request: id, end, since: at, until, error: None }))
    }

    /// Decides whether an undo changes anything; an error if the request has ended.
    pub fn undo(&self, desk: &Desk, id: RequestId) -> Result<bool, Rejection> {
        let request = desk.request(id).ok_or(Rejection::NotFound { what: "request" })?;
        match request.ended() {
            Some(ended) => Err(ended.rejection()),
            None => Ok(self.0.contains_key(&id)),
        }
    }

    /// Returns whether this exact end is still held and must be carried out now.
    pub fn is_due(&self, held: &HeldEnd) -> bool {
        self.0.get(&held.request) == Some(held)
    }

    pub fn put(&mut self, held: HeldEnd) {
        self.0.insert(held.request, held);
    }

    /// Removes a held end and returns it.
    pub fn remove(&mut self, id: RequestId) -> Option<HeldEnd> {
        self.0.remove(&id)
    }

    /// Removes the ends whose request is no longer open, and returns those requests.
    pub fn settle(&mut self, desk: &Desk) -> Vec<RequestId> {
        let is_open = |id: &RequestId| desk.request(*id).is_some_and(Request::is_open);
        let over: Vec<_> = self.0.keys().copied().filter(|id| !is_open(id)).collect();
        self.0.retain(|id, _| !over.contains(id));
        over
    }
}

/// Checks an end and returns the outcome that it has.
fn outcome(request: &Request, end: &EndInput) -> Result<Outcome, Rejection> {
    Ok(match end {
        EndInput::Answered { answers } => {
            Outcome::Answered { answers: Answers::check(&request.questions, answers)? }
        }
        EndInput::Declined { words: said } => {
            Outcome::Declined { words: optional_text(said.as_deref(), "words")? }
        }
        EndInput::Canceled => Outcome::Withdrawn { why: WithdrawnWhy::Canceled { reason: None } },
    })
}

fn is_one_choice(request: &Request, answers: &[AnswerInput]) -> bool {
    let ([question], [answer]) = (request.questions.as_slice(), answers) else { return false };
    matches!(question.kind, QuestionKind::Single | QuestionKind::Confirm)
        && answer.chosen.len() == 1
        && answer.other.is_none()
}
