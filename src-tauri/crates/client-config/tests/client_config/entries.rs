use askdesk_client_config::edit::{self, Format};
use askdesk_client_config::{Client, Scope, System};
use serde_json::{Value, json};

use crate::person::{Person, TOKEN, read};
use crate::texts::servers;

fn check(client: Client, file: &str, expected: &Value) {
    let person = Person::new();
    person.connect(client, Scope::User);
    let format = if client == Client::Codex { Format::Toml } else { Format::Json };
    let said = edit::read(format, &read(&person.around.home.join(file))).unwrap();
    assert_eq!(&said[servers(client)]["askdesk"], expected, "{client}");
}

#[test]
fn case_55_every_client_gets_its_own_form_and_waits_for_a_day_where_it_can_be_told() {
    let url = "http://127.0.0.1:41414/mcp";
    let headers = json!({ "Authorization": format!("Bearer {TOKEN}") });
    let (millis, seconds) = (86_400_000, 86_400);
    let claude =
        json!({ "type": "http", "url": url, "headers": headers, "timeout": millis, "alwaysLoad": true });
    check(Client::ClaudeCode, ".claude.json", &claude);
    let codex = json!({ "url": url, "http_headers": headers, "tool_timeout_sec": seconds,
        "default_tools_approval_mode": "approve" });
    check(Client::Codex, ".codex/config.toml", &codex);
    let gemini = json!({ "url": url, "type": "http", "headers": headers, "timeout": millis, "trust": true });
    check(Client::GeminiCli, ".gemini/settings.json", &gemini);
    let opencode =
        json!({ "type": "remote", "url": url, "headers": headers, "enabled": true, "timeout": millis });
    check(Client::OpenCode, ".config/opencode/opencode.json", &opencode);
    check(Client::Cursor, ".cursor/mcp.json", &json!({ "url": url, "headers": headers }));
    let code = json!({ "type": "http", "url": url, "headers": headers });
    check(Client::VsCode, ".config/Code/User/mcp.json", &code);
    let copilot =
        json!({ "type": "http", "url": url, "headers": headers, "tools": ["*"], "timeout": millis });
    check(Client::CopilotCli, ".copilot/mcp-config.json", &copilot);
    let served = json!({ "serverUrl": url, "headers": headers });
    check(Client::Windsurf, ".codeium/windsurf/mcp_config.json", &served);
    check(Client::Antigravity, ".gemini/config/mcp_config.json", &served);
    check(
        Client::Zed,
        ".config/zed/settings.json",
        &json!({ "url": url, "headers": headers, "timeout": seconds }),
    );
}

#[test]
fn a_project_has_its_own_files() {
    let check = |client: Client, files: &[&str]| {
        let person = Person::new();
        let expected: Vec<_> = files.iter().map(|file| person.around.project.join(file)).collect();
        assert_eq!(person.files(client, Scope::Project), expected, "{client}");
    };
    check(Client::ClaudeCode, &[".mcp.json", ".claude/settings.local.json"]);
    check(Client::Codex, &[".codex/config.toml"]);
    check(Client::GeminiCli, &[".gemini/settings.json"]);
    check(Client::OpenCode, &["opencode.json"]);
    check(Client::Cursor, &[".cursor/mcp.json"]);
    check(Client::VsCode, &[".vscode/mcp.json"]);
    check(Client::CopilotCli, &[".github/mcp.json"]);
    check(Client::Windsurf, &[]);
    check(Client::Antigravity, &[".agents/mcp_config.json"]);
    check(Client::Zed, &[".zed/settings.json"]);
}

#[test]
fn other_systems_have_other_folders() {
    let check = |system: System, client: Client, file: &str| {
        let mut person = Person::new();
        person.around.system = system;
        assert_eq!(person.files(client, Scope::User), [person.around.home.join(file)], "{client}");
    };
    check(System::MacOs, Client::VsCode, "Library/Application Support/Code/User/mcp.json");
    check(System::MacOs, Client::Zed, ".config/zed/settings.json");
    check(System::Windows, Client::VsCode, "AppData/Roaming/Code/User/mcp.json");
    check(System::Windows, Client::Zed, "AppData/Roaming/Zed/settings.json");
    check(System::Windows, Client::OpenCode, ".config/opencode/opencode.json");
}
