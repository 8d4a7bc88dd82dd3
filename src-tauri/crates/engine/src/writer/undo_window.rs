//! Answers that are held in memory for their undo window before they are given.

use askdesk_domain::{AnswerInput, Hold, RequestCommand, RequestId, UndoSeconds, UndoableAnswer};

use super::Writer;
use crate::delivery_error::rejected;
use crate::error::EngineError;
use crate::frame::Change;
use crate::mailbox::NotificationEvent;

impl Writer {
    /// Holds an answer. Returns it unless it was held already, so that the caller waits for the end of its undo window.
    pub(super) fn hold(
        &mut self,
        request: RequestId,
        answers: &[AnswerInput],
        undo: UndoSeconds,
    ) -> Result<Option<UndoableAnswer>, EngineError> {
        let decided = self.held.hold(&self.desk, request, answers, undo, self.clock.now());
        match decided.map_err(|reject| self.explain_end(request, reject))? {
            Hold::Held(held) => {
                if let Some(before) = self.held.remove(request) {
                    self.notify(NotificationEvent::AnswerNotGiven { held: before });
                }
                self.keep_held(held.clone());
                Ok(Some(held))
            }
            Hold::Already => Ok(None),
        }
    }

    /// Drops an answer that was not given yet.
    pub(super) fn undo(&mut self, request: RequestId) -> Result<(), EngineError> {
        let decided = self.held.undo(&self.desk, request);
        if decided.map_err(|reject| self.explain_end(request, reject))? {
            if let Some(held) = self.held.remove(request) {
                self.notify(NotificationEvent::AnswerNotGiven { held });
            }
            self.hub.publish(&self.desk, vec![Change::AnswerLetGo { request }]);
        }
        Ok(())
    }

    /// Gives an answer after its undo window, unless it was undone or replaced, or its request has ended.
    pub(super) fn give_held(&mut self, held: UndoableAnswer) {
        if !self.held.is_due(&held) {
            return;
        }
        let (request, answers) = (held.request, held.answers.clone());
        let command = RequestCommand::Answer { request, answers, at: self.clock.now() }.into();
        if let Err(error) = self.act(&command) {
            tracing::error!(%error, %request, "a held answer could not be given");
            let held = UndoableAnswer { error: Some(rejected(error)), ..held };
            self.notify(NotificationEvent::AnswerNotGiven { held: held.clone() });
            self.keep_held(held);
        }
    }

    fn keep_held(&mut self, held: UndoableAnswer) {
        self.held.put(held.clone());
        self.hub.publish(&self.desk, vec![Change::AnswerHeld { held }]);
    }
}
