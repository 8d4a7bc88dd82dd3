//! Finds files and folders by parts of their paths, as a user names them in a message.

mod search;
mod walk;

pub use search::{FileSearch, FoundFiles};
