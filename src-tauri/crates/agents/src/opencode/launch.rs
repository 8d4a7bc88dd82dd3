//! How OpenCode is found, and how its server is started.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use askdesk_domain::{AgentDescriptor, AgentFailure, LaunchOverrides, NativeSession};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::connection::OpenCodeConnection;
use crate::connection::Connection;
use crate::launch::{LaunchPlan, find_program};
use crate::link::HttpPlan;

/// Variables of an OpenCode that runs above us, which would change ours.
const PARENT_VARIABLES: &[&str] =
    &["OPENCODE", "OPENCODE_PID", "OPENCODE_RUN_ID", "OPENCODE_PROCESS_ROLE", "OPENCODE_CLIENT"];
const PASSWORD_VARIABLE: &str = "OPENCODE_SERVER_PASSWORD";
const USER_VARIABLE: &str = "OPENCODE_SERVER_USERNAME";
/// The name that belongs to the password.
const USER: &str = "opencode";
/// The variable with permissions for every agent of a server. Subagents don't inherit what their session asks for
/// (measured with 1.18.33).
const PERMISSION_VARIABLE: &str = "OPENCODE_PERMISSION";
/// The permissions of whatever changes something: changing files, running commands, fetching pages.
pub(super) const CHANGES: [&str; 3] = ["edit", "bash", "webfetch"];

/// The password of our servers. It is made when the app starts, travels in the environment, and is never shown.
#[derive(Clone)]
pub(super) struct Password(String);

impl Password {
    pub(super) fn random() -> Self {
        Self(format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple()))
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password")
    }
}

/// Returns the variables with which an OpenCode asks before changes, in its subagents too.
fn permissions(asks: bool) -> Vec<(OsString, OsString)> {
    let value: Map<String, Value> = CHANGES.iter().map(|name| ((*name).to_owned(), json!("ask"))).collect();
    let variable = || (PERMISSION_VARIABLE.into(), Value::Object(value).to_string().into());
    asks.then(variable).into_iter().collect()
}

/// Plans the server. Sessions with the same program, arguments and variables share one; those that ask before changes have
/// one of their own.
///
/// It works in the home folder, because the folder of its first session can go away before the others end. Every request
/// names the folder that it is about.
pub(super) fn server(
    program: PathBuf,
    folder: &Path,
    password: &Password,
    asks: bool,
    extras: &LaunchOverrides,
) -> HttpPlan {
    let home = env::home_dir().filter(|home| home.is_dir());
    let launch = LaunchPlan {
        program,
        args: ["serve", "--hostname", "127.0.0.1", "--port", "0"].map(OsString::from).to_vec(),
        folder: home.unwrap_or_else(|| folder.to_owned()),
        env: permissions(asks),
        env_remove: PARENT_VARIABLES.iter().map(OsString::from).collect(),
    };
    let mut launch = launch.with_overrides(extras);
    let key = format!("{:?} {:?} {:?}", launch.program, launch.args, launch.env);
    launch.env.push((USER_VARIABLE.into(), USER.into()));
    launch.env.push((PASSWORD_VARIABLE.into(), password.0.clone().into()));
    HttpPlan {
        key,
        launch,
        address_in,
        events: &["/global/event", "/api/event"],
        user: USER,
        password: password.0.clone(),
        password_in,
        connection: Arc::new(|| -> Box<dyn Connection> { Box::new(OpenCodeConnection::default()) }),
    }
}

/// Reads the line `opencode server listening on http://127.0.0.1:4096`, which begins with `server` in 2.x.
fn address_in(line: &str) -> Option<SocketAddr> {
    let (_, url) = line.split_once("server listening on http://")?;
    url.trim().trim_end_matches('/').parse().ok()
}

/// Reads the line `server password …` of OpenCode 2, which doesn't take ours (from reports).
fn password_in(line: &str) -> Option<&str> {
    let (_, password) = line.split_once("server password ")?;
    Some(password.trim()).filter(|password| !password.is_empty())
}

/// Plans the program as a user starts it in a terminal, in a session that began here.
pub(super) fn in_terminal(
    program: PathBuf,
    folder: PathBuf,
    session: &NativeSession,
    asks: bool,
) -> LaunchPlan {
    LaunchPlan {
        program,
        args: vec!["--session".into(), session.as_str().into()],
        folder,
        env: permissions(asks),
        env_remove: PARENT_VARIABLES.iter().map(OsString::from).collect(),
    }
}

