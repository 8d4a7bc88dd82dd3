//! The time limits of open requests: a thread tells the writer when one has passed. Limits follow the engine's clock,
//! never the page's. A request that has timed out can still be answered later.
//!
//! `tokio_util::time::DelayQueue` does not fit: it uses the monotonic clock, which stops while a computer
//! sleeps, and tests could not control it with the engine's clock.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use askdesk_domain::{RequestCommand, RequestId, Timestamp};
use tokio::sync::{mpsc, oneshot};

use crate::clock::Clock;
use crate::error::EngineError;
use crate::mailbox::Input;

/// How long to wait before checking the clock again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A request with its deadline.
pub(crate) type Limited = (Timestamp, RequestId);

/// Watches deadlines until the writer ends; the returned sender accepts new ones.
pub(crate) fn watch(
    inputs: mpsc::WeakSender<Input>,
    clock: Arc<dyn Clock>,
) -> std::io::Result<Sender<Limited>> {
    let (set, received) = channel();
    std::thread::Builder::new()
        .name("desk-limits".to_owned())
        .spawn(move || while_needed(&received, &inputs, &*clock))?;
    Ok(set)
}

fn while_needed(set: &Receiver<Limited>, inputs: &mpsc::WeakSender<Input>, clock: &dyn Clock) {
    let mut waiting: BTreeSet<Limited> = BTreeSet::new();
    loop {
        let next = match waiting.first() {
            None => set.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some((at, _)) => set.recv_timeout(until(*at, clock.now())),
        };
        match next {
            Ok(limited) => {
                waiting.insert(limited);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        while let Some(first) = waiting.first().copied().filter(|(at, _)| *at <= clock.now()) {
            match expire(first.1, inputs, clock) {
                Ok(()) => {
                    waiting.remove(&first);
                }
                Err(EngineError::Closing) => return,
                // The journal could not store it: the request stays open, and the next check tries again.
                Err(error) => {
                    tracing::warn!(%error, "a time limit has passed and could not be noted");
                    std::thread::sleep(LOOK_AGAIN);
                }
            }
        }
    }
}

fn until(at: Timestamp, now: Timestamp) -> Duration {
    let left = u64::try_from(at.millis().saturating_sub(now.millis())).unwrap_or_default();
    Duration::from_millis(left).min(LOOK_AGAIN)
}

/// Asks the writer to end a request; a request that has ended meanwhile doesn't change.
fn expire(
    request: RequestId,
    inputs: &mpsc::WeakSender<Input>,
    clock: &dyn Clock,
) -> Result<(), EngineError> {
    let command = RequestCommand::Expire { request, at: clock.now() }.into();
    let (reply, ended) = oneshot::channel();
    let writer = inputs.upgrade().ok_or(EngineError::Closing)?;
    writer.blocking_send(Input::Act { command, reply }).map_err(|_| EngineError::Closing)?;
    drop(writer);
    match ended.blocking_recv() {
        // An unknown request has no limit to watch.
        Ok(Ok(_) | Err(EngineError::Reject(_))) => Ok(()),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(EngineError::Closing),
    }
}
