//! The changed files of a session.

use askdesk_domain::SessionId;

use crate::{FilesSince, ShownPart};

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