/// Plans the sign-in in a terminal.
pub(super) fn sign_in(program: PathBuf, folder: &Path, overrides: &LaunchOverrides) -> LaunchPlan {
    let plan = LaunchPlan {
        program,
        args: ["auth", "login"].map(OsString::from).to_vec(),
        folder: folder.to_owned(),
        env: Vec::new(),
        env_remove: PARENT_VARIABLES.iter().map(OsString::from).collect(),
    };
    plan.with_variables_of(overrides)
}

/// Finds OpenCode: the program the user named, else on `PATH`, else where installers put it.
pub(super) fn find(agent: &AgentDescriptor, explicit: Option<&Path>) -> Result<PathBuf, AgentFailure> {
    find_program(agent, "opencode", explicit)
}

/// Writes a folder as a query. OpenCode takes the path as it is, so only what a query can't contain is encoded.
pub(super) fn folder_query(folder: &Path) -> String {
    let mut query = "directory=".to_owned();
    for byte in folder.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                query.push(byte.into())
            }
            _ => query.push_str(&format!("%{byte:02X}")),
        }
    }
    query
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_address_is_read_from_the_line_that_says_it() {
        let address = address_in("opencode server listening on http://127.0.0.1:41234");
        assert_eq!(address, Some(SocketAddr::from(([127, 0, 0, 1], 41234))));
        assert_eq!(address_in("Warning: OPENCODE_SERVER_PASSWORD is not set; server is unsecured."), None);
        assert_eq!(address_in("opencode server listening on http://somewhere"), None);
    }

    #[test]
    fn case_137_the_password_of_2_x_is_read_from_the_line_that_says_it() {
        assert_eq!(password_in("server password s3cret-1\r"), Some("s3cret-1"));
        assert_eq!(password_in("server password "), None);
        assert_eq!(password_in("Warning: OPENCODE_SERVER_PASSWORD is not set; server is unsecured."), None);
    }

    #[test]
    fn a_folder_is_written_so_that_no_part_of_it_ends_the_query() {
        assert_eq!(folder_query(Path::new("/code/a b&c=ä")), "directory=/code/a%20b%26c%3D%C3%A4");
    }

    #[test]
    fn the_password_is_in_the_environment_and_nowhere_else() {
        let password = Password::random();
        assert_eq!(password.0.len(), 64);
        let plan =
            server("/bin/opencode".into(), Path::new("/"), &password, true, &LaunchOverrides::default());
        assert!(plan.launch.args.iter().all(|arg| !arg.to_string_lossy().contains(&password.0)));
        assert!(plan.launch.env.contains(&(PASSWORD_VARIABLE.into(), password.0.clone().into())));
        let shown = format!("{:?} {plan:?} {}", password, plan.key);
        assert!(!shown.contains(&password.0));
    }

    #[test]
    fn sessions_with_other_variables_get_another_server() {
        let password = Password::random();
        let key =
            |extras: &LaunchOverrides| server("/o".into(), Path::new("/a"), &password, false, extras).key;
        let other = LaunchOverrides {
            environment: BTreeMap::from([("A".to_owned(), "1".to_owned())]).try_into().unwrap(),
            ..LaunchOverrides::default()
        };
        assert_eq!(key(&LaunchOverrides::default()), key(&LaunchOverrides::default()));
        assert_ne!(key(&LaunchOverrides::default()), key(&other));
    }

    #[test]
    fn case_108_sessions_that_ask_have_a_server_whose_subagents_ask_unless_the_user_set_its_permissions() {
        let password = Password::random();
        let plan =
            |asks, extras: &LaunchOverrides| server("/o".into(), Path::new("/a"), &password, asks, extras);
        let none = LaunchOverrides::default();
        let ask = r#"{"edit":"ask","bash":"ask","webfetch":"ask"}"#;
        let said = |plan: &LaunchPlan| {
            let all = plan.env.iter().filter(|(name, _)| name == PERMISSION_VARIABLE);
            all.map(|(_, value)| value.to_string_lossy().into_owned()).next_back()
        };
        assert_eq!(said(&plan(true, &none).launch).as_deref(), Some(ask));
        assert_eq!(said(&plan(false, &none).launch), None);
        assert_ne!(plan(true, &none).key, plan(false, &none).key);
        let session = NativeSession::new("ses_1").unwrap();
        let terminal = |asks| in_terminal("/o".into(), "/a".into(), &session, asks);
        assert_eq!((said(&terminal(true)).as_deref(), said(&terminal(false))), (Some(ask), None));
        let own = BTreeMap::from([(PERMISSION_VARIABLE.to_owned(), "{}".to_owned())]).try_into().unwrap();
        let own = LaunchOverrides { environment: own, ..LaunchOverrides::default() };
        assert_eq!(said(&plan(true, &own).launch).as_deref(), Some("{}"));
    }
}
