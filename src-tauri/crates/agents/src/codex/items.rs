//! Items of a turn as a user reads them. An item of a kind that is not known is shown whole.

use askdesk_domain::acting_line::acting_line;
use askdesk_domain::text::{bounded, on_one_line};
use askdesk_domain::tool::SUMMARY_CHARS;
use askdesk_domain::{CallArgument, PermissionCall, ToolDetail, ToolKind};
use serde_json::Value;

use crate::abridge::is_cut;
use crate::json::{list, list_of, text};
use crate::tool_input::{mcp_name, pretty};
use crate::tool_result::{ResultImage, ToolResult};

/// What a command is called.
pub(super) const SHELL: &str = "Shell";
/// What changes of files are called.
pub(super) const EDIT: &str = "Edit files";

/// An item as a tool call.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) kind: ToolKind,
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) detail: ToolDetail,
}

/// Describes an item that is no message of the agent or the user.
pub(super) fn shown(item: &Value, folder: &str) -> Shown {
    let said = |name: &str| text(item, name).unwrap_or_default();
    let (kind, name, summary, detail) = match said("type") {
        "commandExecution" => {
            let summary = acting_line(said("command"), SUMMARY_CHARS);
            (command_kind(item), SHELL.into(), summary, command_detail(item, folder))
        }
        "fileChange" => {
            let changes = &item["changes"];
            (ToolKind::Edit, EDIT.into(), paths(changes).join(", "), changes_detail(changes))
        }
        "mcpToolCall" => {
            let name = mcp_name(said("server"), said("tool"));
            (ToolKind::Other, name, first_text(&item["arguments"]).into(), arguments(item))
        }
        "dynamicToolCall" => {
            (ToolKind::Other, said("tool").into(), first_text(&item["arguments"]).into(), arguments(item))
        }
        "collabAgentToolCall" => {
            (ToolKind::Think, format!("Subagent: {}", said("tool")), said("prompt").into(), whole(item))
        }
        "subAgentActivity" => {
            let summary = format!("{} {}", said("agentPath"), said("kind"));
            (ToolKind::Think, "Subagent".into(), summary, whole(item))
        }
        "webSearch" => match item["action"]["url"].as_str() {
            Some(address) => (ToolKind::Fetch, "Web search".into(), address.into(), whole(item)),
            None => (ToolKind::Search, "Web search".into(), said("query").into(), whole(item)),
        },
        "imageView" => {
            let (path, input) = (said("path").to_owned(), String::new());
            let detail = ToolDetail::Read { path: path.clone(), line: None, input };
            (ToolKind::Read, "View image".into(), path, detail)
        }
        "imageGeneration" => {
            let summary = text(item, "savedPath").unwrap_or_else(|| said("revisedPrompt"));
            (ToolKind::Other, "Image generation".into(), summary.into(), without(item, "result"))
        }
        "sleep" => {
            let millis = item.get("durationMs").map(ToString::to_string).unwrap_or_default();
            (ToolKind::Other, "Wait".into(), format!("{millis} ms"), whole(item))
        }
        "functionCallOutput" => (ToolKind::Other, said("name").into(), String::new(), whole(item)),
        other => (ToolKind::Other, other.into(), first_text(item).into(), whole(item)),
    };
    let name = if name.trim().is_empty() { "item".to_owned() } else { bounded(&name) };
    Shown { kind, name, summary: on_one_line(&summary, SUMMARY_CHARS), detail: detail.bounded() }
}

/// Whether an item ended well, and what came out of it.
pub(super) fn ended(item: &Value) -> (bool, String, Vec<ResultImage>) {
    let status = text(item, "status").unwrap_or("completed");
    let mut result = ToolResult::default();
    let done = !matches!(status, "failed" | "declined");
    let ok = match text(item, "type").unwrap_or_default() {
        "commandExecution" => {
            let failed = item["exitCode"].as_i64().filter(|code| *code != 0);
            add_text(text(item, "aggregatedOutput"), &mut result);
            if let Some(code) = failed {
                result.text(format!("[exit code {code}]"));
            }
            add_text(refused(status), &mut result);
            done && failed.is_none()
        }
        "fileChange" => {
            add_text(refused(status), &mut result);
            done
        }
        "mcpToolCall" => {
            let error = item["error"]["message"].as_str();
            add_contents(list(&item["result"], "content"), &mut result);
            add_text(error, &mut result);
            done && error.is_none()
        }
        "dynamicToolCall" => {
            add_contents(list(item, "contentItems"), &mut result);
            done && item["success"] != false
        }
        "collabAgentToolCall" => {
            let states = item["agentsStates"].as_object().into_iter().flatten();
            states.filter_map(|(_, state)| text(state, "message")).for_each(|said| result.text(said));
            done
        }
        "webSearch" => {
            add_contents(list(item, "results"), &mut result);
            done
        }
        "imageView" => {
            if let Some(path) = text(item, "path").filter(|_| done) {
                result.file(path);
            }
            done
        }
        "imageGeneration" => {
            // The image is in base64; if it was cut, its file may have been saved.
            match (text(item, "result").filter(|data| !data.is_empty()), text(item, "savedPath")) {
                (Some(data), saved) if saved.is_none() || !is_cut(data) => result.base64(data),
                (_, Some(path)) => result.file(path),
                (Some(_), None) | (None, None) => {}
            }
            done
        }
        "functionCallOutput" => {
            match &item["output"] {
                Value::String(text) => result.text(text),
                Value::Array(blocks) => add_contents(blocks, &mut result),
                other => result.text(pretty(other)),
            }
            done
        }
        _ => done,
    };
    let (output, images) = result.parts();
    (ok, output, images)
}

