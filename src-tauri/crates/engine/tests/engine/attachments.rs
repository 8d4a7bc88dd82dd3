//! Images and files of messages: what the agent receives, what is stored, and what is deleted with a session.

use std::path::PathBuf;

use crate::support::agents::{Play, Stage};
use crate::support::desk::poll;
use askdesk_domain::{
    Attachment, Command, EntryBody, Notice, Rejection, SessionCommand, SessionEnd, SessionId,
};
use askdesk_engine::clock::Clock;
use askdesk_engine::{EngineError, Message, SessionCall};
use serde_json::{Value, json};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nas good as an image";
const PNG_IN_BASE64: &str = "iVBORw0KGgphcyBnb29kIGFzIGFuIGltYWdl";

fn image(stage: &Stage, session: SessionId) -> Attachment {
    stage.desk.engine.images().keep(session, "shot.png", PNG).unwrap()
}

fn file(stage: &Stage, name: &str) -> (PathBuf, Attachment) {
    let path = stage.desk.folder.join(name);
    std::fs::write(&path, "words").unwrap();
    let attachment = Attachment::File { path: path.display().to_string(), bytes: 5 };
    (path, attachment)
}

/// The image files of a session.
fn kept(stage: &Stage, session: SessionId) -> Vec<PathBuf> {
    let folder = stage.desk.folder.join("images").join(session.to_string());
    let files = std::fs::read_dir(folder).map(|files| files.map(|file| file.unwrap().path()).collect());
    files.unwrap_or_default()
}

fn contents(stage: &Stage, session: SessionId) -> Vec<Value> {
    let sent = stage.sent(session).into_iter().filter(|line| line["type"] == "user");
    sent.map(|line| line["message"]["content"].clone()).collect()
}

fn said_with(stage: &Stage, session: SessionId) -> Vec<(String, usize)> {
    let entries = stage.desk.mirror.transcript(session).into_iter();
    let user = |body: &EntryBody| match body {
        EntryBody::User { text, attachments } => Some((text.clone(), attachments.len())),
        _ => None,
    };
    entries.filter_map(user).collect()
}

fn image_block() -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG_IN_BASE64}})
}

#[tokio::test]
async fn an_image_reaches_the_agent_byte_for_byte_and_a_file_by_its_path() {
    let (mut stage, session) = Stage::idle().await;
    let (path, file) = file(&stage, "notes of mine.txt");
    let attachments = vec![image(&stage, session), file];
    let message = Message { text: "look".to_owned(), attachments, closes: vec![] };
    stage.sessions.call(session, SessionCall::message(message)).await.unwrap();
    stage.asked_one(session).await;
    let words = format!("look\n\n@\"{}\"", path.display());
    assert_eq!(contents(&stage, session), [json!([image_block(), {"type": "text", "text": words}])]);
    assert_eq!(said_with(&stage, session), [("look".to_owned(), 2)]);
    let found = stage.desk.engine.search("shot".to_owned(), 10, 0).await.unwrap();
    assert_eq!(found.hits.len(), 1, "it is found by the name of the image");
    let journal = std::fs::read(stage.desk.folder.join("desk.db-wal")).unwrap();
    let contains = |bytes: &[u8]| journal.windows(bytes.len()).any(|part| part == bytes);
    assert!(!contains(b"as good as an image") && !contains(PNG_IN_BASE64.as_bytes()));
}

#[tokio::test]
async fn a_message_with_a_missing_attachment_is_not_sent_and_ends_no_question() {
    let mut stage = Stage::open().await;
    let session = stage.start(Play::of("technology")).await;
    let request = stage.asked_one(session).await;
    let (path, file) = file(&stage, "notes.txt");
    std::fs::remove_file(path).unwrap();
    let image = image(&stage, session);
    std::fs::remove_file(&kept(&stage, session)[0]).unwrap();
    for gone in [file, image] {
        let message = Message { text: "look".to_owned(), attachments: vec![gone], closes: vec![] };
        let refused = stage.sessions.call(session, SessionCall::message(message)).await;
        let Err(EngineError::Reject(Rejection::Invalid { field, .. })) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(field, "attachments");
    }
    assert!(stage.desk.request(request.id).await.is_open());
    assert_eq!(contents(&stage, session), [json!("go")]);
}

