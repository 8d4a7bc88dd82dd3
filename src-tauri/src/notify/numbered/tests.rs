//! Against a backend that keeps to what macOS and Windows do with the plugin: it shows what it is given under our numbers, and a
//! press names number and key.

use tokio::time::timeout;

use super::super::notifier::contract_tests::{self, PATIENCE, Seen, Stage, notification, notifier_tests};
use super::queue::{Command, CommandQueue};
use super::*;

struct Desktop {
    notifier: NumberedNotifier<CommandQueue>,
    presses: PressHandler,
    commands: mpsc::UnboundedReceiver<Command>,
    removed: Vec<i32>,
    _tell: mpsc::UnboundedSender<Activation>,
    activations: mpsc::UnboundedReceiver<Activation>,
}

impl Desktop {
    async fn next_shown(&mut self) -> (i32, Notification) {
        loop {
            match timeout(PATIENCE, self.commands.recv()).await.expect("something is shown").unwrap() {
                Command::Show(number, notification) => return (number, notification),
                Command::Remove(numbers) => self.removed.extend(numbers),
            }
        }
    }
}

impl Stage for Desktop {
    type Number = i32;

    async fn empty() -> Self {
        let (queue, commands) = CommandQueue::new();
        let (tell, activations) = mpsc::unbounded_channel();
        let presses = PressHandler::new(&tell);
        let notifier = NumberedNotifier::new(queue, presses.clone());
        Self { notifier, presses, commands, removed: Vec::new(), _tell: tell, activations }
    }

    fn notifier(&mut self) -> &mut dyn Notifier {
        &mut self.notifier
    }

    async fn shown(&mut self) -> Seen<i32> {
        let (number, notification) = self.next_shown().await;
        let keys = notification.buttons.iter().map(|button| button.action.to_string()).collect();
        Seen { number, title: notification.title, keys }
    }

    async fn press(&mut self, number: i32, key: Option<&str>) {
        self.presses.pressed(Some(number), key.unwrap_or(TAP));
    }

    async fn gone(&mut self, number: i32) {
        while !self.removed.contains(&number) {
            match timeout(PATIENCE, self.commands.recv()).await.expect("it is taken away").unwrap() {
                Command::Remove(numbers) => self.removed.extend(numbers),
                Command::Show(other, _) => panic!("{other} is shown"),
            }
        }
    }

    fn activations(&mut self) -> &mut mpsc::UnboundedReceiver<Activation> {
        &mut self.activations
    }
}

notifier_tests!(Desktop);

#[tokio::test]
async fn the_first_button_answers_nothing_because_macos_takes_its_menu_for_it() {
    let mut desktop = Desktop::empty().await;
    desktop.notifier.post(notification(1));
    let (_, shown) = desktop.next_shown().await;
    let whats: Vec<ButtonAction> = shown.buttons.iter().map(|button| button.action).collect();
    assert_eq!(whats, [ButtonAction::Open, contract_tests::option(0), contract_tests::option(1)]);
}

#[tokio::test]
async fn a_press_without_a_number_means_nothing() {
    let mut desktop = Desktop::empty().await;
    desktop.notifier.post(notification(1));
    desktop.next_shown().await;
    desktop.presses.pressed(None, TAP);
    contract_tests::quiet(&mut desktop.activations).await;
}

#[tokio::test]
async fn what_was_pressed_is_taken_away_with_what_it_is_about() {
    let mut desktop = Desktop::empty().await;
    desktop.notifier.post(notification(1));
    let (number, _) = desktop.next_shown().await;
    desktop.presses.pressed(Some(number), "q1o1");
    desktop.notifier.withdraw(contract_tests::request(1));
    desktop.gone(number).await;
}

#[tokio::test]
async fn nobody_waits_for_clicks_once_who_shows_is_gone() {
    let Desktop { presses, _tell, mut activations, .. } = Desktop::empty().await;
    drop(_tell);
    assert_eq!(timeout(PATIENCE, activations.recv()).await.expect("it ends"), None);
    presses.pressed(Some(1), TAP);
}
