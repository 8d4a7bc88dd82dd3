//! What a tool call does, as far as a user needs to see it. It is never a question, and agents never read it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::text::cut_at;

/// How much of one tool call is stored, in bytes; a longer text in it is cut with [`DETAIL_CUT_MARK`].
pub const DETAIL_BYTES: usize = 256 * 1024;
/// The suffix of a text that was cut.
pub const DETAIL_CUT_MARK: &str = "\n… [cut at 256 KiB]";
/// The longest one-line summary of a tool call, in characters.
pub const SUMMARY_CHARS: usize = 200;
/// How many items of a todo list are stored.
pub const TODO_ITEMS: usize = 1_000;

/// Returns a tool's name as a notification or an export shows it: `find_issue (tracker)` for the agents'
/// `mcp__tracker__find_issue`. Other names stay as they are.
pub fn shown_name(name: &str) -> Cow<'_, str> {
    let parts = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    match parts.filter(|(server, tool)| !server.is_empty() && !tool.is_empty()) {
        Some((server, tool)) => Cow::Owned(format!("{tool} ({server})")),
        None => Cow::Borrowed(name),
    }
}

/// The kind of a tool. The names come from the Agent Client Protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ToolKind {
    Read,
    /// It changes files.
    Edit,
    /// It runs a command.
    Execute,
    Search,
    Fetch,
    /// It plans or delegates.
    Think,
    #[default]
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "detail", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ToolDetail {
    Command {
        /// The command as it would run.
        command: String,
        /// The agent's own description, and every parameter of the call, one per line.
        description: Option<String>,
    },
    /// Reading a file, or a part of one.
    Read {
        path: String,
        /// The first line that it reads, from 1; none for all of the file.
        line: Option<u32>,
        /// Its input as readable text.
        input: String,
    },
    /// A change to a file.
    Edit {
        path: String,
        /// A unified diff without file headers; its line numbers count within the changed text.
        diff: String,
    },
    /// A new or overwritten file.
    Write { path: String, content: String },
    /// The agent's list of tasks.
    Todos { items: Vec<TodoItem> },
    /// A plan that needs approval.
    Plan {
        /// The plan, in Markdown.
        plan: String,
        /// The file that the agent stores it in.
        path: Option<String>,
    },
    /// A connection to another host.
    Network {
        /// The address or host.
        target: String,
    },
    Other {
        /// Its input as readable text.
        input: String,
    },
}

