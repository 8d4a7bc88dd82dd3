//! Settings that the system carries out, and why it may not.

use serde::{Deserialize, Serialize};

/// A setting that the system did not apply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "setting", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum UnappliedSetting {
    /// Start at login could not be turned on or off.
    StartAtLogin {
        why: UnappliedReason,
    },
    GlobalShortcut {
        why: UnappliedReason,
    },
}

/// Why the system did not apply a setting. The page chooses the words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum UnappliedReason {
    /// A run with its own data folder doesn't change the system.
    OwnFolder,
    /// The system or another program uses this shortcut.
    Taken,
    /// Wayland doesn't let a program hear keys that are pressed in another one.
    Wayland,
    System {
        /// Its error message.
        error: String,
    },
}
