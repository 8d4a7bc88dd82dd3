//! Images that OpenCode reads.

use askdesk_testkit::mock_api::{Block, Reply};
use serde_json::json;

use super::World;
use crate::support::images::{PNG, shown};

#[tokio::test(flavor = "multi_thread")]
async fn case_126_an_image_that_opencode_reads_is_stored_with_its_call() {
    let Some(world) = World::open("case_126_an_image_that_opencode_reads", Vec::new()).await else { return };
    let path = world.project.path().join("dot.png");
    std::fs::write(&path, PNG).unwrap();
    world.mock.push(Reply::new([Block::tool("call_1", "read", json!({"filePath": path}))]));
    world.mock.push(Reply::text("A few pixels."));
    let (mut stage, session) = world.started().await;
    stage.until_idle_after(session, "A few pixels.").await;
    let shown = shown(&stage.desk, session);
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert_eq!((shown[0].0.as_str(), &shown[0].2[..]), ("read", PNG));
    stage.sessions.stop(session).await.unwrap();
}
