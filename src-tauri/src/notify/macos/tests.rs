//! Against a macOS that keeps buttons under a name made of theirs, and looks them up when they are pressed.

use std::collections::HashSet;

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::super::notifier::contract_tests::{self, PATIENCE, Seen, Stage, notification, notifier_tests};
use super::super::notifier::{Activation, Notifier};
use super::super::numbered::queue::CommandQueue;
use super::super::numbered::{NumberedNotifier, PressHandler, TAP};
use super::*;

const GROUP: &str = "desk";

/// A notification as macOS keeps it: its name, and the name under which its buttons are.
struct Kept {
    title: String,
    buttons: String,
}

struct Macos {
    notifier: NumberedNotifier<CommandQueue>,
    commands: mpsc::UnboundedReceiver<Command>,
    presses: PressHandler,
    slots: Slots,
    /// Names and labels of buttons; what comes later under the same name takes the place of what was there.
    sets: HashMap<String, Vec<(String, String)>>,
    shown: HashMap<String, Kept>,
    removed: HashSet<i32>,
    _tell: mpsc::UnboundedSender<Activation>,
    activations: mpsc::UnboundedReceiver<Activation>,
}

impl Macos {
    async fn serve(&mut self) -> Option<i32> {
        match timeout(PATIENCE, self.commands.recv()).await.expect("something is asked of macOS").unwrap() {
            Command::Show(number, notification) => {
                let slot = self.slots.take(number);
                let set: Vec<_> = notification
                    .buttons
                    .into_iter()
                    .map(|it| (button_id(slot, it.action), it.label))
                    .collect();
                let mut names: Vec<&str> = set.iter().map(|(name, _)| name.as_str()).collect();
                names.sort_unstable();
                let buttons = names.join(",");
                self.sets.insert(buttons.clone(), set);
                self.shown.insert(name(GROUP, number), Kept { title: notification.title, buttons });
                Some(number)
            }
            Command::Remove(numbers) => {
                for number in numbers {
                    self.slots.free(number);
                    self.removed.insert(number);
                }
                None
            }
        }
    }

    fn buttons(&self, number: i32) -> &[(String, String)] {
        &self.sets[&self.shown[&name(GROUP, number)].buttons]
    }
}

impl Stage for Macos {
    type Number = i32;

    async fn empty() -> Self {
        let (queue, commands) = CommandQueue::new();
        let (tell, activations) = mpsc::unbounded_channel();
        let presses = PressHandler::new(&tell);
        let notifier = NumberedNotifier::new(queue, presses.clone());
        let (slots, sets, shown, removed) = Default::default();
        Self { notifier, commands, presses, slots, sets, shown, removed, _tell: tell, activations }
    }

    fn notifier(&mut self) -> &mut dyn Notifier {
        &mut self.notifier
    }

    async fn shown(&mut self) -> Seen<i32> {
        loop {
            let Some(number) = self.serve().await else { continue };
            let keys = self.buttons(number).iter().map(|(name, _)| key(name).to_owned()).collect();
            return Seen { number, title: self.shown[&name(GROUP, number)].title.clone(), keys };
        }
    }

    async fn press(&mut self, number: i32, pressed: Option<&str>) {
        let of_key = |pressed: &str| {
            let named = self.buttons(number).iter().find(|(name, _)| key(name) == pressed);
            named.map_or_else(|| pressed.to_owned(), |(name, _)| name.clone())
        };
        match pressed {
            None => self.presses.pressed(Some(number), TAP),
            Some(pressed) => self.presses.pressed(Some(number), key(&of_key(pressed))),
        }
    }

    async fn gone(&mut self, number: i32) {
        while !self.removed.contains(&number) {
            assert_eq!(self.serve().await, None, "nothing more is shown");
        }
    }

    fn activations(&mut self) -> &mut mpsc::UnboundedReceiver<Activation> {
        &mut self.activations
    }
}

notifier_tests!(Macos);

#[tokio::test]
async fn the_options_of_one_question_never_stand_on_another() {
    let mut macos = Macos::empty().await;
    let labelled = |number, first: &str| {
        let mut notification = notification(number);
        notification.buttons[0].label = first.to_owned();
        notification
    };
    let labels = |macos: &Macos, number| {
        macos.buttons(number).iter().map(|(_, label)| label.clone()).collect::<Vec<_>>()
    };
    macos.notifier.post(labelled(1, "Keep it"));
    macos.notifier.post(labelled(2, "Delete it"));
    let [first, second] = [macos.shown().await.number, macos.shown().await.number];
    assert_eq!(labels(&macos, first), ["Open", "Keep it", "Session"]);
    assert_eq!(labels(&macos, second), ["Open", "Delete it", "Session"]);
}

#[tokio::test]
async fn names_of_buttons_are_used_again_once_nothing_stands_under_them() {
    let mut macos = Macos::empty().await;
    for number in 1..=100 {
        macos.notifier.post(notification(number));
        let seen = macos.shown().await;
        macos.notifier.withdraw(contract_tests::request(number));
        macos.gone(seen.number).await;
    }
    assert_eq!(macos.sets.len(), 1);
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
fn what_an_earlier_run_left_is_told_from_what_is_another_desks() {
    assert!(is_of("desk", &name("desk", 7)));
    for other in ["", "desk", "desk-12/7", "des/7", "another/7"] {
        assert!(!is_of("desk", other), "{other}");
    }
    assert_eq!(key("3/q1o1"), "q1o1");
    assert_eq!(key("com.apple.something"), "com.apple.something");
}

#[test]
fn what_is_over_before_the_person_allows_it_is_not_shown_then() {
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
