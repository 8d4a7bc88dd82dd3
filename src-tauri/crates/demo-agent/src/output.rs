//! Stdout, one JSON object a line, flushed at once.

use std::io::{Stdout, Write};

use serde_json::Value;

use super::record::{Direction, Record, monotonic_ns};

/// The exit code after the host closed our stdout.
const STDOUT_GONE: u8 = 1;

/// Why a turn stops early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The turn was interrupted; the session continues.
    Interrupted,
    /// The process ends with this code.
    Exit(u8),
}

#[derive(Debug)]
pub(super) struct Output {
    stdout: Stdout,
    record: Record,
}

impl Output {
    pub(super) fn new(record: Record) -> Self {
        Self { stdout: std::io::stdout(), record }
    }

    pub(super) fn event(&mut self, event: &Value) -> Result<(), Stop> {
        self.line(event.to_string().as_bytes())
    }

    pub(super) fn line(&mut self, line: &[u8]) -> Result<(), Stop> {
        let mut whole = Vec::with_capacity(line.len() + 1);
        whole.extend_from_slice(line);
        whole.push(b'\n');
        self.write(&whole, line)
    }

    /// Writes bytes without a line end, so that whatever comes next is glued to them.
    pub(super) fn unfinished(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.write(bytes, bytes)
    }

    fn write(&mut self, bytes: &[u8], recorded: &[u8]) -> Result<(), Stop> {
        // The time before the write: a reader may have the line before the call comes back.
        let t_ns = monotonic_ns();
        let mut stdout = self.stdout.lock();
        stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|_| Stop::Exit(STDOUT_GONE))?;
        self.record.append(t_ns, Direction::Out, recorded);
        Ok(())
    }
}
