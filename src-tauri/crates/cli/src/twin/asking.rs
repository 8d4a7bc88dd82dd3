//! One question of a client, through whatever happens to the desk while it waits.

use std::time::{Duration, Instant};

use askdesk_tools::CallResult;
use serde_json::Value;

use super::note;
use super::way::Way;
use crate::ask::{FIRST_PAUSE, LONGEST_PAUSE, is_passing};
use crate::ending::Failure;

/// How often a token that was turned down is read again before it is taken for wrong: it may just have been changed.
const TOKEN_TRIES: u32 = 2;

/// Asks, and waits until the question has ended. Where the desk goes meanwhile, it is looked for, and the question is
/// registered again.
pub async fn ask(way: &Way, mut call: Value, patience: Duration) -> Result<CallResult, Failure> {
    let mut wait = Wait { taken: false, gone: None };
    let mut pause = FIRST_PAUSE;
    let mut token_tries = TOKEN_TRIES;
    loop {
        match wait.attempt(way, &mut call).await {
            Ok(Some(result)) => return Ok(result),
            Err(Failure::Denied { status: 401, .. }) if !wait.taken && token_tries > 0 => {
                token_tries -= 1;
                tokio::time::sleep(FIRST_PAUSE).await;
                continue;
            }
            Err(failure) if !(wait.taken && is_passing(&failure)) => return Err(failure),
            Ok(None) | Err(_) => {}
        }
        let since = *wait.gone.get_or_insert_with(|| {
            note("the desk has gone; waiting for it to come back");
            pause = FIRST_PAUSE;
            Instant::now()
        });
        if since.elapsed() >= patience {
            return match call.get("again").and_then(Value::as_str) {
                Some(request) => Ok(CallResult::desk_closed(request)),
                None => Err(Failure::NoDesk("it did not come back".to_owned())),
            };
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// How a call stands with the desk.
struct Wait {
    /// Whether a desk has taken it.
    taken: bool,
    /// Since when there is no desk.
    gone: Option<Instant>,
}

impl Wait {
    /// Asks once; none where the desk has gone before the end.
    async fn attempt(&mut self, way: &Way, call: &mut Value) -> Result<Option<CallResult>, Failure> {
        let mut lines = way.follow("/v1/asks", call).await?;
        self.taken = true;
        while let Some(line) = lines.next().await {
            match line.get("event").and_then(Value::as_str) {
                Some("asked") => {
                    if self.gone.take().is_some() {
                        note("the desk is there again, and so is the question");
                    }
                    if let Some(request) = line.get("requestId") {
                        call["again"] = request.clone();
                    }
                }
                Some("ended") => return told(&line).map(Some),
                // What a later desk says besides is of no concern here.
                _ => {}
            }
        }
        Ok(None)
    }
}

/// Reads what the desk says of an end: words for a model, and the same for a program.
pub fn told(said: &Value) -> Result<CallResult, Failure> {
    match (said.get("text").and_then(Value::as_str), said.get("result")) {
        (Some(text), Some(result)) => Ok(CallResult { text: text.to_owned(), structured: result.clone() }),
        _ => Err(Failure::Unintelligible("an end without a result".to_owned())),
    }
}
