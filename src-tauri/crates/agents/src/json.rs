//! Reads optional fields of an agent's JSON.

use serde_json::Value;

pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value[name].as_str()
}

/// Returns the items of a list; none if there is no list.
pub(crate) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    list_of(&value[name])
}

/// Returns the items of what should be a list; none if it is none.
pub(crate) fn list_of(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the texts in a list.
pub(crate) fn texts<'a>(value: &'a Value, name: &str) -> Vec<&'a str> {
    list(value, name).iter().filter_map(Value::as_str).collect()
}

pub(crate) fn is_true(value: &Value, name: &str) -> bool {
    value[name] == true
}
