//! A server of ours that takes HTTP requests and reports what happens as server-sent events.

mod client;
mod events;
mod requests;

use std::net::SocketAddr;
use std::time::Duration;

use askdesk_domain::AgentFailure;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::HttpPlan;
use crate::adapter::Inbound;
use crate::connection::HttpRequest;
use crate::line_writer::WriteError;
use crate::link_event::{Exit, LinkEnd, LinkEvent};
use crate::supervisor::{AgentProcess, OUTPUT_QUEUE, ProcessEvents};
use client::Client;

/// How long a server may take to say where it listens. A cold start on a slow disk takes many seconds.
const START_TIMEOUT: Duration = Duration::from_secs(60);
const REQUEST_QUEUE: usize = 256;
/// How long the server is left to end by itself before it is asked to: it doesn't watch its input.
const OWN_END: Duration = Duration::from_millis(1);

/// A running server. Dropping it kills the process and everything it started.
#[derive(Debug)]
pub(super) struct HttpServer {
    process: AgentProcess,
    requests: mpsc::Sender<HttpRequest>,
    task: AbortHandle,
}

impl HttpServer {
    pub(super) fn request(&self, request: HttpRequest) -> Result<(), WriteError> {
        self.requests.try_send(request).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => WriteError::Full(REQUEST_QUEUE),
            mpsc::error::TrySendError::Closed(_) => WriteError::Closed,
        })
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

pub(super) fn start(plan: &HttpPlan) -> Result<(HttpServer, ProcessEvents), AgentFailure> {
    let (process, output) = AgentProcess::spawn(&plan.launch)?;
    let (requests, queue) = mpsc::channel(REQUEST_QUEUE);
    let (sender, events) = mpsc::channel(OUTPUT_QUEUE);
    let task = tokio::spawn(run(plan.clone(), output, queue, sender));
    Ok((HttpServer { process, requests, task: task.abort_handle() }, events))
}

async fn run(
    plan: HttpPlan,
    mut output: ProcessEvents,
    queue: mpsc::Receiver<HttpRequest>,
    events: mpsc::Sender<LinkEvent>,
) {
    let started = timeout(START_TIMEOUT, address(&plan, &mut output, &events)).await;
    let end = match started {
        Ok(Ok(address)) => {
            let client = Client::new(address, &plan.authorization);
            tokio::select! {
                end = pass_output(&mut output, &events) => end,
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
    events: &mpsc::Sender<LinkEvent>,
) -> Result<SocketAddr, LinkEnd> {
    while let Some(event) = output.recv().await {
        let line = match event {
            LinkEvent::Inbound(inbound) => inbound.quoted(),
            LinkEvent::Stderr(line) => line,
            LinkEvent::Ended(end) => return Err(end),
        };
        let found = (plan.address_in)(&line);
        // Nobody may be listening any more.
        let _ = events.send(LinkEvent::Stderr(line)).await;
        if let Some(address) = found {
            return Ok(address);
        }
    }
    Err(LinkEnd::with(Exit::UNKNOWN))
}

/// Passes on what the server writes until it ends. Its messages come over HTTP, so both outputs are only for the log.
async fn pass_output(output: &mut ProcessEvents, events: &mpsc::Sender<LinkEvent>) -> LinkEnd {
    while let Some(event) = output.recv().await {
        let line = match event {
            LinkEvent::Inbound(Inbound::Line(line)) => String::from_utf8_lossy(&line).into_owned(),
            LinkEvent::Inbound(_) => continue,
            LinkEvent::Stderr(line) => line,
            LinkEvent::Ended(end) => return LinkEnd { unfinished: Vec::new(), ..end },
        };
        // Nobody may be listening any more.
        let _ = events.send(LinkEvent::Stderr(line)).await;
    }
    LinkEnd::with(Exit::UNKNOWN)
}
