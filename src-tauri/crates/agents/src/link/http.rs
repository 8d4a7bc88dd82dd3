//! A server of ours that takes HTTP requests and reports what happens as server-sent events.

mod client;
mod events;
mod requests;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use askdesk_domain::AgentFailure;
use hyper::body::Bytes;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::HttpPlan;
use crate::adapter::Inbound;
use crate::bounds::Room;
use crate::connection::{HttpRequest, MemberId};
use crate::event_queue::{EventSender, ProcessEvents, event_queue};
use crate::line_writer::WriteError;
use crate::link_event::{Exit, LinkEnd, LinkEvent};
use crate::supervisor::AgentProcess;
use client::Client;
use requests::QueuedRequest;

/// How long a server may take to say where it listens. A cold start on a slow disk takes many seconds.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// How many requests one session may have queued and on their way.
const REQUEST_QUEUE: usize = 256;
/// How many bytes their bodies may have together; one request of any size fits where no other is queued.
const REQUEST_BYTES: usize = 16 * 1024 * 1024;
/// How long the server is left to end by itself before it is asked to: it doesn't watch its input.
const OWN_END: Duration = Duration::from_millis(1);

/// A running server. Dropping it kills the process and everything it started.
#[derive(Debug)]
pub(super) struct HttpServer {
    process: AgentProcess,
    requests: mpsc::UnboundedSender<QueuedRequest>,
    /// The room of each session that has requests.
    rooms: Mutex<HashMap<MemberId, Arc<Room>>>,
    task: AbortHandle,
}

impl HttpServer {
    pub(super) fn request(&self, request: HttpRequest) -> Result<(), WriteError> {
        let HttpRequest { id, session, method, path, body, long, delay } = request;
        let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let held = self.room(session).take(path.len() + body.len()).map_err(WriteError::Full)?;
        let queued = QueuedRequest { id, session, method, path, body, long, delay, held };
        self.requests.send(queued).map_err(|_| WriteError::Closed)
    }

    fn room(&self, session: MemberId) -> Arc<Room> {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        // Whatever is queued holds its room.
        rooms.retain(|_, room| Arc::strong_count(room) > 1);
        Arc::clone(rooms.entry(session).or_insert_with(|| Room::new(REQUEST_QUEUE, REQUEST_BYTES)))
    }

    pub(super) async fn stop(&self) {
        self.process.stop(OWN_END).await;
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub(super) async fn start(plan: &HttpPlan) -> Result<(HttpServer, ProcessEvents), AgentFailure> {
    let (process, output) = AgentProcess::spawn(&plan.launch).await?;
    let (requests, queue) = mpsc::unbounded_channel();
    let (sender, events) = event_queue();
    let task = tokio::spawn(run(plan.clone(), output, queue, sender));
    Ok((HttpServer { process, requests, rooms: Mutex::default(), task: task.abort_handle() }, events))
}

async fn run(
    plan: HttpPlan,
    mut output: ProcessEvents,
    queue: mpsc::UnboundedReceiver<QueuedRequest>,
    events: EventSender,
) {
    let started = timeout(START_TIMEOUT, address(&plan, &mut output, &events)).await;
    let end = match started {
        Ok(Ok(address)) => {
            let client = Client::new(address, plan.user, &plan.password);
            tokio::select! {
                end = pass_output(&plan, &client, &mut output, &events) => end,
                reason = events::follow(&client, plan.events, &events) => failed(reason),
                () = requests::serve(&client, queue, &events) => failed("nobody uses the server".to_owned()),
            }
        }
        Ok(Err(end)) => end,
        Err(_) => {
            let seconds = START_TIMEOUT.as_secs();
            failed(format!("the server did not say where it listens within {seconds} seconds"))
        }
    };
    // Nobody may be listening any more.
    let _ = events.send(LinkEvent::Ended(end)).await;
}

fn failed(reason: String) -> LinkEnd {
    LinkEnd { unfinished: Vec::new(), status: Exit::UNKNOWN, stderr_tail: reason }
}

/// Reads the server's output until it says where it listens, or ends.
async fn address(
    plan: &HttpPlan,
    output: &mut ProcessEvents,
    events: &EventSender,
) -> Result<SocketAddr, LinkEnd> {
    while let Some(event) = output.recv().await {
        let line = match event {
            LinkEvent::Inbound(inbound) => inbound.quoted(),
            LinkEvent::Stderr(line) => line,
            LinkEvent::Ended(end) => {
                return Err(LinkEnd { stderr_tail: struck(&end.stderr_tail, plan), ..end });
            }
        };
        let found = (plan.address_in)(&line);
        // Nobody may be listening any more.
        let _ = events.send(LinkEvent::Stderr(struck(&line, plan))).await;
        if let Some(address) = found {
            return Ok(address);
        }
    }
    Err(LinkEnd::with(Exit::UNKNOWN))
}

/// Passes on what the server writes until it ends. Its messages come over HTTP, so both outputs are only for the log.
///
/// The password comes after the address; until it is there, the event stream is refused and tried again.
async fn pass_output(
    plan: &HttpPlan,
    client: &Client,
    output: &mut ProcessEvents,
    events: &EventSender,
) -> LinkEnd {
    while let Some(event) = output.recv().await {
        let line = match event {
            LinkEvent::Inbound(Inbound::Line(line)) => String::from_utf8_lossy(&line).into_owned(),
            LinkEvent::Inbound(_) => continue,
            LinkEvent::Stderr(line) => line,
            LinkEvent::Ended(end) => {
                let stderr_tail = struck(&end.stderr_tail, plan);
                return LinkEnd { unfinished: Vec::new(), stderr_tail, ..end };
            }
        };
        if let Some(password) = (plan.password_in)(&line) {
            client.set_password(password);
        }
        // Nobody may be listening any more.
        let _ = events.send(LinkEvent::Stderr(struck(&line, plan))).await;
    }
    LinkEnd::with(Exit::UNKNOWN)
}

/// What may be shown of the server's output. OpenCode 2 writes its password there.
fn struck(output: &str, plan: &HttpPlan) -> String {
    let said = output.lines().filter_map(plan.password_in);
    said.chain([plan.password.as_str()]).fold(output.to_owned(), |shown, it| shown.replace(it, "[password]"))
}
