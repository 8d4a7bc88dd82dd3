//! Tests against a system that reports clicks by number and key, as macOS and Windows do with the plugin.

use tokio::time::timeout;

use super::super::notifier::contract_tests::{
    PATIENCE, Stage, notification, notifier_tests, option, quiet, request,
};
use super::simulated::{Simulated, System};
use super::*;

#[derive(Default)]
struct Desktop(HashMap<i32, Notification>);

impl System for Desktop {
    fn show(&mut self, number: i32, notification: Notification) {
        self.0.insert(number, notification);
    }

    fn read(&self, number: i32) -> (String, Vec<String>) {
        let Notification { title, buttons, .. } = &self.0[&number];
        (title.clone(), buttons.iter().map(|button| button.action.to_string()).collect())
    }

    fn press(&mut self, number: i32, key: Option<&str>, handler: &PressHandler) -> Option<Activation> {
        handler.pressed(Some(number), key.unwrap_or(TAP));
        None
    }
}

notifier_tests!(Simulated<Desktop>);

#[tokio::test]
async fn the_first_button_answers_nothing_because_macos_uses_it_for_the_menu() {
    let mut desktop = Simulated::<Desktop>::empty().await;
    desktop.notifier.post(notification(1));
    let shown = desktop.shown().await;
    let expected = [ButtonAction::Open, option(0), option(1)].map(|action| action.to_string());
    assert_eq!(shown.keys, expected);
}

#[tokio::test]
async fn a_press_without_a_number_is_ignored() {
    let mut desktop = Simulated::<Desktop>::empty().await;
    desktop.notifier.post(notification(1));
    desktop.shown().await;
    desktop.handler.pressed(None, TAP);
    quiet(&mut desktop.activations).await;
}

#[tokio::test]
async fn a_pressed_notification_can_be_withdrawn() {
    let mut desktop = Simulated::<Desktop>::empty().await;
    desktop.notifier.post(notification(1));
    let number = desktop.shown().await.number;
    desktop.press(number, Some("q1o1")).await;
    desktop.notifier.withdraw(request(1));
    desktop.gone(number).await;
}

#[tokio::test]
async fn the_channel_closes_when_the_backend_has_ended() {
    let Simulated { handler, sender, mut activations, .. } = Simulated::<Desktop>::empty().await;
    drop(sender);
    assert_eq!(timeout(PATIENCE, activations.recv()).await.expect("the channel closes"), None);
    handler.pressed(Some(1), TAP);
}
