use askdesk_client_config::{
    Client, ConnectionProblem, ConnectionState, Diagnosis, DiagnosticInput, EntryState, Note, Obstacle,
    Scope, diagnose,
};

use crate::fixture::{Fixture, OTHER_TOKEN, TOKEN, endpoint, read, write};

fn look(fixture: &Fixture, client: Client) -> Diagnosis {
    let endpoint = endpoint(41414, TOKEN);
    let input =
        DiagnosticInput { env: &fixture.env, scopes: &[Scope::User], endpoint: Some(&endpoint), seen: &[] };
    diagnose(client, &input)
}

#[test]
fn a_changed_timeout_or_rule_does_not_break_the_connection() {
    let works = |client: Client, file: &str, from: &str, to: &str| {
        let fixture = Fixture::new();
        fixture.connect(client, Scope::User);
        let file = fixture.env.home.join(file);
        let text = read(&file);
        assert!(text.contains(from), "{text}");
        write(&file, &text.replace(from, to));
        look(&fixture, client).connection
    };
    let differs = ConnectionState::Works { but: vec![Obstacle::Differs] };
    let gemini = ".gemini/settings.json";
    let claude = ".claude/settings.json";
    assert_eq!(works(Client::GeminiCli, gemini, "\"trust\": true", "\"trust\": false"), differs);
    assert_eq!(works(Client::CopilotCli, ".copilot/mcp-config.json", "\"*\"", "\"ask_user\""), differs);
    assert_eq!(works(Client::Codex, ".codex/config.toml", "\"approve\"", "\"prompt\""), differs);
    assert_eq!(works(Client::Zed, ".config/zed/settings.json", "86400", "600"), differs);
    assert_eq!(works(Client::ClaudeCode, claude, "mcp__askdesk", "mcp__other"), differs);
    assert_eq!(works(Client::ClaudeCode, claude, "\"Stop\"", "\"Other\""), differs);
    assert_eq!(works(Client::ClaudeCode, claude, "86400", "60"), differs);
    // Entries of earlier versions don't say which session asks.
    assert_eq!(works(Client::ClaudeCode, claude, "askdesk-session", "other"), differs);
    assert_eq!(works(Client::ClaudeCode, claude, "allowedEnvVars", "other"), differs);
    assert_eq!(works(Client::ClaudeCode, ".claude.json", "askdesk-session", "other"), differs);

    let stale = |way| assert!(matches!(way, ConnectionState::Broken(ConnectionProblem::Stale(_))), "{way:?}");
    stale(works(Client::GeminiCli, gemini, "41414/mcp", "41415/mcp"));
    stale(works(Client::GeminiCli, gemini, TOKEN, OTHER_TOKEN));
    stale(works(Client::GeminiCli, gemini, "\"headers\"", "\"others\""));
    stale(works(Client::ClaudeCode, claude, "PermissionRequest", "Other"));
    stale(works(Client::ClaudeCode, claude, TOKEN, OTHER_TOKEN));
}

#[test]
fn a_permission_rule_alone_is_left_to_the_user() {
    let fixture = Fixture::new();
    let settings = fixture.env.home.join(".claude/settings.json");
    write(&settings, "{ \"permissions\": { \"allow\": [\"mcp__askdesk\"] } }");
    let before = fixture.everything();
    let seen = look(&fixture, Client::ClaudeCode);
    assert_eq!(seen.connection, ConnectionState::NotConnected);
    assert!(seen.files.iter().all(|it| it.entry == EntryState::Absent), "{:?}", seen.files);
    assert!(fixture.disconnect(Client::ClaudeCode, Scope::User).is_empty());
    assert_eq!(fixture.everything(), before);
}

#[test]
fn an_entry_written_by_hand_works_and_is_replaced_only_with_a_note() {
    let texts = [
        (
            Client::Cursor,
            "{ \"mcpServers\": { \"askdesk\": { \"command\": \"askdesk\", \"args\": [\"mcp\"] } } }",
        ),
        (
            Client::ClaudeCode,
            r#"{ "mcpServers": { "askdesk": { "command": "/opt/askdesk", "args": ["mcp", "--name", "x"] } } }"#,
        ),
        (Client::OpenCode, r#"{ "mcp": { "askdesk": { "type": "local", "command": ["askdesk", "mcp"] } } }"#),
        (
            Client::Zed,
            r#"{ "context_servers": { "askdesk": { "command": { "path": "askdesk.exe", "args": ["mcp"] } } } }"#,
        ),
        (Client::Codex, "[mcp_servers.askdesk]\ncommand = \"askdesk\"\nargs = [\"mcp\"]\n"),
    ];
    for (client, text) in texts {
        let fixture = Fixture::new();
        let file = fixture.files(client, Scope::User).remove(0);
        write(&file, text);
        let before = fixture.everything();
        assert_eq!(
            look(&fixture, client).connection,
            ConnectionState::Works { but: vec![Obstacle::ByHand] },
            "{client}"
        );
        let plan = fixture.plan(client, Scope::User).unwrap();
        assert!(plan.notes.contains(&Note::ByHand(file.clone())), "{client}: {:?}", plan.notes);
        assert!(fixture.disconnect(client, Scope::User).is_empty(), "{client}");
        assert_eq!(fixture.everything(), before, "{client}");
        write(&file, &text.replace("\"mcp\"]", "\"list\"]").replace("\"mcp\",", "\"list\","));
        assert!(
            matches!(
                look(&fixture, client).connection,
                ConnectionState::Broken(ConnectionProblem::Foreign(_))
            ),
            "{client}"
        );
    }
}
