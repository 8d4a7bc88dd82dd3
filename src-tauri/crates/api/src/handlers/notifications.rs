//! Notifications: applies the notification policy to what is known now, keeps the notification log, and pauses.

use askdesk_contract::Error;
use askdesk_domain::{
    MinuteOfDay, NotNeededWhy, NotificationCandidate, NotificationCause, NotificationDecision,
    NotificationRemoval, Occasion, OptIn, PausedUntil, PendingItem, Session, Setting, Timestamp,
};
use jiff::tz::TimeZone;
use jiff::{ToSpan, Zoned};

use crate::api::Api;

/// The hour at which a pause until tomorrow ends.
const MORNING: i8 = 8;

/// How long to pause notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseLength {
    /// One hour from now.
    OneHour,
    /// Until 8:00 the next morning.
    UntilTomorrow,
    Off,
}

impl Api {
    /// Decides whether and how to notify about a session. If notifications about finished turns are off, nothing is logged
    /// about one, because it would crowd out the questions.
    pub fn decide_notification(&self, cause: NotificationCause, of: &Session) -> NotificationDecision {
        let settings = self.settings().watch().borrow().clone();
        if matches!(cause, NotificationCause::FinishedTurn { .. }) && settings.notify_finished == OptIn::Off {
            return NotificationDecision::Nothing(NotNeededWhy::Unwanted);
        }
        let (item, occasion) = match cause {
            NotificationCause::Pending { item, reminder: true, .. } => (Some(item), Occasion::Reminder),
            NotificationCause::Pending { item, .. } => (Some(item), Occasion::Asked),
            NotificationCause::FinishedTurn { .. } => (None, Occasion::Finished),
            NotificationCause::PassedBudget => (None, Occasion::Budget),
        };
        let view = self.view();
        let at = self.engine().clock().now();
        let candidate = NotificationCandidate {
            cause,
            session: Some(of.id),
            notifications: of.notifications,
            in_view: view.session.filter(|_| view.focused),
            minute: minute_of_day(at, TimeZone::system()),
            at,
        };
        let mut notifications = self.notifications();
        let decision = notifications.policy.decide(&candidate, &settings);
        notifications.log_decision(at, &of.name, item, occasion, decision);
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

    pub async fn pause_notifications(&self, length: PauseLength) -> Result<(), Error> {
        let now = self.engine().clock().now();
        let until = pause_end(now, length, TimeZone::system());
        self.change_setting(Setting::PausedUntil(until)).await.map(drop)
    }

    /// Returns when the pause ends, and that time of day in the local time zone; none if notifications are not paused.
    pub fn paused_until(&self) -> Option<(Timestamp, String)> {
        let until = self.settings().watch().borrow().paused_until;
        let end = until.end(self.engine().clock().now())?;
        Some((end, minute_of_day(end, TimeZone::system()).to_string()))
    }
}

fn pause_end(now: Timestamp, length: PauseLength, zone: TimeZone) -> PausedUntil {
    let end = match length {
        PauseLength::OneHour => zoned(now, zone).checked_add(1.hour()),
        PauseLength::UntilTomorrow => zoned(now, zone)
            .tomorrow()
            .and_then(|day| day.date().at(MORNING, 0, 0, 0).to_zoned(day.time_zone().clone())),
        PauseLength::Off => return PausedUntil::default(),
    };
    // The end can only overflow on a clock that is set to the end of time.
    end.map_or_else(
        |_| PausedUntil::default(),
        |end| PausedUntil::at(Timestamp::from_millis(end.timestamp().as_millisecond())),
    )
}

pub(super) fn zoned(at: Timestamp, zone: TimeZone) -> Zoned {
    jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default().to_zoned(zone)
}

pub(super) fn minute_of_day(at: Timestamp, zone: TimeZone) -> MinuteOfDay {
    let time = zoned(at, zone).time();
    MinuteOfDay::of(u16::from(time.hour().unsigned_abs()), u16::from(time.minute().unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minute_of_the_day_is_local_time() {
        let at = Timestamp::from_millis(1_700_000_000_000); // 22:13:20 UTC
        let minute = |hours| minute_of_day(at, TimeZone::fixed(jiff::tz::offset(hours))).to_string();
        assert_eq!([minute(0), minute(2), minute(-5)], ["22:13", "00:13", "17:13"]);
    }

    #[test]
    fn a_pause_ends_after_an_hour_or_the_next_morning_in_local_time() {
        let at = Timestamp::from_millis(1_700_000_000_000); // 22:13:20 UTC on the 14th of November
        let end = |pause, hours| {
            let zone = TimeZone::fixed(jiff::tz::offset(hours));
            let end = pause_end(at, pause, zone.clone()).end(at)?;
            Some(zoned(end, zone).strftime("%d %H:%M:%S").to_string())
        };
        assert_eq!(end(PauseLength::OneHour, 0).as_deref(), Some("14 23:13:20"));
        assert_eq!(end(PauseLength::UntilTomorrow, 0).as_deref(), Some("15 08:00:00"));
        assert_eq!(
            end(PauseLength::UntilTomorrow, 2).as_deref(),
            Some("16 08:00:00"),
            "it is already the 15th there"
        );
        assert_eq!(end(PauseLength::Off, 0), None);
    }
}
