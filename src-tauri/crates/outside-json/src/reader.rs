//! The reader that goes on wherever it can. It keeps its place in a list instead of calling itself.

use serde_json::{Map, Value};

use crate::{DEEPEST, Lost, Read, TOO_DEEP};

pub(crate) fn read(text: &str) -> Read {
    let mut reader = Reader {
        text,
        at: 0,
        open: Vec::new(),
        expects: Expects::Value,
        whole: None,
        lost: None,
        twice: None,
    };
    while let Some(byte) = reader.next_token() {
        reader.take(byte);
    }
    reader.check(reader.expects == Expects::Nothing);
    while let Some(open) = reader.open.pop() {
        reader.put(open.value());
    }
    Read { value: reader.whole.unwrap_or_default(), lost: reader.lost, twice: reader.twice }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The objects and arrays around this place.
    open: Vec<Open>,
    expects: Expects,
    /// The value, once it has ended.
    whole: Option<Value>,
    lost: Option<Lost>,
    twice: Option<String>,
}

enum Open {
    List(Vec<Value>),
    Fields { fields: Map<String, Value>, key: Option<String> },
}

impl Open {
    fn value(self) -> Value {
        match self {
            Self::List(list) => Value::Array(list),
            Self::Fields { fields, .. } => Value::Object(fields),
        }
    }
}

/// What comes next in a valid text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expects {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Nothing,
}

