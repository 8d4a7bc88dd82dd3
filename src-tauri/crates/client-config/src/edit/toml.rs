use serde_json::{Map, Value};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

use super::{Kind, Piece};
use crate::error::FileErrorKind;

fn parse(text: &str) -> Result<DocumentMut, FileErrorKind> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let line = text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        FileErrorKind::Syntax { format: "TOML", error: format!("line {line}: {}", error.message().trim()) }
    })
}

pub fn read(text: &str) -> Result<Value, FileErrorKind> {
    Ok(said_by(parse(text)?.as_item()))
}

pub fn put(text: &str, pieces: &[Piece]) -> Result<String, FileErrorKind> {
    let mut document = parse(text)?;
    for piece in pieces {
        let Kind::Member { name, value, ours } = &piece.kind else { return Err(FileErrorKind::NotAnObject) };
        let place = table_at(&mut document, piece.path)?;
        match place.get_mut(name) {
            Some(item) if ours(&said_by(item)) => match item.as_table_like_mut() {
                Some(table) => bring_up_to_date(table, value),
                None => return Err(FileErrorKind::NotAnObject),
            },
            _ => {
                let mut table = Table::new();
                bring_up_to_date(&mut table, value);
                place.insert(name, Item::Table(table));
            }
        }
    }
    Ok(with_line_ends_of(text, &document.to_string()))
}

pub fn take(text: &str, pieces: &[Piece], earlier: &Value) -> Result<String, FileErrorKind> {
    let mut document = parse(text)?;
    for piece in pieces {
        let Kind::Member { name, .. } = &piece.kind else { return Err(FileErrorKind::NotAnObject) };
        let place = piece.path.iter().try_fold(document.as_item_mut(), |item, name| item.get_mut(*name));
        let Some(place) = place.and_then(Item::as_table_like_mut) else { continue };
        place.remove(name);
        if let Some(value @ Value::Object(_)) = piece.find(earlier) {
            let mut table = Table::new();
            if let Value::Object(value) = value {
                bring_up_to_date(&mut table, value);
            }
            place.insert(name, Item::Table(table));
        }
        leave_no_empty(&mut document, piece.path, earlier);
    }
    Ok(with_line_ends_of(text, &document.to_string()))
}

fn leave_no_empty(document: &mut DocumentMut, path: &[&str], earlier: &Value) {
    for end in (1..=path.len()).rev() {
        let there = path[..end].iter().try_fold(earlier, |value, name| value.get(name)).is_some();
        let parents = path[..end - 1].iter();
        let Some(parent) = parents.clone().try_fold(document.as_item_mut(), |item, name| item.get_mut(*name))
        else {
            return;
        };
        let Some(parent) = parent.as_table_like_mut() else { return };
        let is_empty =
            parent.get(path[end - 1]).and_then(Item::as_table_like).is_some_and(TableLike::is_empty);
        if there || !is_empty {
            return;
        }
        parent.remove(path[end - 1]);
    }
}

/// Finds the table at a path, and creates it if it is missing.
fn table_at<'a>(
    document: &'a mut DocumentMut,
    path: &[&str],
) -> Result<&'a mut dyn TableLike, FileErrorKind> {
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for (n, name) in path.iter().enumerate() {
        let item = table.entry(name).or_insert_with(|| {
            let mut made = Table::new();
            // A table that only holds another table gets no heading.
            made.set_implicit(true);
            Item::Table(made)
        });
        let is = item.type_name();
        let no_place = FileErrorKind::WrongType { path: path[..=n].join("."), is, wanted: "a table" };
        table = item.as_table_like_mut().ok_or(no_place)?;
    }
    Ok(table)
}

/// Sets the fields that differ. Fields and comments that others added stay.
fn bring_up_to_date(table: &mut dyn TableLike, wanted: &Map<String, Value>) {
    for (name, value) in wanted {
        match (table.get_mut(name), value) {
            (Some(item), value) if said_by(item) == *value => {}
            (Some(item), Value::Object(wanted)) if item.is_table_like() => {
                if let Some(inner) = item.as_table_like_mut() {
                    bring_up_to_date(inner, wanted);
                }
            }
            (Some(item), value) => {
                let Some(mut value) = written(value) else { continue };
                if let Some(before) = item.as_value() {
                    *value.decor_mut() = before.decor().clone();
                }
                *item = Item::Value(value);
            }
            (None, value) => {
                if let Some(value) = written(value) {
                    table.insert(name, Item::Value(value));
                }
            }
        }
    }
}

fn written(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => (*value).into(),
        Value::Number(value) => {
            value.as_i64().map_or_else(|| value.as_f64().map(Into::into), |n| Some(n.into()))?
        }
        Value::String(value) => value.as_str().into(),
        Value::Array(values) => toml_edit::Value::Array(values.iter().filter_map(written).collect::<Array>()),
        Value::Object(members) => {
            let members = members.iter().filter_map(|(name, value)| Some((name.as_str(), written(value)?)));
            toml_edit::Value::InlineTable(members.collect::<InlineTable>())
        }
    })
}

fn said_by(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return Value::Object(table.iter().map(|(name, item)| (name.to_owned(), said_by(item))).collect());
    }
    if let Some(tables) = item.as_array_of_tables() {
        return tables.iter().map(|table| said_by(&Item::Table(table.clone()))).collect();
    }
    item.as_value().map_or(Value::Null, said_by_value)
}

fn said_by_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(value) => value.value().as_str().into(),
        toml_edit::Value::Integer(value) => (*value.value()).into(),
        toml_edit::Value::Float(value) => serde_json::Number::from_f64(*value.value())
            .map_or_else(|| value.to_string().into(), Value::Number),
        toml_edit::Value::Boolean(value) => (*value.value()).into(),
        toml_edit::Value::Datetime(value) => value.value().to_string().into(),
        toml_edit::Value::Array(values) => values.iter().map(said_by_value).collect(),
        toml_edit::Value::InlineTable(table) => {
            Value::Object(table.iter().map(|(name, value)| (name.to_owned(), said_by_value(value))).collect())
        }
    }
}

/// Restores the original line endings, because the TOML writer uses line feeds only. The changed lines are those between
/// the common beginning and end.
fn with_line_ends_of(before: &str, after: &str) -> String {
    let first = before.split_inclusive('\n').next().unwrap_or_default();
    let usual = if first.ends_with("\r\n") { "\r\n" } else { "\n" };
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let bare = |line: &str| line.trim_end_matches(['\r', '\n']).to_owned();
    let same = |(old, new): &(&&str, &&str)| bare(old) == bare(new);
    let head = old.iter().zip(&new).take_while(same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(same).count();
    let mut text = String::with_capacity(after.len() + new.len());
    for (n, line) in new.iter().enumerate() {
        let kept = if n < head {
            Some(old[n])
        } else if n >= new.len() - tail {
            Some(old[old.len() - (new.len() - n)])
        } else {
            None
        };
        match kept {
            // The last line may have had no line ending, and needs one if another line follows.
            Some(kept) if kept.ends_with('\n') || n + 1 == new.len() => text.push_str(kept),
            _ => {
                text.push_str(&bare(line));
                text.push_str(if line.ends_with('\n') { usual } else { "" });
            }
        }
    }
    text
}
