//! The deadlines of open requests: a thread that tells the writer when one has passed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use askdesk_domain::{Command, RequestCommand, RequestId, Timestamp};
use tokio::sync::{mpsc, oneshot};

use super::{EngineError, Input};
use crate::clock::Source;

/// How long the clock is trusted while a deadline waits: the thread's own timer stands still while a machine sleeps.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A deadline of a request.
pub(crate) type Limited = (Timestamp, RequestId);

/// Watches deadlines until the writer ends; the sender it returns takes new ones.
pub(crate) fn watch(
    inputs: mpsc::WeakSender<Input>,
    source: Arc<dyn Source>,
) -> std::io::Result<Sender<Limited>> {
    let (set, received) = channel();
    std::thread::Builder::new()
        .name("desk-limits".to_owned())
        .spawn(move || while_needed(&received, &inputs, &*source))?;
    Ok(set)
}

fn while_needed(set: &Receiver<Limited>, inputs: &mpsc::WeakSender<Input>, source: &dyn Source) {
    let mut waiting: BTreeSet<Limited> = BTreeSet::new();
    loop {
        let next = match waiting.first() {
            None => set.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some((at, _)) => set.recv_timeout(until(*at, source.now())),
        };
        match next {
            Ok(limited) => {
                waiting.insert(limited);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        while let Some(first) = waiting.first().copied().filter(|(at, _)| *at <= source.now()) {
            match expire(first.1, inputs, source) {
                Ok(()) => {
                    waiting.remove(&first);
                }
                Err(EngineError::Closing) => return,
                // It could not be written down: the request stays open, and the next look tries again.
                Err(error) => {
                    tracing::warn!(%error, "a limit has passed and could not be noted");
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

/// Asks the writer to end a request; one that has ended meanwhile stays as it is.
fn expire(
    request: RequestId,
    inputs: &mpsc::WeakSender<Input>,
    source: &dyn Source,
) -> Result<(), EngineError> {
    let command = Command::Request(RequestCommand::Expire { request, at: source.now() });
    let (reply, ended) = oneshot::channel();
    let writer = inputs.upgrade().ok_or(EngineError::Closing)?;
    writer.blocking_send(Input::Act { command, reply }).map_err(|_| EngineError::Closing)?;
    drop(writer);
    match ended.blocking_recv() {
        // A request that is no longer known has no end to wait for.
        Ok(Ok(_) | Err(EngineError::Reject(_))) => Ok(()),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(EngineError::Closing),
    }
}
