//! What every way to show notifications keeps to: one for each thing that waits, taken back by it, and each press is heard once.

use std::fmt;

use askdesk_domain::{OptionId, PendingItem, SessionId};

/// Shows notifications and takes them back. Neither call waits, and neither can fail for its caller: what the system does
/// not take is in the log, and the question stands in the window all the same.
pub trait Notifier: Send {
    /// Shows a notification in the place of the one that is about the same.
    fn post(&mut self, posted: Posted);

    /// Takes back what stands, if anything does.
    fn withdraw(&mut self, about: About);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum About {
    One(PendingItem),
    /// All that is not shown one by one.
    Summary,
    /// A session that has finished its turn; nothing waits by that.
    Finished(SessionId),
}

/// A notification, in words that can be seen; never in markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    pub about: About,
    /// Its first line.
    pub title: String,
    pub body: String,
    /// Its buttons. A press on the notification itself always means [`What::Open`].
    pub buttons: Vec<Button>,
    /// Whether it is heard when it comes.
    pub heard: Heard,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It comes with the sound, where the system plays one.
    Sound,
    /// It comes without any, the system's own included where that can be said.
    Silent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Button {
    pub what: What,
    pub label: String,
}

/// What a press is for; written, it is the key by which the system names it, so that no label ever travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Brings up what waits and answers nothing.
    Open,
    Option(OptionId),
    /// Takes the answer back.
    Undo,
}

impl What {
    /// Reads a key back.
    pub fn of_key(key: &str) -> Option<Self> {
        match key {
            "open" => Some(Self::Open),
            "undo" => Some(Self::Undo),
            other => other.parse().ok().map(Self::Option),
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => f.write_str("open"),
            Self::Option(option) => option.fmt(f),
            Self::Undo => f.write_str("undo"),
        }
    }
}

/// Somebody pressed a notification, or a button of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clicked {
    pub about: About,
    pub what: What,
}

#[cfg(test)]
pub mod kept;

#[cfg(test)]
mod tests {
    use askdesk_domain::QuestionId;

    use super::*;

    #[test]
    fn a_key_is_read_back_as_what_it_was_written_for_and_nothing_else_is_one() {
        for what in [What::Open, What::Undo, What::Option(QuestionId::at(0).option(2))] {
            assert_eq!(What::of_key(&what.to_string()), Some(what));
        }
        for key in ["", "default", "Open", "JWT", "q1", "q0o1", "o"] {
            assert_eq!(What::of_key(key), None, "{key}");
        }
    }
}
