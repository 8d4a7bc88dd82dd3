//! Ends of requests that are held in memory for their undo window before they are carried out.

use askdesk_contract::frame::Change;
use askdesk_domain::{EndInput, HeldEnd, Hold, RequestId, UndoSeconds};

use super::Writer;
use crate::delivery_error::rejected;
use crate::error::EngineError;

impl Writer {
    /// Holds an end. Returns it unless it was held already, so that the caller waits for the end of its undo window.
    pub(super) fn hold(
        &mut self,
        request: RequestId,
        end: EndInput,
        undo: UndoSeconds,
    ) -> Result<Option<HeldEnd>, EngineError> {
        let decided = self.held.hold(&self.desk, request, end, undo, self.clock.now());
        match decided.map_err(|reject| self.explain_end(request, reject))? {
            Hold::Held(held) => {
                self.keep_held(held.clone());
                Ok(Some(held))
            }
            Hold::Already => Ok(None),
        }
    }

    /// Drops an end that was not carried out yet.
    pub(super) fn undo(&mut self, request: RequestId) -> Result<(), EngineError> {
        let decided = self.held.undo(&self.desk, request);
        if decided.map_err(|reject| self.explain_end(request, reject))? {
            self.held.remove(request);
            self.hub.publish(&self.desk, vec![Change::HoldReleased { request }]);
        }
        Ok(())
    }

    /// Carries out an end after its undo window, unless it was undone or replaced, or its request has ended.
    pub(super) fn give_held(&mut self, held: HeldEnd) {
        if !self.held.is_due(&held) {
            return;
        }
        let request = held.request;
        let command = held.end.clone().command(request, self.clock.now());
        if let Err(error) = self.act(&command.into()) {
            tracing::error!(%error, %request, "a held end could not be carried out");
            self.keep_held(HeldEnd { error: Some(rejected(error)), ..held });
        }
    }

    fn keep_held(&mut self, held: HeldEnd) {
        self.held.put(held.clone());
        self.hub.publish(&self.desk, vec![Change::EndHeld { held }]);
    }
}
