//! The keyboard of the panel, pressed in the real window and counted.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::demo::{asked, check_answers};
use crate::harness::{App, Setup};

const CARD: &str = "aside [data-request][data-state=open]";
const HELD: &str = "aside [data-held]";

/// More than the time in which a quick answer can be taken back.
const UNDO_AND_MORE: Duration = Duration::from_millis(4_500);

/// Presses keys and counts them.
struct Keys<'a> {
    app: &'a App,
    pressed: Cell<usize>,
}

impl<'a> Keys<'a> {
    /// Puts the focus on the question, as a click on its text does, and counts from there.
    async fn at_question(app: &'a App) -> Self {
        let text = app.find(&format!("{CARD} legend .text")).await;
        app.press(&text).await;
        Self { app, pressed: Cell::new(0) }
    }

    async fn press(&self, keys: &[&str]) {
        for key in keys {
            self.app.key(key).await;
            self.pressed.set(self.pressed.get() + 1);
        }
    }
}

async fn focused(app: &App, what: &str) -> Value {
    app.script(&format!("return document.activeElement{what}"), vec![]).await
}

/// What is chosen in the question that is shown.
async fn chosen(app: &App) -> Value {
    app.script(
        "return [...document.querySelectorAll('aside fieldset input:checked')].map(i => i.value)",
        vec![],
    )
    .await
}

/// Writes a scene of the demo agent into a folder and opens a desk that plays it.
async fn playing(turns: Value) -> (tempfile::TempDir, App, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.json");
    let scene =
        json!({ "name": "scene", "title": "A scene", "description": "For one test.", "turns": turns });
    std::fs::write(&file, scene.to_string()).unwrap();
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let session = app.start_demo(file.to_str().unwrap(), "Notes").await;
    app.select(&session).await;
    (folder, app, session)
}

fn single(text: &str) -> Value {
    let options =
        json!([{ "label": "Yes", "description": "Do it" }, { "label": "No", "description": "Leave it" }]);
    json!({ "question": text, "header": text, "multiSelect": false, "options": options })
}

fn without_quick_answer(data: &Path) {
    std::fs::write(data.join("settings.toml"), "[questions]\nquick_answer = \"off\"\n").unwrap();
}

#[tokio::test]
async fn cost_a_lone_question_takes_one_key() {
    let app = asked("technology").await;
    let keys = Keys::at_question(&app).await;
    keys.press(&["2"]).await;
    app.shows_text(HELD, "Sending in").await;
    assert!(app.responses().is_empty(), "it can still be taken back");
    check_answers(&app, json!({ "Which store should the notes be kept in?": "PostgreSQL" })).await;
    assert_eq!(keys.pressed.get(), 1);
    app.close().await;
}

#[tokio::test]
async fn cost_without_quick_answer_it_takes_a_digit_and_enter() {
    let data = tempfile::tempdir().unwrap();
    without_quick_answer(data.path());
    let app = Setup::default().data(data.path()).open().await;
    let session = app.start_demo("technology", "Notes").await;
    app.select(&session).await;
    let keys = Keys::at_question(&app).await;
    keys.press(&["2"]).await;
    assert_eq!(chosen(&app).await, json!(["q1o2"]));
    assert!(!app.shows(HELD).await);
    keys.press(&["Enter"]).await;
    check_answers(&app, json!({ "Which store should the notes be kept in?": "PostgreSQL" })).await;
    assert_eq!(keys.pressed.get(), 2);
    app.close().await;
}

#[tokio::test]
async fn cost_four_questions_take_four_digits_and_enter() {
    let questions: Vec<_> = ["One?", "Two?", "Three?", "Four?"].into_iter().map(single).collect();
    let (_folder, app, _) = playing(json!([[{ "ask": { "questions": questions } }]])).await;
    let keys = Keys::at_question(&app).await;
    keys.press(&["1", "2", "1", "2"]).await;
    app.find("aside [data-summary]").await;
    assert!(app.responses().is_empty(), "case 13: nothing is sent by the last answer");
    keys.press(&["Enter"]).await;
    check_answers(&app, json!({ "One?": "Yes", "Two?": "No", "Three?": "Yes", "Four?": "No" })).await;
    assert_eq!(keys.pressed.get(), 5);
    app.close().await;
}

#[tokio::test]
async fn case_52_u_in_time_sends_nothing_and_unmakes_the_choice() {
    let app = asked("technology").await;
    let keys = Keys::at_question(&app).await;
    keys.press(&["2"]).await;
    app.find(HELD).await;
    assert_eq!(chosen(&app).await, json!(["q1o2"]));
    assert_eq!(app.axe().await, Vec::<String>::new());
    keys.press(&["u"]).await;
    app.gone(HELD).await;
    assert_eq!(chosen(&app).await, json!([]));
    tokio::time::sleep(UNDO_AND_MORE).await;
    assert!(app.responses().is_empty());
    app.find(CARD).await;
    // The question is as it was: the same key answers it.
    keys.press(&["3"]).await;
    check_answers(&app, json!({ "Which store should the notes be kept in?": "Plain files" })).await;
    app.close().await;
}

