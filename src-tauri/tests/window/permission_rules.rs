//! Permission rules of the user's own, and what was always allowed, with the real Claude Code.

use askdesk_testkit::mock_api::{Block, Reply};
use serde_json::{Value, json};

use crate::harness::{App, Setup, wait_until};
use crate::real_claude::RealClaude;

const DENIED: &str = "Denied by a permission rule that the user set in Askdesk: ";

fn bash(id: &str, command: &str) -> Reply {
    Reply::new([Block::tool(id, "Bash", json!({ "command": command, "description": "Runs it" }))])
}

fn question() -> Value {
    json!([{ "question": "Which store?", "header": "Store", "multiSelect": false, "options": [
        { "label": "SQLite", "description": "One file" }, { "label": "PostgreSQL", "description": "A server" }] }])
}

async fn open_permissions(app: &App) {
    app.click("button", "Settings").await;
    app.show_category("Permissions").await;
}

async fn close_settings(app: &App) {
    app.click("button", "Close").await;
    app.gone("dialog.settings").await;
}

async fn add_rule(app: &App, text: &str) {
    app.click("button", "Add rule").await;
    let field = app.by_role_in("dialog[open]", "textbox", "Rule").await;
    field.send_keys(text).await.unwrap();
    app.click("button", "Save rule").await;
    app.by_role_in("dialog[open]", "button", &format!("Remove {text}")).await;
}

#[tokio::test]
async fn case_100_a_rule_denies_what_is_asked_and_what_the_agent_allows_never_a_question_and_its_removal_counts_at_once()
 {
    let test = "case_100_a_rule_denies_what_is_asked_and_what_the_agent_allows";
    let Some(real) = RealClaude::start_in(Setup::default().pictured(), test, json!({}), vec![]).await else {
        return;
    };
    let app = &real.app;
    real.until_first_turn().await;
    open_permissions(app).await;
    add_rule(app, "Bash(mkdir shelf *)").await;
    // The agent runs `pwd` without asking.
    add_rule(app, "Bash(pwd)").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("permission-rules").await;
    close_settings(app).await;

    real.mock.push(bash("toolu_1", "cd . && mkdir shelf"));
    real.mock.push(bash("toolu_2", "pwd"));
    real.mock.push(Reply::question("toolu_q", &question()));
    real.send("Go on.").await;
    app.shows_text("aside [data-request]", "Which store?").await;
    real.until_result("toolu_1", &format!("{DENIED}Bash(mkdir shelf *)")).await;
    real.until_result("toolu_2", &format!("{DENIED}Bash(pwd)")).await;
    assert!(!real.project.path().join("shelf").exists());
    app.shows_text("main [data-approval]", "Denied by your rule Bash(mkdir shelf *): Bash").await;
    // The transcript may show the second one later than the panel shows the question.
    app.wait("both denials", async || (app.count("main [data-approval]").await == 2).then_some(())).await;
    app.shows_text("main [data-approval]:last-of-type", "Denied by your rule").await;
    assert_eq!(app.count("aside [data-approval]").await, 0);

    // Removed while the agent waits for the answer.
    open_permissions(app).await;
    app.click("button", "Remove Bash(pwd)").await;
    app.click("button", "Remove Bash(mkdir shelf *)").await;
    app.shows_text("dialog[open]", "No rules yet").await;
    close_settings(app).await;
    for reply in [bash("toolu_3", "pwd"), bash("toolu_4", "mkdir shelf"), Reply::text("All done.")] {
        real.mock.push(reply);
    }
    app.answer("SQLite").await;
    app.shows_text("aside [data-approval]", "mkdir shelf").await;
    real.until_result("toolu_3", &real.project.path().file_name().unwrap().to_string_lossy()).await;

    // From the card: the rule is shown before it is stored.
    app.click("button", "More ways to deny").await;
    app.click("menuitem", "Always deny…").await;
    let field = app.by_role_in("dialog[open]", "textbox", "Rule").await;
    assert_eq!(field.prop("value").await.unwrap().as_deref(), Some("Bash(mkdir shelf *)"));
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("permission-rule-new").await;
    app.click("button", "Save rule and deny").await;
    app.shows_text("main", "All done.").await;
    assert!(!real.project.path().join("shelf").exists());
    real.mock.push(bash("toolu_5", "mkdir shelf"));
    real.mock.push(Reply::text("Denied again."));
    real.send("Once more.").await;
    app.shows_text("main", "Denied again.").await;
    real.until_result("toolu_5", DENIED).await;
}

