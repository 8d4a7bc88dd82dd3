//! What the window, the command line and tests call: the list of commands, their inputs and outputs, error codes.

mod command_list;
pub mod commands;
pub mod desk;
pub mod dto;
pub mod error;
mod export;
mod telling;
mod unfit;
mod unmet;
#[cfg(all(test, feature = "ts"))]
mod wire_types;

pub use commands::{COMMAND_NAMES, Commands, dispatch, read_input};
pub use desk::{AtWork, DeskApi, Here, Save, Trial, Unsaved, Untried, View, Whereabouts};
pub use error::{Detail, Error, ErrorCode};
pub use telling::Pause;
pub use unmet::{AtLogin, ByKeys, Unmet, UnmetWhy};
