//! A session's log: the newest lines of what went wrong or was done behind the transcript.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use askdesk_domain::{SessionId, Timestamp};
use serde::{Deserialize, Serialize};

/// How many lines of a session's log are kept.
pub const LOG_LINES: usize = 2_000;

/// How much of one line is kept, in bytes.
pub const LOG_LINE_BYTES: usize = 2_048;

/// What a line of a session's log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum LogKind {
    /// The agent wrote something that could not be used.
    Unusable,
    /// The agent wrote to its error stream.
    Stderr,
    /// A question could not be shown and was refused.
    Refused,
    Note,
}

/// One line of a session's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct LogLine {
    pub at: Timestamp,
    pub kind: LogKind,
    pub text: String,
}

/// The logs of all sessions of this run.
#[derive(Clone, Debug, Default)]
pub struct SessionLogs {
    lines: Arc<Mutex<HashMap<SessionId, VecDeque<LogLine>>>>,
}

impl SessionLogs {
    /// Adds a line; the oldest goes once there are [`LOG_LINES`].
    pub fn add(&self, session: SessionId, at: Timestamp, kind: LogKind, text: &str) {
        let mut end = text.len().min(LOG_LINE_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let cut = if end < text.len() { " …" } else { "" };
        let line = LogLine { at, kind, text: format!("{}{cut}", &text[..end]) };
        let mut all = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let log = all.entry(session).or_default();
        if log.len() == LOG_LINES {
            log.pop_front();
        }
        log.push_back(line);
    }

    /// Forgets a session's lines.
    pub fn forget(&self, session: SessionId) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).remove(&session);
    }

    /// Returns a session's lines, oldest first.
    pub fn of(&self, session: SessionId) -> Vec<LogLine> {
        let all = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&session).map(|log| log.iter().cloned().collect()).unwrap_or_default()
    }
}
