use askdesk_client_config::{
    ConnectionProblem, ConnectionState, Diagnosis, DiagnosticInput, EntryState, Note, Scope, diagnose,
};
use askdesk_contract::{BACKGROUND_SETTING, Client, Obstacle};
use askdesk_user_environment::Variables;

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
    assert_eq!(works(Client::ClaudeCode, ".claude.json", "askdesk-background", "other"), differs);

    let stale = |way| assert!(matches!(way, ConnectionState::Broken(ConnectionProblem::Stale(_))), "{way:?}");
    stale(works(Client::GeminiCli, gemini, "41414/mcp", "41415/mcp"));
    stale(works(Client::GeminiCli, gemini, TOKEN, OTHER_TOKEN));
    stale(works(Client::GeminiCli, gemini, "\"headers\"", "\"others\""));
    stale(works(Client::ClaudeCode, claude, "PermissionRequest", "Other"));
    stale(works(Client::ClaudeCode, claude, TOKEN, OTHER_TOKEN));
}

#[test]
fn case_170_the_diagnosis_says_that_calls_go_on_in_the_background() {
    let mut fixture = Fixture::new();
    fixture.connect(Client::ClaudeCode, Scope::User);
    let check = |fixture: &Fixture, but: &[Obstacle]| {
        assert_eq!(
            look(fixture, Client::ClaudeCode).connection,
            ConnectionState::Works { but: but.to_vec() }
        );
    };
    check(&fixture, &[]);
    let settings = fixture.env.home.join(".claude/settings.json");
    let text = read(&settings);
    write(&settings, &text.replace("\"0\"", "\"120000\""));
    check(&fixture, &[Obstacle::Background]);
    write(&settings, &text.replace(BACKGROUND_SETTING, "OTHER"));
    check(&fixture, &[Obstacle::Background, Obstacle::Differs]);
    fixture.env.variables = Variables::from_iter([(BACKGROUND_SETTING.into(), "0".into())]);
    check(&fixture, &[Obstacle::Differs]);
}

#[cfg(unix)]
#[test]
fn case_142_a_program_is_found_where_agents_are_found() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new();
    let program = fixture.env.home.join(".local/bin/claude");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::write(&program, "").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let installed = look(&fixture, Client::ClaudeCode).installed;
    assert_eq!(installed.and_then(|it| it.program), Some(program));
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
        let background = (client == Client::ClaudeCode).then_some(Obstacle::Background);
        let but = background.into_iter().chain([Obstacle::ByHand]).collect();
        assert_eq!(look(&fixture, client).connection, ConnectionState::Works { but }, "{client}");
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
