//! What is known of each client: where its files are, how it is recognised, and what has to stand in it.
//!
//! Facts marked *measured* were seen with the program itself; the others are from its documentation, which is named.

use serde_json::{Map, Value, json};

use crate::client::{Client, Scope};
use crate::desk::Token;
use crate::edit::{Format, Kind, Piece};
use crate::surroundings::{Place, Surroundings, System};

/// The name under which the desk is registered.
pub const SERVER: &str = "askdesk";

/// How long a client may wait for an answer, in seconds: a day. Clients take no "for ever".
pub const WAIT_SECONDS: u64 = 24 * 60 * 60;
const WAIT_MILLIS: u64 = WAIT_SECONDS * 1000;

/// The tool of Claude Code whose calls go to the desk by way of its hook.
const CLAUDE_TOOL: &str = "AskUserQuestion";

/// The event of Claude Code at which its question is handed over.
pub(crate) const ASKS: &str = "PermissionRequest";
/// The event at which it has been answered.
pub(crate) const DONE: &str = "PostToolUse";
/// The event at which a turn is over, and with it whatever was asked in it.
const OVER: &str = "Stop";
/// How long the terminal waits at most until the desk has heard of an answer, in seconds.
const TOLD_SECONDS: u64 = 10;

/// What a client needs to reach the desk.
#[derive(Clone, Debug)]
pub struct Door {
    /// Where the desk listens.
    pub port: u16,
    pub token: Token,
    /// What Claude Code runs to tell the desk something: `askdesk hook` with the whole path. None where that program is not
    /// known; the desk then never hears that a question was answered in a terminal.
    pub command: Option<String>,
    /// Whether it asks by that command too, instead of calling the desk itself.
    pub asks_by_command: bool,
}

impl Door {
    fn mcp(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    fn hook(&self) -> String {
        format!("http://127.0.0.1:{}/hooks/claude", self.port)
    }

    fn headers(&self) -> Value {
        json!({ "Authorization": format!("Bearer {}", self.token.reveal()) })
    }
}

/// One of the files of a client, in which something has to stand.
#[derive(Clone, Debug)]
pub struct Spot {
    /// Where it may be; the first that is there counts, and the last is made where none is.
    pub files: Vec<Place>,
    pub format: Format,
    pub pieces: Vec<Piece>,
}

/// Lists what has to stand where; empty where the client has no files for a scope.
pub fn spots(client: Client, scope: Scope, around: &Surroundings, door: &Door) -> Vec<Spot> {
    let of = |files: Vec<Place>, format, path: &'static [&'static str], value: Value| Spot {
        files,
        format,
        pieces: vec![member(path, value)],
    };
    let json_at = |file: Place, path, value| vec![of(vec![file], Format::Json, path, value)];
    let user = scope == Scope::User;
    let home = Place { path: around.home.clone(), within: around.home.clone() };
    let project = Place { path: around.project.clone(), within: around.project.clone() };
    let (url, headers) = (door.mcp(), door.headers());
    match client {
        Client::ClaudeCode => claude(user, around, &project, door),
        // Measured. A project's file counts where Codex trusts the folder:
        // https://developers.openai.com/codex/config-reference
        Client::Codex => {
            let folder = if user {
                around.folder("CODEX_HOME", home.path.join(".codex"))
            } else {
                project.join(".codex")
            };
            let entry = json!({
                "url": url,
                "http_headers": headers,
                "tool_timeout_sec": WAIT_SECONDS,
                "default_tools_approval_mode": "approve",
            });
            vec![of(vec![folder.join("config.toml")], Format::Toml, &["mcp_servers"], entry)]
        }
        // Measured.
        Client::GeminiCli => {
            let home = around.folder("GEMINI_CLI_HOME", home.path);
            let folder = if user { home } else { project }.join(".gemini");
            let entry = json!({
                "url": url,
                "type": "http",
                "headers": headers,
                "timeout": WAIT_MILLIS,
                "trust": true,
            });
            json_at(folder.join("settings.json"), &["mcpServers"], entry)
        }
        // Measured. It reads both names, and comments in either: https://opencode.ai/docs/config
        Client::OpenCode => {
            let folder = if user { around.config().join("opencode") } else { project };
            let files = vec![folder.join("opencode.jsonc"), folder.join("opencode.json")];
            let entry = json!({
                "type": "remote",
                "url": url,
                "headers": headers,
                "enabled": true,
                "timeout": WAIT_MILLIS,
            });
            vec![of(files, Format::Json, &["mcp"], entry)]
        }
        // https://cursor.com/docs/mcp; no setting for a limit is documented.
        Client::Cursor => {
            let folder = if user { home } else { project }.join(".cursor");
            json_at(folder.join("mcp.json"), &["mcpServers"], json!({ "url": url, "headers": headers }))
        }
        // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration; no setting for a limit is documented.
        Client::VsCode => {
            let entry = json!({ "type": "http", "url": url, "headers": headers });
            let files = if user { editors(around) } else { vec![project.join(".vscode")] };
            let spot =
                |folder: Place| of(vec![folder.join("mcp.json")], Format::Json, &["servers"], entry.clone());
            files.into_iter().map(spot).collect()
        }
        // https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-command-reference: `tools` is needed,
        // `timeout` is that of a tool call in milliseconds.
        Client::CopilotCli => {
            let file = if user {
                around.folder("COPILOT_HOME", home.path.join(".copilot")).join("mcp-config.json")
            } else {
                // `.mcp.json` is read too, but there Claude Code has an entry of the same name.
                project.join(".github").join("mcp.json")
            };
            let entry = json!({
                "type": "http",
                "url": url,
                "headers": headers,
                "tools": ["*"],
                "timeout": WAIT_MILLIS,
            });
            json_at(file, &["mcpServers"], entry)
        }
        // https://docs.windsurf.com/windsurf/cascade/mcp; it has no file for a project and no setting for a limit.
        Client::Windsurf if !user => Vec::new(),
        Client::Windsurf => {
            let file = home.join(".codeium").join("windsurf").join("mcp_config.json");
            json_at(file, &["mcpServers"], json!({ "serverUrl": url, "headers": headers }))
        }
        // https://antigravity.google/docs/mcp; its reader takes neither comments nor trailing commas, and knows no limit.
        Client::Antigravity => {
            let entry = json!({ "serverUrl": url, "headers": headers });
            let folders = if user {
                let gemini = home.join(".gemini");
                there_or_first(vec![gemini.join("config"), gemini.join("antigravity")])
            } else {
                vec![project.join(".agents")]
            };
            let spot = |folder: Place| {
                of(vec![folder.join("mcp_config.json")], Format::Json, &["mcpServers"], entry.clone())
            };
            folders.into_iter().map(spot).collect()
        }
        // https://zed.dev/docs/ai/mcp; `timeout` is in seconds, 60 by itself:
        // https://github.com/zed-industries/zed/blob/main/crates/settings_content/src/project.rs
        Client::Zed => {
            let folder = match (user, around.system) {
                (false, _) => project.join(".zed"),
                (true, System::Windows) => around.app_data().join("Zed"),
                (true, System::MacOs) => home.join(".config").join("zed"),
                (true, System::Linux) => around.config().join("zed"),
            };
            let entry = json!({ "url": url, "headers": headers, "timeout": WAIT_SECONDS });
            json_at(folder.join("settings.json"), &["context_servers"], entry)
        }
    }
}

