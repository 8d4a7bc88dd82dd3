//! The time limits of open requests: a thread tells the writer when one has passed. Limits follow the engine's clock,
//! never the page's. A request that has timed out can still be answered later. If the system's clock is set, the writer moves
//! the times of what is open, and sets new deadlines here; the earlier ones then end nothing.
//!
//! `tokio_util::time::DelayQueue` does not fit: it uses the monotonic clock, which stops while a computer
//! sleeps, and tests could not control it with the engine's clock.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use askdesk_domain::{RequestCommand, RequestId, Timestamp};
use tokio::sync::{mpsc, oneshot};

use crate::clock::{Clock, ClockSteps, wait_or_look_again};
use crate::mailbox::Input;

/// How long to wait before checking the clock again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The same while nothing has a time limit: the window shows how long something has been waiting.
const LOOK_AGAIN_IDLE: Duration = Duration::from_secs(10);

/// A request with its deadline.
pub(crate) type Limited = (Timestamp, RequestId);

/// Watches deadlines until the writer ends; the returned sender accepts new ones.
pub(crate) fn watch(
    inputs: mpsc::WeakSender<Input>,
    clock: Arc<dyn Clock>,
) -> std::io::Result<mpsc::UnboundedSender<Limited>> {
    let (set, received) = mpsc::unbounded_channel();
    // The engine can be opened outside a runtime.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    std::thread::Builder::new()
        .name("desk-limits".to_owned())
        .spawn(move || runtime.block_on(while_needed(received, &inputs, &*clock)))?;
    Ok(set)
}

async fn while_needed(
    mut set: mpsc::UnboundedReceiver<Limited>,
    inputs: &mpsc::WeakSender<Input>,
    clock: &dyn Clock,
) {
    let mut waiting: BTreeSet<Limited> = BTreeSet::new();
    let mut steps = ClockSteps::new(clock);
    loop {
        let next = waiting.first().map(|(at, _)| *at);
        tokio::select! {
            limited = set.recv() => match limited {
                Some(limited) => drop(waiting.insert(limited)),
                None => return,
            },
            () = wait_or_look_again(clock, next, LOOK_AGAIN) => {}
            () = tokio::time::sleep(LOOK_AGAIN_IDLE) => {}
        }
        if steps.look(clock).is_some() {
            let Some(writer) = inputs.upgrade() else { return };
            // The writer looks at the clock before each input.
            if writer.send(Input::LookAtClock).await.is_err() {
                return;
            }
        }
        while let Some(first) = waiting.first().copied().filter(|(at, _)| *at <= clock.now()) {
            waiting.remove(&first);
            if expire(first.1, inputs, clock).await.is_none() {
                return;
            }
        }
    }
}

/// Asks the writer to end a request; one that has ended meanwhile doesn't change. None once the writer has ended.
async fn expire(request: RequestId, inputs: &mpsc::WeakSender<Input>, clock: &dyn Clock) -> Option<()> {
    let command = RequestCommand::Expire { request, at: clock.now() }.into();
    let (reply, ended) = oneshot::channel();
    let writer = inputs.upgrade()?;
    writer.send(Input::Record { command, reply }).await.ok()?;
    drop(writer);
    ended.await.ok().map(drop)
}
