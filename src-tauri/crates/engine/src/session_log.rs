//! The session log: raw and rejected lines of the agent, and actions of the app.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use askdesk_domain::text::cut_at;
use askdesk_domain::{SessionId, Timestamp};
use serde::{Deserialize, Serialize};

/// How many lines a session's log keeps.
pub const LOG_LINES: usize = 2_000;

/// How much of one line is kept, in bytes.
pub const LOG_LINE_BYTES: usize = 2_048;

/// The source of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum LogKind {
    /// An unusable line of the agent.
    Unusable,
    /// A line of the agent's standard error.
    Stderr,
    Refused,
    Note,
    /// A line that the setup command of a new worktree wrote.
    Setup,
}

/// One line of a session's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct LogLine {
    /// When the line was added.
    pub at: Timestamp,
    pub kind: LogKind,
    /// The text, cut to at most [`LOG_LINE_BYTES`].
    pub text: String,
}

/// The logs of all sessions of this run.
#[derive(Clone, Debug, Default)]
pub struct SessionLogs {
    lines: Arc<Mutex<HashMap<SessionId, VecDeque<LogLine>>>>,
}

impl SessionLogs {
    /// Adds a line, and removes the oldest if there are more than [`LOG_LINES`].
    pub fn add(&self, session: SessionId, at: Timestamp, kind: LogKind, text: &str) {
        let line = LogLine { at, kind, text: cut_at(text, LOG_LINE_BYTES, " …") };
        let mut all = self.lines();
        let log = all.entry(session).or_default();
        if log.len() == LOG_LINES {
            log.pop_front();
        }
        log.push_back(line);
    }

    pub fn remove(&self, session: SessionId) {
        self.lines().remove(&session);
    }

    /// Returns a session's lines, oldest first.
    pub fn of(&self, session: SessionId) -> Vec<LogLine> {
        self.lines().get(&session).into_iter().flatten().cloned().collect()
    }

    fn lines(&self) -> MutexGuard<'_, HashMap<SessionId, VecDeque<LogLine>>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
