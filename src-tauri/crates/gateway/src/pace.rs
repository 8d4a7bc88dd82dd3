//! How much one client may ask: so many calls a minute, and so many at a time.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many calls one client may make in [`WINDOW`].
pub const CALLS_A_WINDOW: usize = 100;
/// How long a call counts.
pub const WINDOW: Duration = Duration::from_secs(60);
/// How many questions of one client may be open at a time.
pub const OPEN_A_CLIENT: usize = 64;
/// How many clients are counted one by one; of more, the idle ones are forgotten.
const KNOWN_CLIENTS: usize = 4_096;

/// Why a call has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooMuch {
    /// Too many calls a minute.
    #[error(
        "at most {CALLS_A_WINDOW} calls a minute are taken from one client; wait {seconds} seconds. Ask several things in one \
         call instead of one by one"
    )]
    TooFast {
        /// How long to wait.
        seconds: u64,
    },
    #[error(
        "{OPEN_A_CLIENT} questions of this client already wait for the user, and no more are taken until some are answered"
    )]
    TooManyOpen,
}

/// Counts the calls of all clients.
#[derive(Clone, Debug, Default)]
pub struct Pace(Arc<Mutex<HashMap<String, Client>>>);

#[derive(Debug, Default)]
struct Client {
    calls: VecDeque<Instant>,
    open: usize,
}

/// One open question, counted until it is dropped.
#[derive(Debug)]
pub struct Counted {
    pace: Pace,
    client: String,
}

impl Pace {
    /// Counts a call, or says how long its client has to wait.
    pub fn call(&self, client: &str, now: Instant) -> Result<(), TooMuch> {
        let mut clients = self.clients();
        if clients.len() >= KNOWN_CLIENTS {
            clients.retain(|_, client| !client.is_idle(now));
        }
        let client = clients.entry(client.to_owned()).or_default();
        client.forget_before(now);
        match client.calls.front() {
            Some(first) if client.calls.len() >= CALLS_A_WINDOW => {
                let left = WINDOW.saturating_sub(now.saturating_duration_since(*first));
                Err(TooMuch::TooFast { seconds: left.as_secs() + 1 })
            }
            _ => {
                client.calls.push_back(now);
                Ok(())
            }
        }
    }

    /// Counts a question as open, until what is returned is dropped.
    pub fn open(&self, name: &str) -> Result<Counted, TooMuch> {
        let mut clients = self.clients();
        let client = clients.entry(name.to_owned()).or_default();
        if client.open >= OPEN_A_CLIENT {
            return Err(TooMuch::TooManyOpen);
        }
        client.open += 1;
        Ok(Counted { pace: self.clone(), client: name.to_owned() })
    }

    /// Says whether a client has nothing open, and has called nothing for a while.
    pub fn is_idle(&self, client: &str, now: Instant) -> bool {
        self.clients().get(client).is_none_or(|client| client.is_idle(now))
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<String, Client>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Client {
    fn forget_before(&mut self, now: Instant) {
        while self.calls.front().is_some_and(|call| now.saturating_duration_since(*call) >= WINDOW) {
            self.calls.pop_front();
        }
    }

    fn is_idle(&self, now: Instant) -> bool {
        let recent = self.calls.back().is_some_and(|call| now.saturating_duration_since(*call) < WINDOW);
        self.open == 0 && !recent
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if let Some(client) = self.pace.clients().get_mut(&self.client) {
            client.open = client.open.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_calls_a_minute_are_taken_from_each_client() {
        let (pace, begin) = (Pace::default(), Instant::now());
        for _ in 0..CALLS_A_WINDOW {
            assert_eq!(pace.call("a", begin), Ok(()));
        }
        let soon = begin + Duration::from_secs(20);
        assert_eq!(pace.call("a", soon), Err(TooMuch::TooFast { seconds: 41 }));
        assert_eq!(pace.call("b", soon), Ok(()));
        assert_eq!(pace.call("a", begin + WINDOW), Ok(()));
    }

    #[test]
    fn a_question_counts_until_it_is_over() {
        let pace = Pace::default();
        let mut open: Vec<_> = (0..OPEN_A_CLIENT).map(|_| pace.open("a").unwrap()).collect();
        assert_eq!(pace.open("a").unwrap_err(), TooMuch::TooManyOpen);
        assert!(pace.open("b").is_ok());
        open.pop();
        assert!(pace.open("a").is_ok());
    }

    #[test]
    fn clients_that_rest_are_forgotten() {
        let (pace, begin) = (Pace::default(), Instant::now());
        let kept = pace.open("open").unwrap();
        for n in 0..KNOWN_CLIENTS {
            pace.call(&n.to_string(), begin).unwrap();
        }
        pace.call("new", begin + WINDOW).unwrap();
        assert_eq!(pace.clients().len(), 2);
        drop(kept);
    }
}
