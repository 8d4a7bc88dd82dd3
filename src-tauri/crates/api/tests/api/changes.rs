//! The changed files of a session, as the window reads and reverts them.

use std::fs;
use std::path::Path;

use askdesk_contract::frame::{SessionChanges, Snapshot};
use serde_json::{Value, json};

use crate::bridge::{Bridge, fresh, playing};
use crate::worktrees::{Code, until_idle};

/// Starts a session whose agent plays these turns in a folder.
async fn start(bridge: &Bridge, folder: &Path, turns: Value) -> Value {
    let program = playing(bridge, &turns);
    let input = json!({"requestId": fresh(), "agent": "claude_code", "folder": folder, "prompt": "go",
        "options": {"program": program}});
    let session = bridge.call("start_session", input).await.unwrap();
    until_idle(bridge).await;
    session["id"].clone()
}

fn edits() -> Value {
    json!([[
        {"write_file": {"path": "a.txt", "text": "one\n2\n"}},
        {"write_file": {"path": "new/b.txt", "text": "b\n"}},
        {"tool": {"name": "Bash", "input": {"command": "true"}}},
        {"say": {"text": "Done."}},
    ]])
}

fn sums(now: &Snapshot) -> Vec<(u32, u32, u32)> {
    let sums = |it: &SessionChanges| (it.totals.files, it.totals.added, it.totals.removed);
    now.changed_files.iter().map(sums).collect()
}

#[tokio::test]
async fn case_83_the_changes_of_an_agent_are_published_listed_and_read() {
    let (bridge, code) = (Bridge::open(), Code::new());
    let session = start(&bridge, &code.folder(), edits()).await;
    bridge.until("the sums are published", |now| sums(now) == [(2, 2, 1)]).await;
    let listed = bridge.call("list_changes", json!({"session": session})).await.unwrap();
    let paths = listed["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect::<Vec<_>>();
    assert_eq!(paths, ["a.txt", "new/b.txt"]);
    let file = &listed["files"][0];
    let read = json!({"session": session, "id": file["id"], "version": file["version"]});
    let change = bridge.call("read_change", read).await.unwrap();
    assert_eq!(change["parts"][1], json!({"part": "changed", "removed": ["two"], "added": ["2"]}));

    // Another run of the app knows the sums before it compares anything.
    bridge.api.sessions().shut_down().await;
    let bridge = bridge.reopen();
    assert_eq!(sums(&bridge.snapshot().await), [(2, 2, 1)]);
    let again = bridge.call("list_changes", json!({"session": session})).await.unwrap();
    assert_eq!(again, listed);
}

#[tokio::test]
async fn the_recorded_state_is_private_and_goes_with_its_session() {
    let (bridge, code) = (Bridge::open(), Code::new());
    let session = start(&bridge, &code.folder(), edits()).await;
    let store = bridge.folder.path().join("data/changes").join(session.as_str().unwrap());
    assert!(store.join("baseline.json").exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for folder in [store.parent().unwrap(), &store] {
            assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }
    bridge.run("stop_session", json!({"session": session})).await;
    bridge.run("close_session", json!({"session": session})).await;
    bridge.run("delete_session", json!({"session": session})).await;
    assert!(!store.exists());
    assert_eq!(bridge.snapshot().await.changed_files, []);
    assert!(code.folder().join("new/b.txt").exists());
}
