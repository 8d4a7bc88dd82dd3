//! A connection to a server that somebody else runs.

use std::io::{self, ErrorKind};
use std::time::Duration;

use askdesk_domain::{AgentFailure, ProgramError};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::Address;
use crate::event::WHOLE_LINE;
use crate::event_queue::{EventSender, ProcessEvents, event_queue};
use crate::line_decoder::LineDecoder;
use crate::line_writer::{self, LineWriter};
use crate::link_event::{Exit, LinkEnd, LinkEvent};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How many bytes are read at a time.
const CHUNK: usize = 64 * 1024;

/// The writing side of a connection, which is closed when this is dropped.
#[derive(Debug)]
pub(super) struct Socket {
    pub(super) writer: LineWriter,
    tasks: [AbortHandle; 2],
}

impl Socket {
    /// Closes both directions once everything written so far is handed over, after `grace` at the latest.
    pub(super) async fn close(&self, grace: Duration) {
        // A server that does not read is left all the same.
        let _ = timeout(grace, self.writer.close()).await;
        self.abort();
    }

    fn abort(&self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.abort();
    }
}

pub(super) async fn connect(address: &Address) -> Result<(Socket, ProcessEvents), AgentFailure> {
    let timed_out = || io::Error::new(ErrorKind::TimedOut, "it didn't respond in time");
    let connected = timeout(CONNECT_TIMEOUT, connect_to(address)).await.unwrap_or_else(|_| Err(timed_out()));
    connected.map_err(|error| AgentFailure::NotStarted {
        program: address.to_string(),
        problem: match error.kind() {
            ErrorKind::PermissionDenied => ProgramError::Forbidden,
            ErrorKind::Unsupported => ProgramError::Unfit,
            _ => ProgramError::Missing,
        },
        error: error.to_string(),
    })
}

async fn connect_to(address: &Address) -> io::Result<(Socket, ProcessEvents)> {
    match address {
        #[cfg(unix)]
        Address::Unix(path) => {
            let (reader, writer) = tokio::net::UnixStream::connect(path).await?.into_split();
            Ok(start(reader, writer, address))
        }
        #[cfg(not(unix))]
        Address::Unix(_) => {
            Err(io::Error::new(ErrorKind::Unsupported, "this system doesn't support Unix sockets"))
        }
        Address::Tcp(host) => {
            let (reader, writer) = TcpStream::connect(host).await?.into_split();
            Ok(start(reader, writer, address))
        }
    }
}

fn start(
    reader: impl AsyncRead + Unpin + Send + 'static,
    writer: impl AsyncWrite + Unpin + Send + 'static,
    address: &Address,
) -> (Socket, ProcessEvents) {
    let (writer_handle, queue) = line_writer::queue();
    let (sender, events) = event_queue();
    let reading = tokio::spawn(read(reader, sender, address.to_string()));
    let writing = tokio::spawn(queue.write_to(writer, std::future::pending));
    (Socket { writer: writer_handle, tasks: [reading.abort_handle(), writing.abort_handle()] }, events)
}

async fn read(mut reader: impl AsyncRead + Unpin, events: EventSender, address: String) {
    let mut decoder = LineDecoder::new(WHOLE_LINE);
    let mut buffer = vec![0; CHUNK];
    let reason = loop {
        match reader.read(&mut buffer).await {
            Ok(0) => break format!("{address} closed the connection"),
            Ok(count) => {
                if decoder.forward(&buffer[..count], &events).await.is_err() {
                    return;
                }
            }
            Err(error) => break format!("the connection to {address} broke: {error}"),
        }
    };
    let unfinished = decoder.finish(&events).await;
    // Nobody may be listening any more.
    let _ = events
        .send(LinkEvent::Ended(LinkEnd { unfinished, status: Exit::UNKNOWN, stderr_tail: reason }))
        .await;
}
