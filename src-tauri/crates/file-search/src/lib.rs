//! Finds files and folders by parts of their paths, as a user names them in a message.

mod cache;
mod listing;

pub use cache::{Found, ListingCache};
pub use listing::{LISTED_FILES, Listing};
