//! Tool calls in the form in which a person judges them: nothing of the input is left out.

use std::time::Duration;

use askdesk_domain::{TodoItem, TodoStatus, ToolDetail};
use serde_json::{Map, Value};
use similar::TextDiff;

use super::PLAN_TOOL;

/// How long a difference is looked for before a coarser one is taken.
const DIFF_TIME: Duration = Duration::from_millis(200);

/// Says what exactly a call would run or change.
pub(super) fn detail(tool: &str, input: &Value) -> ToolDetail {
    let fields = Fields::of(input);
    let known = match tool {
        "Bash" => command(&fields),
        "Edit" => edit(&fields),
        "MultiEdit" => several_edits(&fields),
        "Write" => write(&fields),
        "NotebookEdit" => notebook(&fields),
        "TodoWrite" => todos(&fields),
        PLAN_TOOL => Some(plan(&fields)),
        _ => None,
    };
    known.unwrap_or_else(|| ToolDetail::Other { input: pretty(input) }).bounded()
}

struct Fields<'a>(Option<&'a Map<String, Value>>);

impl<'a> Fields<'a> {
    fn of(input: &'a Value) -> Self {
        Self(input.as_object())
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0?.get(name)
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        self.get(name)?.as_str()
    }

    /// Lists what the call says beside these fields, a line each; what is not set or off says nothing.
    fn beside(&self, taken: &[&str]) -> Vec<String> {
        let says = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
        let all = self.0.into_iter().flatten();
        let rest = all.filter(|(name, value)| !taken.contains(&name.as_str()) && says(value));
        rest.map(|(name, value)| match value {
            Value::String(text) => format!("{name}: {text}"),
            other => format!("{name}: {other}"),
        })
        .collect()
    }
}

fn command(fields: &Fields<'_>) -> Option<ToolDetail> {
    let command = fields.text("command")?.to_owned();
    let said = fields.text("description").filter(|words| !words.trim().is_empty()).map(str::to_owned);
    let lines: Vec<String> = said.into_iter().chain(fields.beside(&["command", "description"])).collect();
    let description = (!lines.is_empty()).then(|| lines.join("\n"));
    Some(ToolDetail::Command { command, description })
}

fn edit(fields: &Fields<'_>) -> Option<ToolDetail> {
    let path = fields.text("file_path")?.to_owned();
    let (old, new) = (fields.text("old_string")?, fields.text("new_string")?);
    let beside = fields.beside(&["file_path", "old_string", "new_string"]);
    Some(ToolDetail::Edit { path, diff: difference(old, new, &beside) })
}

fn several_edits(fields: &Fields<'_>) -> Option<ToolDetail> {
    let path = fields.text("file_path")?.to_owned();
    let mut diff = String::new();
    for edit in fields.get("edits")?.as_array()? {
        let edit = Fields::of(edit);
        let (old, new) = (edit.text("old_string")?, edit.text("new_string")?);
        diff.push_str(&difference(old, new, &edit.beside(&["old_string", "new_string"])));
    }
    fields.beside(&["file_path", "edits"]).is_empty().then_some(ToolDetail::Edit { path, diff })
}

fn write(fields: &Fields<'_>) -> Option<ToolDetail> {
    let (path, content) = (fields.text("file_path")?, fields.text("content")?);
    let whole = fields.beside(&["file_path", "content"]).is_empty();
    whole.then(|| ToolDetail::Write { path: path.to_owned(), content: content.to_owned() })
}

/// What a cell held is not in the call, so only what it will hold is shown.
fn notebook(fields: &Fields<'_>) -> Option<ToolDetail> {
    let path = fields.text("notebook_path")?.to_owned();
    let source = fields.text("new_source").unwrap_or_default();
    let beside = fields.beside(&["notebook_path", "new_source"]);
    Some(ToolDetail::Edit { path, diff: difference("", source, &beside) })
}

fn todos(fields: &Fields<'_>) -> Option<ToolDetail> {
    let item = |item: &Value| {
        let item = Fields::of(item);
        let status = match item.text("status")? {
            "pending" => TodoStatus::Pending,
            "in_progress" => TodoStatus::InProgress,
            "completed" => TodoStatus::Done,
            _ => return None,
        };
        Some(TodoItem { text: item.text("content")?.to_owned(), status })
    };
    let items: Option<Vec<TodoItem>> = fields.get("todos")?.as_array()?.iter().map(item).collect();
    items.filter(|_| fields.beside(&["todos"]).is_empty()).map(|items| ToolDetail::Todos { items })
}

/// An agent that has written no plan yet asks with an empty input.
fn plan(fields: &Fields<'_>) -> ToolDetail {
    ToolDetail::Plan {
        plan: fields.text("plan").unwrap_or_default().to_owned(),
        path: fields.text("planFilePath").map(str::to_owned),
    }
}

/// Returns the hunks of a unified diff; what else the call says stands behind the first hunk's place.
fn difference(old: &str, new: &str, beside: &[String]) -> String {
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(old, new);
    // A piece of a line is no last line of a file, so nothing is said of the line feed it lacks.
    let hunks = diff.unified_diff().missing_newline_hint(false).to_string();
    if beside.is_empty() {
        return hunks;
    }
    let beside = beside.join(", ").replace(['\n', '\r'], " ");
    match hunks.split_once('\n') {
        Some((place, rest)) => format!("{place} {beside}\n{rest}"),
        None => format!("@@ -0,0 +0,0 @@ {beside}\n"),
    }
}

pub(super) fn pretty(input: &Value) -> String {
    match input {
        Value::Null => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        input => serde_json::to_string_pretty(input).unwrap_or_else(|_| input.to_string()),
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
