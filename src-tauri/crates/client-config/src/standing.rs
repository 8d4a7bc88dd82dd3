//! How a client stands to the desk: whether it is there, and whether it knows the way.

use std::path::PathBuf;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::client::{Client, Scope};
use crate::edit;
use crate::file::Found;
use crate::program;
use crate::refusal::Why;
use crate::surroundings::Surroundings;
use crate::table::{self, Door, SERVER};

/// What shows that a client is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The program that starts it, where one is on the path.
    pub program: Option<PathBuf>,
    /// A file or folder of its own, where there is one.
    pub sign: Option<PathBuf>,
}

/// Looks whether a client is there; none where nothing shows it.
pub fn installed(client: Client, around: &Surroundings) -> Option<Installed> {
    let path = around.variables.get("PATH");
    let program = |name: &&str| which::which_in(name, path, &around.home).ok();
    let program = client.programs().iter().find_map(program);
    let sign = table::signs(client, around).into_iter().map(|place| place.path).find(|path| path.exists());
    (program.is_some() || sign.is_some()).then_some(Installed { program, sign })
}

/// How the entry in one file stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Standing {
    pub file: PathBuf,
    #[serde(flatten)]
    pub entry: Entry,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    /// There is none.
    Absent,
    /// It leads to the desk.
    Current,
    /// It leads to the desk, and differs from what is wanted in something else, such as how long a wait may be.
    Differs,
    /// It leads elsewhere, opens with another token, or leaves one of these out.
    Stale,
    Off,
    /// The person wrote one that starts `askdesk mcp`, which leads to the desk.
    ByHand,
    Foreign,
    /// The file cannot be read or used.
    Unusable {
        #[serde(serialize_with = "in_words")]
        why: Why,
    },
}

fn in_words<S: Serializer>(why: &Why, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(why)
}

/// What stands in the way of questions though the entry is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Obstacle {
    #[error("hooks are turned off (disableAllHooks), so questions in a terminal stay there")]
    HooksOff,
    /// A rule forbids the desk's tools.
    #[error("a rule under permissions.deny forbids the tools of Askdesk")]
    Denied,
    /// The entry differs in something on which no question depends.
    #[error(
        "its entry lacks something or has it otherwise, such as how long it waits; connect again to bring it up to date"
    )]
    Differs,
    /// It is one that the person wrote.
    #[error("its entry was written by hand and starts `askdesk mcp`; it is left as it is")]
    ByHand,
}

/// Looks at every file of a client.
pub fn standings(client: Client, scope: Scope, around: &Surroundings, door: &Door) -> Vec<Standing> {
    let mut standings = Vec::new();
    let door = as_connected(client, scope, around, door);
    for spot in table::spots(client, scope, around, &door) {
        let before = standings.len();
        for place in &spot.files {
            let entry = match Found::read(place) {
                Ok(Found { text: None, .. }) => continue,
                Ok(Found { text: Some(text), .. }) => match edit::read(spot.format, &text) {
                    Ok(said) => entry_of(&said, &spot.pieces),
                    Err(why) => Entry::Unusable { why },
                },
                Err(why) => Entry::Unusable { why },
            };
            standings.push(Standing { file: place.path.clone(), entry });
        }
        if let (true, Some(place)) = (standings.len() == before, spot.files.last()) {
            standings.push(Standing { file: place.path.clone(), entry: Entry::Absent });
        }
        // Of several files one is enough.
        if standings[before..].iter().any(|it| it.entry != Entry::Absent) {
            let of_this = standings.split_off(before);
            standings.extend(of_this.into_iter().filter(|it| it.entry != Entry::Absent));
        } else {
            standings.truncate(before + 1);
        }
    }
    standings
}

/// Makes of a door one that leads there in the form in which the client is connected already: another copy of the program is
/// as good as this one, as long as it is there.
pub fn as_connected(client: Client, scope: Scope, around: &Surroundings, door: &Door) -> Door {
    let command = |event| command_of_hook(event, client, scope, around);
    let asks_by_command = command(table::ASKS).is_some();
    let stands = [table::DONE, table::ASKS].into_iter().filter_map(command);
    let stands = stands.into_iter().find(|command| program::is_there(command, around));
    Door { command: stands.or(door.command.clone()), asks_by_command, ..door.clone() }
}

/// The command that Claude Code runs at an event to reach a desk, where it does.
fn command_of_hook(event: &str, client: Client, scope: Scope, around: &Surroundings) -> Option<String> {
    let spots = crate::plan::spots_anywhere(client, scope, around);
    spots.iter().flat_map(|spot| spot.files.iter().map(move |place| (spot, place))).find_map(
        |(spot, place)| {
            let said = edit::read(spot.format, &Found::read(place).ok()?.text?).ok()?;
            let piece = spot.pieces.iter().find(|piece| piece.path == ["hooks", event])?;
            Some(piece.kind.own(piece.find(&said)?)?["command"].as_str()?.to_owned())
        },
    )
}

