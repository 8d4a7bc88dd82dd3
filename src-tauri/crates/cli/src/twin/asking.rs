//! One question of a client, through whatever happens to the desk while it waits.

use std::time::{Duration, Instant};

use askdesk_mcp_tools::CallResult;
use serde_json::Value;

use super::way::Way;
use crate::ending::Failure;
use crate::wait::{Next, Wait};

/// Asks, and waits until the question has ended. Where the desk goes meanwhile, it is looked for, and the question is
/// registered again.
pub async fn ask(way: &Way, mut call: Value, patience: Duration) -> Result<CallResult, Failure> {
    let mut wait = Wait::new(patience);
    loop {
        let failure = match attempt(way, &mut call, &mut wait).await {
            Ok(Some(end)) => return told(&end),
            Ok(None) => None,
            Err(failure) => Some(failure),
        };
        match wait.next(failure, Instant::now()) {
            Next::Again(pause) => tokio::time::sleep(pause).await,
            Next::GiveUp => {
                return match call.get("again").and_then(Value::as_str) {
                    Some(request) => Ok(CallResult::desk_closed(request)),
                    None => Err(Failure::NoDesk("it did not come back".to_owned())),
                };
            }
            Next::Fail(failure) => return Err(failure),
        }
    }
}

/// Asks once; none where the desk has gone before the end.
async fn attempt(way: &Way, call: &mut Value, wait: &mut Wait) -> Result<Option<Value>, Failure> {
    let mut lines = way.follow("/v1/asks", call).await?;
    wait.taken();
    while let Some(line) = lines.next().await {
        if let Some(end) = wait.heard(line, call) {
            return Ok(Some(end));
        }
    }
    Ok(None)
}

/// Reads what the desk says of an end: words for a model, and the same for a program.
pub fn told(said: &Value) -> Result<CallResult, Failure> {
    match (said.get("text").and_then(Value::as_str), said.get("result")) {
        (Some(text), Some(result)) => Ok(CallResult { text: text.to_owned(), structured: result.clone() }),
        _ => Err(Failure::Unintelligible("an end without a result".to_owned())),
    }
}
