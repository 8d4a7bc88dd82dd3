//! Settings that somebody else carries out: what is set is brought in line with the system, and what it refuses is said.

use std::sync::Arc;

use askdesk_domain::{GlobalShortcut, OptIn};
use serde::{Deserialize, Serialize};

/// Brings the system in line with what is set of starting at login; done again, it changes nothing.
pub type AtLogin = Arc<dyn Fn(OptIn) -> Result<(), UnmetWhy> + Send + Sync>;

/// Brings the system in line with which keys bring up what waits; done again, it changes nothing.
pub type ByKeys = Arc<dyn Fn(GlobalShortcut) -> Result<(), UnmetWhy> + Send + Sync>;

/// Something that is set and the system does not do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "setting", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Unmet {
    /// The app is not started at login, or still is.
    StartAtLogin { why: UnmetWhy },
    /// The keys bring up nothing.
    GlobalShortcut { why: UnmetWhy },
}

/// Why the system does not do what is set; the words are chosen by the screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum UnmetWhy {
    /// A desk with a data folder of its own leaves the system as it is.
    OwnFolder,
    /// Another program has these keys, or the system itself.
    Taken,
    /// Under Wayland no program hears keys that are pressed in another one.
    Wayland,
    System {
        error: String,
    },
}
