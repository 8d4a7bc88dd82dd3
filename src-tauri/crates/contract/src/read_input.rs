//! Reads the input of commands.

use askdesk_domain::ValidationError;
use serde_json::Value;

use crate::{Detail, Error, ErrorCode, setting_error};

/// Parses a command's input. Input that does not parse is [`ErrorCode::Invalid`] and names the field.
pub fn read_input<T: serde::de::DeserializeOwned>(input: Value) -> Result<T, Error> {
    let change = input.get("change").cloned();
    serde_path_to_error::deserialize(input).map_err(|error| {
        let field = error.path().to_string();
        let field = (field != ".").then_some(field);
        let error = Error { field, ..Error::new(ErrorCode::Invalid, error.to_string()) };
        match change.and_then(setting_error::of_change) {
            Some(flaw) => error.with(Detail::Validation { error: ValidationError::Unfit { flaw } }),
            None => error,
        }
    })
}
