//! The engine: a single writer with its journal, the running sessions, and the hub that publishes changes to
//! subscribers.
//!
//! It knows neither the window nor the protocols of connected apps, and contains no text of the user interface.

#[cfg(feature = "bench")]
pub mod bench;
pub mod changes;
pub mod clock;
mod delivery_error;
#[cfg(test)]
#[allow(dead_code, reason = "the domain's own tests have the rest")]
#[path = "../../domain/tests/domain/support/desks.rs"]
mod desks;
mod error;
mod fault;
pub mod handle;
pub mod helper_outputs;
pub mod hub;
pub mod images;
pub mod inbound_calls;
pub mod journal;
mod mailbox;
mod open;
pub mod private;
mod quarantine;
#[cfg(test)]
#[allow(dead_code, reason = "the domain's own tests have the rest")]
#[path = "../../domain/tests/domain/support/questions.rs"]
mod questions;
pub mod session;
mod session_commands;
mod session_folders;
pub mod session_log;
mod session_tokens;
pub mod settings;
pub mod slow_files;
mod writer;

pub use askdesk_agents::Catalog;
pub use changes::Changes;
pub use error::EngineError;
pub use handle::{EngineHandle, PAGE_ENTRIES};
pub use hub::Subscription;
pub use images::{ImageError, Images};
pub use inbound_calls::{InboundAsk, InboundCall, InboundCalls, InboundStatus};
pub use journal::{FoundEntries, Hit, Journal, QuestionFilter, QuestionsFound};
pub use mailbox::{Applied, ConfigChange, DraftRevision, Message, SessionCall};
pub use session::{
    Before, Beginning, FolderLeaving, NotListed, QUIT_LIMIT, Sessions, StartSpec, WorktreeToMake,
};
pub use session_tokens::SESSION_VARIABLE;
pub use settings::{NotWritten, ReadSettings, SettingsError, SettingsFile};
