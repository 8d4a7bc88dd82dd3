//! Shortens a JSON text of any length while it arrives: to its structure, its short values, and the beginnings of its long
//! strings.

/// How much of a long string is kept, in bytes without the mark. With its mark it fits into the bound of an agent's text.
const STRING_KEPT: usize = 60 * 1024;
/// How much room an object or array has less than the one around it, in bytes.
const STEP: usize = 16 * 1024;
/// The deepest object or array whose rest is left out alone. Nothing that is read nests deeper.
const DEEPEST: usize = 64;
/// What stands where values were left out. A string has it at its end, with its length.
const MARK: &str = "… [too large to show]";

/// Whether the end of a string was left out.
pub(crate) fn is_cut(string: &str) -> bool {
    string.ends_with(" bytes]") && string.contains(MARK.trim_end_matches(']'))
}

/// A text that arrives in pieces: whole up to a bound, and abridged beyond it.
#[derive(Debug)]
pub(crate) struct BoundedText {
    most: usize,
    held: Vec<u8>,
    long: Option<Abridger>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TakenText {
    Whole(Vec<u8>),
    Abridged {
        /// Valid JSON if the whole text was.
        text: Vec<u8>,
        /// The length of the whole text.
        bytes: usize,
    },
}

impl BoundedText {
    pub(crate) const fn new(most: usize) -> Self {
        Self { most, held: Vec::new(), long: None }
    }

    pub(crate) fn push(&mut self, piece: &[u8]) {
        if let Some(long) = &mut self.long {
            long.push(piece);
        } else if self.held.len() + piece.len() > self.most {
            let long = self.long.insert(Abridger::new(Bounds {
                room: self.most,
                string: STRING_KEPT,
                step: STEP,
                deepest: DEEPEST,
            }));
            long.push(&std::mem::take(&mut self.held));
            long.push(piece);
        } else {
            self.held.extend_from_slice(piece);
        }
    }

    /// Returns the text, and begins the next one.
    pub(crate) fn take(&mut self) -> TakenText {
        match self.long.take() {
            Some(long) => TakenText::Abridged { text: long.kept, bytes: long.bytes },
            None => TakenText::Whole(std::mem::take(&mut self.held)),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    room: usize,
    string: usize,
    step: usize,
    deepest: usize,
}

/// Reads a JSON text in pieces and keeps about as many bytes as it has room.
///
/// First, strings are cut, which is enough for images and outputs. If there is still too much, the rest of the object or
/// array that is being read is left out. Inner ones have less room than those around them, so the short fields of the outer
/// objects, which say what the text is and who waits for an answer, are kept wherever they stand. Text that is not JSON keeps
/// its beginning.
#[derive(Debug)]
struct Abridger {
    bounds: Bounds,
    kept: Vec<u8>,
    bytes: usize,
    state: State,
    /// The open objects and arrays among what is kept, by the brackets that close them.
    open: Vec<u8>,
    /// Where `kept` could be continued with a closing bracket.
    whole: usize,
    /// Whether the innermost open object or array has no value before `whole`.
    empty: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Between,
    /// In a string that is kept so far.
    String {
        start: usize,
        escape: Escape,
    },
    /// In a string, behind the part that is kept.
    CutString {
        bytes: usize,
        escaped: bool,
    },
    /// What follows is left out until the innermost kept object or array ends. Counts those that were opened since.
    Shedding {
        depth: usize,
        string: Option<Skipped>,
    },
    /// Nothing more is kept.
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Skipped {
    Plain,
    Escaped,
}

/// The place within an escape sequence of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    No,
    Begun,
    /// Reads hexadecimal digits.
    Unit {
        read: u8,
        unit: u16,
    },
    /// Behind the first half of a pair of `\u` sequences.
    HalfPair,
}

impl Abridger {
    const fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            kept: Vec::new(),
            bytes: 0,
            state: State::Between,
            open: Vec::new(),
            whole: 0,
            empty: true,
        }
    }

    /// How much may be kept before the rest of the innermost object or array is left out.
    fn room(&self) -> usize {
        self.bounds.room.saturating_sub(self.bounds.step * self.open.len().min(self.bounds.deepest))
    }

