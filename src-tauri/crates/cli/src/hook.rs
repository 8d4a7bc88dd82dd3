//! The command form of Claude Code's PermissionRequest hook: its body in, the desk's decision out.
//!
//! Nothing is printed and all is well where there is no desk, so that the terminal's own dialog stands as if no hook were
//! there; an error would be shown to the person instead.

use std::io::{Read as _, Write as _};

use askdesk_client_config::desk::Desk;
use serde_json::{Map, Value};

use crate::door::Door;

/// The largest body that the desk takes, in bytes.
const BODY_MOST: usize = 256 * 1024;
/// How much is read at most, in bytes: what Claude Code says at the end of a turn holds its whole last message.
const READ_MOST: u64 = 8 * 1024 * 1024;
/// The event at which a question is asked; its body goes to the desk as it is.
const ASKS: &str = "PermissionRequest";
/// What the desk needs of any other event. The rest is none of its business.
const NEEDED: [&str; 7] =
    ["hook_event_name", "session_id", "prompt_id", "cwd", "tool_name", "tool_input", "background_tasks"];

/// Hands the question over and prints what the desk decides.
pub fn run(desk: &Desk) {
    // The cheapest way to find out that nobody listens comes before anything is read.
    let Ok(door) = Door::find(desk) else { return };
    let mut body = String::new();
    let read = std::io::stdin().lock().take(READ_MOST).read_to_string(&mut body);
    let Some(body) = read.ok().and_then(|_| needed(body)).filter(|body| body.len() <= BODY_MOST) else {
        return;
    };
    let Ok(decision) = door.post_text("/hooks/claude", &body) else { return };
    let says_something = serde_json::from_str::<Map<String, Value>>(&decision).is_ok_and(|it| !it.is_empty());
    if says_something {
        // Where nobody reads any more, the terminal has been answered.
        let _ = std::io::stdout().lock().write_all(decision.as_bytes());
    }
}

/// What goes to the desk; none where it is no body of a hook.
fn needed(body: String) -> Option<String> {
    let mut fields: Map<String, Value> = serde_json::from_str(&body).ok()?;
    if fields.get("hook_event_name")? == ASKS {
        return Some(body);
    }
    fields.retain(|name, _| NEEDED.contains(&name.as_str()));
    serde_json::to_string(&fields).ok()
}
