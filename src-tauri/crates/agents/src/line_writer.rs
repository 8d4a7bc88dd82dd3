//! Writes lines to an agent, in the order in which they were queued.

use std::io::ErrorKind;
use std::sync::Arc;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};

use crate::bounds::{HeldRoom, Room};

/// How many lines may be queued for an agent that does not read.
pub const WRITE_QUEUE: usize = 64;
/// How many bytes they may have together; one line of any size fits where no other is queued.
pub const WRITE_BYTES: usize = 16 * 1024 * 1024;

/// Why a line did not reach an agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The process has ended, or its input was closed.
    #[error("the agent has exited or closed its input")]
    Closed,
    /// The system failed to write.
    #[error("couldn't write to the agent: {0}")]
    Io(String),
    /// The agent does not read, and its queue is full.
    #[error("the agent isn't reading its input ({0} lines waiting)")]
    Full(usize),
}

/// Where the result of a write goes.
pub(crate) type WriteResult = oneshot::Sender<Result<(), WriteError>>;

#[derive(Debug)]
enum QueuedWrite {
    Line(String, HeldRoom, WriteResult),
    /// Nothing follows; the sender hears when everything before has been written.
    Close(oneshot::Sender<()>),
}

/// The sending side of a queue of lines. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct LineWriter {
    queue: mpsc::UnboundedSender<QueuedWrite>,
    room: Arc<Room>,
}

/// The receiving side of a queue of lines.
#[derive(Debug)]
pub(crate) struct LineQueue(mpsc::UnboundedReceiver<QueuedWrite>);

pub(crate) fn queue() -> (LineWriter, LineQueue) {
    let (queue, receiver) = mpsc::unbounded_channel();
    (LineWriter { queue, room: Room::new(WRITE_QUEUE, WRITE_BYTES) }, LineQueue(receiver))
}

impl LineWriter {
    /// Queues a line; the line feed is added here. The order of calls is the order of lines, and the future resolves
    /// once all bytes are handed over, or once it is known that they will not be. Fails if the line can't be queued.
    pub(crate) fn write(
        &self,
        line: String,
    ) -> Result<impl Future<Output = Result<(), WriteError>> + Send + use<>, WriteError> {
        let held = self.room.take(line.len()).map_err(WriteError::Full)?;
        let (done, written) = oneshot::channel();
        self.queue.send(QueuedWrite::Line(line, held, done)).map_err(|_| WriteError::Closed)?;
        Ok(async move { written.await.unwrap_or(Err(WriteError::Closed)) })
    }

    /// Closes the queue behind the lines in it. The receiver fires once they are written.
    pub(crate) fn close(&self) -> oneshot::Receiver<()> {
        let (done, closed) = oneshot::channel();
        // If the queue is gone, so is the input.
        let _ = self.queue.send(QueuedWrite::Close(done));
        closed
    }
}

impl LineQueue {
    /// Writes the queue until it is closed, a write fails, or `hung_up` resolves during a write.
    pub(crate) async fn write_to<H: Future<Output = ()>>(
        mut self,
        mut writer: impl AsyncWrite + Unpin,
        hung_up: impl Fn() -> H,
    ) {
        while let Some(queued) = self.0.recv().await {
            let (line, _held, done) = match queued {
                QueuedWrite::Line(line, held, done) => (line, held, done),
                QueuedWrite::Close(done) => {
                    // The caller may have stopped waiting.
                    let _ = done.send(());
                    return;
                }
            };
            let written = tokio::select! {
                biased;
                () = hung_up() => Err(WriteError::Closed),
                written = write_line(&mut writer, line) => written,
            };
            let failed = written.is_err();
            // The caller may have stopped waiting.
            let _ = done.send(written);
            if failed {
                return;
            }
        }
    }
}

async fn write_line(writer: &mut (impl AsyncWrite + Unpin), mut line: String) -> Result<(), WriteError> {
    line.push('\n');
    let written = match writer.write_all(line.as_bytes()).await {
        Ok(()) => writer.flush().await,
        Err(error) => Err(error),
    };
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => WriteError::Closed,
        _ => WriteError::Io(error.to_string()),
    })
}
