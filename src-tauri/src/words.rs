//! The shell's own words for people; everything in the window has its words in the window's catalogue.

use askdesk_api::AtWork;

/// The app's name.
pub const APP: &str = "Askdesk";

/// The button of a notification that brings up the window.
pub const OPEN: &str = "Open";

/// The entry of the tray that brings the window back.
pub const OPEN_WINDOW: &str = "Open Askdesk";

/// The entry of the tray that ends the app.
pub const QUIT_APP: &str = "Quit Askdesk";

/// The title of the question before quitting.
pub const QUIT_TITLE: &str = "Quit Askdesk?";

/// The button that quits.
pub const QUIT: &str = "Quit";

/// The button that does not.
pub const KEEP_RUNNING: &str = "Keep running";

/// Says what quitting would end, and what it would not.
pub fn at_work(AtWork { sessions, questions, approvals }: AtWork) -> String {
    let count = |count: usize, one: &str, more: &str| {
        (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { more }))
    };
    let parts: Vec<String> = [
        count(sessions, "session is at work", "sessions are at work"),
        count(questions, "question waits for you", "questions wait for you"),
        count(approvals, "permission waits for you", "permissions wait for you"),
    ]
    .into_iter()
    .flatten()
    .collect();
    format!(
        "{}.\n\nIf you quit, the agents stop. Their sessions stay on the desk and can be resumed.",
        parts.join(", ")
    )
}

/// The title of the dialog in which files are chosen to go along with a message.
pub const ATTACH: &str = "Attach images and files";

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