#[tokio::test]
async fn a_queued_message_is_sent_with_its_attachments_or_stays_queued() {
    let mut stage = Stage::open().await;
    let session = stage.start(Play { pace_percent: 100, ..Play::of("slow") }).await;
    stage.desk.until("it writes", |known| known.live.contains_key(&session)).await;
    let image = image(&stage, session);
    stage.desk.queue(session, "look", vec![image.clone()]).await;
    let (path, gone) = file(&stage, "gone.txt");
    let blocked = stage.desk.queue(session, "look", vec![gone]).await;
    std::fs::remove_file(&path).unwrap();
    let not_sent = |body: &EntryBody| matches!(body, EntryBody::Notice { notice: Notice::MessageNotSent { error } } if error.to_string().contains("gone.txt"));
    stage.desk.until("the notice", |known| known.transcript(session).into_iter().any(not_sent)).await;
    let expected = [json!("go"), json!([image_block(), {"type": "text", "text": "look"}])];
    // The engine's note can come before the agent has read its line.
    poll("the message", || contents(&stage, session) == expected).await;
    let queue = &stage.desk.mirror.sessions[&session].queue;
    assert_eq!(queue.iter().map(|message| message.id).collect::<Vec<_>>(), [blocked]);
    assert!(stage.sessions.call(session, SessionCall::SendNow(blocked)).await.is_err());
    std::fs::write(&path, "back").unwrap();
    stage.sessions.call(session, SessionCall::SendNow(blocked)).await.unwrap();
    stage.desk.until("the queue is empty", |known| known.sessions[&session].queue.is_empty()).await;
    assert_eq!(
        said_with(&stage, session),
        [("go".to_owned(), 0), ("look".to_owned(), 1), ("look".to_owned(), 1)]
    );
}

#[tokio::test]
async fn an_image_is_removed_unless_a_message_has_it() {
    let (mut stage, session) = Stage::idle().await;
    let image = image(&stage, session);
    let id = image.image().unwrap();
    let message = Message { text: String::new(), attachments: vec![image], closes: vec![] };
    stage.sessions.call(session, SessionCall::message(message)).await.unwrap();
    stage.asked_one(session).await;
    let other = stage.desk.engine.images().keep(session, "b", b"GIF89a and more").unwrap();
    let waits = stage.desk.engine.images().keep(session, "c", b"GIF87a and more").unwrap();
    stage.desk.queue(session, "look", vec![waits.clone()]).await;
    let ids = [&other, &waits].map(|it| it.image().unwrap());
    assert_eq!(kept(&stage, session).len(), 3);
    stage.desk.engine.remove_unused_images(session, vec![id, ids[0], ids[1]]).await.unwrap();
    let images = stage.desk.engine.images();
    assert!(images.has(session, id) && images.has(session, ids[1]) && !images.has(session, ids[0]));
}

#[tokio::test]
async fn images_survive_a_restart_and_are_deleted_with_their_session() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = Stage::open_at(folder.path()).await;
    let session = stage.start(Play::of("technology")).await;
    stage.asked_one(session).await;
    let image = image(&stage, session);
    stage.desk.queue(session, "look", vec![image.clone()]).await;
    // A crash has interrupted the deletion of this session.
    let left = SessionId::new(uuid::Uuid::now_v7());
    stage.desk.engine.images().keep(left, "left", PNG).unwrap();
    let folders = stage.desk.folder.join("images");
    std::fs::rename(folders.join(left.to_string()), folders.join(format!("{left}.deleting"))).unwrap();
    assert!(stage.sessions.delete(session).await.is_err(), "it still runs");
    stage.sessions.shut_down().await;

    let mut again = Stage::open_at(folder.path()).await;
    again.desk.catch_up();
    let queue = &again.desk.mirror.sessions[&session].queue;
    assert_eq!(queue.iter().map(|it| it.attachments.clone()).collect::<Vec<_>>(), [vec![image.clone()]]);
    let id = image.image().unwrap();
    assert_eq!(again.desk.engine.images().read(session, id, "").unwrap(), PNG);
    assert_eq!(std::fs::read_dir(folder.path().join("images")).unwrap().count(), 1);
    let at = again.desk.clock.now();
    let end = Command::Session(SessionCommand::End { session, end: SessionEnd::Stopped, at });
    again.desk.engine.act(end).await.unwrap();
    again.sessions.delete(session).await.unwrap();
    assert_eq!(kept(&again, session), Vec::<PathBuf>::new());
    assert!(!folder.path().join("images").join(session.to_string()).exists());
}
