//! How Codex is found and started: one server for all sessions of one Codex home.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use askdesk_domain::{AgentDescriptor, AgentFailure, LaunchOverrides, NativeSession};
use serde_json::json;

use crate::connection::{Connection, Handshake, JsonRpcConnection, JsonRpcRules};
use crate::launch::{LaunchPlan, find_program};
use crate::link::{NewConnection, SharedPlan};

/// Variables by which a Codex that runs above us speaks to the commands it runs.
///
/// An app that was started in an agent's terminal inherits them, but its sessions are not children of that agent.
const PARENT_SESSION_VARIABLES: &[&str] = &[
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "CODEX_CI",
    "CODEX_INTERNAL_ORIGINATOR_OVERRIDE",
];

/// Plans the start of the server (measured with 0.169.0).
///
/// Outside plan mode the model is offered the question tool only if a feature is on that is still in development; without the
/// other setting, each session would begin with a warning that it is.
pub fn launch(program: PathBuf, folder: &Path) -> LaunchPlan {
    let args = [
        "app-server",
        "-c",
        "features.default_mode_request_user_input=true",
        "-c",
        "suppress_unstable_features_warning=true",
    ];
    LaunchPlan {
        program,
        args: args.map(Into::into).to_vec(),
        // The folder of one session may be removed while the server runs for others.
        folder: env::home_dir().filter(|home| home.is_dir()).unwrap_or_else(|| folder.to_owned()),
        env: Vec::new(),
        env_remove: PARENT_SESSION_VARIABLES.iter().map(Into::into).collect(),
    }
}

/// Plans the server that a session shares with all others that are started in the same way.
///
/// What a person adds to the start may name another Codex home, so it is a part of the key.
pub fn shared(launch: LaunchPlan, overrides: &LaunchOverrides) -> SharedPlan {
    let launch = launch.with_overrides(overrides);
    let LaunchPlan { program, args, env, .. } = &launch;
    let key = format!("codex {program:?} {args:?} {env:?}");
    SharedPlan { key, launch, connection: connection() }
}

fn connection() -> NewConnection {
    Arc::new(|| -> Box<dyn Connection> { Box::new(JsonRpcConnection::new(rules())) })
}

/// The places of the session ids in the protocol, and its handshake.
pub fn rules() -> JsonRpcRules {
    let client = json!({"name": "askdesk", "title": "Askdesk", "version": env!("CARGO_PKG_VERSION")});
    JsonRpcRules {
        handshake: Some(Handshake {
            method: "initialize",
            params: json!({
                "clientInfo": client,
                "capabilities": {"experimentalApi": true, "requestAttestation": false},
            }),
            notification: Some("initialized"),
        }),
        session_in_params: &["/threadId", "/thread/id", "/conversationId"],
        parent_in_params: Some("/thread/parentThreadId"),
        children_in_params: &["/item/receiverThreadIds", "/item/agentThreadId"],
        session_in_result: &["/thread/id"],
        sends_version: false,
    }
}

/// Plans the program as a person starts it in a terminal, in a session that began here.
pub(super) fn in_terminal(program: PathBuf, folder: PathBuf, session: &NativeSession) -> LaunchPlan {
    LaunchPlan {
        program,
        args: vec!["resume".into(), session.as_str().into()],
        folder,
        env: Vec::new(),
        env_remove: PARENT_SESSION_VARIABLES.iter().map(Into::into).collect(),
    }
}

/// Finds Codex: the program the person named, else on `PATH`, else where installers put it.
pub(super) fn find(agent: &AgentDescriptor, explicit: Option<&Path>) -> Result<PathBuf, AgentFailure> {
    find_program(agent, "codex", explicit, &[".local/bin", ".npm-global/bin"])
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{Arguments, LaunchOverrides};

    use super::*;

    fn plan(arguments: &[&str]) -> SharedPlan {
        let words: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
        let arguments = Arguments::try_from(words).unwrap();
        let overrides = LaunchOverrides { arguments, ..LaunchOverrides::default() };
        shared(launch("/bin/codex".into(), Path::new("/proj")), &overrides)
    }

    #[test]
    fn sessions_that_are_started_alike_share_a_server_and_others_do_not() {
        assert_eq!(plan(&[]).key, plan(&[]).key);
        assert_ne!(plan(&[]).key, plan(&["--enable", "x"]).key);
        let added: Vec<_> = plan(&["--enable", "x"]).launch.args;
        assert_eq!(added[added.len() - 2..], ["--enable", "x"]);
    }

    #[test]
    fn a_session_continues_in_a_terminal_under_the_agents_own_id() {
        let plan = in_terminal("/bin/codex".into(), "/proj".into(), &NativeSession::literal("5f0c7d52"));
        assert_eq!(plan.args, ["resume", "5f0c7d52"]);
        assert_eq!(plan.folder, Path::new("/proj"));
    }
}
