//! What is typed finds what it means, whatever its letters look like.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::desktop::{WINDOW, activate, copy, xdotool};
use crate::harness::{App, DELIVERED, Setup};
use crate::hurried::PACES;

fn asks(question: &str, labels: &[&str]) -> Value {
    let options: Vec<Value> =
        labels.iter().map(|label| json!({ "label": label, "description": "" })).collect();
    let question =
        json!({ "question": question, "header": "Pick", "multiSelect": false, "options": options });
    json!([[{ "ask": { "questions": [question] } }]])
}

#[tokio::test]
async fn case_119_an_accent_is_found_without_it_and_a_chinese_word_inside_its_sentence() {
    let app = App::open().await;
    let places: Vec<String> = (1..=39).map(|n| format!("Place {n}")).collect();
    let mut labels: Vec<&str> = places.iter().map(String::as_str).collect();
    labels.insert(20, "Cafe\u{301} Central");
    app.show_demo(&app.scenario("places", asks("请修改数据库连接?", &labels)), "Places").await;
    app.press(&app.by_role("searchbox", "Filter options").await).await;
    for key in ["C", "A", "F", "E"] {
        app.key(key).await;
    }
    app.shows_text("aside .options", "1 of 40").await;
    app.shows_text("aside .options mark", "Cafe\u{301}").await;
    app.picture("filter-accent").await;
    for key in ["Down", "Space"] {
        app.key(key).await;
    }
    app.click("button", "Submit").await;
    app.find(DELIVERED).await;
    assert_eq!(
        app.wait_for_responses(1).await[0]["updatedInput"]["answers"],
        json!({ "请修改数据库连接?": "Cafe\u{301} Central" })
    );

    app.click("button", "History").await;
    app.press(&app.by_role_in("main nav", "button", "Transcripts").await).await;
    app.press(&app.find("#history-search").await).await;
    for (asked, found) in [("数据库", "数据库"), ("连接", "连接"), ("cafe central", "Caf\u{e9}")] {
        copy("UTF8_STRING", asked.as_bytes());
        activate(WINDOW);
        xdotool(&["key", "ctrl+a", "ctrl+v"]);
        app.shows_text("main .hit mark", found).await;
    }
    app.picture("search-inside").await;
    copy("UTF8_STRING", "库数据".as_bytes());
    xdotool(&["key", "ctrl+a", "ctrl+v"]);
    app.gone("main .hit").await;
}

#[tokio::test]
async fn case_120_the_agents_own_other_in_chinese_is_the_one_row_with_a_field() {
    let app = App::open().await;
    app.show_demo(&app.scenario("other", asks("用哪个?", &["甲", "乙", "其他（请说明）"])), "Other").await;
    app.by_role("radio", "Other").await;
    assert_eq!(app.count("aside [data-option] > input").await, 3, "two options and one Other");
    app.key("Ctrl+j").await;
    app.key("3").await;
    app.picture("own-other").await;
    // The field has the focus and is empty, so the bare choice can't be sent.
    app.key("Ctrl+Enter").await;
    app.find("aside [role=alert]").await;
    assert_eq!(app.responses().len(), 0);
    app.write("Your own answer", "丙").await;
    app.key("Ctrl+Enter").await;
    app.check_answers(json!({ "用哪个?": "丙" })).await;
}

/// What is marked in the transcript, with the entry that is shown apart.
async fn marked(app: &App) -> Value {
    let script = "const words = (name) => [...(CSS.highlights.get(name) ?? [])].map(String);
        return { all: words('found'), here: words('found-here') }";
    app.script(script, vec![]).await
}

#[tokio::test]
async fn words_are_found_and_marked_in_the_transcript() {
    let app = Setup::default().pictured().open().await;
    let lines: Vec<Value> = ["The tour begins.", "Two more stops.", "The Töur ends."]
        .iter()
        .map(|text| json!({ "say": { "text": text } }))
        .collect();
    let session = app.show_demo(&app.scenario("tour", json!([lines])), "Tour").await;
    app.in_state(&session, "idle").await;
    app.key("Ctrl+f").await;
    app.find("[data-find] input").await;
    activate(WINDOW);
    xdotool(&["type", "--delay", "60", "tour"]);
    app.shows_text("[data-find]", "1 of 2").await;
    let words = json!({ "all": ["tour"], "here": ["Töur"] });
    app.wait("the marks", async || (marked(&app).await == words).then_some(())).await;
    app.picture("find").await;
    app.key("Enter").await;
    app.shows_text("[data-find]", "2 of 2").await;
    let words = json!({ "all": ["Töur"], "here": ["tour"] });
    app.wait("the marks", async || (marked(&app).await == words).then_some(())).await;
    assert_eq!(app.count(".latest").await, 0, "the end is still followed");
    app.key("Esc").await;
    app.gone("[data-find]").await;
    assert_eq!(marked(&app).await, json!({ "all": [], "here": [] }));
}

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
