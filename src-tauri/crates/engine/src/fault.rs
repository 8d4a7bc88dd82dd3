//! The steps at which a test can kill the process, as `kill -9` would. Not part of a release build.

use askdesk_domain::Command;

/// A step between a question and the delivery of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultPoint<'a> {
    /// Before anything of a command is on disk.
    Deciding(&'a Command),
    /// All of it is on disk, and nothing has been published.
    Committed(&'a Command),
    Folded(&'a Command),
    /// Subscribers have been sent the change.
    Published(&'a Command),
    SavingDrafts,
    /// Drafts are on disk; the page has no reply yet.
    SavedDrafts,
    /// The note that an outcome is about to be sent is on disk; it has not been sent.
    Sending,
    /// The outcome was written to the agent.
    Handed,
    /// The agent has shown that it has the outcome; that is not on disk yet.
    Acknowledged,
}

#[cfg(not(feature = "faults"))]
pub(crate) const fn reached(_: FaultPoint<'_>) {}

/// Kills the process if `ASKDESK_DIE_AT` names the step: its name, followed by the two names of its command if it has one.
#[cfg(feature = "faults")]
pub(crate) fn reached(step: FaultPoint<'_>) {
    static DIE_AT: std::sync::LazyLock<Option<String>> =
        std::sync::LazyLock::new(|| std::env::var("ASKDESK_DIE_AT").ok());
    let Some(wanted) = DIE_AT.as_deref() else { return };
    let said = format!("{step:?}");
    // `Committed(Request(Answer { request: …` is `Committed Request Answer`.
    let names = said.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    if names.take(3).eq(wanted.split(' ')) {
        #[cfg(unix)]
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        #[cfg(not(unix))]
        std::process::abort();
    }
}
