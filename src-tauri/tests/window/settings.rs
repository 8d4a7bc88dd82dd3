//! Settings apply at once and after a restart. Closing the window ends nothing without asking.

use serde_json::{Value, json};

use crate::desktop::{QUIT_DIALOG, activate, press_close, visible_windows, xdotool};
use crate::harness::{App, Setup};

async fn set(app: &App, name: &str, choice: &str) {
    let control = app.by_role_in("dialog[open]", "combobox", name).await;
    control.select_by_label(choice).await.unwrap();
}

async fn looks(app: &App) -> Value {
    let script = "return [matchMedia('(prefers-color-scheme: dark)').matches, document.documentElement.dataset.density,
        Math.round(innerWidth / 10)]";
    app.script(script, vec![]).await
}

#[tokio::test]
async fn settings_apply_at_once_and_after_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let app = Setup::default().data(data.path()).open().await;
    let [_, _, width] = looks(&app).await.as_array().unwrap().clone().try_into().unwrap();
    let wide = width.as_i64().unwrap();
    app.click("button", "Settings").await;
    app.find("dialog[open] #setting-theme").await;
    for (theme, dark) in [("Light", false), ("Dark", true)] {
        set(&app, "Theme", theme).await;
        app.wait(theme, async || (looks(&app).await[0] == dark).then_some(())).await;
    }
    set(&app, "Density", "Compact").await;
    set(&app, "Text size", "200%").await;
    let expected = json!([true, "compact", wide / 2]);
    app.wait("twice the size", async || (looks(&app).await == expected).then_some(())).await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.close().await;

    let app = Setup::default().data(data.path()).open().await;
    app.wait("the same looks", async || (looks(&app).await == expected).then_some(())).await;
    let file = std::fs::read_to_string(data.path().join("settings.toml")).unwrap();
    assert_eq!(
        file, "[appearance]\ntheme = \"dark\"\ndensity = \"compact\"\ntext_size = 200\n",
        "the file is there to be read and edited"
    );
}

#[tokio::test]
async fn valid_settings_of_an_edited_file_apply_and_invalid_ones_are_named() {
    let data = tempfile::tempdir().unwrap();
    let text = "[appearance]\ntheme = \"light\"\ntext_size = 9000\n";
    std::fs::write(data.path().join("settings.toml"), text).unwrap();
    let app = Setup::default().pictured().data(data.path()).open().await;
    app.wait("the light theme", async || (looks(&app).await[0] == false).then_some(())).await;
    app.click("button", "Settings").await;
    app.shows_text("dialog[open]", "appearance.text_size").await;
    app.shows_text("dialog[open]", "invalid value 9000 (must be a number from 80 to 200)").await;
}

#[tokio::test]
async fn closing_the_window_while_a_question_waits_asks_before_anything_ends() {
    let app = App::open().await;
    let session = app.start_demo("technology", "Asks").await;
    app.in_state(&session, "needs_you").await;
    let dialogs = async |count: usize| {
        app.wait("the dialog", async || (visible_windows(QUIT_DIALOG) == count).then_some(())).await;
    };
    press_close();
    dialogs(1).await;
    // Esc means no.
    activate(QUIT_DIALOG);
    xdotool(&["key", "Escape"]);
    dialogs(0).await;
    app.select(&session).await;
    app.answer("PostgreSQL").await;
    assert_eq!(app.wait_for_responses(1).await.len(), 1);
}

#[tokio::test]
async fn closing_the_window_with_nothing_at_work_quits() {
    let app = App::open().await;
    press_close();
    app.window_visible(false).await;
    let answer = app.client.title().await;
    assert!(answer.is_err(), "the app is still there: {answer:?}");
}

#[tokio::test]
async fn arguments_of_an_agent_are_set_in_the_window_and_shown_in_the_start_form() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("settings.toml");
    std::fs::write(&file, "[agents.claude_code]\nenvironment = { API_KEY = \"hush\", EDITOR = \"vi\" }\n")
        .unwrap();
    let app = Setup::default().pictured().data(data.path()).open().await;
    app.unfold_start_form().await;
    app.shows_text("form.start", "API_KEY=•").await;
    app.shows_text("form.start", "EDITOR=vi").await;
    app.click("button", "Settings").await;
    app.show_category("Agents").await;
    app.find("dialog[open] #setting-claude_code_arguments-help").await;
    for word in ["--add-dir", "/srv/docs"] {
        let add = app.by_role_in("dialog[open]", "button", "Add argument").await;
        app.press(&add).await;
        let field = app
            .find("dialog[open] [aria-labelledby=setting-claude_code_arguments-name] li:last-child input")
            .await;
        field.send_keys(&format!("{word}\u{e007}")).await.unwrap();
        app.wait(word, async || std::fs::read_to_string(&file).unwrap().contains(word).then_some(())).await;
    }
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("settings-agents").await;
    app.script("document.querySelector('dialog[open]').close()", vec![]).await;
    app.shows_text("form.start", "/srv/docs").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("start-extras").await;
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        text,
        "[agents.claude_code]\nenvironment = { API_KEY = \"hush\", EDITOR = \"vi\" }\narguments = [\"--add-dir\", \"/srv/docs\"]\n"
    );
}
