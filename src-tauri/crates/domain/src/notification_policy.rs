//! The notification policy: decides whether an item is notified outside the window, and remembers what was.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use crate::do_not_disturb::{MinuteOfDay, SessionNotifications};
use crate::id::{ApprovalId, RequestId, SessionId, Timestamp};
use crate::settings::{NotifyQuestions, OnOff, OptIn, Settings};

/// How many notifications of single items can be shown within [`BURST_MILLIS`]; further ones go into a summary.
pub const BURST: usize = 5;

/// How long a notification counts as recent, in milliseconds.
pub const BURST_MILLIS: i64 = 10_000;

/// How many notified items are remembered; older ones have ended long ago.
const TOLD: usize = 4_096;

/// An item that needs the user: a question or a permission request, never both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "what", content = "id", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PendingItem {
    Question(RequestId),
    Permission(ApprovalId),
}

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
}

/// The input of the policy, besides the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyInput {
    /// The reason to notify the user now.
    pub occasion: Occasion,
    pub session: SessionId,
    pub by_subagent: bool,
    /// Whether an older item of the session is waiting; other sessions don't count.
    pub waits: bool,
    pub attention: SessionNotifications,
    /// The session in view: the window shows it and has the focus.
    pub looked_at: Option<SessionId>,
    /// The minute of the user's local day.
    pub minute: MinuteOfDay,
    pub at: Timestamp,
    pub before: Before,
    /// The notifications of the last [`BURST_MILLIS`].
    pub recent: Recent,
}

/// What was decided on the same item before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    Nothing,
    /// The policy has decided on this occasion, whatever the result.
    Decided,
    Ended,
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
#[serde(tag = "telling", content = "why", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NotificationDecision {
    Notify(NotificationContent),
    /// Only the counts in the window show it.
    BadgeOnly(SuppressedWhy),
    /// Nothing shows it: finished turns are not counted.
    Untold(SuppressedWhy),
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

/// Decides whether and how the user is notified.
pub fn tell(facts: &PolicyInput, settings: &Settings) -> NotificationDecision {
    if facts.occasion == Occasion::Finished {
        return tell_finished(facts, settings);
    }
    match facts.before {
        Before::Decided => return NotificationDecision::Nothing(NotNeededWhy::Before),
        Before::Ended => return NotificationDecision::Nothing(NotNeededWhy::Ended),
        Before::Nothing => {}
    }
    if facts.looked_at == Some(facts.session) {
        return NotificationDecision::Nothing(NotNeededWhy::InView);
    }
    if let Some(why) = silenced(facts, settings) {
        return NotificationDecision::BadgeOnly(why);
    }
    match facts.recent {
        Recent::Summary => NotificationDecision::BadgeOnly(SuppressedWhy::Summary),
        Recent::Many => NotificationDecision::Notify(NotificationContent::Summary),
        Recent::Few if facts.attention.private => NotificationDecision::Notify(NotificationContent::Private),
        Recent::Few => NotificationDecision::Notify(NotificationContent::Whole),
    }
}

/// Decides on a finished turn. It must not hide anything that waits: no notification in a burst, or if the session itself waits.
fn tell_finished(facts: &PolicyInput, settings: &Settings) -> NotificationDecision {
    if settings.notify_finished == OptIn::Off {
        return NotificationDecision::Nothing(NotNeededWhy::Unwanted);
    }
    if facts.waits {
        return NotificationDecision::Nothing(NotNeededWhy::Waits);
    }
    if facts.looked_at == Some(facts.session) {
        return NotificationDecision::Nothing(NotNeededWhy::InView);
    }
    if let Some(why) = silenced(facts, settings) {
        return NotificationDecision::Untold(why);
    }
    match facts.recent {
        Recent::Few if facts.attention.private => NotificationDecision::Notify(NotificationContent::Private),
        Recent::Few => NotificationDecision::Notify(NotificationContent::Whole),
        Recent::Many | Recent::Summary => NotificationDecision::Untold(SuppressedWhy::Burst),
    }
}

fn silenced(facts: &PolicyInput, settings: &Settings) -> Option<SuppressedWhy> {
    let asks = facts.occasion != Occasion::Finished;
    if asks && settings.notify_questions == NotifyQuestions::Never {
        Some(SuppressedWhy::Never)
    } else if settings.paused_until.end(facts.at).is_some() {
        Some(SuppressedWhy::Paused)
    } else if facts.attention.muted {
        Some(SuppressedWhy::Muted)
    } else if facts.by_subagent && settings.notify_subagents == OnOff::Off {
        Some(SuppressedWhy::Subagent)
    } else if settings.quiet_hours.hold(facts.minute) {
        Some(SuppressedWhy::QuietHours)
    } else {
        None
    }
}

/// A possible notification, before the history of notifications is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotificationCandidate {
    pub waiting: PendingItem,
    /// The reason to notify the user now.
    pub occasion: Occasion,
    pub session: SessionId,
    pub by_subagent: bool,
    pub attention: SessionNotifications,
    /// The session in view: the window shows it and has the focus.
    pub looked_at: Option<SessionId>,
    /// The minute of the user's local day.
    pub minute: MinuteOfDay,
    pub at: Timestamp,
}

