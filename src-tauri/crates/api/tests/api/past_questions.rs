//! The questions of the past as the window asks for them: found, counted, written to a file.

use crate::bridge::Bridge;
use askdesk_contract::Exported;
use askdesk_domain::Request;
use serde_json::{Value, json};

async fn asked(bridge: &Bridge, example: &str) -> Request {
    bridge.asked(example).await
}

async fn answer(bridge: &Bridge, request: &Request, answers: Value) {
    bridge.run("answer_question", json!({"id": request.id, "answers": answers})).await;
}

fn wanted(query: &str, session: Option<&Request>, outcomes: &[&str]) -> Value {
    json!({"query": query, "session": session.map(|it| it.session), "outcomes": outcomes})
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
async fn what_was_filtered_is_written_as_a_table_that_no_spreadsheet_takes_for_formulas() {
    let bridge = Bridge::open();
    let first = asked(&bridge, "features").await;
    let words = "=HYPERLINK(\"http://x\";\"y\")";
    let choice =
        json!([{"question": "q1", "chosen": ["q1o2", "q1o4"], "other": words, "note": "-1, really\nyes"}]);
    answer(&bridge, &first, choice).await;
    let second = asked(&bridge, "technology").await;
    bridge.run("decline_question", json!({"id": second.id, "words": "@later"})).await;

    let file = bridge.folder.path().join("questions.csv");
    *bridge.host.chosen.lock().unwrap() = Some(file.clone());
    let saved = save(&bridge, wanted("", None, &[]), "csv").await;
    let Exported { text, file_name } = bridge.host.saved.lock().unwrap().remove(0);
    assert!(file_name.starts_with("questions-20") && file_name.ends_with(".csv"), "{file_name}");
    assert_eq!((&saved["path"], std::fs::read_to_string(&file).unwrap()), (&json!(file), text.clone()));
    let rows = rows(&text);
    assert_eq!(rows.len(), 2);
    assert_eq!((rows[0]["outcome"].as_str(), rows[0]["why"].as_str()), ("declined", "'@later"));
    assert_eq!((rows[0]["chosen"].as_str(), rows[0]["ended_by"].as_str()), ("", "user"));
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
    assert_eq!(
        self::rows(&bridge.host.saved.lock().unwrap()[0].text).len(),
        1,
        "only what is filtered is written"
    );
}

#[tokio::test]
async fn what_was_filtered_is_written_for_programs() {
    let bridge = Bridge::open();
    let request = asked(&bridge, "technology").await;
    answer(&bridge, &request, json!([{"question": "q1", "chosen": ["q1o2"], "note": "=1"}])).await;
    save(&bridge, wanted("", Some(&request), &[]), "json").await;
    let Exported { text, file_name } = bridge.host.saved.lock().unwrap().remove(0);
    assert!(file_name.ends_with(".json"), "{file_name}");
    let whole: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&whole["format"], &whole["version"]), (&json!("askdesk-questions"), &json!(1)));
    let one = &whole["questions"][0];
    assert_eq!((&one["name"], &one["request"]["id"]), (&json!("Demo"), &json!(request.id)));
    assert_eq!(one["request"]["state"]["outcome"]["answers"][0]["note"], "=1", "a program needs no guard");
}
