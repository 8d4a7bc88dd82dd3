//! The real `claude` with lines of more than a mebibyte.

use std::path::Path;

use askdesk_agents::WHOLE_LINE;
use askdesk_domain::{EntryBody, Notice, ToolStatus};
use askdesk_testkit::mock_api::{Block, Reply};
use serde_json::{Value, json};

use super::{REQUEST_WITHIN, World};
use crate::support::agents::{Stage, decides};

const MEBIBYTE: usize = 1024 * 1024;

/// Writes a picture of noise, which no compression makes smaller: 1.5 MB.
fn write_noise(path: &Path) {
    const SIDE: u32 = 720;
    let mut state = 1_u32;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    });
    let pixels: Vec<u8> = noise.take((3 * SIDE * SIDE) as usize).collect();
    let mut encoder = png::Encoder::new(std::fs::File::create(path).unwrap(), SIDE, SIDE);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn case_110_an_image_of_more_than_a_mebibyte_that_the_agent_reads_ends_its_row_and_the_turn_goes_on() {
    let test = "case_110_an_image_of_more_than_a_mebibyte";
    let Some(world) = World::open(test, Vec::new()).await else { return };
    let image = world.project.path().join("noise.png");
    write_noise(&image);
    assert!(std::fs::metadata(&image).unwrap().len() > 1_500_000);
    world.mock.push(Reply::new([Block::tool("toolu_1", "Read", json!({"file_path": image}))]));
    world.mock.push(Reply::text("It is noise."));
    let mut stage = Stage::open().await;
    let session = world.start(&stage).await;
    stage.until_said(session, "It is noise.").await;
    stage.until_idle(session).await;
    let heard = world.mock.wait_for_request(2, REQUEST_WITHIN).await.unwrap();
    // It makes the picture smaller for the model, and writes that twice into the line for us (measured with 2.1.329).
    let results = heard["messages"].as_array().unwrap().last().unwrap()["content"].as_array().unwrap();
    let image = results[0].pointer("/content/0/source/data").and_then(Value::as_str).unwrap();
    assert!(2 * image.len() > MEBIBYTE, "{} bytes", image.len());
    let transcript = stage.desk.mirror.transcript(session);
    let mut tools = transcript.iter().filter_map(|body| match body {
        EntryBody::Tool { status, output, images, .. } => Some((*status, output.as_deref(), images.len())),
        _ => None,
    });
    assert_eq!(tools.next(), Some((ToolStatus::Done, Some(""), 1)));
    assert_eq!(
        stage.desk.mirror.notices(session),
        Vec::<&Notice>::new(),
        "nothing is reported as unreadable"
    );
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}

/// A model that writes a file of this size, and then says that it is over.
fn write_file(world: &World, bytes: usize) -> std::path::PathBuf {
    let path = world.project.path().join("large.txt");
    let content = "0123456789abcde\n".repeat(bytes / 16);
    let write = Block::tool("toolu_1", "Write", json!({"file_path": path, "content": content}));
    world.mock.push(Reply::new([write]));
    world.mock.push(Reply::text("That was it."));
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn case_110_a_permission_of_more_than_a_mebibyte_is_asked_and_its_file_is_written_whole() {
    let Some(world) = World::open("case_110_claude_large_permission", Vec::new()).await else { return };
    let bytes = MEBIBYTE + MEBIBYTE / 4;
    let path = write_file(&world, bytes);
    let mut stage = Stage::open().await;
    let session = world.start(&stage).await;
    stage.desk.until("the permission", |known| known.open_approval(session).is_some()).await;
    let approval = stage.desk.mirror.open_approval(session).unwrap().clone();
    assert!(approval.subject.is_cut(), "the page gets no megabytes");
    assert!(!path.exists());
    stage.desk.engine.decide_approval(approval.id, decides(&["allow"])).await.unwrap();
    stage.until_idle_after(session, "That was it.").await;
    assert_eq!(std::fs::metadata(&path).unwrap().len(), bytes as u64);
    assert_eq!(stage.desk.mirror.tool_statuses(session), [ToolStatus::Done]);
    assert_eq!(stage.desk.mirror.notices(session), Vec::<&Notice>::new());
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn case_110_a_permission_that_is_too_large_is_refused_in_words_and_no_tool_stays_running() {
    let Some(world) = World::open("case_110_claude_too_large_permission", Vec::new()).await else { return };
    let path = write_file(&world, WHOLE_LINE + MEBIBYTE);
    let mut stage = Stage::open().await;
    let session = world.start(&stage).await;
    stage.until_idle_after(session, "That was it.").await;
    assert!(!path.exists());
    let told = world.mock.tool_results().remove(0);
    assert!(told["content"].to_string().contains("Split it into smaller requests"), "{told}");
    let notices = stage.desk.mirror.notices(session);
    assert!(
        matches!(notices.as_slice(), [Notice::PermissionRefused { reason }] if reason.contains("it is too large")),
        "{notices:?}"
    );
    assert_eq!(stage.desk.mirror.tool_statuses(session), [ToolStatus::Failed]);
    stage.desk.check_mirror().await;
    stage.sessions.stop(session).await.unwrap();
}
