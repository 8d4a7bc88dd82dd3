use std::fs;

use askdesk_client_config::edit::{self, Format};
use askdesk_client_config::{
    EntryState, FileErrorKind, Note, Scope, as_connected, connect, disconnect, file_statuses,
};
use askdesk_contract::{BACKGROUND_SETTING, Client};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixture::{Fixture, HOOK, OTHER_TOKEN, TOKEN, endpoint, read, write};
use crate::texts::{servers, texts};

fn format_of(client: Client) -> Format {
    if client == Client::Codex { Format::Toml } else { Format::Json }
}

fn scopes(client: Client) -> &'static [Scope] {
    if client == Client::Windsurf { &[Scope::User] } else { &[Scope::User, Scope::Project] }
}

/// Everything in a file except our entry.
fn others(client: Client, text: &str) -> Value {
    let mut said = edit::read(format_of(client), text).unwrap();
    let name = servers(client);
    if let Some(entries) = said.get_mut(name).and_then(Value::as_object_mut) {
        entries.shift_remove("askdesk");
        if entries.is_empty() {
            said.as_object_mut().unwrap().shift_remove(name);
        }
    }
    if let Some(env) = said.get_mut("env").and_then(Value::as_object_mut) {
        env.shift_remove(BACKGROUND_SETTING);
        if env.is_empty() {
            said.as_object_mut().unwrap().shift_remove("env");
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
    let fixture = Fixture::new();
    for file in fixture.files(client, scope) {
        write(&file, text);
    }
    let before = fixture.everything();

    // A dry run is a plan that is not applied.
    let plan = fixture.plan(client, scope).unwrap();
    assert_eq!(fixture.everything(), before, "{words}");
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
        let file_statuses = file_statuses(client, scope, &fixture.env, &endpoint(port, token));
        file_statuses.iter().all(|it| it.entry == EntryState::Current)
    };
    assert!(current(41414, TOKEN), "{words}");
    assert!(!current(41415, TOKEN), "{words}");

    let connected = fixture.everything();
    assert!(fixture.plan(client, scope).unwrap().is_empty(), "{words}");
    assert_eq!(fixture.everything(), connected, "{words}");

    // Another port and token change nothing but themselves.
    connect(client, scope, &fixture.env, &endpoint(41420, OTHER_TOKEN)).unwrap().apply().unwrap();
    assert!(current(41420, OTHER_TOKEN), "{words}");
    for change in &plan.changes {
        let moved = change.after.as_ref().unwrap().replace("41414", "41420").replace(TOKEN, OTHER_TOKEN);
        assert_eq!(read(&change.file), moved, "{words}");
    }

    let plan = fixture.disconnect(client, scope);
    assert_eq!(plan.notes, [], "{words}");
    assert_eq!(fixture.everything(), before, "{words}");
    assert!(fixture.disconnect(client, scope).is_empty(), "{words}");
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
            let fixture = Fixture::new();
            assert!(fixture.everything().is_empty());
            fixture.connect(client, *scope);
            assert!(!fixture.everything().is_empty());
            #[cfg(unix)]
            for file in fixture.everything().keys() {
                use std::os::unix::fs::PermissionsExt as _;
                let mode = fs::metadata(file).unwrap().permissions().mode() & 0o777;
                assert_eq!(mode, 0o600, "{}", file.display());
            }
            fixture.disconnect(client, *scope);
            assert!(fixture.everything().is_empty(), "{client}: {:?}", fixture.everything().keys());
        }
    }
}

