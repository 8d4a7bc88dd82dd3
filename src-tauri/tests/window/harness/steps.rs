//! Steps that many tests take: starting sessions, answering, and reading what the demo agents received.

use std::fs;
use std::path::Path;
use std::time::Duration;

use fantoccini::Locator;
use serde_json::{Value, json};

use super::{App, OPEN_CARD};
use crate::desktop::holders;

impl App {
    /// Starts a session by the bridge, and waits until the sidebar shows it.
    pub async fn start_session(&self, mut input: Value) -> String {
        input["requestId"] = json!(uuid::Uuid::new_v4());
        let session = self.invoke("start_session", input).await.unwrap();
        let id = session["id"].as_str().unwrap().to_owned();
        self.find(&format!("nav [data-session='{id}']")).await;
        id
    }

    /// Shows the form of the first screen, which folds it while no agent is installed.
    pub async fn unfold_start_form(&self) {
        let known = "form.start [data-agent] .state";
        self.wait("the agents", async || (self.count(known).await > 0).then_some(())).await;
        self.script("document.querySelector('main details.own')?.setAttribute('open', '')", vec![]).await;
    }

    /// Starts a session of the demo agent, which plays an example or a scenario file.
    pub async fn start_demo(&self, example: &str, name: &str) -> String {
        let options = json!({ "config": { "example": example } });
        let input = json!({ "agent": "demo", "options": options, "name": name, "prompt": "Please begin." });
        self.start_session(input).await
    }

    /// Starts a session of the demo agent, and selects it.
    pub async fn show_demo(&self, example: &str, name: &str) -> String {
        let session = self.start_demo(example, name).await;
        self.select(&session).await;
        session
    }

    /// Selects a session of the demo agent that looks like a user's: in a folder of its name, with a first message.
    pub async fn show_project(&self, example: &str, name: &str, prompt: &str) -> String {
        let folder = self.home().join("code").join(name);
        fs::create_dir_all(&folder).unwrap();
        let options = json!({ "config": { "example": example } });
        let input =
            json!({ "agent": "demo", "folder": folder, "options": options, "name": name, "prompt": prompt });
        let session = self.start_session(input).await;
        self.select(&session).await;
        session
    }

    pub async fn show_idle_session(&self) -> String {
        let before = self.responses().len();
        let session = self.show_demo("prefilled", "In view").await;
        // Its question has a prefilled answer.
        self.wait_for_responses(before + 1).await;
        self.in_state(&session, "idle").await;
        session
    }

    /// Writes a scenario with these turns for the demo agent, and returns its file.
    pub fn scenario(&self, name: &str, turns: Value) -> String {
        let file = self.home().join(format!("{name}.json"));
        let mut scenario = json!({ "name": name, "title": name, "description": "For one test." });
        scenario["turns"] = turns;
        fs::write(&file, scenario.to_string()).unwrap();
        file.display().to_string()
    }

    /// A step of a scenario that lasts until [`App::release`], so that no clock decides what comes first.
    pub fn until_released(&self, name: &str) -> Value {
        json!({ "wait_for_file": { "path": self.home().join(name) } })
    }

    pub fn release(&self, name: &str) {
        fs::write(self.home().join(name), "").unwrap();
    }

    /// Waits until the webview has written what the page stores. It does that a moment later, and the driver doesn't wait for it.
    pub async fn until_stored(&self, data: &Path) {
        self.wait("what the page stores on disk", async || {
            let values = self.script("return Object.values(localStorage)", vec![]).await;
            let is_stored =
                |value: &Value| !holders(&data.join("webview"), value.as_str().unwrap()).is_empty();
            values.as_array()?.iter().all(is_stored).then_some(())
        })
        .await;
    }

