//! Everything that crosses the line between a desk and an engine: the one list of commands, what they take and return, their
//! errors, and the frames of the one stream.

/// Declares objects of the wire. A field has a doc comment where its name and type don't say everything.
macro_rules! wire {
    ($($(#[$doc:meta])* struct $name:ident { $($fields:tt)* })+) => {$(
        object! { $(#[$doc])* struct $name { $($fields)* } }
        impl crate::Identified for $name {}
    )+};
}

macro_rules! object {
    ($(#[$doc:meta])* struct $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }
    };
}

/// Declares inputs of commands that change something: each carries `requestId`, the caller's id of this command. A command
/// that is sent again under its id is not carried out again.
macro_rules! commands {
    ($($(#[$doc:meta])* struct $name:ident { $($fields:tt)* })+) => {$(
        object! { $(#[$doc])* struct $name { request_id: askdesk_domain::CommandId, $($fields)* } }
        impl crate::Identified for $name {
            fn request_id(&self) -> Option<askdesk_domain::CommandId> {
                Some(self.request_id)
            }
        }
    )+};
}

wire! {
    /// The command was carried out.
    struct Done {}
}

impl From<()> for Done {
    fn from((): ()) -> Self {
        Self {}
    }
}

mod agents;
mod call;
mod changes;
mod client;
mod clients;
mod command_list;
mod completion;
mod day_bounds;
mod engine;
mod environment;
mod error;
pub mod frame;
mod history;
mod in_json;
mod messages;
mod notifications;
mod open_in;
mod permissions;
mod questions;
mod read_input;
mod sessions;
mod setting_error;
mod settings;
mod storage;
mod system_settings;
mod updates;
mod usage;
mod window;
#[cfg(all(test, feature = "ts"))]
mod wire_types;
mod worktrees;

pub use agents::*;
pub use call::*;
pub use changes::*;
pub use client::*;
pub use clients::*;
pub use completion::*;
pub use day_bounds::*;
pub use engine::*;
pub use environment::*;
pub use error::*;
pub use history::*;
pub use in_json::{FramesInJson, InJson};
pub use messages::*;
pub use notifications::*;
pub use open_in::*;
pub use permissions::*;
pub use questions::*;
pub use read_input::read_input;
pub use sessions::*;
pub use settings::*;
pub use storage::*;
pub use system_settings::*;
pub use updates::*;
pub use usage::*;
pub use window::*;
pub use worktrees::*;
