use std::fs;

use askdesk_client_config::edit::{self, Format};
use askdesk_client_config::{Client, Entry, Note, Scope, as_connected, connect, standings};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::person::{HOOK, Person, TOKEN, door, read, write};
use crate::texts::{servers, texts};

fn format_of(client: Client) -> Format {
    if client == Client::Codex { Format::Toml } else { Format::Json }
}

fn scopes(client: Client) -> &'static [Scope] {
    if client == Client::Windsurf { &[Scope::User] } else { &[Scope::User, Scope::Project] }
}

/// What a file says besides what Askdesk put into it.
fn others(client: Client, text: &str) -> Value {
    let mut said = edit::read(format_of(client), text).unwrap();
    let name = servers(client);
    if let Some(entries) = said.get_mut(name).and_then(Value::as_object_mut) {
        entries.shift_remove("askdesk");
        if entries.is_empty() {
            said.as_object_mut().unwrap().shift_remove(name);
        }
    }
    for name in ["permissions", "hooks"] {
        said.as_object_mut().unwrap().shift_remove(name);
    }
    said
}

fn comments(text: &str) -> Vec<&str> {
    let marks =
        ["work", "pinned elsewhere", "read only", "end", "eof", "what it looks like", "none yet", "desktop"];
    marks.into_iter().filter(|mark| text.contains(mark)).collect()
}

fn check(client: Client, scope: Scope, name: &str, text: &str) {
    let words = format!("{client}, {}, {name}", scope.id());
    let person = Person::new();
    for file in person.files(client, scope) {
        write(&file, text);
    }
    let before = person.everything();

    // A dry run is a plan that is not applied.
    let plan = person.plan(client, scope).unwrap();
    assert_eq!(person.everything(), before, "{words}");
    plan.apply().unwrap();
    for change in &plan.changes {
        let after = read(&change.file);
        assert_eq!(Some(&after), change.after.as_ref(), "{words}");
        assert_eq!(others(client, &after), others(client, text), "{words}:\n{after}");
        assert_eq!(comments(&after), comments(text), "{words}:\n{after}");
        assert_eq!(after.starts_with('\u{feff}'), text.starts_with('\u{feff}'), "{words}");
        if text.contains("\r\n") && !name.contains("both kinds") {
            assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{words}:\n{after:?}");
        }
    }
    let current = |port, token| {
        let standings = standings(client, scope, &person.around, &door(port, token));
        standings.iter().all(|it| it.entry == Entry::Current)
    };
    assert!(current(41414, TOKEN), "{words}");
    assert!(!current(41415, TOKEN), "{words}");

    let connected = person.everything();
    assert!(person.plan(client, scope).unwrap().is_nothing(), "{words}");
    assert_eq!(person.everything(), connected, "{words}");

    // Another port and token change nothing but themselves.
    connect(client, scope, &person.around, &door(41420, "another")).unwrap().apply().unwrap();
    assert!(current(41420, "another"), "{words}");
    for change in &plan.changes {
        let moved = change.after.as_ref().unwrap().replace("41414", "41420").replace(TOKEN, "another");
        assert_eq!(read(&change.file), moved, "{words}");
    }

    let plan = person.disconnect(client, scope);
    assert_eq!(plan.notes, [], "{words}");
    assert_eq!(person.everything(), before, "{words}");
    assert!(person.disconnect(client, scope).is_nothing(), "{words}");
}

#[test]
fn case_56_connect_then_disconnect_leaves_every_clients_file_byte_identical() {
    for client in Client::ALL {
        for scope in scopes(client) {
            for (name, text) in texts(client) {
                check(client, *scope, name, &text);
            }
        }
    }
}

