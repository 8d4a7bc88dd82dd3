//! Connecting other programs.

use askdesk_domain::{CommandId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Client;

wire! {
    /// Checks the programs whose agents can ask here. Only the user's own config files are read, no project files.
    struct ReadClients {}

    /// Every program that is known, installed ones first.
    struct ClientsRead {
        /// The gateway's port; none while other programs can't ask.
        port: Option<u16>,
        clients: Vec<ClientRead>,
    }

    /// The status of one program.
    struct ClientRead {
        client: Client,
        found: bool,
        /// Its config files that need an entry.
        files: Vec<String>,
        /// Whether one of the files has an entry of ours.
        connected: bool,
        /// Whether its agents' questions arrive while the gateway runs.
        way: ClientWay,
        /// The program's own limit on how long a question may wait; none if it is unknown.
        limit_seconds: Option<u32>,
        /// When it last asked, as far as is known.
        last_question: Option<Timestamp>,
    }

    /// Asks the installed programs for their versions, which takes seconds.
    struct ReadClientVersions {}

    /// The versions of the programs that answered in time.
    struct ClientVersions {
        versions: Vec<ClientVersion>,
    }

    /// The version of one program, as it reports it.
    struct ClientVersion {
        client: Client,
        version: String,
    }

    /// Asks a program itself whether it uses our entry, which takes seconds.
    struct ConfirmClient {
        client: Client,
    }

    /// The changes that connecting or disconnecting a program makes. Tokens are hidden.
    struct ClientPlan {
        /// Empty if everything is already as it should be.
        changes: Vec<ClientChange>,
        notes: Vec<ClientNote>,
    }

    struct ClientChange {
        file: String,
        becomes: FileBecomes,
        /// A unified diff without file names; empty if only a token differs.
        diff: String,
        /// Whether the diff was cut off because of its length.
        cut: bool,
        /// The path of the backup; none if none is made.
        copy: Option<String>,
    }
}

commands! {
    /// Plans connecting or disconnecting a program. Nothing is written. The `requestId` names the plan.
    struct PlanClient {
        client: Client,
        goal: ClientGoal,
    }

    /// Carries out the plan that was shown last, and no other.
    struct ChangeClient {
        /// The `requestId` of the command that made the plan.
        plan: CommandId,
    }

    /// Asks a test question the way other programs do.
    struct TestGateway {}
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ClientGoal {
    /// Its agents ask here.
    Connected,
    /// Its files are as they were before it was connected.
    Disconnected,
}

/// What a change does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum FileBecomes {
    Made,
    Changed,
    Removed,
}

/// Whether a program's questions arrive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "way", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ClientWay {
    Works {
        /// Obstacles that don't stop them.
        but: Vec<Obstacle>,
    },
    /// They don't arrive.
    Broken {
        why: ClientBreak,
    },
    NotConnected,
}

/// Why a program's questions don't arrive. The page chooses the words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ClientBreak {
    /// An entry has another address or token, or lacks one of them.
    Stale { file: String },
    /// An entry is disabled.
    Off { file: String },
    /// An entry of our name is not ours.
    Foreign { file: String },
    /// A file can't be used.
    Unusable { file: String, trouble: FileTrouble },
    /// Another file has our entry, this one lacks it.
    Half { file: String },
    /// The program's own settings forbid it.
    Forbidden { by: Obstacle },
}

/// What the user should know about a change. The page chooses the words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ClientNote {
    /// The token is written to a file that other users of this machine can read.
    OpenToOthers { file: String },
    /// The file was edited after it was connected, so only our entry is removed.
    ChangedSince { file: String, copy: String },
    /// An entry for this app that was written by hand is replaced.
    ByHand { file: String },
    /// The backup of an earlier connection is deleted.
    OldCopy { copy: String },
    /// The gateway is not on its usual port, and may use another one after a restart.
    OtherPort { port: u16 },
    /// The `askdesk` program was not found, so answers given in a terminal are not noticed.
    NoCommand,
    /// A setting of the program is added that concerns its other servers too: its calls stay in the foreground.
    NoBackground { client: Client },
}

/// Why a file of another program is not changed. The page chooses the words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "trouble", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum FileTrouble {
    Unparsed {
        /// The expected format.
        kind: String,
        /// The parser's message.
        error: String,
    },
    NoObject,
    /// The place of the entry holds something that is no object.
    NoPlace {
        /// The path, joined by dots.
        path: String,
    },
    /// A key appears twice, so it is unclear which one counts.
    Twice {
        /// The path, joined by dots.
        path: String,
    },
    /// It is not UTF-8.
    NoText,
    /// It is too large for a config file.
    TooLarge,
    /// It is read-only.
    ReadOnly,
    NoFile,
    /// A symbolic link leads out of its folder.
    Outside {
        /// The link's target.
        to: String,
        within: String,
    },
    /// A symbolic link is broken.
    DeadLink,
    /// The edit would have changed something else.
    Unsafe,
    /// Another program changed it after the plan was made.
    Changed,
    System {
        /// Its error message.
        error: String,
    },
}

/// The variable that says after how many milliseconds Claude Code in a terminal moves a call to the background; 0 means
/// never.
pub const BACKGROUND_SETTING: &str = "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS";

/// What limits a connection whose entry is fine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Obstacle {
    #[error("hooks are turned off (disableAllHooks), so questions asked in a terminal stay there")]
    HooksOff,
    #[error("a permissions.deny rule blocks Askdesk's tools")]
    Denied,
    /// The entry differs in a detail that doesn't affect whether questions arrive.
    #[error(
        "its entry differs from the recommended one, for example in its timeout; connect again to update it"
    )]
    Differs,
    #[error("its entry was written by hand and runs `askdesk mcp`; Askdesk leaves it alone")]
    ByHand,
    /// Calls that take long go on in the background, and the model isn't told that the user answered.
    #[error(
        "in a terminal, calls that wait long go on in the background, and it may not take the answer as yours; \
         {BACKGROUND_SETTING}=0 in its settings turns that off"
    )]
    Background,
}

/// What a program says about our entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "confirmation", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Confirmation {
    /// It uses our entry.
    Confirmed,
    /// It doesn't list our entry, so it reads other files.
    Unlisted,
    /// It lists our entry with another address, or can't use it.
    Refused {
        /// The program's own words.
        said: String,
    },
    /// It can't be asked, or didn't answer in time.
    Unasked,
}
