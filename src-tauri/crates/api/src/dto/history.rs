//! Transcripts, past sessions and past questions.

use askdesk_domain::{Approval, Entry, Origin, Request, Session, SessionId, Timestamp};
use askdesk_engine::session_log::LogLine;
use askdesk_engine::{AnswerTimeCount, DayBounds, EntryKind, OutcomeKind};
use serde::{Deserialize, Serialize};

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

    /// A page of a transcript, oldest entry first.
    struct TranscriptPage {
        entries: Vec<Entry>,
        /// Whether there are older entries.
        more: bool,
        /// The requests that the entries refer to.
        requests: Vec<Request>,
        /// The permission requests that the entries refer to.
        approvals: Vec<Approval>,
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