    fn push(&mut self, piece: &[u8]) {
        self.bytes += piece.len();
        let mut rest = piece;
        while let Some((&byte, behind)) = rest.split_first() {
            rest = match self.state {
                State::Full => return,
                State::String { escape: Escape::No, start } => self.plain_run(rest, start),
                State::CutString { escaped: false, bytes } => {
                    let run = plain_length(rest);
                    self.state = State::CutString { escaped: false, bytes: bytes + run };
                    rest.get(run).map_or(&[][..], |special| {
                        self.take(*special);
                        &rest[run + 1..]
                    })
                }
                _ => {
                    self.take(byte);
                    behind
                }
            };
            if self.kept.len() > self.room() && !matches!(self.state, State::Shedding { .. } | State::Full) {
                self.shed();
            }
        }
    }

    /// Keeps what comes before the next quotation mark or backslash, as far as the string has room.
    fn plain_run<'a>(&mut self, rest: &'a [u8], start: usize) -> &'a [u8] {
        let room = (start + self.bounds.string).saturating_sub(self.kept.len());
        let run = plain_length(rest).min(room);
        if run == 0 {
            self.take(rest[0]);
            return &rest[1..];
        }
        self.kept.extend_from_slice(&rest[..run]);
        &rest[run..]
    }

    fn take(&mut self, byte: u8) {
        match self.state {
            State::Between => self.take_between(byte),
            State::String { start, escape } => self.take_in_string(byte, start, escape),
            State::CutString { bytes, escaped } => match byte {
                b'"' if !escaped => {
                    let mark = MARK.trim_end_matches(']');
                    self.kept.extend_from_slice(format!(" {mark}: {bytes} bytes]\"").as_bytes());
                    self.state = State::Between;
                }
                _ => {
                    let escaped = byte == b'\\' && !escaped;
                    self.state = State::CutString { bytes: bytes + 1, escaped };
                }
            },
            State::Shedding { depth, string } => self.take_shedding(byte, depth, string),
            State::Full => {}
        }
    }

    fn take_between(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => {
                self.kept.push(byte);
                self.open.push(if byte == b'{' { b'}' } else { b']' });
                self.note_whole(true);
            }
            b'}' | b']' => self.close(byte),
            b',' => {
                self.note_whole(false);
                self.kept.push(byte);
            }
            b'"' => {
                self.kept.push(byte);
                self.state = State::String { start: self.kept.len(), escape: Escape::No };
            }
            _ => self.kept.push(byte),
        }
    }

    fn take_in_string(&mut self, byte: u8, start: usize, escape: Escape) {
        let full = self.kept.len() >= start + self.bounds.string;
        // A character and an escape sequence are kept whole.
        let between_characters = escape == Escape::No && byte & 0b1100_0000 != 0b1000_0000;
        if full && between_characters && byte != b'"' {
            self.state = State::CutString { bytes: self.kept.len() - start, escaped: false };
            return self.take(byte);
        }
        self.kept.push(byte);
        let escape = match (escape, byte) {
            (Escape::No | Escape::HalfPair, b'"') => {
                self.state = State::Between;
                return;
            }
            (Escape::No | Escape::HalfPair, b'\\') => Escape::Begun,
            (Escape::No | Escape::HalfPair, _) => Escape::No,
            (Escape::Begun, b'u') => Escape::Unit { read: 0, unit: 0 },
            (Escape::Begun, _) => Escape::No,
            (Escape::Unit { read, unit }, digit) => {
                let digit = char::from(digit).to_digit(16).and_then(|digit| u16::try_from(digit).ok());
                let unit = (unit << 4) | digit.unwrap_or_default();
                match read {
                    0..3 => Escape::Unit { read: read + 1, unit },
                    _ if (0xd800..0xdc00).contains(&unit) => Escape::HalfPair,
                    _ => Escape::No,
                }
            }
        };
        self.state = State::String { start, escape };
    }

    fn take_shedding(&mut self, byte: u8, depth: usize, string: Option<Skipped>) {
        let (depth, string) = match (string, byte) {
            (Some(Skipped::Plain), b'"') => (depth, None),
            (Some(Skipped::Plain), b'\\') => (depth, Some(Skipped::Escaped)),
            (Some(_), _) => (depth, Some(Skipped::Plain)),
            (None, b'"') => (depth, Some(Skipped::Plain)),
            (None, b'{' | b'[') => (depth + 1, None),
            (None, b'}' | b']') if depth == 0 => {
                self.state = State::Between;
                return self.close(byte);
            }
            (None, b'}' | b']') => (depth - 1, None),
            (None, _) => (depth, None),
        };
        self.state = State::Shedding { depth, string };
    }

    fn close(&mut self, bracket: u8) {
        self.open.pop();
        self.kept.push(bracket);
        self.note_whole(false);
    }

    fn note_whole(&mut self, empty: bool) {
        self.whole = self.kept.len();
        self.empty = empty;
    }

    /// Leaves out the rest of the innermost object or array.
    fn shed(&mut self) {
        let place = self.open.len().min(self.bounds.deepest);
        if place == 0 {
            // Behind the end of a JSON text comes nothing of use.
            self.kept.truncate(if self.whole > 0 { self.whole } else { self.bounds.room });
            self.state = State::Full;
            return;
        }
        // What was opened inside it closes here; its closing brackets are still to come.
        let depth = self.open.len() - place;
        let skipped = |escaped| Some(if escaped { Skipped::Escaped } else { Skipped::Plain });
        let string = match self.state {
            State::String { escape, .. } => skipped(escape == Escape::Begun),
            State::CutString { escaped, .. } => skipped(escaped),
            State::Between | State::Shedding { .. } | State::Full => None,
        };
        self.kept.truncate(self.whole);
        let closed = self.open.split_off(place);
        self.empty &= closed.is_empty();
        self.kept.extend(closed.into_iter().rev());
        if !self.empty {
            self.kept.push(b',');
        }
        let mark = if self.open.last() == Some(&b'}') {
            format!("\"…\":\"{MARK}\"")
        } else {
            format!("\"{MARK}\"")
        };
        self.kept.extend_from_slice(mark.as_bytes());
        self.state = State::Shedding { depth, string };
    }
}

