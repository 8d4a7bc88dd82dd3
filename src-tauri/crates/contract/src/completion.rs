//! What the composer offers while a message is written.

use askdesk_domain::{AgentCommand, SessionId};

/// The longest query, in characters.
pub const FILE_QUERY_CHARS: usize = 500;

wire! {
    /// Lists the commands of a session's agent, as it last told them.
    struct ListCommands {
        session: SessionId,
    }

    struct CommandsListed {
        commands: Vec<AgentCommand>,
    }

    /// Finds files and folders below a session's folder. Ignore rules leave some out.
    struct FindFiles {
        session: SessionId,
        /// Letters of a path, in order; an empty query means what is at the top.
        query: String,
        /// The most paths to return.
        limit: u32,
    }

    struct FilesFound {
        /// Relative to the session's folder, with `/` between names, the best match first. The path of a folder ends in `/`.
        paths: Vec<String>,
        /// Whether the folder has more files than were looked at.
        is_cut: bool,
        /// Whether the folder is still being read, so that the same query may find more later.
        is_reading: bool,
    }
}
