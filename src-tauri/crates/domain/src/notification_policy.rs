//! Whether the person is told, outside the window, that something waits: the one rule, and what was told before.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use crate::do_not_disturb::{MinuteOfDay, SessionNotifications};
use crate::id::{ApprovalId, RequestId, SessionId, Timestamp};
use crate::settings::{NotifyQuestions, OnOff, OptIn, Settings};

/// How many notifications may stand for one thing each within [`BURST_MILLIS`]; what comes beyond goes into a summary.
pub const BURST: usize = 5;

/// How long what was told counts as just told, in milliseconds.
pub const BURST_MILLIS: i64 = 10_000;

/// How many things are remembered as told; older ones have ended long ago.
const TOLD: usize = 4_096;

/// What waits for the person: a question or a permission, never both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "what", content = "id", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PendingItem {
    Question(RequestId),
    Permission(ApprovalId),
}

/// Why the person might be told now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Occasion {
    Asked,
    /// It has waited for as long as the person set.
    Reminder,
    /// The session has finished its turn; nothing waits by that.
    Finished,
}

/// Everything the rule looks at beside the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyInput {
    /// Why the person might be told now.
    pub occasion: Occasion,
    pub session: SessionId,
    pub by_subagent: bool,
    /// Whether something of it waits that is older; what waits in others changes nothing.
    pub waits: bool,
    pub attention: SessionNotifications,
    /// The session that the window shows, if it has the focus.
    pub looked_at: Option<SessionId>,
    /// The minute of the person's own day.
    pub minute: MinuteOfDay,
    pub at: Timestamp,
    pub before: Before,
    /// What was told in the last [`BURST_MILLIS`].
    pub recent: Recent,
}

/// What was told of the same thing before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    Nothing,
    /// The rule has decided on this occasion, whatever it came to.
    Decided,
    Ended,
}

/// What was told of other things just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recent {
    /// So few notifications that one more can be read.
    Few,
    /// As many as [`BURST`] or more.
    Many,
    /// As many, and a summary that says there are more.
    Summary,
}

/// What the rule comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "telling", content = "why", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NotificationDecision {
    Notify(NotificationContent),
    /// Only the counts say it.
    BadgeOnly(SuppressedWhy),
    /// Nothing says it: what has finished is not counted.
    Untold(SuppressedWhy),
    Nothing(NotNeededWhy),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NotificationContent {
    /// The session's name and what it asks.
    Whole,
    /// That something waits, and nothing of it.
    Private,
    /// That more waits than can be shown one by one.
    Summary,
}

/// Why only the counts say that something waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SuppressedWhy {
    /// The person wants no notifications.
    Never,
    Paused,
    Muted,
    /// A subagent asks, and those are muted.
    Subagent,
    /// It is within the quiet hours.
    QuietHours,
    /// A summary that was just shown speaks of it too.
    Summary,
    /// So many notifications have just come that one more would bury those of questions.
    Burst,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum NotNeededWhy {
    /// It was decided on before; a replay changes nothing.
    Before,
    Ended,
    /// The person looks at that session.
    InView,
    /// Something waits in that session, and a session that waits has not finished.
    Waits,
    /// Nobody wants to hear of it.
    Unwanted,
}

/// Decides whether and how the person is told.
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

/// A session that has finished is told of as long as that buries nothing that waits: never in a burst, and never where it waits itself.
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

/// What might be told of now, before it is known what was told before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotificationCandidate {
    pub waiting: PendingItem,
    /// Why the person might be told now.
    pub occasion: Occasion,
    pub session: SessionId,
    pub by_subagent: bool,
    pub attention: SessionNotifications,
    /// The session that the window shows, if it has the focus.
    pub looked_at: Option<SessionId>,
    /// The minute of the person's own day.
    pub minute: MinuteOfDay,
    pub at: Timestamp,
}

/// A session that has finished its turn, before it is known what was told before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    pub session: SessionId,
    pub waits: bool,
    pub attention: SessionNotifications,
    /// The session that the window shows, if it has the focus.
    pub looked_at: Option<SessionId>,
    /// The minute of the person's own day.
    pub minute: MinuteOfDay,
    pub at: Timestamp,
}

/// A notification that need not stand any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotificationRemoval {
    /// The one that stands for this alone, if any.
    Own,
    /// That one, and the summary: this was the last that it spoke of.
    OwnAndSummary,
}

/// What was told in this run. Nothing that an earlier run told of is still open, so none of it can be told again.
#[derive(Clone, Debug, Default)]
pub struct NotificationHistory {
    decided: BTreeSet<(PendingItem, Occasion)>,
    order: VecDeque<(PendingItem, Occasion)>,
    ended: BTreeSet<PendingItem>,
    recent: VecDeque<(Timestamp, bool)>,
    /// When it was told that a session has finished; that never makes a question part of a burst.
    finished: VecDeque<Timestamp>,
    /// What a summary speaks of and still waits, by when it was told.
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

    /// Decides whether it is told that a session has finished its turn; each turn is news of its own.
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

    /// Notes that something waits. What had its end and is asked again may be told of again, for nothing of it stands any more.
    pub fn begin(&mut self, waiting: PendingItem) {
        if self.ended.remove(&waiting) {
            self.decided.remove(&(waiting, Occasion::Asked));
            self.order.retain(|decided| *decided != (waiting, Occasion::Asked));
        }
    }

    /// Notes that something has its end; returns what need not stand any more.
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

    /// Returns what a summary spoke of first and still waits.
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

/// Says whether what was told at one moment was told just now.
fn just(at: Timestamp, now: Timestamp) -> bool {
    now.millis().saturating_sub(at.millis()) < BURST_MILLIS
}