impl ToolDetail {
    /// Renders all of it as plain text.
    pub fn text(&self) -> String {
        let lines = |first: Option<&String>, rest: &String| {
            first.into_iter().chain([rest]).map(String::as_str).collect::<Vec<_>>().join("\n")
        };
        match self {
            Self::Command { command, description } => lines(description.as_ref(), command),
            Self::Edit { path, diff } => lines(Some(path), diff),
            Self::Write { path, content } => lines(Some(path), content),
            Self::Todos { items } => items.iter().map(TodoItem::line).collect::<Vec<_>>().join("\n"),
            Self::Plan { plan, path } => lines(path.as_ref(), plan),
            Self::Network { target } => target.clone(),
            Self::Read { input, .. } | Self::Other { input } => input.clone(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TodoItem {
    pub text: String,
    pub status: TodoStatus,
}

impl TodoItem {
    fn line(&self) -> String {
        let mark = match self.status {
            TodoStatus::Pending => "[ ]",
            TodoStatus::InProgress => "[~]",
            TodoStatus::Done => "[x]",
        };
        format!("{mark} {}", self.text)
    }
}

/// The state of a todo item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum TodoStatus {
    Pending,
    InProgress,
    Done,
}

impl ToolDetail {
    /// Cuts long texts, so that the whole stays within [`DETAIL_BYTES`].
    pub fn bounded(self) -> Self {
        // All texts besides the main one get at most a quarter in total.
        const SMALL: usize = DETAIL_BYTES / 8;
        const MAIN: usize = DETAIL_BYTES - 2 * SMALL;
        let small = |text: String| cut_at(text, SMALL, DETAIL_CUT_MARK);
        let main = |text: String| cut_at(text, MAIN, DETAIL_CUT_MARK);
        match self {
            Self::Command { command, description } => {
                Self::Command { command: main(command), description: description.map(small) }
            }
            Self::Read { path, line, input } => Self::Read { path: small(path), line, input: main(input) },
            Self::Edit { path, diff } => Self::Edit { path: small(path), diff: main(diff) },
            Self::Write { path, content } => Self::Write { path: small(path), content: main(content) },
            Self::Todos { items } => Self::Todos { items: bounded_items(items, MAIN) },
            Self::Plan { plan, path } => Self::Plan { plan: main(plan), path: path.map(small) },
            Self::Network { target } => Self::Network { target: main(target) },
            Self::Other { input } => Self::Other { input: main(input) },
        }
    }

    /// Returns whether any of its texts was cut.
    pub fn is_cut(&self) -> bool {
        let cut = |text: &str| text.ends_with(DETAIL_CUT_MARK);
        match self {
            Self::Command { command, description } => cut(command) || description.as_deref().is_some_and(cut),
            Self::Read { path, input: text, .. }
            | Self::Edit { path, diff: text }
            | Self::Write { path, content: text }
            | Self::Plan { plan: text, path: Some(path) } => cut(path) || cut(text),
            Self::Plan { plan: text, path: None }
            | Self::Network { target: text }
            | Self::Other { input: text } => cut(text),
            Self::Todos { items } => items.last().is_some_and(|item| cut(&item.text)),
        }
    }
}

/// Keeps the first items that fit; the last one says that there were more.
fn bounded_items(items: Vec<TodoItem>, bytes: usize) -> Vec<TodoItem> {
    let mut kept: Vec<TodoItem> = Vec::new();
    let mut left = bytes;
    for (place, mut item) in items.into_iter().enumerate() {
        let fits = place < TODO_ITEMS && item.text.len() < left;
        if fits {
            left -= item.text.len();
            kept.push(item);
            continue;
        }
        item.text = cut_at(item.text, left.min(DETAIL_CUT_MARK.len()), "") + DETAIL_CUT_MARK;
        kept.push(item);
        break;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page names the tools of this file in the same way.
    #[test]
    fn a_tool_of_a_server_is_named_with_it() {
        let cases: Vec<(String, String)> = serde_json::from_str(include_str!("tool_names.json")).unwrap();
        for (name, expected) in cases {
            assert_eq!(shown_name(&name), expected);
        }
    }

    fn bytes(detail: &ToolDetail) -> usize {
        match detail {
            ToolDetail::Command { command, description } => {
                command.len() + description.as_ref().map_or(0, String::len)
            }
            ToolDetail::Read { path, input: text, .. }
            | ToolDetail::Edit { path, diff: text }
            | ToolDetail::Write { path, content: text } => path.len() + text.len(),
            ToolDetail::Todos { items } => items.iter().map(|item| item.text.len()).sum(),
            ToolDetail::Plan { plan, path } => plan.len() + path.as_ref().map_or(0, String::len),
            ToolDetail::Network { target } => target.len(),
            ToolDetail::Other { input } => input.len(),
        }
    }

    #[test]
    fn a_detail_over_the_bound_is_cut_and_marked() {
        let long = || "ä".repeat(DETAIL_BYTES);
        let item = |text: String| TodoItem { text, status: TodoStatus::Pending };
        let details = [
            ToolDetail::Command { command: long(), description: Some(long()) },
            ToolDetail::Read { path: long(), line: Some(3), input: long() },
            ToolDetail::Edit { path: long(), diff: long() },
            ToolDetail::Write { path: "/f".to_owned(), content: long() },
            ToolDetail::Todos { items: vec![item("a".to_owned()), item(long()), item("z".to_owned())] },
            ToolDetail::Todos { items: vec![item("a".to_owned()); TODO_ITEMS + 5] },
            ToolDetail::Plan { plan: long(), path: None },
            ToolDetail::Network { target: long() },
            ToolDetail::Other { input: long() },
        ];
        for detail in details {
            let cut = detail.clone().bounded();
            assert!(bytes(&cut) <= DETAIL_BYTES, "{}", bytes(&cut));
            assert!(cut.is_cut() && !detail.is_cut());
        }
        let short = ToolDetail::Todos { items: vec![item("a".to_owned()), item("b".to_owned())] };
        assert_eq!(short.clone().bounded(), short);
        assert!(!short.is_cut());
    }
}
