//! The entry of each client: which files it is in, what it says, and how it is recognized.
//!
//! Facts marked *measured* were seen with the program itself. The others are from its documentation, which is linked.

use askdesk_contract::{BACKGROUND_SETTING, Client};
use serde_json::{Map, Value, json};

use crate::edit::{Format, Kind, Piece};
use crate::env::{ConfigPath, Env, Os};
use crate::scope::Scope;
use crate::token::Token;

/// The name of our entry.
pub const SERVER: &str = "askdesk";

/// How long a client may wait for an answer, in seconds. Clients don't accept "forever", so it is a day.
pub const WAIT_SECONDS: u64 = 24 * 60 * 60;
const WAIT_MILLIS: u64 = WAIT_SECONDS * 1000;

/// The environment variable in which Askdesk gives the agent of a session a token of that session.
pub const SESSION_VARIABLE: &str = "ASKDESK_SESSION";
/// The header that carries this token to the gateway. Entries contain only the name of the variable.
pub const SESSION_HEADER: &str = "askdesk-session";

/// The header in which Claude Code says how it was started, and the value of [`BACKGROUND_SETTING`].
pub const BACKGROUND_HEADER: &str = "askdesk-background";

/// The tool of Claude Code that our hook answers.
const CLAUDE_TOOL: &str = "AskUserQuestion";

/// Claude Code's event when it asks.
pub(crate) const ASKS: &str = "PermissionRequest";
/// Claude Code's event when the question was answered in the terminal.
pub(crate) const DONE: &str = "PostToolUse";
/// Claude Code's event when a turn ends, and its questions with it.
const OVER: &str = "Stop";
/// How long Claude Code waits for the hooks that only notify us, in seconds.
const REPORT_SECONDS: u64 = 10;

/// What a client needs to reach the gateway.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub port: u16,
    /// The token that lets a client ask.
    pub token: Token,
    /// The command of Claude Code's hooks: the full path of `askdesk` and `hook`. Without it, Askdesk isn't notified when a
    /// question was answered in the terminal.
    pub command: Option<String>,
    /// Whether Claude Code asks with that command too, instead of over HTTP.
    pub ask_by_command: bool,
}

