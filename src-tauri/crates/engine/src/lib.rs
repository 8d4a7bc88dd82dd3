//! The engine: a single writer with its journal, the requests that wait, the sessions that run, and the hub that
//! tells everybody what has changed.
//!
//! It does not know the window, any door by which others ask, or the words of the screen.

pub mod clock;
mod fault;
pub mod frame;
pub mod handle;
pub mod hub;
pub mod images;
pub mod journal;
mod keep_aside;
pub mod log;
pub mod private;
pub mod reminders;
pub mod session;
pub mod settings;
mod undelivered;
pub mod visit;
pub mod writer;

pub use askdesk_agents::Catalog;
pub use handle::{EngineHandle, OpenedEngine, PAGE_ENTRIES};
pub use hub::Subscription;
pub use images::{ImageError, Images};
pub use journal::{
    EntryKind, Found, Hit, Journal, JournalError, OutcomeKind, Page, QuestionFilter, QuestionsFound,
};
pub use reminders::with_reminders;
pub use session::{Message, RETENTION_EVERY, Sessions, StartSpec};
pub use settings::{IgnoredSetting, IgnoredWhy, ReadSettings, SettingsError, SettingsFile};
pub use visit::{Collected, VisitAsk, Visited, Visits};
pub use writer::{Applied, Attention, DraftTurn, EngineError, SaveDraft};