#[test]
fn case_56_a_file_that_was_absent_is_absent_again() {
    for client in Client::ALL {
        for scope in scopes(client) {
            let person = Person::new();
            assert!(person.everything().is_empty());
            person.connect(client, *scope);
            assert!(!person.everything().is_empty());
            #[cfg(unix)]
            for file in person.everything().keys() {
                use std::os::unix::fs::PermissionsExt as _;
                let mode = fs::metadata(file).unwrap().permissions().mode() & 0o777;
                assert_eq!(mode, 0o600, "{}", file.display());
            }
            person.disconnect(client, *scope);
            assert!(person.everything().is_empty(), "{client}: {:?}", person.everything().keys());
        }
    }
}

#[test]
fn case_44_what_others_wrote_since_stays_when_the_entry_goes() {
    for client in Client::ALL {
        for (name, text) in texts(client) {
            let words = format!("{client}, {name}");
            let person = Person::new();
            let file = person.files(client, Scope::User).remove(0);
            write(&file, &text);
            person.connect(client, Scope::User);
            let format = format_of(client);
            let connected = read(&file);
            let changed = match (format, connected.strip_prefix('\u{feff}')) {
                (Format::Json, _) => connected.replacen('{', "{\"later\": true, ", 1),
                (Format::Toml, Some(rest)) => format!("\u{feff}later = true\n{rest}"),
                (Format::Toml, None) => format!("later = true\n{connected}"),
            };
            write(&file, &changed);
            let plan = person.disconnect(client, Scope::User);
            let after = read(&file);
            assert!(after.contains("later"), "{words}:\n{after}");
            assert!(!after.contains("41414") && !after.contains(TOKEN), "{words}:\n{after}");
            let mut expected = others(client, &changed);
            let was_there = edit::read(format, &text).unwrap().get(servers(client)).is_some();
            if was_there && expected.get(servers(client)).is_none() {
                expected.as_object_mut().unwrap().insert(servers(client).to_owned(), json!({}));
            }
            assert_eq!(edit::read(format, &after).unwrap(), expected, "{words}:\n{after}");
            assert!(plan.notes.iter().any(|note| matches!(note, Note::ChangedSince { .. })), "{words}");
            assert_eq!(comments(&after), comments(&text), "{words}:\n{after}");
        }
    }
}

#[test]
fn what_somebody_added_to_the_entry_stays_when_it_is_brought_up_to_date() {
    let person = Person::new();
    let file = person.files(Client::Cursor, Scope::User).remove(0);
    write(&file, "{}\n");
    person.connect(Client::Cursor, Scope::User);
    let with_more = read(&file).replace("\"url\"", "// mine\n      \"disabled\": false,\n      \"url\"");
    write(&file, &with_more);
    assert!(person.plan(Client::Cursor, Scope::User).unwrap().is_nothing());
    connect(Client::Cursor, Scope::User, &person.around, &door(41417, TOKEN)).unwrap().apply().unwrap();
    assert_eq!(read(&file), with_more.replace("41414", "41417"));
}

#[test]
fn an_entry_of_the_same_name_that_is_not_ours_comes_back_when_the_desk_goes() {
    for client in [Client::Cursor, Client::Codex] {
        let person = Person::new();
        let file = person.files(client, Scope::User).remove(0);
        let text = match client {
            Client::Codex => "[mcp_servers.askdesk]\ncommand = \"askdesk\"\nargs = [\"mcp\"]\n",
            _ => "{ \"mcpServers\": { \"askdesk\": { \"command\": \"askdesk\", \"args\": [\"mcp\"] } } }\n",
        };
        write(&file, text);
        assert!(person.disconnect(client, Scope::User).is_nothing());
        person.connect(client, Scope::User);
        assert!(!read(&file).contains("command"), "{}", read(&file));
        assert_eq!(person.disconnect(client, Scope::User).notes, []);
        assert_eq!(read(&file), text);
    }
}

