//! Notifications by numbers of our own, for a system that tells none: whatever shows them is asked by number, and says by number
//! what was pressed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use super::contract::{About, Clicked, Notifier, Posted, What};

/// The key of a press on the notification itself, as the plugin names it.
const TAP: &str = "tap";

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
    shown: Shown,
}

/// What stands, for those who hear of presses.
#[derive(Clone, Default)]
pub struct Shown(Arc<Mutex<HashMap<i32, Posted>>>);

impl Shown {
    /// Tells of a press, if it means something: of one notification the first alone does.
    pub fn pressed(&self, number: Option<i32>, key: &str, clicks: &mpsc::UnboundedSender<Clicked>) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let what = number.and_then(|number| shown.get(&number)).and_then(|posted| {
            let offered = |what: &What| posted.buttons.iter().any(|button| button.what == *what);
            if key == TAP { Some(What::Open) } else { What::of_key(key).filter(offered) }
        });
        let posted = number.filter(|_| what.is_some()).and_then(|number| shown.remove(&number));
        drop(shown);
        match (posted, what) {
            // Nobody listens any more when the app ends.
            (Some(posted), Some(what)) => drop(clicks.send(Clicked { about: posted.about, what })),
            _ => tracing::warn!(?number, key, "a press that means nothing any more: nothing is done"),
        }
    }
}

impl<S: Screen> Numbered<S> {
    /// Shows on a screen, whose presses go to what stands.
    pub fn new(screen: S, shown: Shown) -> Self {
        Self { screen, last: 0, shown }
    }
}

impl<S: Screen> Notifier for Numbered<S> {
    fn post(&mut self, mut posted: Posted) {
        self.withdraw(posted.about);
        self.last = self.last.wrapping_add(1);
        // macOS puts several buttons into a menu whose own button means the first of them, so that must answer nothing.
        posted.buttons.sort_by_key(|button| button.what != What::Open);
        self.shown.0.lock().unwrap_or_else(PoisonError::into_inner).insert(self.last, posted.clone());
        self.screen.show(self.last, posted);
    }

    fn withdraw(&mut self, about: About) {
        let mut shown = self.shown.0.lock().unwrap_or_else(PoisonError::into_inner);
        let numbers: Vec<i32> =
            shown.iter().filter(|(_, posted)| posted.about == about).map(|(number, _)| *number).collect();
        shown.retain(|_, posted| posted.about != about);
        drop(shown);
        if !numbers.is_empty() {
            self.screen.remove(numbers);
        }
    }
}

#[cfg(test)]
mod tests;
