//! The notifications of macOS by names of ours. macOS keeps the buttons of a notification apart from it, under a name that is made
//! of theirs, and looks them up when it shows them: two that stand at once must never share one, or the options of the one
//! would stand on the other. Names are used again, because macOS is told all of them each time.

#[cfg(target_os = "macos")]
pub mod serve;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use super::contract::{Posted, What};
use super::numbered::queue::Wish;

#[derive(Default)]
pub struct Places(HashMap<i32, u32>);

impl Places {
    /// Gives a notification the first place that is free.
    pub fn take(&mut self, number: i32) -> u32 {
        let free = (0..).find(|place| !self.0.values().any(|taken| taken == place)).unwrap_or_default();
        self.0.insert(number, free);
        free
    }

    /// Frees the place of one that is gone.
    pub fn free(&mut self, number: i32) {
        self.0.remove(&number);
    }
}

pub fn name(group: &str, number: i32) -> String {
    format!("{group}/{number}")
}

/// Says whether a notification is of a group.
pub fn is_of(group: &str, name: &str) -> bool {
    name.strip_prefix(group).is_some_and(|rest| rest.starts_with('/'))
}

/// Names a button of the notification in a place.
pub fn button(place: u32, what: What) -> String {
    format!("{place}/{what}")
}

/// Reads the key of a button's name.
pub fn key(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, key)| key)
}

/// Keeps what is to be shown once the person allows it, and forgets what is over by then.
pub fn hold(held: &mut BTreeMap<i32, Posted>, wish: Wish) {
    match wish {
        Wish::Show(number, posted) => drop(held.insert(number, posted)),
        Wish::Remove(numbers) => held.retain(|number, _| !numbers.contains(number)),
    }
}