#[test]
fn a_copy_of_an_earlier_connection_goes_with_a_word_and_never_comes_back() {
    for text in [None, Some("{ \"now\": 1 }\n")] {
        let person = Person::new();
        let file = person.around.home.join(".cursor/mcp.json");
        let copy = file.with_file_name("mcp.json.askdesk-backup");
        write(&copy, "{ \"then\": 1 }\n");
        if let Some(text) = text {
            write(&file, text);
        }
        let plan = person.plan(Client::Cursor, Scope::User).unwrap();
        assert!(plan.notes.contains(&Note::OldCopy(copy.clone())), "{:?}", plan.notes);
        plan.apply().unwrap();
        assert_eq!(copy.exists(), text.is_some());
        person.disconnect(Client::Cursor, Scope::User);
        let left: Vec<String> =
            person.everything().into_values().map(|it| String::from_utf8(it).unwrap()).collect();
        assert_eq!(left, text.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn a_rule_that_was_there_before_stays_when_the_desk_goes() {
    let person = Person::new();
    let settings = person.around.home.join(".claude/settings.json");
    write(&settings, "{\n  \"permissions\": { \"allow\": [\"mcp__askdesk\", \"Bash(ls:*)\"] }\n}\n");
    person.connect(Client::ClaudeCode, Scope::User);
    let said: Value = serde_json::from_str(&read(&settings)).unwrap();
    assert_eq!(said["permissions"]["allow"], json!(["mcp__askdesk", "Bash(ls:*)"]));
    assert_eq!(said["hooks"]["PermissionRequest"][0]["hooks"][0]["timeout"], 86400);
    write(&settings, &read(&settings).replacen('{', "{ \"model\": \"opus\",", 1));
    person.disconnect(Client::ClaudeCode, Scope::User);
    let said: Value = serde_json::from_str(&read(&settings)).unwrap();
    let expected = json!({ "model": "opus", "permissions": { "allow": ["mcp__askdesk", "Bash(ls:*)"] } });
    assert_eq!(said, expected);
}

#[test]
fn other_hooks_and_rules_of_claude_stay_where_they_are() {
    let person = Person::new();
    let settings = person.around.home.join(".claude/settings.json");
    let text = r#"{
  "hooks": {
    "PermissionRequest": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "check" }] }
    ],
    "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }]
  },
  "permissions": { "deny": ["Read(.env)"] }
}
"#;
    write(&settings, text);
    person.connect(Client::ClaudeCode, Scope::User);
    let said: Value = serde_json::from_str(&read(&settings)).unwrap();
    let asked = said["hooks"]["PermissionRequest"].as_array().unwrap();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0]["hooks"][0]["command"], "check");
    assert_eq!(asked[1]["matcher"], "AskUserQuestion");
    assert_eq!(said["permissions"], json!({ "deny": ["Read(.env)"], "allow": ["mcp__askdesk"] }));
    person.disconnect(Client::ClaudeCode, Scope::User);
    assert_eq!(read(&settings), text);
}

#[test]
fn a_hook_in_one_list_with_somebody_elses_is_still_ours() {
    let person = Person::new();
    let settings = person.around.home.join(".claude/settings.json");
    person.connect(Client::ClaudeCode, Scope::User);
    let mut said: Value = serde_json::from_str(&read(&settings)).unwrap();
    let theirs = json!({ "type": "command", "command": "check" });
    for event in ["PermissionRequest", "Stop"] {
        said["hooks"][event][0]["hooks"].as_array_mut().unwrap().insert(0, theirs.clone());
    }
    write(&settings, &serde_json::to_string_pretty(&said).unwrap());
    let stand = standings(Client::ClaudeCode, Scope::User, &person.around, &door(41414, TOKEN));
    assert!(stand.iter().all(|it| it.entry == Entry::Current), "{stand:?}");
    assert!(person.plan(Client::ClaudeCode, Scope::User).unwrap().is_nothing());

    let moved = door(41420, "another");
    connect(Client::ClaudeCode, Scope::User, &person.around, &moved).unwrap().apply().unwrap();
    let text = read(&settings);
    assert!(!text.contains("41414") && !text.contains(TOKEN), "{text}");
    assert_eq!(text.matches("/hooks/claude").count(), 1, "{text}");
    person.disconnect(Client::ClaudeCode, Scope::User);
    let said: Value = serde_json::from_str(&read(&settings)).unwrap();
    let left = |matcher: Value| {
        let mut group = json!({ "hooks": [theirs] });
        if matcher != Value::Null {
            group["matcher"] = matcher;
        }
        json!([group])
    };
    let hooks = json!({ "PermissionRequest": left("AskUserQuestion".into()), "Stop": left(Value::Null) });
    assert_eq!(said, json!({ "hooks": hooks }));
}

