//! That a session has finished its turn stands until it works again, asks, or is looked at.

use askdesk_api::View;
use askdesk_domain::{Session, SessionId};

use super::contract::About;
use super::{Telling, notices};

impl Telling {
    /// Shows it in the place of what stood of the turn before. Nothing waits by that, so the window asks for no attention.
    pub(super) fn has_finished(&mut self, session: &Session, waits: bool) {
        match notices::of_finished(&self.desk, session, waits) {
            Some(posted) => {
                self.finished.insert(session.id);
                self.notifier.post(posted);
            }
            None => self.finished_no_more(session.id),
        }
    }

    pub(super) fn finished_no_more(&mut self, session: SessionId) {
        if self.finished.remove(&session) {
            self.notifier.withdraw(About::Finished(session));
        }
    }

    pub(super) fn viewed(&mut self, view: View) {
        if let Some(session) = view.session.filter(|_| view.focused) {
            self.finished_no_more(session);
        }
    }

    /// The app ends: a press would lead nowhere.
    pub(super) fn all_over(&mut self) {
        for session in std::mem::take(&mut self.finished) {
            self.notifier.withdraw(About::Finished(session));
        }
    }
}
