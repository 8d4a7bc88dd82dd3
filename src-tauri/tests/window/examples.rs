//! The five examples every newcomer meets, each answered by clicks and received by the agent.

use serde_json::{Value, json};

use crate::harness::Desk;

const CARD: &str = "aside [data-request]";

/// Opens a desk with one session that plays an example, and waits for its question.
pub async fn asked(example: &str) -> Desk {
    let desk = Desk::open().await;
    let session = desk.start_demo(example, "Notes").await;
    desk.select(&session).await;
    desk.find(&format!("{CARD}[data-state=open]")).await;
    desk
}

/// Checks the one answer the agent got, and that the desk says it was delivered.
pub async fn check_answers(desk: &Desk, answers: Value) {
    let responses = desk.wait_for_responses(1).await;
    assert_eq!(responses[0]["behavior"], "allow");
    assert_eq!(responses[0]["updatedInput"]["answers"], answers);
    desk.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    assert_eq!(desk.responses().len(), 1, "the answer was sent once");
}

#[tokio::test]
async fn case_01_a_technology_is_chosen_and_the_agent_goes_on_in_the_same_turn() {
    let desk = asked("technology").await;
    desk.shows_text(CARD, "Which store should the notes be kept in?").await;
    desk.click("radio", "PostgreSQL").await;
    desk.click("button", "Submit").await;
    let question = "Which store should the notes be kept in?";
    check_answers(&desk, json!({ question: "PostgreSQL" })).await;
    let response = &desk.responses()[0];
    let options = &response["updatedInput"]["questions"][0]["options"];
    assert_eq!(options[0]["label"], "SQLite (Recommended)", "the input goes back as it came");
    desk.shows_text("main", "Thank you. I go on with:").await;
    desk.shows_text("main", "Turn ended").await;
    desk.close().await;
}

#[tokio::test]
async fn a_recommended_option_has_a_badge_and_goes_back_verbatim() {
    let desk = asked("technology").await;
    desk.shows_text("aside [data-option=q1o1]", "Recommended").await;
    assert!(
        !desk.find("aside [data-option=q1o1] label").await.text().await.unwrap().contains("(Recommended)")
    );
    desk.click("radio", "SQLite").await;
    desk.click("button", "Submit").await;
    let question = "Which store should the notes be kept in?";
    check_answers(&desk, json!({ question: "SQLite (Recommended)" })).await;
    desk.close().await;
}

#[tokio::test]
async fn case_03_several_features_are_ticked() {
    let desk = asked("features").await;
    desk.click("checkbox", "Export").await;
    desk.click("checkbox", "Dark mode").await;
    desk.click("button", "Submit").await;
    check_answers(&desk, json!({ "Which features should the first version have?": "Dark mode, Export" }))
        .await;
    desk.close().await;
}

#[tokio::test]
async fn case_10_ticks_and_own_words_both_reach_the_agent() {
    let desk = asked("features").await;
    desk.click("checkbox", "Dark mode").await;
    desk.click("checkbox", "Sync").await;
    let words = desk.by_role("textbox", "Your own words").await;
    words.send_keys("A command line").await.unwrap();
    desk.click("button", "Submit").await;
    let expected = "Dark mode, Sync, A command line";
    check_answers(&desk, json!({ "Which features should the first version have?": expected })).await;
    desk.close().await;
}

#[tokio::test]
async fn a_set_of_two_questions_is_answered_through_its_summary() {
    let desk = asked("authentication").await;
    desk.click("radio", "E-mail link").await;
    // A fresh single choice shows the next question by itself.
    desk.find("aside [data-question=q2]").await;
    desk.click("radio", "Thirty days").await;
    desk.find("aside [data-summary]").await;
    desk.shows_text("aside [data-summary]", "E-mail link").await;
    assert!(desk.responses().is_empty(), "nothing is sent before Submit");
    desk.click("button", "Submit").await;
    let expected =
        json!({ "How do people sign in?": "E-mail link", "How long does a session last?": "Thirty days" });
    check_answers(&desk, expected).await;
    desk.close().await;
}

#[tokio::test]
async fn a_package_manager_is_named_by_other() {
    let desk = asked("package-manager").await;
    desk.click("radio", "Other").await;
    desk.by_role("textbox", "Your own words").await.send_keys("Bun, with its lockfile").await.unwrap();
    desk.click("button", "Submit").await;
    let question = "Which package manager does this project use?";
    check_answers(&desk, json!({ question: "Bun, with its lockfile" })).await;
    desk.shows_text("main", "Packages: Bun, with its lockfile").await;
    desk.close().await;
}

#[tokio::test]
async fn four_questions_at_once_are_answered_in_one_go() {
    let desk = asked("four").await;
    desk.click("radio", "Go").await;
    desk.find("aside [data-question=q2]").await;
    desk.click("radio", "Containers").await;
    desk.find("aside [data-question=q3]").await;
    desk.click("checkbox", "Lints").await;
    desk.click("checkbox", "Unit tests").await;
    desk.click("button", "Next").await;
    desk.find("aside [data-question=q4]").await;
    desk.click("radio", "Maintainers").await;
    desk.find("aside [data-summary]").await;
    desk.click("button", "Submit").await;
    let expected = json!({
        "Which language should the service be written in?": "Go",
        "Where will it run?": "Containers",
        "Which checks should run before a merge?": "Lints, Unit tests",
        "Who may deploy?": "Maintainers",
    });
    check_answers(&desk, expected).await;
    desk.close().await;
}

#[tokio::test]
async fn a_session_is_started_by_the_form() {
    let desk = Desk::open().await;
    let agent = desk.by_role("combobox", "Agent").await;
    agent.select_by_label("Demo").await.unwrap();
    desk.by_role("combobox", "Example").await.select_by_value("features").await.unwrap();
    desk.click("button", "Start session").await;
    desk.find("nav [data-session][aria-current=page]").await;
    desk.by_role("checkbox", "Sync").await;
    desk.close().await;
}

#[tokio::test]
async fn the_demo_is_tried_from_the_first_screen() {
    let desk = Desk::open().await;
    desk.click("button", "Try the demo").await;
    desk.find(&format!("{CARD}[data-state=open]")).await;
    desk.find("nav [data-session][data-state=needs_you]").await;
    desk.close().await;
}
