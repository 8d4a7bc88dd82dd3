//! The notification policy: decides whether to notify the user about an item, and remembers past notifications.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use crate::do_not_disturb::{MinuteOfDay, SessionNotifications};
use crate::id::{SessionId, Timestamp};
use crate::pending::PendingItem;
use crate::settings::{NotifyQuestions, OnOff, OptIn, Settings};

/// How many notifications of single items can be shown within [`BURST_MILLIS`]; further ones go into a summary.
pub const BURST: usize = 5;

/// How long a notification counts as recent, in milliseconds.
pub const BURST_MILLIS: i64 = 10_000;

/// How many items are remembered; older ones have ended long ago.
const REMEMBERED: usize = 4_096;

/// The reason to notify the user now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Occasion {
    Asked,
    /// It has been open for as long as the user set.
    Reminder,
    /// The session has finished its turn; nothing is waiting because of it.
    Finished,
    /// The day's cost has passed the daily budget.
    Budget,
}

/// A possible notification, before the history of notifications is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotificationCandidate {
    pub cause: NotificationCause,
    /// The session that it is about; none if it is about all of them.
    pub session: Option<SessionId>,
    pub notifications: SessionNotifications,
    /// The session in view: the window shows it and has the focus.
    pub in_view: Option<SessionId>,
    /// The minute of the user's local day.
    pub minute: MinuteOfDay,
    pub at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotificationCause {
    Pending {
        item: PendingItem,
        reminder: bool,
        by_subagent: bool,
    },
    FinishedTurn {
        /// Whether the session itself has a pending item.
        has_pending: bool,
    },
    /// The day's cost has passed the daily budget. The caller makes sure that this happens once a day.
    PassedBudget,
}

/// The recent notifications of other items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recent {
    /// Fewer than [`BURST`].
    Few,
    /// As many as [`BURST`] or more.
    Many,
    /// As many, and a summary that says there are more.
    Summary,
}

