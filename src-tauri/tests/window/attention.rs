//! The notifications of the system about questions, permission requests and finished turns.

use serde_json::json;

use crate::desktop::{WINDOW, activate, clear_notifications, click_notification, notification_history};
use crate::harness::{App, OPEN_CARD};

#[tokio::test]
async fn case_36_a_question_out_of_view_is_counted_and_notified_until_it_is_answered() {
    let app = App::open().await;
    clear_notifications();
    let name = format!("Out of view {}", std::process::id());
    app.show_idle_session().await;
    let other = app.start_demo("technology", &name).await;
    let row = format!("nav [data-session='{other}'][data-state=needs_you]");
    app.find(&row).await;
    app.find("nav [data-inbox] [data-count='1']").await;
    app.notifications(1).await;
    // Looking at it does not clear it; answering does.
    app.select(&other).await;
    app.by_role("radio", "PostgreSQL").await;
    app.find(&row).await;
    assert!(app.shows("nav [data-inbox] [data-count='1']").await);
    app.answer("PostgreSQL").await;
    app.notifications(0).await;
    app.in_state(&other, "idle").await;
    app.gone("nav [data-inbox] [data-count]").await;
    let posted = (name, "Which store should the notes be kept in?".to_owned());
    assert!(notification_history().contains(&posted), "{:?}", notification_history());
}

#[tokio::test]
async fn a_question_in_the_focused_session_is_not_notified() {
    let app = App::open().await;
    clear_notifications();
    activate(WINDOW);
    let name = format!("Looked at {}", std::process::id());
    let options = json!([{ "label": "Yes", "description": "" }, { "label": "No", "description": "" }]);
    let question =
        json!({ "question": "Are you looking?", "header": "Look", "multiSelect": false, "options": options });
    let turn = json!([app.until_released("asks"), { "ask": { "questions": [question] } }]);
    app.show_demo(&app.scenario("later", json!([turn])), &name).await;
    app.wait("the focus", async || {
        (app.script("return document.hasFocus()", vec![]).await == true).then_some(())
    })
    .await;
    app.release("asks");
    app.find(OPEN_CARD).await;
    // Notifications are posted in the order of the questions.
    app.start_demo("technology", "Out of view").await;
    app.notifications(1).await;
    clear_notifications();
    app.notifications(0).await;
    let history = notification_history();
    assert!(history.iter().all(|(title, _)| *title != name), "{history:?}");
}

#[tokio::test]
async fn a_permission_request_has_a_title_of_its_own_and_a_click_decides_nothing() {
    let app = App::open().await;
    clear_notifications();
    app.show_idle_session().await;
    let name = format!("Permission {}", std::process::id());
    let other = app.start_demo("approval", &name).await;
    app.notifications(1).await;
    click_notification();
    app.find(&format!("[data-session-view='{other}']")).await;
    app.in_state(&other, "needs_you").await;
    clear_notifications();
    let title = format!("{name} asks for permission");
    let history = notification_history();
    assert!(history.iter().any(|(posted, _)| *posted == title), "{history:?}");
    assert_eq!(app.responses().len(), 1, "a click allows nothing");
}

#[tokio::test]
async fn a_finished_turn_is_notified_until_its_session_works_again_or_is_looked_at() {
    let app = App::open().await;
    clear_notifications();
    activate(WINDOW);
    app.show_idle_session().await;
    app.change_setting("notify_finished", "on").await;
    let name = format!("Finishes {}", std::process::id());
    let turns =
        ["first", "second"].map(|turn| json!([app.until_released(turn), { "say": { "text": "Done." } }]));
    let other = app.start_demo(&app.scenario("later", json!(turns)), &name).await;
    app.in_state(&other, "working").await;
    app.release("first");
    app.notifications(1).await;
    let message = json!({ "requestId": uuid::Uuid::new_v4(), "session": other, "text": "Go on." });
    app.invoke("send_message", message).await.unwrap();
    app.notifications(0).await;
    app.release("second");
    app.notifications(1).await;
    click_notification();
    app.find(&format!("[data-session-view='{other}']")).await;
    app.notifications(0).await;
    let history = notification_history();
    let bodies: Vec<_> = history.iter().filter(|(title, _)| *title == name).map(|(_, body)| body).collect();
    assert!(!bodies.is_empty() && bodies.iter().all(|body| *body == "Finished its turn."), "{history:?}");
}
