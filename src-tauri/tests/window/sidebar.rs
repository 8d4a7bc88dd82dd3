//! The sidebar with ten sessions, and the keys to the oldest question.

use serde_json::{Value, json};

use crate::harness::{App, OPEN_CARD, Setup};

/// Lists the sessions whose row is not fully inside the list, and how many rows there are.
const OUT_OF_VIEW: &str = "const rows = [...document.querySelectorAll('nav [data-session]')];
    const view = document.querySelector('nav [data-session]').closest('ul').parentElement.getBoundingClientRect();
    const out = rows.filter(row => {
        const { top, bottom, height } = row.getBoundingClientRect();
        return height === 0 || top < view.top - 1 || bottom > view.bottom + 1;
    });
    return [rows.length, out.map(row => row.textContent)];";

async fn group_by(app: &App, before: &str, grouping: &str) {
    app.click("button", &format!("Sessions grouped by: {before}")).await;
    app.click("menuitem", grouping).await;
    app.by_role("button", &format!("Sessions grouped by: {grouping}")).await;
}

/// One turn of an agent that asks one question.
fn asks(text: &str) -> Value {
    let options = json!([{ "label": "Yes", "description": "" }, { "label": "No", "description": "" }]);
    let question = json!({ "question": text, "header": text, "multiSelect": false, "options": options });
    json!([[{ "ask": { "questions": [question] } }]])
}

#[tokio::test]
async fn ten_sessions_in_every_group_are_in_view_at_900_pixels() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    app.resize(1280, 900).await;
    let works = app.scenario("works", json!([[{ "sleep_ms": 300_000 }]]));
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
    assert_eq!(app.script(OUT_OF_VIEW, vec![]).await, json!([10, []]));
    group_by(&app, "State", "My order").await;
    assert_eq!(app.script(OUT_OF_VIEW, vec![]).await, json!([10, []]));
    group_by(&app, "My order", "State").await;
    assert_eq!(app.script(OUT_OF_VIEW, vec![]).await, json!([10, []]));
    assert_eq!(app.axe().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_oldest_question_is_answered_in_three_keys_from_anywhere() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let places = ["a text field", "Inbox", "History", "New session", "Fold side"];
    for n in 0..places.len() {
        let scenario = app.scenario(&format!("asks-{n}"), asks(&format!("Question {n}?")));
        let session = app.start_demo(&scenario, &format!("Session {n}")).await;
        app.in_state(&session, "needs_you").await;
    }
    let last = app.show_demo(&app.scenario("asks-last", asks("The last one?")), "Last").await;
    for (n, place) in places.into_iter().enumerate() {
        app.select(&last).await;
        app.find(OPEN_CARD).await;
        if place == "a text field" {
            app.find("[data-composer]").await.send_keys("half a thought").await.unwrap();
        } else {
            app.click("button", place).await;
        }
        let question = format!("Question {n}?");
        app.key("Ctrl+j").await;
        let focused = "return document.activeElement.closest('aside [data-card]')?.textContent.includes(arguments[0]) ?? false";
        app.wait("the focus in the card", async || {
            (app.script(focused, vec![json!(question)]).await == true).then_some(())
        })
        .await;
        app.key("1").await;
        app.key("Enter").await;
        let responses = app.wait_for_responses(n + 1).await;
        assert_eq!(responses[n]["updatedInput"]["answers"], json!({ question: "Yes" }), "from {place}");
    }
    app.select(&last).await;
    let written = app.find("[data-composer]").await.prop("value").await.unwrap();
    assert_eq!(written.as_deref(), Some("half a thought"), "no key was typed into the field");
    assert_eq!(app.responses().len(), places.len());
}

#[tokio::test]
async fn a_busy_session_ends_only_after_its_row_has_asked() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let session = app.show_demo(&app.scenario("works", json!([[{ "sleep_ms": 300_000 }]])), "shop-api").await;
    app.in_state(&session, "working").await;
    app.click("button", "Actions for shop-api").await;
    app.click("menuitem", "End session").await;
    app.shows_text("dialog[open]", "The agent is working and will stop immediately.").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.click("button", "Keep running").await;
    app.gone("dialog[open]").await;
    app.in_state(&session, "working").await;
    let focused = "return document.activeElement.getAttribute('aria-label')";
    assert_eq!(app.script(focused, vec![]).await, "Actions for shop-api", "the focus is back");
    app.click("button", "Session menu").await;
    app.click("menuitem", "End session").await;
    let end = app.by_role_in("dialog[open]", "button", "End session").await;
    app.press(&end).await;
    app.in_state(&session, "ended").await;
}

#[tokio::test]
async fn a_narrow_window_has_a_rail_that_opens_the_whole_list() {
    let (app, asker) = Setup::default().open_asked("technology").await;
    let other = app.show_idle_session().await;
    app.resize(720, 820).await;
    let width = "return document.querySelector('nav').getBoundingClientRect().width";
    app.wait("the rail", async || (app.script(width, vec![]).await.as_f64()? < 60.0).then_some(())).await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.select(&asker).await;
    app.find(OPEN_CARD).await;
    let order = "const [transcript, panel, composer] = ['[data-transcript]', 'aside', '[data-composer]']
            .map(css => document.querySelector(css).getBoundingClientRect());
        return transcript.bottom <= panel.top + 1 && panel.bottom <= composer.top + 1;";
    assert_eq!(
        app.script(order, vec![]).await,
        true,
        "the panel is between the transcript and the message field"
    );
    app.click("button", "Show sessions").await;
    let row = app.find(&format!("dialog[open] [data-session='{other}']")).await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.press(&row).await;
    app.gone("dialog[open]").await;
    app.find(&format!("[data-session-view='{other}']")).await;
}

#[tokio::test]
async fn at_twice_the_text_size_the_question_comes_first() {
    let data = tempfile::tempdir().unwrap();
    std::fs::write(data.path().join("settings.toml"), "[appearance]\ntext_size = 200\n").unwrap();
    let (app, _) = Setup::default().data(data.path()).open_asked("technology").await;
    app.resize(1280, 820).await;
    app.wait("the question in view", async || {
        let view = "const { top, bottom } = document.querySelector('aside legend').getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight";
        (app.script(view, vec![]).await == true).then_some(())
    })
    .await;
    assert_eq!(app.cut("nav").await, Vec::<String>::new());
}
