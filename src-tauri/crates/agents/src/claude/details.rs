//! Tool calls as a user judges them: all fields of the input are shown, except fields that are null or false, and
//! additional fields of a plan or a to-do item.

use askdesk_domain::{TodoItem, TodoStatus, ToolDetail};
use askdesk_line_diff::{MissingNewline, unified};
use serde_json::Value;

use super::PLAN_TOOL;
use crate::json::text;
use crate::tool_input::pretty;

/// Says what exactly a call would run or change.
pub(super) fn detail(tool: &str, input: &Value) -> ToolDetail {
    let known = match tool {
        "Bash" => command(input),
        "Read" => read(input),
        "Edit" => edit(input),
        "MultiEdit" => several_edits(input),
        "Write" => write(input),
        "NotebookEdit" => notebook(input),
        "TodoWrite" => todos(input),
        PLAN_TOOL => Some(plan(input)),
        _ => None,
    };
    known.unwrap_or_else(|| ToolDetail::Other { input: pretty(input) }).bounded()
}

/// Lists the other fields of an input, one per line, except those that are not set or off.
fn others(input: &Value, taken: &[&str]) -> Vec<String> {
    let is_set = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
    let all = input.as_object().into_iter().flatten();
    let rest = all.filter(|(name, value)| !taken.contains(&name.as_str()) && is_set(value));
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    rest.map(|(name, value)| format!("{name}: {}", shown(value))).collect()
}

fn command(input: &Value) -> Option<ToolDetail> {
    let command = text(input, "command")?.to_owned();
    let said = text(input, "description").filter(|words| !words.trim().is_empty()).map(str::to_owned);
    let lines: Vec<String> = said.into_iter().chain(others(input, &["command", "description"])).collect();
    let description = (!lines.is_empty()).then(|| lines.join("\n"));
    Some(ToolDetail::Command { command, description })
}

fn read(input: &Value) -> Option<ToolDetail> {
    let path = text(input, "file_path")?.to_owned();
    let line = input.get("offset").and_then(Value::as_u64).and_then(|line| line.try_into().ok());
    Some(ToolDetail::Read { path, line: line.filter(|&line| line > 0), input: pretty(input) })
}

fn edit(input: &Value) -> Option<ToolDetail> {
    let path = text(input, "file_path")?.to_owned();
    let (old, new) = (text(input, "old_string")?, text(input, "new_string")?);
    let beside = others(input, &["file_path", "old_string", "new_string"]);
    Some(ToolDetail::Edit { path, diff: difference(old, new, &beside) })
}

fn several_edits(input: &Value) -> Option<ToolDetail> {
    let path = text(input, "file_path")?.to_owned();
    let mut diff = String::new();
    for edit in input.get("edits")?.as_array()? {
        let (old, new) = (text(edit, "old_string")?, text(edit, "new_string")?);
        diff.push_str(&difference(old, new, &others(edit, &["old_string", "new_string"])));
    }
    others(input, &["file_path", "edits"]).is_empty().then_some(ToolDetail::Edit { path, diff })
}

fn write(input: &Value) -> Option<ToolDetail> {
    let (path, content) = (text(input, "file_path")?, text(input, "content")?);
    let whole = others(input, &["file_path", "content"]).is_empty();
    whole.then(|| ToolDetail::Write { path: path.to_owned(), content: content.to_owned() })
}

/// The call does not contain the old content of the cell, so the diff shows the new content only.
fn notebook(input: &Value) -> Option<ToolDetail> {
    let path = text(input, "notebook_path")?.to_owned();
    let source = text(input, "new_source").unwrap_or_default();
    let beside = others(input, &["notebook_path", "new_source"]);
    Some(ToolDetail::Edit { path, diff: difference("", source, &beside) })
}

fn todos(input: &Value) -> Option<ToolDetail> {
    let item = |item: &Value| {
        let status = match text(item, "status")? {
            "pending" => TodoStatus::Pending,
            "in_progress" => TodoStatus::InProgress,
            "completed" => TodoStatus::Done,
            _ => return None,
        };
        Some(TodoItem { text: text(item, "content")?.to_owned(), status })
    };
    let items: Option<Vec<TodoItem>> = input.get("todos")?.as_array()?.iter().map(item).collect();
    items.filter(|_| others(input, &["todos"]).is_empty()).map(|items| ToolDetail::Todos { items })
}

/// An agent that has written no plan yet asks with an empty input.
fn plan(input: &Value) -> ToolDetail {
    ToolDetail::Plan {
        plan: text(input, "plan").unwrap_or_default().to_owned(),
        path: text(input, "planFilePath").map(str::to_owned),
    }
}

