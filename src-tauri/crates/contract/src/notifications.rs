use askdesk_domain::{NotificationDecision, Occasion, PendingItem, Timestamp};

wire! {
    struct ReadNotificationLog {}

    /// The last decisions of this run, newest first.
    struct NotificationLogRead {
        entries: Vec<NotificationLogEntry>,
    }

    /// Whether the user was notified about something, and why.
    struct NotificationLogEntry {
        at: Timestamp,
        /// The session's name; empty for the daily budget.
        session: String,
        /// The question or permission request; none for a finished turn and the daily budget.
        waiting: Option<PendingItem>,
        occasion: Occasion,
        decision: NotificationDecision,
    }
}
