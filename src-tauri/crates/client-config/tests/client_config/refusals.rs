use std::fs;

use askdesk_client_config::{Client, Scope, Why};

use crate::person::{Person, read, write};
use crate::texts::servers;

/// Asserts that a file with a text is refused with some words, and that nothing at all was written.
fn check(client: Client, text: &str, expected: &str) {
    let person = Person::new();
    let files = person.files(client, Scope::User);
    // The last of several: what would have been written before it must not be either.
    let file = files.last().unwrap();
    write(file, text);
    let before = person.everything();
    let refusal = person.plan(client, Scope::User).unwrap_err();
    assert!(refusal.to_string().contains(expected), "{client}: {refusal}");
    assert_eq!(&refusal.file, file);
    assert_eq!(person.everything(), before);
    assert!(!refusal.to_string().contains("hunter2"), "{refusal}");
}

#[test]
fn case_44_a_file_that_does_not_parse_is_refused_and_left_byte_identical() {
    for client in Client::ALL {
        if client == Client::Codex {
            check(client, "key = \"hunter2\"\nmodel = \n", "cannot be read as TOML: line 2");
            check(client, "a = 1\na = 2\n", "cannot be read as TOML");
            check(client, "mcp_servers = 3\n", "mcp_servers is integer, not a table");
        } else {
            check(client, "{\n  \"key\": \"hunter2\",\n  \"a\" 1 }\n", "cannot be read as JSON: line 3");
            check(client, "{ \"a\": 1 } {}", "cannot be read as JSON");
            check(client, "{ a: 1 }", "cannot be read as JSON");
            check(client, "{ 'a': 1 }", "cannot be read as JSON");
            check(client, "{ \"a\": \"hunter2", "cannot be read as JSON");
            check(client, &"[".repeat(100_000), "cannot be read as JSON");
            check(client, "[1, 2]", "holds no object");
            check(client, "\"hunter2\"", "holds no object");
        }
    }
}

#[test]
fn case_44_what_stands_where_the_entry_belongs_is_never_overwritten() {
    for client in Client::ALL {
        if matches!(client, Client::Codex | Client::ClaudeCode) {
            continue;
        }
        let name = servers(client);
        check(client, &format!("{{ \"{name}\": [] }}"), &format!("{name} is a list, not an object"));
        check(client, &format!("{{ \"{name}\": null }}"), &format!("{name} is null, not an object"));
        check(
            client,
            &format!("{{ \"{name}\": {{}}, \"{name}\": {{ \"a\": {{}} }} }}"),
            &format!("{name} stands there more than once"),
        );
    }
    // The server's file would have been written first: neither is touched.
    check(
        Client::ClaudeCode,
        "{ \"hooks\": { \"PermissionRequest\": {} } }",
        "hooks.PermissionRequest is an object",
    );
    check(
        Client::ClaudeCode,
        "{ \"permissions\": { \"allow\": \"all\" } }",
        "permissions.allow is a text, not a list",
    );
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    let person = Person::new();
    let file = person.around.home.join(".cursor/mcp.json");
    write(&file, "");
    fs::write(&file, b"{ \"a\": \"\xff\xfe\" }").unwrap();
    assert_eq!(person.plan(Client::Cursor, Scope::User).unwrap_err().why, Why::NoText);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(person.plan(Client::Cursor, Scope::User).unwrap_err().why, Why::NoFile);
}

#[test]
fn case_44_a_read_only_file_is_refused_both_ways() {
    for client in Client::ALL {
        let person = Person::new();
        for file in person.files(client, Scope::User) {
            write(&file, "");
        }
        let lock = |readonly| {
            for file in person.everything().keys() {
                let mut permissions = fs::metadata(file).unwrap().permissions();
                permissions.set_readonly(readonly);
                fs::set_permissions(file, permissions).unwrap();
            }
        };
        lock(true);
        let before = person.everything();
        assert_eq!(person.plan(client, Scope::User).unwrap_err().why, Why::ReadOnly, "{client}");
        assert_eq!(person.everything(), before);
        lock(false);
        person.connect(client, Scope::User);
        lock(true);
        let connected = person.everything();
        let refusal = askdesk_client_config::disconnect(client, Scope::User, &person.around).unwrap_err();
        assert_eq!(refusal.why, Why::ReadOnly, "{client}");
        assert_eq!(person.everything(), connected);
    }
}

