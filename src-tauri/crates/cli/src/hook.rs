//! The command form of Claude Code's PermissionRequest hook: its body in, the desk's decision out.
//!
//! Nothing is printed and all is well where there is no desk, so that the terminal's own dialog stands as if no hook were
//! there; an error would be shown to the person instead.

use std::io::{Read as _, Write as _};

use askdesk_clients::desk::Desk;

use crate::door::Door;

/// The largest body that the desk takes.
const BODY_MOST: u64 = 256 * 1024;

/// Hands the question over and prints what the desk decides.
pub fn run(desk: &Desk) {
    // The cheapest way to find out that nobody listens comes before anything is read.
    let Ok(door) = Door::find(desk) else { return };
    let mut body = String::new();
    let read = std::io::stdin().lock().take(BODY_MOST + 1).read_to_string(&mut body);
    if read.is_err() || body.len() as u64 > BODY_MOST {
        return;
    }
    let Ok(decision) = door.post_text("/hooks/claude", &body) else { return };
    let says_something = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&decision)
        .is_ok_and(|it| !it.is_empty());
    if says_something {
        // Where nobody reads any more, the terminal has been answered.
        let _ = std::io::stdout().lock().write_all(decision.as_bytes());
    }
}
