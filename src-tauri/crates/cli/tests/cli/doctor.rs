use std::fs;

use serde_json::{Value, json};

use crate::fake_app::{FakeApp, User, ended, err, exit, out, succeeded, write_program};

fn program(app: &FakeApp, name: &str, says: &str) {
    write_program(&app.path("bin").join(name), &format!("#!/bin/sh\necho '{says}'\n"));
}

fn report(app: &FakeApp) -> Value {
    serde_json::from_str(out(&app.run(&["doctor", "--json"]))).unwrap()
}

fn client<'a>(report: &'a Value, id: &str) -> &'a Value {
    report["clients"].as_array().unwrap().iter().find(|it| it["client"] == id).unwrap()
}

#[test]
fn case_60_each_client_has_a_status_and_a_remedy() {
    let app = FakeApp::new();
    program(&app, "codex", "codex-cli 0.169.0");
    program(&app, "claude", "2.1.329 (Claude Code)");
    fs::create_dir_all(app.path("home/.cursor")).unwrap();
    let desk = app.start();
    succeeded(app.run(&["connect", "codex", "cursor", "--yes"]));
    fs::write(app.path("home/.cursor/mcp.json"), "{").unwrap();
    let output = app.run(&["doctor"]);
    let lines: Vec<&str> = out(&output).lines().collect();
    let cursor = app.path("home/.cursor/mcp.json");
    assert_eq!(lines[0], format!("Askdesk      0.1.0, 127.0.0.1:{}, 1 waiting", desk.port));
    assert!(lines[1].ends_with("answering takes answer-token, which they never get"), "{}", lines[1]);
    let lines: Vec<&str> = lines.into_iter().filter(|line| !line.trim().starts_with("note: ")).collect();
    assert_eq!(lines[2], "Claude Code  2.1.329: not connected");
    assert_eq!(lines[3], "             to connect: askdesk connect claude-code");
    assert_eq!(lines[4], "Codex        0.169.0: connected; calls wait up to a day");
    assert_eq!(lines[5], "             last question 5 hours ago");
    let broken = format!(
        "Cursor       version unknown: questions don't arrive: can't use {}: it isn't valid JSON",
        cursor.display()
    );
    assert!(lines[6].starts_with(&broken), "{}", lines[6]);
    assert_eq!(lines[7], "             fix: correct the file, then connect again");
    let absent = "Not found    Gemini CLI, OpenCode, VS Code, Copilot CLI, Windsurf, Antigravity, Zed";
    assert_eq!(lines[8..], [absent]);
    assert_eq!(exit(&output), 1);

    let report = report(&app);
    assert_eq!(report["desk"]["reachable"], true);
    let codex = client(&report, "codex");
    assert_eq!(codex["version"], "0.169.0");
    assert_eq!(codex["path"], json!({"state": "works"}));
    assert_eq!(codex["limit"]["seconds"], 86400);
    assert_eq!(codex["files"][0]["entry"], "current");
    assert!(codex["last_question"].is_i64(), "{codex}");
    assert_eq!(client(&report, "cursor")["path"]["state"], "broken");
    assert_eq!(client(&report, "cursor")["last_question"], Value::Null);
    assert_eq!(client(&report, "claude-code")["path"]["state"], "not_connected");
    assert_eq!(client(&report, "zed")["found"], false);
}

#[test]
fn case_137_the_installed_versions_that_arent_tested_are_named_with_one_that_works() {
    let (app, _desk) = FakeApp::started();
    let output = app.run(&["doctor"]);
    let notes: Vec<&str> =
        out(&output).lines().filter_map(|line| line.trim().strip_prefix("note: ")).collect();
    let newer =
        "Ahead 3.1.0 is newer than 3.0.0, the newest tested one; Askdesk shows what it doesn't understand";
    let unverified = "Other 2.3.2 hasn't been tested with Askdesk, which knows it only from its public description; \
                      1.18.33 is tested: get other@1.18.33";
    assert_eq!(notes, [newer, unverified]);
    let report = report(&app);
    assert_eq!(report["agents"][2]["fit"]["good"], "1.18.33");
}

