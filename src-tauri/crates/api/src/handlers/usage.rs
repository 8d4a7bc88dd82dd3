//! Tokens, cost and the daily budget.

use askdesk_contract::*;
use askdesk_domain::{
    NotificationCandidate, NotificationCause, NotificationDecision, Occasion, SessionNotifications,
    Timestamp, Usd,
};
use jiff::tz::TimeZone;

use super::notifications::{minute_of_day, zoned};
use crate::api::Api;

/// A daily budget that was passed just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedBudget {
    /// The budget, in dollars.
    pub dollars: u16,
    /// The cost of the day so far.
    pub cost: Usd,
}

impl Api {
    /// Returns the daily budget if today's cost has passed it, the user wasn't told about this budget today, and the
    /// notification policy allows it now. Like every notification, it is decided once: one that is suppressed is not made up for.
    pub async fn newly_passed_budget(&self) -> Result<Option<PassedBudget>, Error> {
        let settings = self.settings().watch().borrow().clone();
        let Some(dollars) = settings.daily_budget.dollars() else { return Ok(None) };
        let at = self.engine().clock().now();
        let Some((day, bounds)) = day_of(at, TimeZone::system()) else { return Ok(None) };
        let sums = self.engine.usage_of_days(None, bounds).await?;
        let cost = sums.first().and_then(|sum| sum.cost).unwrap_or(Usd::ZERO);
        if !settings.daily_budget.is_passed_by(cost)
            || !self.engine.note_passed_budget(day, settings.daily_budget).await?
        {
            return Ok(None);
        }
        let candidate = NotificationCandidate {
            cause: NotificationCause::PassedBudget,
            session: None,
            notifications: SessionNotifications::default(),
            in_view: None,
            minute: minute_of_day(at, TimeZone::system()),
            at,
        };
        let mut notifications = self.notifications();
        let decision = notifications.policy.decide(&candidate, &settings);
        notifications.log_decision(at, "", None, Occasion::Budget, decision);
        let told = matches!(decision, NotificationDecision::Notify(_));
        Ok(told.then_some(PassedBudget { dollars, cost }))
    }
}

/// Returns the date of a moment in a time zone, and the bounds of that day; none at the end of time.
fn day_of(at: Timestamp, zone: TimeZone) -> Option<(String, DayBounds)> {
    let now = zoned(at, zone);
    let start = now.start_of_day().ok()?;
    let end = now.tomorrow().and_then(|tomorrow| tomorrow.start_of_day()).ok()?;
    let bounds = [start, end].map(|bound| Timestamp::from_millis(bound.timestamp().as_millisecond()));
    Some((now.date().to_string(), bounds.to_vec().try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use rstest::rstest;

    use super::*;

    const HOUR: i64 = 3_600_000;

    #[rstest]
    #[case::utc("UTC", "2023-11-14", 24)]
    #[case::already_the_next_day("Asia/Tokyo", "2023-11-15", 24)]
    fn a_day_is_local(#[case] zone: &str, #[case] day: &str, #[case] hours: i64) {
        // 22:13:20 UTC
        check(1_700_000_000_000, zone, day, hours);
    }

    #[rstest]
    #[case::clocks_go_forward(date(2026, 3, 29), 23)]
    #[case::clocks_go_back(date(2026, 10, 25), 25)]
    fn a_day_on_which_the_clocks_change_is_shorter_or_longer(
        #[case] day: jiff::civil::Date,
        #[case] hours: i64,
    ) {
        let noon = day.at(12, 0, 0, 0).in_tz("Europe/Berlin").unwrap().timestamp().as_millisecond();
        check(noon, "Europe/Berlin", &day.to_string(), hours);
    }

    #[track_caller]
    fn check(at: i64, zone: &str, day: &str, hours: i64) {
        let zone = TimeZone::get(zone).unwrap();
        let (known, bounds) = day_of(Timestamp::from_millis(at), zone).unwrap();
        let bounds: Vec<Timestamp> = bounds.into();
        assert_eq!(known, day);
        assert!(bounds[0].millis() <= at && at < bounds[1].millis());
        assert_eq!(bounds[1].millis() - bounds[0].millis(), hours * HOUR);
    }
}
