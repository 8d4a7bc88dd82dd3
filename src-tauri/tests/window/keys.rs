//! The panel's keys, pressed in the real window.

use serde_json::{Value, json};

use crate::completion::{composed, type_keys};
use crate::desktop::{WINDOW, activate, xdotool};
use crate::harness::{App, OPEN_CARD, Setup};

const HELD: &str = "aside [data-held]";

async fn press(app: &App, keys: &[&str]) {
    for key in keys {
        app.key(key).await;
    }
}

/// Focuses the question, as a click on its text does.
async fn focus_question(app: &App) {
    let text = app.find(&format!("{OPEN_CARD} legend .text")).await;
    app.press(&text).await;
}

async fn open_at_question(example: &str) -> App {
    let app = App::open_asked(example).await;
    focus_question(&app).await;
    app
}

async fn focused(app: &App, what: &str) -> Value {
    app.script(&format!("return document.activeElement{what}"), vec![]).await
}

/// Returns the chosen options of the question that is shown.
async fn chosen(app: &App) -> Value {
    let script = "return [...document.querySelectorAll('aside fieldset input:checked')].map(i => i.value)";
    app.script(script, vec![]).await
}

fn yes_or_no(text: &str) -> Value {
    let options =
        json!([{ "label": "Yes", "description": "Do it" }, { "label": "No", "description": "Leave it" }]);
    json!({ "question": text, "header": text, "multiSelect": false, "options": options })
}

#[tokio::test]
async fn case_52_u_in_time_sends_nothing_and_clears_the_choice() {
    let app = open_at_question("technology").await;
    press(&app, &["2"]).await;
    app.shows_text(HELD, "sends in").await;
    assert_eq!(chosen(&app).await, json!(["q1o2"]));
    press(&app, &["u"]).await;
    app.gone(HELD).await;
    assert_eq!(chosen(&app).await, json!([]));
    assert!(app.responses().is_empty());
    app.find(OPEN_CARD).await;
    // An answer that was not taken back would be sent before this one, which can be undone for as long.
    press(&app, &["3"]).await;
    app.shows_text(HELD, "sends in").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.check_answers(json!({ "Which store should the notes be kept in?": "Plain files" })).await;
}

#[tokio::test]
async fn case_13_enter_sends_a_held_answer_at_once_and_only_once() {
    let app = open_at_question("technology").await;
    press(&app, &["1", "Enter"]).await;
    let question = "Which store should the notes be kept in?";
    app.check_answers(json!({ question: "SQLite (Recommended)" })).await;
    // This answer is held for as long and begins later, so the first one would be sent again before it.
    app.show_demo("technology", "Later").await;
    app.find(OPEN_CARD).await;
    focus_question(&app).await;
    press(&app, &["2"]).await;
    let responses = app.wait_for_responses(2).await;
    assert_eq!(responses[1]["updatedInput"]["answers"], json!({ question: "PostgreSQL" }));
    assert_eq!(responses.len(), 2);
}

#[tokio::test]
async fn case_15_enter_in_other_goes_on_and_shift_enter_adds_a_line() {
    let app = open_at_question("package-manager").await;
    press(&app, &["4", "B", "u", "n", "Shift+Enter", "1", "Enter"]).await;
    app.check_answers(json!({ "Which package manager does this project use?": "Bun\n1" })).await;
    app.shows_text("main", "Packages: Bun").await;
}

#[tokio::test]
async fn case_16_esc_loses_no_text_and_ends_no_question() {
    let app = open_at_question("package-manager").await;
    press(&app, &["4", "B", "u", "n", "Esc"]).await;
    assert_eq!(focused(&app, ".matches('[data-card]')").await, true);
    press(&app, &["Esc"]).await;
    app.find("aside.strip").await;
    press(&app, &["Esc", "Space"]).await;
    let words = app.by_role("textbox", "Your own answer").await;
    assert_eq!(words.prop("value").await.unwrap().unwrap(), "Bun");
    app.find(OPEN_CARD).await;
    assert!(app.responses().is_empty());
}

#[tokio::test]
async fn case_17_keys_stay_in_their_field_when_a_question_arrives() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let turns = json!([[{ "say": { "text": "Hello." } }],
        [{ "sleep_ms": 1500 }, { "ask": { "questions": [yes_or_no("Really?")] } }]]);
    let session = app.show_demo(&app.scenario("asks-later", turns), "Notes").await;
    app.in_state(&session, "idle").await;
    let composer = app.find("[data-composer]").await;
    app.press(&composer).await;
    press(&app, &["g", "o", "Enter"]).await;
    let written = async || composer.prop("value").await.unwrap().unwrap();
    app.wait("the message to go", async || written().await.is_empty().then_some(())).await;
    press(&app, &["1", "2"]).await;
    app.find(OPEN_CARD).await;
    press(&app, &["1", "n", "u", "/", "2"]).await;
    assert_eq!(focused(&app, ".matches('[data-composer]')").await, true);
    assert_eq!(written().await, "121nu/2");
    assert_eq!(chosen(&app).await, json!([]));
    assert!(!app.shows(HELD).await);
}