#[test]
fn case_53_claude_asks_by_itself_or_by_a_command_and_says_when_it_was_answered() {
    let person = Person::new();
    person.connect(Client::ClaudeCode, Scope::User);
    let settings = person.around.home.join(".claude/settings.json");
    let hooks = |event: &str| {
        let said: Value = serde_json::from_str(&read(&settings)).unwrap();
        assert_eq!(said["hooks"][event].as_array().unwrap().len(), 1);
        let matcher = said["hooks"][event][0].get("matcher").cloned();
        assert_eq!(matcher, (event != "Stop").then(|| "AskUserQuestion".into()));
        said["hooks"][event][0]["hooks"].clone()
    };
    let told = json!([{ "type": "command", "command": HOOK, "timeout": 10 }]);
    assert_eq!(hooks("PermissionRequest")[0]["url"], "http://127.0.0.1:41414/hooks/claude");
    assert_eq!(hooks("PostToolUse"), told);
    assert_eq!(hooks("Stop"), told);

    let mut door = door(41414, TOKEN);
    door.asks_by_command = true;
    connect(Client::ClaudeCode, Scope::User, &person.around, &door).unwrap().apply().unwrap();
    let asks = json!([{ "type": "command", "command": HOOK, "timeout": 86400 }]);
    assert_eq!((hooks("PermissionRequest"), hooks("PostToolUse")), (asks, told));

    // Either way is right, and so is another copy of the program; without being told of answers it is not.
    door.asks_by_command = false;
    door.command = Some("/opt/askdesk hook".to_owned());
    let other = person.program();
    write(&settings, &read(&settings).replace(HOOK, &format!("{other} hook")));
    let stand = || standings(Client::ClaudeCode, Scope::User, &person.around, &door);
    assert!(stand().iter().all(|it| it.entry == Entry::Current), "{:?}", stand());
    write(&settings, &read(&settings).replace("PostToolUse", "Other"));
    assert_eq!(stand()[1].entry, Entry::Differs);
    write(&settings, &read(&settings).replace("Other", "PostToolUse"));
    // A copy that has gone, such as one in an AppImage, is not.
    fs::remove_file(other).unwrap();
    assert_eq!(stand()[1].entry, Entry::Stale);
    let door = as_connected(Client::ClaudeCode, Scope::User, &person.around, &door);
    connect(Client::ClaudeCode, Scope::User, &person.around, &door).unwrap().apply().unwrap();
    assert_eq!(hooks("PostToolUse")[0]["command"], "/opt/askdesk hook");
    assert_eq!(hooks("PermissionRequest")[0]["command"], "/opt/askdesk hook");
    person.disconnect(Client::ClaudeCode, Scope::User);
    assert!(person.everything().is_empty());
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_mode_and_so_does_its_copy() {
    use std::os::unix::fs::PermissionsExt as _;
    for mode in [0o600, 0o644, 0o640] {
        let person = Person::new();
        let file = person.files(Client::GeminiCli, Scope::User).remove(0);
        write(&file, "{ \"ui\": {} }\n");
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let plan = person.plan(Client::GeminiCli, Scope::User).unwrap();
        assert_eq!(plan.notes.is_empty(), mode == 0o600, "{:?}", plan.notes);
        let done = plan.apply().unwrap();
        let backup = done.backups.first().unwrap();
        assert_eq!(read(backup), "{ \"ui\": {} }\n");
        for file in [&file, backup] {
            assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, mode);
        }
        person.disconnect(Client::GeminiCli, Scope::User);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, mode);
    }
}