#[test]
fn case_44_disconnecting_keeps_what_others_wrote_since() {
    for client in Client::ALL {
        for (name, text) in texts(client) {
            let words = format!("{client}, {name}");
            let (fixture, file) = Fixture::connected(client, &text);
            let format = format_of(client);
            let connected = read(&file);
            let changed = match (format, connected.strip_prefix('\u{feff}')) {
                (Format::Json, _) => connected.replacen('{', "{\"later\": true, ", 1),
                (Format::Toml, Some(rest)) => format!("\u{feff}later = true\n{rest}"),
                (Format::Toml, None) => format!("later = true\n{connected}"),
            };
            write(&file, &changed);
            let plan = fixture.disconnect(client, Scope::User);
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
fn updating_an_entry_keeps_fields_that_others_added() {
    let (fixture, file) = Fixture::connected(Client::Cursor, "{}\n");
    let with_more = read(&file).replace("\"url\"", "// mine\n      \"disabled\": false,\n      \"url\"");
    write(&file, &with_more);
    assert!(fixture.plan(Client::Cursor, Scope::User).unwrap().is_empty());
    connect(Client::Cursor, Scope::User, &fixture.env, &endpoint(41417, TOKEN)).unwrap().apply().unwrap();
    assert_eq!(read(&file), with_more.replace("41414", "41417"));
}

#[test]
fn disconnecting_restores_a_foreign_entry_of_the_same_name() {
    for client in [Client::Cursor, Client::Codex] {
        let fixture = Fixture::new();
        let file = fixture.files(client, Scope::User).remove(0);
        let text = match client {
            Client::Codex => "[mcp_servers.askdesk]\ncommand = \"askdesk\"\nargs = [\"mcp\"]\n",
            _ => "{ \"mcpServers\": { \"askdesk\": { \"command\": \"askdesk\", \"args\": [\"mcp\"] } } }\n",
        };
        write(&file, text);
        assert!(fixture.disconnect(client, Scope::User).is_empty());
        fixture.connect(client, Scope::User);
        assert!(!read(&file).contains("command"), "{}", read(&file));
        assert_eq!(fixture.disconnect(client, Scope::User).notes, []);
        assert_eq!(read(&file), text);
    }
}

#[test]
fn disconnecting_restores_a_value_that_is_no_table_although_others_wrote_since() {
    let (fixture, file) = Fixture::connected(Client::Codex, "[mcp_servers]\naskdesk = 3\n");
    write(&file, &format!("later = true\n{}", read(&file)));
    fixture.disconnect(Client::Codex, Scope::User);
    assert_eq!(read(&file), "later = true\n[mcp_servers]\naskdesk = 3\n");
}

#[test]
fn a_date_in_a_foreign_entry_is_restored_as_text_although_others_wrote_since() {
    let entry = |date: &str, several: &str| {
        format!("[mcp_servers.askdesk]\ncommand = \"askdesk\"\nsince = {date}\nseveral = {several}\n")
    };
    let text = entry("1979-05-27T07:32:00Z", "[{ day = 1979-05-27, at = 07:32:00 }]");
    let (fixture, file) = Fixture::connected(Client::Codex, &text);
    let connected = read(&file);
    fixture.disconnect(Client::Codex, Scope::User);
    assert_eq!(read(&file), text);

    fixture.connect(Client::Codex, Scope::User);
    write(&file, &format!("later = 1979-05-28\n{connected}"));
    fixture.disconnect(Client::Codex, Scope::User);
    let restored = entry("\"1979-05-27T07:32:00Z\"", "[{ day = \"1979-05-27\", at = \"07:32:00\" }]");
    assert_eq!(read(&file), format!("later = 1979-05-28\n\n{restored}"));
}

#[test]
fn a_foreign_entry_with_a_number_that_json_lacks_is_restored_whole_or_not_at_all() {
    for number in ["inf", "nan", "[-inf]", "{ limit = nan }"] {
        let text = format!("[mcp_servers.askdesk]\ncommand = \"askdesk\"\nwait = {number}\n");
        let (fixture, file) = Fixture::connected(Client::Codex, &text);
        let connected = read(&file);
        write(&file, &format!("later = true\n{connected}"));
        let before = fixture.everything();
        let error = disconnect(Client::Codex, Scope::User, &fixture.env).unwrap_err();
        assert_eq!(error.kind, FileErrorKind::Unsafe, "{number}");
        assert_eq!(fixture.everything(), before, "{number}");

        write(&file, &connected);
        fixture.disconnect(Client::Codex, Scope::User);
        assert_eq!(read(&file), text);
    }
}

#[test]
fn an_old_backup_is_removed_with_a_note_and_never_restored() {
    for text in [None, Some("{ \"now\": 1 }\n")] {
        let fixture = Fixture::new();
        let file = fixture.env.home.join(".cursor/mcp.json");
        let copy = file.with_file_name("mcp.json.askdesk-backup");
        write(&copy, "{ \"then\": 1 }\n");
        if let Some(text) = text {
            write(&file, text);
        }
        let plan = fixture.plan(Client::Cursor, Scope::User).unwrap();
        assert!(plan.notes.contains(&Note::OldCopy(copy.clone())), "{:?}", plan.notes);
        plan.apply().unwrap();
        assert_eq!(copy.exists(), text.is_some());
        fixture.disconnect(Client::Cursor, Scope::User);
        let left: Vec<String> =
            fixture.everything().into_values().map(|it| String::from_utf8(it).unwrap()).collect();
        assert_eq!(left, text.into_iter().collect::<Vec<_>>());
    }
}

/// Connects Claude Code to settings, changes them, and returns what they say while connected and after disconnecting.
fn with_settings(text: &str, since: impl Fn(&str) -> String) -> (Vec<Note>, String, String) {
    let fixture = Fixture::new();
    let settings = fixture.env.home.join(".claude/settings.json");
    write(&settings, text);
    let plan = fixture.plan(Client::ClaudeCode, Scope::User).unwrap();
    plan.apply().unwrap();
    let connected = read(&settings);
    write(&settings, &since(&connected));
    fixture.disconnect(Client::ClaudeCode, Scope::User);
    (plan.notes, connected, read(&settings))
}

#[test]
fn case_170_claude_code_is_kept_from_moving_calls_to_the_background_and_a_value_of_the_user_stays() {
    let env = |text: &str| serde_json::from_str::<Value>(text).unwrap()["env"].clone();
    let unset = "{\n  \"env\": { \"A\": \"1\" } // mine\n}\n";
    let (notes, connected, after) = with_settings(unset, str::to_owned);
    assert!(notes.contains(&Note::NoBackground(Client::ClaudeCode)), "{notes:?}");
    assert!(connected.contains(&format!("\"{BACKGROUND_SETTING}\": \"0\"")), "{connected}");
    assert_eq!(after, unset);

    let set = format!("{{ \"env\": {{ \"{BACKGROUND_SETTING}\": \"9000\" }} }}\n");
    let (notes, connected, after) = with_settings(&set, str::to_owned);
    assert!(!notes.contains(&Note::NoBackground(Client::ClaudeCode)), "{notes:?}");
    assert_eq!(env(&connected)[BACKGROUND_SETTING], "9000");
    assert_eq!(after, set);

    let chosen_since = |text: &str| text.replace("\"0\"", "\"9000\"");
    let (_, _, after) = with_settings("{ \"model\": \"opus\" }\n", chosen_since);
    assert_eq!(env(&after), json!({ BACKGROUND_SETTING: "9000" }));
    let written_since = |text: &str| text.replacen('{', "{ \"later\": true,", 1);
    let (_, _, after) = with_settings("{ \"model\": \"opus\" }\n", written_since);
    assert_eq!(serde_json::from_str::<Value>(&after).unwrap(), json!({ "later": true, "model": "opus" }));
}

#[test]
fn case_170_an_entry_of_an_earlier_version_gets_the_setting_and_is_still_undone_byte_for_byte() {
    let (fixture, settings) = Fixture::connected_claude("{\n  \"model\": \"opus\"\n}\n");
    let connected = read(&settings);
    let setting = format!(",\n  \"env\": {{\n    \"{BACKGROUND_SETTING}\": \"0\"\n  }}");
    assert!(connected.contains(&setting), "{connected}");
    write(&settings, &connected.replace(&setting, ""));
    fixture.connect(Client::ClaudeCode, Scope::User);
    assert_eq!(read(&settings), connected);
    assert_eq!(fixture.disconnect(Client::ClaudeCode, Scope::User).notes, []);
    assert_eq!(read(&settings), "{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn disconnecting_keeps_a_rule_that_was_there_before() {
    let text = "{\n  \"permissions\": { \"allow\": [\"mcp__askdesk\", \"Bash(ls:*)\"] }\n}\n";
    let (fixture, settings) = Fixture::connected_claude(text);
    let said: Value = serde_json::from_str(&read(&settings)).unwrap();
    assert_eq!(said["permissions"]["allow"], json!(["mcp__askdesk", "Bash(ls:*)"]));
    assert_eq!(said["hooks"]["PermissionRequest"][0]["hooks"][0]["timeout"], 86400);
    write(&settings, &read(&settings).replacen('{', "{ \"model\": \"opus\",", 1));
    fixture.disconnect(Client::ClaudeCode, Scope::User);
    let said: Value = serde_json::from_str(&read(&settings)).unwrap();
    let expected = json!({ "model": "opus", "permissions": { "allow": ["mcp__askdesk", "Bash(ls:*)"] } });
    assert_eq!(said, expected);
}

#[test]
fn other_hooks_and_rules_of_claude_stay_where_they_are() {
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
    let (fixture, settings) = Fixture::connected_claude(text);
    let said: Value = serde_json::from_str(&read(&settings)).unwrap();
    let asked = said["hooks"]["PermissionRequest"].as_array().unwrap();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0]["hooks"][0]["command"], "check");
    assert_eq!(asked[1]["matcher"], "AskUserQuestion");
    assert_eq!(said["permissions"], json!({ "deny": ["Read(.env)"], "allow": ["mcp__askdesk"] }));
    fixture.disconnect(Client::ClaudeCode, Scope::User);
    assert_eq!(read(&settings), text);
}

#[test]
fn our_hook_is_recognized_beside_another_hook_in_one_list() {
    let fixture = Fixture::new();
    let settings = fixture.env.home.join(".claude/settings.json");
    fixture.connect(Client::ClaudeCode, Scope::User);
    let mut said: Value = serde_json::from_str(&read(&settings)).unwrap();
    let theirs = json!({ "type": "command", "command": "check" });
    for event in ["PermissionRequest", "Stop"] {
        said["hooks"][event][0]["hooks"].as_array_mut().unwrap().insert(0, theirs.clone());
    }
    write(&settings, &serde_json::to_string_pretty(&said).unwrap());
    let statuses = file_statuses(Client::ClaudeCode, Scope::User, &fixture.env, &endpoint(41414, TOKEN));
    assert!(statuses.iter().all(|it| it.entry == EntryState::Current), "{statuses:?}");
    assert!(fixture.plan(Client::ClaudeCode, Scope::User).unwrap().is_empty());

    let moved = endpoint(41420, OTHER_TOKEN);
    connect(Client::ClaudeCode, Scope::User, &fixture.env, &moved).unwrap().apply().unwrap();
    let text = read(&settings);
    assert!(!text.contains("41414") && !text.contains(TOKEN), "{text}");
    assert_eq!(text.matches("/hooks/claude").count(), 1, "{text}");
    fixture.disconnect(Client::ClaudeCode, Scope::User);
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
fn case_53_claude_asks_over_http_or_by_command_and_reports_answers() {
    let fixture = Fixture::new();
    fixture.connect(Client::ClaudeCode, Scope::User);
    let settings = fixture.env.home.join(".claude/settings.json");
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

    let mut endpoint = endpoint(41414, TOKEN);
    endpoint.ask_by_command = true;
    connect(Client::ClaudeCode, Scope::User, &fixture.env, &endpoint).unwrap().apply().unwrap();
    let asks = json!([{ "type": "command", "command": HOOK, "timeout": 86400 }]);
    assert_eq!((hooks("PermissionRequest"), hooks("PostToolUse")), (asks, told));

    // Either way of asking is fine, and so is another copy of the program. Without the notifying hooks it isn't.
    endpoint.ask_by_command = false;
    endpoint.command = Some("/opt/askdesk hook".to_owned());
    let other = fixture.program();
    write(&settings, &read(&settings).replace(HOOK, &format!("{other} hook")));
    let statuses = || file_statuses(Client::ClaudeCode, Scope::User, &fixture.env, &endpoint);
    assert!(statuses().iter().all(|it| it.entry == EntryState::Current), "{:?}", statuses());
    write(&settings, &read(&settings).replace("PostToolUse", "Other"));
    assert_eq!(statuses()[1].entry, EntryState::Differs);
    write(&settings, &read(&settings).replace("Other", "PostToolUse"));
    // A copy that doesn't exist any more isn't fine, for example one in an AppImage.
    fs::remove_file(other).unwrap();
    assert_eq!(statuses()[1].entry, EntryState::Stale);
    let endpoint = as_connected(Client::ClaudeCode, Scope::User, &fixture.env, &endpoint);
    connect(Client::ClaudeCode, Scope::User, &fixture.env, &endpoint).unwrap().apply().unwrap();
    assert_eq!(hooks("PostToolUse")[0]["command"], "/opt/askdesk hook");
    assert_eq!(hooks("PermissionRequest")[0]["command"], "/opt/askdesk hook");
    fixture.disconnect(Client::ClaudeCode, Scope::User);
    assert!(fixture.everything().is_empty());
}

#[cfg(unix)]
#[test]
fn a_file_and_its_backup_keep_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    for mode in [0o600, 0o644, 0o640] {
        let fixture = Fixture::new();
        let file = fixture.files(Client::GeminiCli, Scope::User).remove(0);
        write(&file, "{ \"ui\": {} }\n");
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let plan = fixture.plan(Client::GeminiCli, Scope::User).unwrap();
        assert_eq!(plan.notes.is_empty(), mode == 0o600, "{:?}", plan.notes);
        let backups = plan.apply().unwrap();
        let backup = backups.first().unwrap();
        assert_eq!(read(backup), "{ \"ui\": {} }\n");
        for file in [&file, backup] {
            assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, mode);
        }
        fixture.disconnect(Client::GeminiCli, Scope::User);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, mode);
    }
}

