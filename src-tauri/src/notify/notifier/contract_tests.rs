//! The contract of notifiers on every system; [`notifier_tests`] makes the tests of one.

use std::time::Duration;

use askdesk_domain::{PendingItem, QuestionId, RequestId};
use tokio::sync::mpsc;
use tokio::time::timeout;
use uuid::Uuid;

use super::{Activation, Button, ButtonAction, Notification, Notifier, Sound, Subject};

/// How long a step may take.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// How long nothing may happen.
const QUIET: Duration = Duration::from_millis(200);

/// A system with its notifier, as a user sees it.
pub trait Stage {
    /// The system's id of a notification.
    type Number: Copy + PartialEq + std::fmt::Debug;

    async fn empty() -> Self;

    fn notifier(&mut self) -> &mut dyn Notifier;

    /// Waits until a notification is shown and can be pressed.
    async fn shown(&mut self) -> Seen<Self::Number>;

    /// Presses a button by its key, or the notification itself.
    async fn press(&mut self, number: Self::Number, key: Option<&str>);

    /// Waits until a notification is removed or replaced.
    async fn gone(&mut self, number: Self::Number);

    fn activations(&mut self) -> &mut mpsc::UnboundedReceiver<Activation>;
}

#[derive(Clone, Debug)]
pub struct Seen<N> {
    pub number: N,
    pub title: String,
    pub keys: Vec<String>,
}

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

pub async fn next(activations: &mut mpsc::UnboundedReceiver<Activation>) -> Activation {
    timeout(PATIENCE, activations.recv()).await.expect("a press is reported").unwrap()
}

pub async fn quiet<T: std::fmt::Debug>(of: &mut mpsc::UnboundedReceiver<T>) {
    let more = timeout(QUIET, of.recv()).await;
    assert!(more.is_err(), "{more:?}");
}

pub async fn its_buttons_are_offered_and_a_click_on_the_notification_only_opens<S: Stage>() {
    let mut stage = S::empty().await;
    stage.notifier().post(notification(1));
    let seen = stage.shown().await;
    let mut keys = seen.keys;
    keys.sort_unstable();
    assert_eq!((seen.title.as_str(), keys), ("1", ["open", "q1o1", "q1o2"].map(str::to_owned).to_vec()));
    stage.press(seen.number, None).await;
    assert_eq!(
        next(stage.activations()).await,
        Activation { subject: request(1), action: ButtonAction::Open }
    );
}

pub async fn each_press_has_the_action_of_its_button_and_counts_once<S: Stage>() {
    let mut stage = S::empty().await;
    for (number, key, action) in
        [(1, "q1o1", option(0)), (2, "q1o2", option(1)), (3, "open", ButtonAction::Open)]
    {
        stage.notifier().post(notification(number));
        let seen = stage.shown().await;
        stage.press(seen.number, Some(key)).await;
        stage.press(seen.number, Some(key)).await;
        assert_eq!(next(stage.activations()).await, Activation { subject: request(number), action });
    }
    quiet(stage.activations()).await;
}

pub async fn an_unknown_button_cannot_be_pressed<S: Stage>() {
    let mut stage = S::empty().await;
    stage.notifier().post(notification(1));
    let seen = stage.shown().await;
    for key in ["q1o3", "undo", "JWT", "", "q9o9"] {
        stage.press(seen.number, Some(key)).await;
    }
    quiet(stage.activations()).await;
    stage.press(seen.number, Some("q1o1")).await;
    assert_eq!(next(stage.activations()).await, Activation { subject: request(1), action: option(0) });
}

pub async fn a_notification_replaces_the_earlier_one_of_its_subject<S: Stage>() {
    let mut stage = S::empty().await;
    stage.notifier().post(notification(1));
    let first = stage.shown().await;
    let undo = Button { action: ButtonAction::Undo, label: "Undo".to_owned() };
    stage.notifier().post(Notification {
        title: "Answered".to_owned(),
        buttons: vec![undo],
        ..notification(1)
    });
    let second = stage.shown().await;
    assert_eq!((second.title.as_str(), second.keys.as_slice()), ("Answered", ["undo".to_owned()].as_slice()));
    stage.gone(first.number).await;
    stage.press(first.number, Some("q1o1")).await;
    stage.press(second.number, Some("undo")).await;
    assert_eq!(
        next(stage.activations()).await,
        Activation { subject: request(1), action: ButtonAction::Undo }
    );
    quiet(stage.activations()).await;
}

pub async fn a_withdrawn_notification_is_removed_and_others_stay<S: Stage>() {
    let mut stage = S::empty().await;
    stage.notifier().post(notification(1));
    let first = stage.shown().await;
    stage.notifier().post(notification(2));
    let second = stage.shown().await;
    stage.notifier().withdraw(request(1));
    stage.notifier().withdraw(request(3));
    stage.gone(first.number).await;
    stage.press(first.number, Some("q1o1")).await;
    stage.press(second.number, Some("q1o2")).await;
    assert_eq!(next(stage.activations()).await, Activation { subject: request(2), action: option(1) });
    quiet(stage.activations()).await;
}

pub async fn a_burst_of_sixty_presses_loses_none<S: Stage>() {
    let mut stage = S::empty().await;
    (1..=60).for_each(|number| stage.notifier().post(notification(number)));
    // Notifications that are posted at once may be shown in any order.
    let mut shown = Vec::new();
    for _ in 1..=60 {
        shown.push(stage.shown().await);
    }
    for seen in &shown {
        stage.press(seen.number, Some("q1o2")).await;
    }
    for seen in shown {
        let subject = request(seen.title.parse().unwrap());
        assert_eq!(next(stage.activations()).await, Activation { subject, action: option(1) });
    }
    quiet(stage.activations()).await;
}

macro_rules! notifier_tests {
    ($stage:ty: $($case:ident)+) => {$(
        #[tokio::test]
        async fn $case() {
            $crate::notify::notifier::contract_tests::$case::<$stage>().await;
        }
    )+};
    ($stage:ty) => {
        $crate::notify::notifier::contract_tests::notifier_tests! { $stage:
            its_buttons_are_offered_and_a_click_on_the_notification_only_opens
            each_press_has_the_action_of_its_button_and_counts_once
            an_unknown_button_cannot_be_pressed
            a_notification_replaces_the_earlier_one_of_its_subject
            a_withdrawn_notification_is_removed_and_others_stay
            a_burst_of_sixty_presses_loses_none
        }
    };
}
pub(crate) use notifier_tests;
