//! What another program put on the clipboard, pasted into the composer of a real Claude Code's session.

use std::fs;

use askdesk_testkit::mock_api::Reply;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::desktop::{WINDOW, activate, copy, xdotool};
use crate::harness::{App, Setup};
use crate::real_claude::RealClaude;

/// An image of four pixels.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGM4IScHRAwQCgAfJgQRoo8irwAAAABJRU5ErkJggg==";

/// Presses Ctrl+V in the composer, on the keyboard of the display.
async fn press_paste(app: &App) {
    activate(WINDOW);
    app.press(&app.find("[data-composer]").await).await;
    xdotool(&["key", "ctrl+v"]);
}

/// Copies an image with another program, and pastes it.
async fn paste(app: &App) {
    copy("image/png", &STANDARD.decode(PNG).unwrap());
    press_paste(app).await;
    app.find(".composer [data-attachment=image] img").await;
}

/// Returns the images in a request to the model, in base64.
fn images(request: &Value) -> Vec<&str> {
    let messages = request["messages"].as_array().unwrap().iter();
    let blocks = messages.filter_map(|message| message["content"].as_array()).flatten();
    let images = blocks.filter(|block| block["type"] == "image");
    images.map(|block| block["source"]["data"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn case_122_an_image_on_the_clipboard_is_attached_and_reaches_the_model_unchanged() {
    let test = "case_122_an_image_on_the_clipboard_is_attached_and_reaches_the_model_unchanged";
    let replies = vec![Reply::text("Ready."), Reply::text("I see it.")];
    let data = TempDir::new().unwrap();
    let setup = Setup::default().pictured().data(data.path());
    let Some(real) = RealClaude::start_in(setup, test, json!({}), replies).await else { return };
    real.until_first_turn().await;
    let app = &real.app;
    let images_folder = data.path().join("images").join(&real.session);
    let kept = || std::fs::read_dir(&images_folder).map(Iterator::count).unwrap_or_default();
    paste(app).await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("attached").await;

    // An unsent image survives a reload.
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    app.client.refresh().await.unwrap();
    app.find(".composer [data-attachment=image] img").await;
    let loaded = "const image = document.querySelector('.composer [data-attachment=image] img');
        return image.complete && image.naturalWidth === 2;";
    app.wait("the image", async || app.script(loaded, vec![]).await.as_bool()?.then_some(())).await;

    real.send("What is this?").await;
    app.shows_text("main", "I see it.").await;
    let request = real.mock.conversation().pop().unwrap();
    assert_eq!(images(&request), [PNG]);
    assert!(request["messages"].to_string().contains("What is this?"));
    app.find("[data-transcript] [data-kind=user] [data-attachment=image] img").await;
    app.gone(".composer [data-attachment]").await;
    assert_eq!(kept(), 1);

    paste(app).await;
    let remove = app.by_role("button", "Remove image.png").await;
    app.press(&remove).await;
    app.gone(".composer [data-attachment]").await;
    assert_eq!(kept(), 1, "the sent image has the same content and stays");
    let session = || json!({ "requestId": uuid::Uuid::new_v4(), "session": real.session });
    app.invoke("stop_session", session()).await.unwrap();
    app.in_state(&real.session, "ended").await;
    app.invoke("delete_session", session()).await.unwrap();
    assert_eq!(kept(), 0);
}

/// A bitmap of one red pixel.
const BMP: [u8; 58] = {
    let mut bmp = [0; 58];
    (bmp[0], bmp[1], bmp[2], bmp[10]) = (b'B', b'M', 58, 54);
    (bmp[14], bmp[18], bmp[22], bmp[26], bmp[28], bmp[34]) = (40, 1, 1, 1, 24, 4);
    bmp[56] = 255;
    bmp
};

#[tokio::test]
async fn case_122_copied_files_and_other_images_are_attached_and_text_stays_text() {
    let test = "case_122_copied_files_and_other_images_are_attached_and_text_stays_text";
    let replies = vec![Reply::text("Ready."), Reply::text("I have them.")];
    let Some(real) = RealClaude::start_in(Setup::default(), test, json!({}), replies).await else { return };
    real.until_first_turn().await;
    let app = &real.app;

    copy("UTF8_STRING", b"some words");
    press_paste(app).await;
    let value = || app.script("return document.querySelector('[data-composer]').value", vec![]);
    app.wait("the words", async || (value().await == "some words").then_some(())).await;

    copy("image/bmp", &BMP);
    press_paste(app).await;
    app.find(".composer [data-attachment=image] img").await;

    let path = real.project.path().join("a note.txt");
    fs::write(&path, "The word is heron.").unwrap();
    let copied = format!("copy\nfile://{}", path.display().to_string().replace(' ', "%20"));
    copy("x-special/gnome-copied-files", copied.as_bytes());
    press_paste(app).await;
    app.find(".composer [data-attachment=file]").await;
    assert_eq!(app.count(".composer [data-attachment]").await, 2);
    assert_eq!(value().await, "some words");

    app.click("button", "Send").await;
    app.shows_text("main", "I have them.").await;
    let request = real.mock.conversation().pop().unwrap();
    let sent = images(&request);
    assert!(STANDARD.decode(sent[0]).unwrap().starts_with(b"\x89PNG"), "{sent:?}");
    let messages = request["messages"].to_string();
    assert!(messages.contains("some words") && messages.contains("The word is heron."), "{messages}");
}

#[tokio::test]
async fn case_122_pasted_text_over_the_limit_is_offered_as_a_file_and_reaches_the_agent_by_its_path() {
    let test = "case_122_pasted_text_over_the_limit_is_offered_as_a_file_and_reaches_the_agent_by_its_path";
    let replies = vec![Reply::text("Ready."), Reply::text("I have it.")];
    let setup = Setup::default().pictured();
    let Some(real) = RealClaude::start_in(setup, test, json!({}), replies).await else { return };
    real.until_first_turn().await;
    let app = &real.app;
    let long = "All work and no play.\n".repeat(14_000);
    copy("UTF8_STRING", long.as_bytes());
    press_paste(app).await;
    app.find(".composer [data-too-long]").await;
    xdotool(&["key", "Return"]);
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("too-long").await;
    let value = "return document.querySelector('[data-composer]').value";
    assert_eq!(app.script(value, vec![]).await, long.as_str(), "Enter sends nothing and keeps everything");
    app.click("button", "Attach as a file").await;
    let file = app.find(".composer [data-attachment=file]").await;
    let path = file.attr("title").await.unwrap().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), long);
    assert_eq!(app.script(value, vec![]).await, "");
    app.click("button", "Send").await;
    app.shows_text("main", "I have it.").await;
    let messages = real.mock.conversation().pop().unwrap()["messages"].to_string();
    assert!(messages.contains(&path), "the model is given the path");
}
