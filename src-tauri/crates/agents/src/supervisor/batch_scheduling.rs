//! Schedules agents as batch work, so that they never preempt the window.

/// A niceness of 0 on the library's scale from 0 to 99.
#[cfg(target_os = "linux")]
const DEFAULT_PRIORITY: u8 = 48;

/// Runs what starts a process; must be called within a tokio runtime.
#[cfg(not(target_os = "linux"))]
pub fn start<T>(start: impl FnOnce() -> T) -> Option<T> {
    Some(start())
}

/// Runs what starts a process, so that the process runs as soon as a processor is free but does not push another one
/// aside when it wakes (`SCHED_BATCH`, sched(7)); what it starts is as modest. Must be called within a tokio runtime.
/// None where there is no thread to start it on.
#[cfg(target_os = "linux")]
pub fn start<T: Send + 'static>(start: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let runtime = tokio::runtime::Handle::current();
    // A process inherits the scheduling of the thread that starts it.
    let started = std::thread::Builder::new().name("agent-start".to_owned()).spawn(move || {
        // Where the system refuses it, agents run with the usual scheduling.
        let _ = schedule_as_batch();
        let _within = runtime.enter();
        start()
    });
    started.ok()?.join().ok()
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
