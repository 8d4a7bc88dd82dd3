//! The contract of all notification backends: one notification per subject, withdrawn by its subject, and each activated at
//! most once.

use std::fmt;

use askdesk_domain::{OptionId, PendingItem, SessionId};

/// Posts notifications and withdraws them. Neither call blocks or fails: errors are logged, and the window shows the question
/// anyway.
pub trait Notifier: Send {
    /// Shows a notification in place of the one with the same subject.
    fn post(&mut self, notification: Notification);

    /// Removes the notification with this subject, if there is one.
    fn withdraw(&mut self, subject: Subject);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    Item(PendingItem),
    /// Everything that has no notification of its own.
    Summary,
    /// A finished turn, with nothing pending.
    Finished(SessionId),
    /// The daily budget that was passed.
    Budget,
}

/// The most characters of an agent's text in a notification.
pub const BODY_CHARS: usize = 300;

/// A notification as plain, sanitized text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    pub subject: Subject,
    pub title: String,
    pub body: String,
    /// A click on the notification itself always means [`ButtonAction::Open`].
    pub buttons: Vec<Button>,
    pub sound: Sound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sound {
    On,
    /// No sound, not even the system's own if that can be turned off.
    Off,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Button {
    pub action: ButtonAction,
    pub label: String,
}

/// What a button does. Its string form is the key that backends use, so that labels are never sent back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ButtonAction {
    /// Opens the subject in the window and answers nothing.
    Open,
    Option(OptionId),
    /// Takes back the answer.
    Undo,
}

impl ButtonAction {
    pub fn from_key(key: &str) -> Option<Self> {
        match key {
            "open" => Some(Self::Open),
            "undo" => Some(Self::Undo),
            other => other.parse().ok().map(Self::Option),
        }
    }
}

impl fmt::Display for ButtonAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => f.write_str("open"),
            Self::Option(option) => option.fmt(f),
            Self::Undo => f.write_str("undo"),
        }
    }
}

/// The user clicked a notification or one of its buttons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activation {
    pub subject: Subject,
    pub action: ButtonAction,
    /// Lets the window take the focus by this click (`xdg-activation`, or a startup id of X11). Only Linux has one.
    pub token: Option<String>,
}

impl Activation {
    pub fn new(subject: Subject, action: ButtonAction) -> Self {
        Self { subject, action, token: None }
    }
}

#[cfg(test)]
pub mod fixtures;

#[cfg(test)]
mod tests {
    use askdesk_domain::QuestionId;

    use super::*;

    #[test]
    fn a_key_parses_back_to_its_action_and_nothing_else_parses() {
        for action in
            [ButtonAction::Open, ButtonAction::Undo, ButtonAction::Option(QuestionId::at(0).option(2))]
        {
            assert_eq!(ButtonAction::from_key(&action.to_string()), Some(action));
        }
        for key in ["", "default", "Open", "JWT", "q1", "q0o1", "o"] {
            assert_eq!(ButtonAction::from_key(key), None, "{key}");
        }
    }
}
