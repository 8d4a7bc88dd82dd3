//! The changes of a session in a large repository: the time to compare its files, and to open a long diff.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use crate::harness::Setup;
use crate::latency::Times;

/// How many files the repository holds.
const FILES: usize = 50_000;
/// How many lines the changed file holds; every tenth differs.
const LINES: usize = 100_000;
/// How often the files are compared, and how often the diff is opened.
const TIMES: usize = 10;

/// What changes cost in a large repository.
pub struct Changes {
    /// From the command to its reply, which lists the changed files.
    pub listed: Times,
    /// From the click on the session's counts to the painted diff.
    pub opened: Times,
}

impl Changes {
    pub fn json(&self) -> Value {
        json!({ "files": FILES, "lines": LINES, "listed_ms": self.listed.json(), "opened_ms": self.opened.json() })
    }
}

pub async fn measure() -> Changes {
    let project = tempfile::tempdir().unwrap();
    repository(project.path());
    let app = Setup::default().open().await;
    let scenario = app.scenario("changes", json!([[{ "say": { "text": "Ready." } }]]));
    let input = json!({ "agent": "demo", "folder": project.path(), "options": { "config": { "example": scenario } },
        "name": "Large", "prompt": "Please begin." });
    let session = app.start_session(input).await;
    app.select(&session).await;
    app.in_state(&session, "idle").await;
    let list = json!({ "session": session });
    assert_eq!(app.invoke("list_changes", list.clone()).await.unwrap()["files"], json!([]));
    fs::write(project.path().join("long.ts"), long("after")).unwrap();
    let mut listed = Vec::new();
    for _ in 0..TIMES {
        let began = Instant::now();
        let changes = app.invoke("list_changes", list.clone()).await.unwrap();
        listed.push(began.elapsed().as_secs_f64() * 1e3);
        assert_eq!(changes["files"].as_array().unwrap().len(), 1);
    }
    app.find("[data-changes-chip]").await;
    let mut opened = Vec::new();
    for _ in 0..TIMES {
        opened.push(app.client.execute_async(OPEN, vec![]).await.unwrap().as_f64().unwrap());
        app.client.execute("document.querySelector('[data-changes-chip]').click()", vec![]).await.unwrap();
        app.gone("[data-diff]").await;
    }
    app.close().await;
    Changes { listed: Times(listed), opened: Times(opened) }
}

/// Makes a repository whose files are committed.
fn repository(folder: &Path) {
    for n in 0..FILES - 1 {
        let inside = folder.join(format!("part{}", n / 100));
        if n % 100 == 0 {
            fs::create_dir(&inside).unwrap();
        }
        fs::write(inside.join(format!("file{n}.ts")), format!("export const value = {n};\n")).unwrap();
    }
    fs::write(folder.join("long.ts"), long("before")).unwrap();
    for arguments in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "first"],
    ] {
        assert!(Command::new("git").args(arguments).current_dir(folder).status().unwrap().success());
    }
}

fn long(word: &str) -> String {
    (0..LINES)
        .map(|n| format!("const value{n} = {}({n});\n", if n % 10 == 5 { word } else { "same" }))
        .collect()
}

/// Opens the changes and tells how long it took until the diff was painted.
const OPEN: &str = "
    const [done] = arguments;
    const began = performance.now();
    document.querySelector('[data-changes-chip]').click();
    const look = () => {
        if (!document.querySelector('[data-diff] ins')) return requestAnimationFrame(look);
        setTimeout(() => done(performance.now() - began));
    };
    requestAnimationFrame(look);";
