use std::fs;

use askdesk_client_config::{FileErrorKind, Scope};
use askdesk_contract::Client;

use crate::fixture::{Fixture, read, write};
use crate::texts::servers;

/// Asserts that a file is rejected, and that nothing was written.
fn check(client: Client, text: &str, expected: &str) {
    let fixture = Fixture::new();
    let files = fixture.files(client, Scope::User);
    // The last file: the ones before it must not be written either.
    let file = files.last().unwrap();
    write(file, text);
    let before = fixture.everything();
    let error = fixture.plan(client, Scope::User).unwrap_err();
    assert!(error.to_string().contains(expected), "{client}: {error}");
    assert_eq!(&error.file, file);
    assert_eq!(fixture.everything(), before);
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

#[test]
fn case_44_a_file_that_does_not_parse_is_refused_and_left_byte_identical() {
    for client in Client::ALL {
        if client == Client::Codex {
            check(client, "key = \"hunter2\"\nmodel = \n", "isn't valid TOML: line 2");
            check(client, "a = 1\na = 2\n", "isn't valid TOML");
            check(client, "mcp_servers = 3\n", "mcp_servers is integer, not a table");
        } else {
            check(client, "{\n  \"key\": \"hunter2\",\n  \"a\" 1 }\n", "isn't valid JSON: line 3");
            check(client, "{ \"a\": 1 } {}", "isn't valid JSON");
            check(client, "{ a: 1 }", "isn't valid JSON");
            check(client, "{ 'a': 1 }", "isn't valid JSON");
            check(client, "{ \"a\": \"hunter2", "isn't valid JSON");
            check(client, &"[".repeat(100_000), "isn't valid JSON");
            check(client, "[1, 2]", "doesn't contain an object");
            check(client, "\"hunter2\"", "doesn't contain an object");
        }
    }
}

#[test]
fn case_44_a_value_of_another_type_in_the_way_is_never_overwritten() {
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
            &format!("{name} appears more than once"),
        );
    }
    // The server's file comes first, and neither is changed.
    check(
        Client::ClaudeCode,
        "{ \"hooks\": { \"PermissionRequest\": {} } }",
        "hooks.PermissionRequest is an object",
    );
    check(
        Client::ClaudeCode,
        "{ \"permissions\": { \"allow\": \"all\" } }",
        "permissions.allow is a string, not a list",
    );
}

#[test]
fn a_file_that_is_not_utf8_is_rejected() {
    let fixture = Fixture::new();
    let file = fixture.env.home.join(".cursor/mcp.json");
    write(&file, "");
    fs::write(&file, b"{ \"a\": \"\xff\xfe\" }").unwrap();
    assert_eq!(fixture.plan(Client::Cursor, Scope::User).unwrap_err().kind, FileErrorKind::NotUtf8);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(fixture.plan(Client::Cursor, Scope::User).unwrap_err().kind, FileErrorKind::NotAFile);
}

#[test]
fn case_44_connecting_and_disconnecting_reject_a_read_only_file() {
    for client in Client::ALL {
        let fixture = Fixture::new();
        for file in fixture.files(client, Scope::User) {
            write(&file, "");
        }
        let lock = |readonly| {
            for file in fixture.everything().keys() {
                let mut permissions = fs::metadata(file).unwrap().permissions();
                permissions.set_readonly(readonly);
                fs::set_permissions(file, permissions).unwrap();
            }
        };
        lock(true);
        let before = fixture.everything();
        assert_eq!(fixture.plan(client, Scope::User).unwrap_err().kind, FileErrorKind::ReadOnly, "{client}");
        assert_eq!(fixture.everything(), before);
        lock(false);
        fixture.connect(client, Scope::User);
        lock(true);
        let connected = fixture.everything();
        let error = askdesk_client_config::disconnect(client, Scope::User, &fixture.env).unwrap_err();
        assert_eq!(error.kind, FileErrorKind::ReadOnly, "{client}");
        assert_eq!(fixture.everything(), connected);
    }
}