impl Endpoint {
    pub(crate) fn mcp(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    fn hook(&self) -> String {
        format!("http://127.0.0.1:{}/hooks/claude", self.port)
    }

    fn headers(&self) -> Value {
        json!({ "Authorization": format!("Bearer {}", self.token.reveal()) })
    }

    /// Returns the headers with the session's token, as an expression that the client replaces by its value.
    fn headers_with_session(&self, expression: &str) -> Value {
        let mut headers = self.headers();
        headers[SESSION_HEADER] = expression.into();
        headers
    }
}

/// What one file of a client must contain.
#[derive(Clone, Debug)]
pub struct ConfigEntry {
    /// Alternative paths. The first one that exists is used, or else the last one is created.
    pub files: Vec<ConfigPath>,
    pub format: Format,
    pub pieces: Vec<Piece>,
}

/// Returns a client's entries. Empty if it has no files for the scope.
pub fn entries(client: Client, scope: Scope, env: &Env, endpoint: &Endpoint) -> Vec<ConfigEntry> {
    let user = scope == Scope::User;
    let project = ConfigPath::root(env.project.clone());
    let (url, headers) = (endpoint.mcp(), endpoint.headers());
    let (in_project, files, path, entry): (_, &[_], &[_], _) = match client {
        Client::ClaudeCode => return claude(user, env, &project, endpoint),
        // Measured. Codex reads a project's file only if it trusts the folder:
        // https://developers.openai.com/codex/config-reference
        Client::Codex => {
            let entry = json!({
                "url": url,
                "http_headers": headers,
                "tool_timeout_sec": WAIT_SECONDS,
                "default_tools_approval_mode": "approve",
            });
            (".codex", &["config.toml"], &["mcp_servers"], entry)
        }
        // Measured.
        Client::GeminiCli => {
            let entry = json!({
                "url": url,
                "type": "http",
                "headers": headers,
                "timeout": WAIT_MILLIS,
                "trust": true,
            });
            (".gemini", &["settings.json"], &["mcpServers"], entry)
        }
        // Measured. It reads both names, and comments in either: https://opencode.ai/docs/config
        Client::OpenCode => {
            let entry = json!({
                "type": "remote",
                "url": url,
                "headers": headers,
                "enabled": true,
                "timeout": WAIT_MILLIS,
            });
            ("", &["opencode.jsonc", "opencode.json"], &["mcp"], entry)
        }
        // https://cursor.com/docs/mcp documents no timeout.
        Client::Cursor => {
            (".cursor", &["mcp.json"], &["mcpServers"], json!({ "url": url, "headers": headers }))
        }
        // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration documents no timeout.
        Client::VsCode => {
            let entry = json!({ "type": "http", "url": url, "headers": headers });
            (".vscode", &["mcp.json"], &["servers"], entry)
        }
        // https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-command-reference: `tools` is required, and
        // `timeout` is that of a tool call in milliseconds.
        Client::CopilotCli => {
            let entry = json!({
                "type": "http",
                "url": url,
                "headers": headers,
                "tools": ["*"],
                "timeout": WAIT_MILLIS,
            });
            // It also reads a project's `.mcp.json`, but Claude Code's entry there has the same name.
            (".github", if user { &["mcp-config.json"] } else { &["mcp.json"] }, &["mcpServers"], entry)
        }
        // https://docs.windsurf.com/windsurf/cascade/mcp documents no file for a project and no timeout.
        Client::Windsurf if !user => return Vec::new(),
        // https://antigravity.google/docs/mcp documents no timeout. Its parser accepts neither comments nor trailing
        // commas.
        Client::Windsurf | Client::Antigravity => {
            let entry = json!({ "serverUrl": url, "headers": headers });
            (".agents", &["mcp_config.json"], &["mcpServers"], entry)
        }
        // https://zed.dev/docs/ai/mcp: `timeout` is in seconds, and 60 by default:
        // https://github.com/zed-industries/zed/blob/main/crates/settings_content/src/project.rs
        Client::Zed => {
            let entry = json!({ "url": url, "headers": headers, "timeout": WAIT_SECONDS });
            (".zed", &["settings.json"], &["context_servers"], entry)
        }
    };
    let folders = if user { user_folders(client, env) } else { vec![project.join(in_project)] };
    let format = if client == Client::Codex { Format::Toml } else { Format::Json };
    let entry = |folder: ConfigPath| ConfigEntry {
        files: files.iter().map(|file| folder.join(file)).collect(),
        format,
        pieces: vec![member(path, entry.clone())],
    };
    folders.into_iter().map(entry).collect()
}

/// Returns the folders of a client's files for the user. Some clients have several editions with a folder each.
fn user_folders(client: Client, env: &Env) -> Vec<ConfigPath> {
    let home = env.home_path();
    let config = match env.os {
        Os::Windows => env.app_data(),
        Os::MacOs => home.join("Library").join("Application Support"),
        Os::Linux => env.config(),
    };
    let folder = match (client, env.os) {
        (Client::ClaudeCode, _) => claude_folder(env),
        (Client::Codex, _) => env.folder("CODEX_HOME", env.home.join(".codex")),
        (Client::GeminiCli, _) => env.folder("GEMINI_CLI_HOME", home.path).join(".gemini"),
        (Client::OpenCode, _) => env.config().join("opencode"),
        (Client::Cursor, _) => home.join(".cursor"),
        (Client::VsCode, _) => {
            let editions = ["Code", "Code - Insiders"];
            return existing_or_first(editions.map(|edition| config.join(edition).join("User")).to_vec());
        }
        (Client::CopilotCli, _) => env.folder("COPILOT_HOME", env.home.join(".copilot")),
        (Client::Windsurf, _) => home.join(".codeium").join("windsurf"),
        (Client::Antigravity, _) => {
            let gemini = home.join(".gemini");
            return existing_or_first(vec![gemini.join("config"), gemini.join("antigravity")]);
        }
        (Client::Zed, Os::Windows) => config.join("Zed"),
        (Client::Zed, Os::MacOs) => home.join(".config").join("zed"),
        (Client::Zed, Os::Linux) => config.join("zed"),
    };
    vec![folder]
}

fn claude_folder(env: &Env) -> ConfigPath {
    env.folder("CLAUDE_CONFIG_DIR", env.home.join(".claude"))
}

/// Measured. Its own question tool asks through the hook, and everything else through the server. The server's `timeout` is
/// in milliseconds, the hook's is in seconds. `alwaysLoad` keeps the tools from being hidden behind a search.
///
/// Both send the token of the session that Askdesk runs, if there is one (2.1.329; without the variable, the header is empty).
///
/// When a question is answered in the terminal, the hook that asked keeps waiting (Esc ends it; 2.1.329). So another hook
/// reports that the tool has finished. "Chat about this" doesn't count as a use of the tool, and only the end of the turn
/// reports it. Both are command hooks: an HTTP hook would show an error while Askdesk isn't running.
///
/// In a terminal, it moves a call to the background after two minutes, and tells its model that the result is no input of
/// the user (2.1.329 and 2.1.332). A setting turns that off; another header tells the gateway when it happens.
fn claude(user: bool, env: &Env, project: &ConfigPath, endpoint: &Endpoint) -> Vec<ConfigEntry> {
    let named = env.variables.get("CLAUDE_CONFIG_DIR").is_some();
    let folder = claude_folder(env);
    let server_file = match (user, named) {
        (false, _) => project.join(".mcp.json"),
        (true, true) => folder.join(".claude.json"),
        (true, false) => ConfigPath { path: env.home.join(".claude.json"), within: env.home.clone() },
    };
    // A project's `settings.json` is shared. A token belongs in the user's own file.
    let settings_file =
        if user { folder.join("settings.json") } else { project.join(".claude").join("settings.local.json") };
    let mut headers = endpoint.headers_with_session(&format!("${{{SESSION_VARIABLE}:-}}"));
    headers[BACKGROUND_HEADER] = format!("${{CLAUDE_CODE_ENTRYPOINT:-}}/${{{BACKGROUND_SETTING}:-}}").into();
    let server = json!({
        "type": "http",
        "url": endpoint.mcp(),
        "headers": headers,
        "timeout": WAIT_MILLIS,
        "alwaysLoad": true,
    });
    let command = |timeout| {
        let command = endpoint.command.as_ref()?;
        Some(json!({ "type": "command", "command": command, "timeout": timeout }))
    };
    let by_command = if endpoint.ask_by_command { command(WAIT_SECONDS) } else { None };
    let asks = by_command.unwrap_or_else(|| {
        let headers = endpoint.headers_with_session(&format!("${SESSION_VARIABLE}"));
        json!({
            "type": "http",
            "url": endpoint.hook(),
            "timeout": WAIT_SECONDS,
            "headers": headers,
            "allowedEnvVars": [SESSION_VARIABLE],
        })
    });
    let rule = format!("mcp__{SERVER}");
    let rule = Kind::Element { value: rule.into(), ours: is_rule, inside: None, distinctive: false };
    let hook = |path, value| Piece {
        path,
        kind: Kind::Element { value, ours: is_hook, inside: Some("hooks"), distinctive: true },
    };
    let of_tool = |hook| json!({ "matcher": CLAUDE_TOOL, "hooks": [hook] });
    let mut settings =
        vec![Piece { path: &["permissions", "allow"], kind: rule }, hook(&["hooks", ASKS], of_tool(asks))];
    if let Some(report) = command(REPORT_SECONDS) {
        settings.push(hook(&["hooks", DONE], of_tool(report.clone())));
        settings.push(hook(&["hooks", OVER], json!({ "hooks": [report] })));
    }
    // Last, so that an entry of an earlier version becomes the same text.
    let never = Kind::Setting { name: BACKGROUND_SETTING, value: "0".into() };
    settings.push(Piece { path: &["env"], kind: never });
    vec![
        ConfigEntry {
            files: vec![server_file],
            format: Format::Json,
            pieces: vec![member(&["mcpServers"], server)],
        },
        ConfigEntry { files: vec![settings_file], format: Format::Json, pieces: settings },
    ]
}

fn existing_or_first(places: Vec<ConfigPath>) -> Vec<ConfigPath> {
    let there: Vec<ConfigPath> = places.iter().filter(|place| place.path.is_dir()).cloned().collect();
    if there.is_empty() { places.into_iter().take(1).collect() } else { there }
}

/// Returns the files and folders that only a client creates.
pub fn install_markers(client: Client, env: &Env) -> Vec<ConfigPath> {
    let mut markers = user_folders(client, env);
    match client {
        Client::ClaudeCode => markers.push(env.home_path().join(".claude.json")),
        // Antigravity uses a folder below this one.
        Client::GeminiCli => markers = markers.iter().map(|folder| folder.join("settings.json")).collect(),
        Client::Antigravity => markers.push(env.home_path().join(".antigravity")),
        _ => {}
    }
    markers
}

fn member(path: &'static [&'static str], value: Value) -> Piece {
    let value = match value {
        Value::Object(value) => value,
        _ => Map::new(),
    };
    Piece { path, kind: Kind::Member { name: SERVER, value, ours: is_server } }
}

