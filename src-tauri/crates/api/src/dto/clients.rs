//! The inputs and outputs of telling other programs of the desk.

use askdesk_client_config::{Break, Client, Note, Obstacle, Way, Why};
use askdesk_domain::{CommandId, Timestamp};
use serde::{Deserialize, Serialize};

wire! {
    /// Asks how the other programs whose agents can ask stand to the desk; only the person's own files are looked at.
    struct ReadClients {}

    struct ClientsRead {
        /// The port the desk listens at; none while other programs cannot ask.
        port: Option<u16>,
        /// Every program that is known, those that are there first.
        clients: Vec<ClientRead>,
    }

    /// How one program stands to the desk.
    struct ClientRead {
        client: Client,
        /// Whether anything shows that it is there.
        found: bool,
        files: Vec<String>,
        /// Whether something of the desk stands in one of them.
        connected: bool,
        /// Whether a question of its agents arrives, if the desk takes any.
        way: ClientWay,
        /// After how many seconds a wait is cut short; none where nobody knows.
        limit_seconds: Option<u32>,
        /// When it asked last, as far as the desk knows.
        last_question: Option<Timestamp>,
    }

    /// Asks the programs that are there for their versions, which takes seconds.
    struct ReadClientVersions {}

    /// The versions of those that said one in time.
    struct ClientVersions {
        versions: Vec<ClientVersion>,
    }

    struct ClientVersion {
        client: Client,
        version: String,
    }

    /// Finds out what telling a program of the desk would change, or undoing that; nothing is written.
    struct PlanClient {
        /// The caller's id of this command; it names the plan.
        request_id: CommandId,
        client: Client,
        goal: ClientGoal,
    }

    /// What would change. Tokens are left out of it.
    struct ClientPlan {
        /// What would change in which file; nothing where all stands already.
        changes: Vec<ClientChange>,
        /// What the person should know.
        notes: Vec<ClientNote>,
    }

    /// What would change in one file.
    struct ClientChange {
        file: String,
        becomes: FileBecomes,
        /// A unified diff without the names of files; empty where only a token differs.
        diff: String,
        /// Whether the diff is too long to be shown whole.
        cut: bool,
        /// Where the file is kept as it is now; none where no copy is made.
        copy: Option<String>,
    }

    /// Carries out the plan that was shown last, and nothing else.
    struct ChangeClient {
        /// The caller's id of this command; sent again, it does nothing more.
        request_id: CommandId,
        plan: CommandId,
    }

    /// Asks a test question in the way of other programs.
    struct TestDoor {
        /// The caller's id of this command; sent again, it asks nothing more.
        request_id: CommandId,
    }
}

/// What is wanted of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ClientGoal {
    /// Its agents ask at the desk.
    Connected,
    /// Its files are as they were before.
    Disconnected,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum FileBecomes {
    Made,
    Changed,
    Removed,
}

/// The way of a question from a program to the desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "way", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ClientWay {
    /// A question arrives.
    Works {
        /// What is worth knowing all the same.
        but: Vec<Obstacle>,
    },
    Broken {
        why: ClientBreak,
    },
    /// It never was set up.
    NotConnected,
}

/// Why a question does not arrive; the words are chosen by the screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ClientBreak {
    /// An entry leads elsewhere, opens with another token, or leaves one of these out.
    Stale {
        file: String,
    },
    /// An entry is turned off.
    Off {
        file: String,
    },
    Foreign {
        file: String,
    },
    /// A file cannot be read or used.
    Unusable {
        file: String,
        trouble: FileTrouble,
    },
    /// One file has what is wanted, and this one has not.
    Half {
        file: String,
    },
    /// The program itself forbids it.
    Forbidden {
        by: Obstacle,
    },
}