#[tokio::test]
async fn case_18_arrows_move_and_never_send_and_digits_choose() {
    let app = open_at_question("authentication").await;
    press(&app, &["Down"]).await;
    assert_eq!(focused(&app, ".type").await, "radio");
    assert_eq!(chosen(&app).await, json!([]), "entering the group chooses nothing");
    press(&app, &["Down", "Down"]).await;
    assert_eq!(chosen(&app).await, json!(["q1o3"]));
    assert!(app.shows("aside fieldset[data-question=q1]").await, "moving does not go on");
    let roles = "return [...document.querySelectorAll('aside fieldset')].map(f => [f.tagName, !!f.querySelector('legend')])";
    assert_eq!(app.script(roles, vec![]).await, json!([["FIELDSET", true]]));
    press(&app, &["Enter"]).await;
    app.find("aside fieldset[data-question=q2]").await;
    press(&app, &["2"]).await;
    app.find("aside [data-summary]").await;
    assert!(app.responses().is_empty());

    // Several choices: Space ticks the option that has the focus.
    app.show_demo("features", "Features").await;
    app.by_role("checkbox", "Sync").await;
    focus_question(&app).await;
    press(&app, &["1", "Down", "Down", "Space", "Enter"]).await;
    assert_eq!(focused(&app, ".matches('[data-submit]')").await, true);
    assert_eq!(chosen(&app).await, json!(["q1o1", "q1o3"]));
    assert!(app.responses().is_empty());
    press(&app, &["Enter"]).await;
    assert_eq!(app.wait_for_responses(1).await[0]["behavior"], "allow");
}

#[tokio::test]
async fn a_question_mark_shows_the_keys_and_a_slash_focuses_the_composer() {
    let app = Setup::default().pictured().open_asked("technology").await.0;
    focus_question(&app).await;
    press(&app, &["Down"]).await;
    app.shows_text("aside .hints", "choose and submit").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("keys-footer").await;
    press(&app, &["Shift+?"]).await;
    app.shows_text("dialog[open]", "Next waiting question, in any session").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("keys").await;
    press(&app, &["Esc"]).await;
    app.gone("dialog[open]").await;
    assert_eq!(focused(&app, ".type").await, "radio", "the focus is back");
    press(&app, &["2"]).await;
    app.find(HELD).await;
    app.picture("quick-answer").await;
    press(&app, &["u", "/"]).await;
    assert_eq!(focused(&app, ".matches('[data-composer]')").await, true);
    assert!(app.responses().is_empty());
}

/// Records the keys that the page receives, and whether their card acted on keys at that moment.
const RECORD_KEYS: &str = "window.keysSeen = [];
    addEventListener('keydown', ({ key, target }) =>
        window.keysSeen.push([key, target.closest('[data-card]')?.dataset.armed]), true)";

/// Waits until the focus is in another card, and returns at once.
const FOCUS_MOVES_ON: &str = "const [before, done] = arguments;
    const look = () => {
        const card = document.activeElement.closest('[data-card]');
        if (card && card.dataset.card !== before) done(true);
        else setTimeout(look, 5);
    };
    look()";

/// How many questions `open_at_waiting_questions` opens: on a slow machine, a key can come too late for some of them.
const WAITING: usize = 8;

/// Opens a session with several requests of one question each, without quick answers.
async fn open_at_waiting_questions() -> App {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    app.change_setting("quick_answer", "off").await;
    let asks: Vec<_> =
        (1..=WAITING).map(|n| json!({ "questions": [yes_or_no(&format!("Number {n}?"))] })).collect();
    app.show_demo(&app.scenario("waiting", json!([[{ "ask_together": asks }]])), "Notes").await;
    app.wait("all questions", async || {
        (app.count("aside .requests button").await == WAITING as u64).then_some(())
    })
    .await;
    app.script(RECORD_KEYS, vec![]).await;
    focus_question(&app).await;
    app
}

/// Answers the question with the focus, and returns as soon as the next one has the focus.
async fn answer_and_go_on(app: &App) {
    let card = focused(app, ".closest('[data-card]').dataset.card").await;
    press(app, &["1", "Enter"]).await;
    app.client.execute_async(FOCUS_MOVES_ON, vec![card]).await.unwrap();
}

/// Returns whether these were the last keys, and all came before their card acted on keys.
async fn came_early(app: &App, keys: &[&str]) -> bool {
    let script = format!("return window.keysSeen.slice(-{})", keys.len());
    let early: Vec<_> = keys.iter().map(|key| json!([key, "false"])).collect();
    app.script(&script, vec![]).await == json!(early)
}