/// Measured. Its own tool asks by the hook, all else by the server; `timeout` of the server is in milliseconds, that of the
/// hook in seconds. `alwaysLoad` keeps the tools from being hidden behind a search.
///
/// A question that is answered in the terminal leaves the hook that asked waiting (Esc ends it; 2.1.329), so another one says
/// that the tool is done. "Chat about this" is no use of the tool and brings only the end of the turn. Both are commands in
/// any case: over HTTP they would show an error where no desk runs.
fn claude(user: bool, around: &Surroundings, project: &Place, door: &Door) -> Vec<Spot> {
    let named = around.variables.contains_key("CLAUDE_CONFIG_DIR");
    let folder = around.folder("CLAUDE_CONFIG_DIR", around.home.join(".claude"));
    let server_file = match (user, named) {
        (false, _) => project.join(".mcp.json"),
        (true, true) => folder.join(".claude.json"),
        (true, false) => Place { path: around.home.join(".claude.json"), within: around.home.clone() },
    };
    // A project's `settings.json` is for everybody; what has a token in it belongs into the person's own.
    let settings_file =
        if user { folder.join("settings.json") } else { project.join(".claude").join("settings.local.json") };
    let server = json!({
        "type": "http",
        "url": door.mcp(),
        "headers": door.headers(),
        "timeout": WAIT_MILLIS,
        "alwaysLoad": true,
    });
    let command = |timeout| {
        let command = door.command.as_ref()?;
        Some(json!({ "type": "command", "command": command, "timeout": timeout }))
    };
    let by_command = if door.asks_by_command { command(WAIT_SECONDS) } else { None };
    let asks = by_command.unwrap_or_else(|| {
        let (url, headers) = (door.hook(), door.headers());
        json!({ "type": "http", "url": url, "timeout": WAIT_SECONDS, "headers": headers })
    });
    let rule = format!("mcp__{SERVER}");
    let rule = Kind::Element { value: rule.into(), ours: is_rule, inside: None, tells: false };
    let hook = |path, value| Piece {
        path,
        kind: Kind::Element { value, ours: is_hook, inside: Some("hooks"), tells: true },
    };
    let of_tool = |hook| json!({ "matcher": CLAUDE_TOOL, "hooks": [hook] });
    let mut settings =
        vec![Piece { path: &["permissions", "allow"], kind: rule }, hook(&["hooks", ASKS], of_tool(asks))];
    if let Some(told) = command(TOLD_SECONDS) {
        settings.push(hook(&["hooks", DONE], of_tool(told.clone())));
        settings.push(hook(&["hooks", OVER], json!({ "hooks": [told] })));
    }
    vec![
        Spot {
            files: vec![server_file],
            format: Format::Json,
            pieces: vec![member(&["mcpServers"], server)],
        },
        Spot { files: vec![settings_file], format: Format::Json, pieces: settings },
    ]
}

