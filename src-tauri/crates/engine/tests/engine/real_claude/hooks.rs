//! What hooks of the user's say in a session of the real `claude`.

use std::fs;

use askdesk_domain::Notice;
use askdesk_testkit::mock_api::{Block, Reply};
use serde_json::{Value, json};

use super::World;

fn hook(command: &str) -> Value {
    json!([{"hooks": [{"type": "command", "command": command}]}])
}

/// Makes hooks of the project's.
fn hooks(world: &World, hooks: &Value) {
    let folder = world.project.path().join(".claude");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("settings.json"), json!({ "hooks": hooks }).to_string()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_hooks_say_to_the_user_is_in_the_transcript() {
    let reads = json!({"file_path": "notes.txt"});
    let script = vec![Reply::new([Block::tool("toolu_1", "Read", reads)]), Reply::text("Read it.")];
    let Some(world) = World::open("what_hooks_say_to_the_user", script).await else { return };
    let says = |words: &str| hook(&format!("echo '{{\"systemMessage\":\"{words}\"}}'"));
    hooks(
        &world,
        &json!({"SessionStart": says("good morning"), "UserPromptSubmit": says("noted"), "Stop": says("well done")}),
    );
    let (mut stage, session) = world.started().await;
    stage.until_idle_after(session, "Read it.").await;
    let told: Vec<String> = stage
        .desk
        .mirror
        .notices(session)
        .into_iter()
        .filter_map(|notice| match notice {
            Notice::AgentTold { text } => Some(text.clone()),
            _ => None,
        })
        .collect();
    let expected =
        ["SessionStart:startup says: good morning", "UserPromptSubmit says: noted", "Stop says: well done"];
    assert_eq!(told, expected);
    stage.sessions.stop(session).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn why_a_hook_blocked_a_message_is_in_the_transcript() {
    let Some(world) = World::open("why_a_hook_blocked_a_message", Vec::new()).await else { return };
    hooks(&world, &json!({"UserPromptSubmit": hook("echo 'not on a Friday' >&2; exit 2")}));
    let (mut stage, session) = world.started().await;
    let blocked =
        |notice: &&Notice| matches!(notice, Notice::AgentWarned { text } if text.contains("not on a Friday"));
    stage.desk.until("the warning", |known| known.notices(session).iter().any(&blocked)).await;
    stage.until_idle(session).await;
    assert!(world.mock.conversation().is_empty(), "the model never hears of it");
    stage.sessions.stop(session).await.unwrap();
}
