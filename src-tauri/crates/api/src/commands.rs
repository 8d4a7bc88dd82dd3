//! Dispatch of the bridge commands by name, generated from the one list.

use askdesk_client_config::Confirmation;
use askdesk_domain::{Approval, Request, Session, SessionUsage, ValidationError};
use serde_json::Value;

use crate::api::Api;
use crate::dto::*;
use crate::error::{Detail, Error, ErrorCode};
use crate::setting_error;

macro_rules! dispatcher {
    ($($name:ident($input:ident) -> $output:ident,)+) => {
        /// The names of all commands, in the order of the list.
        pub const COMMAND_NAMES: &[&str] = &[$(stringify!($name)),+];

        /// Runs the command with this name, from JSON to JSON.
        pub async fn dispatch(api: &Api, name: &str, input: Value) -> Result<Value, Error> {
            match name {
                $(stringify!($name) => {
                    let output: $output = api.$name(read_input::<$input>(input)?).await?;
                    serde_json::to_value(output).map_err(|error| Error::new(ErrorCode::Invalid, error.to_string()))
                })+
                _ => Err(Error::new(ErrorCode::NotFound, format!("there is no command {name:?}"))),
            }
        }
    };
}
crate::for_each_command!(dispatcher);

/// Parses a command's input. Input that does not parse is [`ErrorCode::Invalid`] and names the field.
pub fn read_input<T: serde::de::DeserializeOwned>(input: Value) -> Result<T, Error> {
    let change = input.get("change").cloned();
    serde_path_to_error::deserialize(input).map_err(|error| {
        let field = error.path().to_string();
        let field = (field != ".").then_some(field);
        let error = Error { field, ..Error::new(ErrorCode::Invalid, error.to_string()) };
        match change.and_then(setting_error::of_change) {
            Some(flaw) => error.with(Detail::Breach { breach: ValidationError::Unfit { flaw } }),
            None => error,
        }
    })
}
