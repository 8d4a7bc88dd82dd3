use askdesk_client_config::{Break, Checkup, Client, Entry, Examined, Note, Obstacle, Scope, Way, check};

use crate::person::{Person, TOKEN, door, read, write};

fn look(person: &Person, client: Client) -> Checkup {
    let door = door(41414, TOKEN);
    let examined = Examined { around: &person.around, scopes: &[Scope::User], door: Some(&door), seen: &[] };
    check(client, &examined)
}

#[test]
fn what_only_changes_how_long_or_how_often_is_asked_does_not_break_the_way() {
    let works = |client: Client, file: &str, from: &str, to: &str| {
        let person = Person::new();
        person.connect(client, Scope::User);
        let file = person.around.home.join(file);
        let text = read(&file);
        assert!(text.contains(from), "{text}");
        write(&file, &text.replace(from, to));
        look(&person, client).way
    };
    let differs = Way::Works { but: vec![Obstacle::Differs] };
    let gemini = ".gemini/settings.json";
    let claude = ".claude/settings.json";
    assert_eq!(works(Client::GeminiCli, gemini, "\"trust\": true", "\"trust\": false"), differs);
    assert_eq!(works(Client::CopilotCli, ".copilot/mcp-config.json", "\"*\"", "\"ask_user\""), differs);
    assert_eq!(works(Client::Codex, ".codex/config.toml", "\"approve\"", "\"prompt\""), differs);
    assert_eq!(works(Client::Zed, ".config/zed/settings.json", "86400", "600"), differs);
    assert_eq!(works(Client::ClaudeCode, claude, "mcp__askdesk", "mcp__other"), differs);
    assert_eq!(works(Client::ClaudeCode, claude, "\"Stop\"", "\"Other\""), differs);
    assert_eq!(works(Client::ClaudeCode, claude, "86400", "60"), differs);

    let stale = |way| assert!(matches!(way, Way::Broken(Break::Stale(_))), "{way:?}");
    stale(works(Client::GeminiCli, gemini, "41414/mcp", "41415/mcp"));
    stale(works(Client::GeminiCli, gemini, TOKEN, "another"));
    stale(works(Client::GeminiCli, gemini, "\"headers\"", "\"others\""));
    stale(works(Client::ClaudeCode, claude, "PermissionRequest", "Other"));
    stale(works(Client::ClaudeCode, claude, TOKEN, "another"));
}

#[test]
fn a_rule_alone_is_the_persons_own() {
    let person = Person::new();
    let settings = person.around.home.join(".claude/settings.json");
    write(&settings, "{ \"permissions\": { \"allow\": [\"mcp__askdesk\"] } }");
    let before = person.everything();
    let seen = look(&person, Client::ClaudeCode);
    assert_eq!(seen.way, Way::NotConnected);
    assert!(seen.files.iter().all(|(_, it)| it.entry == Entry::Absent), "{:?}", seen.files);
    assert!(person.disconnect(Client::ClaudeCode, Scope::User).is_nothing());
    assert_eq!(person.everything(), before);
}

#[test]
fn an_entry_by_hand_that_starts_the_program_works_and_is_replaced_only_with_a_word() {
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
        let person = Person::new();
        let file = person.files(client, Scope::User).remove(0);
        write(&file, text);
        let before = person.everything();
        assert_eq!(look(&person, client).way, Way::Works { but: vec![Obstacle::ByHand] }, "{client}");
        let plan = person.plan(client, Scope::User).unwrap();
        assert!(plan.notes.contains(&Note::ByHand(file.clone())), "{client}: {:?}", plan.notes);
        assert!(person.disconnect(client, Scope::User).is_nothing(), "{client}");
        assert_eq!(person.everything(), before, "{client}");
        write(&file, &text.replace("\"mcp\"]", "\"list\"]").replace("\"mcp\",", "\"list\","));
        assert!(matches!(look(&person, client).way, Way::Broken(Break::Foreign(_))), "{client}");
    }
}