fn is_server(entry: &Value) -> bool {
    let url = ["url", "serverUrl"].into_iter().find_map(|name| entry.get(name)?.as_str());
    url.is_some_and(|url| is_gateway_url(url, "/mcp")) && entry.get("command").is_none()
}

/// Tells whether an entry starts `askdesk mcp`, as a user may write it.
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

pub(crate) fn is_rule(element: &Value) -> bool {
    element.as_str().and_then(|rule| rule.strip_prefix("mcp__")) == Some(SERVER)
}

fn is_hook(hook: &Value) -> bool {
    let text = |name| hook.get(name).and_then(Value::as_str).unwrap_or_default();
    is_gateway_url(text("url"), "/hooks/claude") || runs_hook(text("command"))
}

/// Tells whether a command is `askdesk hook`, wherever the program is.
fn runs_hook(command: &str) -> bool {
    let program = command.strip_suffix(" hook").map(|program| program.trim_matches(['"', '\'']));
    program.is_some_and(is_this)
}

fn is_this(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next();
    name.is_some_and(|name| name.trim_end_matches(".exe") == SERVER)
}

fn is_gateway_url(url: &str, path: &str) -> bool {
    let port = url.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix(path));
    port.is_some_and(|port| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hook_is_recognized_wherever_its_program_is() {
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
