//! Waiting for the end of a question through whatever happens to the desk meanwhile: what comes next, whoever asks.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::ending::Failure;
use crate::terminal::note;

/// How long the first pause is before a desk that has gone is looked for again; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(3);
/// How often secrets that were turned down are read again before they are taken for wrong: they may just have been changed.
const TOKEN_TRIES: u32 = 2;

/// How a call stands with the desk.
#[derive(Debug)]
pub struct Wait {
    patience: Duration,
    taken: bool,
    /// Since when there is no desk.
    gone: Option<Instant>,
    pause: Duration,
    token_tries: u32,
    /// What is said once the question is on the desk.
    to_say: Option<&'static str>,
}

/// What comes after an attempt without an end.
#[derive(Debug)]
pub enum Next {
    /// Another attempt after a pause.
    Again(Duration),
    /// The desk has been away for too long.
    GiveUp,
    Fail(Failure),
}

impl Wait {
    /// Begins to wait; a desk that has gone is waited for so long.
    pub const fn new(patience: Duration) -> Self {
        let (pause, token_tries) = (FIRST_PAUSE, TOKEN_TRIES);
        Self { patience, taken: false, gone: None, pause, token_tries, to_say: None }
    }

    /// Has it said when the question is on the desk.
    pub const fn saying(self, words: &'static str) -> Self {
        Self { to_say: Some(words), ..self }
    }

    /// Notes that a desk has taken the call.
    pub const fn taken(&mut self) {
        self.taken = true;
    }

    /// Takes what the desk says of the question, and returns it where it is the end. The next attempt takes up the request
    /// that it names.
    pub fn heard(&mut self, line: Value, call: &mut Value) -> Option<Value> {
        match line.get("event").and_then(Value::as_str) {
            Some("asked") => {
                if self.gone.take().is_some() {
                    note("the desk is there again, and so is the question");
                }
                if let Some(words) = self.to_say.take() {
                    note(words);
                }
                if let Some(request) = line.get("requestId") {
                    call["again"] = request.clone();
                }
                None
            }
            Some("ended") => Some(line),
            // What a later desk says besides is of no concern here.
            _ => None,
        }
    }

    /// Says what comes after an attempt that failed, or that broke off before the end.
    pub fn next(&mut self, failure: Option<Failure>, now: Instant) -> Next {
        match failure {
            Some(Failure::Denied { status: 401, .. }) if !self.taken && self.token_tries > 0 => {
                self.token_tries -= 1;
                return Next::Again(FIRST_PAUSE);
            }
            Some(failure) if !(self.taken && is_passing(&failure)) => return Next::Fail(failure),
            Some(_) | None => {}
        }
        let since = *self.gone.get_or_insert_with(|| {
            note("the desk has gone; waiting for it to come back");
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

/// Tells whether a failure may be over once the desk is there again.
fn is_passing(failure: &Failure) -> bool {
    // A token that was changed is read anew the next time.
    matches!(failure, Failure::NoDesk(_) | Failure::Denied { status: 401 | 429 | 503, .. })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn denied(status: u16) -> Option<Failure> {
        Some(Failure::Denied { status, message: String::new() })
    }

    fn is_again(next: &Next, millis: u64) -> bool {
        matches!(next, Next::Again(pause) if *pause == Duration::from_millis(millis))
    }

    #[test]
    fn secrets_that_were_just_changed_are_read_again_before_a_call_fails() {
        let (mut wait, now) = (Wait::new(Duration::from_secs(9)), Instant::now());
        for _ in 0..TOKEN_TRIES {
            assert!(is_again(&wait.next(denied(401), now), 200));
        }
        assert!(matches!(wait.next(denied(401), now), Next::Fail(Failure::Denied { status: 401, .. })));
    }

    #[test]
    fn before_a_desk_has_taken_a_call_nothing_is_waited_for() {
        let (mut wait, now) = (Wait::new(Duration::from_secs(9)), Instant::now());
        assert!(matches!(wait.next(denied(503), now), Next::Fail(_)));
        let gone = Some(Failure::NoDesk(String::new()));
        assert!(matches!(wait.next(gone, now), Next::Fail(Failure::NoDesk(_))));
    }

    #[test]
    fn a_desk_that_has_gone_is_looked_for_in_longer_pauses_until_the_patience_ends() {
        let (mut wait, began) = (Wait::new(Duration::from_secs(9)), Instant::now());
        let mut call = json!({});
        wait.taken();
        let at = |seconds| began + Duration::from_secs(seconds);
        assert!(is_again(&wait.next(None, at(0)), 200));
        for (seconds, pause) in [(1, 400), (2, 800), (3, 1_600), (4, 3_000), (8, 3_000)] {
            assert!(is_again(&wait.next(denied(503), at(seconds)), pause), "{seconds}");
        }
        // Back, and gone once more.
        assert_eq!(wait.heard(json!({"event": "asked", "requestId": "r"}), &mut call), None);
        assert_eq!(call, json!({"again": "r"}));
        assert!(is_again(&wait.next(denied(401), at(8)), 200));
        assert!(matches!(wait.next(denied(422), at(8)), Next::Fail(_)));
        assert!(matches!(wait.next(None, at(17)), Next::GiveUp));
    }

    #[test]
    fn only_the_end_is_an_end() {
        let (mut wait, mut call) = (Wait::new(Duration::ZERO), json!({}));
        for event in ["asked", "waiting", "later"] {
            assert_eq!(wait.heard(json!({ "event": event }), &mut call), None);
        }
        let end = json!({"event": "ended", "result": {}});
        assert_eq!(wait.heard(end.clone(), &mut call), Some(end));
    }
}
