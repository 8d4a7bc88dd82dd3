//! Connecting other programs: status, plan, change, undo.

use crate::bridge::{Bridge, fresh};
use askdesk_api::{ClientHost, SelfTestError};
use askdesk_client_config::{Env, Os};
use askdesk_contract::Error;
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const TOKEN: &str = "3f9a0c7e51d24b6f8812aa90cd34ef563f9a0c7e51d24b6f8812aa90cd34ef56";

/// A file with a comment, another server with a secret of its own, and a trailing comma.
const BEFORE: &str = "{\r\n  // mine\r\n  \"mcpServers\": {\r\n    \"docs\": { \"url\": \"https://docs.example/mcp\" },\r\n  },\r\n}\r\n";

/// A running gateway, and a user with a home folder.
struct Scene {
    bridge: Bridge,
}

impl Scene {
    fn new() -> Self {
        Self::listening(Some(41414))
    }

    fn listening(port: Option<u16>) -> Self {
        let bridge = Bridge::open();
        let (home, data) = (bridge.folder.path().join("home"), bridge.folder.path().join("data"));
        fs::create_dir_all(home.join("bin")).unwrap();
        fs::write(data.join("token"), format!("{TOKEN}\n")).unwrap();
        #[cfg(unix)]
        fs::set_permissions(data.join("token"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let variables = [("PATH".into(), home.join("bin").into_os_string())].into_iter().collect();
        let env = Env { os: Os::Linux, project: home.clone(), home, variables };
        let command = Some("/usr/bin/askdesk hook".to_owned());
        *bridge.host.client_host.lock().unwrap() = Some(ClientHost { env, data, port, command });
        Self { bridge }
    }

    fn home(&self, path: &str) -> PathBuf {
        self.bridge.folder.path().join("home").join(path)
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let file = self.home(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    async fn call(&self, name: &str, input: Value) -> Result<Value, Error> {
        let output = self.bridge.call(name, input).await;
        let said = match &output {
            Ok(output) => output.to_string(),
            Err(error) => serde_json::to_string(error).unwrap(),
        };
        assert!(!said.contains(TOKEN), "the page never gets the token: {said}");
        output
    }

    async fn plan(&self, client: &str, goal: &str) -> Result<(Value, Value), Error> {
        let id = fresh();
        let input = json!({"requestId": id, "client": client, "goal": goal});
        Ok((json!(id), self.call("plan_client", input).await?))
    }

    async fn change(&self, plan: &Value) -> Result<Value, Error> {
        self.call("change_client", json!({"requestId": fresh(), "plan": plan})).await
    }

    async fn do_it(&self, client: &str, goal: &str) -> Value {
        let (id, plan) = self.plan(client, goal).await.unwrap();
        self.change(&id).await.unwrap();
        plan
    }

    async fn read(&self, client: &str) -> Value {
        let read = self.call("read_clients", json!({})).await.unwrap();
        read["clients"].as_array().unwrap().iter().find(|it| it["client"] == client).unwrap().clone()
    }

    /// Every file below the home folder with what it says.
    fn everything(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.home(""), &mut files);
        files
    }
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.insert(path.clone(), fs::read(path).unwrap_or_default());
        }
    }
}

fn said(error: Error) -> Value {
    serde_json::to_value(error).unwrap()
}

#[tokio::test]
async fn every_program_is_listed_those_that_are_there_first() {
    let scene = Scene::new();
    scene.write(".config/zed/keymap.json", "[]");
    let read = scene.call("read_clients", json!({})).await.unwrap();
    assert_eq!(read["port"], 41414);
    let listed: Vec<(&str, bool)> = read["clients"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["client"].as_str().unwrap(), it["found"].as_bool().unwrap()))
        .collect();
    assert_eq!(listed.len(), 10);
    assert_eq!(listed[..2], [("zed", true), ("claude-code", false)]);
    let zed = scene.read("zed").await;
    assert_eq!(zed["files"], json!([scene.home(".config/zed/settings.json")]));
    assert_eq!(zed["way"], json!({"way": "not_connected"}));
    assert_eq!((&zed["connected"], &zed["limitSeconds"]), (&json!(false), &json!(86400)));
    assert_eq!(scene.read("cursor").await["limitSeconds"], Value::Null);
}

#[rstest]
#[case::a_file_with_comments_and_other_line_ends("cursor", ".cursor/mcp.json", Some(BEFORE))]
#[case::no_file("gemini-cli", ".gemini/settings.json", None)]
#[case::toml("codex", ".codex/config.toml", Some("model = \"x\" # mine\n"))]
#[case::two_files("claude-code", ".claude.json", Some("{\"projects\": {}}"))]
#[tokio::test]
async fn case_56_what_was_shown_is_written_and_undone_byte_for_byte(
    #[case] client: &str,
    #[case] file: &str,
    #[case] before: Option<&str>,
) {
    let scene = Scene::new();
    if let Some(before) = before {
        scene.write(file, before);
    }
    let then = scene.everything();
    let (id, plan) = scene.plan(client, "connected").await.unwrap();
    assert_eq!(scene.everything(), then, "nothing is written by looking");
    let change = &plan["changes"][0];
    assert_eq!(change["file"], json!(scene.home(file)));
    assert_eq!(change["becomes"], if before.is_some() { "changed" } else { "made" });
    assert_eq!(change["copy"].is_string(), before.is_some());
    let diff = change["diff"].as_str().unwrap();
    assert!(diff.starts_with("@@ ") && diff.contains("http://127.0.0.1:41414/mcp"), "{diff}");
    assert!(diff.contains("Bearer …"), "{diff}");
    let open_to_others = json!({"note": "open_to_others", "file": change["file"]});
    let no_background =
        (client == "claude-code").then(|| json!({"note": "no_background", "client": "claude-code"}));
    let notes: Vec<Value> = before.map(|_| open_to_others).into_iter().chain(no_background).collect();
    assert_eq!(plan["notes"], json!(notes), "what was there may be read by others, what is new may not");

    scene.change(&id).await.unwrap();
    assert!(fs::read_to_string(scene.home(file)).unwrap().contains(TOKEN));
    let read = scene.read(client).await;
    assert_eq!((&read["way"], &read["connected"]), (&json!({"way": "works", "but": []}), &json!(true)));
    assert_eq!(scene.plan(client, "connected").await.unwrap().1["changes"], json!([]), "all stands already");

    scene.do_it(client, "disconnected").await;
    assert_eq!(scene.everything(), then);
    assert_eq!(scene.read(client).await["way"], json!({"way": "not_connected"}));
}

