//! An agent that goes on where the folder of its session was moved to.

use askdesk_domain::{LaunchOverrides, SessionId};
use askdesk_engine::SessionCall;
use askdesk_testkit::mock_api::MockApi;
use tempfile::TempDir;

use super::agents::Stage;

/// Stops a session whose model has said "Hi.", moves its folder, and checks that the agent knows the conversation there. The
/// model says "Still here." next.
pub async fn goes_on_in_the_moved_folder(
    stage: &mut Stage,
    mock: &MockApi,
    project: &TempDir,
    session: SessionId,
    stage_resume: impl Fn(&Stage),
) {
    stage.stop(session).await;
    let moved = tempfile::tempdir().unwrap();
    let folder = moved.path().join("moved");
    std::fs::rename(project.path(), &folder).unwrap();
    stage.sessions.change_folder(session, folder.clone()).await.unwrap();
    stage_resume(stage);
    stage.sessions.resume(session, &LaunchOverrides::default()).await.unwrap();
    stage.desk.catch_up();
    stage.sessions.call(session, SessionCall::message("And now?".to_owned())).await.unwrap();
    stage.until_idle_after(session, "Still here.").await;
    let heard = mock.conversation().last().unwrap().to_string();
    // The first message of each test ends so.
    assert!(heard.contains("go on.") && heard.contains("And now?"), "{heard}");
    assert!(heard.contains(&folder.display().to_string()), "{heard}");
    std::fs::create_dir(project.path()).unwrap();
    stage.sessions.shut_down().await;
}
