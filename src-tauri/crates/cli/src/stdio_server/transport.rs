//! The transport over standard input and output: notices when the client goes, and answers what it can't read.

use std::future::Future;

use askdesk_outside_json::Read;
use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcError, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The longest line that is read, in bytes.
const MAX_LINE: usize = 16 * 1024 * 1024;
/// How much of the beginning of a longer line is kept beside its end, to find its ID.
const KEPT: usize = 64 * 1024;

/// A transport that reports at once that its client has gone. The library alone would give waiting calls some seconds to end,
/// would not notice a client that stops reading, and would drop a request that it can't read, so that its client waits forever.
pub struct WatchedTransport<R, W> {
    read: BufReader<R>,
    /// What was read of the next line.
    line: Line,
    /// Only writes.
    writer: W,
    gone: CancellationToken,
    has_requested: bool,
    /// Sends an error for what can't be read.
    refusing: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Line {
    text: Vec<u8>,
    /// Whether a part of it was left out.
    cut: bool,
}

impl<R: AsyncRead + Unpin, W> WatchedTransport<R, W> {
    pub fn new(read: R, writer: W, gone: CancellationToken) -> Self {
        Self {
            read: BufReader::new(read),
            line: Line::default(),
            writer,
            gone,
            has_requested: false,
            refusing: None,
        }
    }

    /// Reads the rest of the next line; none at the end. Canceled, it goes on where it was.
    async fn next_line(&mut self) -> Option<Line> {
        loop {
            let room = (MAX_LINE + 1).saturating_sub(self.line.text.len());
            let mut bounded = (&mut self.read).take(room as u64);
            let read = bounded.read_until(b'\n', &mut self.line.text).await.ok()?;
            if self.line.text.ends_with(b"\n") {
                return Some(std::mem::take(&mut self.line));
            }
            if self.line.text.len() > MAX_LINE {
                self.line.text.truncate(KEPT);
                self.line.cut = true;
            } else if read == 0 {
                return None;
            }
        }
    }
}

impl<R: AsyncRead + Send + Unpin, W: Transport<RoleServer>> Transport<RoleServer> for WatchedTransport<R, W> {
    type Error = W::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), W::Error>> + Send + 'static {
        let gone = self.gone.clone();
        let sending = self.writer.send(message);
        async move {
            let sent = sending.await;
            if sent.is_err() {
                gone.cancel();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // This may be canceled at any time, and the error is sent all the same.
            if let Some(refusing) = &mut self.refusing {
                let _ = refusing.await;
                self.refusing = None;
            }
            let Some(line) = self.next_line().await else {
                self.gone.cancel();
                return None;
            };
            match read_message(&line) {
                // The library rejects a client whose first message isn't a request.
                Ok(Some(message)) if self.has_requested || matches!(message, JsonRpcMessage::Request(_)) => {
                    self.has_requested = true;
                    return Some(message);
                }
                Ok(_) => {}
                // A client that begins takes nothing but an answer to its request.
                Err(error) if self.has_requested || error.id.is_some() => {
                    let sending = self.send(JsonRpcMessage::Error(*error));
                    self.refusing = Some(tokio::spawn(async { drop(sending.await) }));
                }
                Err(_) => {}
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), W::Error>> + Send {
        self.writer.close()
    }
}

/// Reads a message; none if it is to be ignored. What can't be read has an error as its answer, with its ID if that is found.
fn read_message(
    Line { text, cut }: &Line,
) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Box<JsonRpcError>> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii();
    if text.is_empty() {
        return Ok(None);
    }
    let Read { value, lost, .. } = askdesk_outside_json::read(text);
    let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let error = |code, why: String| Err(Box::new(JsonRpcError::new(id, ErrorData::new(code, why, None))));
    if *cut {
        return error(
            ErrorCode::INVALID_REQUEST,
            format!("the message is too large (the limit is {MAX_LINE} bytes)"),
        );
    }
    if let Some(lost) = lost {
        return error(ErrorCode::PARSE_ERROR, format!("the message can't be read: {lost}"));
    }
    let is_notification = value.get("id").is_none() && value.get("method").is_some_and(Value::is_string);
    match serde_json::from_value(value) {
        Ok(message) => Ok(Some(message)),
        Err(_) if is_notification => Ok(None),
        Err(why) => {
            error(ErrorCode::INVALID_REQUEST, format!("the message isn't a valid JSON-RPC message: {why}"))
        }
    }
}
