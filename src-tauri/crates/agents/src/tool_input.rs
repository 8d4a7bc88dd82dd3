//! The input of a tool that is shown as it came.

use serde_json::Value;

/// What a tool of an MCP server is called, as rules of every agent write it.
pub(crate) fn mcp_name(server: &str, tool: &str) -> String {
    format!("mcp__{server}__{tool}")
}

/// Writes JSON on several lines; nothing for an empty input.
pub(crate) fn pretty(input: &Value) -> String {
    match input {
        Value::Null => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        input => serde_json::to_string_pretty(input).unwrap_or_else(|_| input.to_string()),
    }
}
