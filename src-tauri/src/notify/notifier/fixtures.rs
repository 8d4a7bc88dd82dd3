//! Notifications for the tests of the notifiers.

use askdesk_domain::{PendingItem, QuestionId, RequestId};
use uuid::Uuid;

use super::{Button, ButtonAction, Notification, Sound, Subject};

pub fn request(number: u128) -> Subject {
    Subject::Item(PendingItem::Question(RequestId::new(Uuid::from_u128(number))))
}

pub fn option(index: usize) -> ButtonAction {
    ButtonAction::Option(QuestionId::at(0).option(index))
}

/// A question with two options and the button that opens.
pub fn notification(number: u128) -> Notification {
    let button = |action, label: &str| Button { action, label: label.to_owned() };
    let buttons =
        vec![button(option(0), "JWT"), button(option(1), "Session"), button(ButtonAction::Open, "Open")];
    Notification {
        subject: request(number),
        title: number.to_string(),
        body: "a < b && c".to_owned(),
        buttons,
        sound: Sound::Off,
    }
}
