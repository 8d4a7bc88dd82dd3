//! A test question that takes the way of another program's: through the address, the guard and the token.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::Gateway;

/// How long it may take until the question is open.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How much of the response is read until then, in bytes.
const MAX_READ: usize = 64 * 1024;

impl Gateway {
    /// Asks a test question. Returns once the question is open, and a task keeps waiting for its answer.
    pub fn self_test(&self) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let (address, authorization) = (self.address(), self.ask_header());
        async move {
            let asked = tokio::time::timeout(TIMEOUT, ask(address, &authorization)).await;
            let mut call = asked.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
            tokio::spawn(async move {
                let mut rest = [0; 1_024];
                while call.read(&mut rest).await.is_ok_and(|bytes| bytes > 0) {}
            });
            Ok(())
        }
    }
}

async fn ask(address: SocketAddr, authorization: &str) -> io::Result<TcpStream> {
    let mut call = TcpStream::connect(address).await?;
    let head = format!(
        "POST /v1/test HTTP/1.1\r\nhost: {address}\r\nauthorization: {authorization}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
    );
    call.write_all(head.as_bytes()).await?;
    let mut received = Vec::new();
    while received.len() < MAX_READ && call.read_buf(&mut received).await? > 0 {
        let text = String::from_utf8_lossy(&received);
        if text.starts_with("HTTP/1.1 200") && text.contains(r#""event":"asked""#) {
            return Ok(call);
        }
    }
    let text = String::from_utf8_lossy(&received);
    Err(io::Error::other(text.lines().next().unwrap_or("it sent no response").to_owned()))
}
