//! Attaching images and files by the commands of the window.

use std::path::PathBuf;
use std::time::Duration;

use crate::bridge::{Bridge, claude_code, fresh};
use askdesk_contract::{AttachedFiles, RefusedWhy};
use askdesk_domain::attachment::{ATTACHMENTS, IMAGE_BYTES, MESSAGE_BYTES};
use askdesk_domain::{Attachment, SessionId};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nas good as an image";

/// Starts the fake agent in the place of one that takes images and files, and waits until it asks.
async fn started(bridge: &Bridge) -> SessionId {
    let input = claude_code(bridge, "technology", &json!({}));
    let session = bridge.call("start_session", input).await.unwrap();
    bridge.until("it asks", |now| now.requests.len() == 1).await;
    serde_json::from_value(session["id"].clone()).unwrap()
}

async fn paste(bridge: &Bridge, session: SessionId, name: &str, content: &[u8]) -> AttachedFiles {
    let data = STANDARD.encode(content);
    let input = json!({"requestId": fresh(), "session": session, "name": name, "data": data});
    serde_json::from_value(bridge.call("attach_image", input).await.unwrap()).unwrap()
}

fn file(bridge: &Bridge, name: &str, content: &[u8]) -> PathBuf {
    let path = bridge.folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn send(session: SessionId, text: &str, attachments: &[Attachment]) -> Value {
    json!({"requestId": fresh(), "session": session, "text": text, "attachments": attachments})
}

#[tokio::test]
async fn chosen_files_are_attached_or_refused_each_for_its_own_reason() {
    let bridge = Bridge::open();
    let session = started(&bridge).await;
    let image = file(&bridge, "shot without an ending", PNG);
    let text = file(&bridge, "notes.txt", b"words");
    let quoted = file(&bridge, "a\"b.txt", b"words");
    let large = file(&bridge, "large.png", &[PNG, &vec![0; IMAGE_BYTES]].concat());
    let folder = bridge.folder.path().to_owned();
    let missing = bridge.folder.path().join("missing.txt");
    let pipe = PathBuf::from("/dev/null");
    let paths = vec![image, text.clone(), quoted, large, folder, missing, pipe];
    let files = bridge.api.attach_files(session, paths).await.unwrap();
    assert!(matches!(&files.attached[0], Attachment::Image { name, .. } if name == "shot without an ending"));
    assert_eq!(files.attached[1..], [Attachment::File { path: text.display().to_string(), bytes: 5 }]);
    let why: Vec<&RefusedWhy> = files.refused.iter().map(|refused| &refused.why).collect();
    let [RefusedWhy::Path, RefusedWhy::TooLarge, RefusedWhy::Folder, RefusedWhy::Gone, RefusedWhy::NoFile] =
        why[..]
    else {
        panic!("{why:?}")
    };
    let many = vec![text; ATTACHMENTS + 2];
    let files = bridge.api.attach_files(session, many).await.unwrap();
    assert_eq!((files.attached.len(), files.refused.len()), (ATTACHMENTS, 2));
    assert!(files.refused.iter().all(|refused| refused.why == RefusedWhy::TooMany));
}

#[tokio::test]
async fn a_message_goes_out_with_what_is_attached_and_is_exported_by_name() {
    let bridge = Bridge::open();
    let session = started(&bridge).await;
    let image = paste(&bridge, session, "shot.png", PNG).await.attached;
    let open: Vec<_> = bridge.snapshot().await.requests.iter().map(|request| request.id).collect();
    let mut message = send(session, "", &image);
    message["closes"] = json!(open);
    bridge.call("send_message", message).await.unwrap();
    bridge.until("the question is over", |now| now.requests.iter().all(|it| !it.is_open())).await;
    let arrived = async {
        while !std::fs::read_to_string(bridge.folder.path().join("record"))
            .is_ok_and(|record| record.contains(&STANDARD.encode(PNG)))
        {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(30), arrived).await.expect("the image's bytes reach the agent");
    let markdown = bridge.exported(&json!(session), "markdown").await.text;
    assert!(markdown.contains("- Image: shot.png, 27 bytes"), "{markdown}");
    let exported = bridge.exported(&json!(session), "json").await.text;
    let exported: Value = serde_json::from_str(&exported).unwrap();
    let entries = exported["entries"].as_array().unwrap().iter();
    let names: Vec<&Value> = entries.map(|entry| &entry["body"]["attachments"][0]["name"]).collect();
    assert!(names.contains(&&json!("shot.png")));
    assert!(!exported.to_string().contains(&STANDARD.encode(PNG)));
}

#[tokio::test]
async fn case_122_a_text_over_the_limit_is_refused_and_goes_out_as_a_file() {
    let bridge = Bridge::open();
    let session = started(&bridge).await;
    let text = "line\n".repeat(MESSAGE_BYTES / 5 + 1);
    let refused = bridge.refused("queue_message", send(session, &text, &[])).await;
    assert_eq!((&refused["code"], &refused["field"]), (&json!("invalid"), &json!("text")));
    let input = json!({"requestId": fresh(), "session": session, "text": text});
    let files = bridge.call("attach_text", input).await.unwrap();
    let files: AttachedFiles = serde_json::from_value(files).unwrap();
    let [Attachment::File { path, bytes }] = &files.attached[..] else { panic!("{files:?}") };
    assert_eq!((std::fs::read_to_string(path).unwrap(), *bytes), (text.clone(), text.len() as u64));
    bridge.call("queue_message", send(session, "", &files.attached)).await.unwrap();
    let within = "w".repeat(MESSAGE_BYTES);
    bridge.call("queue_message", send(session, &within, &[])).await.unwrap();
}

#[tokio::test]
async fn an_agent_that_takes_words_alone_is_given_nothing_else() {
    let bridge = Bridge::open();
    let request = bridge.asked("technology").await;
    let data = STANDARD.encode(PNG);
    let input = json!({"requestId": fresh(), "session": request.session, "name": "a", "data": data});
    assert_eq!(bridge.refused("attach_image", input).await["code"], "unsupported");
    let file = Attachment::File { path: "/etc/hostname".to_owned(), bytes: 1 };
    let refused = bridge.refused("send_message", send(request.session, "look", &[file])).await;
    assert_eq!(refused["code"], "unsupported");
    assert!(bridge.snapshot().await.requests[0].is_open());
}
