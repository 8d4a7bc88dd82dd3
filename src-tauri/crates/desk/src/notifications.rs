//! Notifications: applies the notification policy to what is known now, and keeps the notification log.

use askdesk_contract::NotificationLogEntry;
use askdesk_domain::{
    NotNeededWhy, NotificationCandidate, NotificationCause, NotificationDecision, NotificationRemoval,
    Occasion, OptIn, PendingItem, Session, Timestamp,
};
use jiff::tz::TimeZone;

use crate::desk::Desk;
use crate::local_time::minute_of_day;

/// The most decisions in the notification log.
const LOGGED_DECISIONS: usize = 50;

impl Desk {
    /// Decides whether and how to notify about a session, or about all of them, and logs it. If notifications about finished
    /// turns are off, nothing is logged about one, because it would crowd out the questions.
    pub fn decide_notification(
        &self,
        cause: NotificationCause,
        of: Option<&Session>,
    ) -> NotificationDecision {
        let settings = self.settings();
        if matches!(cause, NotificationCause::FinishedTurn { .. }) && settings.notify_finished == OptIn::Off {
            return NotificationDecision::Nothing(NotNeededWhy::Unwanted);
        }
        let (waiting, occasion) = match cause {
            NotificationCause::Pending { item, reminder: true, .. } => (Some(item), Occasion::Reminder),
            NotificationCause::Pending { item, .. } => (Some(item), Occasion::Asked),
            NotificationCause::FinishedTurn { .. } => (None, Occasion::Finished),
            NotificationCause::PassedBudget => (None, Occasion::Budget),
        };
        let (view, at) = (self.view(), self.now());
        let candidate = NotificationCandidate {
            cause,
            session: of.map(|session| session.id),
            notifications: of.map(|session| session.notifications).unwrap_or_default(),
            in_view: view.session.filter(|_| view.focused),
            minute: minute_of_day(at, TimeZone::system()),
            at,
        };
        let mut notifications = self.notifications();
        let decision = notifications.policy.decide(&candidate, &settings);
        let session = of.map(|session| session.name.clone()).unwrap_or_default();
        notifications.log.truncate(LOGGED_DECISIONS - 1);
        notifications.log.push_front(NotificationLogEntry { at, session, waiting, occasion, decision });
        decision
    }

    /// Notes that something was asked, for the first time or again.
    pub fn note_asked(&self, waiting: PendingItem) {
        self.notifications().policy.begin(waiting);
    }

    /// Notes that something ended. Returns the notifications to withdraw.
    pub fn note_ended(&self, waiting: PendingItem) -> NotificationRemoval {
        self.notifications().policy.end(waiting)
    }

    /// Returns the first open item of the summary notification.
    pub fn first_in_summary(&self) -> Option<PendingItem> {
        self.notifications().policy.first_summed()
    }

    /// Returns when the pause ends, and that time of day in the local time zone; none if notifications are not paused.
    pub fn paused_until(&self) -> Option<(Timestamp, String)> {
        let end = self.settings().paused_until.end(self.now())?;
        Some((end, minute_of_day(end, TimeZone::system()).to_string()))
    }

    /// Returns the notification log, newest first.
    pub fn notification_log(&self) -> Vec<NotificationLogEntry> {
        self.notifications().log.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{SessionNotifications, SessionState, Settings};
    use serde_json::json;

    use super::*;
    use crate::View;
    use crate::fixtures::{desk, request_id, session, session_id};

    fn asked(n: u128) -> NotificationCause {
        let item = PendingItem::Question(request_id(n));
        NotificationCause::Pending { item, reminder: false, by_subagent: false }
    }

    #[test]
    fn the_last_fifty_decisions_are_read_newest_first_each_with_its_reason() {
        let (desk, session) = (desk(Settings::default()), session(SessionState::Idle));
        assert_eq!(desk.notification_log(), []);
        let decide = |n| desk.decide_notification(asked(n), Some(&session));
        decide(1);
        decide(1);
        let log = serde_json::to_value(desk.notification_log()).unwrap();
        assert_eq!(log[0]["decision"], json!({"decision": "nothing", "why": "before"}));
        assert_eq!(log[1]["decision"], json!({"decision": "notify", "why": "whole"}));
        assert_eq!(log[1]["session"], json!(session.name));
        assert_eq!(log[1]["waiting"], json!({"what": "question", "id": request_id(1)}));
        for n in 100..160 {
            decide(n);
        }
        assert_eq!(desk.notification_log().len(), 50);
    }

    #[test]
    fn case_37_the_session_in_view_causes_no_notification_and_a_muted_one_only_counts() {
        let (desk, mut session) = (desk(Settings::default()), session(SessionState::Idle));
        let why = |n, session: &Session| {
            serde_json::to_value(desk.decide_notification(asked(n), Some(session))).unwrap()["why"].clone()
        };
        desk.note_view(View { session: Some(session_id(1)), focused: true });
        assert_eq!(why(1, &session), "in_view");
        desk.note_view(View { session: Some(session_id(1)), focused: false });
        assert_eq!(why(2, &session), "whole");
        session.notifications = SessionNotifications { muted: true, private: false };
        assert_eq!(why(3, &session), "muted");
    }
}