/// Counts the bytes before the first quotation mark or backslash.
fn plain_length(text: &[u8]) -> usize {
    text.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    const TEST_STEP: usize = 120;
    const TEST_DEEPEST: usize = 8;
    /// Leaves no room at the deepest place.
    const SMALL: usize = TEST_STEP * TEST_DEEPEST;

    fn abridge(pieces: &[&[u8]], room: usize, string: usize) -> Vec<u8> {
        let mut abridger = Abridger::new(Bounds { room, string, step: TEST_STEP, deepest: TEST_DEEPEST });
        pieces.iter().for_each(|piece| abridger.push(piece));
        assert_eq!(abridger.bytes, pieces.iter().map(|piece| piece.len()).sum::<usize>());
        abridger.kept
    }

    fn read(text: &[u8]) -> Value {
        serde_json::from_slice(text)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(text)))
    }

    fn pieces<'a>(text: &'a [u8], places: &[usize]) -> Vec<&'a [u8]> {
        let mut places: Vec<usize> = places.iter().map(|place| place % (text.len() + 1)).collect();
        places.sort_unstable();
        let starts = std::iter::once(0).chain(places.iter().copied());
        let ends = places.iter().copied().chain([text.len()]);
        starts.zip(ends).map(|(start, end)| &text[start..end]).collect()
    }

    #[test]
    fn a_long_string_is_cut_between_characters_and_says_how_long_it_was() {
        let cut = |text: &str| {
            let abridged = abridge(&[json!({"text": text, "id": 1}).to_string().as_bytes()], 2000, 8);
            assert_eq!(read(&abridged)["id"], 1);
            read(&abridged)["text"].as_str().unwrap().to_owned()
        };
        assert_eq!(cut("12345678"), "12345678");
        assert_eq!(cut("123456789"), "12345678 … [too large to show: 9 bytes]");
        assert_eq!(cut("1234567äöü"), "1234567ä … [too large to show: 13 bytes]");
        assert_eq!(cut("1234567\n\n\n"), "1234567\n … [too large to show: 13 bytes]");
        let pair = br#"["123456\ud83d\ude00 and more"]"#;
        assert_eq!(read(&abridge(&[pair], 2000, 8)), json!(["123456😀 … [too large to show: 27 bytes]"]));
    }

    #[test]
    fn what_has_no_room_is_left_out_from_the_inside_and_outer_fields_stay() {
        let text = json!({"type": "request", "request": {"input": {"list": vec![1; 5000]}, "id": "toolu_1"}, "id": "r1"});
        let abridged = read(&abridge(&[text.to_string().as_bytes()], SMALL, 100));
        assert_eq!((&abridged["type"], &abridged["id"]), (&json!("request"), &json!("r1")));
        assert_eq!(abridged["request"]["id"], "toolu_1");
        let list = abridged["request"]["input"]["list"].as_array().unwrap();
        assert!(list.len() < SMALL / 2);
        assert_eq!((&list[0], list.last().unwrap()), (&json!(1), &json!(MARK)));
    }

    #[test]
    fn many_small_values_are_left_out_and_the_text_still_ends() {
        let many: Vec<Value> = (0..1000).map(|n| json!({"a": {"b": [n]}})).collect();
        let text = json!({"type": "user", "message": {"content": many}, "id": 7}).to_string();
        let abridged = abridge(&[text.as_bytes()], SMALL, 100);
        assert!(abridged.len() <= SMALL, "{}", abridged.len());
        assert_eq!((&read(&abridged)["type"], &read(&abridged)["id"]), (&json!("user"), &json!(7)));
    }

    #[test]
    fn text_that_is_no_json_keeps_its_beginning() {
        assert_eq!(abridge(&[&[b'x'; 500], &[b'y'; 500]], 100, 10), [b'x'; 100]);
        let deep = abridge(&[&vec![b'['; 1_000_000]], SMALL, 10);
        assert!(deep.len() <= 2 * SMALL, "{}", deep.len());
    }

    #[test]
    fn a_text_within_its_bound_is_whole_and_the_next_one_begins_anew() {
        let mut text = BoundedText::new(5);
        text.push(b"12345");
        assert_eq!(text.take(), TakenText::Whole(b"12345".to_vec()));
        text.push(b"12345");
        text.push(b"6");
        assert_eq!(text.take(), TakenText::Abridged { text: b"12345".to_vec(), bytes: 6 });
        text.push(b"ok");
        assert_eq!(text.take(), TakenText::Whole(b"ok".to_vec()));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "(?s).{0,30}".prop_map(Value::from),
            "[\"\\\\/{}\\[\\]:,\\n😀ä]{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(8, 200, 8, |inner| {
            let object = proptest::collection::hash_map("(?s).{0,12}", inner.clone(), 0..6);
            prop_oneof![
                proptest::collection::vec(inner, 0..6).prop_map(Value::from),
                object.prop_map(|fields| fields.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        })
    }

    /// Writes every character beyond ASCII as an escape sequence, as some programs do.
    fn escaped(text: &str) -> String {
        let escape = |unit: &u16| match u8::try_from(*unit) {
            Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
            _ => format!("\\u{unit:04x}"),
        };
        text.encode_utf16().collect::<Vec<u16>>().iter().map(escape).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_has_room_is_kept_as_it_came(json in any_json(), places in proptest::collection::vec(any::<usize>(), 0..6)) {
            let text = json.to_string();
            let kept = abridge(&pieces(text.as_bytes(), &places), text.len() + SMALL, text.len());
            prop_assert_eq!(String::from_utf8(kept).unwrap(), text);
        }

        #[test]
        fn whatever_is_left_out_json_stays_json_within_the_bound(
            json in any_json(),
            places in proptest::collection::vec(any::<usize>(), 0..6),
            room in SMALL..SMALL + 400,
            string in 8..20_usize,
            in_ascii in any::<bool>(),
        ) {
            let json = json!({"type": "request", "it": json, "id": 5});
            let text = if in_ascii { escaped(&json.to_string()) } else { json.to_string() };
            let kept = abridge(&[text.as_bytes()], room, string);
            prop_assert_eq!(&kept, &abridge(&pieces(text.as_bytes(), &places), room, string));
            prop_assert!(kept.len() <= room, "{}", kept.len());
            prop_assert_eq!(&read(&kept)["type"], "request");
            prop_assert_eq!(&read(&kept)["id"], 5);
        }

        #[test]
        fn any_bytes_in_any_pieces_are_abridged_alike(
            bytes in proptest::collection::vec(prop_oneof![
                any::<u8>(), Just(b'"'), Just(b'\\'), Just(b'{'), Just(b'}'), Just(b'['), Just(b']'), Just(b','), Just(b'u'),
            ], 0..3000),
            places in proptest::collection::vec(any::<usize>(), 0..8),
        ) {
            let whole = abridge(&[&bytes], SMALL + 50, 10);
            prop_assert!(whole.len() <= 2 * (SMALL + 50));
            prop_assert_eq!(whole, abridge(&pieces(&bytes, &places), SMALL + 50, 10));
        }
    }
}
