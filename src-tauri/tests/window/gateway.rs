//! The gateway for programs that Askdesk did not start.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::Value;

use crate::harness::Setup;

/// Asks over HTTP, with the address and the token of the data folder.
pub fn ask(folder: &Path, body: &Value) -> Option<BufReader<TcpStream>> {
    let found: Value = serde_json::from_slice(&std::fs::read(folder.join("desk.json")).ok()?).ok()?;
    let token = std::fs::read_to_string(folder.join("token")).ok()?;
    let address = found["url"].as_str()?.strip_prefix("http://")?.to_owned();
    let body = body.to_string();
    let mut stream = TcpStream::connect(&address).ok()?;
    let head = format!(
        "POST /v1/asks HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        token.trim(),
        body.len(),
    );
    stream.write_all(head.as_bytes()).ok()?;
    Some(BufReader::new(stream))
}

/// Reads up to the line with the result.
pub fn ended(reader: BufReader<TcpStream>) -> Value {
    let lines = reader.lines().map_while(Result::ok);
    let mut lines = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
    lines.find(|line| line["event"] == "ended").expect("an end")
}

/// A token file that can't be read would otherwise leave the window silent and every connected app without an answer.
#[tokio::test]
async fn a_gateway_that_cannot_open_is_shown_and_opens_after_a_retry() {
    const FAILURE: &str = ".banner [data-gateway]";
    let data = tempfile::tempdir().unwrap();
    let token = data.path().join("token");
    std::fs::create_dir(&token).unwrap();
    let app = Setup::default().pictured().data(data.path()).open().await;
    app.shows_text(FAILURE, "is a directory").await;
    app.shows_text(FAILURE, &token.display().to_string()).await;
    app.picture("gateway-closed").await;
    let desk = || -> Value {
        serde_json::from_slice(&std::fs::read(data.path().join("desk.json")).unwrap_or_default())
            .unwrap_or_default()
    };
    assert!(desk()["closed"].as_str().is_some_and(|why| why.contains("is a directory")), "{}", desk());
    app.click("button", "Retry").await;
    app.shows_text(FAILURE, "is a directory").await;
    assert!(token.is_dir(), "nothing is replaced");

    // It is tried again without the user, too.
    std::fs::remove_dir(&token).unwrap();
    app.gone(FAILURE).await;
    assert!(desk()["port"].is_u64(), "{}", desk());
    assert!(token.is_file());
}
