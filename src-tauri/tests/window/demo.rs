//! The demo from its first screen to the answer that the agent receives.

use serde_json::json;

use crate::harness::{App, OPEN_CARD};

#[tokio::test]
async fn an_example_of_the_demo_starts_a_session() {
    let app = App::open().await;
    app.click("button", "Example").await;
    app.click("menuitem", "Several features: One multi-select question.").await;
    app.find("nav [data-session][aria-current=page]").await;
    app.by_role("checkbox", "Sync").await;
}

#[tokio::test]
async fn case_01_the_agent_receives_the_chosen_option_and_continues_in_the_same_turn() {
    let app = App::open_asked("technology").await;
    let question = "Which store should the notes be kept in?";
    app.shows_text(OPEN_CARD, question).await;
    app.answer("PostgreSQL").await;
    app.check_answers(json!({ question: "PostgreSQL" })).await;
    let response = &app.responses()[0];
    let options = &response["updatedInput"]["questions"][0]["options"];
    assert_eq!(options[0]["label"], "SQLite (Recommended)", "the input is returned unchanged");
    app.shows_text("main", "Thank you. I go on with:").await;
    app.shows_text("main", "Turn finished").await;
}

#[tokio::test]
async fn case_03_the_agent_receives_several_chosen_options() {
    let app = App::open_asked("features").await;
    app.click("checkbox", "Export").await;
    app.click("checkbox", "Dark mode").await;
    app.click("button", "Submit").await;
    app.check_answers(json!({ "Which features should the first version have?": "Dark mode, Export" })).await;
}
