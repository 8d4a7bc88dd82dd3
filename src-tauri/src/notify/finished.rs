//! Notifications about finished turns. They are withdrawn when the session works or asks again, or comes into view.

use askdesk_api::View;
use askdesk_domain::{Session, SessionId};

use super::notifier::Subject;
use super::{NotificationDriver, content};

impl NotificationDriver {
    /// Replaces the notification of the turn before. Nothing is pending, so the window does not request attention.
    pub(super) fn has_finished(&mut self, session: &Session, has_pending: bool) {
        match content::of_finished(&self.api, session, has_pending) {
            Some(notification) => {
                self.finished.insert(session.id);
                self.notifier.post(notification);
            }
            None => self.finished_no_more(session.id),
        }
    }

    pub(super) fn finished_no_more(&mut self, session: SessionId) {
        if self.finished.remove(&session) {
            self.notifier.withdraw(Subject::Finished(session));
        }
    }

    pub(super) fn view_changed(&mut self, view: View) {
        if let Some(session) = view.session.filter(|_| view.focused) {
            self.finished_no_more(session);
        }
    }

    /// Withdraws all of them when the app ends.
    pub(super) fn withdraw_finished(&mut self) {
        for session in std::mem::take(&mut self.finished) {
            self.notifier.withdraw(Subject::Finished(session));
        }
    }
}
