//! The daily budget. The engine knows what the day cost, and whether the user was told already.

use askdesk_contract::DayBounds;
use askdesk_domain::{DailyBudget, NotificationCause, NotificationDecision, Usd};
use jiff::tz::TimeZone;

use crate::desk::Desk;
use crate::local_time::day_of;

/// A daily budget that was passed just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedBudget {
    /// The budget, in dollars.
    pub dollars: u16,
    /// The cost of the day so far.
    pub cost: Usd,
}

impl Desk {
    /// Returns the daily budget if today's cost has passed it, `is_news` says so for the date in the user's time zone, and the
    /// notification policy allows it now. Like every notification, it is decided once: one that is suppressed is not made up for.
    pub async fn newly_passed_budget<E>(
        &self,
        cost_of: impl AsyncFnOnce(DayBounds) -> Result<Option<Usd>, E>,
        is_news: impl AsyncFnOnce(String, DailyBudget) -> Result<bool, E>,
    ) -> Result<Option<PassedBudget>, E> {
        let budget = self.settings().daily_budget;
        let Some(dollars) = budget.dollars() else { return Ok(None) };
        let Some((day, bounds)) = day_of(self.now(), TimeZone::system()) else { return Ok(None) };
        let cost = cost_of(bounds).await?.unwrap_or(Usd::ZERO);
        if !budget.is_passed_by(cost) || !is_news(day, budget).await? {
            return Ok(None);
        }
        let decision = self.decide_notification(NotificationCause::PassedBudget, None);
        let told = matches!(decision, NotificationDecision::Notify(_));
        Ok(told.then_some(PassedBudget { dollars, cost }))
    }
}