#[tokio::test]
async fn case_100_a_rule_that_asks_stops_what_the_agent_would_do_alone() {
    let test = "case_100_a_rule_that_asks_stops_what_the_agent_would_do_alone";
    let options = json!({ "config": { "mode": "accept_edits" } });
    let Some(real) = RealClaude::start(test, options, vec![]).await else { return };
    let app = &real.app;
    real.until_first_turn().await;
    app.change_setting(
        "permission_rules",
        json!([{ "action": "ask", "tool": "Edit", "argument": "*.txt", "folder": null }]),
    )
    .await;
    let path = real.project.path().join("new.txt").display().to_string();
    real.mock.push(Reply::new([Block::tool(
        "toolu_w",
        "Write",
        json!({ "file_path": path, "content": "x" }),
    )]));
    real.mock.push(Reply::text("Written."));
    real.send("Write it.").await;
    app.shows_text("aside [data-approval]", "Write this file?").await;
    app.shows_text("aside [data-approval]", "Edit(*.txt) always asks").await;
    app.click("button", "Allow once").await;
    app.shows_text("main", "Written.").await;
    assert_eq!(real.file("new.txt").as_deref(), Some("x"));
}

#[tokio::test]
async fn case_100_what_was_always_allowed_is_listed_with_its_origin_and_removed_from_its_file_alone() {
    let test = "case_100_what_was_always_allowed_is_listed_with_its_origin";
    let Some(real) = RealClaude::start_in(Setup::default().pictured(), test, json!({}), vec![]).await else {
        return;
    };
    let app = &real.app;
    real.until_first_turn().await;
    real.mock.push(bash("toolu_1", "mkdir shelf"));
    real.mock.push(Reply::text("One."));
    real.send("Make it.").await;
    app.shows_text("aside [data-approval]", "mkdir shelf").await;
    app.click("button", "More ways to allow").await;
    app.click("menuitem", "Always allow…").await;
    let tick =
        app.by_role("checkbox", "Allow Bash without asking: anything that starts with “mkdir shelf”").await;
    if !tick.is_selected().await.unwrap() {
        app.press(&tick).await;
    }
    app.click("button", "Allow with rules").await;
    app.shows_text("main", "One.").await;
    // The user's own entries, comments aside: the agent writes plain JSON.
    let file = real.project.path().join(".claude/settings.local.json");
    // The agent writes it beside its turn, not before it ends.
    let mut kept = wait_until("the rule in the agent's file", async || {
        serde_json::from_str::<Value>(&std::fs::read_to_string(&file).ok()?).ok()
    })
    .await;
    assert_eq!(kept, json!({ "permissions": { "allow": ["Bash(mkdir shelf *)"] } }));
    kept["permissions"]["allow"].as_array_mut().unwrap().push(json!("WebFetch(domain:example.com)"));
    kept["spinnerTipsEnabled"] = json!(false);
    std::fs::write(&file, serde_json::to_string_pretty(&kept).unwrap()).unwrap();

    open_permissions(app).await;
    let row = "[data-permission='Bash(mkdir shelf *)']";
    app.shows_text(row, "Allow Bash without asking: anything that starts with “mkdir shelf”").await;
    app.shows_text(row, "In this project, only for you").await;
    app.shows_text(row, "Allowed in “Real”").await;
    app.shows_text(row, "settings.local.json").await;
    app.shows_text("[data-permission='WebFetch(domain:example.com)']", "in the settings of Claude Code")
        .await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("always-allowed").await;
    app.click("button", "Remove: Allow Bash without asking: anything that starts with “mkdir shelf”").await;
    app.shows_text(row, "Askdesk changes only this entry:").await;
    let confirm = app.by_role_in(&format!("{row} [role=group]"), "button", "Remove").await;
    app.press(&confirm).await;
    app.gone(row).await;
    kept["permissions"]["allow"] = json!(["WebFetch(domain:example.com)"]);
    let now = std::fs::read_to_string(&file).unwrap();
    assert_eq!(now, serde_json::to_string_pretty(&kept).unwrap());
    close_settings(app).await;

    // A running agent notices the change of its file a moment later, and runs the command without asking until then.
    let mut tries = 0;
    loop {
        tries += 1;
        assert!(tries < 20, "the agent still has the entry");
        let said = format!("Try {tries} is over.");
        real.mock.push(bash(&format!("toolu_again_{tries}"), "mkdir shelf -p"));
        real.mock.push(Reply::text(&said));
        real.send("Once more.").await;
        let asks = app.wait("a permission request or the end of the turn", async || {
            let over = app.script("return document.querySelector('main').innerText", vec![]).await;
            let is_over = over.as_str()?.contains(&said);
            (app.shows("aside [data-approval]").await || is_over).then_some(!is_over)
        });
        if asks.await {
            app.shows_text("aside [data-approval]", "mkdir shelf -p").await;
            app.click("button", "Deny").await;
            app.shows_text("main", &said).await;
            break;
        }
        real.until_idle().await;
    }
}
