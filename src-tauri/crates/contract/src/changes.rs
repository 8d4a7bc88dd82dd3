//! The changed files of a session, and the commands that read and revert them.

use askdesk_domain::SessionId;
use serde::{Deserialize, Serialize};

wire! {
    /// Lists the files that have changed in a session's folder since the session began.
    struct ListChanges {
        session: SessionId,
    }

    /// Lists the files that have changed since a message of the user.
    struct ListFilesSince {
        session: SessionId,
        /// The position of the message.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        message: u64,
    }

    struct FilesSinceRead {
        /// None if the files weren't recorded before the message.
        since: Option<FilesSince>,
    }

    /// Reads both sides of a file as it was listed last.
    struct ReadChange {
        session: SessionId,
        id: String,
        version: String,
    }
}

commands! {
    /// Puts back what a file held when the session began, if the file still holds what was shown.
    struct RevertChange {
        session: SessionId,
        id: String,
        version: String,
        /// Only this run of its lines; none reverts the whole file.
        #[serde(default)]
        part: Option<ShownPart>,
    }
}

/// How a file has changed since the session began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    /// It was moved, and may have been modified too.
    Renamed,
    /// Only its permissions have changed.
    Permissions,
}

/// What a changed file holds, as far as it can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Content {
    Text,
    Binary,
    /// A symbolic link on at least one side; its text is the path it leads to.
    Link,
    /// Another repository inside the folder; only its commit is known.
    Repository,
    /// Text whose changed lines are counted and not shown.
    TooManyLines,
    TooLarge,
    OverBudget,
    Lfs,
    /// A file of another repository inside the folder.
    InRepository,
    /// There are too many changes to count the lines of this one.
    Uncounted,
}

/// Why a file's content is not recorded. It is then compared by its size and time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum WhyUnrecorded {
    #[default]
    TooLarge,
    /// All together, the files are too many or too large to be copied.
    OverBudget,
    /// Git LFS keeps it outside the repository.
    Lfs,
    /// It belongs to another repository inside the folder, such as a submodule.
    InRepository,
}

impl From<WhyUnrecorded> for Content {
    fn from(why: WhyUnrecorded) -> Self {
        match why {
            WhyUnrecorded::TooLarge => Self::TooLarge,
            WhyUnrecorded::OverBudget => Self::OverBudget,
            WhyUnrecorded::Lfs => Self::Lfs,
            WhyUnrecorded::InRepository => Self::InRepository,
        }
    }
}

/// Files whose contents are not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Unrecorded {
    pub why: WhyUnrecorded,
    pub files: u32,
    /// The first ones of them, for people to read.
    pub paths: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangedFile {
    /// The path below the session's folder, with bytes that are not UTF-8 as percent codes.
    pub id: String,
    /// The same path for people to read.
    pub path: String,
    /// The path it had before, if it was renamed.
    pub old_path: Option<String>,
    pub kind: ChangeKind,
    pub content: Content,
    /// Lines; none where they can't be counted.
    pub added: Option<u32>,
    pub removed: Option<u32>,
    /// Names both sides; it differs once the file changes again.
    pub version: String,
}

/// The sums over all changed files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeTotals {
    pub files: u32,
    pub added: u32,
    pub removed: u32,
    /// Differs once any of the files changes again, even if the sums stay the same.
    pub state: u32,
}

/// The files that have changed since the session began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangedFiles {
    /// Ordered by path.
    pub files: Vec<ChangedFile>,
    pub totals: ChangeTotals,
    /// How many more files have changed than are listed.
    pub unlisted: u32,
    /// How many files can't be read, so that their changes are unknown.
    pub unreadable: u32,
    /// The files whose contents are not recorded, by the reason.
    pub unrecorded: Vec<Unrecorded>,
    /// The folder's repository, if git refused it when the session began because it belongs to another user. The folder was
    /// recorded without it.
    pub repository_of_other: Option<String>,
}

/// Why the changes of a session can't be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "unavailable", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Unavailable {
    #[error("git isn't installed")]
    NoGit,
    #[error("no state was recorded when the session began")]
    NoBaseline,
    #[error("the session's folder no longer exists")]
    FolderGone,
    #[error("the folder has too many files (the limit is {most})")]
    TooManyFiles { most: u32 },
    #[error("git took longer than {seconds} seconds")]
    TimedOut { seconds: u32 },
    /// The files' earlier contents were in the folder's repository, and are gone from it.
    #[error("the recorded state can no longer be read")]
    BaselineLost,
    /// The file has changed again or is no longer among the changes.
    #[error("the file has changed since the list was read")]
    Outdated,
    #[error("{error}")]
    Failed { error: String },
}

/// A run of lines that are the same on both sides, or differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "part", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum DiffPart {
    Same { lines: Vec<String> },
    Changed { removed: Vec<String>, added: Vec<String> },
}

/// What is known about one side of a file that is not shown as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Side {
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub bytes: Option<u64>,
    /// The commit of a repository inside the folder.
    pub commit: Option<String>,
}

/// Both sides of a changed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FileChange {
    pub file: ChangedFile,
    /// The whole file; empty if it is not text.
    pub parts: Vec<DiffPart>,
    /// Whether some bytes are not UTF-8 and are shown as replacement characters.
    pub lossy: bool,
    /// Whether some lines are so long that only their beginning is shown.
    pub cut: bool,
    /// Whether the last line has no line break, before and now.
    pub unfinished_before: bool,
    pub unfinished_now: bool,
    pub before: Option<Side>,
    pub now: Option<Side>,
}

/// A run of lines that differ, as it was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ShownPart {
    /// Its place among the file's parts.
    pub part: u32,
    /// How many lines it removes and adds.
    pub removed: u32,
    pub added: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "refused", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RevertRefused {
    #[error("{why}")]
    Unavailable { why: Unavailable },
    #[error("the file has changed since it was shown")]
    ChangedSince,
    #[error("{path} exists again")]
    Exists { path: String },
    /// Its earlier content was not recorded: see [`WhyUnrecorded`], or a repository inside the folder.
    #[error("the earlier content was not recorded")]
    NotRecorded,
    /// A folder on the way is a link, so the file may be anywhere.
    #[error("{path} is not a folder")]
    NotAFolder { path: String },
    #[error("{error}")]
    Failed { error: String },
}

/// The files that have changed since a moment, whoever changed them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FilesSince {
    /// Ordered by path, at most 500.
    pub files: Vec<FileSince>,
    /// How many more there are.
    pub unlisted: u32,
    /// Differs once any file changes again.
    pub state: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FileSince {
    /// The path below the session's folder, for people to read.
    pub path: String,
    pub kind: ChangeKind,
    /// Whether what it held then is recorded, so that it can be put back.
    pub recorded: bool,
}
