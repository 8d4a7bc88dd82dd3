//! The desk's server of MCP once more, for clients that speak over standard input and output alone.
//!
//! It shows the same tools with the same words, and hands each call over to the desk. Nothing is kept here: when the client
//! goes, so does the program, and what it asked is left to the person.

mod asking;
mod line;
mod server;
mod starting;
mod way;

use std::time::Duration;

use askdesk_client_config::desk::Desk;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio;
use tokio_util::sync::CancellationToken;

use crate::arguments::Mcp;
use crate::ending::{Ending, Failure};
use crate::terminal::note;
use line::Line;
use server::Twin;

/// How long a client that has closed its end may still read what was on its way.
const GRACE: Duration = Duration::from_secs(1);
/// How long the desk may take to hear that the client has gone.
const FAREWELL: Duration = Duration::from_millis(500);

/// Serves the client until it goes.
pub fn run(desk: &Desk, mcp: &Mcp) -> Result<Ending, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(serve(desk, mcp));
    // A thread may still read where nothing will ever come; it must not hold up the end.
    runtime.shutdown_background();
    ended
}

async fn serve(desk: &Desk, mcp: &Mcp) -> Result<Ending, Failure> {
    let gone = CancellationToken::new();
    let (read, write) = stdio();
    let line = Line::new(AsyncRwTransport::new_server(read, write), gone.clone());
    let twin = Twin::new(desk.clone(), mcp, gone.clone());
    let way = twin.way();
    let serving = async {
        match twin.serve(line).await {
            Ok(service) => {
                // Whatever ends it, there is nothing left to do.
                let _ = service.waiting().await;
                Ok(Ending::Well)
            }
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(Ending::Well),
            Err(error) => Err(Failure::System(format!("the client cannot be served: {error}"))),
        }
    };
    let overdue = async {
        gone.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    let ended = tokio::select! {
        ended = serving => ended,
        () = overdue => Ok(Ending::Well),
        () = told_to_end() => Ok(Ending::Well),
    };
    let _ = tokio::time::timeout(FAREWELL, way.leave()).await;
    ended
}

/// Waits until the system wants this program to end: many clients say so instead of closing its input.
async fn told_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
        if let [Ok(mut terminate), Ok(mut interrupt), Ok(mut hangup)] = kinds.map(signal) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                _ = hangup.recv() => {}
            }
            return;
        }
    }
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_ok() {
        return;
    }
    // Then it ends as any other program does.
    std::future::pending().await
}
