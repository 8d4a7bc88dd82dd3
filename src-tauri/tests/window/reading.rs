//! A permission is read before it is allowed.

use serde_json::json;

use crate::harness::{App, Setup};

const ALLOW: &str = "aside [data-approval] button.primary";

async fn open_asking_for(command: &str) -> App {
    let app = Setup::default().env("ASKDESK_FAKE_PACE", "0").open().await;
    let call = json!({ "name": "Bash", "input": { "command": command }, "result": "(no output)", "ask_permission": true });
    let turns = json!([[{ "tool": call }, { "say": { "text": "All is done." } }]]);
    app.show_demo(&app.scenario("runs", turns), "Runs").await;
    app.find(ALLOW).await;
    app
}

#[tokio::test]
async fn case_105_a_long_command_is_allowed_only_once_the_user_has_been_through_all_of_it() {
    let lines: Vec<String> = (1..=80).map(|line| format!("echo {line}")).collect();
    let one_line = format!("echo {}", "word ".repeat(1_200));
    for (command, by_key) in [(lines.join("\n"), true), (one_line, false)] {
        let app = open_asking_for(&command).await;
        app.shows_text("aside [data-approval]", "Read all of it to allow").await;
        assert_eq!(app.axe().await, Vec::<String>::new());
        app.press(&app.find(ALLOW).await).await;
        app.key("Enter").await;
        assert!(app.shows("aside [data-approval] button[aria-disabled=true]").await);
        assert!(app.responses().is_empty(), "an unread permission was allowed");
        if by_key {
            app.key("End").await;
        } else {
            app.click("button", "Show all").await;
        }
        app.press(&app.find("aside [data-approval] button.primary:not([aria-disabled])").await).await;
        app.shows_text("main", "All is done.").await;
        assert_eq!(app.responses().len(), 1);
        app.close().await;
    }
}
