//! Converts tools and results to MCP messages.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProgressToken, ServerCapabilities, ServerConfig, Tool as McpTool,
    ToolAnnotations,
};
use serde_json::{Value, json};

use crate::result::{CallResult, waiting_words};
use crate::tool::Tool;

/// How often a client is told that its call is still waiting.
pub const PROGRESS: Duration = Duration::from_secs(15);

pub fn server(version: &str) -> ServerConfig {
    let about = Implementation::new("askdesk", version).with_title("Askdesk");
    ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
        .with_server_info(about)
        .with_instructions(
            "Asks the user questions in Askdesk and waits for the answer, which may take a long time. Ask instead of guessing \
             whenever only the user can decide.",
        )
}

/// Lists the tools under the names for a client. They are one page, so there is no cursor that leads to another.
pub fn tools(client: &str, page: Option<PaginatedRequestParams>) -> Result<ListToolsResult, ErrorData> {
    let cursor = page.and_then(|page| page.cursor).filter(|cursor| !cursor.is_empty());
    if let Some(cursor) = cursor {
        let message =
            format!("there is no page at the cursor \"{cursor}\"; call tools/list without a cursor");
        return Err(ErrorData::invalid_params(message, None));
    }
    let tools = Tool::ALL.iter().map(|tool| described(*tool, tool.name_for(client)));
    Ok(ListToolsResult::with_all_items(tools.collect()))
}

pub fn tool(name: &str) -> Option<McpTool> {
    Tool::named(name).map(|tool| described(tool, name))
}

/// Rejects a call of an unknown tool.
pub fn unknown(name: &str) -> ErrorData {
    let names = Tool::ALL.map(|tool| tool.name_for("")).join(", ");
    ErrorData::invalid_params(format!("there is no tool \"{name}\"; the tools are {names}"), None)
}

/// Converts a result.
///
/// Some clients only pass on the JSON (Claude Code 2.1.329, Codex 0.169.0). Without an answer in it, it must contain the
/// text too.
pub fn said(CallResult { text, mut structured }: CallResult) -> CallToolResponse {
    if structured["outcome"] != "answered" {
        structured["message"] = json!(text);
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    result.into()
}

/// Returns the result of a failed call.
pub fn failed(words: &str) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(words)]).into()
}

pub fn waiting(token: ProgressToken, waited: Duration) -> ProgressNotificationParam {
    // The value must grow with every notification, however soon it comes.
    ProgressNotificationParam::new(token, waited.as_secs_f64()).with_message(waiting_words(waited))
}

fn described(tool: Tool, name: &str) -> McpTool {
    let schema = match tool.input_schema() {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    let mut described = McpTool::new(Cow::Owned(name.to_owned()), tool.description(), Arc::new(schema));
    described.title = Some(tool.title().to_owned());
    // Asking changes nothing, however often it is done.
    described.annotations =
        Some(ToolAnnotations::with_title(tool.title()).read_only(true).destructive(false).open_world(false));
    described
}
