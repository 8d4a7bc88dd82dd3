//! Writes lines to an agent, in the order in which they were queued.

use std::io::ErrorKind;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

/// How many lines may be queued for an agent that does not read.
pub const WRITE_QUEUE: usize = 64;

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

impl<T> From<TrySendError<T>> for WriteError {
    fn from(error: TrySendError<T>) -> Self {
        match error {
            TrySendError::Full(_) => Self::Full(WRITE_QUEUE),
            TrySendError::Closed(_) => Self::Closed,
        }
    }
}

/// Where the result of a write goes.
pub(crate) type WriteResult = oneshot::Sender<Result<(), WriteError>>;

#[derive(Debug)]
enum QueuedWrite {
    Line(String, WriteResult),
    /// Nothing follows; the sender hears when everything before has been written.
    Close(oneshot::Sender<()>),
}

/// The sending side of a queue of lines. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct LineWriter(mpsc::Sender<QueuedWrite>);

/// The receiving side of a queue of lines.
#[derive(Debug)]
pub(crate) struct LineQueue(mpsc::Receiver<QueuedWrite>);

pub(crate) fn queue() -> (LineWriter, LineQueue) {
    let (sender, receiver) = mpsc::channel(WRITE_QUEUE);
    (LineWriter(sender), LineQueue(receiver))
}

impl LineWriter {
    /// Queues a line; the line feed is added here. The order of calls is the order of lines, and the future resolves
    /// once all bytes are handed over, or once it is known that they will not be.
    pub(crate) fn write(&self, line: String) -> impl Future<Output = Result<(), WriteError>> + Send + use<> {
        let (done, written) = oneshot::channel();
        let queued = self.0.try_send(QueuedWrite::Line(line, done)).map_err(WriteError::from);
        async move {
            queued?;
            written.await.unwrap_or(Err(WriteError::Closed))
        }
    }

    /// Closes the queue behind the lines in it. The receiver fires once they are written; none if the queue is full.
    pub(crate) fn try_close(&self) -> Option<oneshot::Receiver<()>> {
        let (done, closed) = oneshot::channel();
        self.0.try_send(QueuedWrite::Close(done)).ok().map(|()| closed)
    }

    /// Closes the queue behind the lines in it, and waits for room where it is full.
    pub(crate) async fn close(&self) {
        // If the queue is gone, so is the input.
        let _ = self.0.send(QueuedWrite::Close(oneshot::channel().0)).await;
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
            let (line, done) = match queued {
                QueuedWrite::Line(line, done) => (line, done),
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
