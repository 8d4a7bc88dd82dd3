//! An image that reaches a real Claude Code.

use askdesk_testkit::mock_api::Reply;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{App, Setup};
use crate::real_claude::RealClaude;

/// An image of four pixels.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGM4IScHRAwQCgAfJgQRoo8irwAAAABJRU5ErkJggg==";

/// Pastes an image into the composer, as the webview reports it.
async fn paste(app: &App) {
    let script = "const [data] = arguments;
        const bytes = Uint8Array.from(atob(data), c => c.charCodeAt(0));
        const transfer = new DataTransfer();
        transfer.items.add(new File([bytes], 'shot.png', { type: 'image/png' }));
        const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
        Object.defineProperty(event, 'clipboardData', { value: transfer });
        document.querySelector('[data-composer]').dispatchEvent(event);";
    app.script(script, vec![json!(PNG)]).await;
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
async fn a_pasted_image_reaches_the_model_unchanged_and_is_shown_in_the_transcript() {
    let test = "a_pasted_image_reaches_the_model_unchanged_and_is_shown_in_the_transcript";
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
    app.find("[data-transcript] [data-kind=person] [data-attachment=image] img").await;
    app.gone(".composer [data-attachment]").await;
    assert_eq!(kept(), 1);

    paste(app).await;
    let remove = app.by_role("button", "Remove shot.png").await;
    app.press(&remove).await;
    app.gone(".composer [data-attachment]").await;
    assert_eq!(kept(), 1, "the sent image has the same content and stays");
    let session = || json!({ "requestId": uuid::Uuid::new_v4(), "session": real.session });
    app.invoke("stop_session", session()).await.unwrap();
    app.in_state(&real.session, "ended").await;
    app.invoke("delete_session", session()).await.unwrap();
    assert_eq!(kept(), 0);
}