/// The result of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", content = "why", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NotificationDecision {
    Notify(NotificationContent),
    /// Only the counts in the window show it.
    BadgeOnly(SuppressedWhy),
    /// Nothing shows it: finished turns are not counted.
    Suppressed(SuppressedWhy),
    Nothing(NotNeededWhy),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NotificationContent {
    /// The session's name and what it asks.
    Whole,
    /// That something is waiting, without its text.
    Private,
    /// That more is waiting than single notifications can show.
    Summary,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SuppressedWhy {
    Never,
    Paused,
    Muted,
    /// Questions of subagents are muted.
    Subagent,
    /// The do not disturb hours apply.
    QuietHours,
    /// A summary that was just shown covers it.
    Summary,
    /// One more of so many recent notifications would hide those of questions.
    Burst,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NotNeededWhy {
    /// It was decided before; a replay changes nothing.
    Before,
    Ended,
    InView,
    /// Something is waiting in that session, so it has not finished.
    Waits,
    /// Notifications of finished turns are off.
    Unwanted,
}

/// Decides whether and how the user is notified. `before` is set if the item has ended or was decided on before.
///
/// A finished turn never hides an item that needs the user: it causes no notification in a burst, or while the session has
/// such an item. A passed budget is not part of any burst, because it happens once a day.
pub fn decide(
    candidate: &NotificationCandidate,
    before: Option<NotNeededWhy>,
    recent: Recent,
    settings: &Settings,
) -> NotificationDecision {
    let (finished, budget) = match candidate.cause {
        NotificationCause::Pending { .. } => (false, false),
        NotificationCause::FinishedTurn { .. } => (true, false),
        NotificationCause::PassedBudget => (false, true),
    };
    let shown = candidate.session.is_some() && candidate.in_view == candidate.session;
    let in_view = || shown.then_some(NotNeededWhy::InView);
    let not_needed = match candidate.cause {
        NotificationCause::Pending { .. } => before,
        NotificationCause::FinishedTurn { .. } if settings.notify_finished == OptIn::Off => {
            Some(NotNeededWhy::Unwanted)
        }
        NotificationCause::FinishedTurn { has_pending } => has_pending.then_some(NotNeededWhy::Waits),
        NotificationCause::PassedBudget => None,
    };
    if let Some(why) = not_needed.or_else(in_view) {
        return NotificationDecision::Nothing(why);
    }
    match (suppressed(candidate, settings), recent) {
        (Some(why), _) if finished || budget => NotificationDecision::Suppressed(why),
        (None, _) if budget => NotificationDecision::Notify(NotificationContent::Whole),
        (Some(why), _) => NotificationDecision::BadgeOnly(why),
        (None, Recent::Few) if candidate.notifications.private => {
            NotificationDecision::Notify(NotificationContent::Private)
        }
        (None, Recent::Few) => NotificationDecision::Notify(NotificationContent::Whole),
        (None, Recent::Many | Recent::Summary) if finished => {
            NotificationDecision::Suppressed(SuppressedWhy::Burst)
        }
        (None, Recent::Many) => NotificationDecision::Notify(NotificationContent::Summary),
        (None, Recent::Summary) => NotificationDecision::BadgeOnly(SuppressedWhy::Summary),
    }
}

fn suppressed(candidate: &NotificationCandidate, settings: &Settings) -> Option<SuppressedWhy> {
    let (asks, by_subagent) = match candidate.cause {
        NotificationCause::Pending { by_subagent, .. } => (true, by_subagent),
        NotificationCause::FinishedTurn { .. } | NotificationCause::PassedBudget => (false, false),
    };
    if asks && settings.notify_questions == NotifyQuestions::Never {
        Some(SuppressedWhy::Never)
    } else if settings.paused_until.end(candidate.at).is_some() {
        Some(SuppressedWhy::Paused)
    } else if candidate.notifications.muted {
        Some(SuppressedWhy::Muted)
    } else if by_subagent && settings.notify_subagents == OnOff::Off {
        Some(SuppressedWhy::Subagent)
    } else if settings.quiet_hours.hold(candidate.minute) {
        Some(SuppressedWhy::QuietHours)
    } else {
        None
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotificationRemoval {
    /// The item's own notification, if it has one.
    Own,
    /// That one and the summary, because this was its last item.
    OwnAndSummary,
}

/// The notifications of this run. No item from an earlier run is still open, so none is shown twice.
#[derive(Clone, Debug, Default)]
pub struct NotificationHistory {
    /// The items that were decided on, and whether that was a reminder.
    decided: BTreeSet<(PendingItem, bool)>,
    /// The same, oldest first.
    order: VecDeque<(PendingItem, bool)>,
    ended: BTreeSet<PendingItem>,
    /// When items caused notifications, and whether a summary covered them.
    recent: VecDeque<(Timestamp, bool)>,
    /// When finished turns caused notifications; they never make a question part of a burst.
    finished: VecDeque<Timestamp>,
    /// The open items of the summary, by the time of their notification.
    summed: BTreeMap<PendingItem, Timestamp>,
}

impl NotificationHistory {
    /// Decides on a candidate: on each item once, and once more for its reminder; on each finished turn.
    pub fn decide(&mut self, candidate: &NotificationCandidate, settings: &Settings) -> NotificationDecision {
        match candidate.cause {
            NotificationCause::Pending { item, reminder, .. } => {
                self.decide_pending(item, reminder, candidate, settings)
            }
            NotificationCause::FinishedTurn { .. } => self.decide_finished(candidate, settings),
            NotificationCause::PassedBudget => decide(candidate, None, Recent::Few, settings),
        }
    }

    fn decide_pending(
        &mut self,
        item: PendingItem,
        reminder: bool,
        candidate: &NotificationCandidate,
        settings: &Settings,
    ) -> NotificationDecision {
        let before = if self.decided.contains(&(item, reminder)) {
            Some(NotNeededWhy::Before)
        } else {
            self.ended.contains(&item).then_some(NotNeededWhy::Ended)
        };
        let decision = decide(candidate, before, self.recent(candidate.at), settings);
        self.remember((item, reminder));
        match decision {
            NotificationDecision::Notify(NotificationContent::Summary)
            | NotificationDecision::BadgeOnly(SuppressedWhy::Summary) => {
                self.summed.insert(item, candidate.at);
                self.recent.push_back((candidate.at, true));
            }
            NotificationDecision::Notify(NotificationContent::Whole | NotificationContent::Private) => {
                self.recent.push_back((candidate.at, false));
            }
            NotificationDecision::BadgeOnly(_)
            | NotificationDecision::Suppressed(_)
            | NotificationDecision::Nothing(_) => {}
        }
        decision
    }

    fn decide_finished(
        &mut self,
        candidate: &NotificationCandidate,
        settings: &Settings,
    ) -> NotificationDecision {
        while self.finished.front().is_some_and(|notified| !is_recent(*notified, candidate.at)) {
            self.finished.pop_front();
        }
        let recent = match self.recent(candidate.at) {
            Recent::Few if self.recent.len() + self.finished.len() >= BURST => Recent::Many,
            recent => recent,
        };
        let decision = decide(candidate, None, recent, settings);
        if let NotificationDecision::Notify(_) = decision {
            self.finished.push_back(candidate.at);
        }
        decision
    }

    /// Notes that an item is open. If it had ended and is asked again, it can cause another notification.
    pub fn begin(&mut self, item: PendingItem) {
        if self.ended.remove(&item) {
            self.decided.remove(&(item, false));
            self.order.retain(|decided| *decided != (item, false));
        }
    }

    /// Notes that an item has ended; returns the notifications to remove.
    pub fn end(&mut self, item: PendingItem) -> NotificationRemoval {
        if self.ended.len() == REMEMBERED {
            self.ended.pop_first();
        }
        self.ended.insert(item);
        match self.summed.remove(&item) {
            Some(_) if self.summed.is_empty() => NotificationRemoval::OwnAndSummary,
            _ => NotificationRemoval::Own,
        }
    }

    /// Returns the oldest open item of the summary.
    pub fn first_summed(&self) -> Option<PendingItem> {
        self.summed.iter().min_by_key(|(_, at)| **at).map(|(item, _)| *item)
    }

    fn recent(&mut self, now: Timestamp) -> Recent {
        while self.recent.front().is_some_and(|(at, _)| !is_recent(*at, now)) {
            self.recent.pop_front();
        }
        if self.recent.len() < BURST {
            Recent::Few
        } else if self.recent.iter().any(|(_, summed)| *summed) && !self.summed.is_empty() {
            Recent::Summary
        } else {
            Recent::Many
        }
    }

    fn remember(&mut self, decided: (PendingItem, bool)) {
        if self.decided.insert(decided) {
            self.order.push_back(decided);
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.decided.remove(&oldest);
        }
    }
}

fn is_recent(at: Timestamp, now: Timestamp) -> bool {
    now.millis().saturating_sub(at.millis()) < BURST_MILLIS
}
