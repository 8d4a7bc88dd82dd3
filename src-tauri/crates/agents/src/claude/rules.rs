//! How the user's own permission rules reach Claude Code.
//!
//! Claude Code asks for permission only where its own rules don't decide. A hook on the session's pipe tells us of every tool
//! call before that; a call that a rule matches is then asked for in any case, and decided like every permission request.

use askdesk_domain::{CallArgument, NativeRef, PermissionCall};
use serde_json::{Value, json};

use super::replies::reply;
use super::{ClaudeAdapter, PLAN_TOOL, QUESTION_TOOL};
use crate::adapter::Output;
use crate::event::{InputError, Requests};
use crate::json::text;

/// The id by which the agent calls the hook.
const CALLBACK: &str = "askdesk-rules";
/// How long the agent waits for us, in seconds. After that, it goes on by its own rules, so a call that a rule denies could run.
const TIMEOUT: u32 = 24 * 60 * 60;
/// Every tool but those that ask the user. A regular expression of JavaScript.
const MATCHER: &str = "^(?!AskUserQuestion$|ExitPlanMode$|mcp__.+__ask_(?:user|user_question|person)$).+$";
/// The most arguments of one call that are compared with a rule.
const TEXTS: usize = 1_000;

pub(super) fn hooks() -> Value {
    json!({"PreToolUse": [{"matcher": MATCHER, "hookCallbackIds": [CALLBACK], "timeout": TIMEOUT}]})
}

impl ClaudeAdapter {
    /// The agent is about to call a tool, and waits for us.
    pub(super) fn on_hook(&mut self, request_id: &NativeRef, request: &Value, out: &mut Output) {
        let input = request.get("input").unwrap_or(&Value::Null);
        let Some(tool) = text(input, "tool_name") else {
            out.invalid(InputError::Incomplete { field: "tool_name" });
            return out.line(reviewed(request_id, false));
        };
        match call_of(tool, input.get("tool_input").unwrap_or(&Value::Null)) {
            Some(call) => {
                out.event(Requests::ToolCallProposed { native_ref: request_id.clone(), call });
            }
            None => out.line(reviewed(request_id, false)),
        }
    }
}

/// Encodes whether a proposed call needs a permission, or is left to the agent's own rules.
pub(super) fn reviewed(request_id: &NativeRef, ask: bool) -> String {
    let decision = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "ask",
        "permissionDecisionReason": "A permission rule of the user applies.",
    }});
    reply(request_id.as_str(), &if ask { decision } else { json!({}) })
}

/// Returns a call as rules see it; none for a question and a plan, which no rule decides.
pub(super) fn call_of(tool: &str, input: &Value) -> Option<PermissionCall> {
    if asks_the_user(tool) {
        return None;
    }
    let names = std::iter::once(tool).chain(family(tool)).chain(server(tool));
    Some(PermissionCall { tools: names.map(str::to_owned).collect(), arguments: arguments(tool, input) })
}

fn asks_the_user(tool: &str) -> bool {
    let asks = |name: &str| matches!(name, "ask_user" | "ask_user_question" | "ask_person");
    let own = tool.strip_prefix("mcp__").and_then(|rest| rest.rsplit_once("__"));
    matches!(tool, QUESTION_TOOL | PLAN_TOOL) || own.is_some_and(|(_, name)| asks(name))
}

/// The tool under whose name rules of Claude Code also cover this one.
fn family(tool: &str) -> Option<&'static str> {
    match tool {
        "Write" | "MultiEdit" | "NotebookEdit" => Some("Edit"),
        "Grep" | "Glob" | "LS" | "NotebookRead" => Some("Read"),
        "Task" => Some("Agent"),
        "Agent" => Some("Task"),
        _ => None,
    }
}

/// A rule may name a whole MCP server: `mcp__tracker`.
fn server(tool: &str) -> Option<&str> {
    tool.starts_with("mcp__").then(|| tool.rsplit_once("__").map(|(server, _)| server)).flatten()
}

fn arguments(tool: &str, input: &Value) -> Vec<CallArgument> {
    let searched = text(input, "path").filter(|path| !path.is_empty()).unwrap_or(".");
    // A search names files by a pattern, relative to the folder that it searches.
    let found = |pattern: String| match pattern.starts_with(['/', '~', '\\']) || pattern.contains(':') {
        true => CallArgument::Path(pattern),
        false => CallArgument::Path(format!("{searched}/{pattern}")),
    };
    let fields = input.as_object().into_iter().flatten();
    let known = fields.filter_map(|(name, value)| {
        let text = value.as_str()?.to_owned();
        match name.as_str() {
            "command" => Some(CallArgument::Command(text)),
            "file_path" | "notebook_path" | "path" => Some(CallArgument::Path(text)),
            "glob" => Some(found(text)),
            "pattern" if tool == "Glob" => Some(found(text)),
            "url" => Some(CallArgument::Address(text)),
            _ => None,
        }
    });
    let mut arguments: Vec<CallArgument> = known.collect();
    let by_field = matches!(
        tool,
        "Bash"
            | "Read"
            | "Edit"
            | "MultiEdit"
            | "Write"
            | "NotebookEdit"
            | "NotebookRead"
            | "Grep"
            | "Glob"
            | "LS"
            | "WebFetch"
    );
    if !by_field || arguments.is_empty() {
        texts(input, &mut arguments);
    }
    arguments
}

