//! A notifier that gives notifications numbers of its own, for systems that don't report theirs.

#[cfg(any(test, windows, target_os = "macos"))]
pub mod queue;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use super::notifier::{Activation, ButtonAction, Notification, Notifier, Subject};

/// The key of a click on the notification itself, as the plugin names it.
pub const TAP: &str = "tap";

pub trait Backend: Send {
    /// Shows a notification under a number. Its first button answers nothing.
    fn show(&mut self, number: i32, notification: Notification);

    fn remove(&mut self, numbers: Vec<i32>);
}

pub struct NumberedNotifier<S> {
    backend: S,
    last: i32,
    handler: PressHandler,
}

/// Turns presses into activations. It holds the channel weakly: the channel closes when the backend ends.
#[derive(Clone)]
pub struct PressHandler {
    shown: Arc<Mutex<HashMap<i32, ShownNotification>>>,
    activations: mpsc::WeakUnboundedSender<Activation>,
}

struct ShownNotification {
    notification: Notification,
    /// A pressed notification may still be shown.
    pressed: bool,
}

impl PressHandler {
    pub fn new(activations: &mpsc::UnboundedSender<Activation>) -> Self {
        Self { shown: Arc::default(), activations: activations.downgrade() }
    }

    /// Handles a press. Only the first press on a notification counts.
    pub fn pressed(&self, number: Option<i32>, key: &str) {
        let activation = number.and_then(|number| self.take(number, key));
        match (activation, self.activations.upgrade()) {
            // The receiver is gone when the app ends.
            (Some(activation), Some(activations)) => drop(activations.send(activation)),
            (Some(_), None) => {}
            (None, _) => {
                tracing::warn!(?number, key, "an outdated press on a notification was ignored");
            }
        }
    }

    fn take(&self, number: i32, key: &str) -> Option<Activation> {
        let mut shown = self.shown();
        let shown = shown.get_mut(&number).filter(|shown| !shown.pressed)?;
        let offered =
            |action: &ButtonAction| shown.notification.buttons.iter().any(|button| button.action == *action);
        let action =
            if key == TAP { ButtonAction::Open } else { ButtonAction::from_key(key).filter(offered)? };
        shown.pressed = true;
        Some(Activation::new(shown.notification.subject, action))
    }

    fn shown(&self) -> MutexGuard<'_, HashMap<i32, ShownNotification>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Backend> NumberedNotifier<S> {
    pub fn new(backend: S, handler: PressHandler) -> Self {
        Self { backend, last: 0, handler }
    }
}

impl<S: Backend> Notifier for NumberedNotifier<S> {
    fn post(&mut self, mut notification: Notification) {
        self.withdraw(notification.subject);
        self.last = self.last.wrapping_add(1);
        // macOS puts several buttons into a menu whose main button means the first of them, so that one must answer nothing.
        notification.buttons.sort_by_key(|button| button.action != ButtonAction::Open);
        self.handler
            .shown()
            .insert(self.last, ShownNotification { notification: notification.clone(), pressed: false });
        self.backend.show(self.last, notification);
    }

    fn withdraw(&mut self, subject: Subject) {
        let mut numbers = Vec::new();
        self.handler.shown().retain(|number, shown| {
            let matches = shown.notification.subject == subject;
            if matches {
                numbers.push(*number);
            }
            !matches
        });
        if !numbers.is_empty() {
            self.backend.remove(numbers);
        }
    }
}

#[cfg(test)]
mod tests;