#[test]
fn if_one_file_cannot_be_written_the_others_and_their_backups_are_restored() {
    let fixture = Fixture::new();
    let (servers, settings) =
        (fixture.env.home.join(".claude.json"), fixture.env.home.join(".claude/settings.json"));
    write(&servers, "{ \"projects\": {} }");
    write(&settings, "{}");
    let plan = fixture.plan(Client::ClaudeCode, Scope::User).unwrap();
    let before = fixture.everything();
    // The backup can't be written.
    let in_the_way = settings.with_file_name("settings.json.askdesk-backup");
    fs::create_dir(&in_the_way).unwrap();
    assert_eq!(plan.apply().unwrap_err().file, settings);
    assert_eq!(fixture.everything(), before);

    // The older backup is restored.
    fs::remove_dir(&in_the_way).unwrap();
    write(&fixture.env.home.join(".claude.json.askdesk-backup"), "{ \"older\": 1 }");
    let plan = fixture.plan(Client::ClaudeCode, Scope::User).unwrap();
    let before = fixture.everything();
    fs::create_dir(&in_the_way).unwrap();
    plan.apply().unwrap_err();
    assert_eq!(fixture.everything(), before);
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn case_44_a_link_out_of_the_home_folder_is_rejected() {
        for client in Client::ALL {
            let fixture = Fixture::new();
            let outside = fixture.elsewhere().join("shared.json");
            fs::write(&outside, "").unwrap();
            let file = fixture.files(client, Scope::User).remove(0);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            symlink(&outside, &file).unwrap();
            let error = fixture.plan(client, Scope::User).unwrap_err();
            assert!(matches!(error.kind, FileErrorKind::OutsideRoot { .. }), "{client}: {error}");
            assert_eq!(read(&outside), "");
            fs::remove_file(&outside).unwrap();
            assert_eq!(
                fixture.plan(client, Scope::User).unwrap_err().kind,
                FileErrorKind::BrokenLink,
                "{client}"
            );
        }
    }

    #[test]
    fn case_44_a_project_folder_that_links_out_of_the_project_is_rejected() {
        let fixture = Fixture::new();
        symlink(fixture.elsewhere(), fixture.env.project.join(".vscode")).unwrap();
        let error = fixture.plan(Client::VsCode, Scope::Project).unwrap_err();
        assert!(matches!(error.kind, FileErrorKind::OutsideRoot { .. }), "{error}");
        assert_eq!(fs::read_dir(fixture.elsewhere()).unwrap().count(), 0);
    }

    #[test]
    fn a_link_within_the_home_folder_stays_and_its_target_is_written() {
        let fixture = Fixture::new();
        let kept = fixture.env.home.join("dotfiles/claude.json");
        write(&kept, "{ \"model\": \"opus\" }\n");
        let settings = fixture.env.home.join(".claude/settings.json");
        fs::create_dir_all(settings.parent().unwrap()).unwrap();
        symlink(&kept, &settings).unwrap();
        fixture.connect(Client::ClaudeCode, Scope::User);
        assert!(fs::symlink_metadata(&settings).unwrap().is_symlink());
        assert!(read(&kept).contains("AskUserQuestion"));
        fixture.disconnect(Client::ClaudeCode, Scope::User);
        assert!(fs::symlink_metadata(&settings).unwrap().is_symlink());
        assert_eq!(read(&kept), "{ \"model\": \"opus\" }\n");
    }

    #[test]
    fn a_link_within_the_home_folder_is_followed_also_if_a_variable_names_the_folder() {
        let clients = [
            (Client::ClaudeCode, "CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
            (Client::Codex, "CODEX_HOME", ".codex", "config.toml"),
            (Client::CopilotCli, "COPILOT_HOME", ".copilot", "mcp-config.json"),
            (Client::OpenCode, "XDG_CONFIG_HOME", ".config", "opencode/opencode.jsonc"),
            (Client::Zed, "XDG_CONFIG_HOME", ".config", "zed/settings.json"),
        ];
        for (client, variable, folder, file) in clients {
            let mut fixture = Fixture::new();
            let folder = fixture.env.home.join(folder);
            fixture.env.variables.set(variable, folder.clone().into_os_string());
            let kept = fixture.env.home.join("dotfiles/kept");
            write(&kept, "");
            let link = folder.join(file);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(&kept, &link).unwrap();
            fixture.connect(client, Scope::User);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "{client}");
            assert!(!read(&kept).is_empty(), "{client}");
        }
    }

    #[test]
    fn a_folder_named_by_a_variable_may_be_anywhere() {
        let mut fixture = Fixture::new();
        let elsewhere = fixture.elsewhere();
        for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME"] {
            fixture.env.variables.set(name, elsewhere.clone().into_os_string());
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
                fixture.files(client, Scope::User).iter().all(|file| file.starts_with(&elsewhere)),
                "{client}"
            );
            fixture.connect(client, Scope::User);
            fixture.disconnect(client, Scope::User);
        }
        assert!(fixture.everything().is_empty());
    }
}
