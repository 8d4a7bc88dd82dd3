//! Notifications by numbers of our own, for a system that tells none: whatever shows them is asked by number, and says by number
//! what was pressed.

#[cfg(any(test, windows, target_os = "macos"))]
pub mod queue;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use super::contract::{About, Clicked, Notifier, Posted, What};

/// The key of a press on the notification itself, as the plugin names it.
pub const TAP: &str = "tap";

/// What shows notifications and takes them away.
pub trait Screen: Send {
    /// Shows one under a number. Its first button answers nothing.
    fn show(&mut self, number: i32, posted: Posted);

    /// Takes away what stands under some numbers.
    fn remove(&mut self, numbers: Vec<i32>);
}

/// The notifications of a screen.
pub struct Numbered<S> {
    screen: S,
    last: i32,
    presses: Presses,
}

/// Those who hear of presses on what stands. They keep nobody waiting for more: who shows the notifications holds the other end.
#[derive(Clone)]
pub struct Presses {
    shown: Arc<Mutex<HashMap<i32, Shown>>>,
    clicks: mpsc::WeakUnboundedSender<Clicked>,
}

struct Shown {
    posted: Posted,
    /// Whether it was pressed; it may stand still.
    pressed: bool,
}

impl Presses {
    /// Hears for one who waits for clicks.
    pub fn new(clicks: &mpsc::UnboundedSender<Clicked>) -> Self {
        Self { shown: Arc::default(), clicks: clicks.downgrade() }
    }

    /// Tells of a press, if it means something: of one notification the first alone does.
    pub fn pressed(&self, number: Option<i32>, key: &str) {
        let clicked = number.and_then(|number| self.take(number, key));
        match (clicked, self.clicks.upgrade()) {
            // Nobody listens any more when the app ends.
            (Some(clicked), Some(clicks)) => drop(clicks.send(clicked)),
            (Some(_), None) => {}
            (None, _) => {
                tracing::warn!(?number, key, "a press that means nothing any more: nothing is done");
            }
        }
    }

    fn take(&self, number: i32, key: &str) -> Option<Clicked> {
        let mut shown = self.shown();
        let shown = shown.get_mut(&number).filter(|shown| !shown.pressed)?;
        let offered = |what: &What| shown.posted.buttons.iter().any(|button| button.what == *what);
        let what = if key == TAP { What::Open } else { What::of_key(key).filter(offered)? };
        shown.pressed = true;
        Some(Clicked { about: shown.posted.about, what })
    }

    fn shown(&self) -> MutexGuard<'_, HashMap<i32, Shown>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Screen> Numbered<S> {
    /// Shows on a screen, whose presses go to what stands.
    pub fn new(screen: S, presses: Presses) -> Self {
        Self { screen, last: 0, presses }
    }
}

impl<S: Screen> Notifier for Numbered<S> {
    fn post(&mut self, mut posted: Posted) {
        self.withdraw(posted.about);
        self.last = self.last.wrapping_add(1);
        // macOS puts several buttons into a menu whose own button means the first of them, so that must answer nothing.
        posted.buttons.sort_by_key(|button| button.what != What::Open);
        self.presses.shown().insert(self.last, Shown { posted: posted.clone(), pressed: false });
        self.screen.show(self.last, posted);
    }

    fn withdraw(&mut self, about: About) {
        let mut numbers = Vec::new();
        self.presses.shown().retain(|number, shown| {
            let goes = shown.posted.about == about;
            if goes {
                numbers.push(*number);
            }
            !goes
        });
        if !numbers.is_empty() {
            self.screen.remove(numbers);
        }
    }
}

#[cfg(test)]
mod tests;
