use askdesk_domain::{
    AgentId, ConfigId, HelperId, NativeSession, SessionId, SessionNotifications, SessionOptions,
};
use serde::{Deserialize, Serialize};

use crate::StartWorktree;

commands! {
    /// Starts an agent in a folder.
    struct StartSession {
        agent: AgentId,
        /// The folder the agent works in; an agent that needs none has its own.
        #[serde(default)]
        folder: Option<String>,
        /// The first message; without one, the agent waits.
        #[serde(default)]
        prompt: Option<String>,
        /// The session's name; defaults to the beginning of its first message, or else to the name of the folder.
        #[serde(default)]
        name: Option<String>,
        /// Options that are left out keep the agent's defaults.
        #[serde(default)]
        options: SessionOptions,
        /// Starts in a new git worktree of the folder's repository.
        #[serde(default)]
        worktree: Option<StartWorktree>,
        /// Continues a session that was begun elsewhere, one of those that `list_own_sessions` returned.
        #[serde(default)]
        continues: Option<NativeSession>,
    }

    /// Starts a session with a copy of another one's conversation.
    struct ForkSession {
        session: SessionId,
        /// The position of the user's message that the copy ends before; none copies all.
        #[serde(default)]
        #[cfg_attr(feature = "ts", ts(type = "number | null"))]
        before: Option<u64>,
        /// Puts the files back to how they were before the message, if they are still in this state, which `list_files_since`
        /// returned.
        #[serde(default)]
        put_back: Option<u32>,
    }

    /// Changes a config option of a running agent.
    struct SetConfig {
        session: SessionId,
        option: ConfigId,
        /// A listed value, or any text if the option takes free text.
        value: String,
    }

    struct RenameSession {
        session: SessionId,
        name: String,
    }

    /// Sets where the folder of an ended session is now.
    struct ChangeFolder {
        session: SessionId,
        folder: String,
    }

    /// Mutes a session, or hides its text in notifications.
    struct SetSessionNotifications {
        session: SessionId,
        attention: SessionNotifications,
    }

    struct MoveSession {
        session: SessionId,
        /// The session that comes after it; none moves it to the end.
        before: Option<SessionId>,
    }

    /// Ends a session if it runs, and removes it from the list. It stays in the history.
    struct CloseSession {
        session: SessionId,
    }

    struct ResumeSession {
        session: SessionId,
        /// Whether the agent's own process that holds the session in the background is ended first.
        #[serde(default)]
        end_in_background: bool,
    }

    /// Interrupts the agent's turn.
    struct InterruptSession {
        session: SessionId,
    }

    /// Asks the agent to stop one of its helpers, and nothing else.
    struct StopHelper {
        session: SessionId,
        helper: HelperId,
    }

    /// Ends the agent's process and every process it started.
    struct StopSession {
        session: SessionId,
    }

    /// Deletes an ended session permanently: its transcript, questions and answers.
    struct DeleteSession {
        session: SessionId,
    }
}

wire! {
    /// Reads the end of what a helper has put out so far.
    struct ReadHelperOutput {
        session: SessionId,
        helper: HelperId,
    }
}

/// How much of an output is shown: its end, in bytes.
pub const OUTPUT_BYTES: usize = 64 * 1024;

/// The output of a helper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "output", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum HelperOutput {
    /// The helper has ended, or never was.
    Gone,
    Written {
        /// The end of it, at most [`OUTPUT_BYTES`].
        text: String,
        /// Whether its beginning is left out.
        is_cut: bool,
    },
    /// The file that the agent named can't be read.
    Unreadable {
        path: String,
        /// In the words of the system.
        error: String,
    },
}
