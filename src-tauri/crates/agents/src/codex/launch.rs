//! How Codex is found and started: one server for all sessions of one Codex home.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use askdesk_domain::{AgentDescriptor, AgentFailure, LaunchOverrides, NativeSession};
use serde_json::{Value, json};

use crate::connection::{Connection, Handshake, JsonRpcConnection, JsonRpcRules};
use crate::launch::{LaunchPlan, find_program};
use crate::link::{NewConnection, SharedPlan};
use crate::sign_in::SignIn;

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
/// Overrides may set another `CODEX_HOME`, so they are part of the key. So is the sign-in: a server reads
/// it once, and new sessions need a server that has read the new one.
pub fn shared(launch: LaunchPlan, overrides: &LaunchOverrides) -> (SharedPlan, SignIn) {
    let launch = launch.with_overrides(overrides);
    let sign_in = SignIn::read(home(&launch).join("auth.json"), forget_tokens);
    let LaunchPlan { program, args, env, .. } = &launch;
    let key = format!("codex {program:?} {args:?} {env:?} {:x}", sign_in.hash());
    (SharedPlan { key, launch, connection: connection() }, sign_in)
}

/// The Codex home of a server.
pub(super) fn home(launch: &LaunchPlan) -> PathBuf {
    let named = launch.variable("CODEX_HOME").map(PathBuf::from).filter(|home| home.is_dir());
    named.unwrap_or_else(|| launch.home().unwrap_or_default().join(".codex"))
}

/// Removes the tokens of an account. The server renews them, and after another sign-in to the same account it reads them
/// again by itself (measured with 0.169.0); a key, or another account, takes another server.
fn forget_tokens(auth: &mut Value) {
    if let Some(auth) = auth.as_object_mut() {
        auth.remove("last_refresh");
    }
    if let Some(tokens) = auth.get_mut("tokens").and_then(Value::as_object_mut) {
        tokens.retain(|name, _| name == "account_id");
    }
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

/// Plans the program as a user starts it in a terminal, in a session that began here.
pub(super) fn in_terminal(program: PathBuf, folder: &Path, session: &NativeSession) -> LaunchPlan {
    own_program(program, folder, &["resume", session.as_str()])
}

/// Plans the program with a command of its own, as a user runs it.
pub(super) fn own_program(program: PathBuf, folder: &Path, args: &[&str]) -> LaunchPlan {
    LaunchPlan {
        program,
        args: args.iter().map(Into::into).collect(),
        folder: folder.to_owned(),
        env: Vec::new(),
        env_remove: PARENT_SESSION_VARIABLES.iter().map(Into::into).collect(),
    }
}

/// Finds Codex: the program the user named, else on `PATH`, else where installers put it.
pub(super) fn find(agent: &AgentDescriptor, explicit: Option<&Path>) -> Result<PathBuf, AgentFailure> {
    find_program(agent, "codex", explicit)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};

    use askdesk_domain::{Arguments, LaunchOverrides};

    use super::*;

    fn plan(arguments: &[&str]) -> SharedPlan {
        let words: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
        let arguments = Arguments::try_from(words).unwrap();
        let overrides = LaunchOverrides { arguments, ..LaunchOverrides::default() };
        shared(launch("/bin/codex".into(), Path::new("/proj")), &overrides).0
    }

    #[test]
    fn sessions_that_are_started_alike_share_a_server_and_others_do_not() {
        assert_eq!(plan(&[]).key, plan(&[]).key);
        assert_ne!(plan(&[]).key, plan(&["--enable", "x"]).key);
        let added: Vec<_> = plan(&["--enable", "x"]).launch.args;
        assert_eq!(added[added.len() - 2..], ["--enable", "x"]);
    }

    #[test]
    fn a_new_sign_in_gets_another_server_and_renewed_tokens_do_not() {
        let home = tempfile::tempdir().unwrap();
        let environment = [("CODEX_HOME".to_owned(), home.path().display().to_string())];
        let environment = BTreeMap::from(environment).try_into().unwrap();
        let overrides = LaunchOverrides { environment, ..LaunchOverrides::default() };
        let key = |auth: &str| {
            std::fs::write(home.path().join("auth.json"), auth).unwrap();
            shared(launch("/bin/codex".into(), Path::new("/proj")), &overrides)
        };
        let none = shared(launch("/bin/codex".into(), Path::new("/proj")), &overrides);
        let one = key(r#"{"auth_mode":"apikey","OPENAI_API_KEY":"sk-one"}"#);
        assert!(none.1.has_changed() && !one.1.has_changed());
        assert!(!format!("{one:?}").contains("sk-one"));
        let two = key(r#"{"auth_mode":"apikey","OPENAI_API_KEY":"sk-two"}"#);
        assert!(one.1.has_changed());
        let account = |id: &str, token: &str| {
            format!(
                r#"{{"tokens":{{"access_token":"{token}","account_id":"{id}"}},"last_refresh":"{token}"}}"#
            )
        };
        let (signed_in, renewed, other) =
            (key(&account("a", "1")), key(&account("a", "2")), key(&account("b", "2")));
        assert_eq!(signed_in.0.key, renewed.0.key);
        let keys: HashSet<_> = [none, one, two, renewed, other].map(|(plan, _)| plan.key).into();
        assert_eq!(keys.len(), 5);
    }

    #[test]
    fn a_session_continues_in_a_terminal_under_the_agents_own_id() {
        let plan = in_terminal("/bin/codex".into(), Path::new("/proj"), &NativeSession::literal("5f0c7d52"));
        assert_eq!(plan.args, ["resume", "5f0c7d52"]);
        assert_eq!(plan.folder, Path::new("/proj"));
    }
}
