//! What a caller is told: words for a model, and the same for a program.

use std::fmt::Display;
use std::time::Duration;

use serde_json::{Value, json};

/// What a call is told that its client has cancelled.
pub const CANCELLED: &str = "The call was cancelled.";
/// What a call is told whose client is gone.
pub const GONE: &str = "The caller is gone.";

/// How a call came to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult {
    pub text: String,
    pub structured: Value,
}

impl CallResult {
    /// Says that a question still waits for the person.
    pub fn open(request: impl Display) -> Self {
        Self {
            text: "The user has not answered yet. The question still waits on their desk: call collect_answer again later, \
                   and do not assume what the answer will be."
                .to_owned(),
            structured: json!({"outcome": "open", "requestId": request.to_string()}),
        }
    }

    /// Says that the desk has gone while a question waits.
    pub fn desk_closed(request: impl Display) -> Self {
        let request = request.to_string();
        Self { text: cut_off(&request), structured: json!({"outcome": "missed", "requestId": request}) }
    }

    /// Says that there is no desk to ask at, so that the model asks by other means.
    pub fn no_desk() -> Self {
        Self {
            text: "No desk is running that could show your questions to the user, so nobody was asked. Ask the user in \
                   plain text in your reply instead, or with another question tool if you have one, and wait for the \
                   answer. Do not assume what it would have been."
                .to_owned(),
            structured: json!({"outcome": "no_desk"}),
        }
    }

    /// Says that there is no desk to collect an answer from; the question may wait there all the same, or be answered.
    pub fn no_desk_to_collect_from() -> Self {
        Self {
            text: "No desk is running now, so no answer could be collected. A question that was asked before is kept, and the \
                   user may have answered it: call collect_answer again later, and do not assume what the answer is."
                .to_owned(),
            structured: json!({"outcome": "no_desk"}),
        }
    }
}

/// Returns the words for a question that was cut off before its end because the desk went away.
pub fn cut_off(request: impl Display) -> String {
    format!("The desk went away before the user answered. {}", kept(request))
}

/// Says what can still become of a question that nobody waits for.
pub fn kept(request: impl Display) -> String {
    format!(
        "The question is kept, and the user can still answer it: ask the same again, or call collect_answer with requestId \"{request}\" later. Do not assume what the answer would have been."
    )
}

/// Returns the words by which a call is refused whose questions cannot be shown.
pub fn refused(refusal: impl Display) -> String {
    format!("The question could not be shown to the user. {refusal}. Repair the call and ask again.")
}

/// Says for how long a person is waited for, as in `2:15`.
pub fn waiting_words(waited: Duration) -> String {
    let seconds = waited.as_secs();
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("waiting for the person, {minutes}:{seconds:02}"),
        hours => format!("waiting for the person, {hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_in_minutes_and_hours() {
        assert_eq!(waiting_words(Duration::from_secs(0)), "waiting for the person, 0:00");
        assert_eq!(waiting_words(Duration::from_secs(135)), "waiting for the person, 2:15");
        assert_eq!(waiting_words(Duration::from_secs(3_735)), "waiting for the person, 1:02:15");
    }

    #[test]
    fn case_41_an_end_without_the_person_never_looks_like_an_answer() {
        let results = [
            CallResult::open("r"),
            CallResult::desk_closed("r"),
            CallResult::no_desk(),
            CallResult::no_desk_to_collect_from(),
        ];
        for result in results {
            assert!(!result.text.contains("has answered"), "{}", result.text);
            assert!(result.text.to_lowercase().contains("do not assume"), "{}", result.text);
            assert_ne!(result.structured["outcome"], "answered");
        }
    }
}
