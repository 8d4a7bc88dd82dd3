//! Cuts a stream of bytes into lines without ever holding more than one line's bound.

/// The longest line that is read, in bytes without its line feed; a longer one is skipped and counted.
pub const MAX_LINE: usize = 1024 * 1024;

/// One line of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// A line without its line feed.
    Line(Vec<u8>),
    /// A line over the bound; its bytes are gone.
    Overlong {
        /// Its length in bytes.
        bytes: usize,
    },
}

/// Cuts chunks into lines; how the chunks are cut makes no difference.
#[derive(Debug)]
pub struct LineCutter {
    max: usize,
    held: Vec<u8>,
    /// Bytes of the current line that were thrown away because it is over the bound.
    skipped: usize,
}

impl LineCutter {
    /// Makes a cutter for lines of at most `max` bytes.
    pub const fn new(max: usize) -> Self {
        Self { max, held: Vec::new(), skipped: 0 }
    }

    /// Takes a chunk and hands out every line that it completes.
    pub fn push(&mut self, mut chunk: &[u8], mut out: impl FnMut(Cut)) {
        while let Some(end) = chunk.iter().position(|byte| *byte == b'\n') {
            self.take(&chunk[..end]);
            out(self.finish_line());
            chunk = &chunk[end + 1..];
        }
        self.take(chunk);
    }

    /// Ends the stream: the length of an overlong line that never ended, and the bytes of a line that never ended.
    pub fn finish(mut self) -> (Option<usize>, Vec<u8>) {
        match self.finish_line() {
            Cut::Overlong { bytes } => (Some(bytes), Vec::new()),
            Cut::Line(unfinished) => (None, unfinished),
        }
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

    fn finish_line(&mut self) -> Cut {
        match std::mem::take(&mut self.skipped) {
            0 => Cut::Line(std::mem::take(&mut self.held)),
            bytes => Cut::Overlong { bytes },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOUND: usize = 5;

    fn cut(chunks: &[&[u8]]) -> (Vec<Cut>, (Option<usize>, Vec<u8>)) {
        let mut cutter = LineCutter::new(BOUND);
        let mut lines = Vec::new();
        for chunk in chunks {
            cutter.push(chunk, |line| lines.push(line));
            assert!(cutter.held.len() <= BOUND);
        }
        (lines, cutter.finish())
    }

    #[test]
    fn lines_over_the_bound_are_counted_and_the_next_line_is_whole() {
        let (lines, end) = cut(&[b"12345\n123456\n", b"ok\n", b"\nhalf"]);
        let line = |text: &str| Cut::Line(text.as_bytes().to_vec());
        assert_eq!(lines, [line("12345"), Cut::Overlong { bytes: 6 }, line("ok"), line("")]);
        assert_eq!(end, (None, b"half".to_vec()));
    }

    #[test]
    fn an_overlong_line_that_never_ends_is_counted_at_the_end() {
        assert_eq!(cut(&[b"123", b"456", b"78"]), (vec![], (Some(8), vec![])));
    }

    proptest! {
        #[test]
        fn how_the_chunks_are_cut_makes_no_difference(
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
            prop_assert_eq!(cut(&chunks), cut(&[&bytes]));
        }
    }
}
