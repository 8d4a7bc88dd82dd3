//! JSON in which no object has the same key twice. Of two values, it would be unclear which one the caller means.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A value that was read from such JSON.
pub struct UniqueJson(pub Value);

impl<'de> Deserialize<'de> for UniqueJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reading).map(Self)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(UniqueJson(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if fields.contains_key(&key) {
                let key = askdesk_domain::text::cut_at(key, 64, "…");
                return Err(A::Error::custom(format_args!("the key {key:?} occurs twice in one object")));
            }
            let UniqueJson(value) = entries.next_value()?;
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_occurs_twice_is_named() {
        let read = |text: &str| serde_json::from_str::<UniqueJson>(text).map(|read| read.0);
        let whole = r#"{"a":[1,-2,0.5,"x\n",null,true,{"a":{}}],"b":18446744073709551615}"#;
        assert_eq!(read(whole).unwrap(), serde_json::from_str::<Value>(whole).unwrap());
        let error = read(r#"{"a":[{"b":1,"b":1}]}"#).unwrap_err().to_string();
        assert!(error.starts_with("the key \"b\" occurs twice in one object at line 1"), "{error}");
        assert!(read("{").is_err());
        assert!(read(&"[".repeat(10_000)).is_err(), "it doesn't overflow the stack");
    }
}
