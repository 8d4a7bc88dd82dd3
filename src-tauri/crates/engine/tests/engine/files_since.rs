//! What has changed in the folder since a message of the user.

use std::sync::Arc;
use std::time::Duration;

use askdesk_domain::SessionOptions;
use askdesk_engine::SessionCall;
use askdesk_engine::clock::Clock;
use tokio::time::sleep;

use crate::support::agents::Stage;

/// Putting the files back to another message would delete what the user wrote between the two.
#[tokio::test]
async fn a_message_before_which_nothing_was_recorded_is_not_compared_with_the_message_before() {
    let mut stage = Stage::open().await;
    let clock = Arc::clone(&stage.desk.clock);
    let ticking = tokio::spawn(async move {
        loop {
            clock.advance(1);
            sleep(Duration::from_millis(1)).await;
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let id = stage.desk.clock.session_id();
    let staging = stage.played(id, "technology", 0);
    stage.start_staged_in(folder.path().to_owned(), id, staging, Some("go"), SessionOptions::default()).await;
    stage.asked_one(id).await;
    std::fs::write(folder.path().join("notes.txt"), "mine\n").unwrap();
    // In a running turn, the files may already hold changes of the agent, so they are not recorded.
    stage.sessions.call(id, SessionCall::message("go on".to_owned())).await.unwrap();
    let messages = stage.desk.engine.user_messages(id).await.unwrap();
    let [first, second] = &messages[..] else { panic!("{messages:?}") };
    assert_eq!(stage.sessions.files_since(id, second.n).await.unwrap().unwrap(), None);
    let since = stage.sessions.files_since(id, first.n).await.unwrap().unwrap().unwrap();
    assert_eq!(since.files.iter().map(|file| &*file.path).collect::<Vec<_>>(), ["notes.txt"]);
    ticking.abort();
    stage.sessions.stop(id).await.unwrap();
}