/// Returns the hunks of a unified diff. The other fields of the call follow the range of the first hunk.
fn difference(old: &str, new: &str, others: &[String]) -> String {
    let hunks = unified(old, new, MissingNewline::Ignored);
    if others.is_empty() {
        return hunks;
    }
    let others = others.join(", ").replace(['\n', '\r'], " ");
    match hunks.split_once('\n') {
        Some((place, rest)) => format!("{place} {others}\n{rest}"),
        None => format!("@@ -0,0 +0,0 @@ {others}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn command(command: &str, description: Option<&str>) -> ToolDetail {
        ToolDetail::Command { command: command.to_owned(), description: description.map(str::to_owned) }
    }

    fn read(path: &str, line: Option<u32>, input: &str) -> ToolDetail {
        ToolDetail::Read { path: path.to_owned(), line, input: input.to_owned() }
    }

    fn edit(diff: &str) -> ToolDetail {
        ToolDetail::Edit { path: "/f".to_owned(), diff: diff.to_owned() }
    }

    fn other(input: &str) -> ToolDetail {
        ToolDetail::Other { input: input.to_owned() }
    }

    #[rstest]
    #[case("Bash", json!({"command": "ls", "description": "Lists"}), command("ls", Some("Lists")))]
    #[case("Bash", json!({"command": "ls"}), command("ls", None))]
    #[case("Bash", json!({"command": "ls", "description": "Lists", "run_in_background": true, "timeout": 5, "x": false}),
        command("ls", Some("Lists\nrun_in_background: true\ntimeout: 5")))]
    #[case("Bash", json!({"cmd": "ls"}), other("{\n  \"cmd\": \"ls\"\n}"))]
    #[case("Read", json!({"file_path": "/f"}), read("/f", None, "{\n  \"file_path\": \"/f\"\n}"))]
    #[case("Read", json!({"file_path": "a b", "offset": 12, "limit": 3}),
        read("a b", Some(12), "{\n  \"file_path\": \"a b\",\n  \"offset\": 12,\n  \"limit\": 3\n}"))]
    #[case("Read", json!({"file_path": "/f", "offset": 0}), read("/f", None, "{\n  \"file_path\": \"/f\",\n  \"offset\": 0\n}"))]
    #[case("Edit", json!({"file_path": "/f", "old_string": "a\nb\n", "new_string": "a\nc\n", "replace_all": false}),
        edit("@@ -1,2 +1,2 @@\n a\n-b\n+c\n"))]
    #[case("Edit", json!({"file_path": "/f", "old_string": "a\n", "new_string": "", "replace_all": true}),
        edit("@@ -1 +0,0 @@ replace_all: true\n-a\n"))]
    #[case("MultiEdit", json!({"file_path": "/f", "edits": [
        {"old_string": "a\n", "new_string": "b\n"}, {"old_string": "c\n", "new_string": "d\n", "replace_all": true}]}),
        edit("@@ -1 +1 @@\n-a\n+b\n@@ -1 +1 @@ replace_all: true\n-c\n+d\n"))]
    #[case("NotebookEdit", json!({"notebook_path": "/f", "new_source": "x\n", "cell_id": "c1"}),
        edit("@@ -0,0 +1 @@ cell_id: c1\n+x\n"))]
    #[case("NotebookEdit", json!({"notebook_path": "/f", "new_source": "", "edit_mode": "delete"}),
        edit("@@ -0,0 +0,0 @@ edit_mode: delete\n"))]
    #[case("Write", json!({"file_path": "/f", "content": "x\ny\n"}),
        ToolDetail::Write { path: "/f".to_owned(), content: "x\ny\n".to_owned() })]
    #[case("Write", json!({"file_path": "/f", "content": "x", "mode": "0777"}),
        other("{\n  \"file_path\": \"/f\",\n  \"content\": \"x\",\n  \"mode\": \"0777\"\n}"))]
    #[case("TodoWrite", json!({"todos": [{"content": "a", "status": "completed", "activeForm": "doing a"},
        {"content": "b", "status": "in_progress"}]}),
        ToolDetail::Todos { items: vec![
            TodoItem { text: "a".to_owned(), status: TodoStatus::Done },
            TodoItem { text: "b".to_owned(), status: TodoStatus::InProgress }] })]
    #[case("TodoWrite", json!({"todos": [{"content": "a", "status": "later"}]}),
        other("{\n  \"todos\": [\n    {\n      \"content\": \"a\",\n      \"status\": \"later\"\n    }\n  ]\n}"))]
    #[case("ExitPlanMode", json!({"plan": "# P", "planFilePath": "/p.md"}),
        ToolDetail::Plan { plan: "# P".to_owned(), path: Some("/p.md".to_owned()) })]
    #[case("ExitPlanMode", json!({}), ToolDetail::Plan { plan: String::new(), path: None })]
    #[case("mcp__x__y", json!({"n": 1.5}), other("{\n  \"n\": 1.5\n}"))]
    #[case("mcp__x__y", json!({}), other(""))]
    fn a_call_is_shown_for_what_it_does_and_nothing_of_it_is_hidden(
        #[case] tool: &str,
        #[case] input: Value,
        #[case] expected: ToolDetail,
    ) {
        assert_eq!(detail(tool, &input), expected);
    }
}
