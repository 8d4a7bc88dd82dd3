//! The inputs and outputs of the commands about the past.

use askdesk_domain::{CommandId, Origin, Request, Session, SessionId, Timestamp};
use askdesk_engine::{EntryKind, OutcomeKind};
use serde::{Deserialize, Serialize};

/// In which form a session is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ExportFormat {
    Markdown,
    /// To be read by programs.
    Json,
}

/// In which form questions are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum QuestionsFormat {
    /// A table with a row for each question.
    Csv,
    /// To be read by programs.
    Json,
}

wire! {
    /// Finds entries of all sessions by their words.
    struct SearchHistory {
        /// Words that an entry must hold, or the beginnings of words; quotes hold words together.
        query: String,
        /// How many hits at most.
        limit: u32,
        /// How many of the best hits to pass over.
        #[serde(default)]
        offset: u32,
    }

    /// What was found, best first.
    struct HistoryFound {
        hits: Vec<SearchHit>,
        /// Whether there are further ones.
        more: bool,
    }

    /// One entry that was found, with what stands around the match. All of it is text, never markup.
    struct SearchHit {
        session: SessionId,
        name: String,
        folder: String,
        /// The entry's place in the transcript.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        n: u64,
        /// When the entry was first written.
        at: Timestamp,
        kind: EntryKind,
        before: String,
        #[serde(rename = "match")]
        matched: String,
        after: String,
    }

    /// Lists the sessions that are over.
    struct ReadPastSessions {}

    /// The sessions that are over, oldest first.
    struct PastSessions {
        sessions: Vec<Session>,
    }

    struct Exported {
        text: String,
        /// A name for the file that it may be written to.
        file_name: String,
    }

    /// Writes a whole session to a file that the person chooses.
    struct SaveExport {
        session: SessionId,
        format: ExportFormat,
    }

    struct SavedExport {
        /// The file; none if the person chose none.
        path: Option<String>,
    }

    /// Which requests of the past are looked at; those that are open are none of them.
    struct QuestionsWanted {
        /// Words that the request must hold, as in a search; blank stands for any.
        query: String,
        /// Whose; none stands for every session.
        session: Option<SessionId>,
        /// How they ended; empty stands for any way.
        outcomes: Vec<OutcomeKind>,
    }

    /// Finds requests that have ended.
    struct SearchQuestions {
        wanted: QuestionsWanted,
        /// How many at most.
        limit: u32,
        /// How many of the newest to pass over.
        #[serde(default)]
        offset: u32,
    }

    /// The requests of the past that were wanted, newest first.
    struct QuestionsFound {
        questions: Vec<PastQuestion>,
        /// Whether there are further ones.
        more: bool,
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        count: u64,
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        answered: u64,
        /// The median time from asked to answered over all that were answered, in milliseconds; none where none was.
        #[cfg_attr(feature = "ts", ts(type = "number | null"))]
        median_millis: Option<i64>,
    }

    /// A request that has ended, with whose it was.
    struct PastQuestion {
        name: String,
        folder: String,
        /// Where the session comes from.
        origin: Origin,
        request: Request,
    }

    /// Writes the requests that are wanted to a file that the person chooses.
    struct SaveQuestions {
        wanted: QuestionsWanted,
        format: QuestionsFormat,
    }

    /// Deletes a session that is over for good: its transcript, questions and answers.
    struct DeleteSession {
        request_id: CommandId,
        session: SessionId,
    }
}
