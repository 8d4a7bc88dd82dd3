//! Transcripts, past sessions and past questions.

use askdesk_domain::{Approval, Entry, EntryBody, Origin, Outcome, Request, Session, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::DayBounds;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ExportFormat {
    Markdown,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum QuestionsFormat {
    /// A table with one row per question.
    Csv,
    Json,
}

/// A page of a transcript, oldest entry first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TranscriptPage {
    pub entries: Vec<Entry>,
    /// Whether there are older entries.
    pub more: bool,
    /// The requests that the entries refer to.
    pub requests: Vec<Request>,
    /// The permission requests that the entries refer to.
    pub approvals: Vec<Approval>,
}

wire! {
    struct ReadTranscript {
        session: SessionId,
        /// Reads entries before this position; none reads the newest.
        #[serde(default)]
        #[cfg_attr(feature = "ts", ts(type = "number | null"))]
        before: Option<u64>,
        /// The most entries to return.
        limit: u32,
    }

    /// Reads the newest lines of a session's log.
    struct ReadLog {
        session: SessionId,
    }

    /// The newest lines of a session's log, oldest first.
    struct SessionLog {
        lines: Vec<LogLine>,
    }

    /// Searches the entries of all sessions.
    struct SearchHistory {
        /// Words or beginnings of words that an entry must contain; quotes make a phrase.
        query: String,
        /// The most hits to return.
        limit: u32,
        /// How many of the best hits to skip.
        #[serde(default)]
        offset: u32,
    }

    /// Search hits, newest first.
    struct HistoryFound {
        hits: Vec<SearchHit>,
        more: bool,
    }

    /// An entry that matches a search, with the text around the match. All of it is plain text, never markup.
    struct SearchHit {
        session: SessionId,
        name: String,
        folder: String,
        /// The entry's position in the transcript.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        n: u64,
        /// When the entry was first written.
        at: Timestamp,
        kind: EntryKind,
        /// The text before the match.
        before: String,
        #[serde(rename = "match")]
        matched: String,
        /// The text after the match.
        after: String,
    }

    struct ReadPastSessions {}

    /// The past sessions, oldest first.
    struct PastSessions {
        sessions: Vec<Session>,
    }

    struct Exported {
        text: String,
        file_name: String,
    }

    /// Writes a session to a file that the user chooses.
    struct SaveExport {
        session: SessionId,
        format: ExportFormat,
    }

    struct SavedExport {
        /// The file; none if the user chose none.
        path: Option<String>,
    }

    /// Selects ended requests.
    struct QuestionsWanted {
        /// Words that the request must contain, as in a search; blank matches all.
        query: String,
        /// None matches every session.
        session: Option<SessionId>,
        /// Empty matches every outcome.
        outcomes: Vec<OutcomeKind>,
    }

    /// Searches ended requests.
    struct SearchQuestions {
        wanted: QuestionsWanted,
        /// The most requests to return.
        limit: u32,
        /// How many of the newest to skip.
        #[serde(default)]
        offset: u32,
    }

    /// Ended requests, newest first.
    struct QuestionsFound {
        questions: Vec<PastQuestion>,
        more: bool,
        /// The number of all matches.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        count: u64,
        /// How many of this page can't be read.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        unreadable: u64,
        /// How many of all matches were answered.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        answered: u64,
        /// The median time from asked to answered over all answered matches, in milliseconds; none if there are none.
        #[cfg_attr(feature = "ts", ts(type = "number | null"))]
        median_millis: Option<i64>,
    }

    /// An ended request and the session it belongs to.
    struct PastQuestion {
        name: String,
        folder: String,
        origin: Origin,
        request: Request,
        /// What the agent said next, if it didn't wait for the answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        went_on: Option<String>,
    }

    /// Counts the ended requests of some days.
    struct CountQuestions {
        wanted: QuestionsWanted,
        days: DayBounds,
    }

    /// The numbers of ended requests that were asked on some days.
    struct QuestionTotals {
        /// The answered ones by their time to answer, shortest first; every group has an entry.
        answer_times: Vec<AnswerTimeCount>,
        /// The median time to answer, in milliseconds; none if none was answered.
        #[cfg_attr(feature = "ts", ts(type = "number | null"))]
        median_millis: Option<i64>,
    }

    /// Writes the selected requests to a file that the user chooses.
    struct SaveQuestions {
        wanted: QuestionsWanted,
        format: QuestionsFormat,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AnswerTimeCount {
    /// The longest time of the group, in milliseconds; none for the group of all longer times.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub up_to: Option<i64>,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
}

/// The kind of an outcome, without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OutcomeKind {
    /// Answered, in time or late.
    Answered,
    Declined,
    /// Ended by the user's message in chat.
    RepliedInChat,
    /// Ended by its time limit.
    Expired,
    Withdrawn,
    /// Missed: its session went away.
    Orphaned,
}

impl OutcomeKind {
    pub const fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Answered { .. } => Self::Answered,
            Outcome::Declined { .. } => Self::Declined,
            Outcome::RepliedInChat { .. } => Self::RepliedInChat,
            Outcome::Expired => Self::Expired,
            Outcome::Withdrawn { .. } => Self::Withdrawn,
            Outcome::Orphaned { .. } => Self::Orphaned,
        }
    }

    /// Returns the name under which it is stored and exported.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Declined => "declined",
            Self::RepliedInChat => "replied_in_chat",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
            Self::Orphaned => "orphaned",
        }
    }
}

/// The kind of an entry, without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum EntryKind {
    User,
    Agent,
    /// The agent's reasoning.
    Thinking,
    /// A tool the agent used.
    Tool,
    Request,
    CopiedQuestion,
    Approval,
    Plan,
    Notice,
    TurnEnded,
}

impl EntryKind {
    pub const fn of(body: &EntryBody) -> Self {
        match body {
            EntryBody::User { .. } => Self::User,
            EntryBody::Agent { .. } => Self::Agent,
            EntryBody::Thinking { .. } => Self::Thinking,
            EntryBody::Tool { .. } => Self::Tool,
            EntryBody::Request { .. } => Self::Request,
            EntryBody::CopiedQuestion { .. } => Self::CopiedQuestion,
            EntryBody::Approval { .. } => Self::Approval,
            EntryBody::Plan { .. } => Self::Plan,
            EntryBody::Notice { .. } => Self::Notice,
            EntryBody::TurnEnded { .. } => Self::TurnEnded,
        }
    }
}

/// The source of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum LogKind {
    /// An unusable line of the agent.
    Unusable,
    /// A line of the agent's standard error.
    Stderr,
    Refused,
    Note,
    /// A line that the setup command of a new worktree wrote.
    Setup,
}

/// One line of a session's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct LogLine {
    /// When the line was added.
    pub at: Timestamp,
    pub kind: LogKind,
    /// The text, cut to at most [`LOG_LINE_BYTES`].
    pub text: String,
}

/// How much of one line is kept, in bytes.
pub const LOG_LINE_BYTES: usize = 2_048;
