//! Splits a stream of bytes into lines in bounded memory, however long a line is.

use crate::abridge::{BoundedText, TakenText};
use crate::adapter::{Inbound, Partial};
use crate::event_queue::{EventSender, Unread};
use crate::link_event::LinkEvent;

/// Splits chunks into lines, wherever the chunks begin and end.
///
/// The codecs of `tokio-util` drop a line that is too long.
#[derive(Debug)]
pub struct LineDecoder {
    line: BoundedText,
}

impl LineDecoder {
    /// Makes a decoder that abridges lines of more than `whole` bytes.
    pub const fn new(whole: usize) -> Self {
        Self { line: BoundedText::new(whole) }
    }

    /// Takes a chunk and returns the lines that it completes.
    pub fn push(&mut self, mut chunk: &[u8]) -> Vec<Inbound> {
        let mut lines = Vec::new();
        while let Some(end) = chunk.iter().position(|byte| *byte == b'\n') {
            self.line.push(&chunk[..end]);
            lines.push(self.finish_line());
            chunk = &chunk[end + 1..];
        }
        self.line.push(chunk);
        lines
    }

    /// Sends the lines that a chunk completes; fails once nobody reads any more.
    pub(crate) async fn forward(&mut self, chunk: &[u8], events: &EventSender) -> Result<(), Unread> {
        for line in self.push(chunk) {
            events.send(LinkEvent::Inbound(line)).await?;
        }
        Ok(())
    }

    /// Ends the stream: returns what came after the last line feed, and sends it instead if it was abridged.
    pub(crate) async fn finish(mut self, events: &EventSender) -> Vec<u8> {
        match self.finish_line() {
            Inbound::Line(line) => line,
            abridged => {
                // Nobody may be listening any more.
                let _ = events.send(LinkEvent::Inbound(abridged)).await;
                Vec::new()
            }
        }
    }

    fn finish_line(&mut self) -> Inbound {
        match self.line.take() {
            TakenText::Whole(line) => Inbound::Line(line),
            TakenText::Abridged { text, bytes } => {
                Inbound::Abridged { line: text, why: Partial::TooLarge { bytes } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event_queue::event_queue;
    use proptest::prelude::*;

    const BOUND: usize = 5;

    fn abridged(kept: &str, bytes: usize) -> Inbound {
        Inbound::Abridged { line: kept.as_bytes().to_vec(), why: Partial::TooLarge { bytes } }
    }

    /// Returns the lines, and what came after the last line feed.
    fn decode(chunks: &[&[u8]]) -> (Vec<Inbound>, Vec<u8>) {
        let mut decoder = LineDecoder::new(BOUND);
        let mut lines = Vec::new();
        for chunk in chunks {
            lines.extend(decoder.push(chunk));
        }
        let (events, mut last) = event_queue();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let unfinished = runtime.block_on(decoder.finish(&events));
        drop(events);
        if let Some(LinkEvent::Inbound(abridged)) = runtime.block_on(last.recv()) {
            lines.push(abridged);
        }
        (lines, unfinished)
    }

    #[test]
    fn lines_over_the_bound_are_abridged_and_the_next_line_is_whole() {
        let (lines, end) = decode(&[b"12345\n123456\n", b"ok\n", b"\nhalf"]);
        let line = |text: &str| Inbound::Line(text.as_bytes().to_vec());
        assert_eq!(lines, [line("12345"), abridged("12345", 6), line("ok"), line("")]);
        assert_eq!(end, b"half");
    }

    #[test]
    fn a_long_line_that_never_ends_comes_at_the_end() {
        assert_eq!(decode(&[b"123", b"456", b"78"]), (vec![abridged("12345", 8)], vec![]));
    }

    proptest! {
        #[test]
        fn any_chunks_give_the_same_lines(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'x')], 0..60),
            places in proptest::collection::vec(0usize..60, 0..6),
        ) {
            let mut places: Vec<usize> = places.into_iter().map(|place| place.min(bytes.len())).collect();
            places.sort_unstable();
            let mut chunks = Vec::new();
            let mut from = 0;
            for place in places.into_iter().chain([bytes.len()]) {
                chunks.push(&bytes[from..place]);
                from = place;
            }
            prop_assert_eq!(decode(&chunks), decode(&[&bytes]));
        }
    }
}
