//! A test question over the desk's own door, as another program asks it: its address, its guard and its token are on the way.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::Doors;

/// How long it may take until the question is on the desk.
const ASKED_WITHIN: Duration = Duration::from_secs(10);
/// How much is read until then, in bytes.
const READ_MOST: usize = 64 * 1024;

impl Doors {
    /// Asks a test question. The call is over once the question is on the desk; somebody goes on waiting for its end.
    pub fn trial(&self) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let (address, bearer) = (self.address(), self.bearer());
        async move {
            let asked = tokio::time::timeout(ASKED_WITHIN, ask(address, &bearer)).await;
            let mut call = asked.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
            tokio::spawn(async move {
                let mut rest = [0; 1_024];
                while call.read(&mut rest).await.is_ok_and(|bytes| bytes > 0) {}
            });
            Ok(())
        }
    }
}

async fn ask(address: SocketAddr, bearer: &str) -> io::Result<TcpStream> {
    let mut call = TcpStream::connect(address).await?;
    let head = format!(
        "POST /v1/test HTTP/1.1\r\nhost: {address}\r\nauthorization: {bearer}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
    );
    call.write_all(head.as_bytes()).await?;
    let mut said = Vec::new();
    while said.len() < READ_MOST && call.read_buf(&mut said).await? > 0 {
        let text = String::from_utf8_lossy(&said);
        if text.starts_with("HTTP/1.1 200") && text.contains(r#""event":"asked""#) {
            return Ok(call);
        }
    }
    let text = String::from_utf8_lossy(&said);
    Err(io::Error::other(text.lines().next().unwrap_or("it gave no answer").to_owned()))
}
