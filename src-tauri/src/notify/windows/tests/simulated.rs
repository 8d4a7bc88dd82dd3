//! The contract of notifiers, over the XML that Windows gets and the arguments that it returns.

use std::collections::{HashMap, HashSet};

use super::super::super::notifier::Activation;
use super::super::super::notifier::contract_tests::{notifier_tests, request};
use super::super::super::numbered::PressHandler;
use super::super::super::numbered::simulated::{Simulated, System};
use super::*;

/// Windows, with deep links that lead to this run of the app or to another one.
#[derive(Default)]
struct Windows<const THIS_RUN: bool> {
    shown: HashMap<i32, Vec<Element>>,
    /// Windows removes a notification that is pressed.
    pressed: HashSet<i32>,
}

fn key_of(button: &Element) -> String {
    match button.press() {
        ["protocol", _] => ButtonAction::Open.to_string(),
        [_, arguments] => arguments.to_owned(),
    }
}

impl<const THIS_RUN: bool> System for Windows<THIS_RUN> {
    fn show(&mut self, number: i32, notification: Notification) {
        let links = if THIS_RUN { DeepLinks::ThisRun } else { DeepLinks::OtherRun };
        self.shown.insert(number, read(&xml(&notification, links)));
    }

    fn read(&self, number: i32) -> (String, Vec<String>) {
        let elements = &self.shown[&number];
        (texts(elements)[0].to_owned(), buttons(elements).into_iter().map(key_of).collect())
    }

    fn press(&mut self, number: i32, key: Option<&str>, handler: &PressHandler) -> Option<Activation> {
        if self.pressed.contains(&number) {
            return None;
        }
        let elements = &self.shown[&number];
        let pressed = match key {
            None => Some(&elements[0]),
            Some(key) => buttons(elements).into_iter().find(|it| key_of(it) == key),
        };
        if pressed.is_some() {
            self.pressed.insert(number);
        }
        let [kind, arguments] = pressed.map_or(["foreground", key.unwrap_or_default()], Element::press);
        if kind == "protocol" {
            let id = deep_link::target_of(arguments).expect("a valid deep link");
            return Some(Activation { subject: request(id.as_u128()), action: ButtonAction::Open });
        }
        handler.pressed(Some(number), clicked_key(arguments).expect("no deep link"));
        None
    }
}

mod with_links {
    use super::{Simulated, Windows, notifier_tests};

    notifier_tests!(Simulated<Windows<true>>);
}

mod without_links {
    use super::{Simulated, Windows, notifier_tests};

    notifier_tests!(Simulated<Windows<false>>);
}
