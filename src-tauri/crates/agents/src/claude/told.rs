//! What Claude Code tells the user in system messages, beside the conversation.

use askdesk_domain::text::bounded;
use askdesk_domain::{Notice, StartRefusal, Unsaved};
use serde_json::Value;

use super::{ClaudeAdapter, of_subagent};
use crate::adapter::Output;
use crate::event::Trouble;
use crate::json::{list, text};

/// Returns what such a message says to the user; the rest of them is for a terminal, or for the model.
pub(super) fn notice(message: &Value) -> Option<Notice> {
    match text(message, "subtype")? {
        "informational" => informed(message),
        "hook_response" => of_hook(message),
        "notification" => {
            let urgent = matches!(text(message, "priority"), Some("high" | "immediate"));
            said(message, "text").filter(|_| urgent).map(|said| Notice::AgentTold { text: bounded(said) })
        }
        "session_writes_lost" => {
            let lost = |what: &str| list(message, "lost").iter().any(|lost| lost.as_str() == Some(what));
            let only_settings = lost("global_config") && !lost("transcript");
            let what = if only_settings { Unsaved::Settings } else { Unsaved::Conversation };
            Some(Notice::AgentUnsaved { what })
        }
        "plugin_install" if text(message, "status") == Some("failed") => {
            let name = said(message, "name").unwrap_or("a plugin");
            warned(&format!("{name}: {}", said(message, "error").unwrap_or("couldn't be installed")))
        }
        "mirror_error" => said(message, "error").and_then(warned),
        _ => None,
    }
}

/// What a refusal to start means; of most of them the agent's own words say what to do.
pub(super) fn start_refusal(reason: &str) -> StartRefusal {
    match reason {
        "session_held_by_background" => StartRefusal::InBackground,
        "bypass_root" => StartRefusal::BypassAsRoot,
        "config_file_invalid" => StartRefusal::SettingsUnreadable,
        "proxy_invalid" => StartRefusal::ProxyInvalid,
        "cli_version_too_old" => StartRefusal::VersionTooOld,
        "provider_not_allowed" | "sideload_flags_disabled" => StartRefusal::Organization,
        reason
            if ["org_", "managed_settings_", "remote_settings_", "gateway_"]
                .iter()
                .any(|it| reason.starts_with(it)) =>
        {
            StartRefusal::Organization
        }
        _ => StartRefusal::Other,
    }
}

impl ClaudeAdapter {
    /// The model refused a request, and another one answered it: from now on, or, for a subagent, this once.
    pub(super) fn on_refused_by_model(&mut self, message: &Value, out: &mut Output) {
        let (Some(refused), Some(model)) = (said(message, "original_model"), said(message, "fallback_model"))
        else {
            return;
        };
        let lasting = text(message, "scope") != Some("local") && !of_subagent(message);
        let changed = lasting && self.take_model(model);
        self.tell_config(changed, out);
        let why = said(message, "api_refusal_explanation").or_else(|| said(message, "api_refusal_category"));
        out.event(Trouble::Noticed {
            notice: Notice::ModelRefused {
                refused: bounded(refused),
                model: bounded(model),
                lasting,
                why: why.map(bounded),
            },
        });
    }
}

fn said<'a>(message: &'a Value, name: &str) -> Option<&'a str> {
    text(message, name).map(str::trim).filter(|said| !said.is_empty())
}

fn warned(text: &str) -> Option<Notice> {
    Some(Notice::AgentWarned { text: bounded(text) })
}

/// What a hook says to the user, or why it blocked a message; everything else of this kind is for a terminal.
fn informed(message: &Value) -> Option<Notice> {
    let said = said(message, "content")?;
    match text(message, "level") {
        Some("notice") => Some(Notice::AgentTold { text: bounded(said) }),
        Some("warning" | "error") => warned(said),
        _ => None,
    }
}

/// The exit code with which a hook blocks what it was asked about.
const BLOCKS: i64 = 2;
/// The events of hooks that can block. The agent itself says what was blocked.
const BLOCKING: [&str; 4] = ["PreToolUse", "UserPromptSubmit", "Stop", "SubagentStop"];

/// That a hook failed, or what one says at the start; what others say comes in a message of another kind (measured with 2.1.332).
fn of_hook(message: &Value) -> Option<Notice> {
    let hook = text(message, "hook_name")?;
    let event = hook.split(':').next()?;
    let code = message.get("exit_code").and_then(Value::as_i64).unwrap_or_default();
    if code == BLOCKS && BLOCKING.contains(&event) {
        return None;
    }
    if code != 0 {
        let why = said(message, "stderr").map_or_else(|| format!("exit code {code}"), ToOwned::to_owned);
        return warned(&format!("{hook}: {why}"));
    }
    if event != "SessionStart" {
        return None;
    }
    let output = askdesk_outside_json::from_slice::<Value>(said(message, "stdout")?.as_bytes()).ok()?;
    let told = text(&output, "systemMessage")?;
    Some(Notice::AgentTold { text: bounded(&format!("{hook} says: {told}")) })
}