#[tokio::test]
async fn case_13_enter_sends_at_once_what_is_held_and_only_once() {
    let app = asked("technology").await;
    let keys = Keys::at_question(&app).await;
    keys.press(&["1", "Enter"]).await;
    let question = "Which store should the notes be kept in?";
    check_answers(&app, json!({ question: "SQLite (Recommended)" })).await;
    tokio::time::sleep(UNDO_AND_MORE).await;
    assert_eq!(app.responses().len(), 1);
    app.close().await;
}

#[tokio::test]
async fn a_page_loaded_again_in_the_moment_shows_what_is_held_and_it_goes_once() {
    let app = asked("technology").await;
    app.invoke("change_setting", json!({ "change": { "setting": "undo_seconds", "value": 10 } }))
        .await
        .unwrap();
    let keys = Keys::at_question(&app).await;
    keys.press(&["3"]).await;
    app.find(HELD).await;
    app.client.refresh().await.unwrap();
    app.shows_text(HELD, "Sending in").await;
    assert_eq!(chosen(&app).await, json!(["q1o3"]));
    assert!(app.responses().is_empty());
    check_answers(&app, json!({ "Which store should the notes be kept in?": "Plain files" })).await;
    app.close().await;
}

#[tokio::test]
async fn an_app_that_dies_in_the_moment_has_sent_nothing_and_the_question_is_missed() {
    let data = tempfile::tempdir().unwrap();
    let app = Setup::default().data(data.path()).open().await;
    app.invoke("change_setting", json!({ "change": { "setting": "undo_seconds", "value": 30 } }))
        .await
        .unwrap();
    let session = app.start_demo("technology", "Notes").await;
    app.select(&session).await;
    let keys = Keys::at_question(&app).await;
    keys.press(&["2"]).await;
    app.find(HELD).await;
    assert!(app.responses().is_empty());
    drop(app);
    let app = Setup::default().data(data.path()).open().await;
    app.shows_text("aside details[data-missed]", "Askdesk was closed").await;
    assert!(!app.shows(HELD).await);
    app.close().await;
}

#[tokio::test]
async fn case_12_a_look_back_by_keys_stays() {
    let questions: Vec<_> = ["One?", "Two?", "Three?"].into_iter().map(single).collect();
    let (_folder, app, _) = playing(json!([[{ "ask": { "questions": questions } }]])).await;
    let keys = Keys::at_question(&app).await;
    keys.press(&["1"]).await;
    app.find("aside [data-question=q2]").await;
    keys.press(&["Alt+Left"]).await;
    app.find("aside fieldset[data-question=q1]").await;
    assert_eq!(chosen(&app).await, json!(["q1o1"]));
    keys.press(&["2"]).await;
    assert_eq!(chosen(&app).await, json!(["q1o2"]));
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(app.shows("aside fieldset[data-question=q1]").await, "it does not jump away");
    keys.press(&["Alt+Right", "Alt+Right", "Alt+Right"]).await;
    app.shows_text("aside [data-summary]", "Not answered").await;
    keys.press(&["Ctrl+Enter"]).await;
    app.shows_text("aside [role=alert]", "Not answered: Two? and Three?").await;
    assert!(app.responses().is_empty());
    keys.press(&["Ctrl+Enter"]).await;
    let responses = app.wait_for_responses(1).await;
    assert_eq!(responses[0]["updatedInput"]["answers"]["One?"], "No");
    app.close().await;
}

#[tokio::test]
async fn case_15_enter_in_other_goes_on_and_shift_enter_adds_a_line() {
    let app = asked("package-manager").await;
    let keys = Keys::at_question(&app).await;
    keys.press(&["4", "B", "u", "n", "Shift+Enter", "1", "Enter"]).await;
    let question = "Which package manager does this project use?";
    check_answers(&app, json!({ question: "Bun\n1" })).await;
    app.close().await;
}

#[tokio::test]
async fn case_16_esc_never_loses_text_and_never_ends_a_question() {
    let app = asked("package-manager").await;
    let keys = Keys::at_question(&app).await;
    keys.press(&["4", "B", "u", "n", "Esc"]).await;
    assert!(focused(&app, ".matches('[data-card]')").await.as_bool().unwrap());
    keys.press(&["Esc"]).await;
    app.find("aside.strip").await;
    keys.press(&["Esc", "Space"]).await;
    let words = app.by_role("textbox", "Your own words").await;
    assert_eq!(words.prop("value").await.unwrap().unwrap(), "Bun");
    app.find(CARD).await;
    assert!(app.responses().is_empty());
    app.close().await;
}

