//! The state of a client: whether it is installed, and what its files say.

use std::path::PathBuf;
use std::time::Duration;

use askdesk_contract::{BACKGROUND_SETTING, Client, Obstacle};
use askdesk_user_environment::find_in;
use askdesk_version_probe::probe;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::edit;
use crate::entries::{self, ConfigEntry, Endpoint};
use crate::env::Env;
use crate::error::FileErrorKind;
use crate::file::FoundFile;
use crate::hook_command;
use crate::scope::Scope;

/// How long the programs may take to print their versions.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Its program, if one was found. Otherwise a file or folder that only this client creates exists.
    pub program: Option<PathBuf>,
}

/// Looks for a client's program, as for an agent's, and for its files. Returns `None` if it isn't installed.
pub fn installed(client: Client, env: &Env) -> Option<Installed> {
    let folders = env.variables.search_folders(&env.home);
    let program = |name: &&str| find_in(name, &folders);
    let program = client.programs().iter().find_map(program);
    let has_files = || entries::install_markers(client, env).iter().any(|place| place.path.exists());
    (program.is_some() || has_files()).then_some(Installed { program })
}

/// Runs the installed clients' programs to find their versions. They run at the same time, for up to 10 seconds.
pub fn installed_versions(env: &Env) -> Vec<(Client, String)> {
    std::thread::scope(|scope| {
        let program = |client| Some((client, installed(client, env)?.program?));
        let probes: Vec<_> = Client::ALL
            .into_iter()
            .filter_map(program)
            .map(|(client, program)| (client, scope.spawn(move || probe(&program, VERSION_TIMEOUT))))
            .collect();
        let probed = probes.into_iter();
        probed.filter_map(|(client, probe)| Some((client, probe.join().ok().flatten()?))).collect()
    })
}

/// The state of the entry in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileStatus {
    pub scope: Scope,
    pub file: PathBuf,
    #[serde(flatten)]
    pub entry: EntryState,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum EntryState {
    Absent,
    /// The entry is up to date.
    Current,
    /// Questions arrive, and something else differs, such as the timeout.
    Differs,
    /// The port or the token differs or is missing.
    Stale,
    Off,
    /// The user wrote an entry that starts `askdesk mcp`, which works.
    ByHand,
    /// Another program's entry has our name.
    Foreign,
    /// The file can't be read or edited.
    Unusable {
        #[serde(serialize_with = "in_words")]
        why: FileErrorKind,
    },
}

fn in_words<S: Serializer>(why: &FileErrorKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(why)
}

/// Returns the state of each of a client's files.
pub fn file_statuses(client: Client, scope: Scope, env: &Env, endpoint: &Endpoint) -> Vec<FileStatus> {
    let mut file_statuses = Vec::new();
    let endpoint = as_connected(client, scope, env, endpoint);
    for entry in entries::entries(client, scope, env, &endpoint) {
        let before = file_statuses.len();
        for place in &entry.files {
            let entry = match FoundFile::read(place, entry.format) {
                Ok(FoundFile { text: None, .. }) => continue,
                Ok(found) => entry_of(&found.document, &entry.pieces),
                Err(why) => EntryState::Unusable { why },
            };
            file_statuses.push(FileStatus { scope, file: place.path.clone(), entry });
        }
        if let (true, Some(place)) = (file_statuses.len() == before, entry.files.last()) {
            file_statuses.push(FileStatus { scope, file: place.path.clone(), entry: EntryState::Absent });
        }
        // If a client has alternative files, one with an entry is enough.
        if file_statuses[before..].iter().any(|it| it.entry != EntryState::Absent) {
            let of_this = file_statuses.split_off(before);
            file_statuses.extend(of_this.into_iter().filter(|it| it.entry != EntryState::Absent));
        } else {
            file_statuses.truncate(before + 1);
        }
    }
    file_statuses
}

/// Changes an endpoint to match how the client is already connected. Another copy of `askdesk` is as good as this one while
/// it exists.
pub fn as_connected(client: Client, scope: Scope, env: &Env, endpoint: &Endpoint) -> Endpoint {
    let command = |event| command_of_hook(event, client, scope, env);
    let ask_by_command = command(entries::ASKS).is_some();
    let mut registered = [entries::DONE, entries::ASKS].into_iter().filter_map(command);
    let registered = registered.find(|command| hook_command::program_exists(command, env));
    Endpoint { command: registered.or(endpoint.command.clone()), ask_by_command, ..endpoint.clone() }
}

/// Returns the command of Claude Code's hook for an event, if it is ours.
fn command_of_hook(event: &str, client: Client, scope: Scope, env: &Env) -> Option<String> {
    documents(client, scope, env).iter().find_map(|(entry, document)| {
        let piece = entry.pieces.iter().find(|piece| piece.path == ["hooks", event])?;
        Some(piece.kind.own(piece.find(document)?)?["command"].as_str()?.to_owned())
    })
}

/// Reads a client's files. Those that can't be read are left out.
fn documents(client: Client, scope: Scope, env: &Env) -> Vec<(ConfigEntry, Value)> {
    let mut documents = Vec::new();
    for entry in crate::plan::entries_anywhere(client, scope, env) {
        let found = entry.files.iter().filter_map(|place| FoundFile::read(place, entry.format).ok());
        documents.extend(found.map(|found| (entry.clone(), found.document)));
    }
    documents
}

