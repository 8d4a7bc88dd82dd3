//! What sessions and days used: tokens and cost.

use askdesk_domain::{SessionId, UsageSum};

use crate::DayBounds;

wire! {
    /// Adds up what a session used. The answer is all zeros for a session without a finished turn.
    struct ReadSessionUsage {
        session: SessionId,
    }

    /// Adds up what was used on some days, in deleted sessions too.
    struct CountUsage {
        /// Counts only this session; none counts all.
        session: Option<SessionId>,
        days: DayBounds,
    }

    struct UsageOfDays {
        days: Vec<UsageSum>,
    }
}

commands! {
    /// Asks an idle agent to make its context smaller.
    struct CompactSession {
        session: SessionId,
    }
}
