use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::fake_app::{FakeApp, TOKEN, err, exit, out, read, succeeded};

/// A Cursor file with a comment, which must be kept.
const BEFORE: &str =
    "{\n  // mine\n  \"mcpServers\": {\n    \"docs\": { \"url\": \"https://docs.example/mcp\" },\n  },\n}\n";

fn with_cursor() -> FakeApp {
    let app = FakeApp::new();
    fs::create_dir_all(app.path("home/.cursor")).unwrap();
    fs::write(app.path("home/.cursor/mcp.json"), BEFORE).unwrap();
    app
}

#[test]
fn case_56_a_dry_run_prints_the_change_and_writes_nothing() {
    let app = with_cursor();
    let output = succeeded(app.run(&["connect", "cursor", "--dry-run"]));
    let file = app.path("home/.cursor/mcp.json").display().to_string();
    let expected = format!(
        "--- {file}
+++ {file}
@@ -2,5 +2,11 @@
   // mine
   \"mcpServers\": {{
     \"docs\": {{ \"url\": \"https://docs.example/mcp\" }},
+    \"askdesk\": {{
+      \"url\": \"http://127.0.0.1:41414/mcp\",
+      \"headers\": {{
+        \"Authorization\": \"Bearer …\",
+      }},
+    }},
   }},
 }}
Cursor: nothing was written.
"
    );
    assert_eq!(out(&output), expected);
    assert_eq!(read(&app.path("home/.cursor/mcp.json")), BEFORE);
    assert_eq!(fs::read_dir(app.path("home/.cursor")).unwrap().count(), 1);
    assert_eq!(fs::read_dir(app.path("data")).unwrap().count(), 0, "not even a token");
}

#[test]
fn without_a_terminal_nothing_is_written_unless_yes_is_given() {
    let app = with_cursor();
    let output = app.run(&["connect", "cursor"]);
    assert_eq!(exit(&output), 2);
    assert!(err(&output).contains("There is no terminal to confirm in; use --yes"), "{}", err(&output));
    assert_eq!(read(&app.path("home/.cursor/mcp.json")), BEFORE);
}

#[test]
fn connecting_before_the_first_start_creates_the_token() {
    let app = with_cursor();
    succeeded(app.run(&["connect", "cursor", "--yes"]));
    let token = read(&app.path("data/token"));
    assert_eq!(token.len(), 65);
    assert!(read(&app.path("home/.cursor/mcp.json")).contains(token.trim()));
    let mode = fs::metadata(app.path("data/token")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn all_connects_installed_clients_and_continues_after_an_error() {
    let app = with_cursor();
    fs::create_dir_all(app.path("home/.codex")).unwrap();
    fs::write(app.path("home/.codex/config.toml"), "model = \n").unwrap();
    fs::create_dir_all(app.path("home/.config/zed")).unwrap();
    let output = app.run(&["connect", "--all", "--yes"]);
    assert_eq!(exit(&output), 1);
    assert!(err(&output).contains("it isn't valid TOML: line 1"), "{}", err(&output));
    assert!(err(&output).contains("nothing was written"), "{}", err(&output));
    assert_eq!(read(&app.path("home/.codex/config.toml")), "model = \n");
    let zed: Value = serde_json::from_str(&read(&app.path("home/.config/zed/settings.json"))).unwrap();
    assert_eq!(zed["context_servers"]["askdesk"]["timeout"], 86400);
    assert!(read(&app.path("home/.cursor/mcp.json")).contains("askdesk"));
    assert!(!app.path("home/.gemini").exists());

    fs::remove_file(app.path("home/.codex/config.toml")).unwrap();
    succeeded(app.run(&["disconnect", "--all", "--yes"]));
    assert_eq!(read(&app.path("home/.cursor/mcp.json")), BEFORE);
    assert!(!app.path("home/.config/zed/settings.json").exists());
    assert_eq!(exit(&FakeApp::new().run(&["connect", "--all", "--yes"])), 1);
}

#[test]
fn rotating_names_clients_with_the_old_token() {
    let app = with_cursor();
    succeeded(app.run(&["connect", "cursor", "--yes"]));
    succeeded(app.run(&["connect", "vscode", "--scope", "project", "--yes"]));
    let (old, answering) = (read(&app.path("data/token")), app.path("data/answer-token"));
    let output = succeeded(app.run(&["token", "rotate"]));
    let new = read(&app.path("data/token"));
    assert!(old != new && new.len() == 65);
    assert_eq!(fs::metadata(&answering).unwrap().permissions().mode() & 0o777, 0o600);
    let answers = read(&answering);
    succeeded(app.run(&["token", "rotate"]));
    assert_ne!(read(&answering), answers, "both are drawn together");
    let new = read(&app.path("data/token"));
    let expected = "Both tokens replaced.\n\
                    To reconnect: askdesk connect cursor\n\
                    To reconnect: askdesk connect vscode --scope project\n";
    assert_eq!(out(&output), expected);
    succeeded(app.run(&["connect", "cursor", "--yes"]));
    assert!(read(&app.path("home/.cursor/mcp.json")).contains(new.trim()));
    succeeded(app.run(&["disconnect", "cursor", "--yes"]));
    assert_eq!(read(&app.path("home/.cursor/mcp.json")), BEFORE);

    let _desk = app.start();
    succeeded(app.run(&["token", "rotate"]));
    assert_eq!(app.calls()[0].path, "/v1/token/rotate");
    assert_eq!(read(&app.path("data/token")).trim(), TOKEN, "the app writes it, nobody else");
}

#[test]
fn rotating_fails_if_the_app_does_not_respond() {
    let app = FakeApp::new();
    drop(app.start());
    let secrets = || (read(&app.path("data/token")), read(&app.path("data/answer-token")));
    let before = secrets();
    let check = |why: &str| {
        let output = app.run(&["token", "rotate"]);
        assert_eq!((exit(&output), out(&output)), (1, ""), "{why}: {}", err(&output));
        assert_eq!(secrets(), before, "{why}");
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    app.announce(listener.local_addr().unwrap().port());
    let badly = std::thread::spawn(move || {
        let (mut caller, _) = listener.accept().unwrap();
        let _ = caller.write_all(b"what?\r\n\r\n");
        // `is_stopped` and the call itself use two connections.
        let (mut caller, _) = listener.accept().unwrap();
        let _ = caller.write_all(b"what?\r\n\r\n");
    });
    check("it answers badly");
    badly.join().unwrap();
    fs::write(app.path("data/desk.json"), r#"{"version":2}"#).unwrap();
    check("it is of a later version");
    fs::remove_file(app.path("data/desk.json")).unwrap();
    succeeded(app.run(&["token", "rotate"]));
    assert_ne!(secrets(), before);
}
