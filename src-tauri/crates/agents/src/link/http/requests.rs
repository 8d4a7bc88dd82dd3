//! Sends requests: those of one session one after the other, those of several sessions side by side.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use hyper::body::Bytes;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::client::Client;
use crate::adapter::Inbound;
use crate::bounds::HeldRoom;
use crate::connection::{HttpMethod, MemberId};
use crate::event_queue::EventSender;
use crate::link_event::LinkEvent;
use crate::rpc::{INTERNAL_ERROR, RpcError, RpcIn};

/// How long a response may take. The first request for a folder makes the server load everything there.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(120);
/// How long the response to a long request may take.
const LONG_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// A request, and its place in the room of its session.
#[derive(Debug)]
pub(super) struct QueuedRequest {
    pub(super) id: u64,
    pub(super) session: MemberId,
    pub(super) method: HttpMethod,
    pub(super) path: String,
    /// JSON; it may be empty.
    pub(super) body: Bytes,
    pub(super) long: bool,
    pub(super) delay: Duration,
    pub(super) held: HeldRoom,
}

/// A response on its way to the session.
struct Done {
    /// None if later requests of the session didn't wait for it.
    session: Option<MemberId>,
    response: RpcIn,
    _held: HeldRoom,
}

/// Sends what is queued, and passes on each response. Returns when nobody can queue anything more and all is sent.
pub(super) async fn serve(
    client: &Client,
    mut queue: mpsc::UnboundedReceiver<QueuedRequest>,
    events: &EventSender,
) {
    // A session is in it while one of its requests is on its way.
    let mut waiting: HashMap<MemberId, VecDeque<QueuedRequest>> = HashMap::new();
    let mut running: JoinSet<Done> = JoinSet::new();
    let mut open = true;
    while open || !running.is_empty() {
        tokio::select! {
            request = queue.recv(), if open => match request {
                None => open = false,
                Some(request) if request.long => start(client, request, None, &mut running),
                Some(request) => match waiting.get_mut(&request.session) {
                    Some(behind) => behind.push_back(request),
                    None => {
                        waiting.insert(request.session, VecDeque::new());
                        let session = request.session;
                        start(client, request, Some(session), &mut running);
                    }
                },
            },
            Some(done) = running.join_next() => {
                // A request never panics, and is aborted only together with this.
                let Ok(Done { session, response, _held }) = done else { continue };
                if let Some(session) = session {
                    match waiting.get_mut(&session).and_then(VecDeque::pop_front) {
                        Some(next) => start(client, next, Some(session), &mut running),
                        None => drop(waiting.remove(&session)),
                    }
                }
                // Nobody may be listening any more.
                let _ = events.send(LinkEvent::Inbound(Inbound::Rpc(response))).await;
            }
        }
    }
}

fn start(client: &Client, request: QueuedRequest, session: Option<MemberId>, running: &mut JoinSet<Done>) {
    let client = client.clone();
    running.spawn(async move {
        let QueuedRequest { id, method, path, body, long, delay, held, .. } = request;
        if !delay.is_zero() {
            sleep(delay).await;
        }
        let result = call(&client, method, &path, body, long).await;
        Done { session, response: RpcIn::Response { id, result }, _held: held }
    });
}

async fn call(
    client: &Client,
    method: HttpMethod,
    path: &str,
    body: Bytes,
    long: bool,
) -> Result<Value, RpcError> {
    let limit = if long { LONG_TIMEOUT } else { RESPONSE_TIMEOUT };
    let failed = |error: String| RpcError::new(INTERNAL_ERROR, error);
    let called = timeout(limit, client.call(method, path, body)).await;
    let (status, body) =
        called.unwrap_or_else(|_| Err("the server didn't respond in time".to_owned())).map_err(failed)?;
    if status.is_success() {
        return Ok(body);
    }
    let said = ["/data/message", "/message", "/error", "/name", "/_tag"]
        .iter()
        .find_map(|place| body.pointer(place)?.as_str())
        .or_else(|| body.as_str());
    let message = said.map_or_else(|| status.to_string(), str::to_owned);
    Err(RpcError { code: status.as_u16().into(), message, data: Some(body) })
}
