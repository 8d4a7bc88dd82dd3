//! Follows a stream of server-sent events, and opens it again when it breaks.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;
use tokio::time::{Instant, sleep, timeout};

use super::client::Client;
use crate::adapter::{Inbound, Partial};
use crate::connection::HttpMethod;
use crate::event::WHOLE_LINE;
use crate::event_queue::EventSender;
use crate::line_decoder::LineDecoder;
use crate::link_event::LinkEvent;

const EVENT_STREAM: &str = "text/event-stream";
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
///
/// Only a server that has no stream at a path is asked for the next one; the path that brought an event stays.
pub(super) async fn follow(client: &Client, mut paths: &[&str], events: &EventSender) -> String {
    let mut failures = 0;
    loop {
        let Some((path, others)) = paths.split_first() else {
            return "the server has no event stream that Askdesk knows".to_owned();
        };
        let began = Instant::now();
        let reason = read(client, path, events).await;
        if reason.is_other && !others.is_empty() {
            paths = others;
            continue;
        }
        if reason.heard {
            paths = &paths[..1];
        }
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
    /// Whether the server responded with something else.
    is_other: bool,
}

/// Reads one stream to its end.
async fn read(client: &Client, path: &str, events: &EventSender) -> Broken {
    let opened = timeout(SILENCE, client.send(HttpMethod::Get, path, EVENT_STREAM, Bytes::new())).await;
    let unopened = |why: String| Broken { why, heard: false, is_other: false };
    let response = match opened {
        Ok(Ok(response)) if response.status().is_success() => response,
        Ok(Ok(response)) => {
            let is_other = response.status() == StatusCode::NOT_FOUND;
            let why = format!("the server responded with {}", response.status());
            return Broken { is_other, ..unopened(why) };
        }
        Ok(Err(error)) => return unopened(error),
        Err(_) => return unopened("the server didn't respond".to_owned()),
    };
    let kind = response.headers().get(CONTENT_TYPE).map(|kind| kind.to_str().unwrap_or_default().to_owned());
    // OpenCode answers an unknown route with its page.
    if let Some(kind) = kind.filter(|kind| !kind.starts_with(EVENT_STREAM)) {
        return Broken {
            is_other: true,
            ..unopened(format!("the server responded with {kind}, not with events"))
        };
    }
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
    Broken { why, heard, is_other: false }
}

/// Reads the data of events from a stream; names, ids and comments are passed over.
#[derive(Debug)]
struct EventDecoder {
    lines: LineDecoder,
    data: Option<Vec<u8>>,
    /// The length of the current event, if it was abridged.
    abridged: Option<usize>,
}

impl EventDecoder {
    const fn new() -> Self {
        Self { lines: LineDecoder::new(WHOLE_LINE), data: None, abridged: None }
    }

    fn push(&mut self, chunk: &[u8]) -> Vec<Inbound> {
        let mut events = Vec::new();
        for line in self.lines.push(chunk) {
            match line {
                Inbound::Line(line) => events.extend(self.take(&line)),
                Inbound::Abridged { line, why } => {
                    let Partial::TooLarge { bytes } = why else { continue };
                    *self.abridged.get_or_insert_default() += bytes;
                    events.extend(self.take(&line));
                }
                Inbound::End { .. } | Inbound::Rpc(_) => {}
            }
        }
        events
    }

    /// Takes a line, and returns the event that it completes.
    fn take(&mut self, line: &[u8]) -> Option<Inbound> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            let abridged = self.abridged.take();
            let data = self.data.take()?;
            return Some(match abridged {
                None => Inbound::Line(data),
                Some(bytes) => Inbound::Abridged { line: data, why: Partial::TooLarge { bytes } },
            });
        }
        let value = line.strip_prefix(b"data:")?;
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &mut self.data {
            // Data of several lines is no JSON text on one line, and is of no use if it is not whole.
            Some(data) if data.len() + value.len() > WHOLE_LINE => {
                *self.abridged.get_or_insert_default() += data.len() + value.len();
                data.clear();
            }
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
    use serde_json::Value;

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
    fn an_event_that_is_too_long_is_abridged_and_the_next_is_whole() {
        let mut decoder = EventDecoder::new();
        let half = "x".repeat(WHOLE_LINE / 2 + 1);
        let long = format!("data: {{\"a\":\"{half}{half}\",\"b\":1}}\r\n\r\ndata: ok\n\n");
        let events = decoder.push(long.as_bytes());
        let [Inbound::Abridged { line, why }, Inbound::Line(ok)] = events.as_slice() else {
            panic!("{events:?}")
        };
        let kept: Value = serde_json::from_slice(line).unwrap();
        assert_eq!(kept["b"], 1);
        assert!(
            kept["a"].as_str().unwrap().ends_with(&format!("[too large to show: {} bytes]", 2 * half.len()))
        );
        let bytes = long.find('\n').unwrap();
        assert_eq!((*why, ok.as_slice()), (Partial::TooLarge { bytes }, &b"ok"[..]));
    }

    #[test]
    fn data_of_many_lines_is_bounded_too() {
        let mut decoder = EventDecoder::new();
        let half = "x".repeat(WHOLE_LINE / 2 + 1);
        let events = decoder.push(format!("data: {half}\ndata: {half}\n\ndata: ok\n\n").as_bytes());
        let bytes = 2 * half.len();
        assert_eq!(
            events,
            [
                Inbound::Abridged { line: Vec::new(), why: Partial::TooLarge { bytes } },
                Inbound::Line(b"ok".to_vec())
            ]
        );
    }
}
