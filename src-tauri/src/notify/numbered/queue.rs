//! A backend that queues its commands for another thread or task.

use tokio::sync::mpsc;

use super::super::notifier::Notification;
use super::Backend;

#[derive(Debug)]
pub enum Command {
    Show(i32, Notification),
    Remove(Vec<i32>),
}

/// Unbounded, because there is at most one notification per subject.
pub struct CommandQueue(mpsc::UnboundedSender<Command>);

impl CommandQueue {
    pub fn new() -> (Self, mpsc::UnboundedReceiver<Command>) {
        let (sender, commands) = mpsc::unbounded_channel();
        (Self(sender), commands)
    }
}

impl Backend for CommandQueue {
    fn show(&mut self, number: i32, notification: Notification) {
        // The receiver is gone when the app ends.
        let _ = self.0.send(Command::Show(number, notification));
    }

    fn remove(&mut self, numbers: Vec<i32>) {
        let _ = self.0.send(Command::Remove(numbers));
    }
}
