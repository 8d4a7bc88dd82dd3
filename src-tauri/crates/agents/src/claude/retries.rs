//! Calls of the model that failed and that Claude Code repeats by itself.

use askdesk_domain::Notice;
use askdesk_domain::text::bounded;
use serde_json::Value;

use super::{ClaudeAdapter, of_subagent};
use crate::adapter::Output;
use crate::event::{Conversation, Retry, RetryBegins};
use crate::json::text;

/// The statuses with which a provider rejects a key or a login.
const REJECTED: [u64; 2] = [401, 403];

impl ClaudeAdapter {
    /// Tells of a retry. The program repeats even a call whose key was rejected, for minutes (measured with 2.1.329).
    pub(super) fn on_retry(&mut self, message: &Value, out: &mut Output) {
        if of_subagent(message) {
            return;
        }
        self.begin_turn(out);
        let number = |name: &str| message.get(name).and_then(Value::as_u64);
        let small = |name: &str| number(name).and_then(|number| number.try_into().ok());
        let status = number("error_status");
        let reason = reason(text(message, "error").unwrap_or("unknown"), status);
        if status.is_some_and(|status| REJECTED.contains(&status)) && !self.login_rejected {
            self.login_rejected = true;
            out.notice(Notice::LoginRejected { error: reason.clone() });
        }
        let begins = number("retry_delay_ms").map_or(RetryBegins::Unknown, RetryBegins::InMillis);
        let retry = Retry { attempt: small("attempt"), of: small("max_retries"), reason, begins };
        out.event(Conversation::Retrying { retry });
    }
}

/// Makes a phrase of the program's word for an error: `rate_limit` with 429 is *Rate limit (429)*.
fn reason(word: &str, status: Option<u64>) -> String {
    let words = if word == "unknown" { "unknown error".to_owned() } else { word.replace('_', " ") };
    let mut chars = words.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let words = format!("{first}{}", chars.as_str());
    bounded(&match status {
        Some(status) => format!("{words} ({status})"),
        None => words,
    })
}
