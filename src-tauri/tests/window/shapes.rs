//! Questions in the shapes agents really send them.

use fantoccini::Locator;
use serde_json::json;

use crate::examples::{asked, check_answers};

#[tokio::test]
async fn case_02_a_question_is_one_card_and_never_raw_json() {
    let desk = asked("technology").await;
    assert_eq!(
        desk.script("return document.querySelectorAll('aside [data-request]').length", vec![]).await,
        1
    );
    assert_eq!(
        desk.script("return document.querySelectorAll('main [data-kind=request]').length", vec![]).await,
        1
    );
    let page = desk.find("main").await.text().await.unwrap();
    assert!(!page.contains("multiSelect") && !page.contains("AskUserQuestion"), "{page}");
    desk.close().await;
}

#[tokio::test]
async fn case_04_a_lenient_question_is_shown() {
    let desk = asked("lenient").await;
    desk.click("radio", "Helix").await;
    desk.find("aside [data-question=q2]").await;
    desk.click("radio", "fish").await;
    desk.find("aside [data-summary]").await;
    desk.click("button", "Submit").await;
    check_answers(&desk, json!({ "Which editor?": "Helix", "Which shell?": "fish" })).await;
    desk.close().await;
}

#[tokio::test]
async fn case_05_a_long_header_is_shortened_on_screen_only() {
    let desk = asked("long-header").await;
    let whole = "Deployment region for the first customer";
    let chip = desk.find(&format!("aside [title='{whole}']")).await;
    let seen = chip.find(Locator::Css("[aria-hidden=true]")).await.unwrap().text().await.unwrap();
    assert!(seen.chars().count() <= 12 && seen.starts_with("Deployment"), "{seen:?}");
    let heard = "return [...arguments[0].children].filter(e => e.ariaHidden !== 'true').map(e => e.textContent).join('')";
    let heard = desk.script(heard, vec![serde_json::to_value(&chip).unwrap()]).await;
    assert_eq!(heard, whole, "assistive software reads it whole");
    desk.close().await;
}

#[tokio::test]
async fn case_06_equal_headers_and_texts_keep_their_selections_apart() {
    let desk = asked("same-text").await;
    desk.click("radio", "Green").await;
    desk.find("aside [data-question=q2]").await;
    assert_eq!(
        desk.script("return document.querySelectorAll('aside input:checked').length", vec![]).await,
        0
    );
    desk.click("radio", "Blue").await;
    desk.find("aside [data-summary]").await;
    desk.click("button", "Submit").await;
    let responses = desk.wait_for_responses(1).await;
    let answer = responses[0]["updatedInput"]["answers"]["Which colour?"].as_str().unwrap().to_owned();
    assert!(answer.contains("Green") && answer.contains("Blue"), "{answer}");
    desk.find("main [data-notice=same_text_joined]").await;
    desk.close().await;
}

#[tokio::test]
async fn case_07_the_models_own_other_is_the_one_other_row() {
    let desk = asked("own-other").await;
    assert_eq!(
        desk.script("return document.querySelectorAll('aside [data-option=other]').length", vec![]).await,
        1
    );
    assert_eq!(
        desk.script("return document.querySelectorAll('aside input[type=radio]').length", vec![]).await,
        3
    );
    desk.shows_text("aside [data-option=other]", "Something else").await;
    desk.close().await;
}

#[tokio::test]
async fn case_08_labels_with_commas_stay_whole() {
    let desk = asked("commas").await;
    desk.click("radio", "Yes, but ask me, please").await;
    desk.find("aside [data-question=q2]").await;
    desk.click("checkbox", "Red, green").await;
    desk.click("checkbox", "Black").await;
    desk.click("button", "Next").await;
    desk.shows_text("aside [data-summary]", "Yes, but ask me, please").await;
    desk.shows_text("aside [data-summary]", "Red, green").await;
    desk.click("button", "Submit").await;
    let expected = json!({ "May I go on when a check fails?": "Yes, but ask me, please",
        "Which lists do you mean?": "Red, green, Black" });
    check_answers(&desk, expected).await;
    desk.shows_text("main [data-state=answered]", "Yes, but ask me, please").await;
    desk.close().await;
}

#[tokio::test]
async fn case_09_brought_answers_pass_and_no_card_blocks() {
    let desk = crate::harness::Desk::open().await;
    let session = desk.start_demo("prefilled", "Notes").await;
    desk.select(&session).await;
    desk.find("main [data-notice=answers_brought]").await;
    let responses = desk.wait_for_responses(1).await;
    let question = "Which store should the notes be kept in?";
    assert_eq!(responses[0]["updatedInput"]["answers"][question], "PostgreSQL");
    assert!(!desk.shows("aside [data-request]").await);
    desk.close().await;
}

#[tokio::test]
async fn case_11_blank_other_counts_as_unanswered_and_leaves_the_rest() {
    let desk = asked("authentication").await;
    desk.click("radio", "Password").await;
    desk.find("aside [data-question=q2]").await;
    desk.click("radio", "Other").await;
    desk.by_role("textbox", "Your own words").await.send_keys("   ").await.unwrap();
    desk.click("button", "Next").await;
    desk.shows_text("aside [data-summary]", "Not answered").await;
    desk.click("button", "Submit").await;
    desk.shows_text("aside [role=alert]", "Not answered: Session").await;
    assert!(desk.responses().is_empty());
    desk.click("button", "Submit anyway").await;
    let responses = desk.wait_for_responses(1).await;
    let answers = &responses[0]["updatedInput"]["answers"];
    assert_eq!(answers["How do people sign in?"], "Password");
    let said = answers["How long does a session last?"].as_str().unwrap_or_default().to_owned();
    assert!(!said.trim().is_empty(), "the agent is told that it was left out, never by an empty answer");
    assert_eq!(
        responses[0]["updatedInput"]["annotations"]["How long does a session last?"]["unanswered"],
        "skipped"
    );
    desk.close().await;
}
