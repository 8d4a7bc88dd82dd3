//! Runs commands by their names, as the shell's bridge does.

use askdesk_api::Api;
use askdesk_contract::{Call, Engine, Error, InJson};
use serde_json::Value;

/// Calls the engine behind JSON, so that every test of a command shows too that it can cross the line.
pub async fn dispatch(api: &Api, name: &str, input: Value) -> Result<Value, Error> {
    let output = match Call::read(name, input).unwrap_or_else(|| panic!("there is no command {name:?}"))? {
        Call::Engine(call) => InJson(std::sync::Arc::new(api.clone())).call(call).await?,
        Call::Desk(call) => api.call_desk(call).await?,
    };
    Ok(serde_json::from_str(&output).unwrap())
}
