//! Tests against a simulated macOS, which stores buttons in categories and looks them up for each click.

use super::super::notifier::contract_tests::{Stage, notification, notifier_tests, request};
use super::super::notifier::{Activation, Notifier};
use super::super::numbered::simulated::{Simulated, System};
use super::super::numbered::{PressHandler, TAP};
use super::*;

const GROUP: &str = "desk";

/// A stored notification: its title and the name of its category.
struct Stored {
    title: String,
    category: String,
}

#[derive(Default)]
struct Macos {
    slots: Slots,
    /// The ids and labels of the buttons. A category replaces an earlier one of the same name.
    categories: HashMap<String, Vec<(String, String)>>,
    shown: HashMap<String, Stored>,
}

impl Macos {
    fn buttons(&self, number: i32) -> &[(String, String)] {
        &self.categories[&self.shown[&name(GROUP, number)].category]
    }
}

impl System for Macos {
    fn show(&mut self, number: i32, notification: Notification) {
        let slot = self.slots.take(number);
        let buttons = notification.buttons.into_iter();
        let buttons: Vec<_> = buttons.map(|it| (button_id(slot, it.action), it.label)).collect();
        let mut ids: Vec<&str> = buttons.iter().map(|(id, _)| id.as_str()).collect();
        ids.sort_unstable();
        let category = ids.join(",");
        self.categories.insert(category.clone(), buttons);
        self.shown.insert(name(GROUP, number), Stored { title: notification.title, category });
    }

    fn remove(&mut self, number: i32) {
        self.slots.free(number);
    }

    fn read(&self, number: i32) -> (String, Vec<String>) {
        let keys = self.buttons(number).iter().map(|(id, _)| key(id).to_owned()).collect();
        (self.shown[&name(GROUP, number)].title.clone(), keys)
    }

    fn press(&mut self, number: i32, pressed: Option<&str>, handler: &PressHandler) -> Option<Activation> {
        let mut keys = self.buttons(number).iter().map(|(id, _)| key(id));
        let pressed = pressed.map_or(TAP, |pressed| keys.find(|key| *key == pressed).unwrap_or(pressed));
        handler.pressed(Some(number), pressed);
        None
    }
}

notifier_tests!(Simulated<Macos>);

#[tokio::test]
async fn a_notification_never_shows_the_options_of_another() {
    let mut macos = Simulated::<Macos>::empty().await;
    let labelled = |number, first: &str| {
        let mut notification = notification(number);
        notification.buttons[0].label = first.to_owned();
        notification
    };
    let labels = |macos: &Simulated<Macos>, number| {
        macos.system.buttons(number).iter().map(|(_, label)| label.clone()).collect::<Vec<_>>()
    };
    macos.notifier.post(labelled(1, "Keep it"));
    macos.notifier.post(labelled(2, "Delete it"));
    let [first, second] = [macos.shown().await.number, macos.shown().await.number];
    assert_eq!(labels(&macos, first), ["Open", "Keep it", "Session"]);
    assert_eq!(labels(&macos, second), ["Open", "Delete it", "Session"]);
}

#[tokio::test]
async fn the_category_of_a_removed_notification_is_reused() {
    let mut macos = Simulated::<Macos>::empty().await;
    for number in 1..=100 {
        macos.notifier.post(notification(number));
        let seen = macos.shown().await;
        macos.notifier.withdraw(request(number));
        macos.gone(seen.number).await;
    }
    assert_eq!(macos.system.categories.len(), 1);
}

#[test]
fn a_slot_is_used_by_one_notification_at_a_time() {
    let mut slots = Slots::default();
    assert_eq!([slots.take(1), slots.take(2), slots.take(3)], [0, 1, 2]);
    slots.free(2);
    slots.free(9);
    assert_eq!([slots.take(4), slots.take(5)], [1, 3]);
}

#[test]
fn notifications_of_an_earlier_run_are_told_from_those_of_other_groups() {
    assert!(is_of("desk", &name("desk", 7)));
    for other in ["", "desk", "desk-12/7", "des/7", "another/7"] {
        assert!(!is_of("desk", other), "{other}");
    }
    assert_eq!(key("3/q1o1"), "q1o1");
    assert_eq!(key("com.apple.something"), "com.apple.something");
}

#[test]
fn a_notification_that_is_withdrawn_before_permission_is_given_is_not_shown() {
    let mut held = BTreeMap::new();
    for command in [
        Command::Show(1, notification(1)),
        Command::Show(2, notification(2)),
        Command::Remove(vec![1, 9]),
        Command::Show(3, notification(3)),
    ] {
        hold(&mut held, command);
    }
    assert_eq!(held.into_keys().collect::<Vec<_>>(), [2, 3]);
}