#[test]
fn what_was_changed_after_the_plan_was_made_is_not_written_over() {
    let person = Person::new();
    let settings = person.around.home.join(".claude/settings.json");
    write(&settings, "{}");
    let plan = person.plan(Client::ClaudeCode, Scope::User).unwrap();
    write(&settings, "{ \"model\": \"opus\" }");
    let before = person.everything();
    assert_eq!(plan.apply().unwrap_err().why, Why::Changed);
    assert_eq!(person.everything(), before);
}

#[test]
fn where_one_file_cannot_be_written_the_others_and_their_copies_are_as_before() {
    let person = Person::new();
    let (servers, settings) =
        (person.around.home.join(".claude.json"), person.around.home.join(".claude/settings.json"));
    write(&servers, "{ \"projects\": {} }");
    write(&settings, "{}");
    let plan = person.plan(Client::ClaudeCode, Scope::User).unwrap();
    let before = person.everything();
    // Its copy cannot be made.
    let in_the_way = settings.with_file_name("settings.json.askdesk-backup");
    fs::create_dir(&in_the_way).unwrap();
    assert_eq!(plan.apply().unwrap_err().file, settings);
    assert_eq!(person.everything(), before);

    // An older copy comes back.
    fs::remove_dir(&in_the_way).unwrap();
    write(&person.around.home.join(".claude.json.askdesk-backup"), "{ \"older\": 1 }");
    let plan = person.plan(Client::ClaudeCode, Scope::User).unwrap();
    let before = person.everything();
    fs::create_dir(&in_the_way).unwrap();
    plan.apply().unwrap_err();
    assert_eq!(person.everything(), before);
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn case_44_a_link_that_leads_out_of_the_home_is_refused() {
        for client in Client::ALL {
            let person = Person::new();
            let outside = person.elsewhere().join("shared.json");
            fs::write(&outside, "").unwrap();
            let file = person.files(client, Scope::User).remove(0);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            symlink(&outside, &file).unwrap();
            let refusal = person.plan(client, Scope::User).unwrap_err();
            assert!(matches!(refusal.why, Why::Outside { .. }), "{client}: {refusal}");
            assert_eq!(read(&outside), "");
            fs::remove_file(&outside).unwrap();
            assert_eq!(person.plan(client, Scope::User).unwrap_err().why, Why::DeadLink, "{client}");
        }
    }

    #[test]
    fn case_44_a_folder_of_a_project_that_leads_out_of_it_is_refused() {
        let person = Person::new();
        symlink(person.elsewhere(), person.around.project.join(".vscode")).unwrap();
        let refusal = person.plan(Client::VsCode, Scope::Project).unwrap_err();
        assert!(matches!(refusal.why, Why::Outside { .. }), "{refusal}");
        assert_eq!(fs::read_dir(person.elsewhere()).unwrap().count(), 0);
    }

    #[test]
    fn a_link_within_the_home_stays_a_link_and_its_file_is_written() {
        let person = Person::new();
        let kept = person.around.home.join("dotfiles/claude.json");
        write(&kept, "{ \"model\": \"opus\" }\n");
        let settings = person.around.home.join(".claude/settings.json");
        fs::create_dir_all(settings.parent().unwrap()).unwrap();
        symlink(&kept, &settings).unwrap();
        person.connect(Client::ClaudeCode, Scope::User);
        assert!(fs::symlink_metadata(&settings).unwrap().is_symlink());
        assert!(read(&kept).contains("AskUserQuestion"));
        person.disconnect(Client::ClaudeCode, Scope::User);
        assert!(fs::symlink_metadata(&settings).unwrap().is_symlink());
        assert_eq!(read(&kept), "{ \"model\": \"opus\" }\n");
    }

    #[test]
    fn a_folder_that_the_person_names_is_theirs_wherever_it_is() {
        let mut person = Person::new();
        let elsewhere = person.elsewhere();
        for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME"] {
            person.around.variables.insert(name, elsewhere.clone().into_os_string());
        }
        let clients = [
            Client::ClaudeCode,
            Client::Codex,
            Client::CopilotCli,
            Client::OpenCode,
            Client::Zed,
            Client::VsCode,
        ];
        for client in clients {
            assert!(
                person.files(client, Scope::User).iter().all(|file| file.starts_with(&elsewhere)),
                "{client}"
            );
            person.connect(client, Scope::User);
            person.disconnect(client, Scope::User);
        }
        assert!(person.everything().is_empty());
    }
}
