//! How the window looks: accessibility rules in every state of the panel, and the pictures of the guide.

use serde_json::json;

use crate::harness::{App, Setup};

async fn check(app: &App, state: &str) {
    let violations = app.axe().await;
    assert!(violations.is_empty(), "{state}: {violations:#?}");
}

#[tokio::test]
async fn axe_finds_nothing_in_any_state_of_the_window() {
    let app = Setup::default().pictured().open().await;
    check(&app, "the first screen").await;
    app.picture("first-screen").await;

    let single = app.start_demo("technology", "api").await;
    app.select(&single).await;
    app.by_role("radio", "PostgreSQL").await;
    check(&app, "a single choice").await;
    app.picture("single-choice").await;
    app.click("button", "Decline").await;
    check(&app, "declining").await;
    app.click("button", "Back to the question").await;
    app.click("button", "Submit").await;
    app.find("aside [role=alert]").await;
    check(&app, "a warning").await;

    let several = app.start_demo("four", "web").await;
    app.select(&several).await;
    app.click("radio", "Rust").await;
    app.find("aside [data-question=q2]").await;
    check(&app, "one of several questions").await;
    app.picture("several-questions").await;
    app.find("aside [data-step=summary]").await.click().await.unwrap();
    app.find("aside [data-summary]").await;
    check(&app, "the summary").await;
    app.picture("summary").await;

    let multi = app.start_demo("features", "docs").await;
    app.select(&multi).await;
    app.click("checkbox", "Sync").await;
    app.by_role("textbox", "Your own words").await.send_keys("Offline first").await.unwrap();
    check(&app, "ticks and own words").await;
    app.picture("multiple-choice").await;
    app.click("button", "Submit").await;
    app.find("main [data-request][data-state=answered]").await;
    check(&app, "an answered request").await;
    app.picture("answered").await;

    let approval = app.start_demo("approval", "build").await;
    app.select(&approval).await;
    app.find("aside [data-approval]").await;
    check(&app, "a permission").await;
    app.picture("permission").await;

    let together = app.start_demo("parallel", "two at once").await;
    app.select(&together).await;
    app.by_role("button", "2 Features").await;
    check(&app, "two requests").await;
    app.click("button", "Collapse the panel").await;
    check(&app, "the panel folded away").await;
    app.close().await;
}

#[tokio::test]
async fn axe_finds_nothing_in_a_failed_session_and_its_log() {
    let app = Setup::default().pictured().env("ASKDESK_FAKE_PACE", "5").open().await;
    let session = app.start_demo("dies-pending", "dead").await;
    app.select(&session).await;
    app.find("main [data-request][data-state=orphaned]").await;
    check(&app, "a missed question").await;
    let missed = app.find("aside [data-missed] summary").await;
    app.press(&missed).await;
    app.by_role("button", "Send when resumed").await;
    check(&app, "a missed question, unfolded").await;
    app.picture("missed").await;
    app.click("radio", "SQLite").await;
    app.click("button", "Send when resumed").await;
    app.find("aside [data-kept]").await;
    check(&app, "an answer that waits for its agent").await;
    app.close().await;
}

#[tokio::test]
async fn a_permission_is_decided_by_its_own_buttons() {
    let app = App::open().await;
    let session = app.start_demo("approval", "build").await;
    app.select(&session).await;
    app.shows_text("aside [data-approval]", "mkdir notes").await;
    app.click("button", "Allow once").await;
    let responses = app.wait_for_responses(1).await;
    assert_eq!(responses[0]["behavior"], "allow");
    assert_eq!(responses[0]["updatedInput"]["command"], "mkdir notes");
    assert_eq!(responses[0]["updatedPermissions"], json!(null), "no answer widens what the agent may do");
    app.wait("the second permission", async || {
        let open = "return document.querySelectorAll('aside [data-approval]').length";
        (app.script(open, vec![]).await == 1
            && app.shows("main [data-approval][data-state=allow_once]").await)
            .then_some(())
    })
    .await;
    app.click("button", "Deny with message").await;
    app.by_role("textbox", "What to tell the agent").await.send_keys("Not twice").await.unwrap();
    app.click("button", "Deny and send").await;
    let responses = app.wait_for_responses(2).await;
    assert_eq!(responses[1]["behavior"], "deny");
    assert_eq!(responses[1]["message"], "Not twice");
    app.close().await;
}

#[tokio::test]
async fn a_narrow_window_puts_the_panel_under_the_transcript() {
    let app = Setup::default().pictured().open().await;
    let session = app.start_demo("technology", "Notes").await;
    app.select(&session).await;
    app.find("aside [data-request][data-state=open]").await;
    app.client.set_window_size(700, 800).await.unwrap();
    app.wait("the panel under the transcript", async || {
        let below = "return document.querySelector('aside').getBoundingClientRect().top
            >= document.querySelector('[data-entry]').getBoundingClientRect().top";
        (app.script(below, vec![]).await == true).then_some(())
    })
    .await;
    check(&app, "a narrow window").await;
    app.picture("narrow").await;
    app.close().await;
}
