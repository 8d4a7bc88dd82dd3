//! Reads a process's two outputs within bounds.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;
use tokio::time::timeout;

use super::DRAIN_TIMEOUT;
use crate::event::WHOLE_LINE;
use crate::event_queue::EventSender;
use crate::line_decoder::LineDecoder;
use crate::link_event::LinkEvent;
use crate::secrets::Secrets;

/// The longest line of the error output that is passed on, in bytes; a longer one is passed on in pieces.
pub const STDERR_LINE: usize = 8 * 1024;
/// How many of the last bytes of the error output are kept to explain an end.
pub const STDERR_TAIL: usize = 64 * 1024;
/// How many bytes are read at a time.
const CHUNK: usize = 64 * 1024;
/// How many bytes are still read after the process has ended.
///
/// What it wrote itself is in the pipe by then, and no pipe holds more; whatever comes after that is of others.
const PIPE_BYTES: usize = 1024 * 1024;

/// Reads chunks until the pipe ends, or the process has and its pipe holds nothing more of it.
struct Chunks<R> {
    pipe: R,
    has_exited: watch::Receiver<bool>,
    left_after_exit: usize,
    buffer: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Chunks<R> {
    fn new(pipe: R, has_exited: watch::Receiver<bool>) -> Self {
        Self { pipe, has_exited, left_after_exit: PIPE_BYTES, buffer: vec![0; CHUNK] }
    }

    async fn next(&mut self) -> Option<&[u8]> {
        let exited = *self.has_exited.borrow();
        let read = if exited {
            None
        } else {
            tokio::select! {
                biased;
                read = self.pipe.read(&mut self.buffer) => Some(read),
                _ = self.has_exited.wait_for(|exited| *exited) => None,
            }
        };
        let read = match read {
            Some(read) => read,
            None if self.left_after_exit == 0 => return None,
            None => {
                let read = timeout(DRAIN_TIMEOUT, self.pipe.read(&mut self.buffer)).await.ok()?;
                let bytes = read.as_ref().copied().unwrap_or_default();
                self.left_after_exit = self.left_after_exit.saturating_sub(bytes);
                read
            }
        };
        // A pipe that cannot be read has ended as far as we are concerned.
        match read {
            Ok(0) | Err(_) => None,
            Ok(bytes) => self.buffer.get(..bytes),
        }
    }
}

/// Passes on every line; returns what came after the last line feed.
pub(super) async fn read_stdout(
    pipe: Option<impl AsyncRead + Unpin>,
    events: EventSender,
    has_exited: watch::Receiver<bool>,
) -> Vec<u8> {
    let Some(pipe) = pipe else { return Vec::new() };
    let mut chunks = Chunks::new(pipe, has_exited);
    let mut decoder = LineDecoder::new(WHOLE_LINE);
    while let Some(chunk) = chunks.next().await {
        if decoder.forward(chunk, &events).await.is_err() {
            return Vec::new();
        }
    }
    decoder.finish(&events).await
}

/// Passes on every line of the error output without the secrets in it; returns its tail, also without.
pub(super) async fn read_stderr(
    pipe: Option<impl AsyncRead + Unpin>,
    events: EventSender,
    has_exited: watch::Receiver<bool>,
    secrets: Secrets,
) -> Tail {
    let mut tail = Tail::default();
    let Some(pipe) = pipe else { return tail };
    let mut chunks = Chunks::new(pipe, has_exited);
    let mut line: Vec<u8> = Vec::new();
    while let Some(chunk) = chunks.next().await {
        for part in chunk.split_inclusive(|byte| *byte == b'\n') {
            for piece in part.chunks(STDERR_LINE) {
                line.extend_from_slice(piece);
                let ended = line.last() == Some(&b'\n');
                if !ended && line.len() < STDERR_LINE {
                    continue;
                }
                let mut text = String::from_utf8_lossy(&line).into_owned();
                secrets.strike(&mut text);
                let begun = if ended { 0 } else { secrets.begun_at_end_of(&text) };
                line = text.split_off(text.len() - begun).into_bytes();
                tail.keep(text.as_bytes());
                if ended {
                    text.truncate(text.trim_end().len());
                }
                if events.send(LinkEvent::Stderr(text)).await.is_err() {
                    return tail;
                }
            }
        }
    }
    if !line.is_empty() {
        let mut text = String::from_utf8_lossy(&line).into_owned();
        secrets.strike(&mut text);
        tail.keep(text.as_bytes());
        // Nobody may be listening any more.
        let _ = events.send(LinkEvent::Stderr(text)).await;
    }
    tail
}

/// The last bytes of a stream.
#[derive(Debug, Default)]
pub(super) struct Tail(VecDeque<u8>);

impl Tail {
    fn keep(&mut self, chunk: &[u8]) {
        let chunk = &chunk[chunk.len().saturating_sub(STDERR_TAIL)..];
        let over = (self.0.len() + chunk.len()).saturating_sub(STDERR_TAIL);
        self.0.drain(..over);
        self.0.extend(chunk);
    }

    /// Returns the tail as text; a character that was cut at its front is shown as such.
    pub(super) fn into_text(self) -> String {
        String::from_utf8_lossy(&Vec::from(self.0)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event_queue::event_queue;
    use crate::launch::LaunchPlan;

    #[tokio::test]
    async fn case_169_a_secret_is_struck_wherever_a_read_cuts_the_line() {
        const KEY: &str = "sk-0123456789abcdef";
        let (program, folder) = ("/bin/sh".into(), "/".into());
        let env = vec![("API_KEY".into(), KEY.into())];
        let secrets =
            Secrets::of(&LaunchPlan { program, args: Vec::new(), folder, env, env_remove: Vec::new() });
        let line = format!("{}key {KEY}. \n", "x".repeat(STDERR_LINE - 10));
        for cut in STDERR_LINE - 12..=line.len() {
            let (first, second) = line.as_bytes().split_at(cut);
            let (_exit, has_exited) = watch::channel(false);
            let (events, mut printed) = event_queue();
            let tail = read_stderr(Some(first.chain(second)), events, has_exited, secrets.clone()).await;
            let mut seen = String::new();
            while let Some(LinkEvent::Stderr(text)) = printed.recv().await {
                seen.push_str(&text);
            }
            assert!(seen.ends_with("xkey [API_KEY]."), "cut at {cut}: {}", &seen[STDERR_LINE - 12..]);
            assert!(tail.into_text().ends_with("xkey [API_KEY]. \n"), "cut at {cut}");
        }
    }
}
