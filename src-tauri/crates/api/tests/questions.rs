//! The questions of the past as the window asks for them: found, counted, written to a file.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    reason = "what tests share may fail the test"
)]

#[path = "support/desk.rs"]
mod desk;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use askdesk_api::dto::Exported;
use askdesk_api::{Save, Unsaved};
use askdesk_domain::Request;
use desk::{Bridge, fresh};
use serde_json::{Value, json};

/// A bridge whose person saves everything, and what was written.
fn saving() -> (Bridge, Arc<Mutex<Vec<Exported>>>) {
    let written = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&written);
    let save: Save = Arc::new(move |exported| {
        let path = PathBuf::from("/home/ada").join(&exported.file_name);
        kept.lock().unwrap().push(exported);
        Box::pin(async move { Ok(Some(path)) })
    });
    (with(save), written)
}

fn with(save: Save) -> Bridge {
    let Bridge { api, folder, painted, chosen } = Bridge::open();
    Bridge { api: api.saving(save), folder, painted, chosen }
}

async fn asked(bridge: &Bridge, example: &str) -> Request {
    bridge.asked(example).await
}

async fn answer(bridge: &Bridge, request: &Request, answers: Value) {
    let answer = json!({"requestId": fresh(), "id": request.id, "answers": answers});
    bridge.call("answer_question", answer).await.unwrap();
}

fn wanted(query: &str, session: Option<&Request>, outcomes: &[&str]) -> Value {
    json!({"query": query, "session": session.map(|it| it.session), "outcomes": outcomes})
}

async fn search(bridge: &Bridge, wanted: Value) -> Value {
    bridge.call("search_questions", json!({"wanted": wanted, "limit": 20})).await.unwrap()
}

async fn save(bridge: &Bridge, wanted: Value, format: &str) -> Value {
    bridge.call("save_questions", json!({"wanted": wanted, "format": format})).await.unwrap()
}

/// The rows of a table by the names of its columns.
fn rows(text: &str) -> Vec<std::collections::HashMap<String, String>> {
    let mut table = csv::Reader::from_reader(text.as_bytes());
    table.deserialize().map(|row| row.unwrap()).collect()
}

#[tokio::test]
async fn case_46_a_finished_question_is_found_by_words_session_and_end_with_its_time_to_answer() {
    let (bridge, _) = saving();
    let first = asked(&bridge, "technology").await;
    answer(&bridge, &first, json!([{"question": "q1", "chosen": [], "other": "a lighthouse"}])).await;
    let second = asked(&bridge, "technology").await;
    let decline = json!({"requestId": fresh(), "id": second.id, "words": "not now"});
    bridge.call("decline_question", decline).await.unwrap();

    let all = search(&bridge, wanted("", None, &[])).await;
    assert_eq!((&all["count"], &all["answered"], &all["more"]), (&json!(2), &json!(1), &json!(false)));
    assert!(all["medianMillis"].is_u64(), "{all}");
    assert_eq!(all["questions"][0]["request"]["id"], json!(second.id), "the newest first");
    assert_eq!(all["questions"][1]["name"], "Demo");
    let by_words = search(&bridge, wanted("lightho", None, &[])).await;
    assert_eq!(
        by_words["questions"][0]["request"]["state"]["outcome"]["answers"][0]["other"],
        "a lighthouse"
    );
    assert_eq!(by_words["count"], 1);
    assert_eq!(search(&bridge, wanted("", Some(&second), &[])).await["count"], 1);
    let declined = search(&bridge, wanted("", None, &["declined", "orphaned"])).await;
    assert_eq!(
        (&declined["count"], &declined["medianMillis"]),
        (&json!(1), &Value::Null),
        "what nobody answered has no time to answer"
    );
}

#[tokio::test]
async fn what_does_not_fit_names_its_field() {
    let (bridge, _) = saving();
    for (input, field) in [
        (
            json!({"wanted": {"query": "", "session": null, "outcomes": ["vanished"]}, "limit": 1}),
            "wanted.outcomes[0]",
        ),
        (json!({"wanted": {"query": 1, "session": null, "outcomes": []}, "limit": 1}), "wanted.query"),
        (json!({"wanted": {"query": "", "session": "x", "outcomes": []}, "limit": 1}), "wanted.session"),
    ] {
        let error = bridge.refused("search_questions", input).await;
        assert_eq!((&error["code"], &error["field"]), (&json!("invalid"), &json!(field)));
    }
}

