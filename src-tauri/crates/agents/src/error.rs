//! What can go wrong between the desk and an agent's process.

/// Why a line did not reach an agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The process has ended, or its input was closed.
    #[error("the agent no longer takes input: its process has ended or its input is closed")]
    Closed,
    /// The system failed to write.
    #[error("writing to the agent failed: {0}")]
    Io(String),
    /// The agent does not read, and its queue is full.
    #[error("the agent does not read its input: {0} lines already wait")]
    Full(usize),
}
