//! Answers that wait in memory for a moment before they are given, so that they can be taken back.

use askdesk_domain::{AnswerInput, Command, Hold, RequestCommand, RequestId, UndoSeconds, UndoableAnswer};

use super::{Attention, EngineError, Writer};
use crate::frame::Change;
use crate::undelivered::undone;

pub(crate) struct HoldAnswer {
    pub(crate) request: RequestId,
    pub(crate) answers: Vec<AnswerInput>,
    pub(crate) undo: UndoSeconds,
}

impl Writer {
    /// Holds an answer; returns it where it is not held already, so that somebody waits for its time.
    pub(super) fn hold(&mut self, hold: HoldAnswer) -> Result<Option<UndoableAnswer>, EngineError> {
        let HoldAnswer { request, answers, undo } = hold;
        let decided = self.held.hold(&self.desk, request, &answers, undo, self.source.now());
        match decided.map_err(|reject| self.explain_end(request, reject))? {
            Hold::Held(held) => {
                if let Some(before) = self.held.remove(request) {
                    self.tell(Attention::NotGiven { held: before });
                }
                self.keep_held(held.clone());
                Ok(Some(held))
            }
            Hold::Already => Ok(None),
        }
    }

    /// Lets go of an answer that was not given yet.
    pub(super) fn take_back(&mut self, request: RequestId) -> Result<(), EngineError> {
        let decided = self.held.take_back(&self.desk, request);
        if decided.map_err(|reject| self.explain_end(request, reject))? {
            if let Some(held) = self.held.remove(request) {
                self.tell(Attention::NotGiven { held });
            }
            self.hub.publish(&self.desk, vec![Change::AnswerLetGo { request }]);
        }
        Ok(())
    }

    /// Gives an answer whose time has come, unless it was taken back, replaced, or its request has ended.
    pub(super) fn send_held(&mut self, held: UndoableAnswer) {
        if !self.held.is_due(&held) {
            return;
        }
        let (request, answers) = (held.request, held.answers.clone());
        let command = Command::Request(RequestCommand::Answer { request, answers, at: self.source.now() });
        if let Err(error) = self.act(&command) {
            tracing::error!(%error, %request, "a held answer could not be given");
            let held = UndoableAnswer { error: Some(undone(error)), ..held };
            self.tell(Attention::NotGiven { held: held.clone() });
            self.keep_held(held);
        }
    }

    fn keep_held(&mut self, held: UndoableAnswer) {
        self.held.put(held.clone());
        self.hub.publish(&self.desk, vec![Change::AnswerHeld { held }]);
    }
}