#[tokio::test]
async fn a_plan_is_carried_out_once_and_only_while_it_is_the_one_that_was_shown_last() {
    let scene = Scene::new();
    scene.write(".cursor/mcp.json", BEFORE);
    let (first, _) = scene.plan("cursor", "connected").await.unwrap();
    let (second, _) = scene.plan("zed", "connected").await.unwrap();
    assert_eq!(said(scene.change(&first).await.unwrap_err())["code"], "plan_gone");
    let input = json!({"requestId": fresh(), "plan": second});
    scene.call("change_client", input.clone()).await.unwrap();
    scene.call("change_client", input).await.unwrap();
    assert_eq!(said(scene.change(&second).await.unwrap_err())["code"], "plan_gone");
    assert_eq!(fs::read_to_string(scene.home(".cursor/mcp.json")).unwrap(), BEFORE);
    assert!(scene.home(".config/zed/settings.json").exists());
}

#[tokio::test]
async fn what_somebody_else_wrote_since_it_was_shown_stays() {
    let scene = Scene::new();
    let file = scene.write(".cursor/mcp.json", BEFORE);
    let (id, _) = scene.plan("cursor", "connected").await.unwrap();
    fs::write(&file, "{}").unwrap();
    let error = said(scene.change(&id).await.unwrap_err());
    assert_eq!(error["detail"]["trouble"], json!({"trouble": "changed"}), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
    // It was not carried out, and will not be.
    assert_eq!(said(scene.change(&id).await.unwrap_err())["code"], "plan_gone");
}

#[tokio::test]
async fn while_the_gateway_is_closed_nobody_is_told_of_them_and_all_can_be_undone() {
    let scene = Scene::listening(None);
    let read = scene.call("read_clients", json!({})).await.unwrap();
    assert_eq!(read["port"], Value::Null);
    assert_eq!(said(scene.plan("codex", "connected").await.unwrap_err())["code"], "gateway_closed");
    assert_eq!(scene.plan("codex", "disconnected").await.unwrap().1["changes"], json!([]));
    let elsewhere = Scene::listening(Some(41999));
    let (_, plan) = elsewhere.plan("codex", "connected").await.unwrap();
    assert_eq!(plan["notes"], json!([{"note": "other_port", "port": 41999}]));
}

#[tokio::test]
async fn a_diff_without_end_is_cut_and_says_so() {
    let scene = Scene::new();
    let long = format!("{{\"note\": \"{}\"}}", "ü".repeat(100_000));
    scene.write(".cursor/mcp.json", &long);
    let (id, plan) = scene.plan("cursor", "connected").await.unwrap();
    let change = &plan["changes"][0];
    assert_eq!(change["cut"], true);
    assert!(change["diff"].as_str().unwrap().len() <= 64 * 1024);
    scene.change(&id).await.unwrap();
    scene.do_it("cursor", "disconnected").await;
    assert_eq!(fs::read_to_string(scene.home(".cursor/mcp.json")).unwrap(), long);
}

#[tokio::test]
async fn programs_say_their_versions_and_one_that_says_none_is_left_out() {
    let scene = Scene::new();
    for (name, script) in
        [("codex", "#!/bin/sh\necho codex-cli 0.169.0\n"), ("opencode", "#!/bin/sh\necho nothing\n")]
    {
        // Written by way of a shell: a file that this process has open for writing cannot be run.
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", r#"printf %s "$1" > "$0" && chmod +x "$0""#]);
        assert!(shell.arg(scene.home("bin").join(name)).arg(script).status().unwrap().success());
    }
    let told = scene.call("read_client_versions", json!({})).await.unwrap();
    assert_eq!(told, json!({"versions": [{"client": "codex", "version": "0.169.0"}]}));
    assert_eq!(scene.read("opencode").await["found"], true);
}

#[tokio::test]
async fn a_test_question_is_asked_once_and_what_is_in_its_way_is_said() {
    let bridge = Bridge::open();
    let broken = SelfTestError::Failed { error: "HTTP/1.1 401 Unauthorized".to_owned() };
    *bridge.host.self_tests.lock().unwrap() = [Ok(()), Err(broken)].into();
    let input = json!({"requestId": fresh()});
    bridge.call("test_gateway", input.clone()).await.unwrap();
    bridge.call("test_gateway", input).await.unwrap();
    assert_eq!(bridge.host.self_tests.lock().unwrap().len(), 1, "a repeated command asks nothing more");
    let refused = async || bridge.refused("test_gateway", json!({"requestId": fresh()})).await;
    let broken = refused().await;
    assert_eq!(
        (&broken["code"], &broken["message"]),
        (&json!("test_failed"), &json!("HTTP/1.1 401 Unauthorized"))
    );
    assert_eq!(refused().await["code"], "gateway_closed");
}