impl Reader<'_> {
    fn byte(&self, place: usize) -> Option<u8> {
        self.text.as_bytes().get(place).copied()
    }

    /// Notes that the text is malformed unless this holds.
    fn check(&mut self, valid: bool) {
        if !valid {
            self.lost = Some(Lost::Malformed);
        }
    }

    /// Moves behind the first byte of the next token.
    fn next_token(&mut self) -> Option<u8> {
        while let Some(byte) = self.byte(self.at) {
            self.at += 1;
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
        }
        None
    }

    fn take(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => {
                self.check(self.wants_value());
                if self.open.len() == DEEPEST {
                    self.lost = self.lost.or(Some(Lost::Depth));
                    self.skip();
                    return self.put(TOO_DEEP.into());
                }
                let (open, expects) = match byte {
                    b'{' => (Open::Fields { fields: Map::new(), key: None }, Expects::KeyOrEnd),
                    _ => (Open::List(Vec::new()), Expects::ValueOrEnd),
                };
                self.open.push(open);
                self.expects = expects;
            }
            b'}' | b']' => {
                use Expects::{CommaOrEnd, KeyOrEnd, ValueOrEnd};
                let closes = matches!(
                    (self.open.last(), byte),
                    (Some(Open::List(_)), b']') | (Some(Open::Fields { .. }), b'}')
                );
                self.check(closes && matches!(self.expects, CommaOrEnd | KeyOrEnd | ValueOrEnd));
                if let Some(open) = self.open.pop() {
                    self.put(open.value());
                }
            }
            b',' => {
                self.check(self.expects == Expects::CommaOrEnd);
                self.expects = match self.open.last() {
                    Some(Open::Fields { .. }) => Expects::Key,
                    Some(Open::List(_)) => Expects::Value,
                    None => Expects::Nothing,
                };
            }
            b':' => {
                self.check(self.expects == Expects::Colon);
                self.expects = Expects::Value;
            }
            b'"' => {
                let string = self.string();
                let lacks_comma = self.expects == Expects::CommaOrEnd;
                match self.open.last_mut() {
                    Some(Open::Fields { key, .. })
                        if lacks_comma || matches!(self.expects, Expects::Key | Expects::KeyOrEnd) =>
                    {
                        *key = Some(string);
                        self.check(!lacks_comma);
                        self.expects = Expects::Colon;
                    }
                    _ => {
                        self.check(self.wants_value());
                        self.put(Value::String(string));
                    }
                }
            }
            _ => self.word(),
        }
    }

    fn wants_value(&self) -> bool {
        matches!(self.expects, Expects::Value | Expects::ValueOrEnd)
    }

    /// Puts a value where it belongs. In a malformed text, a later value may stand where it does not belong.
    fn put(&mut self, value: Value) {
        match self.open.last_mut() {
            Some(Open::List(list)) => list.push(value),
            Some(Open::Fields { fields, key }) => {
                if let Some(key) = key.take() {
                    if fields.contains_key(&key) {
                        self.twice.get_or_insert_with(|| key.clone());
                    }
                    if !(fields.contains_key(&key) && self.lost == Some(Lost::Malformed)) {
                        fields.insert(key, value);
                    }
                }
            }
            None => drop(self.whole.get_or_insert(value)),
        }
        self.expects = if self.open.is_empty() { Expects::Nothing } else { Expects::CommaOrEnd };
    }

    /// Skips the rest of an object or array.
    fn skip(&mut self) {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next_token() {
                Some(b'{' | b'[') => depth += 1,
                Some(b'}' | b']') => depth -= 1,
                Some(b'"') => drop(self.string()),
                Some(_) => {}
                None => return,
            }
        }
    }

    /// Reads a number or a name.
    fn word(&mut self) {
        let start = self.at - 1;
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_');
        while self.byte(self.at).is_some_and(is_part) || !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        let text = self.text;
        let word = &text[start..self.at];
        self.check(self.wants_value());
        let value = serde_json::from_str(word).unwrap_or_else(|error| {
            let is_number =
                word.parse::<f64>().is_ok() && error.to_string().starts_with("number out of range");
            if is_number || matches!(word, "NaN" | "Infinity" | "-Infinity") {
                return Value::String(word.to_owned());
            }
            self.check(false);
            Value::Null
        });
        if self.wants_value() {
            self.put(value);
        }
    }

    /// Reads the rest of a string.
    fn string(&mut self) -> String {
        let mut string = String::new();
        loop {
            let rest = &self.text[self.at..];
            let run = rest.find(['"', '\\']).unwrap_or(rest.len());
            string.push_str(&rest[..run]);
            self.at += run + 1;
            match rest.as_bytes().get(run) {
                Some(b'"') => return string,
                Some(_) => self.escape(&mut string),
                None => {
                    self.at = self.text.len();
                    self.check(false);
                    return string;
                }
            }
        }
    }

    /// Reads the rest of an escape sequence.
    fn escape(&mut self, string: &mut String) {
        let escaped = match self.byte(self.at) {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') if let Some(unit) = self.unit(self.at) => {
                self.at += 5;
                return string.push(self.whole_character(unit));
            }
            // The backslash is read as a character.
            _ => {
                self.check(false);
                return string.push('\\');
            }
        };
        self.at += 1;
        string.push(escaped);
    }

    /// Joins two halves of a character. One half alone is none.
    fn whole_character(&mut self, unit: u16) -> char {
        let second = (self.byte(self.at) == Some(b'\\')).then(|| self.unit(self.at + 1)).flatten();
        let mut read = char::decode_utf16([Some(unit), second].into_iter().flatten());
        let first = read.next().and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER);
        if first.len_utf16() == 2 {
            self.at += 6;
        }
        first
    }

    /// Reads the four digits behind a `u`.
    fn unit(&self, place: usize) -> Option<u16> {
        let digits = self.text.get(place..place + 5)?.strip_prefix('u')?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::half_a_character(r#"{"q":"cut \ud83d","b":"\ude00!"}"#, json!({"q": "cut \u{fffd}", "b": "\u{fffd}!"}))]
    #[case::halves_in_the_wrong_order(r#"["\ude00\ud83d"]"#, json!(["\u{fffd}\u{fffd}"]))]
    #[case::half_before_a_whole_one(r#"["\ud83d\ud83d\ude00\u00e4"]"#, json!(["\u{fffd}😀ä"]))]
    #[case::half_in_a_key(r#"{"\ud83d":1}"#, json!({"\u{fffd}": 1}))]
    #[case::numbers_out_of_range("[1e400, -1e400,2e308]", json!(["1e400", "-1e400", "2e308"]))]
    #[case::names_of_python("[NaN,Infinity,-Infinity]", json!(["NaN", "Infinity", "-Infinity"]))]
    #[case::the_last_value_counts(r#"{"a":1e400,"b":2,"a":3}"#, json!({"a": 3, "b": 2}))]
    #[case::a_tab_in_a_string("[\"a\tb\"]", json!(["a\tb"]))]
    fn case_140_what_javascript_and_python_write_is_read_whole(#[case] text: &str, #[case] value: Value) {
        let Read { value: read, lost, .. } = crate::read(text.as_bytes());
        assert_eq!((read, lost), (value.clone(), None));
        assert_eq!(crate::from_slice::<Value>(text.as_bytes()).unwrap(), value);
    }

    #[test]
    fn case_140_bytes_that_are_no_text_are_replaced() {
        assert_eq!(
            crate::read(b"[\"a\xed\xa0\xbd\xff\"]").value,
            json!(["a\u{fffd}\u{fffd}\u{fffd}\u{fffd}"])
        );
    }

    #[test]
    fn case_140_what_is_nested_too_deeply_is_left_out_and_the_rest_is_read() {
        let nested =
            |depth: usize| format!(r#"{{"it":{}"x]"{},"id":7}}"#, "[".repeat(depth), "]".repeat(depth));
        let whole = crate::read(nested(DEEPEST - 1).as_bytes());
        assert_eq!((whole.lost, &whole.value["id"]), (None, &json!(7)));
        for depth in [DEEPEST, 200, 1_000_000] {
            let Read { value, lost, .. } = crate::read(nested(depth).as_bytes());
            assert_eq!((&value["id"], lost), (&json!(7), Some(Lost::Depth)), "{depth}");
            assert!(value.to_string().contains(TOO_DEEP));
        }
        assert_eq!(crate::read(&[b'['; 1_000_000]).lost, Some(Lost::Malformed));
    }

    #[test]
    fn a_key_that_occurs_twice_is_told() {
        let twice = |text: &str| read(text).twice;
        assert_eq!(twice(r#"{"a":{"b":1},"c":{"b":1}}"#), None);
        assert_eq!(twice(r#"{"a":{"b":1,"b":1},"a":2}"#).as_deref(), Some("b"));
    }

    #[rstest]
    #[case::cut_in_half(r#"{"id":7,"a":{"b":["x"#, json!({"id": 7, "a": {"b": ["x"]}}))]
    #[case::a_quotation_mark_too_many(r#"{"id":7,"a":"b"c","d":1}"#, json!({"id": 7, "a": "b", ",": ":1}"}))]
    #[case::an_unknown_escape(r#"{"a":"\x41\u12","id":7}"#, json!({"a": "\\x41\\u12", "id": 7}))]
    #[case::a_lacking_comma(r#"{"a":"b" "id":7}"#, json!({"a": "b", "id": 7}))]
    #[case::a_comma_too_many(r#"{"a":[1,],"id":7,}"#, json!({"a": [1], "id": 7}))]
    #[case::a_lacking_value(r#"{"a":,"id":7}"#, json!({"id": 7}))]
    #[case::another_bracket(r#"{"a":[1},"id":7}"#, json!({"a": [1], "id": 7}))]
    #[case::more_behind_the_end(r#"{"id":7}{"id":8}"#, json!({"id": 7}))]
    #[case::the_first_value_counts_behind_an_error(r#"{"id":7,"a":b,"id":8}"#, json!({"id": 7, "a": null}))]
    #[case::no_json("Error: ENOENT", json!(null))]
    #[case::nothing("", json!(null))]
    fn case_140_of_a_malformed_text_what_can_be_recognized_is_kept(#[case] text: &str, #[case] kept: Value) {
        let Read { value, lost, .. } = crate::read(text.as_bytes());
        assert_eq!((value, lost), (kept, Some(Lost::Malformed)));
        assert!(crate::from_slice::<Value>(text.as_bytes()).is_err());
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "(?s).{0,30}".prop_map(Value::from),
        ];
        leaf.prop_recursive(8, 200, 8, |inner| {
            let object = proptest::collection::hash_map("(?s).{0,12}", inner.clone(), 0..6);
            prop_oneof![
                proptest::collection::vec(inner, 0..6).prop_map(Value::from),
                object.prop_map(|fields| fields.into_iter().collect::<Map<_, _>>().into()),
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
        #[test]
        fn case_140_a_valid_text_reads_the_same(json in any_json(), pretty in any::<bool>()) {
            let text = if pretty { format!("{json:#}") } else { json.to_string() };
            for text in [escaped(&text), text] {
                let expected: Value = serde_json::from_str(&text).unwrap();
                prop_assert_eq!(read(&text), Read { value: expected, lost: None, twice: None });
            }
        }

        #[test]
        fn case_140_any_text_is_malformed_where_it_is_refused_and_reads_the_same_where_it_is_not(
            text in proptest::collection::vec(prop_oneof![
                Just("{"), Just("}"), Just("["), Just("]"), Just(","), Just(":"), Just("\"a\""), Just("\"b\\n\""),
                Just("\""), Just("\\"), Just("1"), Just("-0.5e3"), Just("01"), Just("null"), Just("ä"), Just(" "),
            ], 0..12).prop_map(|parts| parts.concat()),
        ) {
            let Read { value, lost, .. } = read(&text);
            match serde_json::from_str::<Value>(&text) {
                Ok(expected) => prop_assert_eq!((value, lost), (expected, None)),
                // Such a number is read; `serde_json` refuses it.
                Err(error) if error.to_string().starts_with("number out of range") => {}
                Err(_) => prop_assert_eq!(lost, Some(Lost::Malformed)),
            }
        }
    }
}