fn last_answers(responses: &[Value]) -> &Value {
    &responses.last().unwrap()["updatedInput"]["answers"]
}

#[tokio::test]
async fn case_79_keys_do_nothing_for_500_ms_after_a_card_arrives_and_typed_text_stays() {
    let app = open_at_waiting_questions().await;
    let field = "aside [data-card] textarea";
    for _ in 0..WAITING / 2 {
        answer_and_go_on(&app).await;
        let answered = app.responses().len();
        app.script(&format!("document.querySelector('{field}').focus()"), vec![]).await;
        app.key_now("a").await;
        app.key_now("Enter").await;
        if came_early(&app, &["a", "Enter"]).await {
            app.armed().await;
            assert_eq!(app.responses().len(), answered, "nothing was sent");
            assert_eq!(app.find(field).await.prop("value").await.unwrap().unwrap(), "a");
            // What may have been meant for the card before is sent only once the user goes on with it.
            for key in ["Enter", "b", "Enter"] {
                app.key(key).await;
            }
            let responses = app.wait_for_responses(answered + 1).await;
            let question = format!("Number {}?", answered + 1);
            assert_eq!(*last_answers(&responses), json!({ question: "ab" }));
            return;
        }
        app.wait_for_responses(answered + 1).await;
        focus_question(&app).await;
    }
    panic!("no key came within 500 ms after a card");
}

#[tokio::test]
async fn case_80_after_an_answer_the_next_digit_counts_for_the_next_question_after_the_delay() {
    let app = open_at_waiting_questions().await;
    for answered in 1..WAITING {
        answer_and_go_on(&app).await;
        app.key_now("2").await;
        if came_early(&app, &["2"]).await {
            assert_eq!(chosen(&app).await, json!([]), "the delay applies to the next question too");
            app.shows_text("aside .hints", "choose and submit").await;
            press(&app, &["2", "Enter"]).await;
            let responses = app.wait_for_responses(answered + 1).await;
            let question = format!("Number {}?", answered + 1);
            assert_eq!(*last_answers(&responses), json!({ question: "No" }));
            return;
        }
    }
    panic!("no key came within 500 ms after a card");
}

const PALETTE: &str = "dialog.palette[open]";

/// Opens the palette, types a name and runs the chosen entry.
pub async fn run_from_palette(app: &App, name: &str) {
    press(app, &["Ctrl+k"]).await;
    let field = app.find(&format!("{PALETTE} input")).await;
    field.send_keys(name).await.unwrap();
    app.shows_text(&format!("{PALETTE} [role=option][aria-selected=true]"), name).await;
    press(app, &["Enter"]).await;
    app.gone(PALETTE).await;
}

#[tokio::test]
async fn case_82_the_palette_runs_actions_by_their_names_and_leads_to_requests_and_settings() {
    let app = open_at_question("technology").await;

    press(&app, &["Ctrl+k"]).await;
    app.find(PALETTE).await;
    assert_eq!(focused(&app, ".getAttribute('role')").await, "combobox");
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("palette").await;
    press(&app, &["Esc"]).await;
    app.gone(PALETTE).await;

    run_from_palette(&app, "History").await;
    app.shows_text("main h1", "History").await;
    run_from_palette(&app, "Go back").await;
    app.find("[data-session-view]").await;

    // The question is listed by its text and gets the focus; nothing is answered.
    run_from_palette(&app, "Which store should the notes be kept in?").await;
    assert_eq!(focused(&app, ".closest('[data-card]') !== null").await, true);

    run_from_palette(&app, "Fold side").await;
    app.find("aside.strip").await;
    run_from_palette(&app, "Unfold side").await;
    app.find("aside.panel").await;

    run_from_palette(&app, "Rename").await;
    assert_eq!(focused(&app, ".matches('[data-rename]')").await, true);
    press(&app, &["Esc"]).await;
    app.gone("[data-rename]").await;

    run_from_palette(&app, "Text size").await;
    app.find("dialog.settings[open]").await;
    app.wait("the focus on the setting", async || {
        (focused(&app, ".id").await == "setting-text_size").then_some(())
    })
    .await;
    press(&app, &["Esc"]).await;
    app.gone("dialog.settings[open]").await;

    run_from_palette(&app, "Keyboard shortcuts").await;
    app.find("dialog.keys[open]").await;
    press(&app, &["Ctrl+k"]).await;
    assert!(!app.shows(PALETTE).await, "the palette doesn't open over a dialog");
    assert!(app.responses().is_empty());
}

