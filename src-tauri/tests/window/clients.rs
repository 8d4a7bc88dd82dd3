//! Connecting another program in the window, and disconnecting it, which restores its files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::{App, DELIVERED, OPEN_CARD, Setup};

/// A file with a comment and another server, which must be kept.
const BEFORE: &str =
    "{\n  // mine\n  \"mcpServers\": {\n    \"docs\": { \"url\": \"https://docs.example/mcp\" },\n  },\n}\n";

fn everything(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.append(&mut everything(&path));
        } else {
            files.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    files
}

async fn press_in(app: &App, within: &str, name: &str) {
    let button = app.by_role_in(within, "button", name).await;
    app.press(&button).await;
}

#[tokio::test]
async fn case_56_a_program_is_connected_and_disconnected_in_the_window_and_its_files_are_restored() {
    const ROW: &str = "dialog[open] [data-client=cursor]";
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".cursor");
    let file = folder.join("mcp.json");
    fs::create_dir(&folder).unwrap();
    fs::write(&file, BEFORE).unwrap();
    let app = Setup::default().pictured().at_home(home.path()).open().await;
    let data = home.path().join("share/io.github.askdesk");
    let listens: Value = app
        .wait("the gateway", async || serde_json::from_slice(&fs::read(data.join("desk.json")).ok()?).ok())
        .await;
    let token = fs::read_to_string(data.join("token")).unwrap().trim().to_owned();
    let before = everything(&folder);

    app.click("button", "Settings").await;
    app.show_category("Connected apps").await;
    app.find(&format!("{ROW}[data-way=not_connected]")).await;
    press_in(&app, ROW, "Connect Cursor").await;
    app.shows_text(ROW, "Changes to connect Cursor").await;
    let shown = app.find(ROW).await.text().await.unwrap();
    assert!(shown.contains("~/.cursor/mcp.json"), "{shown}");
    assert!(shown.contains("Bearer …"), "{shown}");
    let page = app.script("return document.documentElement.outerHTML", vec![]).await;
    assert!(!page.as_str().unwrap().contains(&token), "the page has the token");
    assert_eq!(app.axe().await, Vec::<String>::new());
    assert_eq!(app.cut("dialog[open]").await, Vec::<String>::new());
    app.picture("settings-clients").await;
    assert_eq!(everything(&folder), before, "a preview writes nothing");

    press_in(&app, ROW, "Apply changes").await;
    app.find(&format!("{ROW}[data-way=works]")).await;
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.contains(&format!("{}/mcp", listens["url"].as_str().unwrap())), "{written}");
    assert!(written.contains(&token) && written.contains("// mine"), "{written}");
    app.shows_text(ROW, "Written, not confirmed. Only a question from Cursor shows that it uses the entry.")
        .await;
    assert_eq!(app.axe().await, Vec::<String>::new());

    press_in(&app, ROW, "Disconnect Cursor").await;
    app.shows_text(ROW, "Changes to disconnect Cursor").await;
    press_in(&app, ROW, "Apply changes").await;
    app.find(&format!("{ROW}[data-way=not_connected]")).await;
    assert_eq!(everything(&folder), before);

    press_in(&app, "dialog[open] [data-clients]", "Send test question").await;
    app.shows_text("dialog[open]", "The test question is waiting.").await;
    press_in(&app, "dialog[open]", "Close").await;
    let row = app.find("nav [data-session][data-state=needs_you]").await;
    app.press(&row).await;
    app.shows_text(OPEN_CARD, "This is a test question").await;
    app.answer("Yes").await;
    app.find(DELIVERED).await;
}
