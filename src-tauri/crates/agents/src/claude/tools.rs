//! Tool calls as a person reads them.

use askdesk_domain::text::bounded;
use serde_json::{Map, Value};

/// The longest one-line summary of a tool call, in characters.
pub const SUMMARY_CHARS: usize = 200;

/// Says in one line what a call does.
pub fn summary(tool: &str, input: &Value) -> String {
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    let said = match tool {
        "Bash" => text("command").and_then(|command| command.lines().find(|line| !line.trim().is_empty())),
        "Read" | "Edit" | "MultiEdit" | "Write" => text("file_path"),
        "NotebookEdit" => text("notebook_path"),
        "Grep" | "Glob" => text("pattern"),
        "Task" | "Agent" => text("description"),
        "WebFetch" => text("url"),
        "WebSearch" => text("query"),
        _ => None,
    };
    let first_text = || input.as_object()?.values().find_map(Value::as_str);
    one_line(said.or_else(first_text).unwrap_or_default())
}

/// Says as text what exactly a call would run or change; nothing of the input is left out.
pub fn readable(tool: &str, input: &Value) -> String {
    let fields = match input {
        Value::Object(fields) if fields.is_empty() => return String::new(),
        Value::Object(fields) => fields,
        Value::Null => return String::new(),
        other => return pretty(other),
    };
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let (shown, taken): (String, &[&str]) = match tool {
        "Bash" => match text("command") {
            Some(command) => (command.to_owned(), &["command", "description"]),
            None => return pretty(input),
        },
        "Edit" => match (text("file_path"), text("old_string"), text("new_string")) {
            (Some(path), Some(old), Some(new)) => {
                (format!("{path}\n{}", change(old, new)), &["file_path", "old_string", "new_string"])
            }
            _ => return pretty(input),
        },
        "Write" => match (text("file_path"), text("content")) {
            (Some(path), Some(content)) => {
                (format!("{path}\n{}", marked('+', content)), &["file_path", "content"])
            }
            _ => return pretty(input),
        },
        "Read" => match text("file_path") {
            Some(path) => (path.to_owned(), &["file_path"]),
            None => return pretty(input),
        },
        "ExitPlanMode" => match text("plan") {
            Some(plan) => (plan.to_owned(), &["plan"]),
            None => return pretty(input),
        },
        _ => return pretty(input),
    };
    // What the call says beside the main thing comes first: a long text must not push it past the cut.
    bounded(&format!("{}{shown}", beside(fields, taken)))
}

fn beside(fields: &Map<String, Value>, taken: &[&str]) -> String {
    let usual = |name: &str, value: &Value| name == "replace_all" && *value == Value::Bool(false);
    let rest = fields.iter().filter(|(name, value)| !taken.contains(&name.as_str()) && !usual(name, value));
    let lines: String = rest.map(|(name, value)| format!("{name}: {value}\n")).collect();
    if lines.is_empty() { lines } else { format!("{lines}\n") }
}

/// Returns what came out of a tool as text.
pub fn output(content: Option<&Value>) -> String {
    match content {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => bounded(text),
        Some(Value::Array(blocks)) => {
            let parts: Vec<String> = blocks.iter().map(block_text).collect();
            bounded(&parts.join("\n"))
        }
        Some(other) => pretty(other),
    }
}

fn block_text(block: &Value) -> String {
    let text = |name: &str| block.get(name).and_then(Value::as_str);
    match (text("type"), text("text")) {
        (Some("text"), Some(text)) => text.to_owned(),
        (Some(kind @ ("image" | "document")), _) => format!("[{kind}]"),
        _ => pretty(block),
    }
}

fn change(old: &str, new: &str) -> String {
    match (old.is_empty(), new.is_empty()) {
        (true, _) => marked('+', new),
        (_, true) => marked('-', old),
        _ => format!("{}\n{}", marked('-', old), marked('+', new)),
    }
}

fn marked(mark: char, text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("{mark} {line}")).collect();
    lines.join("\n")
}

fn pretty(value: &Value) -> String {
    bounded(&serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()))
}

/// Puts a text on one line of at most [`SUMMARY_CHARS`] characters.
fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(SUMMARY_CHARS) {
        None => words,
        Some(_) => words.chars().take(SUMMARY_CHARS - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case("Bash", json!({"command": "\n cargo test \\\n  -p x"}), "cargo test \\")]
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

    #[rstest]
    #[case("Bash", json!({"command": "ls", "description": "Lists"}), "ls")]
    #[case("Bash", json!({"command": "ls", "run_in_background": true}), "run_in_background: true\n\nls")]
    #[case("Edit", json!({"file_path": "/f", "old_string": "a\nb", "new_string": "c", "replace_all": false}),
        "/f\n- a\n- b\n+ c")]
    #[case("Edit", json!({"file_path": "/f", "old_string": "a", "new_string": "", "replace_all": true}),
        "replace_all: true\n\n/f\n- a")]
    #[case("Write", json!({"file_path": "/f", "content": "x\ny\n"}), "/f\n+ x\n+ y")]
    #[case("ExitPlanMode", json!({}), "")]
    #[case("mcp__x__y", json!({"n": 1.5}), "{\n  \"n\": 1.5\n}")]
    fn an_input_is_readable_and_nothing_of_it_is_hidden(
        #[case] tool: &str,
        #[case] input: Value,
        #[case] expected: &str,
    ) {
        assert_eq!(readable(tool, &input), expected);
    }
}
