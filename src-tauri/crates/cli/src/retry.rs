//! Asks a question and waits for its end, also while Askdesk restarts.

use std::time::{Duration, Instant};

use askdesk_client_config::DataFolder;
use serde_json::Value;

use crate::exit::Failure;
use crate::http_client::HttpClient;
use crate::terminal::note;

/// The first pause before Askdesk is looked for again. It doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(3);
/// How often a rejected token is read again. It may just have been rotated.
const TOKEN_RETRIES: u32 = 2;

/// Sends a question, and waits for the event that it has ended. If Askdesk goes away meanwhile, the question is sent again.
pub async fn ask(
    folder: &DataFolder,
    path: &str,
    mut call: Value,
    mut retry: Retry,
) -> Result<Value, Failure> {
    loop {
        let failure = match attempt(folder, path, &mut call, &mut retry).await {
            Ok(Some(ended)) => return Ok(ended),
            Ok(None) => None,
            Err(failure) => Some(failure),
        };
        match retry.next(failure, Instant::now()) {
            Next::Again(pause) => tokio::time::sleep(pause).await,
            Next::GiveUp => {
                let request = call.get("again").and_then(Value::as_str).map(str::to_owned);
                return Err(Failure::Lost { request });
            }
            Next::Fail(failure) => return Err(failure),
        }
    }
}

/// Asks once. Returns `None` if Askdesk goes away before the end.
async fn attempt(
    folder: &DataFolder,
    path: &str,
    call: &mut Value,
    retry: &mut Retry,
) -> Result<Option<Value>, Failure> {
    // The client is made anew each time, because the port and the token may have changed.
    let mut events = HttpClient::for_asking(folder)?.events(path, call).await?;
    retry.accepted();
    while let Some(event) = events.next().await {
        if let Some(ended) = retry.handle(event, call) {
            return Ok(Some(ended));
        }
    }
    Ok(None)
}

/// Decides what happens after each attempt.
#[derive(Debug)]
pub struct Retry {
    patience: Duration,
    /// Whether Askdesk has accepted the call.
    accepted: bool,
    gone_since: Option<Instant>,
    pause: Duration,
    token_retries: u32,
    when_open: Option<&'static str>,
}

/// What happens after an attempt without an end.
#[derive(Debug)]
enum Next {
    /// Try again after a pause.
    Again(Duration),
    /// Askdesk has been gone for too long.
    GiveUp,
    /// Trying again would not help.
    Fail(Failure),
}

impl Retry {
    /// Tries again for so long after Askdesk has gone away.
    pub const fn new(patience: Duration) -> Self {
        let (pause, token_retries) = (FIRST_PAUSE, TOKEN_RETRIES);
        Self { patience, accepted: false, gone_since: None, pause, token_retries, when_open: None }
    }

    /// Prints a note once the question is open.
    pub const fn note_when_open(self, note: &'static str) -> Self {
        Self { when_open: Some(note), ..self }
    }

    const fn accepted(&mut self) {
        self.accepted = true;
    }

    /// Handles an event, and returns it if the question has ended. The next attempt names the request of this one.
    fn handle(&mut self, event: Value, call: &mut Value) -> Option<Value> {
        match event.get("event").and_then(Value::as_str) {
            Some("asked") => {
                if self.gone_since.take().is_some() {
                    note("Askdesk is back, and the question is open again");
                }
                if let Some(words) = self.when_open.take() {
                    note(words);
                }
                if let Some(request) = event.get("requestId") {
                    call["again"] = request.clone();
                }
                None
            }
            Some("ended") => Some(event),
            // Later versions may send other events.
            _ => None,
        }
    }

    fn next(&mut self, failure: Option<Failure>, now: Instant) -> Next {
        match failure {
            Some(Failure::Rejected { status: 401, .. }) if !self.accepted && self.token_retries > 0 => {
                self.token_retries -= 1;
                return Next::Again(FIRST_PAUSE);
            }
            Some(failure) if !(self.accepted && is_temporary(&failure)) => return Next::Fail(failure),
            Some(_) | None => {}
        }
        let since = *self.gone_since.get_or_insert_with(|| {
            note("Askdesk has quit; waiting for it to come back");
            self.pause = FIRST_PAUSE;
            now
        });
        if now.duration_since(since) >= self.patience {
            return Next::GiveUp;
        }
        let pause = self.pause;
        self.pause = (pause * 2).min(LONGEST_PAUSE);
        Next::Again(pause)
    }
}

/// Tells whether a failure may be over once Askdesk is back. A token that was rotated is read again then.
pub const fn is_temporary(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::NotRunning(_) | Failure::Closed(_) | Failure::Rejected { status: 401 | 429 | 503, .. }
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rejected(status: u16) -> Option<Failure> {
        Some(Failure::Rejected { status, message: String::new() })
    }

    fn is_again(next: &Next, millis: u64) -> bool {
        matches!(next, Next::Again(pause) if *pause == Duration::from_millis(millis))
    }

    #[test]
    fn a_rejected_token_is_read_again_before_a_call_fails() {
        let (mut retry, now) = (Retry::new(Duration::from_secs(9)), Instant::now());
        for _ in 0..TOKEN_RETRIES {
            assert!(is_again(&retry.next(rejected(401), now), 200));
        }
        assert!(matches!(retry.next(rejected(401), now), Next::Fail(Failure::Rejected { status: 401, .. })));
    }

    #[test]
    fn a_call_that_was_never_accepted_fails_at_once() {
        let (mut retry, now) = (Retry::new(Duration::from_secs(9)), Instant::now());
        assert!(matches!(retry.next(rejected(503), now), Next::Fail(_)));
        let gone = Some(Failure::NotRunning(String::new()));
        assert!(matches!(retry.next(gone, now), Next::Fail(Failure::NotRunning(_))));
    }

    #[test]
    fn pauses_grow_until_the_patience_ends() {
        let (mut retry, began) = (Retry::new(Duration::from_secs(9)), Instant::now());
        let mut call = json!({});
        retry.accepted();
        let at = |seconds| began + Duration::from_secs(seconds);
        assert!(is_again(&retry.next(None, at(0)), 200));
        for (seconds, pause) in [(1, 400), (2, 800), (3, 1_600), (4, 3_000), (8, 3_000)] {
            assert!(is_again(&retry.next(rejected(503), at(seconds)), pause), "{seconds}");
        }
        // It comes back and goes away once more.
        assert_eq!(retry.handle(json!({"event": "asked", "requestId": "r"}), &mut call), None);
        assert_eq!(call, json!({"again": "r"}));
        assert!(is_again(&retry.next(rejected(401), at(8)), 200));
        assert!(matches!(retry.next(rejected(422), at(8)), Next::Fail(_)));
        assert!(matches!(retry.next(None, at(17)), Next::GiveUp));
    }

    #[test]
    fn only_the_ended_event_ends_a_question() {
        let (mut retry, mut call) = (Retry::new(Duration::ZERO), json!({}));
        for event in ["asked", "waiting", "later"] {
            assert_eq!(retry.handle(json!({ "event": event }), &mut call), None);
        }
        let end = json!({"event": "ended", "result": {}});
        assert_eq!(retry.handle(end.clone(), &mut call), Some(end));
    }
}
