use askdesk_domain::{Setting, SettingError, Settings};
use serde::{Deserialize, Serialize};

use crate::UnappliedSetting;

wire! {
    /// Reads the settings from their file, which may have been edited by hand.
    struct ReadSettings {}

    struct ChangeSetting {
        change: Setting,
    }

    struct SettingsRead {
        settings: Settings,
        /// Entries of the file that have no effect.
        ignored: Vec<IgnoredSetting>,
        /// Settings that the system did not apply.
        unmet: Vec<UnappliedSetting>,
        file: String,
        /// The user's home folder, which paths show as `~`.
        home: Option<String>,
    }
}

/// An entry of the file that is left unchanged and has no effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct IgnoredSetting {
    /// Its position: `table.key`, or the file's name if the whole file can't be read.
    pub key: String,
    pub why: IgnoredWhy,
}

/// Why an entry of the file has no effect; the page chooses the words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "why", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum IgnoredWhy {
    /// There is no setting with this key.
    #[error("unknown setting")]
    Unknown,
    /// It is a table instead of a value.
    #[error("expected a value, not a table")]
    NoValue,
    /// The value is invalid.
    #[error("{}{flaw}", value.as_ref().map(|value| format!("{value}: ")).unwrap_or_default())]
    Unfit {
        /// The value; none if part of it may be secret.
        value: Option<String>,
        flaw: SettingError,
    },
    #[error("too large ({bytes} bytes; the limit is {most})")]
    TooLarge {
        /// Its size in bytes.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        bytes: u64,
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        most: u64,
    },
    #[error("not a text file")]
    NoText,
    /// The file is not valid TOML.
    #[error("line {line}, column {column}: {error}")]
    Unparsed {
        /// The line, from 1.
        line: usize,
        /// The character in that line, from 1.
        column: usize,
        error: String,
    },
    /// The file can't be read now, so nobody knows what it holds.
    #[error("{error}")]
    Unreadable { error: String },
}
