//! Limits how many calls a client can make per minute, and how many questions it can have open.
//!
//! `governor` doesn't fit: it is a token bucket, which accepts up to twice the limit in a minute and asks callers to retry after
//! less than a second. It doesn't count open questions either, which needs the same table of clients.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many calls one client can make in [`WINDOW`].
pub const MAX_CALLS: usize = 100;
/// How long a call counts.
const WINDOW: Duration = Duration::from_secs(60);
/// How many questions of one client can be open at a time.
pub const MAX_OPEN_QUESTIONS: usize = 64;
/// How many questions of all clients can be open at a time: a client may give itself a new name for each.
const MAX_OPEN_IN_ALL: usize = 512;
/// How many clients are kept before idle ones are removed.
const MAX_CLIENTS: usize = 4_096;

/// Why a call is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RateLimitError {
    #[error(
        "too many calls (the limit is {MAX_CALLS} a minute per client); wait {seconds} seconds. Ask several questions in \
         one call instead of one at a time"
    )]
    Calls {
        /// When the client can try again.
        seconds: u64,
    },
    #[error(
        "too many open questions (the limit is {MAX_OPEN_QUESTIONS} per client); wait until the user has answered some"
    )]
    OpenOfClient,
    #[error(
        "too many open questions (the limit is {MAX_OPEN_IN_ALL} for all clients together); wait until the user has \
         answered some"
    )]
    OpenOfAll,
}

/// The calls and open questions of all clients.
#[derive(Clone, Debug, Default)]
pub struct RateLimits(Arc<Mutex<HashMap<String, Client>>>);

#[derive(Debug, Default)]
struct Client {
    calls: VecDeque<Instant>,
    open: usize,
}

/// An open question. It counts until it is dropped.
#[derive(Debug)]
pub struct OpenQuestion {
    rate_limits: RateLimits,
    client: String,
}

impl RateLimits {
    /// Counts a call, or rejects it.
    pub fn call(&self, client: &str, now: Instant) -> Result<(), RateLimitError> {
        let mut clients = self.clients();
        if clients.len() >= MAX_CLIENTS {
            clients.retain(|_, client| !client.is_idle(now));
        }
        let client = clients.entry(client.to_owned()).or_default();
        client.remove_before(now);
        match client.calls.front() {
            Some(first) if client.calls.len() >= MAX_CALLS => {
                let left = WINDOW.saturating_sub(now.saturating_duration_since(*first));
                Err(RateLimitError::Calls { seconds: left.as_secs() + 1 })
            }
            _ => {
                client.calls.push_back(now);
                Ok(())
            }
        }
    }

    /// Counts a question as open until the returned guard is dropped.
    pub fn open(&self, name: &str) -> Result<OpenQuestion, RateLimitError> {
        let mut clients = self.clients();
        if clients.values().map(|client| client.open).sum::<usize>() >= MAX_OPEN_IN_ALL {
            return Err(RateLimitError::OpenOfAll);
        }
        let client = clients.entry(name.to_owned()).or_default();
        if client.open >= MAX_OPEN_QUESTIONS {
            return Err(RateLimitError::OpenOfClient);
        }
        client.open += 1;
        Ok(OpenQuestion { rate_limits: self.clone(), client: name.to_owned() })
    }

    /// Tells whether a client has no open questions and made no recent calls.
    pub fn is_idle(&self, client: &str, now: Instant) -> bool {
        self.clients().get(client).is_none_or(|client| client.is_idle(now))
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<String, Client>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Client {
    fn remove_before(&mut self, now: Instant) {
        while self.calls.front().is_some_and(|call| now.saturating_duration_since(*call) >= WINDOW) {
            self.calls.pop_front();
        }
    }

    fn is_idle(&self, now: Instant) -> bool {
        let recent = self.calls.back().is_some_and(|call| now.saturating_duration_since(*call) < WINDOW);
        self.open == 0 && !recent
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        if let Some(client) = self.rate_limits.clients().get_mut(&self.client) {
            client.open = client.open.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_can_make_a_hundred_calls_a_minute() {
        let (rate_limits, begin) = (RateLimits::default(), Instant::now());
        for _ in 0..MAX_CALLS {
            assert_eq!(rate_limits.call("a", begin), Ok(()));
        }
        let soon = begin + Duration::from_secs(20);
        assert_eq!(rate_limits.call("a", soon), Err(RateLimitError::Calls { seconds: 41 }));
        assert_eq!(rate_limits.call("b", soon), Ok(()));
        assert_eq!(rate_limits.call("a", begin + WINDOW), Ok(()));
    }

    #[test]
    fn an_open_question_counts_until_it_is_dropped() {
        let rate_limits = RateLimits::default();
        let mut open: Vec<_> = (0..MAX_OPEN_QUESTIONS).map(|_| rate_limits.open("a").unwrap()).collect();
        assert_eq!(rate_limits.open("a").unwrap_err(), RateLimitError::OpenOfClient);
        assert!(rate_limits.open("b").is_ok());
        open.pop();
        assert!(rate_limits.open("a").is_ok());
    }

    #[test]
    fn clients_with_many_names_share_one_limit() {
        let rate_limits = RateLimits::default();
        let mut open: Vec<_> =
            (0..MAX_OPEN_IN_ALL).map(|n| rate_limits.open(&n.to_string()).unwrap()).collect();
        assert_eq!(rate_limits.open("new").unwrap_err(), RateLimitError::OpenOfAll);
        open.pop();
        assert!(rate_limits.open("new").is_ok());
    }

    #[test]
    fn idle_clients_are_removed() {
        let (rate_limits, begin) = (RateLimits::default(), Instant::now());
        let kept = rate_limits.open("open").unwrap();
        for n in 0..MAX_CLIENTS {
            rate_limits.call(&n.to_string(), begin).unwrap();
        }
        rate_limits.call("new", begin + WINDOW).unwrap();
        assert_eq!(rate_limits.clients().len(), 2);
        drop(kept);
    }
}
