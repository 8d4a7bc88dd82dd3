//! A notifier over a simulated system.

use std::collections::HashSet;

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::super::notifier::contract_tests::{PATIENCE, Seen, Stage};
use super::super::notifier::{Activation, Notification, Notifier};
use super::queue::{Command, CommandQueue};
use super::{NumberedNotifier, PressHandler};

pub trait System: Default {
    fn show(&mut self, number: i32, notification: Notification);

    fn remove(&mut self, _number: i32) {}

    /// Returns the title and the keys of the buttons of a notification.
    fn read(&self, number: i32) -> (String, Vec<String>);

    /// Presses a button by its key, or the notification itself; returns what the system opens without telling the handler.
    fn press(&mut self, number: i32, key: Option<&str>, handler: &PressHandler) -> Option<Activation>;
}

pub struct Simulated<S> {
    pub system: S,
    pub notifier: NumberedNotifier<CommandQueue>,
    pub handler: PressHandler,
    pub sender: mpsc::UnboundedSender<Activation>,
    pub activations: mpsc::UnboundedReceiver<Activation>,
    commands: mpsc::UnboundedReceiver<Command>,
    removed: HashSet<i32>,
}

impl<S: System> Simulated<S> {
    /// Carries out the next command; returns the number of a notification that is shown.
    async fn serve(&mut self) -> Option<i32> {
        match timeout(PATIENCE, self.commands.recv()).await.expect("a command").unwrap() {
            Command::Show(number, notification) => {
                self.system.show(number, notification);
                Some(number)
            }
            Command::Remove(numbers) => {
                numbers.iter().for_each(|number| self.system.remove(*number));
                self.removed.extend(numbers);
                None
            }
        }
    }
}

impl<S: System> Stage for Simulated<S> {
    type Number = i32;

    async fn empty() -> Self {
        let (queue, commands) = CommandQueue::new();
        let (sender, activations) = mpsc::unbounded_channel();
        let handler = PressHandler::new(&sender);
        let notifier = NumberedNotifier::new(queue, handler.clone());
        let (system, removed) = Default::default();
        Self { system, notifier, handler, sender, activations, commands, removed }
    }

    fn notifier(&mut self) -> &mut dyn Notifier {
        &mut self.notifier
    }

    async fn shown(&mut self) -> Seen<i32> {
        loop {
            let Some(number) = self.serve().await else { continue };
            let (title, keys) = self.system.read(number);
            return Seen { number, title, keys };
        }
    }

    async fn press(&mut self, number: i32, key: Option<&str>) {
        if let Some(activation) = self.system.press(number, key, &self.handler) {
            let _ = self.sender.send(activation);
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