#[test]
fn of_alternative_files_the_one_that_exists_is_used() {
    let fixture = Fixture::new();
    let folder = fixture.env.home.join(".config/opencode");
    write(&folder.join("opencode.jsonc"), "{ /* mine */ }\n");
    assert_eq!(fixture.files(Client::OpenCode, Scope::User), [folder.join("opencode.jsonc")]);
    fixture.connect(Client::OpenCode, Scope::User);
    assert!(!folder.join("opencode.json").exists());
    let file_statuses = file_statuses(Client::OpenCode, Scope::User, &fixture.env, &endpoint(41414, TOKEN));
    assert_eq!(file_statuses.len(), 1);

    fs::create_dir_all(fixture.env.home.join(".gemini/antigravity")).unwrap();
    fs::create_dir_all(fixture.env.home.join(".gemini/config")).unwrap();
    assert_eq!(fixture.files(Client::Antigravity, Scope::User).len(), 2);
}

/// JSON with any white space, comments and trailing commas.
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
    fn connecting_and_disconnecting_restores_any_json(text in json_text()) {
        let fixture = Fixture::new();
        let file = fixture.env.home.join(".cursor/mcp.json");
        write(&file, &text);
        match fixture.plan(Client::Cursor, Scope::User) {
            // The servers aren't an object, so the file is rejected.
            Err(_) => prop_assert!(text.contains("mcpServers")),
            Ok(plan) => {
                plan.apply().unwrap();
                let connected = read(&file);
                prop_assert_eq!(others(Client::Cursor, &connected), others(Client::Cursor, &text), "{}", connected);
                prop_assert!(fixture.plan(Client::Cursor, Scope::User).unwrap().is_empty());
                // Another program rewrites the file in another order and without comments.
                let said = edit::read(Format::Json, &connected).unwrap();
                write(&file, &serde_json::to_string(&said).unwrap());
                fixture.disconnect(Client::Cursor, Scope::User);
                let said = edit::read(Format::Json, &read(&file)).unwrap();
                let was = edit::read(Format::Json, &text).unwrap();
                prop_assert_eq!(said, was);
                write(&file, &connected);
                fs::write(fixture.env.home.join(".cursor/mcp.json.askdesk-backup"), &text).unwrap();
                fixture.disconnect(Client::Cursor, Scope::User);
            }
        }
        prop_assert_eq!(read(&file), text);
    }
}
