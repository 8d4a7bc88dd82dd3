//! Reads JSON that other programs wrote, as JavaScript and Python understand it.
//!
//! `serde_json` reads first, so its texts cost and mean the same as ever. Only what it refuses is read again, by a reader that
//! goes on wherever it can: a request whose text is broken still has an id to answer.

mod reader;

use serde::de::DeserializeOwned;
use serde_json::Value;

/// The deepest object or array that is read, as in `serde_json`.
pub const DEEPEST: usize = 127;
/// What stands for objects and arrays that are deeper.
pub const TOO_DEEP: &str = "… [nested too deeply to show]";

/// What could be read of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    pub value: Value,
    /// Why the value is not the whole text.
    pub lost: Option<Lost>,
    /// The first key that occurs twice in one object, if the text had to be read again. Its last value counts.
    pub twice: Option<String>,
}

/// Why a part of a text is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    #[error("it is nested too deeply (the limit is {DEEPEST} levels)")]
    Depth,
    /// The value has what could be recognized.
    #[error("it isn't valid JSON")]
    Malformed,
}

/// Reads a text. Half a character becomes U+FFFD, and a number that no float can hold a string of its digits.
pub fn read(text: &[u8]) -> Read {
    match serde_json::from_slice(text) {
        Ok(value) => Read { value, lost: None, twice: None },
        Err(_) => read_again(text),
    }
}

/// Reads a text that `serde_json` refuses.
pub fn read_again(text: &[u8]) -> Read {
    reader::read(&String::from_utf8_lossy(text))
}

/// Reads a text into a type. What is nested too deeply is left out; a malformed text is refused.
pub fn from_slice<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(text).or_else(|error| {
        if error.is_data() {
            return Err(error);
        }
        match read_again(text) {
            Read { lost: Some(Lost::Malformed), .. } => Err(error),
            Read { value, .. } => serde_json::from_value(value),
        }
    })
}