fn entry_of(document: &Value, pieces: &[edit::Piece]) -> EntryState {
    let found: Vec<_> = pieces.iter().map(|piece| (piece, piece.find(document))).collect();
    // An entry that the user may have written too proves nothing.
    let proves = |piece: &edit::Piece| match piece.kind {
        edit::Kind::Member { .. } => true,
        edit::Kind::Element { distinctive, .. } => distinctive,
        edit::Kind::Setting { .. } => false,
    };
    if !found.iter().any(|(piece, found)| found.is_some() && proves(piece)) {
        return EntryState::Absent;
    }
    let is_off = |found: &Value| found["disabled"] == true || found["enabled"] == false;
    if found.iter().any(|(_, found)| found.is_some_and(is_off)) {
        return EntryState::Off;
    }
    if found.iter().any(|(_, found)| found.is_some_and(entries::is_by_hand)) {
        return EntryState::ByHand;
    }
    let is_foreign = |piece: &edit::Piece, found| {
        matches!(piece.kind, edit::Kind::Member { .. }) && !piece.is_proof(found)
    };
    if found.iter().any(|(piece, found)| found.is_some_and(|found| is_foreign(piece, found))) {
        return EntryState::Foreign;
    }
    let current = found.iter().all(|(piece, found)| found.is_some_and(|found| piece.is_satisfied_by(found)));
    match (current, found.iter().all(|(piece, found)| reaches_gateway(piece, *found))) {
        (true, _) => EntryState::Current,
        (false, true) => EntryState::Differs,
        (false, false) => EntryState::Stale,
    }
}

/// The fields that decide whether a question arrives.
const ROUTE_FIELDS: [&str; 6] = ["type", "url", "serverUrl", "headers", "http_headers", "command"];

/// Tells whether a question arrives with this piece as it was found, or without it.
fn reaches_gateway(piece: &edit::Piece, found: Option<&Value>) -> bool {
    let same = |found: &Value, wanted: &Value| {
        ROUTE_FIELDS.iter().all(|name| match (wanted.get(name), found.get(name)) {
            (Some(Value::Object(wanted)), Some(found)) => {
                let mut wanted = wanted.clone();
                // Without them a question arrives too, if not in the session that asks it.
                wanted.shift_remove(entries::SESSION_HEADER);
                wanted.shift_remove(entries::BACKGROUND_HEADER);
                edit::covers(found, &wanted)
            }
            (Some(wanted), found) => found == Some(wanted),
            (None, _) => true,
        })
    };
    match (&piece.kind, found) {
        (edit::Kind::Member { value, .. }, Some(found)) => same(found, &Value::Object(value.clone())),
        (edit::Kind::Setting { .. }, _) => true,
        (edit::Kind::Element { .. }, _) if piece.path != ["hooks", entries::ASKS] => true,
        (edit::Kind::Element { value, .. }, Some(found)) => {
            let own = |value| piece.kind.own(value).unwrap_or(&Value::Null);
            found["matcher"] == value["matcher"] && same(own(found), own(value))
        }
        (_, None) => false,
    }
}

/// Returns what in a client's own settings limits the connection.
pub fn obstacles(client: Client, scopes: &[Scope], env: &Env) -> Vec<Obstacle> {
    if client != Client::ClaudeCode {
        return Vec::new();
    }
    let mut obstacles = Vec::new();
    let mut limits = Vec::new();
    for (_, document) in scopes.iter().flat_map(|scope| documents(client, *scope, env)) {
        if document["disableAllHooks"] == true {
            obstacles.push(Obstacle::HooksOff);
        }
        let denied = document["permissions"]["deny"].as_array();
        if denied.is_some_and(|rules| rules.iter().any(entries::is_rule)) {
            obstacles.push(Obstacle::Denied);
        }
        limits.extend(document["env"][BACKGROUND_SETTING].as_str().map(str::to_owned));
    }
    obstacles.dedup();
    if limits.is_empty() {
        limits.extend(env.variables.get(BACKGROUND_SETTING).map(|it| it.to_string_lossy().into_owned()));
    }
    if limits.is_empty() || limits.iter().any(|limit| limit != "0") {
        obstacles.push(Obstacle::Background);
    }
    obstacles
}

/// How long a call can wait, given that our entry sets what can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WaitLimit {
    /// The limit in seconds, if it is known.
    pub seconds: Option<u64>,
    /// What happens then, and what to do about it.
    pub words: &'static str,
}

pub fn wait_limit(client: Client) -> WaitLimit {
    let words = match client {
        // Measured with 0.61.0.
        Client::GeminiCli => "calls wait up to a day; it asks only in folders it trusts",
        Client::ClaudeCode | Client::Codex | Client::OpenCode | Client::CopilotCli | Client::Zed => {
            "calls wait up to a day"
        }
        Client::Cursor | Client::VsCode | Client::Windsurf | Client::Antigravity => {
            let words = "how long calls wait is unknown and can't be set. Askdesk reports progress every 15 seconds \
                         and saves late answers for collect_answer";
            return WaitLimit { seconds: None, words };
        }
    };
    WaitLimit { seconds: Some(entries::WAIT_SECONDS), words }
}
