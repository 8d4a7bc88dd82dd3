//! Whether the person is told outside the window that something waits: the rule of the domain, with what the desk knows now.

use std::collections::VecDeque;

use askdesk_domain::{MinuteOfDay, News, Occasion, Session, TakeBack, Telling, Timestamp, Told, Waiting};
use jiff::tz::TimeZone;

use crate::desk::DeskApi;
use crate::dto::Decided;

/// How many decisions are remembered for whoever asks why something did not reach them.
const REMEMBERED: usize = 50;

/// What was told in this run, and what was decided last, newest first.
#[derive(Debug, Default)]
pub(crate) struct Tellings {
    told: Told,
    last: VecDeque<Decided>,
}

impl DeskApi {
    /// Decides whether and how the person is told of something that waits.
    pub fn tell(&self, waiting: Waiting, occasion: Occasion, of: &Session, by_subagent: bool) -> Telling {
        let view = self.view();
        let at = self.engine().source().now();
        let news = News {
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
        tellings.last.truncate(REMEMBERED - 1);
        tellings.last.push_front(Decided { at, session: of.name.clone(), waiting, occasion, telling });
        telling
    }

    /// Notes that something waits no more; returns which notification need not stand.
    pub fn told_enough(&self, waiting: Waiting) -> TakeBack {
        self.told().told.end(waiting)
    }

    /// Returns what a summary spoke of first and still waits.
    pub fn first_summed(&self) -> Option<Waiting> {
        self.told().told.first_summed()
    }

    /// Lists the last decisions, newest first.
    pub(crate) fn last_tellings(&self) -> Vec<Decided> {
        self.told().last.iter().cloned().collect()
    }
}

fn minute_of_day(at: Timestamp, zone: TimeZone) -> MinuteOfDay {
    let time = jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default().to_zoned(zone).time();
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
}
