//! Images that Codex looks at.

use askdesk_testkit::mock_api::{Block, Reply};
use serde_json::json;

use super::world::World;
use crate::support::images::{PNG, shown};

#[tokio::test(flavor = "multi_thread")]
async fn case_126_an_image_that_codex_views_is_stored_with_its_call() {
    let test = "case_126_an_image_that_codex_views_is_stored_with_its_call";
    let Some(mut world) = World::open(test, Vec::new()).await else { return };
    let path = world.project.path().join("dot.png");
    std::fs::write(&path, PNG).unwrap();
    world.mock.push(Reply::new([Block::tool("call_1", "view_image", json!({"path": path}))]));
    world.mock.push(Reply::text("A few pixels."));
    let session = world.start("Look.").await;
    world.stage.until_idle_after(session, "A few pixels.").await;
    assert_eq!(shown(&world.stage.desk, session), [("View image".to_owned(), String::new(), PNG.to_vec())]);
    world.stage.sessions.stop(session).await.unwrap();
}
