//! The five examples every newcomer meets, each answered by clicks and received by the agent.

use serde_json::{Value, json};

use crate::harness::App;

const CARD: &str = "aside [data-request]";

/// Opens a desk with one session that plays an example, and waits for its question.
pub async fn asked(example: &str) -> App {
    let app = App::open().await;
    let session = app.start_demo(example, "Notes").await;
    app.select(&session).await;
    app.find(&format!("{CARD}[data-state=open]")).await;
    app
}

/// Checks the one answer the agent got, and that the desk says it was delivered.
pub async fn check_answers(app: &App, answers: Value) {
    let responses = app.wait_for_responses(1).await;
    assert_eq!(responses[0]["behavior"], "allow");
    assert_eq!(responses[0]["updatedInput"]["answers"], answers);
    app.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    assert_eq!(app.responses().len(), 1, "the answer was sent once");
}

#[tokio::test]
async fn case_01_a_technology_is_chosen_and_the_agent_goes_on_in_the_same_turn() {
    let app = asked("technology").await;
    app.shows_text(CARD, "Which store should the notes be kept in?").await;
    app.click("radio", "PostgreSQL").await;
    app.click("button", "Submit").await;
    let question = "Which store should the notes be kept in?";
    check_answers(&app, json!({ question: "PostgreSQL" })).await;
    let response = &app.responses()[0];
    let options = &response["updatedInput"]["questions"][0]["options"];
    assert_eq!(options[0]["label"], "SQLite (Recommended)", "the input goes back as it came");
    app.shows_text("main", "Thank you. I go on with:").await;
    app.shows_text("main", "Turn ended").await;
    app.close().await;
}

#[tokio::test]
async fn a_recommended_option_has_a_badge_and_goes_back_verbatim() {
    let app = asked("technology").await;
    app.shows_text("aside [data-option=q1o1]", "Recommended").await;
    assert!(
        !app.find("aside [data-option=q1o1] label").await.text().await.unwrap().contains("(Recommended)")
    );
    app.click("radio", "SQLite").await;
    app.click("button", "Submit").await;
    let question = "Which store should the notes be kept in?";
    check_answers(&app, json!({ question: "SQLite (Recommended)" })).await;
    app.close().await;
}

#[tokio::test]
async fn case_03_several_features_are_ticked() {
    let app = asked("features").await;
    app.click("checkbox", "Export").await;
    app.click("checkbox", "Dark mode").await;
    app.click("button", "Submit").await;
    check_answers(&app, json!({ "Which features should the first version have?": "Dark mode, Export" }))
        .await;
    app.close().await;
}

#[tokio::test]
async fn case_10_ticks_and_own_words_both_reach_the_agent() {
    let app = asked("features").await;
    app.click("checkbox", "Dark mode").await;
    app.click("checkbox", "Sync").await;
    let words = app.by_role("textbox", "Your own words").await;
    words.send_keys("A command line").await.unwrap();
    app.click("button", "Submit").await;
    let expected = "Dark mode, Sync, A command line";
    check_answers(&app, json!({ "Which features should the first version have?": expected })).await;
    app.close().await;
}

#[tokio::test]
async fn a_set_of_two_questions_is_answered_through_its_summary() {
    let app = asked("authentication").await;
    app.click("radio", "E-mail link").await;
    // A fresh single choice shows the next question by itself.
    app.find("aside [data-question=q2]").await;
    app.click("radio", "Thirty days").await;
    app.find("aside [data-summary]").await;
    app.shows_text("aside [data-summary]", "E-mail link").await;
    assert!(app.responses().is_empty(), "nothing is sent before Submit");
    app.click("button", "Submit").await;
    let expected =
        json!({ "How do people sign in?": "E-mail link", "How long does a session last?": "Thirty days" });
    check_answers(&app, expected).await;
    app.close().await;
}

#[tokio::test]
async fn a_package_manager_is_named_by_other() {
    let app = asked("package-manager").await;
    app.click("radio", "Other").await;
    app.by_role("textbox", "Your own words").await.send_keys("Bun, with its lockfile").await.unwrap();
    app.click("button", "Submit").await;
    let question = "Which package manager does this project use?";
    check_answers(&app, json!({ question: "Bun, with its lockfile" })).await;
    app.shows_text("main", "Packages: Bun, with its lockfile").await;
    app.close().await;
}

#[tokio::test]
async fn four_questions_at_once_are_answered_in_one_go() {
    let app = asked("four").await;
    app.click("radio", "Go").await;
    app.find("aside [data-question=q2]").await;
    app.click("radio", "Containers").await;
    app.find("aside [data-question=q3]").await;
    app.click("checkbox", "Lints").await;
    app.click("checkbox", "Unit tests").await;
    app.click("button", "Next").await;
    app.find("aside [data-question=q4]").await;
    app.click("radio", "Maintainers").await;
    app.find("aside [data-summary]").await;
    app.click("button", "Submit").await;
    let expected = json!({
        "Which language should the service be written in?": "Go",
        "Where will it run?": "Containers",
        "Which checks should run before a merge?": "Lints, Unit tests",
        "Who may deploy?": "Maintainers",
    });
    check_answers(&app, expected).await;
    app.close().await;
}

#[tokio::test]
async fn a_session_is_started_by_the_form() {
    let app = App::open().await;
    let agent = app.by_role("combobox", "Agent").await;
    agent.select_by_label("Demo").await.unwrap();
    app.by_role("combobox", "Example").await.select_by_value("features").await.unwrap();
    app.click("button", "Start session").await;
    app.find("nav [data-session][aria-current=page]").await;
    app.by_role("checkbox", "Sync").await;
    app.close().await;
}

#[tokio::test]
async fn the_demo_is_tried_from_the_first_screen() {
    let app = App::open().await;
    app.click("button", "Try the demo").await;
    app.find(&format!("{CARD}[data-state=open]")).await;
    app.find("nav [data-session][data-state=needs_you]").await;
    app.close().await;
}
