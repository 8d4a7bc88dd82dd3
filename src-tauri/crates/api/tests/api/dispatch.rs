//! Runs commands by their names, as the shell's bridge does.

use askdesk_api::dto::*;
use askdesk_api::{Api, Error, read_input};
use askdesk_client_config::Confirmation;
use askdesk_domain::{Approval, Request, Session, SessionUsage};
use askdesk_engine::helper_outputs::HelperOutput;
use serde_json::Value;

macro_rules! dispatcher {
    ($($name:ident($input:ident) -> $output:ident,)+) => {
        /// The names of all commands, in the order of the list.
        pub const COMMAND_NAMES: &[&str] = &[$(stringify!($name)),+];

        pub async fn dispatch(api: &Api, name: &str, input: Value) -> Result<Value, Error> {
            match name {
                $(stringify!($name) => {
                    let output: $output = api.$name(read_input::<$input>(input)?).await?;
                    Ok(serde_json::to_value(output).unwrap())
                })+
                _ => panic!("there is no command {name:?}"),
            }
        }
    };
}
askdesk_api::for_each_command!(dispatcher);
