//! The search in the transcript, at every pace.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;

use crate::desktop::{WINDOW, activate, xdotool};
use crate::harness::App;
use crate::hurried::PACES;

#[tokio::test]
async fn case_147_each_match_of_a_message_is_visited_and_a_phrase_is_found_as_typed() {
    let app = App::open().await;
    let lines: Vec<String> = (1..=60).map(|n| format!("Paragraph {n} is about a kettle.")).collect();
    let turn = json!([{ "say": { "text": lines.join("\n\n") } }, { "say": { "text": "A paragraph with 7 words." } }]);
    let session = app.show_demo(&app.scenario("kettles", json!([turn])), "Kettles").await;
    app.in_state(&session, "idle").await;
    activate(WINDOW);
    for pace in PACES {
        xdotool(&["key", "ctrl+f"]);
        app.find("[data-find] input").await;
        xdotool(&["type", "--delay", "0", "kettle"]);
        app.shows_text("[data-find]", "1 of 60").await;
        let marked =
            "return CSS.highlights.get('found-here')?.size === 1 && CSS.highlights.get('found')?.size > 1";
        app.wait("the marks", async || (app.script(marked, vec![]).await == true).then_some(())).await;
        for key in ["Return", "Return", "shift+Return"] {
            xdotool(&["key", key]);
            sleep(Duration::from_millis(pace)).await;
        }
        app.shows_text("[data-find]", "2 of 60").await;
        xdotool(&["key", "Escape"]);
        app.gone("[data-find]").await;
    }
    xdotool(&["key", "ctrl+f"]);
    app.find("[data-find] input").await;
    xdotool(&["type", "--delay", "0", "paragraph 7"]);
    app.shows_text("[data-find]", "1 of 1").await;
    app.close().await;
}
