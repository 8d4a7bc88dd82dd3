//! What a person's desk is, whatever shows it: what is open, what the person is notified of and reminded of, and what may not be
//! interrupted. It knows the engine only by its frames.

mod budget;
mod desk;
#[cfg(test)]
mod fixtures;
mod local_time;
mod mirror;
mod notifications;
mod obstacles;
mod pending_list;
mod reminders;

pub use budget::PassedBudget;
pub use desk::{Clock, Desk, View};
pub use local_time::{PauseLength, pause_end};
pub use mirror::{Mirror, News, RunningWork};
pub use pending_list::PendingEntry;
