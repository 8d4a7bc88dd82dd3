//! The result of a call: text for the model, and JSON for programs.

use std::fmt::Display;
use std::time::Duration;

use serde_json::{Value, json};

/// The error of a call that the client has canceled.
pub const CANCELED: &str = "The call was canceled.";
/// The error of a call whose client has gone.
pub const GONE: &str = "The caller has disconnected.";

#[derive(Clone, Debug, PartialEq)]
pub struct CallResult {
    pub text: String,
    pub structured: Value,
}

impl CallResult {
    /// The question is still open.
    pub fn open(request: impl Display) -> Self {
        Self {
            text: "The user has not answered yet. The question is still open in Askdesk: call collect_answer again later, \
                   and do not assume what the answer will be."
                .to_owned(),
            structured: json!({"outcome": "open", "requestId": request.to_string()}),
        }
    }

    /// Askdesk went away while the question was open.
    pub fn desk_closed(request: impl Display) -> Self {
        let request = request.to_string();
        Self { text: cut_off(&request), structured: json!({"outcome": "missed", "requestId": request}) }
    }

    /// Askdesk isn't running, so the model should ask in another way.
    pub fn no_desk() -> Self {
        Self {
            text: "Askdesk is not running, so it could not show your questions to the user, and nobody was asked. Ask the \
                   user in plain text in your reply instead, or with another question tool if you have one, and wait for \
                   the answer. Do not assume what it would have been."
                .to_owned(),
            structured: json!({"outcome": "no_desk"}),
        }
    }

    /// Askdesk isn't running, so no answer can be collected. The question may be open or answered all the same.
    pub fn no_desk_to_collect_from() -> Self {
        Self {
            text: "Askdesk is not running, so no answer could be collected. An earlier question is still saved, and the \
                   user may have answered it: call collect_answer again later, and do not assume what the answer is."
                .to_owned(),
            structured: json!({"outcome": "no_desk"}),
        }
    }
}

/// Returns the text for a question that was interrupted because Askdesk went away.
pub fn cut_off(request: impl Display) -> String {
    format!("Askdesk quit before the user answered. {}", kept(request))
}

/// Returns the text about a question that nobody waits for any more.
pub fn kept(request: impl Display) -> String {
    format!(
        "The question is saved, and the user can still answer it: ask the same question again, or call collect_answer with \
         requestId \"{request}\" later. Do not assume what the answer would have been."
    )
}

/// Returns the error for a question that can't be shown.
pub fn refused(refusal: impl Display) -> String {
    format!("The question could not be shown to the user. {refusal}. Fix the call and ask again.")
}

/// Formats how long a call has waited, as in `2:15`.
pub fn waiting_words(waited: Duration) -> String {
    let seconds = waited.as_secs();
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("waiting for the user, {minutes}:{seconds:02}"),
        hours => format!("waiting for the user, {hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiting_time_is_formatted_in_minutes_and_hours() {
        assert_eq!(waiting_words(Duration::from_secs(0)), "waiting for the user, 0:00");
        assert_eq!(waiting_words(Duration::from_secs(135)), "waiting for the user, 2:15");
        assert_eq!(waiting_words(Duration::from_secs(3_735)), "waiting for the user, 1:02:15");
    }

    #[test]
    fn case_41_a_result_without_the_user_never_looks_like_an_answer() {
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
