//! `askdesk hook`: passes the body of a Claude Code hook to Askdesk and prints the decision.
//!
//! If Askdesk isn't running, it prints nothing and succeeds, so that only the terminal's own dialog is shown. Claude Code would
//! show an error to the user.

use std::io::{Read as _, Write as _};

use askdesk_client_config::DataFolder;
use serde_json::{Map, Value};

use crate::exit::{Exit, Failure};
use crate::http_client::HttpClient;

/// The largest body that the gateway accepts, in bytes.
const MAX_BODY: usize = 256 * 1024;
/// The largest input, in bytes. At the end of a turn it contains the whole last message.
const MAX_INPUT: u64 = 8 * 1024 * 1024;
/// The event that asks a question. Its body is passed on unchanged.
const ASKS: &str = "PermissionRequest";
/// The fields of other events that Askdesk needs. The rest stays here.
const NEEDED_FIELDS: [&str; 7] =
    ["hook_event_name", "session_id", "prompt_id", "cwd", "tool_name", "tool_input", "background_tasks"];

/// Passes on the body and prints the decision.
pub async fn run(folder: &DataFolder) -> Result<Exit, Failure> {
    // This is cheaper than reading the input.
    let client = HttpClient::for_asking(folder)?;
    let mut body = String::new();
    let read = std::io::stdin().lock().take(MAX_INPUT).read_to_string(&mut body);
    let Some(body) = read.ok().and_then(|_| needed(body)).filter(|body| body.len() <= MAX_BODY) else {
        return Ok(Exit::Success);
    };
    let decision = client.post_text("/hooks/claude", body).await?;
    let is_decision = serde_json::from_str::<Map<String, Value>>(&decision).is_ok_and(|it| !it.is_empty());
    if is_decision {
        // If nobody reads it any more, the terminal was answered first.
        let _ = std::io::stdout().lock().write_all(decision.as_bytes());
    }
    Ok(Exit::Success)
}

/// Returns what to pass on, or `None` if this isn't the body of a hook.
fn needed(body: String) -> Option<String> {
    let mut fields: Map<String, Value> = askdesk_outside_json::from_slice(body.as_bytes()).ok()?;
    if fields.get("hook_event_name")? == ASKS {
        return Some(body);
    }
    fields.retain(|name, _| NEEDED_FIELDS.contains(&name.as_str()));
    serde_json::to_string(&fields).ok()
}
