//! The state of the notification policy in this run, and the log of its decisions.

use std::collections::VecDeque;

use askdesk_domain::{NotificationDecision, NotificationHistory, Occasion, PendingItem, Timestamp};

use askdesk_contract::NotificationLogEntry;

/// The most decisions in the notification log.
const LOGGED_DECISIONS: usize = 50;

/// The state of the notification policy in this run, and its log, newest first.
#[derive(Debug, Default)]
pub struct Notifications {
    pub policy: NotificationHistory,
    log: VecDeque<NotificationLogEntry>,
}

impl Notifications {
    pub fn log_decision(
        &mut self,
        at: Timestamp,
        session: &str,
        waiting: Option<PendingItem>,
        occasion: Occasion,
        decision: NotificationDecision,
    ) {
        self.log.truncate(LOGGED_DECISIONS - 1);
        self.log.push_front(NotificationLogEntry {
            at,
            session: session.to_owned(),
            waiting,
            occasion,
            decision,
        });
    }

    /// Returns the log, newest first.
    pub fn log(&self) -> Vec<NotificationLogEntry> {
        self.log.iter().cloned().collect()
    }
}
