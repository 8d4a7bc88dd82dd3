//! The HTTP client for the gateway. It only ever connects to 127.0.0.1.
//!
//! Each call has a connection of its own. Dropping the call closes the connection, which tells the gateway that the caller has
//! gone. A blocking client can't do that.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use askdesk_client_config::discovery::DiscoveryState;
use askdesk_client_config::{DataFolder, SESSION_HEADER, SESSION_VARIABLE, Token};
use futures_util::{Stream, StreamExt as _, TryStreamExt as _};
use http_body_util::{BodyDataStream, BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Method, Request, Response, header};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};
use tokio_util::io::StreamReader;
use tokio_util::task::AbortOnDropHandle;

use crate::exit::Failure;

/// How long a server on this computer may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a response may take that doesn't wait for the user.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a stream of events may be silent. The gateway sends an event every 15 seconds.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(60);
/// The longest event, in bytes.
const MAX_EVENT: usize = 4 * 1024 * 1024;
/// The longest body, in bytes.
const MAX_BODY: usize = 16 * 1024 * 1024;

/// The message for status 401. The gateway's own message is for clients, which don't read the tokens from the data folder.
const OTHER_TOKENS: &str = "the tokens in this data folder were rejected; restart Askdesk";

/// Tells whether Askdesk is certainly not running. A server that only doesn't respond may be Askdesk.
pub async fn is_stopped(folder: &DataFolder) -> bool {
    match folder.discovery_state() {
        DiscoveryState::NotRunning => true,
        DiscoveryState::Unreadable | DiscoveryState::Closed { .. } => false,
        // Some systems try for seconds before they report that nobody listens.
        DiscoveryState::Running(found) => {
            let connected = timeout(RESPONSE_TIMEOUT, TcpStream::connect(("127.0.0.1", found.port))).await;
            connected.is_ok_and(|it| it.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused))
        }
    }
}

/// A client for the gateway that a discovery file names.
#[derive(Debug)]
pub struct HttpClient {
    port: u16,
    token: Token,
}

impl HttpClient {
    /// Finds the gateway, with the token that permits asking.
    pub fn for_asking(folder: &DataFolder) -> Result<Self, Failure> {
        Self::with(folder, folder.token())
    }

    /// Finds the gateway, with the token that permits answering.
    pub fn for_answering(folder: &DataFolder) -> Result<Self, Failure> {
        Self::with(folder, folder.answer_token())
    }

    fn with(folder: &DataFolder, token: io::Result<Option<Token>>) -> Result<Self, Failure> {
        let missing = |what: &str| Failure::NotRunning(what.to_owned());
        let found = match folder.discovery_state() {
            DiscoveryState::Running(found) => found,
            DiscoveryState::Closed { why } => return Err(Failure::Closed(why)),
            DiscoveryState::NotRunning | DiscoveryState::Unreadable => {
                return Err(missing("it hasn't published its port"));
            }
        };
        let token = token.map_err(|error| Failure::System(format!("can't read the token: {error}")))?;
        Ok(Self { port: found.port, token: token.ok_or_else(|| missing("its token is missing"))? })
    }

    /// Returns the gateway's port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Checks that a server listens on the gateway's port.
    pub async fn check_connection(&self) -> Result<(), Failure> {
        self.connect().await.map(drop)
    }

    pub async fn get(&self, path: &str) -> Result<Value, Failure> {
        within(RESPONSE_TIMEOUT, self.json(Method::GET, path, String::new())).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        within(RESPONSE_TIMEOUT, self.json(Method::POST, path, body.to_string())).await
    }

    /// Sends a body as it is, and waits for the response as long as it takes.
    pub async fn post_text(&self, path: &str, body: String) -> Result<String, Failure> {
        let (response, _connection) = self.send(Method::POST, path, body).await?;
        text(response.into_body()).await
    }

    /// Sends a body, and returns the stream of events that is the response.
    pub async fn events(&self, path: &str, body: &Value) -> Result<Events, Failure> {
        let sent = self.send(Method::POST, path, body.to_string());
        let (response, connection) = within(RESPONSE_TIMEOUT, sent).await?;
        let body = BodyDataStream::new(response.into_body()).map_err(io::Error::other);
        let lines = FramedRead::new(StreamReader::new(body), LinesCodec::new_with_max_length(MAX_EVENT));
        Ok(Events { lines: Box::pin(lines), _connection: connection })
    }

    async fn json(&self, method: Method, path: &str, body: String) -> Result<Value, Failure> {
        let (response, _connection) = self.send(method, path, body).await?;
        let text = text(response.into_body()).await?;
        serde_json::from_str(&text).map_err(|error| Failure::InvalidResponse(error.to_string()))
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: String,
    ) -> Result<(Response<Incoming>, Connection), Failure> {
        let stream = self.connect().await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(unreachable)?;
        let connection = AbortOnDropHandle::new(tokio::spawn(async move {
            // The response reports any error.
            let _ = connection.await;
        }));
        // The agent of a session that Askdesk runs has started this program.
        let session = std::env::var(SESSION_VARIABLE).unwrap_or_default();
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, format!("127.0.0.1:{}", self.port))
            .header(header::AUTHORIZATION, self.token.bearer())
            .header(SESSION_HEADER, session)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| Failure::System(error.to_string()))?;
        let response = sender.send_request(request).await.map_err(unreachable)?;
        let status = response.status();
        if status.is_success() {
            return Ok((response, connection));
        }
        Err(rejected(status.as_u16(), &text(response.into_body()).await?))
    }

    async fn connect(&self) -> Result<TcpStream, Failure> {
        within(CONNECT_TIMEOUT, async {
            TcpStream::connect(("127.0.0.1", self.port)).await.map_err(unreachable)
        })
        .await
    }
}

/// Keeps a connection open. Dropping it closes the connection.
type Connection = AbortOnDropHandle<()>;

pub struct Events {
    lines: Pin<Box<dyn Stream<Item = Result<String, LinesCodecError>> + Send>>,
    _connection: Connection,
}

impl Events {
    /// Waits for the next event. Returns `None` if Askdesk has gone.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            let line = timeout(SILENCE_TIMEOUT, self.lines.next()).await.ok()??.ok()?;
            if !line.trim().is_empty() {
                return serde_json::from_str(&line).ok();
            }
        }
    }
}

async fn within<T>(limit: Duration, call: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let silent = |_| Failure::NotRunning("it doesn't respond".to_owned());
    timeout(limit, call).await.map_err(silent)?
}

async fn text(body: Incoming) -> Result<String, Failure> {
    let broken = |error: &dyn fmt::Display| Failure::NotRunning(format!("connection lost: {error}"));
    let body = Limited::new(body, MAX_BODY).collect().await.map_err(|error| broken(&error))?;
    String::from_utf8(body.to_bytes().into()).map_err(|error| broken(&error))
}

fn unreachable(error: impl fmt::Display) -> Failure {
    Failure::NotRunning(error.to_string())
}

fn rejected(status: u16, body: &str) -> Failure {
    if status == 401 {
        return Failure::Rejected { status, message: OTHER_TOKENS.to_owned() };
    }
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let message = match (body["message"].as_str(), body["error"].as_str()) {
        (Some(message), _) => message.to_owned(),
        (None, Some(code)) => format!("Askdesk responded with {status}: {code}"),
        (None, None) => format!("Askdesk responded with {status}"),
    };
    Failure::Rejected { status, message }
}
