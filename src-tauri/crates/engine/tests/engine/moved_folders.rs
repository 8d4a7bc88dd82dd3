//! Sessions whose folder was moved or renamed.

use askdesk_domain::{AgentFailure, FolderError, Rejection, SessionEnd, SessionOptions, ValidationError};
use askdesk_engine::EngineError;
use askdesk_engine::clock::Clock;

use crate::support::agents::Stage;

#[tokio::test]
async fn an_ended_session_is_resumed_in_the_folder_that_its_own_one_became() {
    let mut stage = Stage::open().await;
    let root = tempfile::tempdir().unwrap();
    let (old, new) = (root.path().join("old"), root.path().join("new"));
    std::fs::create_dir(&old).unwrap();
    std::fs::write(old.join("notes.txt"), "one\n").unwrap();
    let id = stage.desk.clock.session_id();
    let staging = stage.played(id, "technology", 0);
    stage.start_staged_in(old.clone(), id, staging, Some("go"), SessionOptions::default()).await;
    stage.asked_one(id).await;
    let refused = stage.sessions.change_folder(id, root.path().to_owned()).await.unwrap_err();
    let running = Rejection::invalid("session", ValidationError::StillRunning);
    assert!(matches!(&refused, EngineError::Reject(why) if *why == running), "{refused:?}");
    stage.stop(id).await;

    std::fs::rename(&old, &new).unwrap();
    std::fs::write(new.join("notes.txt"), "two\n").unwrap();
    stage.resume(id, "technology").await;
    stage.desk.catch_up();
    let gone =
        AgentFailure::FolderUnusable { path: old.display().to_string(), problem: FolderError::Missing };
    assert_eq!(stage.until_ended(id).await, SessionEnd::Failed { why: gone });

    stage.sessions.change_folder(id, new.clone()).await.unwrap();
    stage.resume(id, "technology").await;
    stage.desk.until("it runs again", |known| known.sessions[&id].is_running()).await;
    assert_eq!(stage.desk.mirror.sessions[&id].folder, new.display().to_string());
    // What the session changed before the folder was moved is still listed.
    let listed = stage.desk.engine.changes().list(id, &new).await.unwrap();
    assert_eq!(listed.files.iter().map(|file| &*file.path).collect::<Vec<_>>(), ["notes.txt"]);
    stage.desk.check_mirror().await;
    stage.sessions.stop(id).await.unwrap();
}
