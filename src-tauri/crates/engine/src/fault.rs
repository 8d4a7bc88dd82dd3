//! The steps at which a test may end the process, as `kill -9` would. Nothing of it is in the app that people run.

use askdesk_domain::Command;

/// A step on a question's way there and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// Nothing of a command is on disk yet.
    Deciding(&'a Command),
    /// All of it is, and nobody has heard of it.
    Committed(&'a Command),
    Folded(&'a Command),
    /// The screen has been told.
    Published(&'a Command),
    /// Drafts are about to be written.
    SavingDrafts,
    /// They are on disk, and the page has not heard of it.
    SavedDrafts,
    /// That an end leaves is on disk; it has not left.
    Sending,
    /// It was written to the agent.
    Handed,
    /// The agent has shown that it has it; that is not on disk.
    Acknowledged,
}

#[cfg(not(feature = "faults"))]
pub(crate) const fn reached(_: Step<'_>) {}

/// Ends the process here if `ASKDESK_DIE_AT` names the step: its name and, where there is one, the two names of the command.
#[cfg(feature = "faults")]
pub(crate) fn reached(step: Step<'_>) {
    static DIE_AT: std::sync::LazyLock<Option<String>> =
        std::sync::LazyLock::new(|| std::env::var("ASKDESK_DIE_AT").ok());
    let Some(wanted) = DIE_AT.as_deref() else { return };
    let said = format!("{step:?}");
    // `Committed(Request(Answer { request: …` is `Committed Request Answer`.
    let names = said.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    if names.take(3).eq(wanted.split(' ')) {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}
