//! Stdin, read by a thread of its own so that playing never waits for the host and the host never for playing.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;

use super::record::{Direction, Record, monotonic_ns};

/// What came over stdin.
#[derive(Debug)]
pub(super) enum Input {
    /// A JSON line.
    Message(Value),
    /// A line that is not JSON, shortened for the words of the error.
    NotJson(String),
    /// The end of stdin.
    Closed,
}

/// The number of characters of an unreadable line that are shown.
const SHOWN_CHARS: usize = 80;

/// Starts reading.
pub(super) fn open(record: Record) -> Receiver<Input> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        loop {
            let mut line = Vec::new();
            let input = match stdin.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => Input::Closed,
                Ok(_) => {
                    let t_ns = monotonic_ns();
                    let line = line.strip_suffix(b"\n").unwrap_or(&line);
                    let line = line.strip_suffix(b"\r").unwrap_or(line);
                    record.append(t_ns, Direction::In, line);
                    if line.trim_ascii().is_empty() {
                        continue;
                    }
                    serde_json::from_slice(line).map_or_else(
                        |_| Input::NotJson(String::from_utf8_lossy(line).chars().take(SHOWN_CHARS).collect()),
                        Input::Message,
                    )
                }
            };
            let last = matches!(input, Input::Closed);
            if sender.send(input).is_err() || last {
                return;
            }
        }
    });
    receiver
}