#[tokio::test]
async fn case_17_keys_for_another_field_stay_there_when_a_question_arrives() {
    let turns = json!([[{ "say": { "text": "Hello." } }],
        [{ "sleep_ms": 1500 }, { "ask": { "questions": [single("Really?")] } }]]);
    let (_folder, app, session) = playing(turns).await;
    app.find(&format!("nav [data-session='{session}'][data-state=idle]")).await;
    let composer = app.find("[data-composer]").await;
    app.press(&composer).await;
    for key in ["g", "o", "Enter"] {
        app.key(key).await;
    }
    let written = async || composer.prop("value").await.unwrap().unwrap();
    app.wait("the message to go", async || written().await.is_empty().then_some(())).await;
    for key in ["1", "2"] {
        app.key(key).await;
    }
    app.find(CARD).await;
    for key in ["1", "n", "u", "/", "2"] {
        app.key(key).await;
    }
    assert!(focused(&app, ".matches('[data-composer]')").await.as_bool().unwrap());
    assert_eq!(written().await, "121nu/2");
    assert_eq!(chosen(&app).await, json!([]));
    assert!(!app.shows(HELD).await);
    app.close().await;
}

#[tokio::test]
async fn case_18_arrows_move_and_never_send_and_digits_choose() {
    let app = asked("authentication").await;
    let keys = Keys::at_question(&app).await;
    keys.press(&["Down"]).await;
    assert_eq!(focused(&app, ".type").await, "radio");
    assert_eq!(chosen(&app).await, json!([]), "the way in chooses nothing");
    keys.press(&["Down", "Down"]).await;
    assert_eq!(chosen(&app).await, json!(["q1o3"]));
    assert!(app.shows("aside fieldset[data-question=q1]").await, "moving does not go on");
    let roles = "return [...document.querySelectorAll('aside fieldset')].map(f => [f.tagName, !!f.querySelector('legend')])";
    assert_eq!(app.script(roles, vec![]).await, json!([["FIELDSET", true]]));
    keys.press(&["Enter"]).await;
    app.find("aside fieldset[data-question=q2]").await;
    keys.press(&["2"]).await;
    app.find("aside [data-summary]").await;
    assert!(app.responses().is_empty());
    app.close().await;
}

#[tokio::test]
async fn ticks_are_made_by_digits_arrows_and_space() {
    let app = asked("features").await;
    let keys = Keys::at_question(&app).await;
    keys.press(&["1", "Down", "Down", "Space", "Enter"]).await;
    assert!(focused(&app, ".matches('[data-submit]')").await.as_bool().unwrap());
    assert_eq!(chosen(&app).await, json!(["q1o1", "q1o3"]));
    assert!(app.responses().is_empty());
    keys.press(&["Enter"]).await;
    let responses = app.wait_for_responses(1).await;
    assert_eq!(responses[0]["behavior"], "allow");
    app.close().await;
}

#[tokio::test]
async fn no_key_of_the_panel_decides_a_permission() {
    let app = App::open().await;
    let session = app.start_demo("approval", "Build").await;
    app.select(&session).await;
    let title = app.find("aside [data-approval] h3").await;
    app.press(&title).await;
    for key in ["1", "2", "n", "u", "Enter", "Ctrl+Enter", "Alt+Right", "Space"] {
        app.key(key).await;
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(app.responses().is_empty());
    app.find("aside [data-approval]").await;
    app.close().await;
}

#[tokio::test]
async fn a_question_mark_shows_the_keys_and_slash_goes_to_the_composer() {
    let app = Setup::default().pictured().open().await;
    let session = app.start_demo("technology", "Notes").await;
    app.select(&session).await;
    let keys = Keys::at_question(&app).await;
    keys.press(&["Down"]).await;
    app.shows_text("aside .hints", "choose, go on").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("keys-footer").await;
    keys.press(&["Shift+?"]).await;
    app.shows_text("dialog[open]", "The next question that waits").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("keys").await;
    keys.press(&["Esc"]).await;
    app.gone("dialog[open]").await;
    assert_eq!(focused(&app, ".type").await, "radio", "the focus is where it was");
    keys.press(&["2"]).await;
    app.find(HELD).await;
    app.picture("quick-answer").await;
    keys.press(&["u", "/"]).await;
    assert!(focused(&app, ".matches('[data-composer]')").await.as_bool().unwrap());
    assert!(app.responses().is_empty());
    app.close().await;
}