    /// Renames a session and waits until the page shows it: everything that happened before has then reached the page.
    pub async fn catch_up(&self, session: &str) {
        let name = uuid::Uuid::new_v4().to_string();
        let input = json!({ "requestId": uuid::Uuid::new_v4(), "session": session, "name": name });
        self.invoke("rename_session", input).await.unwrap();
        let shown = format!("nav [data-session='{session}'] :is([title='{name}'], [data-title='{name}'])");
        self.wait("the new name", async || (self.count(&shown).await == 1).then_some(())).await;
    }

    /// Checks that the question of the selected session is open and has no answer, not even one that can be undone.
    pub async fn check_unanswered(&self, session: &str, responses: usize) {
        self.catch_up(session).await;
        // The driver's own way to the page is faster than that of a key.
        self.find(OPEN_CARD).await;
        assert!(!self.shows("aside [data-held]").await);
        assert_eq!(self.responses().len(), responses);
    }

    /// Waits until the sidebar shows a session in a state.
    pub async fn in_state(&self, session: &str, state: &str) {
        self.find(&format!("nav [data-session='{session}'][data-state={state}]")).await;
    }

    pub async fn change_setting(&self, setting: &str, value: impl Into<Value>) {
        let change = json!({ "change": { "setting": setting, "value": value.into() } });
        self.invoke("change_setting", change).await.unwrap();
    }

    /// Shows a category of the open settings.
    pub async fn show_category(&self, name: &str) {
        let button = self.by_role_in("dialog[open] nav", "button", name).await;
        self.press(&button).await;
        self.wait(name, async || (button.attr("aria-current").await.ok()?? == "true").then_some(())).await;
    }

    /// Clicks a session in the sidebar, where its row may move until the pointer is over it.
    pub async fn select(&self, session: &str) {
        let row = format!("nav [data-session='{session}']");
        // A row may move to another group between the look and the click, which then reaches another row.
        self.wait("the session in view", async || {
            let found = self.client.find(Locator::Css(&row)).await.ok()?;
            if !self.point_at(&found).await {
                return None;
            }
            self.press_there().await;
            self.is_selected(&row).await.then_some(())
        })
        .await;
    }

    /// Waits for a moment until a row is the one in view. Where the sidebar closes by the click, there is no row to look at.
    async fn is_selected(&self, row: &str) -> bool {
        for _ in 0..20 {
            let Ok(row) = self.client.find(Locator::Css(row)).await else { return true };
            if row.attr("aria-current").await.is_ok_and(|current| current.is_some()) {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        false
    }

    /// Waits until every card acts on keys and clicks, which it doesn't for a moment after it has arrived or moved.
    pub async fn armed(&self) {
        self.gone("[data-armed=false]").await;
    }

    /// Chooses an option of the question in the panel, and submits it.
    pub async fn answer(&self, option: &str) {
        self.click("radio", option).await;
        self.click("button", "Submit").await;
    }

    /// Goes to the question in the panel by its key, chooses the second option, and submits it.
    pub async fn choose_second_by_keys(&self) {
        for key in ["Ctrl+j", "2", "Enter"] {
            self.key(key).await;
        }
    }

    /// Types into the field that has this name.
    pub async fn write(&self, field: &str, text: &str) {
        self.armed().await;
        self.by_role("textbox", field).await.send_keys(text).await.unwrap();
    }

    /// Reads what the demo agents received, in order.
    pub fn received(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.record).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(|line| line["dir"] == "in").map(|line| parsed(&line["line"])).collect()
    }

    /// Reads the answers that the demo agents received: the inner response of each control response.
    pub fn responses(&self) -> Vec<Value> {
        let received = self.received().into_iter();
        received
            .filter(|line| line["type"] == "control_response")
            .map(|line| line["response"]["response"].clone())
            .collect()
    }

    /// Waits until the demo agents have received a number of answers, and returns them.
    pub async fn wait_for_responses(&self, count: usize) -> Vec<Value> {
        self.wait(&format!("{count} answers at the agent"), async || {
            let responses = self.responses();
            (responses.len() >= count).then_some(responses)
        })
        .await
    }
}

fn parsed(line: &Value) -> Value {
    match line {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| line.clone()),
        other => other.clone(),
    }
}
