//! The session log: raw and rejected lines of the agent, and actions of the app.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use askdesk_contract::{LOG_LINE_BYTES, LogKind, LogLine};
use askdesk_domain::text::cut_at;
use askdesk_domain::{SessionId, Timestamp};

/// How many lines a session's log keeps.
pub const LOG_LINES: usize = 2_000;

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
