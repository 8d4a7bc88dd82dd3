//! The shell's own words for people; everything in the window has its words in the window's catalogue.

/// The app's name.
pub const APP: &str = "Askdesk";

/// The button of a notification that brings up the window.
pub const OPEN: &str = "Open";

/// The title of the dialog that asks where an export goes.
pub const SAVE_EXPORT: &str = "Export session";

/// Says that the app cannot start, and why.
pub fn cannot_start(why: &str) -> String {
    format!("Askdesk cannot start: {why}.\n\nNothing was changed. Put this right and start it again.")
}

/// Follows the first question of several.
pub fn and_more(count: usize) -> String {
    format!("… and {count} more")
}
