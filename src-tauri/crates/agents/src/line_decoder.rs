//! Splits a stream of bytes into lines without ever holding more than the longest line allowed.

use tokio::sync::mpsc;

use crate::adapter::Inbound;
use crate::link_event::LinkEvent;

/// Splits chunks into lines, wherever the chunks begin and end.
///
/// The codecs of `tokio-util` report that a line is too long, but not how long it was.
#[derive(Debug)]
pub struct LineDecoder {
    max: usize,
    held: Vec<u8>,
    /// How many bytes of the current line were dropped because it is too long.
    skipped: usize,
}

impl LineDecoder {
    /// Makes a decoder for lines of at most `max` bytes.
    pub const fn new(max: usize) -> Self {
        Self { max, held: Vec::new(), skipped: 0 }
    }

    /// Takes a chunk and returns the lines that it completes.
    pub fn push(&mut self, mut chunk: &[u8]) -> Vec<Inbound> {
        let mut lines = Vec::new();
        while let Some(end) = chunk.iter().position(|byte| *byte == b'\n') {
            self.take(&chunk[..end]);
            lines.push(self.finish_line());
            chunk = &chunk[end + 1..];
        }
        self.take(chunk);
        lines
    }

    /// Sends the lines that a chunk completes; fails once the receiver is dropped.
    pub async fn forward(
        &mut self,
        chunk: &[u8],
        events: &mpsc::Sender<LinkEvent>,
    ) -> Result<(), mpsc::error::SendError<LinkEvent>> {
        for line in self.push(chunk) {
            events.send(LinkEvent::Inbound(line)).await?;
        }
        Ok(())
    }

    /// Ends the stream: returns what came after the last line feed, and sends it instead if it is too long.
    pub async fn finish(self, events: &mpsc::Sender<LinkEvent>) -> Vec<u8> {
        if self.skipped > 0 {
            // Nobody may be listening any more.
            let _ = events.send(LinkEvent::Inbound(Inbound::Overlong { bytes: self.skipped })).await;
        }
        self.held
    }

    fn take(&mut self, part: &[u8]) {
        if self.skipped > 0 {
            self.skipped += part.len();
        } else if self.held.len() + part.len() > self.max {
            self.skipped = self.held.len() + part.len();
            self.held = Vec::new();
        } else {
            self.held.extend_from_slice(part);
        }
    }

    fn finish_line(&mut self) -> Inbound {
        match std::mem::take(&mut self.skipped) {
            0 => Inbound::Line(std::mem::take(&mut self.held)),
            bytes => Inbound::Overlong { bytes },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOUND: usize = 5;

    /// Returns the lines, and what came after the last line feed.
    fn decode(chunks: &[&[u8]]) -> (Vec<Inbound>, Vec<u8>) {
        let mut decoder = LineDecoder::new(BOUND);
        let mut lines = Vec::new();
        for chunk in chunks {
            lines.extend(decoder.push(chunk));
            assert!(decoder.held.len() <= BOUND);
        }
        let (events, mut last) = mpsc::channel(1);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let unfinished = runtime.block_on(decoder.finish(&events));
        if let Ok(LinkEvent::Inbound(overlong)) = last.try_recv() {
            lines.push(overlong);
        }
        (lines, unfinished)
    }

    #[test]
    fn lines_over_the_bound_are_counted_and_the_next_line_is_whole() {
        let (lines, end) = decode(&[b"12345\n123456\n", b"ok\n", b"\nhalf"]);
        let line = |text: &str| Inbound::Line(text.as_bytes().to_vec());
        assert_eq!(lines, [line("12345"), Inbound::Overlong { bytes: 6 }, line("ok"), line("")]);
        assert_eq!(end, b"half");
    }

    #[test]
    fn an_overlong_line_that_never_ends_is_counted_at_the_end() {
        assert_eq!(decode(&[b"123", b"456", b"78"]), (vec![Inbound::Overlong { bytes: 8 }], vec![]));
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
