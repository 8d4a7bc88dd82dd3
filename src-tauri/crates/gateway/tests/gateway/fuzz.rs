//! Generates malformed bodies, the same in every run.

use serde_json::{Value, json};

/// The names of fields, separated by spaces.
const NAMES: &str = "jsonrpc id method params name arguments questions question options client kind tool nativeRef again \
                     answers chosen tool_input tool_name session_id _meta";
/// Texts, separated by spaces. One is empty.
const WORDS: &str =
    "2.0 tools/call initialize ask_user mcp  \u{202e} AskUserQuestion q1 -1 notifications/cancelled null";

pub struct Fuzzer(u64);

impl Fuzzer {
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, most: usize) -> usize {
        // xorshift64* is small and gives the same numbers everywhere.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % most
    }

    fn one_of(&mut self, words: &'static str) -> &'static str {
        let count = words.split(' ').count();
        words.split(' ').nth(self.below(count)).unwrap_or_default()
    }

    /// A valid body that was damaged.
    pub fn broken(&mut self) -> Vec<u8> {
        loop {
            let mut bytes = self.shape(4).to_string().into_bytes();
            for _ in 0..=self.below(4) {
                let at = self.below(bytes.len().max(1));
                match self.below(5) {
                    0 => bytes.truncate(at),
                    1 if at < bytes.len() => bytes[at] = self.below(256) as u8,
                    2 => bytes.insert(at.min(bytes.len()), self.below(256) as u8),
                    3 => bytes.extend_from_slice(b"\xff\xfe\x00{"),
                    _ => bytes.splice(0..0, std::iter::repeat_n(b'[', 1 + self.below(400))).for_each(drop),
                }
            }
            if !bytes.is_empty() && serde_json::from_slice::<Value>(&bytes).is_err() {
                return bytes;
            }
        }
    }

    /// JSON that no route accepts.
    pub fn misshapen(&mut self) -> Vec<u8> {
        let mut value = self.shape(5);
        if let Value::Object(fields) = &mut value {
            // Nothing in it can be asked.
            for name in ["questions", "question", "arguments", "params", "tool_input"] {
                if fields.contains_key(name) {
                    let wrong = [json!(null), json!([]), json!({}), json!(7), json!("?"), json!([[[]]])];
                    fields.insert(name.to_owned(), wrong[self.below(wrong.len())].clone());
                }
            }
        }
        value.to_string().into_bytes()
    }

    fn shape(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 4 } else { 8 }) {
            0 => json!(null),
            1 => json!(self.below(2) == 0),
            2 => json!((self.below(1 << 30) as i64 - (1 << 29)) * 8_000_000_000),
            3 => json!(self.one_of(WORDS)),
            4 => Value::Array((0..self.below(5)).map(|_| self.shape(depth - 1)).collect()),
            _ => {
                let fields = (0..self.below(8)).map(|_| {
                    let name = self.one_of(NAMES).to_owned();
                    let value = match name.as_str() {
                        "jsonrpc" if self.below(2) == 0 => json!("2.0"),
                        "method" => json!(self.one_of(WORDS)),
                        _ => self.shape(depth - 1),
                    };
                    (name, value)
                });
                Value::Object(fields.collect())
            }
        }
    }
}