/// What the person should know of a change; the words are chosen by the screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ClientNote {
    /// The token will stand in a file that other people of this machine may read.
    OpenToOthers { file: String },
    /// Something else was written since, so only the entry goes.
    ChangedSince { file: String, copy: String },
    /// The person wrote an entry that leads to the desk already; it is replaced.
    ByHand { file: String },
    /// A copy that an earlier connection left goes.
    OldCopy { copy: String },
    /// The desk listens elsewhere than it usually does, and may listen elsewhere again after a restart.
    OtherPort { port: u16 },
    /// The `askdesk` program was not found, so the desk does not hear of answers that are given in a terminal.
    NoCommand,
}

/// Why a file of another program is left as it is; the words are chosen by the screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "trouble", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum FileTrouble {
    /// It is not written as its kind is.
    Unparsed {
        kind: String,
        error: String,
    },
    /// It holds something else than an object with names.
    NoObject,
    /// Something else stands where the entry's place is.
    NoPlace {
        /// Where, with dots between.
        path: String,
    },
    /// A name stands there twice, so that nobody can say which one counts.
    Twice {
        /// Where, with dots between.
        path: String,
    },
    /// It is no text in UTF-8.
    NoText,
    /// It is larger than any such file should be.
    TooLarge,
    /// It may only be read.
    ReadOnly,
    /// Something else than a file has its name.
    NoFile,
    /// A link leads out of the folder it belongs to.
    Outside {
        to: String,
        /// Where it should stay.
        within: String,
    },
    /// A link leads nowhere.
    DeadLink,
    /// The change would have touched something else.
    Unsafe,
    /// Somebody else wrote it in the meantime.
    Changed,
    System {
        error: String,
    },
}

impl From<Way> for ClientWay {
    fn from(way: Way) -> Self {
        match way {
            Way::Works { but } => Self::Works { but },
            Way::Broken(why) => Self::Broken { why: why.into() },
            Way::NotConnected => Self::NotConnected,
        }
    }
}

impl From<Break> for ClientBreak {
    fn from(why: Break) -> Self {
        match why {
            Break::Stale(file) => Self::Stale { file: file.display().to_string() },
            Break::Off(file) => Self::Off { file: file.display().to_string() },
            Break::Foreign(file) => Self::Foreign { file: file.display().to_string() },
            Break::Unusable { file, why } => {
                Self::Unusable { file: file.display().to_string(), trouble: why.into() }
            }
            Break::Half(file) => Self::Half { file: file.display().to_string() },
            Break::Obstacle(by) => Self::Forbidden { by },
        }
    }
}

impl ClientNote {
    /// Takes what the window can say something about; files of projects are not its business.
    pub(crate) fn of(note: &Note) -> Option<Self> {
        match note {
            Note::OpenToOthers(file) => Some(Self::OpenToOthers { file: file.display().to_string() }),
            Note::ChangedSince { file, backup } => Some(Self::ChangedSince {
                file: file.display().to_string(),
                copy: backup.display().to_string(),
            }),
            Note::ByHand(file) => Some(Self::ByHand { file: file.display().to_string() }),
            Note::OldCopy(copy) => Some(Self::OldCopy { copy: copy.display().to_string() }),
            Note::TokenInProject(_) | Note::NoProject(_) | Note::NeedsTrust(_) => None,
        }
    }
}

impl From<Why> for FileTrouble {
    fn from(why: Why) -> Self {
        match why {
            Why::Unparsed { kind, error } => Self::Unparsed { kind: kind.to_owned(), error },
            Why::NoObject => Self::NoObject,
            Why::NoPlace { path, .. } => Self::NoPlace { path },
            Why::Twice { path } => Self::Twice { path },
            Why::NoText => Self::NoText,
            Why::TooLarge { .. } => Self::TooLarge,
            Why::ReadOnly => Self::ReadOnly,
            Why::NoFile => Self::NoFile,
            Why::Outside { to, within } => {
                Self::Outside { to: to.display().to_string(), within: within.display().to_string() }
            }
            Why::DeadLink => Self::DeadLink,
            Why::Unsafe => Self::Unsafe,
            Why::Changed => Self::Changed,
            Why::System { error } => Self::System { error },
        }
    }
}