/// The folders with a person's settings of VS Code: that of each edition that is there.
fn editors(around: &Surroundings) -> Vec<Place> {
    let home = Place { path: around.home.clone(), within: around.home.clone() };
    let folder = match around.system {
        System::Windows => around.app_data(),
        System::MacOs => home.join("Library").join("Application Support"),
        System::Linux => around.config(),
    };
    there_or_first(["Code", "Code - Insiders"].map(|edition| folder.join(edition).join("User")).to_vec())
}

fn there_or_first(places: Vec<Place>) -> Vec<Place> {
    let there: Vec<Place> = places.iter().filter(|place| place.path.is_dir()).cloned().collect();
    if there.is_empty() { places.into_iter().take(1).collect() } else { there }
}

/// Lists what is there only where the client was used.
pub fn signs(client: Client, around: &Surroundings) -> Vec<Place> {
    let home = Place { path: around.home.clone(), within: around.home.clone() };
    match client {
        Client::ClaudeCode => {
            vec![around.folder("CLAUDE_CONFIG_DIR", home.path.join(".claude")), home.join(".claude.json")]
        }
        Client::Codex => vec![around.folder("CODEX_HOME", home.path.join(".codex"))],
        // Antigravity keeps its own below the same folder.
        Client::GeminiCli => {
            vec![around.folder("GEMINI_CLI_HOME", home.path).join(".gemini").join("settings.json")]
        }
        Client::OpenCode => vec![around.config().join("opencode")],
        Client::Cursor => vec![home.join(".cursor")],
        Client::VsCode => editors(around),
        Client::CopilotCli => vec![around.folder("COPILOT_HOME", home.path.join(".copilot"))],
        Client::Windsurf => vec![home.join(".codeium").join("windsurf")],
        Client::Antigravity => {
            let gemini = home.join(".gemini");
            vec![gemini.join("config"), gemini.join("antigravity"), home.join(".antigravity")]
        }
        Client::Zed => match around.system {
            System::Windows => vec![around.app_data().join("Zed")],
            System::MacOs => vec![home.join(".config").join("zed")],
            System::Linux => vec![around.config().join("zed")],
        },
    }
}

fn member(path: &'static [&'static str], value: Value) -> Piece {
    let value = match value {
        Value::Object(value) => value,
        _ => Map::new(),
    };
    Piece { path, kind: Kind::Member { name: SERVER, value, ours: is_server } }
}

/// Tells whether an entry leads to a desk on this machine.
fn is_server(entry: &Value) -> bool {
    let url = ["url", "serverUrl"].into_iter().find_map(|name| entry.get(name)?.as_str());
    url.is_some_and(|url| leads_here(url, "/mcp")) && entry.get("command").is_none()
}

/// Tells whether an entry starts the program that speaks with the desk, as a person may write it by hand.
pub(crate) fn is_by_hand(entry: &Value) -> bool {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|it| Some(it.as_str()?.to_owned())).collect()
    };
    let command = &entry["command"];
    let mut words = match command.as_str().or(command["path"].as_str()) {
        Some(program) => vec![program.to_owned()],
        None => texts(command),
    };
    words.extend(texts(if command.is_object() { &command["args"] } else { &entry["args"] }));
    matches!(words.as_slice(), [program, does, ..] if is_this(program) && does == "mcp")
}

fn is_rule(element: &Value) -> bool {
    element.as_str().and_then(|rule| rule.strip_prefix("mcp__")) == Some(SERVER)
}

/// Tells whether a hook leads to a desk.
fn is_hook(hook: &Value) -> bool {
    let text = |name| hook.get(name).and_then(Value::as_str).unwrap_or_default();
    leads_here(text("url"), "/hooks/claude") || runs_hook(text("command"))
}

/// Tells whether a command is this program's `hook`, wherever the program is.
fn runs_hook(command: &str) -> bool {
    let program = command.strip_suffix(" hook").map(|program| program.trim_matches(['"', '\'']));
    program.is_some_and(is_this)
}

fn is_this(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next();
    name.is_some_and(|name| name.trim_end_matches(".exe") == SERVER)
}

fn leads_here(url: &str, path: &str) -> bool {
    let port = url.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix(path));
    port.is_some_and(|port| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hook_is_known_by_its_program_wherever_that_is() {
        let ours = [
            "askdesk hook",
            "/usr/bin/askdesk hook",
            "'/home/ada/my tools/askdesk' hook",
            "\"C:\\Program Files\\Askdesk\\askdesk.exe\" hook",
        ];
        for command in ours {
            assert!(runs_hook(command), "{command}");
        }
        for command in
            ["", "hook", "/home/askdesk/check hook", "askdesk list", "not-askdesk hook", "askdesk hook; rm x"]
        {
            assert!(!runs_hook(command), "{command}");
        }
    }
}