fn entry_of(said: &Value, pieces: &[edit::Piece]) -> Entry {
    let found: Vec<_> = pieces.iter().map(|piece| (piece, piece.find(said))).collect();
    // What the person may have written as well shows nothing.
    let shows = |piece: &edit::Piece| !matches!(piece.kind, edit::Kind::Element { tells: false, .. });
    if !found.iter().any(|(piece, found)| found.is_some() && shows(piece)) {
        return Entry::Absent;
    }
    let is_off = |found: &Value| found["disabled"] == true || found["enabled"] == false;
    if found.iter().any(|(_, found)| found.is_some_and(is_off)) {
        return Entry::Off;
    }
    let by_hand = |found: &Value| table::is_by_hand(found);
    if found.iter().any(|(_, found)| found.is_some_and(by_hand)) {
        return Entry::ByHand;
    }
    let is_foreign =
        |piece: &edit::Piece, found| matches!(piece.kind, edit::Kind::Member { .. }) && !piece.proves(found);
    if found.iter().any(|(piece, found)| found.is_some_and(|found| is_foreign(piece, found))) {
        return Entry::Foreign;
    }
    let current = found.iter().all(|(piece, found)| found.is_some_and(|found| piece.holds(found)));
    match (current, found.iter().all(|(piece, found)| leads(piece, *found))) {
        (true, _) => Entry::Current,
        (false, true) => Entry::Differs,
        (false, false) => Entry::Stale,
    }
}

/// What a question goes by; all else of an entry is about how.
const WAY: [&str; 6] = ["type", "url", "serverUrl", "headers", "http_headers", "command"];

/// Tells whether a question arrives by what was found of a piece, or does not need it.
fn leads(piece: &edit::Piece, found: Option<&Value>) -> bool {
    let same = |found: &Value, wanted: &Value| {
        WAY.iter().all(|name| match (wanted.get(name), found.get(name)) {
            (Some(Value::Object(wanted)), Some(found)) => edit::covers(found, wanted),
            (Some(wanted), found) => found == Some(wanted),
            (None, _) => true,
        })
    };
    match (&piece.kind, found) {
        (edit::Kind::Member { value, .. }, Some(found)) => same(found, &Value::Object(value.clone())),
        (edit::Kind::Element { .. }, _) if piece.path != ["hooks", table::ASKS] => true,
        (edit::Kind::Element { value, .. }, Some(found)) => {
            let own = |value| piece.kind.own(value).unwrap_or(&Value::Null);
            found["matcher"] == value["matcher"] && same(own(found), own(value))
        }
        (_, None) => false,
    }
}

/// Looks for what a client's own settings have against the desk.
pub fn obstacles(client: Client, scopes: &[Scope], around: &Surroundings) -> Vec<Obstacle> {
    if client != Client::ClaudeCode {
        return Vec::new();
    }
    let mut obstacles = Vec::new();
    for scope in scopes.iter().copied() {
        for spot in crate::plan::spots_anywhere(client, scope, around) {
            for place in &spot.files {
                let Some(text) = Found::read(place).ok().and_then(|found| found.text) else { continue };
                let Ok(said) = edit::read(spot.format, &text) else { continue };
                if said["disableAllHooks"] == true {
                    obstacles.push(Obstacle::HooksOff);
                }
                let rule = format!("mcp__{SERVER}");
                let denied = said["permissions"]["deny"].as_array();
                if denied.is_some_and(|rules| rules.iter().any(|it| it.as_str() == Some(&rule))) {
                    obstacles.push(Obstacle::Denied);
                }
            }
        }
    }
    obstacles.dedup();
    obstacles
}

/// What cuts a wait short though the entry sets what can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// After how many seconds; none where nobody knows.
    pub seconds: Option<u64>,
    /// What happens then, and what can be done.
    pub words: &'static str,
}

/// Returns what is known to cut a wait short in a client that is connected.
pub fn limit(client: Client) -> Limit {
    let seconds = Some(table::WAIT_SECONDS);
    match client {
        Client::ClaudeCode => Limit {
            seconds,
            words: "its own questions and calls of the desk's tools wait for a day. In a terminal a call of a tool that \
                    takes longer than two minutes goes on in the background; CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS=0 \
                    turns that off",
        },
        // Measured with 0.61.0.
        Client::GeminiCli => {
            Limit { seconds, words: "a call waits for a day; it uses servers only in folders that it trusts" }
        }
        Client::Codex | Client::OpenCode | Client::CopilotCli | Client::Zed => {
            Limit { seconds, words: "a call waits for a day" }
        }
        Client::Cursor | Client::VsCode | Client::Windsurf | Client::Antigravity => Limit {
            seconds: None,
            words: "it has no setting for how long a call may take, and its own limit is not known; the desk reports that \
                    it waits every 15 seconds, and an answer that comes too late is kept for collect_answer",
        },
    }
}
