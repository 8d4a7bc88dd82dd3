//! Questions in the shapes agents really send them.

use fantoccini::Locator;
use serde_json::json;

use crate::demo::{asked, check_answers};

#[tokio::test]
async fn case_02_a_question_is_one_card_and_never_raw_json() {
    let app = asked("technology").await;
    assert_eq!(
        app.script("return document.querySelectorAll('aside [data-request]').length", vec![]).await,
        1
    );
    assert_eq!(
        app.script("return document.querySelectorAll('main [data-kind=request]').length", vec![]).await,
        1
    );
    let page = app.find("main").await.text().await.unwrap();
    assert!(!page.contains("multiSelect") && !page.contains("AskUserQuestion"), "{page}");
    app.close().await;
}

#[tokio::test]
async fn case_04_a_lenient_question_is_shown() {
    let app = asked("lenient").await;
    app.click("radio", "Helix").await;
    app.find("aside [data-question=q2]").await;
    app.click("radio", "fish").await;
    app.find("aside [data-summary]").await;
    app.click("button", "Submit").await;
    check_answers(&app, json!({ "Which editor?": "Helix", "Which shell?": "fish" })).await;
    app.close().await;
}

#[tokio::test]
async fn case_05_a_long_header_is_shortened_on_screen_only() {
    let app = asked("long-header").await;
    let whole = "Deployment region for the first customer";
    let chip = app.find(&format!("aside [title='{whole}']")).await;
    let seen = chip.find(Locator::Css("[aria-hidden=true]")).await.unwrap().text().await.unwrap();
    assert!(seen.chars().count() <= 12 && seen.starts_with("Deployment"), "{seen:?}");
    let heard = "return [...arguments[0].children].filter(e => e.ariaHidden !== 'true').map(e => e.textContent).join('')";
    let heard = app.script(heard, vec![serde_json::to_value(&chip).unwrap()]).await;
    assert_eq!(heard, whole, "assistive software reads it whole");
    app.close().await;
}

#[tokio::test]
async fn case_06_equal_headers_and_texts_keep_their_selections_apart() {
    let app = asked("same-text").await;
    app.click("radio", "Green").await;
    app.find("aside [data-question=q2]").await;
    assert_eq!(app.script("return document.querySelectorAll('aside input:checked').length", vec![]).await, 0);
    app.click("radio", "Blue").await;
    app.find("aside [data-summary]").await;
    app.click("button", "Submit").await;
    let responses = app.wait_for_responses(1).await;
    let answer = responses[0]["updatedInput"]["answers"]["Which colour?"].as_str().unwrap().to_owned();
    assert!(answer.contains("Green") && answer.contains("Blue"), "{answer}");
    app.find("main [data-notice=same_text_joined]").await;
    app.close().await;
}

#[tokio::test]
async fn case_07_the_models_own_other_is_the_one_other_row() {
    let app = asked("own-other").await;
    assert_eq!(
        app.script("return document.querySelectorAll('aside [data-option=other]').length", vec![]).await,
        1
    );
    assert_eq!(
        app.script("return document.querySelectorAll('aside input[type=radio]').length", vec![]).await,
        3
    );
    app.shows_text("aside [data-option=other]", "Something else").await;
    app.close().await;
}

#[tokio::test]
async fn case_08_labels_with_commas_stay_whole() {
    let app = asked("commas").await;
    app.click("radio", "Yes, but ask me, please").await;
    app.find("aside [data-question=q2]").await;
    app.click("checkbox", "Red, green").await;
    app.click("checkbox", "Black").await;
    app.click("button", "Next").await;
    app.shows_text("aside [data-summary]", "Yes, but ask me, please").await;
    app.shows_text("aside [data-summary]", "Red, green").await;
    app.click("button", "Submit").await;
    let expected = json!({ "May I go on when a check fails?": "Yes, but ask me, please",
        "Which lists do you mean?": "Red, green, Black" });
    check_answers(&app, expected).await;
    app.shows_text("main [data-state=answered]", "Yes, but ask me, please").await;
    app.close().await;
}

#[tokio::test]
async fn case_09_brought_answers_pass_and_no_card_blocks() {
    let app = crate::harness::App::open().await;
    let session = app.start_demo("prefilled", "Notes").await;
    app.select(&session).await;
    app.find("main [data-notice=answers_brought]").await;
    let responses = app.wait_for_responses(1).await;
    let question = "Which store should the notes be kept in?";
    assert_eq!(responses[0]["updatedInput"]["answers"][question], "PostgreSQL");
    assert!(!app.shows("aside [data-request]").await);
    app.close().await;
}

#[tokio::test]
async fn case_11_blank_other_counts_as_unanswered_and_leaves_the_rest() {
    let app = asked("authentication").await;
    app.click("radio", "Password").await;
    app.find("aside [data-question=q2]").await;
    app.click("radio", "Other").await;
    app.by_role("textbox", "Your own words").await.send_keys("   ").await.unwrap();
    app.click("button", "Next").await;
    app.shows_text("aside [data-summary]", "Not answered").await;
    app.click("button", "Submit").await;
    app.shows_text("aside [role=alert]", "Not answered: Session").await;
    assert!(app.responses().is_empty());
    app.click("button", "Submit anyway").await;
    let responses = app.wait_for_responses(1).await;
    let answers = &responses[0]["updatedInput"]["answers"];
    assert_eq!(answers["How do people sign in?"], "Password");
    let said = answers["How long does a session last?"].as_str().unwrap_or_default().to_owned();
    assert!(!said.trim().is_empty(), "the agent is told that it was left out, never by an empty answer");
    assert_eq!(
        responses[0]["updatedInput"]["annotations"]["How long does a session last?"]["unanswered"],
        "skipped"
    );
    app.close().await;
}
