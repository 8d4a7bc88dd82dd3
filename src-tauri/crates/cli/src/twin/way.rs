//! The way to the desk for calls that can be given up: whoever drops one closes its connection.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use askdesk_client_config::desk::Desk;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Request, Response, header};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use crate::door::{CONNECT_WAIT, Door, LINE_MOST, SILENCE, denied};
use crate::ending::Failure;

/// How long the desk may take until it begins to answer.
const ANSWER_WAIT: Duration = Duration::from_secs(10);
/// How large an answer may be that is taken as a whole, in bytes.
const BODY_MOST: usize = 1024 * 1024;

#[derive(Clone, Debug)]
pub struct Way {
    desk: Desk,
    connection: Uuid,
    /// Whether anything was asked, so that the desk knows the connection.
    used: Arc<AtomicBool>,
}

impl Way {
    /// Takes the desk of a data folder, whether it runs or not.
    pub fn to(desk: Desk) -> Self {
        Self { desk, connection: Uuid::new_v4(), used: Arc::default() }
    }

    /// Tells who comes, as each call has to.
    pub fn client(&self) -> Value {
        json!({"kind": "mcp", "connection": self.connection})
    }

    /// Tells whether somebody listens where the desk said it does.
    pub async fn is_open(&self) -> bool {
        match Door::find(&self.desk) {
            Ok(door) => connect(door.port).await.is_ok(),
            Err(_) => false,
        }
    }

    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        let (response, _connection) = self.send(path, body).await?;
        let body = whole(response.into_body()).await?;
        serde_json::from_slice(&body).map_err(|error| Failure::Unintelligible(error.to_string()))
    }

    /// Has something done of which is told line by line.
    pub async fn follow(&self, path: &str, body: &Value) -> Result<Lines, Failure> {
        self.used.store(true, Ordering::Relaxed);
        let (response, connection) = self.send(path, body).await?;
        Ok(Lines { body: response.into_body(), read: Vec::new(), _connection: connection })
    }

    /// Says that the client has gone. The desk finds out by itself, only later.
    pub async fn leave(&self) {
        if self.used.load(Ordering::Relaxed) {
            let _ = self.post("/v1/leave", &json!({"client": self.client()})).await;
        }
    }

    async fn send(&self, path: &str, body: &Value) -> Result<(Response<Incoming>, Connection), Failure> {
        // Read anew each time: the desk may be another one by now, and the token too.
        let door = Door::find(&self.desk)?;
        let stream = connect(door.port).await?;
        let (mut sender, driving) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        let connection = AbortOnDropHandle::new(tokio::spawn(async move {
            // What goes wrong with it, whoever reads from it is told.
            let _ = driving.await;
        }));
        let request = Request::post(path)
            .header(header::HOST, format!("127.0.0.1:{}", door.port))
            .header(header::AUTHORIZATION, door.bearer())
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body.to_string())))
            .map_err(|error| Failure::System(error.to_string()))?;
        let answering = tokio::time::timeout(ANSWER_WAIT, sender.send_request(request));
        let response = answering.await.map_err(|_| silent())?.map_err(broken)?;
        let status = response.status();
        if status.is_success() {
            return Ok((response, connection));
        }
        let body = whole(response.into_body()).await?;
        Err(denied(status.as_u16(), &String::from_utf8_lossy(&body)))
    }
}

/// What keeps a connection open; it closes when this is dropped.
type Connection = AbortOnDropHandle<()>;

/// What is told of a question, line by line.
pub struct Lines {
    body: Incoming,
    read: Vec<u8>,
    _connection: Connection,
}

impl Lines {
    /// Waits for the next; none where the desk has gone.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            while let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                if !line.iter().all(u8::is_ascii_whitespace) {
                    return serde_json::from_slice(&line).ok();
                }
            }
            if self.read.len() as u64 > LINE_MOST {
                return None;
            }
            let frame = tokio::time::timeout(SILENCE, self.body.frame()).await.ok()??.ok()?;
            if let Some(bytes) = frame.data_ref() {
                self.read.extend_from_slice(bytes);
            }
        }
    }
}

async fn connect(port: u16) -> Result<TcpStream, Failure> {
    let connecting = tokio::time::timeout(CONNECT_WAIT, TcpStream::connect(("127.0.0.1", port)));
    connecting.await.map_err(|_| silent())?.map_err(broken)
}

async fn whole(body: Incoming) -> Result<Bytes, Failure> {
    let reading = tokio::time::timeout(ANSWER_WAIT, Limited::new(body, BODY_MOST).collect());
    Ok(reading.await.map_err(|_| silent())?.map_err(broken)?.to_bytes())
}

fn broken(error: impl fmt::Display) -> Failure {
    Failure::NoDesk(error.to_string())
}

fn silent() -> Failure {
    Failure::NoDesk("it does not answer".to_owned())
}
