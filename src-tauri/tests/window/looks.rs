//! How the window looks: accessibility rules in every state of the panel, and the pictures of the guide.

use serde_json::json;

use crate::harness::{Desk, Setup};

async fn check(desk: &Desk, state: &str) {
    let violations = desk.axe().await;
    assert!(violations.is_empty(), "{state}: {violations:#?}");
}

#[tokio::test]
async fn axe_finds_nothing_in_any_state_of_the_window() {
    let desk = Setup::default().pictured().open().await;
    check(&desk, "the first screen").await;
    desk.picture("first-screen").await;

    let single = desk.start_demo("technology", "api").await;
    desk.select(&single).await;
    desk.by_role("radio", "PostgreSQL").await;
    check(&desk, "a single choice").await;
    desk.picture("single-choice").await;
    desk.click("button", "Decline").await;
    check(&desk, "declining").await;
    desk.click("button", "Back to the question").await;
    desk.click("button", "Submit").await;
    desk.find("aside [role=alert]").await;
    check(&desk, "a warning").await;

    let several = desk.start_demo("four", "web").await;
    desk.select(&several).await;
    desk.click("radio", "Rust").await;
    desk.find("aside [data-question=q2]").await;
    check(&desk, "one of several questions").await;
    desk.picture("several-questions").await;
    desk.find("aside [data-step=summary]").await.click().await.unwrap();
    desk.find("aside [data-summary]").await;
    check(&desk, "the summary").await;
    desk.picture("summary").await;

    let multi = desk.start_demo("features", "docs").await;
    desk.select(&multi).await;
    desk.click("checkbox", "Sync").await;
    desk.by_role("textbox", "Your own words").await.send_keys("Offline first").await.unwrap();
    check(&desk, "ticks and own words").await;
    desk.picture("multiple-choice").await;
    desk.click("button", "Submit").await;
    desk.find("main [data-request][data-state=answered]").await;
    check(&desk, "an answered request").await;
    desk.picture("answered").await;

    let approval = desk.start_demo("approval", "build").await;
    desk.select(&approval).await;
    desk.find("aside [data-approval]").await;
    check(&desk, "a permission").await;
    desk.picture("permission").await;

    let together = desk.start_demo("parallel", "two at once").await;
    desk.select(&together).await;
    desk.by_role("button", "2 Features").await;
    check(&desk, "two requests").await;
    desk.click("button", "Collapse the panel").await;
    check(&desk, "the panel folded away").await;
    desk.close().await;
}

#[tokio::test]
async fn axe_finds_nothing_in_a_failed_session_and_its_log() {
    let desk = Setup::default().pictured().env("ASKDESK_FAKE_PACE", "5").open().await;
    let session = desk.start_demo("dies-pending", "dead").await;
    desk.select(&session).await;
    desk.find("main [data-request][data-state=orphaned]").await;
    check(&desk, "a missed question").await;
    let missed = desk.find("aside [data-missed] summary").await;
    desk.press(&missed).await;
    desk.by_role("button", "Send when resumed").await;
    check(&desk, "a missed question, unfolded").await;
    desk.picture("missed").await;
    desk.click("radio", "SQLite").await;
    desk.click("button", "Send when resumed").await;
    desk.find("aside [data-kept]").await;
    check(&desk, "an answer that waits for its agent").await;
    desk.close().await;
}

#[tokio::test]
async fn a_permission_is_decided_by_its_own_buttons() {
    let desk = Desk::open().await;
    let session = desk.start_demo("approval", "build").await;
    desk.select(&session).await;
    desk.shows_text("aside [data-approval]", "mkdir notes").await;
    desk.click("button", "Allow once").await;
    let responses = desk.wait_for_responses(1).await;
    assert_eq!(responses[0]["behavior"], "allow");
    assert_eq!(responses[0]["updatedInput"]["command"], "mkdir notes");
    assert_eq!(responses[0]["updatedPermissions"], json!(null), "no answer widens what the agent may do");
    desk.wait("the second permission", async || {
        let open = "return document.querySelectorAll('aside [data-approval]').length";
        (desk.script(open, vec![]).await == 1
            && desk.shows("main [data-approval][data-state=allow_once]").await)
            .then_some(())
    })
    .await;
    desk.click("button", "Deny with message").await;
    desk.by_role("textbox", "What to tell the agent").await.send_keys("Not twice").await.unwrap();
    desk.click("button", "Deny and send").await;
    let responses = desk.wait_for_responses(2).await;
    assert_eq!(responses[1]["behavior"], "deny");
    assert_eq!(responses[1]["message"], "Not twice");
    desk.close().await;
}

#[tokio::test]
async fn a_narrow_window_puts_the_panel_under_the_transcript() {
    let desk = Setup::default().pictured().open().await;
    let session = desk.start_demo("technology", "Notes").await;
    desk.select(&session).await;
    desk.find("aside [data-request][data-state=open]").await;
    desk.client.set_window_size(700, 800).await.unwrap();
    desk.wait("the panel under the transcript", async || {
        let below = "return document.querySelector('aside').getBoundingClientRect().top
            >= document.querySelector('[data-entry]').getBoundingClientRect().top";
        (desk.script(below, vec![]).await == true).then_some(())
    })
    .await;
    check(&desk, "a narrow window").await;
    desk.picture("narrow").await;
    desk.close().await;
}
