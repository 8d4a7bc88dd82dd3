//! The input of a tool that is shown as it came.

use serde_json::Value;

/// Writes JSON on several lines; nothing for an empty input.
pub(crate) fn pretty(input: &Value) -> String {
    match input {
        Value::Null => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        input => serde_json::to_string_pretty(input).unwrap_or_else(|_| input.to_string()),
    }
}
