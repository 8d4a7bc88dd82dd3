//! How Claude Code is found and started.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use askdesk_domain::{AgentKind, Effort, Failure, PermissionMode};
use uuid::Uuid;

use super::permissions::mode_word;
use crate::launch::{LaunchPlan, find_program};

/// What a session of Claude Code is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaudeOptions {
    /// The agent's own id of the session; a used one makes it exit at once.
    pub session_id: Uuid,
    /// Whether it asks by control request; without, it does not offer its question tool at all.
    pub prompt_tool: bool,
    /// The model; none for the person's default.
    pub model: Option<String>,
    /// The permission mode; none for the person's default.
    pub permission_mode: Option<PermissionMode>,
    /// How long it thinks before it acts; none for the person's default.
    pub effort: Option<Effort>,
}

/// Variables by which a Claude Code that runs above us would speak to a child of its own.
///
/// A desk that was started in an agent's terminal inherits them; the session it starts is nobody's child. What the
/// person has configured (keys, providers, proxies, folders) stays.
const PARENT_SESSION_VARIABLES: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_CODE_EXECPATH",
    "CLAUDE_CODE_SDK_READS_SESSION_STATE",
    "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS",
    "CLAUDE_AGENT_SDK_VERSION",
    "CLAUDE_AGENT_SDK_CLIENT_APP",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_ENV_FILE",
    "CLAUDE_EFFORT",
    "AI_AGENT",
];

/// Plans the start of Claude Code in a folder.
pub fn claude_launch(
    program: impl Into<PathBuf>,
    folder: impl Into<PathBuf>,
    options: &ClaudeOptions,
) -> LaunchPlan {
    let mut args: Vec<OsString> =
        ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
            .map(OsString::from)
            .to_vec();
    let mut add = |flag: &str, value: &str| args.extend([OsString::from(flag), OsString::from(value)]);
    if options.prompt_tool {
        add("--permission-prompt-tool", "stdio");
    }
    add("--session-id", &options.session_id.to_string());
    if let Some(model) = &options.model {
        add("--model", model);
    }
    if let Some(mode) = options.permission_mode {
        // With bypass this flag alone is enough, and lets the session go back to it later (2.1.329); as root the program
        // refuses and says why.
        add("--permission-mode", mode_word(mode));
    }
    if let Some(effort) = options.effort {
        add("--effort", effort_word(effort));
    }
    args.push("--include-partial-messages".into());
    LaunchPlan {
        program: program.into(),
        args,
        folder: folder.into(),
        // Without it the model is not offered previews of options, which the panel shows as plain text.
        env: vec![("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT".into(), "markdown".into())],
        env_remove: PARENT_SESSION_VARIABLES.iter().map(OsString::from).collect(),
        prompt_tool: options.prompt_tool,
    }
}

/// Returns the command line's word for an effort; an unknown word is passed over with a warning (2.1.329).
const fn effort_word(effort: Effort) -> &'static str {
    match effort {
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
        Effort::Xhigh => "xhigh",
        Effort::Max => "max",
    }
}

/// Finds Claude Code: the program the person named, else on `PATH`, else where installers put it.
pub fn find_claude(explicit: Option<&Path>) -> Result<PathBuf, Failure> {
    let mut folders = Vec::new();
    if let Some(home) = env::home_dir() {
        folders.extend([home.join(".local/bin"), home.join(".npm-global/bin")]);
    }
    if cfg!(unix) {
        folders.extend(["/usr/local/bin", "/opt/homebrew/bin"].map(PathBuf::from));
    }
    find_program(AgentKind::ClaudeCode, "claude", explicit, &folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(options: &ClaudeOptions) -> String {
        let plan = claude_launch("/bin/claude", "/proj", options);
        assert_eq!(plan.prompt_tool, options.prompt_tool);
        let words: Vec<&str> = plan.args.iter().filter_map(|arg| arg.to_str()).collect();
        words.join(" ")
    }

    #[test]
    fn the_arguments_follow_the_options() {
        let plain = ClaudeOptions {
            session_id: Uuid::from_u128(7),
            prompt_tool: true,
            model: None,
            permission_mode: None,
            effort: None,
        };
        assert_eq!(
            args(&plain),
            "-p --input-format stream-json --output-format stream-json --verbose --permission-prompt-tool stdio \
             --session-id 00000000-0000-0000-0000-000000000007 --include-partial-messages"
        );
        let full = ClaudeOptions {
            prompt_tool: false,
            model: Some("opus".to_owned()),
            permission_mode: Some(PermissionMode::AcceptEdits),
            effort: Some(Effort::Xhigh),
            ..plain
        };
        assert_eq!(
            args(&full),
            "-p --input-format stream-json --output-format stream-json --verbose \
             --session-id 00000000-0000-0000-0000-000000000007 --model opus --permission-mode acceptEdits \
             --effort xhigh --include-partial-messages"
        );
    }

    #[test]
    fn a_named_program_that_is_missing_is_said_with_what_to_do() {
        let error = find_claude(Some(Path::new("/nowhere/claude"))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "claude was not found. Looked at: /nowhere/claude. Install Claude Code with `npm install -g \
             @anthropic-ai/claude-code` or with its vendor's installer, then start the session again; or name the program \
             under More options."
        );
    }
}
