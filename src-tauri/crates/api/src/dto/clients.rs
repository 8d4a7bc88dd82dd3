//! Connecting other programs.

use askdesk_client_config::{Client, ConnectionProblem, ConnectionState, FileErrorKind, Note, Obstacle};
use askdesk_domain::{CommandId, Timestamp};
use serde::{Deserialize, Serialize};

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

impl From<ConnectionState> for ClientWay {
    fn from(state: ConnectionState) -> Self {
        match state {
            ConnectionState::Works { but } => Self::Works { but },
            ConnectionState::Broken(why) => Self::Broken { why: why.into() },
            ConnectionState::NotConnected => Self::NotConnected,
        }
    }
}

impl From<ConnectionProblem> for ClientBreak {
    fn from(problem: ConnectionProblem) -> Self {
        match problem {
            ConnectionProblem::Stale(file) => Self::Stale { file: file.display().to_string() },
            ConnectionProblem::Disabled(file) => Self::Off { file: file.display().to_string() },
            ConnectionProblem::Foreign(file) => Self::Foreign { file: file.display().to_string() },
            ConnectionProblem::Unusable { file, kind } => {
                Self::Unusable { file: file.display().to_string(), trouble: kind.into() }
            }
            ConnectionProblem::Incomplete(file) => Self::Half { file: file.display().to_string() },
            ConnectionProblem::Obstacle(by) => Self::Forbidden { by },
        }
    }
}

impl ClientNote {
    /// Converts a note; none for notes about project files, which the window doesn't show.
    pub(crate) fn of(note: &Note) -> Option<Self> {
        match note {
            Note::OpenToOthers(file) => Some(Self::OpenToOthers { file: file.display().to_string() }),
            Note::ChangedSince { file, backup } => Some(Self::ChangedSince {
                file: file.display().to_string(),
                copy: backup.display().to_string(),
            }),
            Note::ByHand(file) => Some(Self::ByHand { file: file.display().to_string() }),
            Note::OldCopy(copy) => Some(Self::OldCopy { copy: copy.display().to_string() }),
            Note::NoBackground(client) => Some(Self::NoBackground { client: *client }),
            Note::TokenInProject(_) | Note::NoProject(_) | Note::NeedsTrust(_) => None,
        }
    }
}

impl From<FileErrorKind> for FileTrouble {
    fn from(kind: FileErrorKind) -> Self {
        match kind {
            FileErrorKind::Syntax { format, error } => Self::Unparsed { kind: format.to_owned(), error },
            FileErrorKind::NotAnObject => Self::NoObject,
            FileErrorKind::WrongType { path, .. } => Self::NoPlace { path },
            FileErrorKind::Duplicate { path } => Self::Twice { path },
            FileErrorKind::NotUtf8 => Self::NoText,
            FileErrorKind::TooLarge { .. } => Self::TooLarge,
            FileErrorKind::ReadOnly => Self::ReadOnly,
            FileErrorKind::NotAFile => Self::NoFile,
            FileErrorKind::OutsideRoot { to, within } => {
                Self::Outside { to: to.display().to_string(), within: within.display().to_string() }
            }
            FileErrorKind::BrokenLink => Self::DeadLink,
            FileErrorKind::Unsafe => Self::Unsafe,
            FileErrorKind::Changed => Self::Changed,
            FileErrorKind::Io { error } => Self::System { error },
        }
    }
}
