use askdesk_client_config::edit::{self, Format};
use askdesk_client_config::{Os, Scope};
use askdesk_contract::Client;
use serde_json::{Value, json};

use crate::fixture::{Fixture, TOKEN, read};
use crate::texts::servers;

/// Asserts that connecting writes this entry.
fn check(client: Client, file: &str, expected: &Value) {
    let fixture = Fixture::new();
    fixture.connect(client, Scope::User);
    let format = if client == Client::Codex { Format::Toml } else { Format::Json };
    let said = edit::read(format, &read(&fixture.env.home.join(file))).unwrap();
    assert_eq!(&said[servers(client)]["askdesk"], expected, "{client}");
}

#[test]
fn case_55_every_client_gets_its_own_entry_with_a_timeout_of_a_day() {
    let url = "http://127.0.0.1:41414/mcp";
    let headers = json!({ "Authorization": format!("Bearer {TOKEN}") });
    let (millis, seconds) = (86_400_000, 86_400);
    let with_session = json!({ "Authorization": headers["Authorization"], "askdesk-session": "${ASKDESK_SESSION:-}",
        "askdesk-background": "${CLAUDE_CODE_ENTRYPOINT:-}/${CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS:-}" });
    let claude =
        json!({ "type": "http", "url": url, "headers": with_session, "timeout": millis, "alwaysLoad": true });
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
        let fixture = Fixture::new();
        let expected: Vec<_> = files.iter().map(|file| fixture.env.project.join(file)).collect();
        assert_eq!(fixture.files(client, Scope::Project), expected, "{client}");
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
    let check = |os: Os, client: Client, file: &str| {
        let mut fixture = Fixture::new();
        fixture.env.os = os;
        assert_eq!(fixture.files(client, Scope::User), [fixture.env.home.join(file)], "{client}");
    };
    check(Os::MacOs, Client::VsCode, "Library/Application Support/Code/User/mcp.json");
    check(Os::MacOs, Client::Zed, ".config/zed/settings.json");
    check(Os::Windows, Client::VsCode, "AppData/Roaming/Code/User/mcp.json");
    check(Os::Windows, Client::Zed, "AppData/Roaming/Zed/settings.json");
    check(Os::Windows, Client::OpenCode, ".config/opencode/opencode.json");
}
