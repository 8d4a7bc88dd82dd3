//! How an ended session of Claude Code is taken up again, and how it says that it no longer has it.

use std::path::PathBuf;

use uuid::Uuid;

use super::launch::{ClaudeOptions, claude_launch};
use crate::launch::LaunchPlan;

/// Plans to take an ended session up again: the same start, under the id it had (measured with 2.1.329: the id stays).
pub fn claude_resume(
    program: impl Into<PathBuf>,
    folder: impl Into<PathBuf>,
    options: &ClaudeOptions,
) -> LaunchPlan {
    let mut plan = claude_launch(program, folder, options);
    for arg in &mut plan.args {
        if arg == "--session-id" {
            *arg = "--resume".into();
        }
    }
    plan
}

/// Says whether an agent that was to take a session up again has ended its first turn because it does not know it.
///
/// Measured with 2.1.329: an unknown id gives no handshake but a failed result whose words name the id, and exit code 1.
/// The words themselves are the agent's and may change.
pub fn no_longer_has(session: Uuid, error: &str) -> bool {
    error.contains(&session.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_taken_up_under_its_id_and_otherwise_started_as_before() {
        let options = ClaudeOptions {
            session_id: Uuid::from_u128(7),
            prompt_tool: true,
            model: Some("opus".to_owned()),
            permission_mode: None,
            effort: None,
        };
        let words = |plan: &LaunchPlan| {
            let words: Vec<&str> = plan.args.iter().filter_map(|arg| arg.to_str()).collect();
            words.join(" ")
        };
        let (started, resumed) = (
            claude_launch("/bin/claude", "/proj", &options),
            claude_resume("/bin/claude", "/proj", &options),
        );
        let id = "00000000-0000-0000-0000-000000000007";
        assert_eq!(
            words(&resumed),
            words(&started).replace(&format!("--session-id {id}"), &format!("--resume {id}"))
        );
        assert!(words(&resumed).contains(&format!("--resume {id}")));
        assert_eq!(LaunchPlan { args: Vec::new(), ..resumed }, LaunchPlan { args: Vec::new(), ..started });
    }
}
