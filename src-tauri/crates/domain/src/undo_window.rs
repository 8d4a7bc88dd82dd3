//! Answers that are held for a moment, so that the person can still take them back. Never written down: a run that ends
//! sends none of them, and their questions are open again.

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

/// An answer that goes to the agent in a moment, unless it is taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct UndoableAnswer {
    pub request: RequestId,
    pub answers: Vec<AnswerInput>,
    /// When the person gave it.
    pub since: Timestamp,
    pub until: Timestamp,
    /// Why it could not go then; it goes when the person sends it again.
    pub error: Option<DeliveryError>,
}

/// The answers that are held, each for another request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoWindow(BTreeMap<RequestId, UndoableAnswer>);

/// What holding an answer comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// It is held now; another one of the same request is not any more.
    Held(UndoableAnswer),
    /// The same answer is held, or has ended the request, already.
    Already,
}

impl UndoWindow {
    /// Lists them, by request.
    pub fn iter(&self) -> impl Iterator<Item = &UndoableAnswer> {
        self.0.values()
    }

    /// Decides what holding an answer comes to; only the one choice of a lone question is ever held.
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
            let refused = Rejection::AlreadyEnded { by: ended.outcome.by(), at: ended.at };
            return if same { Ok(Hold::Already) } else { Err(refused) };
        }
        if !is_one_choice(request, answers) {
            return Err(Rejection::invalid("answers", "only the one choice of a lone question can be held"));
        }
        if self.0.get(&id).is_some_and(|held| held.answers == answers && held.error.is_none()) {
            return Ok(Hold::Already);
        }
        let until = Timestamp::from_millis(at.millis() + undo.millis());
        Ok(Hold::Held(UndoableAnswer {
            request: id,
            answers: answers.to_vec(),
            since: at,
            until,
            error: None,
        }))
    }

    /// Decides whether taking an answer back changes anything; refuses it where the request has ended.
    pub fn take_back(&self, desk: &Desk, id: RequestId) -> Result<bool, Rejection> {
        let request = desk.request(id).ok_or(Rejection::NotFound { what: "request" })?;
        match request.ended() {
            Some(ended) => Err(Rejection::AlreadyEnded { by: ended.outcome.by(), at: ended.at }),
            None => Ok(self.0.contains_key(&id)),
        }
    }

    /// Says whether this very answer is still held, and so goes now.
    pub fn is_due(&self, held: &UndoableAnswer) -> bool {
        self.0.get(&held.request) == Some(held)
    }

    pub fn put(&mut self, held: UndoableAnswer) {
        self.0.insert(held.request, held);
    }

    /// Lets go of an answer that is not to be given, and returns it.
    pub fn remove(&mut self, id: RequestId) -> Option<UndoableAnswer> {
        self.0.remove(&id)
    }

    /// Lets go of the answers whose request is open no more, however it ended, and names those.
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
