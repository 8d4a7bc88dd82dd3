//! What the bridge refuses: a code, nothing changed, nothing sent.

use serde_json::{Value, json};

use crate::demo::asked;
use crate::harness::App;

async fn answer(app: &App, id: &Value, answers: Value) -> Result<Value, Value> {
    let input = json!({ "requestId": uuid::Uuid::new_v4(), "id": id, "answers": answers });
    app.invoke("answer_question", input).await
}

#[tokio::test]
async fn case_24_answers_that_do_not_fit_have_a_code_and_change_nothing() {
    let app = asked("technology").await;
    let id = json!(app.find("aside [data-request]").await.attr("data-request").await.unwrap().unwrap());
    let chosen = json!([{ "question": "q1", "chosen": ["q1o2"] }]);
    let table = [
        (json!(uuid::Uuid::new_v4()), chosen.clone(), "not_found"),
        (json!("no id at all"), chosen.clone(), "invalid"),
        (id.clone(), json!([]), "invalid"),
        (id.clone(), json!("q1o2"), "invalid"),
    ];
    for (id, answers, code) in table {
        let error = answer(&app, &id, answers.clone()).await.unwrap_err();
        assert_eq!(error["code"], code, "{error}");
        assert!(error["message"].as_str().is_some_and(|words| !words.is_empty()));
    }
    assert_eq!(app.invoke("answer_question", Value::Null).await.unwrap_err()["code"], "invalid");
    assert!(app.shows("aside [data-request][data-state=open]").await);
    assert!(app.responses().is_empty());

    answer(&app, &id, chosen.clone()).await.unwrap();
    answer(&app, &id, chosen).await.expect("the same again is the same result");
    let other = json!([{ "question": "q1", "chosen": ["q1o3"] }]);
    let error = answer(&app, &id, other).await.unwrap_err();
    assert_eq!(error["code"], "already_ended");
    assert_eq!(error["ended"]["by"], "person");
    let cancel = json!({ "requestId": uuid::Uuid::new_v4(), "id": id });
    assert_eq!(app.invoke("cancel_question", cancel).await.unwrap_err()["code"], "already_ended");
    app.find("main [data-request][data-state=answered][data-delivery=delivered]").await;
    assert_eq!(app.responses().len(), 1);
    app.close().await;
}

#[tokio::test]
async fn the_page_has_no_rights_beyond_the_list() {
    let app = App::open().await;
    for command in
        ["plugin:dialog|open", "plugin:notification|notify", "plugin:window|close", "plugin:shell|open"]
    {
        let error = app.invoke(command, json!({})).await.unwrap_err();
        assert!(
            error.to_string().contains("not allowed") || error.to_string().contains("not found"),
            "{command}: {error}"
        );
    }
    app.close().await;
}
