//! Notifications about finished turns. They are withdrawn when the session works or asks again, or comes into view.

use askdesk_desk::View;
use askdesk_domain::SessionId;

use super::notifier::Subject;
use super::{NotificationDriver, content};

impl NotificationDriver {
    /// Replaces the notification of the turn before. Nothing is pending, so the window does not request attention.
    pub(super) fn has_finished(&mut self, id: SessionId, has_pending: bool) {
        let session = self.desk.mirror().session(id).cloned();
        match session.and_then(|session| content::of_finished(&self.desk, &session, has_pending)) {
            Some(notification) => {
                self.finished.insert(id);
                self.notifier.post(notification);
            }
            None => self.finished_no_more(id),
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