#[test]
fn case_60_without_the_app_the_remedy_is_to_start_it() {
    let app = FakeApp::new();
    succeeded(app.run(&["connect", "opencode", "--yes"]));
    let output = app.run(&["doctor"]);
    assert_eq!(exit(&output), 5);
    assert!(out(&output).contains("questions don't arrive: Askdesk isn't running: "), "{}", out(&output));
    assert!(out(&output).contains("fix: start Askdesk"), "{}", out(&output));
}

#[test]
fn case_60_if_another_server_listens_the_remedy_is_to_restart_the_app() {
    let app = FakeApp::new();
    succeeded(app.run(&["connect", "opencode", "--yes"]));
    let token = fs::read(app.path("data/token")).unwrap();
    let _desk = app.start();
    let check = |why: &str| {
        let report = report(&app);
        assert_eq!(report["desk"]["reachable"], false);
        let path = &client(&report, "opencode")["path"];
        assert!(path["why"].as_str().unwrap().contains(why), "{path}");
        assert_eq!(path["remedy"], "restart Askdesk", "{path}");
    };
    fs::write(app.path("data/token"), token).unwrap();
    check("the tokens in this data folder were rejected");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    app.announce(listener.local_addr().unwrap().port());
    std::thread::spawn(move || listener.incoming().for_each(drop));
    check("Askdesk can't be reached: ");
}

#[test]
fn case_60_settings_of_claude_that_block_questions_are_reported() {
    let app = FakeApp::new();
    fs::create_dir_all(app.path("home/.claude")).unwrap();
    let settings = app.path("home/.claude/settings.json");
    fs::write(&settings, "{ \"disableAllHooks\": true }").unwrap();
    let _desk = app.start();
    succeeded(app.run(&["connect", "claude", "--yes"]));
    let path = |report: &Value| client(report, "claude-code")["path"].clone();
    let seen = path(&report(&app));
    assert_eq!(seen["state"], "works");
    assert!(seen["but"][0].as_str().unwrap().contains("disableAllHooks"), "{seen}");
    let denied = fs::read_to_string(&settings)
        .unwrap()
        .replace("\"allow\"", "\"deny\": [\"mcp__askdesk\"], \"allow\"");
    fs::write(&settings, denied).unwrap();
    assert_eq!(path(&report(&app))["state"], "broken");
    // With half of the entry, questions of Claude Code's own tool would stay in the terminal.
    fs::write(&settings, "{}").unwrap();
    let half = path(&report(&app));
    assert_eq!(half["state"], "broken");
    assert!(half["why"].as_str().unwrap().ends_with("settings.json has no Askdesk entry"), "{half}");
}

#[test]
fn case_60_the_test_question_is_asked_and_answered() {
    let (app, _desk) = FakeApp::started();
    app.user(User::Sends(ended("answered", &json!({"answers": []}))));
    let output = succeeded(app.run(&["doctor", "--ask"]));
    assert!(out(&output).ends_with("Test question: answered.\n"), "{}", out(&output));
    assert_eq!(err(&output), "askdesk: test question sent; answer it in Askdesk\n");
    assert_eq!(app.calls()[0].path, "/v1/test");
    app.user(User::Sends(ended("declined", &json!({}))));
    let output = app.run(&["doctor", "--ask"]);
    assert!(out(&output).ends_with("Test question: skipped.\n"), "{}", out(&output));
    app.user(User::Sends(ended("withdrawn", &json!({"why": "canceled"}))));
    let output = app.run(&["doctor", "--ask"]);
    assert!(out(&output).ends_with("Test question: skipped.\n"), "{}", out(&output));
    app.user(User::Sends(ended("declined", &json!({}))));
    let output = app.run(&["doctor", "--ask", "--json"]);
    assert_eq!(exit(&output), 3);
    let report: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(report["test"]["outcome"], "declined");
    // A rejected question was never open.
    app.user(User::Rejects(503, json!({"error": "unavailable", "message": "Askdesk is quitting"})));
    let output = app.run(&["doctor", "--ask"]);
    assert_eq!(err(&output), "askdesk: Askdesk is quitting\n");
}
