//! Files in the composer: the time from a key behind the at sign to the painted list, in a folder with many files.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::Setup;
use crate::latency::{Times, numbers};

/// How many files the folder holds.
const FILES: usize = 100_000;
/// What is typed behind the at sign, key by key.
const TYPED: [&str; 6] =
    ["serv", "src/part7/hand", "ctrl42", "src/part12/controller1202", "part999", "index99999"];

/// What finding a file costs in a large folder.
pub struct Files {
    /// From the first at sign, for which the folder is listed, to the painted list.
    pub first: f64,
    /// From each later key to the painted list.
    pub keys: Times,
}

impl Files {
    pub fn json(&self) -> Value {
        json!({ "files": FILES, "first_ms": crate::rounded(self.first), "key_to_list_ms": self.keys.json() })
    }
}

pub async fn measure() -> Files {
    let project = tempfile::tempdir().unwrap();
    fill(project.path());
    let app = Setup::default().open().await;
    let scenario = app.scenario("files", json!([[{ "say": { "text": "Ready." } }]]));
    let input = json!({ "agent": "demo", "folder": project.path(), "options": { "config": { "example": scenario } },
        "name": "Large", "prompt": "Please begin." });
    let session = app.start_session(input).await;
    app.select(&session).await;
    app.in_state(&session, "idle").await;
    app.press(&app.find("[data-composer]").await).await;
    let times = app.client.execute_async(TYPE, vec![json!(TYPED)]).await.unwrap();
    let mut times = numbers(&times);
    let first = times.remove(0);
    app.close().await;
    Files { first, keys: Times(times) }
}

fn fill(folder: &Path) {
    let names = ["service", "handler", "controller", "index"];
    for n in 0..FILES {
        let inside = folder.join(format!("src/part{}", n / 100));
        if n % 100 == 0 {
            fs::create_dir_all(&inside).unwrap();
        }
        fs::write(inside.join(format!("{}{n}.rs", names[n % names.len()])), "").unwrap();
    }
}

/// Types each text key by key, and returns how long it took until the list of each was painted.
const TYPE: &str = "
    const [texts, done] = arguments;
    const field = document.querySelector('[data-composer]');
    const query = () => document.querySelector('[data-completion]')?.dataset.completion ?? null;
    const times = [];
    const painted = (typed, began) => new Promise(resolve => {
        const look = () => {
            if (query() !== typed) return requestAnimationFrame(look);
            setTimeout(() => { times.push(performance.now() - began); resolve(); });
        };
        requestAnimationFrame(look);
    });
    (async () => {
        for (const text of texts) {
            field.focus();
            field.select();
            let began = performance.now();
            document.execCommand('insertText', false, '@\"');
            await painted('', began);
            let typed = '';
            for (const letter of text) {
                await new Promise(resolve => setTimeout(resolve, 60));
                began = performance.now();
                typed += letter;
                document.execCommand('insertText', false, letter);
                await painted(typed, began);
            }
        }
        return times;
    })().then(done, error => done(String(error)));";
