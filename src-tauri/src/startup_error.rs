//! Why the app can't start. A system dialog says it in the user's language, because there is no window.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use askdesk_domain::{Language, StorageError};
use askdesk_engine::EngineError;

use crate::messages;

#[derive(Debug)]
pub enum StartupError {
    NoFolder {
        error: String,
    },
    /// The data folder was given as an invalid path.
    NoPath {
        error: String,
    },
    /// The data folder can't be created or entered.
    DataFolder {
        path: PathBuf,
        error: String,
    },
    /// The data folder that was chosen holds something else.
    ForeignFolder {
        path: PathBuf,
        /// A file or folder in it.
        name: String,
    },
    Storage(StorageError),
    NoWindow {
        error: String,
    },
    /// The engine could not start, for example because the system has no thread left.
    NoEngine {
        error: String,
    },
    /// The path of this program is unknown.
    NoProgram {
        error: String,
    },
}

impl std::error::Error for StartupError {}

/// The English message, for the log.
impl Display for StartupError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(Language::En))
    }
}

impl From<EngineError> for StartupError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Journal(error) | EngineError::Unread(error) => Self::Storage(error),
            EngineError::Closing | EngineError::Reject(_) => Self::NoEngine { error: error.to_string() },
        }
    }
}

impl StartupError {
    /// Returns the reason as the end of a sentence, without the period.
    pub fn message(&self, language: Language) -> String {
        let reasons = messages::of(language);
        match self {
            Self::NoFolder { error } => fill(reasons.no_folder, "", error),
            Self::NoPath { error } => fill(reasons.no_path, "", error),
            Self::DataFolder { path, error } => fill(reasons.other, &path.to_string_lossy(), error),
            Self::ForeignFolder { path, name } => fill(reasons.foreign_folder, &path.to_string_lossy(), name),
            Self::NoWindow { error } if cfg!(windows) => fill(reasons.no_window_on_windows, "", error),
            Self::NoWindow { error } => fill(reasons.no_window, "", error),
            Self::NoEngine { error } => fill(reasons.no_engine, "", error),
            Self::NoProgram { error } => fill(reasons.no_program, "", error),
            Self::Storage(error) => match error {
                StorageError::Busy { path } => fill(reasons.busy, path, ""),
                StorageError::Full { path } => fill(reasons.full, path, ""),
                StorageError::Damaged { path, error } => fill(reasons.damaged, path, error),
                StorageError::Stuck { path, error } => fill(reasons.stuck, path, error),
                StorageError::TooNew { path, .. } => fill(reasons.too_new, path, ""),
                StorageError::Other { path, error } => fill(reasons.other, path, error),
            },
        }
    }
}

fn fill(reason: &str, path: &str, error: &str) -> String {
    // A path or an error message may contain `{path}` or `{error}` itself.
    let parts = reason.split_inclusive('}').map(|part| match part.strip_suffix("{path}") {
        Some(before) => [before, path].concat(),
        None => match part.strip_suffix("{error}") {
            Some(before) => [before, error].concat(),
            None => part.to_owned(),
        },
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/d/{error}/desk.db";
    const ERROR: &str = "«{path}»";

    /// One of each; a new one does not compile until it is listed.
    fn all() -> Vec<StartupError> {
        let (path, error) = (|| PATH.to_owned(), || ERROR.to_owned());
        let storage = [
            StorageError::Busy { path: path() },
            StorageError::Full { path: path() },
            StorageError::Damaged { path: path(), error: error() },
            StorageError::Stuck { path: path(), error: error() },
            StorageError::TooNew { path: path(), found: 9, known: 8 },
            StorageError::Other { path: path(), error: error() },
        ];
        let others = [
            StartupError::NoFolder { error: error() },
            StartupError::DataFolder { path: PATH.into(), error: error() },
            StartupError::ForeignFolder { path: PATH.into(), name: error() },
            StartupError::NoWindow { error: error() },
            StartupError::NoPath { error: error() },
            StartupError::NoEngine { error: error() },
            StartupError::NoProgram { error: error() },
        ];
        storage.into_iter().map(StartupError::Storage).chain(others).collect()
    }

    #[test]
    fn paths_and_errors_are_whole_in_each_language() {
        for why in all() {
            let english = why.message(Language::En);
            for language in [Language::Zh, Language::De] {
                let words = why.message(language);
                assert_ne!(words, english);
                for met in [PATH, ERROR] {
                    assert_eq!(words.contains(met), english.contains(met), "{language:?}: {words}");
                }
                let rest = words.replace(PATH, "").replace(ERROR, "");
                assert!(!rest.contains(['{', '}']), "{words}");
            }
        }
        let busy = StorageError::Busy { path: "/d".to_owned() };
        assert_eq!(
            StartupError::Storage(busy).message(Language::De),
            "/d wird von einem anderen Programm verwendet, vielleicht von einem zweiten Askdesk"
        );
    }
}
