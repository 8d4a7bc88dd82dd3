//! Whether the person is told outside the window that something waits: the rule of the domain, with what the desk knows now,
//! and for how long they want to hear nothing.

use std::collections::VecDeque;

use askdesk_domain::{
    Finished, MinuteOfDay, NotNeededWhy, NotificationCandidate, NotificationDecision, NotificationHistory,
    NotificationRemoval, Occasion, OptIn, PausedUntil, PendingItem, Session, Setting, Timestamp,
};
use jiff::tz::TimeZone;
use jiff::{ToSpan, Zoned};

use crate::commands::Commands;
use crate::desk::DeskApi;
use crate::dto::{ChangeSetting, Decided};
use crate::error::Error;

/// How many decisions are remembered for whoever asks why something did not reach them.
const REMEMBERED: usize = 50;

/// The hour of the morning at which "until tomorrow" ends.
const MORNING: i8 = 8;

/// For how long the person wants to hear nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// For an hour from now.
    AnHour,
    /// Until eight in the next morning.
    UntilTomorrow,
    Over,
}

/// What was told in this run, and what was decided last, newest first.
#[derive(Debug, Default)]
pub(crate) struct Tellings {
    told: NotificationHistory,
    last: VecDeque<Decided>,
}

impl Tellings {
    fn remember(
        &mut self,
        at: Timestamp,
        of: &Session,
        waiting: Option<PendingItem>,
        occasion: Occasion,
        telling: NotificationDecision,
    ) {
        self.last.truncate(REMEMBERED - 1);
        self.last.push_front(Decided { at, session: of.name.clone(), waiting, occasion, telling });
    }
}

impl DeskApi {
    /// Decides whether and how the person is told of something that waits.
    pub fn tell(
        &self,
        waiting: PendingItem,
        occasion: Occasion,
        of: &Session,
        by_subagent: bool,
    ) -> NotificationDecision {
        let view = self.view();
        let at = self.engine().source().now();
        let news = NotificationCandidate {
            waiting,
            occasion,
            session: of.id,
            by_subagent,
            attention: of.attention,
            looked_at: view.session.filter(|_| view.focused),
            minute: minute_of_day(at, TimeZone::system()),
            at,
        };
        let settings = self.settings().watch().borrow().clone();
        let mut tellings = self.told();
        let telling = tellings.told.decide(&news, &settings);
        tellings.remember(at, of, Some(waiting), occasion, telling);
        telling
    }

    /// Decides whether the person is told that a session has finished its turn. Who does not want that finds nothing of it among
    /// the last decisions: it would leave no room for what waited.
    pub fn tell_finished(&self, of: &Session, waits: bool) -> NotificationDecision {
        let settings = self.settings().watch().borrow().clone();
        if settings.notify_finished == OptIn::Off {
            return NotificationDecision::Nothing(NotNeededWhy::Unwanted);
        }
        let view = self.view();
        let at = self.engine().source().now();
        let finished = Finished {
            session: of.id,
            waits,
            attention: of.attention,
            looked_at: view.session.filter(|_| view.focused),
            minute: minute_of_day(at, TimeZone::system()),
            at,
        };
        let mut tellings = self.told();
        let telling = tellings.told.decide_finished(&finished, &settings);
        tellings.remember(at, of, None, Occasion::Finished, telling);
        telling
    }

    /// Notes that something waits, for the first time or again.
    pub fn waits(&self, waiting: PendingItem) {
        self.told().told.begin(waiting);
    }

    /// Notes that something waits no more; returns which notification need not stand.
    pub fn told_enough(&self, waiting: PendingItem) -> NotificationRemoval {
        self.told().told.end(waiting)
    }

    /// Returns what a summary spoke of first and still waits.
    pub fn first_summed(&self) -> Option<PendingItem> {
        self.told().told.first_summed()
    }

    /// Keeps quiet for a while, or not any more.
    pub async fn pause(&self, pause: Pause) -> Result<(), Error> {
        let now = self.engine().source().now();
        let until = pause_end(now, pause, TimeZone::system());
        self.change_setting(ChangeSetting { change: Setting::PausedUntil(until) }).await.map(drop)
    }

    /// Returns when a pause ends, and how the person's own clock shows that; none where nothing is paused.
    pub fn paused_until(&self) -> Option<(Timestamp, String)> {
        let until = self.settings().watch().borrow().paused_until;
        let end = until.end(self.engine().source().now())?;
        Some((end, minute_of_day(end, TimeZone::system()).to_string()))
    }

    /// Lists the last decisions, newest first.
    pub(crate) fn last_tellings(&self) -> Vec<Decided> {
        self.told().last.iter().cloned().collect()
    }
}

fn pause_end(now: Timestamp, pause: Pause, zone: TimeZone) -> PausedUntil {
    let end = match pause {
        Pause::AnHour => zoned(now, zone).checked_add(1.hour()),
        Pause::UntilTomorrow => zoned(now, zone)
            .tomorrow()
            .and_then(|day| day.date().at(MORNING, 0, 0, 0).to_zoned(day.time_zone().clone())),
        Pause::Over => return PausedUntil::default(),
    };
    // Nobody's clock stands where an hour more is no time any more.
    end.map_or_else(
        |_| PausedUntil::default(),
        |end| PausedUntil::at(Timestamp::from_millis(end.timestamp().as_millisecond())),
    )
}

fn zoned(at: Timestamp, zone: TimeZone) -> Zoned {
    jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default().to_zoned(zone)
}

fn minute_of_day(at: Timestamp, zone: TimeZone) -> MinuteOfDay {
    let time = zoned(at, zone).time();
    MinuteOfDay::of(u16::from(time.hour().unsigned_abs()), u16::from(time.minute().unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minute_is_that_of_the_persons_own_clock() {
        let at = Timestamp::from_millis(1_700_000_000_000); // 22:13:20 UTC
        let minute = |hours| minute_of_day(at, TimeZone::fixed(jiff::tz::offset(hours))).to_string();
        assert_eq!([minute(0), minute(2), minute(-5)], ["22:13", "00:13", "17:13"]);
    }

    #[test]
    fn a_pause_ends_after_an_hour_or_in_the_next_morning_of_the_persons_own_day() {
        let at = Timestamp::from_millis(1_700_000_000_000); // 22:13:20 UTC on the 14th of November
        let end = |pause, hours| {
            let zone = TimeZone::fixed(jiff::tz::offset(hours));
            let end = pause_end(at, pause, zone.clone()).end(at)?;
            Some(zoned(end, zone).strftime("%d %H:%M:%S").to_string())
        };
        assert_eq!(end(Pause::AnHour, 0).as_deref(), Some("14 23:13:20"));
        assert_eq!(end(Pause::UntilTomorrow, 0).as_deref(), Some("15 08:00:00"));
        assert_eq!(
            end(Pause::UntilTomorrow, 2).as_deref(),
            Some("16 08:00:00"),
            "there it is the 15th already"
        );
        assert_eq!(end(Pause::Over, 0), None);
    }
}