#[tokio::test]
async fn case_101_what_is_typed_after_other_was_clicked_is_its_text() {
    let app = App::open_asked("technology").await;
    let other = app.find(&format!("{OPEN_CARD} label:has(+ .unseen)")).await;
    app.press(&other).await;
    for character in "2 nodes".chars() {
        app.key_now(&character.to_string()).await;
    }
    assert_eq!(focused(&app, ".value").await, "2 nodes");
    assert_eq!(chosen(&app).await, json!(["other"]));
    press(&app, &["Enter"]).await;
    app.check_answers(json!({ "Which store should the notes be kept in?": "2 nodes" })).await;
}

#[tokio::test]
async fn case_102_and_103_f6_leads_to_the_options_and_the_keys_go_to_the_next_question() {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "100").open().await;
    let asks = |text: &str| json!({ "ask": { "questions": [yes_or_no(text)] } });
    app.show_demo(&app.scenario("asks-twice", json!([[asks("One?"), asks("Two?")]])), "Notes").await;
    app.shows_text(OPEN_CARD, "One?").await;
    let composer = app.find("[data-composer]").await;
    app.press(&composer).await;
    press(&app, &["F6"]).await;
    assert_eq!(focused(&app, ".type").await, "radio");
    press(&app, &["2", "Enter"]).await;
    app.shows_text(OPEN_CARD, "Two?").await;
    press(&app, &["1", "Enter"]).await;
    let responses = app.wait_for_responses(2).await;
    let answers: Vec<_> = responses.iter().map(|response| &response["updatedInput"]["answers"]).collect();
    assert_eq!(answers, [&json!({ "One?": "No" }), &json!({ "Two?": "Yes" })]);
    assert_eq!(app.script("return document.querySelector('[data-composer]').value", vec![]).await, "");
}

#[tokio::test]
async fn case_104_a_skip_and_a_reply_in_chat_can_be_taken_back() {
    let app = App::open_asked("technology").await;
    app.change_setting("undo_seconds", 30).await;
    app.click("button", "Skip").await;
    app.find(HELD).await;
    app.key("u").await;
    app.gone(HELD).await;

    app.find("[data-act=reply]").await;
    let composer = app.find("[data-composer]").await;
    app.press(&composer).await;
    composer.send_keys("Let us talk.").await.unwrap();
    app.key("Enter").await;
    app.find("[data-held-reply]").await;
    app.key("Esc").await;
    app.gone("[data-held-reply]").await;
    assert_eq!(focused(&app, ".value").await, "Let us talk.");

    app.find(OPEN_CARD).await;
    assert!(app.received().iter().all(|line| line["type"] != "control_response"));
}

#[tokio::test]
async fn case_127_esc_closes_what_was_opened_last_and_does_nothing_else() {
    let (app, session) = Setup::default().open_asked("technology").await;
    app.change_setting("quick_answer", "off").await;
    let escape = || xdotool(&["key", "Escape"]);
    activate(WINDOW);

    // A list over a search: only the list closes, then the search.
    press(&app, &["Ctrl+f"]).await;
    app.find("[data-find]").await;
    press(&app, &["Ctrl+k"]).await;
    app.find(PALETTE).await;
    escape();
    app.gone(PALETTE).await;
    assert!(app.shows("[data-find]").await);
    escape();
    app.gone("[data-find]").await;

    // An empty search field of a dialog.
    press(&app, &["Ctrl+,"]).await;
    app.press(&app.find("dialog.settings input[type=search]").await).await;
    escape();
    app.gone("dialog.settings[open]").await;

    // A list of commands over a message: the message stays.
    type_keys(&app, "/").await;
    let list = "[data-completion] [role=option]";
    app.find(list).await;
    escape();
    app.gone(list).await;
    composed(&app, "/").await;

    // A menu, and a name that is being changed.
    app.press(&app.find("header [aria-haspopup=menu]").await).await;
    app.find("[role=menu]").await;
    escape();
    app.gone("[role=menu]").await;
    press(&app, &["Ctrl+1"]).await;
    run_from_palette(&app, "Rename").await;
    app.find("[data-rename]").await;
    escape();
    app.gone("[data-rename]").await;

    // The message of a skip: its text is there again when it is opened again.
    let skip = "aside [role=group] textarea";
    focus_question(&app).await;
    app.click("button", "More ways to skip").await;
    app.click("menuitem", "Skip with message…").await;
    app.find(skip).await;
    activate(WINDOW);
    xdotool(&["type", "--delay", "15", "too early"]);
    app.wait("the text", async || {
        (app.find(skip).await.prop("value").await.ok()?.as_deref() == Some("too early")).then_some(())
    })
    .await;
    escape();
    app.gone(skip).await;
    assert!(app.shows(OPEN_CARD).await, "the panel stays open");
    app.click("button", "More ways to skip").await;
    app.click("menuitem", "Skip with message…").await;
    let words = app.find(skip).await.prop("value").await.unwrap();
    assert_eq!(words.as_deref(), Some("too early"));
    escape();
    app.gone(skip).await;
    app.check_unanswered(&session, 0).await;
}
