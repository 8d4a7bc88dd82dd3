//! Ids for macOS notifications and their buttons. macOS stores the buttons of a notification in a category, named after the
//! buttons, and looks them up when it shows the notification. Two notifications that are shown at once must not share a
//! category, or one would show the options of the other. Each notification therefore gets a slot that is part of the
//! buttons' ids. Slots are reused, because macOS is sent the list of all categories each time.

#[cfg(target_os = "macos")]
pub mod center;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use super::notifier::{ButtonAction, Notification};
use super::numbered::queue::Command;

#[derive(Default)]
pub struct Slots(HashMap<i32, u32>);

impl Slots {
    /// Assigns the first free slot to a notification.
    pub fn take(&mut self, number: i32) -> u32 {
        let free = (0..).find(|slot| !self.0.values().any(|taken| taken == slot)).unwrap_or_default();
        self.0.insert(number, free);
        free
    }

    pub fn free(&mut self, number: i32) {
        self.0.remove(&number);
    }
}

pub fn name(group: &str, number: i32) -> String {
    format!("{group}/{number}")
}

/// Returns whether a notification belongs to a group.
pub fn is_of(group: &str, name: &str) -> bool {
    name.strip_prefix(group).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the id of a button of the notification in a slot.
pub fn button_id(slot: u32, action: ButtonAction) -> String {
    format!("{slot}/{action}")
}

/// Returns the action's key in a button's id.
pub fn key(id: &str) -> &str {
    id.split_once('/').map_or(id, |(_, key)| key)
}

/// Applies a command to the notifications that wait for the user's permission.
pub fn hold(held: &mut BTreeMap<i32, Notification>, command: Command) {
    match command {
        Command::Show(number, notification) => drop(held.insert(number, notification)),
        Command::Remove(numbers) => held.retain(|number, _| !numbers.contains(number)),
    }
}
