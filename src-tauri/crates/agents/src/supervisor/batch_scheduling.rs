//! An agent works in the background: what it does never takes the processor from the window in the middle of something.

/// What the library calls the priority that everybody has: on its scale from 0 to 99, a niceness of 0.
#[cfg(target_os = "linux")]
const USUAL: u8 = 48;

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
    // A process begins as the thread was that started it.
    let started = std::thread::Builder::new().name("agent-start".to_owned()).spawn(move || {
        // Where it is refused, agents work as everybody does.
        let _ = work_in_the_background();
        let _within = runtime.enter();
        start()
    });
    started.ok()?.join().ok()
}

#[cfg(target_os = "linux")]
fn work_in_the_background() -> Option<()> {
    use thread_priority::unix::{
        NormalThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
    };
    use thread_priority::{ThreadPriority, ThreadPriorityValue};

    let usual = ThreadPriority::Crossplatform(ThreadPriorityValue::try_from(USUAL).ok()?);
    let batch = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Batch);
    set_thread_priority_and_policy(thread_native_id(), usual, batch).ok()
}
