//! How Claude Code is found and started.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use askdesk_domain::{AgentDescriptor, AgentFailure, Choices, LaunchOverrides, NativeSession};

use super::descriptor::{EFFORT, MODE, MODEL};
use super::permissions::mode_word;
use crate::adapter::Open;
use crate::launch::{LaunchPlan, find_program};

/// Variables by which a Claude Code that runs above us would speak to a child of its own.
///
/// An app that was started in an agent's terminal inherits them, but its sessions are not children of that agent. What
/// the user has configured (keys, providers, proxies, folders) stays.
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

/// Plans the start of a program that takes Claude Code's command line.
///
/// A new session and a fork get their id from the agent; a resumed one keeps the id it had (measured with 2.1.329).
pub fn launch(program: PathBuf, folder: PathBuf, choices: &Choices, open: &Open) -> LaunchPlan {
    // Without a prompt tool the program offers no tool to ask with at all.
    let mut args: Vec<OsString> = [
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--permission-prompt-tool",
        "stdio",
    ]
    .map(OsString::from)
    .to_vec();
    let mut add = |flag: &str, value: &str| args.extend([OsString::from(flag), OsString::from(value)]);
    match open {
        Open::New => {}
        Open::Resume { native_session } => add("--resume", native_session.as_str()),
        Open::Fork { native_session, place } => {
            add("--resume", native_session.as_str());
            if let Some(message) = place {
                add("--resume-session-at", message);
            }
        }
    }
    if let Some(model) = choices.get(&MODEL) {
        add("--model", model.as_str());
    }
    if let Some(word) = choices.get(&MODE).and_then(mode_word) {
        // With bypass this flag alone is enough, and lets the session go back to it later (2.1.329); as root the program
        // refuses and says why.
        add("--permission-mode", word);
    }
    if let Some(effort) = choices.get(&EFFORT) {
        add("--effort", effort.as_str());
    }
    args.extend(["--include-partial-messages", "--include-hook-events"].map(Into::into));
    if matches!(open, Open::Fork { .. }) {
        args.push("--fork-session".into());
    }
    LaunchPlan {
        program,
        args,
        folder,
        // Without it the model is not offered previews of options, which the panel shows as plain text.
        env: vec![
            ("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT".into(), "markdown".into()),
            // Without it, most refusals to start are on its error output alone.
            ("CLAUDE_CODE_STARTUP_FAILURE_RESULTS".into(), "1".into()),
        ],
        env_remove: PARENT_SESSION_VARIABLES.iter().map(OsString::from).collect(),
    }
}

/// Plans the program as a user starts it in a terminal, in a session that began here (measured with 2.1.329).
pub(super) fn in_terminal(program: PathBuf, folder: &Path, session: &NativeSession) -> LaunchPlan {
    own_program(program, folder, &["--resume", session.as_str()])
}

/// Plans the command that ends the process that holds a session in the background. It knows a session by the first part of its ID
/// alone (measured with 2.1.332).
pub(super) fn end_in_background(program: PathBuf, folder: &Path, session: &NativeSession) -> LaunchPlan {
    let job = session.as_str().split('-').next().unwrap_or_default();
    own_program(program, folder, &["stop", job])
}

/// Plans the program with a command of its own, as a user runs it.
pub(super) fn own_program(program: PathBuf, folder: &Path, args: &[&str]) -> LaunchPlan {
    LaunchPlan {
        program,
        args: args.iter().map(Into::into).collect(),
        folder: folder.to_owned(),
        env: Vec::new(),
        env_remove: PARENT_SESSION_VARIABLES.iter().map(OsString::from).collect(),
    }
}

/// Returns the folder in which a program with these overrides keeps its settings and conversations.
pub(super) fn home(overrides: &LaunchOverrides) -> Option<PathBuf> {
    let plan = launch(PathBuf::new(), PathBuf::new(), &Choices::new(), &Open::New).with_overrides(overrides);
    let named = plan.variable("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    named.or_else(|| Some(plan.home()?.join(".claude"))).filter(|home| home.is_absolute())
}

/// Finds Claude Code: the program the user named, else on `PATH`, else where installers put it.
pub(super) fn find(agent: &AgentDescriptor, explicit: Option<&Path>) -> Result<PathBuf, AgentFailure> {
    find_program(agent, "claude", explicit)
}

#[cfg(test)]
mod tests {
    use askdesk_domain::ValueId;

    use super::super::descriptor::{ACCEPT_EDITS, descriptor};
    use super::*;

    fn args(choices: &[(askdesk_domain::ConfigId, ValueId)], open: &Open) -> String {
        let choices = choices.iter().cloned().collect();
        let plan = launch("/bin/claude".into(), "/proj".into(), &choices, open);
        let words: Vec<&str> = plan.args.iter().filter_map(|arg| arg.to_str()).collect();
        words.join(" ")
    }

    #[test]
    fn the_arguments_follow_the_choices() {
        assert_eq!(
            args(&[], &Open::New),
            "-p --input-format stream-json --output-format stream-json --verbose --permission-prompt-tool stdio \
             --include-partial-messages --include-hook-events"
        );
        let full =
            [(MODEL, ValueId::literal("opus")), (MODE, ACCEPT_EDITS), (EFFORT, ValueId::literal("xhigh"))];
        assert_eq!(
            args(&full, &Open::New),
            "-p --input-format stream-json --output-format stream-json --verbose --permission-prompt-tool stdio \
             --model opus --permission-mode acceptEdits --effort xhigh --include-partial-messages \
             --include-hook-events"
        );
    }

    #[test]
    fn a_session_is_resumed_under_the_agents_own_id_and_otherwise_started_as_before() {
        let native_session = NativeSession::literal("5f0c7d52");
        let resumed = args(&[(MODEL, ValueId::literal("opus"))], &Open::Resume { native_session });
        assert_eq!(
            resumed.replace(" --resume 5f0c7d52", ""),
            args(&[(MODEL, ValueId::literal("opus"))], &Open::New)
        );
        assert!(resumed.contains(" --resume 5f0c7d52 "));
    }

    #[test]
    fn case_98_a_session_continues_in_a_terminal_under_the_agents_own_id() {
        let plan = in_terminal("/bin/claude".into(), Path::new("/proj"), &NativeSession::literal("5f0c7d52"));
        assert_eq!(plan.args, ["--resume", "5f0c7d52"]);
        assert_eq!(plan.folder, Path::new("/proj"));
        assert!(plan.env_remove.contains(&"CLAUDECODE".into()));
    }

    #[test]
    fn the_process_in_the_background_is_ended_by_the_first_part_of_the_sessions_id() {
        let session = NativeSession::literal("23881363-272c-4e37-aa28-c6e1a8e88a17");
        assert_eq!(
            end_in_background("/bin/claude".into(), Path::new("/proj"), &session).args,
            ["stop", "23881363"]
        );
    }

    #[test]
    fn a_named_program_that_is_missing_is_said_with_what_to_do() {
        let error = find(&descriptor(), Some(Path::new("/nowhere/claude"))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Askdesk couldn't find claude. Run `npm install -g @anthropic-ai/claude-code` to install it, or enter its path \
             under More options. Searched: /nowhere/claude."
        );
    }
}
