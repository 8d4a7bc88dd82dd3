//! What is set in the window holds there and after a restart, and closing it ends nothing unasked.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::harness::{Desk, Setup};

fn windows_named(name: &str) -> usize {
    let search = ["search", "--onlyvisible", "--name", name];
    let output = Command::new("xdotool").args(search).output().expect("xdotool is installed");
    String::from_utf8_lossy(&output.stdout).lines().count()
}

fn shell(script: &str) {
    let done = Command::new("sh").args(["-c", script]).stdout(Stdio::null()).status().unwrap();
    assert!(done.success(), "{script}");
}

/// Asks the window to close by the keys of the window manager.
fn close_window() {
    shell(
        "xdotool search --sync --onlyvisible --name '(^|[)] )Askdesk$' windowactivate --sync && xdotool key alt+F4",
    );
}

async fn set(desk: &Desk, name: &str, choice: &str) {
    let control = desk.by_role_in("dialog[open]", "combobox", name).await;
    control.select_by_label(choice).await.unwrap();
}

async fn looks(desk: &Desk) -> Value {
    let script = "return [matchMedia('(prefers-color-scheme: dark)').matches, document.documentElement.dataset.density,
        Math.round(innerWidth / 10)]";
    desk.script(script, vec![]).await
}

#[tokio::test]
async fn what_is_set_holds_at_once_and_after_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let desk = Setup::default().data(data.path()).open().await;
    let [_, _, width] = looks(&desk).await.as_array().unwrap().clone().try_into().unwrap();
    let wide = width.as_i64().unwrap();
    desk.click("button", "Settings").await;
    desk.find("dialog[open] #setting-on_close").await;
    for (theme, dark) in [("Light", false), ("Dark", true)] {
        set(&desk, "Theme", theme).await;
        desk.wait(theme, async || (looks(&desk).await[0] == dark).then_some(())).await;
    }
    set(&desk, "Density", "Compact").await;
    set(&desk, "Text size", "200 %").await;
    let expected = json!([true, "compact", wide / 2]);
    desk.wait("twice the size", async || (looks(&desk).await == expected).then_some(())).await;
    assert_eq!(desk.axe().await, Vec::<String>::new());
    desk.close().await;

    let desk = Setup::default().data(data.path()).open().await;
    desk.wait("the same looks", async || (looks(&desk).await == expected).then_some(())).await;
    let file = std::fs::read_to_string(data.path().join("settings.toml")).unwrap();
    assert_eq!(
        file, "[appearance]\ntheme = \"dark\"\ndensity = \"compact\"\ntext_size = 200\n",
        "the file is there to be read and edited"
    );
    desk.close().await;
}

#[tokio::test]
async fn a_file_edited_by_hand_holds_where_it_makes_sense_and_the_rest_is_named() {
    let data = tempfile::tempdir().unwrap();
    let text = "[appearance]\ntheme = \"light\"\ntext_size = 9000\n";
    std::fs::write(data.path().join("settings.toml"), text).unwrap();
    let desk = Setup::default().pictured().data(data.path()).open().await;
    desk.wait("the light theme", async || (looks(&desk).await[0] == false).then_some(())).await;
    desk.click("button", "Settings").await;
    desk.shows_text("dialog[open]", "appearance.text_size").await;
    desk.shows_text("dialog[open]", "9000 does not fit here (it must be a number from 80 to 200)").await;
    desk.picture("settings").await;
    desk.close().await;
}

#[tokio::test]
async fn closing_the_window_while_a_question_waits_asks_before_anything_ends() {
    let desk = Desk::open().await;
    let session = desk.start_demo("technology", "Asks").await;
    desk.find(&format!("nav [data-session='{session}'][data-state=needs_you]")).await;
    close_window();
    desk.wait("the question before quitting", async || (windows_named("^Quit Askdesk") == 1).then_some(()))
        .await;
    // Esc means no.
    shell(
        "xdotool search --sync --onlyvisible --name '^Quit Askdesk' windowactivate --sync && xdotool key Escape",
    );
    desk.wait("it to go", async || (windows_named("^Quit Askdesk") == 0).then_some(())).await;
    desk.select(&session).await;
    desk.click("radio", "PostgreSQL").await;
    desk.click("button", "Submit").await;
    assert_eq!(desk.wait_for_responses(1).await.len(), 1);
    desk.close().await;
}

#[tokio::test]
async fn closing_the_window_with_nothing_at_work_quits() {
    let desk = Desk::open().await;
    close_window();
    desk.wait("the window to go", async || (windows_named("(^|[)] )Askdesk$") == 0).then_some(())).await;
    let answer = desk.client.title().await;
    assert!(answer.is_err(), "the app is still there: {answer:?}");
    desk.close().await;
}

#[tokio::test]
async fn what_is_added_to_an_agents_start_is_set_in_the_window_and_shown_in_the_form() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("settings.toml");
    std::fs::write(&file, "[agents.claude_code]\nenvironment = { API_KEY = \"hush\", EDITOR = \"vi\" }\n")
        .unwrap();
    let desk = Setup::default().pictured().data(data.path()).open().await;
    desk.shows_text("form.start", "API_KEY=•").await;
    desk.shows_text("form.start", "EDITOR=vi").await;
    desk.click("button", "Settings").await;
    desk.find("dialog[open] #setting-claude_code_arguments-help").await;
    for word in ["--add-dir", "/srv/docs"] {
        let add = desk.by_role_in("dialog[open]", "button", "Add an argument").await;
        desk.press(&add).await;
        let field = desk
            .find("dialog[open] [aria-labelledby=setting-claude_code_arguments-name] li:last-child input")
            .await;
        field.send_keys(&format!("{word}\u{e007}")).await.unwrap();
        desk.wait(word, async || std::fs::read_to_string(&file).unwrap().contains(word).then_some(())).await;
    }
    assert_eq!(desk.axe().await, Vec::<String>::new());
    desk.picture("settings-agents").await;
    desk.script("document.querySelector('dialog[open]').close()", vec![]).await;
    desk.shows_text("form.start", "/srv/docs").await;
    assert_eq!(desk.axe().await, Vec::<String>::new());
    desk.picture("start-extras").await;
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        text,
        "[agents.claude_code]\nenvironment = { API_KEY = \"hush\", EDITOR = \"vi\" }\narguments = [\"--add-dir\", \"/srv/docs\"]\n"
    );
    desk.close().await;
}