/// A finished turn, before the history of notifications is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    pub session: SessionId,
    pub waits: bool,
    pub attention: SessionNotifications,
    /// The session in view: the window shows it and has the focus.
    pub looked_at: Option<SessionId>,
    /// The minute of the user's local day.
    pub minute: MinuteOfDay,
    pub at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotificationRemoval {
    /// The item's own notification, if it has one.
    Own,
    /// That one and the summary, because this was its last item.
    OwnAndSummary,
}

/// The notifications of this run. No item that an earlier run notified is still open, so none is notified twice.
#[derive(Clone, Debug, Default)]
pub struct NotificationHistory {
    decided: BTreeSet<(PendingItem, Occasion)>,
    order: VecDeque<(PendingItem, Occasion)>,
    ended: BTreeSet<PendingItem>,
    recent: VecDeque<(Timestamp, bool)>,
    /// When finished turns were notified; they never make a question part of a burst.
    finished: VecDeque<Timestamp>,
    /// The waiting items of the summary, by the time of their notification.
    summed: BTreeMap<PendingItem, Timestamp>,
}

impl NotificationHistory {
    pub fn decide(&mut self, news: &NotificationCandidate, settings: &Settings) -> NotificationDecision {
        let NotificationCandidate {
            waiting,
            occasion,
            session,
            by_subagent,
            attention,
            looked_at,
            minute,
            at,
        } = *news;
        let before = self.before(waiting, occasion);
        let recent = self.recent(at);
        let waits = false;
        let facts = PolicyInput {
            occasion,
            session,
            by_subagent,
            waits,
            attention,
            looked_at,
            minute,
            at,
            before,
            recent,
        };
        let telling = tell(&facts, settings);
        self.remember((waiting, occasion));
        match telling {
            NotificationDecision::Notify(NotificationContent::Summary)
            | NotificationDecision::BadgeOnly(SuppressedWhy::Summary) => {
                self.summed.insert(waiting, at);
                self.recent.push_back((at, true));
            }
            NotificationDecision::Notify(NotificationContent::Whole | NotificationContent::Private) => {
                self.recent.push_back((at, false))
            }
            NotificationDecision::BadgeOnly(_)
            | NotificationDecision::Untold(_)
            | NotificationDecision::Nothing(_) => {}
        }
        telling
    }

    /// Decides on a finished turn; each turn is decided on its own.
    pub fn decide_finished(&mut self, finished: &Finished, settings: &Settings) -> NotificationDecision {
        let Finished { session, waits, attention, looked_at, minute, at } = *finished;
        while self.finished.front().is_some_and(|told| !just(*told, at)) {
            self.finished.pop_front();
        }
        let recent = match self.recent(at) {
            Recent::Few if self.recent.len() + self.finished.len() < BURST => Recent::Few,
            Recent::Few | Recent::Many => Recent::Many,
            Recent::Summary => Recent::Summary,
        };
        let (occasion, by_subagent, before) = (Occasion::Finished, false, Before::Nothing);
        let facts = PolicyInput {
            occasion,
            session,
            by_subagent,
            waits,
            attention,
            looked_at,
            minute,
            at,
            before,
            recent,
        };
        let telling = tell(&facts, settings);
        if let NotificationDecision::Notify(_) = telling {
            self.finished.push_back(at);
        }
        telling
    }

    /// Notes that an item is waiting. An item that had ended and is asked again can be notified again: nothing of it is shown any more.
    pub fn begin(&mut self, waiting: PendingItem) {
        if self.ended.remove(&waiting) {
            self.decided.remove(&(waiting, Occasion::Asked));
            self.order.retain(|decided| *decided != (waiting, Occasion::Asked));
        }
    }

    /// Notes that an item has ended; returns the notifications to remove.
    pub fn end(&mut self, waiting: PendingItem) -> NotificationRemoval {
        if self.ended.len() == TOLD {
            self.ended.pop_first();
        }
        self.ended.insert(waiting);
        match self.summed.remove(&waiting) {
            Some(_) if self.summed.is_empty() => NotificationRemoval::OwnAndSummary,
            _ => NotificationRemoval::Own,
        }
    }

    /// Returns the oldest waiting item of the summary.
    pub fn first_summed(&self) -> Option<PendingItem> {
        self.summed.iter().min_by_key(|(_, at)| **at).map(|(waiting, _)| *waiting)
    }

    fn before(&self, waiting: PendingItem, occasion: Occasion) -> Before {
        if self.decided.contains(&(waiting, occasion)) {
            Before::Decided
        } else if self.ended.contains(&waiting) {
            Before::Ended
        } else {
            Before::Nothing
        }
    }

    fn recent(&mut self, now: Timestamp) -> Recent {
        while self.recent.front().is_some_and(|(at, _)| !just(*at, now)) {
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

    fn remember(&mut self, decided: (PendingItem, Occasion)) {
        if self.decided.insert(decided) {
            self.order.push_back(decided);
        }
        if self.order.len() > TOLD
            && let Some(oldest) = self.order.pop_front()
        {
            self.decided.remove(&oldest);
        }
    }
}

/// Returns whether one moment is recent at another.
fn just(at: Timestamp, now: Timestamp) -> bool {
    now.millis().saturating_sub(at.millis()) < BURST_MILLIS
}
