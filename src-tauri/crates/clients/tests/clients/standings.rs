use askdesk_clients::{Break, Checkup, Client, Entry, Examined, Obstacle, Scope, Way, check};

use crate::person::{Person, TOKEN, door, read, write};

fn look(person: &Person, client: Client) -> Checkup {
    let door = door(41414, TOKEN);
    let examined =
        Examined { around: &person.around, scopes: &[Scope::User], door: Some(&door), seen: &[] };
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
