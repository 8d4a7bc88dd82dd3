//! Schedules agents as batch work, so that they never preempt the window.

use tokio::sync::oneshot;

/// A niceness of 0 on the library's scale from 0 to 99.
#[cfg(target_os = "linux")]
const DEFAULT_PRIORITY: u8 = 48;

/// Runs what starts a process on a thread of its own, because a folder or a program may be on a file system that doesn't
/// respond. Must be called within a tokio runtime. On Linux, the process runs as soon as a processor is free but does not push
/// another one aside when it wakes (`SCHED_BATCH`, sched(7)); what it starts is as modest.
///
/// The receiver fails where there is no thread to start it on. If it is dropped, so is the result.
pub fn start<T: Send + 'static>(start: impl FnOnce() -> T + Send + 'static) -> oneshot::Receiver<T> {
    let runtime = tokio::runtime::Handle::current();
    let (started, result) = oneshot::channel();
    // A process inherits the scheduling of the thread that starts it.
    let thread = std::thread::Builder::new().name("agent-start".to_owned()).spawn(move || {
        // Where the system refuses it, agents run with the usual scheduling.
        #[cfg(target_os = "linux")]
        let _ = schedule_as_batch();
        let _within = runtime.enter();
        // Nobody waits for a start that took too long.
        let _ = started.send(start());
    });
    if let Err(error) = thread {
        tracing::error!(%error, "the thread that starts a process couldn't be started");
    }
    result
}

#[cfg(target_os = "linux")]
fn schedule_as_batch() -> Option<()> {
    use thread_priority::unix::{
        NormalThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
    };
    use thread_priority::{ThreadPriority, ThreadPriorityValue};

    let default = ThreadPriority::Crossplatform(ThreadPriorityValue::try_from(DEFAULT_PRIORITY).ok()?);
    let batch = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Batch);
    set_thread_priority_and_policy(thread_native_id(), default, batch).ok()
}
