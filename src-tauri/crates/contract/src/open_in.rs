//! Opening folders and files in other programs.

use askdesk_domain::{Program, SessionId};

wire! {
    /// Finds the programs that folders and files can be opened in.
    struct ListPrograms {}

    struct ProgramsFound {
        /// The installed ones; within a kind, the first one is preferred.
        programs: Vec<Program>,
    }
}

commands! {
    /// Opens a session's folder, or a path in it, in another program.
    struct OpenIn {
        session: SessionId,
        program: Program,
        /// Relative to the session's folder, or absolute; without one, the folder itself.
        #[serde(default)]
        path: Option<String>,
        /// The line of a file, from 1.
        #[serde(default)]
        line: Option<u32>,
    }

    /// Continues a session with the agent's own program in a terminal.
    struct ContinueInTerminal {
        session: SessionId,
        /// Whether the session is ended here if it runs. Two programs must not write one conversation.
        end_running: bool,
    }
}
