//! The commands of the bridge, made from the one list.

use std::future::Future;

use askdesk_domain::{Approval, Request, Session, ValidationError};
use serde_json::Value;

use crate::dto::*;
use crate::error::{Detail, Error, ErrorCode};
use crate::unfit;

macro_rules! commands_trait {
    ($($name:ident($input:ident) -> $output:ident,)+) => {
        /// Carries out the commands of the bridge; one function for each entry of the list.
        pub trait Commands: Send + Sync {
            $(
                #[doc = concat!("Carries out `", stringify!($name), "`.")]
                fn $name(&self, input: $input) -> impl Future<Output = Result<$output, Error>> + Send;
            )+
        }

        /// The names of all commands, in the order of the list.
        pub const COMMAND_NAMES: &[&str] = &[$(stringify!($name)),+];

        /// Carries out a command that is known by name, from JSON to JSON.
        pub async fn dispatch(commands: &impl Commands, name: &str, input: Value) -> Result<Value, Error> {
            match name {
                $(stringify!($name) => {
                    let output = commands.$name(read_input(input)?).await?;
                    serde_json::to_value(output).map_err(|error| Error::new(ErrorCode::Invalid, error.to_string()))
                })+
                _ => Err(Error::new(ErrorCode::NotFound, format!("there is no command {name:?}"))),
            }
        }
    };
}
crate::for_each_command!(commands_trait);

/// Reads a command's input; what does not fit is an [`ErrorCode::Invalid`] that names the field.
pub fn read_input<T: serde::de::DeserializeOwned>(input: Value) -> Result<T, Error> {
    let change = input.get("change").cloned();
    serde_path_to_error::deserialize(input).map_err(|error| {
        let field = error.path().to_string();
        let field = (field != ".").then_some(field);
        let error = Error { field, ..Error::new(ErrorCode::Invalid, error.to_string()) };
        match change.and_then(unfit::flaw) {
            Some(flaw) => error.with(Detail::Breach { breach: ValidationError::Unfit { flaw } }),
            None => error,
        }
    })
}