fn refused(status: &str) -> Option<&'static str> {
    (status == "declined").then_some("[declined]")
}

fn add_text(text: Option<&str>, result: &mut ToolResult) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        result.text(text);
    }
}

fn add_contents(blocks: &[Value], result: &mut ToolResult) {
    for block in blocks {
        let address = text(block, "imageUrl").or_else(|| text(block, "image_url"));
        match (text(block, "type"), text(block, "text"), text(block, "data"), address) {
            (_, Some(text), ..) => result.text(text),
            (Some("image"), _, Some(data), _) => result.base64(data),
            (Some("inputImage" | "input_image"), _, _, Some(address)) => result.address(address),
            (Some(kind @ ("image" | "inputImage" | "inputAudio")), ..) => result.text(format!("[{kind}]")),
            _ => result.text(pretty(block)),
        }
    }
}

/// Reading and searching are told apart only if all of a command does it.
fn command_kind(item: &Value) -> ToolKind {
    let kind = |action: &Value| match text(action, "type") {
        Some("read" | "listFiles") => ToolKind::Read,
        Some("search") => ToolKind::Search,
        _ => ToolKind::Execute,
    };
    let mut kinds = list(item, "commandActions").iter().map(kind);
    let first = kinds.next().unwrap_or(ToolKind::Execute);
    if kinds.all(|kind| kind == first) { first } else { ToolKind::Execute }
}

fn command_detail(item: &Value, folder: &str) -> ToolDetail {
    let cwd = text(item, "cwd").filter(|cwd| *cwd != folder).map(|cwd| format!("cwd: {cwd}"));
    let source = text(item, "source").filter(|source| *source != "agent").map(|it| format!("source: {it}"));
    let lines: Vec<String> = [cwd, source].into_iter().flatten().collect();
    let description = (!lines.is_empty()).then(|| lines.join("\n"));
    ToolDetail::Command { command: text(item, "command").unwrap_or_default().to_owned(), description }
}

/// What rules are compared with, for a command and its parts.
pub(super) fn command_call(command: &str, actions: &[Value]) -> PermissionCall {
    let parts = actions.iter().filter_map(|action| text(action, "command"));
    let arguments = [command].into_iter().chain(parts).map(|part| CallArgument::Command(part.to_owned()));
    // Rules for another agent's commands are meant for these as well.
    PermissionCall { tools: vec![SHELL.to_owned(), "Bash".to_owned()], arguments: arguments.collect() }
}

/// What rules are compared with, for changes of files.
pub(super) fn changes_call(changes: &Value) -> PermissionCall {
    let tools = ["Edit", "Write", "apply_patch"].map(str::to_owned).to_vec();
    let moved = list_of(changes).iter().filter_map(|change| text(&change["kind"], "move_path"));
    let paths = paths(changes).into_iter().chain(moved);
    let mut arguments: Vec<_> = paths.map(|path| CallArgument::Path(path.to_owned())).collect();
    if arguments.is_empty() {
        arguments.push(CallArgument::Uncompared);
    }
    PermissionCall { tools, arguments }
}

/// What exactly changes. Several files stand one after another, each below its name.
pub(super) fn changes_detail(changes: &Value) -> ToolDetail {
    let changes = list_of(changes).iter().map(|change| {
        let kind = &change["kind"];
        let moved = text(kind, "move_path").map(|path| format!(" → {path}")).unwrap_or_default();
        let path = format!("{}{moved}", text(change, "path").unwrap_or_default());
        (text(kind, "type").unwrap_or_default(), path, text(change, "diff").unwrap_or_default())
    });
    let changes: Vec<_> = changes.collect();
    let detail = match changes.as_slice() {
        [("add", path, content)] => ToolDetail::Write { path: path.clone(), content: (*content).to_owned() },
        [("update", path, diff)] => ToolDetail::Edit { path: path.clone(), diff: (*diff).to_owned() },
        all => {
            let shown = all.iter().map(|(kind, path, diff)| format!("{kind} {path}\n{diff}"));
            ToolDetail::Other { input: shown.collect::<Vec<_>>().join("\n") }
        }
    };
    detail.bounded()
}

fn paths(changes: &Value) -> Vec<&str> {
    list_of(changes).iter().filter_map(|change| text(change, "path")).collect()
}

fn arguments(item: &Value) -> ToolDetail {
    ToolDetail::Other { input: pretty(&item["arguments"]) }
}

fn first_text(value: &Value) -> &str {
    let mut fields = value.as_object().into_iter().flatten();
    let is_said = |name: &str| !matches!(name, "id" | "type");
    fields.find_map(|(name, value)| value.as_str().filter(|_| is_said(name))).unwrap_or_default()
}

/// All of an item except its place in the protocol.
fn whole(item: &Value) -> ToolDetail {
    without(item, "")
}

fn without(item: &Value, left_out: &str) -> ToolDetail {
    let mut item = item.clone();
    if let Value::Object(fields) = &mut item {
        let hidden = ["id", "type", "startedAtMs", "completedAtMs", left_out];
        fields.retain(|name, value| !value.is_null() && !hidden.contains(&name.as_str()));
    }
    ToolDetail::Other { input: pretty(&item) }
}
