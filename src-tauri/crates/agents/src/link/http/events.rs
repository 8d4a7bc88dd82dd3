//! Follows a stream of server-sent events, and opens it again when it breaks.

use std::time::Duration;

use http_body_util::BodyExt;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::client::Client;
use crate::adapter::Inbound;
use crate::connection::HttpMethod;
use crate::line_decoder::LineDecoder;
use crate::link_event::LinkEvent;

/// The longest event that is read, in bytes. A message with images is one event.
const MAX_EVENT: usize = 32 * 1024 * 1024;
/// How long a stream may be silent. A server that we follow sends a sign of life every ten seconds.
const SILENCE: Duration = Duration::from_secs(45);
/// How often in a row the stream may break.
const RETRIES: u32 = 8;
/// How long to wait before the first retry; each further wait is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_secs(3);
/// After this time a stream counts as steady, and its end as the first break.
const STEADY: Duration = Duration::from_secs(10);

/// Passes on the data of every event. Returns why the stream can't be followed any longer.
pub(super) async fn follow(client: &Client, path: &str, events: &mpsc::Sender<LinkEvent>) -> String {
    let mut failures = 0;
    loop {
        let began = Instant::now();
        let reason = read(client, path, events).await;
        if began.elapsed() >= STEADY && reason.heard {
            failures = 0;
        }
        let reason = reason.why;
        failures += 1;
        if failures > RETRIES {
            return format!("the server's event stream broke {failures} times in a row: {reason}");
        }
        tracing::debug!(%reason, failures, "an event stream broke and is opened again");
        sleep((FIRST_WAIT * 2_u32.pow(failures - 1)).min(LONGEST_WAIT)).await;
    }
}

/// How a stream ended.
struct Broken {
    why: String,
    /// Whether it brought an event.
    heard: bool,
}

/// Reads one stream to its end.
async fn read(client: &Client, path: &str, events: &mpsc::Sender<LinkEvent>) -> Broken {
    let opened =
        timeout(SILENCE, client.send(HttpMethod::Get, path, "text/event-stream", &Value::Null)).await;
    let unopened = |why: String| Broken { why, heard: false };
    let response = match opened {
        Ok(Ok(response)) if response.status().is_success() => response,
        Ok(Ok(response)) => return unopened(format!("the server responded with {}", response.status())),
        Ok(Err(error)) => return unopened(error),
        Err(_) => return unopened("the server didn't respond".to_owned()),
    };
    let mut body = response.into_body();
    let mut decoder = EventDecoder::new();
    let mut heard = false;
    let why = loop {
        let frame = match timeout(SILENCE, body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(error))) => break error.to_string(),
            Ok(None) => break "the server closed it".to_owned(),
            Err(_) => break format!("it was silent for {} seconds", SILENCE.as_secs()),
        };
        let Ok(chunk) = frame.into_data() else { continue };
        for inbound in decoder.push(&chunk) {
            heard = true;
            // Nobody may be listening any more.
            let _ = events.send(LinkEvent::Inbound(inbound)).await;
        }
    };
    Broken { why, heard }
}

/// Reads the data of events from a stream; names, ids and comments are passed over.
#[derive(Debug)]
struct EventDecoder {
    lines: LineDecoder,
    data: Option<Vec<u8>>,
    /// How many bytes of the current event were dropped because it is too long.
    skipped: usize,
}

impl EventDecoder {
    const fn new() -> Self {
        Self { lines: LineDecoder::new(MAX_EVENT), data: None, skipped: 0 }
    }

    fn push(&mut self, chunk: &[u8]) -> Vec<Inbound> {
        let mut events = Vec::new();
        for line in self.lines.push(chunk) {
            match line {
                Inbound::Line(line) => events.extend(self.take(line.strip_suffix(b"\r").unwrap_or(&line))),
                Inbound::Overlong { bytes } => self.skipped += bytes,
                Inbound::End { .. } | Inbound::Rpc(_) => {}
            }
        }
        events
    }

    /// Takes a line, and returns the event that it completes.
    fn take(&mut self, line: &[u8]) -> Option<Inbound> {
        if line.is_empty() {
            let data = self.data.take();
            return match std::mem::take(&mut self.skipped) {
                0 => data.map(Inbound::Line),
                bytes => Some(Inbound::Overlong { bytes }),
            };
        }
        let value = line.strip_prefix(b"data:")?;
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let held = self.data.as_ref().map_or(0, Vec::len);
        if self.skipped > 0 || held + value.len() > MAX_EVENT {
            self.skipped += held + value.len();
            self.data = None;
            return None;
        }
        match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(chunks: &[&str], expected: &[&str]) {
        let mut decoder = EventDecoder::new();
        let events: Vec<Inbound> = chunks.iter().flat_map(|chunk| decoder.push(chunk.as_bytes())).collect();
        let expected: Vec<Inbound> =
            expected.iter().map(|data| Inbound::Line(data.as_bytes().to_vec())).collect();
        assert_eq!(events, expected, "{chunks:?}");
    }

    #[test]
    fn the_data_of_each_event_is_passed_on_wherever_the_chunks_end() {
        check(&["data: {\"a\":1}\n\ndata: {\"b\":2}\n\n"], &["{\"a\":1}", "{\"b\":2}"]);
        check(&["da", "ta: {\"a\"", ":1}\n", "\n"], &["{\"a\":1}"]);
        check(&["event: x\r\nid: 7\r\ndata:one\r\ndata: two\r\n\r\n"], &["one\ntwo"]);
        check(&[": a comment\n\n", "retry: 5\n\n", "\n\n"], &[]);
    }

    #[test]
    fn an_event_that_is_cut_off_is_not_passed_on() {
        check(&["data: whole\n\ndata: half"], &["whole"]);
        check(&["data: whole\n\ndata: half\n"], &["whole"]);
    }

    #[test]
    fn an_event_that_is_too_long_is_counted_and_the_next_is_whole() {
        let mut decoder = EventDecoder::new();
        let half = vec![b'x'; MAX_EVENT / 2 + 1];
        let mut events = Vec::new();
        for _ in 0..2 {
            events.extend(decoder.push(b"data: "));
            events.extend(decoder.push(&half));
            events.extend(decoder.push(b"\n"));
        }
        events.extend(decoder.push(b"\ndata: ok\n\n"));
        let bytes = 2 * half.len();
        assert_eq!(events, [Inbound::Overlong { bytes }, Inbound::Line(b"ok".to_vec())]);
    }
}
