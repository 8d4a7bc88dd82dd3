//! Drafts over the bridge: saved, read again, and gone with the answer.

use crate::bridge::{Bridge, fresh};
use serde_json::{Value, json};

fn of_request(id: &str, words: &str) -> Value {
    let answer =
        json!({"question": "q1", "chosen": ["q1o1"], "otherChosen": false, "other": words, "note": "a note"});
    json!({"of": "request", "id": id,
        "draft": {"active": 0, "answers": [answer], "declining": false, "words": ""}})
}

#[tokio::test]
async fn a_draft_is_read_as_it_was_saved_also_after_a_restart_and_goes_with_the_answer() {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    let (id, page) = (request.id.to_string(), fresh());
    for (n, words) in [(1, "half"), (2, "half a  sentence \n")] {
        let save = json!({"page": page, "n": n, "draft": of_request(&id, words)});
        assert_eq!(bridge.call("save_draft", save).await.unwrap(), json!({}));
    }
    let kept = json!({"drafts": [of_request(&id, "half a  sentence \n")]});
    assert_eq!(bridge.call("read_drafts", json!({})).await.unwrap(), kept);

    bridge.api.engine().close().await.unwrap();
    let bridge = bridge.reopen();
    assert_eq!(bridge.call("read_drafts", json!({})).await.unwrap(), kept);
    let answers = json!([{"question": "q1", "chosen": ["q1o1"]}]);
    bridge.run("answer_question", json!({"id": id, "answers": answers})).await;
    assert_eq!(bridge.call("read_drafts", json!({})).await.unwrap(), json!({"drafts": []}));
    let late = json!({"page": page, "n": 3, "draft": of_request(&id, "too late")});
    assert_eq!(bridge.refused("save_draft", late).await["code"], "already_ended");
}

#[tokio::test]
async fn a_draft_that_does_not_fit_is_refused_by_its_field_and_the_one_before_stays() {
    let bridge = Bridge::open();
    let id = bridge.asked("technology").await.id.to_string();
    let save = |draft: Value| json!({"page": fresh(), "n": 1, "draft": draft});
    bridge.call("save_draft", save(of_request(&id, "mine"))).await.unwrap();
    let mut stranger = of_request(&id, "mine");
    stranger["draft"]["answers"][0]["chosen"] = json!(["q2o1"]);
    let mut beyond = of_request(&id, "mine");
    beyond["draft"]["active"] = json!(9);
    let mut extra = of_request(&id, "mine");
    extra["draft"]["surprise"] = json!(1);
    let unknown = of_request(&fresh().to_string(), "mine");
    let refused = [
        (stranger, "invalid", json!("draft.answers[0].chosen")),
        (beyond, "invalid", json!("draft.active")),
        (extra, "invalid", json!("draft")),
        (unknown, "not_found", Value::Null),
    ];
    for (draft, code, field) in refused {
        let error = bridge.refused("save_draft", save(draft)).await;
        assert_eq!((&error["code"], &error["field"]), (&json!(code), &field), "{error}");
    }
    let kept = bridge.call("read_drafts", json!({})).await.unwrap();
    assert_eq!(kept, json!({"drafts": [of_request(&id, "mine")]}));
}
