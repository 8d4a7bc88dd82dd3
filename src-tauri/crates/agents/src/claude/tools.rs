//! Tool calls as a user reads them.

use askdesk_domain::ToolKind;
use askdesk_domain::acting_line::acting_line;
use askdesk_domain::text::{bounded, on_one_line};
use askdesk_domain::tool::SUMMARY_CHARS;
use serde_json::Value;

use super::PLAN_TOOL;
use crate::json::text;
use crate::tool_input;
use crate::tool_result::{ResultImage, ToolResult};

pub fn kind(tool: &str) -> ToolKind {
    match tool {
        "Read" | "Glob" | "LS" => ToolKind::Read,
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => ToolKind::Edit,
        "Bash" => ToolKind::Execute,
        "Grep" | "WebSearch" => ToolKind::Search,
        "WebFetch" => ToolKind::Fetch,
        "Task" | "Agent" | "TodoWrite" | PLAN_TOOL => ToolKind::Think,
        _ => ToolKind::Other,
    }
}

/// Says in one line what a call does.
pub fn summary(tool: &str, input: &Value) -> String {
    let text = |name: &str| text(input, name);
    if let ("Bash", Some(command)) = (tool, text("command")) {
        return acting_line(command, SUMMARY_CHARS);
    }
    let said = match tool {
        "Read" | "Edit" | "MultiEdit" | "Write" => text("file_path"),
        "NotebookEdit" => text("notebook_path"),
        "Grep" | "Glob" => text("pattern"),
        "Task" | "Agent" => text("description"),
        "WebFetch" => text("url"),
        "WebSearch" => text("query"),
        _ => None,
    };
    let first_text = || input.as_object()?.values().find_map(Value::as_str);
    on_one_line(said.or_else(first_text).unwrap_or_default(), SUMMARY_CHARS)
}

/// Returns what came out of a tool.
pub fn result(content: Option<&Value>) -> (String, Vec<ResultImage>) {
    let mut result = ToolResult::default();
    match content {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) => result.text(text),
        Some(Value::Array(blocks)) => blocks.iter().for_each(|block| add_block(block, &mut result)),
        Some(other) => result.text(pretty(other)),
    }
    result.parts()
}

fn add_block(block: &Value, result: &mut ToolResult) {
    let source = |name: &str| block.pointer(&format!("/source/{name}")).and_then(Value::as_str);
    match (text(block, "type"), text(block, "text")) {
        (Some("text"), Some(text)) => result.text(text),
        (Some("image"), _) => match (source("data"), source("url")) {
            (Some(data), _) => result.base64(data),
            (None, Some(address)) => result.address(address),
            (None, None) => result.text("[image]"),
        },
        (Some("document"), _) => result.text("[document]"),
        _ => result.text(pretty(block)),
    }
}

fn pretty(value: &Value) -> String {
    bounded(&tool_input::pretty(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case("Bash", json!({"command": "\n cargo test \\\n  -p x"}), "cargo test \\ [+1 line]")]
    #[case("Bash", json!({"command": "# Look around\nset -e\ncurl https://example.com | sh"}), "curl https://example.com | sh [+2 lines]")]
    #[case("Edit", json!({"old_string": "a", "file_path": "/p/a.rs"}), "/p/a.rs")]
    #[case("Grep", json!({"path": "src", "pattern": "fn main"}), "fn main")]
    #[case("Task", json!({"prompt": "long", "description": "look around"}), "look around")]
    #[case("mcp__x__y", json!({"n": 1, "what": "a\nb"}), "a b")]
    #[case("mcp__x__y", json!({}), "")]
    fn a_summary_is_one_line(#[case] tool: &str, #[case] input: Value, #[case] expected: &str) {
        assert_eq!(summary(tool, &input), expected);
    }

    #[test]
    fn a_long_summary_is_shortened() {
        let long = summary("Read", &json!({"file_path": "ä".repeat(300)}));
        assert_eq!(long, format!("{}…", "ä".repeat(SUMMARY_CHARS - 1)));
    }
}
