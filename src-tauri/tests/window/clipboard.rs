//! What another program put on the clipboard, pasted into the composer of a real Claude Code's session.

use std::fs;

use askdesk_testkit::clis::Cli;
use askdesk_testkit::mock_api::Reply;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::desktop::{WINDOW, activate, copy, xdotool};
use crate::harness::{App, Setup};
use crate::real_agent::Real;
use crate::typing::composed;

/// An image of four pixels.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGM4IScHRAwQCgAfJgQRoo8irwAAAABJRU5ErkJggg==";

/// Presses Ctrl+V in the composer, on the keyboard of the display.
async fn press_paste(app: &App) {
    activate(WINDOW);
    app.press(&app.find("[data-composer]").await).await;
    xdotool(&["key", "ctrl+v"]);
}

/// Returns the images in a request to the model, in base64.
fn images(request: &Value) -> Vec<&str> {
    let messages = request["messages"].as_array().unwrap().iter();
    let blocks = messages.filter_map(|message| message["content"].as_array()).flatten();
    let images = blocks.filter(|block| block["type"] == "image");
    images.map(|block| block["source"]["data"].as_str().unwrap()).collect()
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
async fn case_122_what_another_program_copied_is_attached_and_text_stays_text() {
    const ATTACHED: &str = ".composer [data-attachment]";
    let test = "case_122_what_another_program_copied_is_attached_and_text_stays_text";
    let replies = vec![Reply::text("Ready."), Reply::text("I have them.")];
    let data = TempDir::new().unwrap();
    let setup = Setup::default().pictured().data(data.path());
    let Some(real) = Real::start(Cli::ClaudeCode, setup, test, json!({}), replies).await else { return };
    real.until_first_turn().await;
    let app = &real.app;
    let attached = async |count: u64| {
        app.wait("the attachment", async || (app.count(ATTACHED).await == count).then_some(())).await;
    };

    copy("image/png", &STANDARD.decode(PNG).unwrap());
    press_paste(app).await;
    app.find(".composer [data-attachment=image] img").await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("attached").await;
    // An unsent image survives a reload.
    let stored = "return localStorage.getItem('askdesk.attached') !== null";
    app.wait("it to be stored", async || app.script(stored, vec![]).await.as_bool()?.then_some(())).await;
    app.client.refresh().await.unwrap();
    app.find(".composer [data-attachment=image] img").await;
    let loaded = "const image = document.querySelector('.composer [data-attachment=image] img');
        return image.complete && image.naturalWidth === 2;";
    app.wait("the image", async || app.script(loaded, vec![]).await.as_bool()?.then_some(())).await;

    copy("UTF8_STRING", b"some words");
    press_paste(app).await;
    composed(app, "some words").await;

    copy("image/bmp", &BMP);
    press_paste(app).await;
    attached(2).await;

    let path = real.project.path().join("a note.txt");
    fs::write(&path, "The word is heron.").unwrap();
    let copied = format!("copy\nfile://{}", path.display().to_string().replace(' ', "%20"));
    copy("x-special/gnome-copied-files", copied.as_bytes());
    press_paste(app).await;
    app.find(".composer [data-attachment=file]").await;
    attached(3).await;
    composed(app, "some words").await;

    app.click("button", "Send").await;
    app.shows_text("main", "I have them.").await;
    let request = real.mock.conversation().pop().unwrap();
    let sent = images(&request);
    assert_eq!(sent[0], PNG);
    assert!(STANDARD.decode(sent[1]).unwrap().starts_with(b"\x89PNG"), "{sent:?}");
    let messages = request["messages"].to_string();
    assert!(messages.contains("some words") && messages.contains("The word is heron."), "{messages}");
    app.find("[data-transcript] [data-kind=user] [data-attachment=image] img").await;
    app.gone(ATTACHED).await;
}
