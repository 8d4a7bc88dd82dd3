//! The layout of the sidebar with ten sessions, and with large text.

use serde_json::json;

use crate::harness::App;

/// Lists the sessions whose row is not fully inside the list, and how many rows there are.
const OUT_OF_VIEW: &str = "const rows = [...document.querySelectorAll('nav [data-session]')];
    const view = document.querySelector('nav [data-session]').closest('ul').parentElement.getBoundingClientRect();
    const out = rows.filter(row => {
        const { top, bottom, height } = row.getBoundingClientRect();
        return height === 0 || top < view.top - 1 || bottom > view.bottom + 1;
    });
    return [rows.length, out.map(row => row.textContent)];";

#[tokio::test]
async fn ten_sessions_in_every_group_are_in_view_at_900_pixels() {
    let app = App::open().await;
    app.resize(1280, 900).await;
    let works = app.scenario("works", json!([[app.until_released("never")]]));
    let mut sessions = Vec::new();
    for (example, name, state) in [
        ("technology", "shop-api", "needs_you"),
        ("technology", "storefront", "needs_you"),
        ("features", "billing-worker", "needs_you"),
        ("approval", "infra", "needs_you"),
        (works.as_str(), "search-index", "working"),
        (works.as_str(), "docs-site", "working"),
        ("prefilled", "mobile-app", "idle"),
        ("prefilled", "design-tokens", "idle"),
        ("dies-pending", "legacy-import", "failed"),
    ] {
        sessions.push((app.start_demo(example, name).await, state));
    }
    let unasked =
        json!({ "agent": "demo", "options": { "config": { "example": works } }, "name": "release-notes" });
    sessions.push((app.start_session(unasked).await, "idle"));
    for (session, state) in &sessions {
        app.in_state(session, state).await;
    }
    for heading in ["Needs you 4", "Failed 1", "Working 2", "Done 2", "Idle 1"] {
        app.wait(heading, async || {
            let headings = "return [...document.querySelectorAll('nav h2')].map(h => h.innerText.replace(/\\s+/g, ' ').trim())";
            let shown = app.script(headings, vec![]).await;
            shown.as_array()?.iter().any(|one| one == heading).then_some(())
        })
        .await;
    }
    let all_in_view = async || (app.script(OUT_OF_VIEW, vec![]).await == json!([10, []])).then_some(());
    app.wait("all rows in view, by state", all_in_view).await;
    app.click("button", "Sessions grouped by: State").await;
    app.click("menuitem", "My order").await;
    app.by_role("button", "Sessions grouped by: My order").await;
    app.wait("all rows in view, in the user's order", all_in_view).await;
    assert_eq!(app.axe().await, Vec::<String>::new());
}