fn texts(value: &Value, found: &mut Vec<CallArgument>) {
    if found.len() > TEXTS {
        return;
    }
    match value {
        Value::String(_) | Value::Number(_) if found.len() == TEXTS => found.push(CallArgument::Uncompared),
        Value::String(text) => found.push(CallArgument::Text(text.clone())),
        Value::Number(number) => found.push(CallArgument::Text(number.to_string())),
        Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| texts(value, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn command(text: &str) -> CallArgument {
        CallArgument::Command(text.to_owned())
    }

    fn path(text: &str) -> CallArgument {
        CallArgument::Path(text.to_owned())
    }

    fn plain(text: &str) -> CallArgument {
        CallArgument::Text(text.to_owned())
    }

    #[rstest]
    #[case("Bash", json!({"command": "ls", "description": "Lists"}), &["Bash"], &[command("ls")])]
    #[case("Write", json!({"file_path": "/f", "content": "x"}), &["Write", "Edit"], &[path("/f")])]
    #[case("Grep", json!({"pattern": "x", "path": "src"}), &["Grep", "Read"], &[path("src")])]
    #[case("Grep", json!({"pattern": "x"}), &["Grep", "Read"], &[plain("x")])]
    #[case("Grep", json!({"glob": ".env", "path": ".", "pattern": "x"}), &["Grep", "Read"], &[path("./.env"), path(".")])]
    #[case("Grep", json!({"glob": "/p/.env", "pattern": "x"}), &["Grep", "Read"], &[path("/p/.env")])]
    #[case("Glob", json!({"path": "/p", "pattern": "**/.env"}), &["Glob", "Read"], &[path("/p"), path("/p/**/.env")])]
    #[case("Glob", json!({"pattern": "**/.env"}), &["Glob", "Read"], &[path("./**/.env")])]
    #[case("WebFetch", json!({"url": "https://a.b/", "prompt": "x"}), &["WebFetch"],
        &[CallArgument::Address("https://a.b/".to_owned())])]
    #[case("Agent", json!({"prompt": "look"}), &["Agent", "Task"], &[plain("look")])]
    #[case("mcp__shell__run", json!({"command": "ls", "more": [{"a": "b"}, 1]}), &["mcp__shell__run", "mcp__shell"],
        &[command("ls"), plain("ls"), plain("b"), plain("1")])]
    #[case("mcp__tracker__close_issue", json!({"issue": 17}), &["mcp__tracker__close_issue", "mcp__tracker"], &[plain("17")])]
    #[case("TodoWrite", json!({}), &["TodoWrite"], &[])]
    fn a_call_is_known_by_its_names_and_its_arguments(
        #[case] tool: &str,
        #[case] input: Value,
        #[case] names: &[&str],
        #[case] arguments: &[CallArgument],
    ) {
        let call = call_of(tool, &input).unwrap();
        assert_eq!(
            (call.tools, call.arguments.as_slice()),
            (names.iter().map(|&name| name.into()).collect(), arguments)
        );
    }

    #[test]
    fn case_100_texts_beyond_the_bound_make_every_rule_match() {
        let fillers: Vec<Value> = (0..TEXTS).map(|n| json!(format!("x{n}"))).collect();
        let most = call_of("mcp__tracker__close_issue", &json!({"a": fillers})).unwrap();
        assert_eq!(most.arguments.last(), Some(&plain("x999")));
        for more in [json!(["ASK-17"]), json!([17, 18])] {
            let call = call_of("mcp__tracker__close_issue", &json!({"a": fillers, "b": more})).unwrap();
            assert_eq!(call.arguments.len(), TEXTS + 1);
            assert_eq!(call.arguments.last(), Some(&CallArgument::Uncompared));
        }
    }

    #[rstest]
    #[case("AskUserQuestion")]
    #[case("ExitPlanMode")]
    #[case("mcp__askdesk__ask_user")]
    #[case("mcp__my_desk__ask_user_question")]
    #[case("mcp__askdesk__ask_person")]
    fn case_100_a_question_and_a_plan_are_no_calls_for_rules(#[case] tool: &str) {
        assert_eq!(call_of(tool, &json!({"questions": []})), None);
    }
}
