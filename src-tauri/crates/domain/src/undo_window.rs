//! Answers within their undo window, in which the user can undo them. They are never stored: when the app quits, none is
//! sent, and their questions are open again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::answer::{AnswerInput, Answers};
use crate::desk::Desk;
use crate::error::DeliveryError;
use crate::id::{RequestId, Timestamp};
use crate::question::QuestionKind;
use crate::rejection::Rejection;
use crate::request::{Outcome, Request};
use crate::settings::UndoSeconds;

/// An answer that will be sent when its undo window ends, unless it is undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct UndoableAnswer {
    pub request: RequestId,
    pub answers: Vec<AnswerInput>,
    /// When the user gave it.
    pub since: Timestamp,
    pub until: Timestamp,
    /// Why it could not be sent; the user can send it again.
    pub error: Option<DeliveryError>,
}

/// The held answers, at most one per request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoWindow(BTreeMap<RequestId, UndoableAnswer>);

/// The result of holding an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// It is held now, and replaces an earlier one of the same request.
    Held(UndoableAnswer),
    /// The same answer is already held, or has already ended the request.
    Already,
}

impl UndoWindow {
    /// Lists them, by request.
    pub fn iter(&self) -> impl Iterator<Item = &UndoableAnswer> {
        self.0.values()
    }

    /// Decides whether to hold an answer; only a single choice for a lone question is ever held.
    pub fn hold(
        &self,
        desk: &Desk,
        id: RequestId,
        answers: &[AnswerInput],
        undo: UndoSeconds,
        at: Timestamp,
    ) -> Result<Hold, Rejection> {
        let request = desk.request(id).ok_or(Rejection::NotFound { what: "request" })?;
        let checked = Answers::check(&request.questions, answers)?;
        if let Some(ended) = request.ended() {
            let same = Outcome::Answered { answers: checked } == ended.outcome;
            let refused = ended.rejection();
            return if same { Ok(Hold::Already) } else { Err(refused) };
        }
        if !is_one_choice(request, answers) {
            return Err(Rejection::invalid(
                "answers",
                "only a request with one question and one choice can be held",
            ));
        }
        if self.0.get(&id).is_some_and(|held| held.answers == answers && held.error.is_none()) {
            return Ok(Hold::Already);
        }
        let until = Timestamp::from_millis(at.millis() + undo.millis());
        let answers = answers.to_vec();
        Ok(Hold::Held(UndoableAnswer { request: id, answers, since: at, until, error: None }))
    }

    /// Decides whether an undo changes anything; an error if the request has ended.
    pub fn undo(&self, desk: &Desk, id: RequestId) -> Result<bool, Rejection> {
        let request = desk.request(id).ok_or(Rejection::NotFound { what: "request" })?;
        match request.ended() {
            Some(ended) => Err(ended.rejection()),
            None => Ok(self.0.contains_key(&id)),
        }
    }

    /// Returns whether this exact answer is still held and must be given now.
    pub fn is_due(&self, held: &UndoableAnswer) -> bool {
        self.0.get(&held.request) == Some(held)
    }

    pub fn put(&mut self, held: UndoableAnswer) {
        self.0.insert(held.request, held);
    }

    /// Removes a held answer and returns it.
    pub fn remove(&mut self, id: RequestId) -> Option<UndoableAnswer> {
        self.0.remove(&id)
    }

    /// Removes the answers whose request is no longer open, and returns those requests.
    pub fn settle(&mut self, desk: &Desk) -> Vec<RequestId> {
        let is_open = |id: &RequestId| desk.request(*id).is_some_and(Request::is_open);
        let over: Vec<_> = self.0.keys().copied().filter(|id| !is_open(id)).collect();
        self.0.retain(|id, _| !over.contains(id));
        over
    }
}

fn is_one_choice(request: &Request, answers: &[AnswerInput]) -> bool {
    let ([question], [answer]) = (request.questions.as_slice(), answers) else { return false };
    matches!(question.kind, QuestionKind::Single | QuestionKind::Confirm)
        && answer.chosen.len() == 1
        && answer.other.is_none()
}
