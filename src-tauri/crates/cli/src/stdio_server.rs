//! `askdesk mcp`: an MCP server for clients that only support standard input and output.
//!
//! It offers the same tools as the gateway, and passes each call on to it. It keeps nothing: when the client goes, this
//! process ends, and its questions are left to the user.

mod app_start;
mod connection;
mod handler;
mod transport;

use std::time::Duration;

use askdesk_client_config::DataFolder;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio;
use tokio_util::sync::CancellationToken;

use crate::arguments::Mcp;
use crate::exit::{Exit, Failure};
use handler::Handler;
use transport::WatchedTransport;

/// How long a client that has closed its input can still read pending responses.
const GRACE_PERIOD: Duration = Duration::from_secs(1);
/// How long it may take to tell Askdesk that the client has gone.
const LEAVE_TIMEOUT: Duration = Duration::from_millis(500);

/// Serves the client until it goes.
pub async fn run(folder: &DataFolder, mcp: &Mcp) -> Result<Exit, Failure> {
    let gone = CancellationToken::new();
    let (read, write) = stdio();
    let writer = AsyncRwTransport::new_server(tokio::io::empty(), write);
    let transport = WatchedTransport::new(read, writer, gone.clone());
    let handler = Handler::new(folder.clone(), mcp, gone.clone());
    let connection = handler.connection();
    let serving = async {
        match handler.serve(transport).await {
            Ok(service) => {
                // However it ends, there is nothing left to do.
                let _ = service.waiting().await;
                Ok(Exit::Success)
            }
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(Exit::Success),
            Err(error) => Err(Failure::System(format!("can't serve the client: {error}"))),
        }
    };
    let overdue = async {
        gone.cancelled().await;
        tokio::time::sleep(GRACE_PERIOD).await;
    };
    let result = tokio::select! {
        result = serving => result,
        () = overdue => Ok(Exit::Success),
        () = termination_signal() => Ok(Exit::Success),
    };
    let _ = tokio::time::timeout(LEAVE_TIMEOUT, connection.leave()).await;
    result
}

/// Waits for a signal to terminate. Many clients send one instead of closing the input.
async fn termination_signal() {
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
    // Without handlers, a signal ends the process.
    std::future::pending().await
}
