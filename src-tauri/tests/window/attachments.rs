//! Images and files that go along with messages, from the hand of the person to the model.

use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{MockApi, Reply, Script};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{App, Setup};

/// A picture of four points that every program can read.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGM4IScHRAwQCgAfJgQRoo8irwAAAABJRU5ErkJggg==";

/// A session of the real program in a folder of its own.
struct Real {
    app: App,
    mock: MockApi,
    _project: TempDir,
    data: TempDir,
    session: String,
    _home: TempDir,
}

impl Real {
    async fn start(test: &str, replies: usize) -> Option<Self> {
        let program = clis::claude_or_skip(test)?;
        let script = (1..=replies).map(|n| Reply::text(&format!("Seen {n}."))).collect();
        let mock = MockApi::start(Script(script)).await.unwrap();
        let (home, project, data) =
            (TempDir::new().unwrap(), TempDir::new().unwrap(), TempDir::new().unwrap());
        std::fs::write(project.path().join("notes of mine.txt"), "remember the milk\n").unwrap();
        let mut setup = Setup::default().pictured().data(data.path());
        for (name, value) in clis::sealed_env(home.path(), &mock.base_url) {
            setup = setup.env(&name, value);
        }
        let app = setup.open().await;
        let input = json!({ "requestId": uuid::Uuid::new_v4(), "agent": "claude_code", "folder": project.path(),
            "options": { "program": program }, "name": "Real" });
        let session = app.invoke("start_session", input).await.unwrap()["id"].as_str().unwrap().to_owned();
        app.select(&session).await;
        Some(Self { app, mock, _project: project, data, session, _home: home })
    }

    /// Pastes an image into the composer as the webview tells of it.
    async fn paste(&self) {
        let script = "const [data] = arguments;
            const bytes = Uint8Array.from(atob(data), c => c.charCodeAt(0));
            const transfer = new DataTransfer();
            transfer.items.add(new File([bytes], 'shot.png', { type: 'image/png' }));
            const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
            Object.defineProperty(event, 'clipboardData', { value: transfer });
            document.querySelector('[data-composer]').dispatchEvent(event);";
        self.app.script(script, vec![json!(PNG)]).await;
        self.app.find("form [data-attachment=image] img").await;
    }

    async fn say(&self, text: &str) {
        let field = self.app.by_role_in("main", "textbox", "Message to the agent").await;
        field.send_keys(text).await.unwrap();
        self.app.click("button", "Send").await;
    }

    /// What the model was asked in the request of that number, counted from 1.
    async fn asked(&self, n: usize) -> Value {
        let what = format!("request {n} to the model");
        self.app.wait(&what, async || self.mock.conversation().into_iter().nth(n - 1)).await
    }

    fn kept(&self) -> usize {
        let folder = self.data.path().join("images").join(&self.session);
        std::fs::read_dir(folder).map(Iterator::count).unwrap_or_default()
    }
}

/// The images in what the model was asked, in base64.
fn images(request: &Value) -> Vec<&str> {
    let messages = request["messages"].as_array().unwrap().iter();
    let blocks = messages.filter_map(|message| message["content"].as_array()).flatten();
    let images = blocks.filter(|block| block["type"] == "image");
    images.map(|block| block["source"]["data"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_pasted_image_reaches_the_model_byte_for_byte_and_stands_in_the_transcript() {
    let test = "a_pasted_image_reaches_the_model_byte_for_byte_and_stands_in_the_transcript";
    let Some(real) = Real::start(test, 2).await else { return };
    let app = &real.app;
    real.paste().await;
    assert_eq!(app.axe().await, Vec::<String>::new());
    app.picture("attached").await;

    // What is not sent yet survives the page.
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    app.client.refresh().await.unwrap();
    app.find("form [data-attachment=image] img").await;
    let loaded = "const image = document.querySelector('form [data-attachment=image] img');
        return image.complete && image.naturalWidth === 2;";
    app.wait("the picture to be shown", async || app.script(loaded, vec![]).await.as_bool()?.then_some(()))
        .await;

    real.say("What is this?").await;
    let request = real.asked(1).await;
    assert_eq!(images(&request), [PNG]);
    assert!(request["messages"].to_string().contains("What is this?"));
    app.shows_text("main", "Seen 1.").await;
    app.find("[data-transcript] [data-kind=person] [data-attachment=image] img").await;
    app.gone("form [data-attachment]").await;
    assert_eq!(real.kept(), 1);

    real.paste().await;
    let take_back = app.by_role("button", "Remove shot.png").await;
    app.press(&take_back).await;
    app.gone("form [data-attachment]").await;
    // It is the one that was sent: that stays.
    assert_eq!(real.kept(), 1);
    let stop = json!({ "requestId": uuid::Uuid::new_v4(), "session": real.session });
    app.invoke("stop_session", stop).await.unwrap();
    app.find(&format!("nav [data-session='{}'][data-state=ended]", real.session)).await;
    let delete = json!({ "requestId": uuid::Uuid::new_v4(), "session": real.session });
    app.invoke("delete_session", delete).await.unwrap();
    assert_eq!(real.kept(), 0);
    real.app.close().await;
}