#[tokio::test]
async fn what_was_filtered_is_written_as_a_table_that_no_spreadsheet_takes_for_formulas() {
    let (bridge, written) = saving();
    let first = asked(&bridge, "features").await;
    let words = "=HYPERLINK(\"http://x\";\"y\")";
    let choice =
        json!([{"question": "q1", "chosen": ["q1o2", "q1o4"], "other": words, "note": "-1, really\nyes"}]);
    answer(&bridge, &first, choice).await;
    let second = asked(&bridge, "technology").await;
    let decline = json!({"requestId": fresh(), "id": second.id, "words": "@later"});
    bridge.call("decline_question", decline).await.unwrap();

    let saved = save(&bridge, wanted("", None, &[]), "csv").await;
    let Exported { text, file_name } = written.lock().unwrap().remove(0);
    assert!(file_name.starts_with("questions-20") && file_name.ends_with(".csv"), "{file_name}");
    assert_eq!(saved["path"], json!(format!("/home/ada/{file_name}")));
    let rows = rows(&text);
    assert_eq!(rows.len(), 2);
    assert_eq!((rows[0]["outcome"].as_str(), rows[0]["why"].as_str()), ("declined", "'@later"));
    assert_eq!((rows[0]["chosen"].as_str(), rows[0]["ended_by"].as_str()), ("", "person"));
    let row = &rows[1];
    assert_eq!(row["chosen"], "Full-text search\nExport");
    assert_eq!(
        (row["own_words"].as_str(), row["note"].as_str()),
        (format!("'{words}").as_str(), "'-1, really\nyes")
    );
    assert_eq!(
        (row["session"].as_str(), row["kind"].as_str(), row["agent"].as_str()),
        ("Demo", "multi", "demo")
    );
    assert_eq!(row["question"], first.questions[0].text);
    assert!(row["options"].starts_with("Dark mode\nFull-text search\n"), "{}", row["options"]);
    assert!(row["waited_seconds"].parse::<f64>().unwrap() >= 0.0);
    assert!(row["asked_at"].ends_with('Z') && row["asked_at"] <= row["ended_at"]);

    save(&bridge, wanted("", None, &["answered"]), "csv").await;
    assert_eq!(self::rows(&written.lock().unwrap()[0].text).len(), 1, "only what is filtered is written");
}

#[tokio::test]
async fn what_was_filtered_is_written_for_programs() {
    let (bridge, written) = saving();
    let request = asked(&bridge, "technology").await;
    answer(&bridge, &request, json!([{"question": "q1", "chosen": ["q1o2"], "note": "=1"}])).await;
    save(&bridge, wanted("", Some(&request), &[]), "json").await;
    let Exported { text, file_name } = written.lock().unwrap().remove(0);
    assert!(file_name.ends_with(".json"), "{file_name}");
    let whole: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&whole["format"], &whole["version"]), (&json!("askdesk-questions"), &json!(1)));
    let one = &whole["questions"][0];
    assert_eq!((&one["name"], &one["request"]["id"]), (&json!("Demo"), &json!(request.id)));
    assert_eq!(one["request"]["state"]["outcome"]["answers"][0]["note"], "=1", "a program needs no guard");
}

#[tokio::test]
async fn a_person_who_chooses_no_file_gets_none_and_an_error_is_said() {
    let none = with(Arc::new(|_| Box::pin(async { Ok(None) })));
    assert_eq!(save(&none, wanted("", None, &[]), "csv").await["path"], Value::Null);
    let full = with(Arc::new(|_| {
        Box::pin(async {
            {
                let path = Some(PathBuf::from("/srv/past.json"));
                Err(Unsaved { path, error: "the disk is full".to_owned() })
            }
        })
    }));
    let input = json!({"wanted": wanted("", None, &[]), "format": "json"});
    let error = full.refused("save_questions", input).await;
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!("file_not_written"), &json!("/srv/past.json: the disk is full"))
    );
    let file = json!({"detail": "file", "path": "/srv/past.json", "error": "the disk is full"});
    assert_eq!(error["detail"], file);
}
