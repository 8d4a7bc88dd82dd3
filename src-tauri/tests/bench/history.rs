//! A desk with a long history: what a click on a session, a search, and the History view take.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::Setup;
use crate::latency::{Times, numbers};

/// How many sessions are opened by a click.
const CLICKS: usize = 20;
/// How often each search and count is made.
const READS: usize = 40;
/// One word, two words, and the beginning of a word; words that many entries and few entries contain.
const SEARCHES: [(&str, [&str; 4]); 3] = [
    ("one_word", ["database", "Fehler", "latency", "Warteschlange"]),
    ("two_words", ["the session", "database error", "Fehler Datei", "reader timeout"]),
    ("prefix", ["ba", "se", "Ver", "dat"]),
];

pub async fn measure(folder: &Path) -> Value {
    let app = Setup::default().data(folder).open().await;
    app.find("nav [data-session]").await;
    let clicks = app.client.execute_async(CLICK, vec![json!(CLICKS)]).await.unwrap();
    let mut searches = serde_json::Map::new();
    for (name, queries) in SEARCHES {
        let inputs: Vec<Value> = queries.iter().map(|query| json!({ "query": query, "limit": 50 })).collect();
        searches.insert(name.to_owned(), times(&app, "search_history", &inputs).await);
    }
    let days: Vec<i64> = (0..31).map(|day| 1_767_225_600_000 + day * 86_400_000).collect();
    let questions = json!({ "wanted": { "query": "", "session": null, "outcomes": [] }, "days": days });
    let usage = json!({ "session": null, "days": days });
    let result = json!({
        "click_to_painted_ms": Times(numbers(&clicks)).json(),
        "search_ms": searches,
        "count_questions_ms": times(&app, "count_questions", &[questions]).await,
        "count_usage_ms": times(&app, "count_usage", &[usage]).await,
    });
    app.close().await;
    result
}

async fn times(app: &crate::harness::App, command: &str, inputs: &[Value]) -> Value {
    let arguments = vec![json!(command), json!(inputs), json!(READS)];
    let result = app.client.execute_async(CALL, arguments).await.unwrap();
    assert!(result.is_array(), "{command} failed: {result}");
    Times(numbers(&result)).json()
}

/// Makes a call as often as wanted, with the inputs in turn, and returns how long each took in the page.
const CALL: &str = "
    const [command, inputs, count, done] = arguments;
    (async () => {
        const times = [];
        for (let n = 0; n < count; n += 1) {
            const began = performance.now();
            await window.__TAURI_INTERNALS__.invoke(command, { input: inputs[n % inputs.length] });
            times.push(performance.now() - began);
        }
        return times;
    })().then(done, error => done(JSON.stringify(error)));";

/// Clicks on sessions in view that were not opened before, and returns how long each took until the last words of its transcript
/// were painted.
const CLICK: &str = "
    const [count, done] = arguments;
    const invoke = window.__TAURI_INTERNALS__.invoke;
    const plain = text => text.replace(/[^\\p{L}\\p{N} ]/gu, ' ').split(/\\s+/).filter(word => word.length > 3);
    (async () => {
        const ids = [...document.querySelectorAll('nav [data-session]')].map(row => row.dataset.session).slice(1, count + 1);
        const times = [];
        for (const session of ids) {
            const page = await invoke('read_transcript', { input: { session, before: null, limit: 50 } });
            const said = page.entries.findLast(entry => entry.body.kind === 'agent');
            const words = plain(said.body.text).slice(-3);
            await new Promise(resolve => setTimeout(resolve, 200));
            const began = performance.now();
            document.querySelector(`nav [data-session='${session}']`).click();
            await new Promise(resolve => {
                const look = () => {
                    const last = [...document.querySelectorAll('main [data-entry]')].map(entry => entry.textContent).join(' ');
                    if (words.every(word => last.includes(word))) setTimeout(resolve);
                    else requestAnimationFrame(look);
                };
                requestAnimationFrame(look);
            });
            times.push(performance.now() - began);
        }
        return times;
    })().then(done, error => done(String(error)));";
