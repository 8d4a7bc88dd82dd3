//! A connection to a server that somebody else runs.

use std::io::{self, ErrorKind};
use std::time::Duration;

use askdesk_domain::{AgentFailure, ProgramError};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::Address;
use crate::error::WriteError;
use crate::line::{Cut, LineCutter, MAX_LINE};
use crate::supervisor::{Exit, OUTPUT_QUEUE, Output, WRITE_QUEUE};

/// How long a connection may take to be made.
const CONNECT_WAIT: Duration = Duration::from_secs(3);
/// How many bytes are read at a time.
const CHUNK: usize = 64 * 1024;

#[derive(Debug)]
enum Write {
    /// A line, and who waits until it is handed over.
    Line(String, oneshot::Sender<Result<(), WriteError>>),
    /// Nothing follows; whoever waits hears that all before is handed over.
    Close(oneshot::Sender<()>),
}

/// The writing side of a connection, which is closed when this is dropped.
#[derive(Debug)]
pub(super) struct Socket {
    writes: mpsc::Sender<Write>,
    tasks: [AbortHandle; 2],
}

impl Socket {
    /// Writes a line; see [`AgentProcess::write`](crate::AgentProcess::write).
    pub(super) fn write(&self, line: String) -> impl Future<Output = Result<(), WriteError>> + Send + use<> {
        let (done, handed) = oneshot::channel();
        let queued = self.writes.try_send(Write::Line(line, done)).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => WriteError::Full(WRITE_QUEUE),
            mpsc::error::TrySendError::Closed(_) => WriteError::Closed,
        });
        async move {
            queued?;
            handed.await.unwrap_or(Err(WriteError::Closed))
        }
    }

    /// Closes both directions once everything written so far is handed over, after `grace` at the latest.
    pub(super) async fn close(&self, grace: Duration) {
        let (done, handed) = oneshot::channel();
        if self.writes.try_send(Write::Close(done)).is_ok() {
            // A server that does not read is left all the same.
            let _ = timeout(grace, handed).await;
        }
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

pub(super) async fn connect(address: &Address) -> Result<(Socket, mpsc::Receiver<Output>), AgentFailure> {
    let late = || io::Error::new(ErrorKind::TimedOut, "it did not answer in time");
    let connected = timeout(CONNECT_WAIT, connect_to(address)).await.unwrap_or_else(|_| Err(late()));
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

async fn connect_to(address: &Address) -> io::Result<(Socket, mpsc::Receiver<Output>)> {
    match address {
        #[cfg(unix)]
        Address::Unix(path) => {
            let (reader, writer) = tokio::net::UnixStream::connect(path).await?.into_split();
            Ok(start(reader, writer, address))
        }
        #[cfg(not(unix))]
        Address::Unix(_) => Err(io::Error::new(ErrorKind::Unsupported, "this system has no Unix sockets")),
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
) -> (Socket, mpsc::Receiver<Output>) {
    let (writes, to_write) = mpsc::channel(WRITE_QUEUE);
    let (output, lines) = mpsc::channel(OUTPUT_QUEUE);
    let reading = tokio::spawn(read(reader, output, address.to_string()));
    let writing = tokio::spawn(write(writer, to_write));
    (Socket { writes, tasks: [reading.abort_handle(), writing.abort_handle()] }, lines)
}

async fn read(mut reader: impl AsyncRead + Unpin, output: mpsc::Sender<Output>, address: String) {
    let mut cutter = LineCutter::new(MAX_LINE);
    let mut buffer = vec![0; CHUNK];
    let words = loop {
        let count = match reader.read(&mut buffer).await {
            Ok(0) => break format!("{address} closed the connection"),
            Ok(count) => count,
            Err(error) => break format!("the connection to {address} broke: {error}"),
        };
        let mut cut = Vec::new();
        cutter.push(&buffer[..count], |line| cut.push(line));
        for line in cut {
            let line = match line {
                Cut::Line(line) => Output::Line(line),
                Cut::Overlong { bytes } => Output::Overlong { bytes },
            };
            if output.send(line).await.is_err() {
                return;
            }
        }
    };
    let (overlong, unfinished) = cutter.finish();
    if let Some(bytes) = overlong {
        let _ = output.send(Output::Overlong { bytes }).await;
    }
    let status = Exit { code: None, signal: None };
    // Nobody may be listening any more.
    let _ = output.send(Output::End { unfinished, status, stderr_tail: words }).await;
}

async fn write(mut writer: impl AsyncWrite + Unpin, mut writes: mpsc::Receiver<Write>) {
    while let Some(write) = writes.recv().await {
        let (mut line, done) = match write {
            Write::Line(line, done) => (line, done),
            Write::Close(done) => {
                // The caller need not wait.
                let _ = done.send(());
                return;
            }
        };
        line.push('\n');
        let written = match writer.write_all(line.as_bytes()).await {
            Ok(()) => writer.flush().await,
            Err(error) => Err(error),
        };
        let failed = written.is_err();
        let written = written.map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => WriteError::Closed,
            _ => WriteError::Io(error.to_string()),
        });
        // The caller need not wait.
        let _ = done.send(written);
        if failed {
            return;
        }
    }
}
