//! Reminders of questions that stay open for as long as the user set. Time is that since a fixed moment, which goes on while the
//! computer sleeps; so it doesn't matter how the system's clock is set.

use std::collections::BTreeMap;
use std::time::Duration;

use askdesk_domain::{ReminderMinutes, RequestId};

use crate::mirror::News;

/// The open questions that have had no reminder, with when they were asked.
#[derive(Debug, Default)]
pub struct Reminders(BTreeMap<RequestId, Duration>);

impl Reminders {
    pub fn note(&mut self, news: &News, at: Duration) {
        match news {
            News::Asked(request) => drop(self.0.insert(*request, at)),
            News::Ended(request) => drop(self.0.remove(request)),
            _ => {}
        }
    }

    /// Returns when the next reminder is due.
    pub fn next(&self, after: ReminderMinutes) -> Option<Duration> {
        Some(*self.0.values().min()? + after.duration()?)
    }

    /// Takes the questions whose reminders are due, each once.
    pub fn take_due(&mut self, after: ReminderMinutes, now: Duration) -> Vec<RequestId> {
        let Some(after) = after.duration() else { return Vec::new() };
        let (due, left) = std::mem::take(&mut self.0).into_iter().partition(|(_, at)| *at + after <= now);
        self.0 = left;
        let due: BTreeMap<RequestId, Duration> = due;
        due.into_keys().collect()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn request(n: u128) -> RequestId {
        RequestId::new(Uuid::from_u128(n))
    }

    fn minutes(minutes: u16) -> ReminderMinutes {
        minutes.try_into().unwrap()
    }

    #[test]
    fn an_open_question_has_one_reminder_after_the_time_that_is_set() {
        let mut reminders = Reminders::default();
        reminders.note(&News::Asked(request(1)), MINUTE);
        reminders.note(&News::Asked(request(2)), 2 * MINUTE);
        assert_eq!(reminders.next(minutes(5)), Some(6 * MINUTE));
        assert_eq!(reminders.take_due(minutes(5), 6 * MINUTE - Duration::from_millis(1)), []);
        assert_eq!(reminders.take_due(minutes(5), 6 * MINUTE), [request(1)]);
        assert_eq!(reminders.take_due(minutes(5), 60 * MINUTE), [request(2)]);
        assert_eq!(
            (reminders.next(minutes(5)), reminders.take_due(minutes(5), 600 * MINUTE)),
            (None, vec![])
        );
    }

    #[test]
    fn a_question_that_was_answered_in_time_has_no_reminder() {
        let mut reminders = Reminders::default();
        reminders.note(&News::Asked(request(1)), MINUTE);
        reminders.note(&News::Ended(request(1)), 2 * MINUTE);
        assert_eq!((reminders.next(minutes(5)), reminders.take_due(minutes(5), 60 * MINUTE)), (None, vec![]));
    }

    #[test]
    fn by_default_there_is_no_reminder_and_one_that_is_set_later_holds_for_open_questions() {
        let mut reminders = Reminders::default();
        reminders.note(&News::Asked(request(1)), MINUTE);
        let never = ReminderMinutes::default();
        assert_eq!((reminders.next(never), reminders.take_due(never, 15 * MINUTE)), (None, vec![]));
        assert_eq!(reminders.next(minutes(15)), Some(16 * MINUTE));
        assert_eq!(reminders.take_due(minutes(15), 16 * MINUTE), [request(1)]);
    }
}