#[test]
fn of_several_files_the_one_that_is_there_is_taken() {
    let person = Person::new();
    let folder = person.around.home.join(".config/opencode");
    write(&folder.join("opencode.jsonc"), "{ /* mine */ }\n");
    assert_eq!(person.files(Client::OpenCode, Scope::User), [folder.join("opencode.jsonc")]);
    person.connect(Client::OpenCode, Scope::User);
    assert!(!folder.join("opencode.json").exists());
    let standings = standings(Client::OpenCode, Scope::User, &person.around, &door(41414, TOKEN));
    assert_eq!(standings.len(), 1);

    fs::create_dir_all(person.around.home.join(".gemini/antigravity")).unwrap();
    fs::create_dir_all(person.around.home.join(".gemini/config")).unwrap();
    assert_eq!(person.files(Client::Antigravity, Scope::User).len(), 2);
}

/// JSON in all kinds of hands: any white space, comments, a comma too many.
fn json_text() -> impl Strategy<Value = String> {
    let space = prop_oneof![
        Just(""),
        Just(" "),
        Just("\n"),
        Just("\n  "),
        Just("\t"),
        Just(" // note\n"),
        Just("/* a */"),
        Just("\n\n    ")
    ];
    let name = prop_oneof![Just("mcpServers"), Just("other"), Just("ünï"), Just("a\\\"b")];
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("-1.50e2".to_owned()),
        Just("\"x // no comment\"".to_owned()),
    ];
    let value = leaf.prop_recursive(3, 16, 3, move |inner| {
        let members =
            (prop::collection::btree_map(name.clone(), inner.clone(), 0..3), space.clone(), any::<bool>());
        let elements = (prop::collection::vec(inner, 0..3), space.clone(), any::<bool>());
        prop_oneof![
            members.prop_map(|(members, space, comma)| {
                let members = members.iter().map(|(name, value)| format!("{space}\"{name}\":{space}{value}"));
                list('{', &members.collect::<Vec<_>>(), '}', space, comma)
            }),
            elements.prop_map(|(elements, space, comma)| list('[', &elements, ']', space, comma)),
        ]
    });
    value.prop_filter("files hold objects", |text| text.starts_with('{'))
}

fn list(open: char, items: &[String], close: char, space: &str, comma: bool) -> String {
    let comma = if comma && !items.is_empty() { "," } else { "" };
    format!("{open}{}{comma}{space}{close}", items.join(","))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn whatever_stands_in_a_file_is_there_again_afterwards(text in json_text()) {
        let person = Person::new();
        let file = person.around.home.join(".cursor/mcp.json");
        write(&file, &text);
        match person.plan(Client::Cursor, Scope::User) {
            // Something else stands where servers belong: left alone.
            Err(_) => prop_assert!(text.contains("mcpServers")),
            Ok(plan) => {
                plan.apply().unwrap();
                let connected = read(&file);
                prop_assert_eq!(others(Client::Cursor, &connected), others(Client::Cursor, &text), "{}", connected);
                prop_assert!(person.plan(Client::Cursor, Scope::User).unwrap().is_nothing());
                // Somebody else writes the file anew, in another order and without comments.
                let said = edit::read(Format::Json, &connected).unwrap();
                write(&file, &serde_json::to_string(&said).unwrap());
                person.disconnect(Client::Cursor, Scope::User);
                let said = edit::read(Format::Json, &read(&file)).unwrap();
                let was = edit::read(Format::Json, &text).unwrap();
                prop_assert_eq!(said, was);
                write(&file, &connected);
                fs::write(person.around.home.join(".cursor/mcp.json.askdesk-backup"), &text).unwrap();
                person.disconnect(Client::Cursor, Scope::User);
            }
        }
        prop_assert_eq!(read(&file), text);
    }
}
