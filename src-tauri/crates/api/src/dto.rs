//! The inputs and outputs of the commands: the forms on the wire, by topic.

/// Declares objects of the wire. A field has a doc comment where its name and type don't say everything.
macro_rules! wire {
    ($($(#[$doc:meta])* struct $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }
    )+};
}

/// Declares inputs of commands that change something: each carries `requestId`, the caller's id of this command. A command
/// that is sent again under its id is not carried out again.
macro_rules! commands {
    ($($(#[$doc:meta])* struct $name:ident { $($fields:tt)* })+) => {$(
        wire! { $(#[$doc])* struct $name { request_id: askdesk_domain::CommandId, $($fields)* } }
    )+};
}

wire! {
    /// The command was carried out.
    struct Done {}
}

pub mod agents;
pub mod changes;
pub mod clients;
pub mod completion;
pub mod history;
pub mod messages;
pub mod notifications;
pub mod open_in;
pub mod permissions;
pub mod questions;
pub mod sessions;
pub mod settings;
pub mod storage;
pub mod system_settings;
pub mod updates;
pub mod usage;
pub mod window;
pub mod worktrees;

pub use agents::*;
pub use changes::*;
pub use clients::*;
pub use completion::*;
pub use history::*;
pub use messages::*;
pub use notifications::*;
pub use open_in::*;
pub use permissions::*;
pub use questions::*;
pub use sessions::*;
pub use settings::*;
pub use storage::*;
pub use system_settings::*;
pub use updates::*;
pub use usage::*;
pub use window::*;
pub use worktrees::*;
