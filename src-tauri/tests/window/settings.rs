//! Settings apply at once and after a restart, and closing the window with nothing at work quits.

use serde_json::{Value, json};

use crate::desktop::{descendants, press_close};
use crate::harness::{App, Setup, wait_until};

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
async fn closing_the_window_with_nothing_at_work_quits() {
    let app = App::open().await;
    press_close();
    let runs = || descendants(app.root()).iter().any(|name| name.starts_with("askdesk-desktop"));
    wait_until("the end of the app", async || (!runs()).then_some(())).await;
}
