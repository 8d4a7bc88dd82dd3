//! The layout of a question's card, and a secret that is typed into it.

use serde_json::json;

use crate::desktop::holders;
use crate::harness::{App, DELIVERED};

const SECRET: &str = "hunter2-lighthouse-9f3a";

/// Returns whether the middle of an element can be clicked.
async fn is_reachable(app: &App, role: &str, name: &str) -> bool {
    let element = serde_json::to_value(app.by_role(role, name).await).unwrap();
    let script = "const box = arguments[0].getBoundingClientRect();
        const x = box.x + box.width / 2, y = box.y + box.height / 2;
        return arguments[0].contains(document.elementFromPoint(x, y));";
    app.script(script, vec![element]).await == json!(true)
}

#[tokio::test]
async fn case_19_submit_stays_reachable_however_tall_the_options_are() {
    let app = App::open_asked("tall").await;
    for (width, height) in [(1280, 820), (1000, 560), (800, 820), (640, 480), (360, 640)] {
        app.resize(width, height).await;
        for place in ["0", "panel.scrollHeight / 2", "panel.scrollHeight"] {
            let scroll = format!(
                "const panel = document.querySelector('aside .card .content'); panel.scrollTop = {place};
                 return panel.scrollHeight > panel.clientHeight"
            );
            assert_eq!(app.script(&scroll, vec![]).await, json!(true), "it is taller at {width} × {height}");
            assert!(is_reachable(&app, "button", "Submit").await, "Submit at {width} × {height}, {place}");
        }
        let transcript = "const [main, panel] = ['main', 'aside'].map(css => document.querySelector(css).getBoundingClientRect());
            return panel.left >= main.right - 1 ? main.height : main.height - panel.height";
        let transcript = app.script(transcript, vec![]).await.as_f64().unwrap();
        assert!(transcript > 100.0, "the transcript has {transcript} px at {width} × {height}");
        assert_eq!(app.cut("aside").await, Vec::<String>::new(), "at {width} × {height}");
        app.press(&app.by_role("radio", "Store 12").await).await;
        app.shows_text("aside [data-option]:has(> input:checked)", "Store 12").await;
    }
    app.click("button", "Submit").await;
    let responses = app.wait_for_responses(1).await;
    let answers = responses[0]["updatedInput"]["answers"].as_object().unwrap();
    assert_eq!(answers.values().collect::<Vec<_>>(), ["Store 12"]);
}

#[tokio::test]
async fn the_preview_and_the_note_are_never_under_the_footer() {
    let app = App::open_asked("tall").await;
    let uncovered = async |css: &str| {
        let element = serde_json::to_value(app.find(css).await).unwrap();
        let script = "const [element] = arguments;
            element.scrollIntoView({ block: 'nearest' });
            const { x, top, bottom, width } = element.getBoundingClientRect();
            return [top + 2, bottom - 2].map((y) => element.contains(document.elementFromPoint(x + width / 2, y)))";
        app.script(script, vec![element]).await
    };
    let place = "const options = document.querySelector('aside .options').getBoundingClientRect();
        const preview = document.querySelector('aside .preview').getBoundingClientRect();
        return preview.left >= options.right ? 'beside' : preview.bottom <= options.top ? 'above' : 'over';";
    for (width, height, expected) in [(1280, 820, "above"), (720, 900, "beside")] {
        app.resize(width, height).await;
        app.wait("the preview at its place", async || {
            (app.script(place, vec![]).await == expected).then_some(())
        })
        .await;
        app.click("radio", "Store 1").await;
        assert_eq!(
            uncovered("aside .preview pre").await,
            json!([true, true]),
            "preview at {width} × {height}"
        );
        app.key("n").await;
        let note = "aside [data-note] textarea";
        app.find(note).await;
        assert_eq!(uncovered(note).await, json!([true, true]), "note at {width} × {height}");
    }
}

#[tokio::test]
async fn case_61_a_secret_is_masked_and_never_stored() {
    let app = App::open_asked("kinds").await;
    let holds_none = |when: &str| {
        assert_eq!(holders(app.home(), SECRET), Vec::<String>::new(), "{when}");
    };
    app.write("Your own answer", "Lighthouse").await;
    app.press(&app.find("aside [data-step=q3]").await).await;
    let field = app.find("aside input[type=password]").await;
    field.send_keys(SECRET).await.unwrap();
    app.shows_text("aside", "Sent only to the agent.").await;
    // A draft is saved as a whole, so a later text is on disk after the secret.
    app.press(&app.find("aside [data-step=q1]").await).await;
    app.write("Your own answer", " keeper").await;
    app.wait("the draft", async || {
        let drafts = app.invoke("read_drafts", json!({})).await.unwrap();
        drafts.to_string().contains("Lighthouse keeper").then_some(())
    })
    .await;
    holds_none("while it is typed");

    app.press(&app.find("aside [data-step=summary]").await).await;
    app.shows_text("aside [data-summary]", "Secret provided").await;
    app.click("button", "Submit").await;
    app.shows_text("aside [role=alert]", "Not answered:").await;
    app.click("button", "Submit").await;
    let responses = app.wait_for_responses(1).await;
    assert_eq!(responses[0]["updatedInput"]["answers"]["Which token may I use?"], SECRET);
    app.find(DELIVERED).await;
    app.shows_text("main [data-request]", "Secret provided").await;
    app.shows_text("main", "Turn finished").await;
    holds_none("after it was given");
    let page = app.script("return document.documentElement.outerHTML", vec![]).await;
    assert!(!page.as_str().unwrap().contains(SECRET), "the page shows it");
}
