//! Sends one HTTP request on a connection of its own.

use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::abridge::{BoundedText, TakenText};
use crate::connection::HttpMethod;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The longest response that is read whole, in bytes. A list of all models of all providers has several megabytes; a list of
/// messages with images has more and is abridged.
const WHOLE_RESPONSE: usize = 16 * 1024 * 1024;

/// Knows where a server listens and how to sign in.
#[derive(Clone)]
pub(super) struct Client {
    address: SocketAddr,
    user: &'static str,
    /// It changes when the server says that it chose another one.
    password: Arc<RwLock<String>>,
}

impl Client {
    pub(super) fn new(address: SocketAddr, user: &'static str, password: &str) -> Self {
        Self { address, user, password: Arc::new(RwLock::new(password.to_owned())) }
    }

    pub(super) fn set_password(&self, password: &str) {
        password.clone_into(&mut self.password.write().unwrap_or_else(PoisonError::into_inner));
    }

    fn authorization(&self) -> String {
        let password = self.password.read().unwrap_or_else(PoisonError::into_inner);
        format!("Basic {}", STANDARD.encode(format!("{}:{password}", self.user)))
    }

    /// Sends a request with a JSON body, which may be empty, and returns the response as soon as its head is there.
    pub(super) async fn send(
        &self,
        method: HttpMethod,
        path: &str,
        accept: &str,
        body: Bytes,
    ) -> Result<Response<Incoming>, String> {
        let connected = timeout(CONNECT_TIMEOUT, TcpStream::connect(self.address)).await;
        let stream = match connected {
            Ok(stream) => stream.map_err(|error| error.to_string())?,
            Err(_) => return Err("the server didn't accept the connection in time".to_owned()),
        };
        // Small requests would otherwise wait for the acknowledgment of the one before.
        let _ = stream.set_nodelay(true);
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
        // It ends with the response's body, or when that is dropped.
        tokio::spawn(connection);
        let request = Request::builder()
            .method(method.name())
            .uri(path)
            .header(HOST, self.address.to_string())
            .header(AUTHORIZATION, self.authorization())
            .header(ACCEPT, accept)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(body))
            .map_err(|error| error.to_string())?;
        sender.send_request(request).await.map_err(|error| error.to_string())
    }

    /// Sends a request and reads its response: the status, and the body as JSON. An empty body is null, and one that isn't
    /// JSON a string.
    pub(super) async fn call(
        &self,
        method: HttpMethod,
        path: &str,
        body: Bytes,
    ) -> Result<(StatusCode, Value), String> {
        let response = self.send(method, path, "application/json", body).await?;
        let status = response.status();
        let mut body = response.into_body();
        let mut text = BoundedText::new(WHOLE_RESPONSE);
        while let Some(frame) = body.frame().await {
            if let Ok(data) = frame.map_err(|error| error.to_string())?.into_data() {
                text.push(&data);
            }
        }
        let (TakenText::Whole(body) | TakenText::Abridged { text: body, .. }) = text.take();
        let json = match body.trim_ascii() {
            [] => Value::Null,
            text => askdesk_outside_json::from_slice(text)
                .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(text).into_owned())),
        };
        Ok((status, json))
    }
}
