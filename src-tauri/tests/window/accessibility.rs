//! Accessibility rules in every state of the panel, and the pictures of the guide.

use std::net::TcpListener;

use crate::harness::{App, Setup, wait_until};

async fn check(app: &App, state: &str) {
    let violations = app.axe().await;
    assert!(violations.is_empty(), "{state}: {violations:#?}");
}

#[tokio::test]
async fn axe_finds_nothing_in_any_state_of_the_window() {
    let app = Setup::default().pictured().open().await;
    check(&app, "the first screen").await;
    app.picture("first-screen").await;
    app.click("button", "Settings").await;
    app.find("dialog[open] #setting-theme").await;
    check(&app, "the settings").await;
    app.picture("settings").await;
    app.click("button", "Close").await;

    app.show_project("technology", "shop-api", "Keep the notes of each order.").await;
    app.by_role("radio", "PostgreSQL").await;
    check(&app, "a single choice").await;
    app.point_at(&app.find("[data-transcript]").await).await;
    app.picture("single-choice").await;
    app.click("button", "More ways to skip").await;
    check(&app, "the menu beside Skip").await;
    app.press(&app.find("[role=menuitem]").await).await;
    check(&app, "skipping with a message").await;
    app.click("button", "Back").await;
    app.click("button", "Submit").await;
    app.find("aside [role=alert]").await;
    check(&app, "a warning").await;

    app.show_project("four", "storefront", "Set up the service.").await;
    app.click("radio", "Rust").await;
    app.find("aside [data-question=q2]").await;
    check(&app, "one of several questions").await;
    app.picture("several-questions").await;
    app.press(&app.find("aside [data-step=summary]").await).await;
    app.find("aside [data-summary]").await;
    check(&app, "the summary").await;
    app.picture("summary").await;

    app.show_project("features", "docs-site", "Plan the next release.").await;
    app.click("checkbox", "Sync").await;
    app.write("Your own answer", "Offline first").await;
    check(&app, "selected options and an own answer").await;
    app.picture("multiple-choice").await;
    app.click("button", "Submit").await;
    app.find("main [data-request][data-state=answered]").await;
    check(&app, "an answered request").await;
    app.picture("answered").await;

    app.show_project("approval", "billing-worker", "Add a folder for notes.").await;
    app.find("aside [data-approval]").await;
    check(&app, "a permission").await;
    let ligatures =
        "return getComputedStyle(document.querySelector('aside [data-approval] pre')).fontVariantLigatures";
    assert_eq!(app.script(ligatures, vec![]).await, "none", "a command is shown as it is");
    app.point_at(&app.find("aside [data-approval]").await).await;
    app.find("nav [data-session][data-state=needs_you]").await;
    app.picture("permission").await;

    app.show_demo("parallel", "two at once").await;
    app.find("aside .request + .request").await;
    check(&app, "two requests").await;
    app.click("button", "Fold side").await;
    check(&app, "the collapsed panel").await;
}

#[tokio::test]
async fn axe_finds_nothing_in_a_failed_session_and_its_log() {
    let app = Setup::default().pictured().env("ASKDESK_FAKE_PACE", "5").open().await;
    app.show_project("dies-pending", "legacy-import", "Import the old notes.").await;
    app.find("main [data-request][data-state=orphaned]").await;
    check(&app, "a missed question").await;
    let missed = app.find("aside [data-missed] summary").await;
    app.press(&missed).await;
    app.by_role("button", "Send on resume").await;
    check(&app, "a missed question, unfolded").await;
    app.picture("missed").await;
    app.click("radio", "SQLite").await;
    app.click("button", "Send on resume").await;
    app.find("aside [data-kept]").await;
    check(&app, "a saved answer").await;
}

#[tokio::test]
async fn axe_finds_nothing_in_the_changes_that_connect_an_app() {
    const ROW: &str = "dialog[open] [data-client=cursor]";
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join(".cursor/mcp.json");
    let before = "{\n  // mine\n  \"mcpServers\": {\n    \"docs\": { \"url\": \"https://docs.example/mcp\" },\n  },\n}\n";
    std::fs::create_dir(config.parent().unwrap()).unwrap();
    std::fs::write(&config, before).unwrap();
    let app = loop {
        // The picture has the usual port, which a window on another desktop may have now.
        wait_until("the usual port is free", async || TcpListener::bind(("127.0.0.1", 41_414)).ok()).await;
        let app = Setup::default().pictured().at_home(home.path()).open().await;
        app.click("button", "Settings").await;
        app.show_category("Connected apps").await;
        app.press(&app.by_role_in(ROW, "button", "Connect Cursor").await).await;
        app.shows_text(ROW, "Changes to connect Cursor").await;
        if app.find(ROW).await.text().await.unwrap().contains("127.0.0.1:41414/") {
            break app;
        }
        app.close().await;
    };
    check(&app, "the changes").await;
    app.picture("settings-clients").await;
    assert_eq!(std::fs::read_to_string(&config).unwrap(), before, "a preview writes nothing");
}
