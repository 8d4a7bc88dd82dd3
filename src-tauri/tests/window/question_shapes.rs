//! Questions in the shapes that agents really send.

use fantoccini::Locator;
use serde_json::json;

use crate::harness::App;

#[tokio::test]
async fn case_02_a_question_is_one_card_without_raw_json() {
    let app = App::open_asked("technology").await;
    assert_eq!(app.count("aside [data-request]").await, 1);
    assert_eq!(app.count("main [data-kind=request]").await, 1);
    let page = app.script("return document.body.innerText", vec![]).await;
    let page = page.as_str().unwrap();
    assert!(page.contains("Which store should the notes be kept in?"), "{page}");
    assert!(!page.contains("multiSelect") && !page.contains("AskUserQuestion"), "{page}");
}

#[tokio::test]
async fn case_04_a_lenient_question_is_shown_and_an_unusable_one_is_refused_in_the_same_turn() {
    let app = App::open_asked("lenient").await;
    app.click("radio", "Helix").await;
    app.click("radio", "fish").await;
    app.find("aside [data-summary]").await;
    app.click("button", "Submit").await;
    app.check_answers(json!({ "Which editor?": "Helix", "Which shell?": "fish" })).await;

    app.show_demo("unusable", "Unusable").await;
    let refusals = app.wait_for_responses(5).await.split_off(1);
    assert!(refusals.iter().all(|response| response["behavior"] == "deny"), "{refusals:?}");
    assert!(
        refusals[0]["message"]
            .as_str()
            .unwrap()
            .contains("questions: too few questions (0; the minimum is 1)")
    );
    app.shows_text("main", "First refusal:").await;
    assert!(!app.shows("aside [data-request]").await);
}

#[tokio::test]
async fn case_05_a_long_header_is_shortened_on_screen_only() {
    let app = App::open_asked("long-header").await;
    let whole = "Deployment region for the first customer";
    let chip = app.find(&format!("aside [title='{whole}']")).await;
    let visible = chip.find(Locator::Css("[aria-hidden=true]")).await.unwrap().text().await.unwrap();
    assert!(visible.chars().count() <= 12 && visible.starts_with("Deployment"), "{visible:?}");
    let read_out = "return [...arguments[0].children].filter(e => e.ariaHidden !== 'true').map(e => e.textContent).join('')";
    let read_out = app.script(read_out, vec![serde_json::to_value(&chip).unwrap()]).await;
    assert_eq!(read_out, whole, "assistive software reads all of it");
}

#[tokio::test]
async fn case_06_questions_with_the_same_text_are_answered_separately() {
    let app = App::open_asked("same-text").await;
    app.click("radio", "Green").await;
    app.find("aside [data-question=q2]").await;
    assert_eq!(app.count("aside input:checked").await, 0);
    app.click("radio", "Blue").await;
    app.find("aside [data-summary]").await;
    app.click("button", "Submit").await;
    let responses = app.wait_for_responses(1).await;
    let answer = responses[0]["updatedInput"]["answers"]["Which colour?"].as_str().unwrap();
    assert!(answer.contains("Green") && answer.contains("Blue"), "{answer}");
    app.find("main [data-notice=same_text_joined]").await;
}

#[tokio::test]
async fn case_07_the_agents_own_other_option_becomes_the_only_other_row() {
    let app = App::open_asked("own-other").await;
    assert_eq!(app.count("aside [data-option=other]").await, 1);
    assert_eq!(app.count("aside input[type=radio]").await, 3);
    app.shows_text("aside [data-option=other]", "Something else").await;
}

#[tokio::test]
async fn case_08_labels_with_commas_are_not_split() {
    let app = App::open_asked("commas").await;
    app.click("radio", "Yes, but ask me, please").await;
    app.click("checkbox", "Red, green").await;
    app.click("checkbox", "Black").await;
    app.click("button", "Next").await;
    app.shows_text("aside [data-summary]", "Yes, but ask me, please").await;
    app.shows_text("aside [data-summary]", "Red, green").await;
    app.click("button", "Submit").await;
    let expected = json!({ "May I go on when a check fails?": "Yes, but ask me, please",
        "Which lists do you mean?": "Red, green, Black" });
    app.check_answers(expected).await;
    app.shows_text("main [data-state=answered]", "Yes, but ask me, please").await;
}

#[tokio::test]
async fn case_09_prefilled_answers_pass_through_without_a_card() {
    let app = App::open().await;
    app.show_idle_session().await;
    app.find("main [data-notice=answers_brought]").await;
    let question = "Which store should the notes be kept in?";
    assert_eq!(app.responses()[0]["updatedInput"]["answers"][question], "PostgreSQL");
    assert!(!app.shows("aside [data-request]").await);
}

#[tokio::test]
async fn case_11_a_blank_other_is_no_answer_and_the_rest_is_sent_after_a_warning() {
    let app = App::open_asked("authentication").await;
    app.click("radio", "Password").await;
    app.find("aside [data-question=q2]").await;
    app.click("radio", "Other").await;
    app.write("Your own answer", "   ").await;
    app.click("button", "Next").await;
    app.shows_text("aside [data-summary]", "Not answered").await;
    app.click("button", "Submit").await;
    app.shows_text("aside [role=alert]", "Unanswered: Session").await;
    assert!(app.responses().is_empty());
    app.click("button", "Submit anyway").await;
    let sent = &app.wait_for_responses(1).await[0]["updatedInput"];
    let skipped = "How long does a session last?";
    assert_eq!(sent["answers"]["How do people sign in?"], "Password");
    assert!(!sent["answers"][skipped].as_str().unwrap_or_default().trim().is_empty());
    assert_eq!(sent["annotations"][skipped]["unanswered"], "skipped");
}
