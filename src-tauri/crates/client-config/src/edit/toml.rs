use serde::Serialize as _;
use serde_json::Value;
use toml_edit::ser::ValueSerializer;
use toml_edit::{DocumentMut, Item, Table, TableLike};

use super::EditStep;
use crate::error::FileErrorKind;

/// The key under which `toml_edit` passes a date to serde.
const DATE: &str = "$__toml_private_datetime";

fn parse(text: &str) -> Result<DocumentMut, FileErrorKind> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let line = text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        FileErrorKind::Syntax { format: "TOML", error: format!("line {line}: {}", error.message().trim()) }
    })
}

pub fn read(text: &str) -> Result<Value, FileErrorKind> {
    let document = toml_edit::de::from_document(parse(text)?).map_err(|error| FileErrorKind::Syntax {
        format: "TOML",
        error: error.message().trim().to_owned(),
    })?;
    Ok(plain(document))
}

/// Turns dates into text, because `toml_edit` returns them as tables with a private key.
///
/// JSON has no infinite numbers and no NaN, so `inf` and `nan` are null, which [`set`] refuses to write.
fn plain(value: Value) -> Value {
    match value {
        Value::Object(members) => match members.get(DATE) {
            Some(date) if members.len() == 1 => date.clone(),
            _ => members.into_iter().map(|(name, value)| (name, plain(value))).collect(),
        },
        Value::Array(values) => values.into_iter().map(plain).collect(),
        value => value,
    }
}

pub fn apply(text: &str, steps: &[EditStep<'_>]) -> Result<String, FileErrorKind> {
    let mut document = parse(text)?;
    for step in steps {
        match step {
            EditStep::Set(path, value) => set(&mut document, path, value)?,
            EditStep::Remove(path) => remove(&mut document, path, |_| true),
            EditStep::RemoveIfEmpty(path) => {
                remove(&mut document, path, |item| item.as_table_like().is_some_and(TableLike::is_empty))
            }
            // No client that uses TOML has our entry in a list.
            EditStep::Insert(..) | EditStep::RemoveElement(..) | EditStep::RemoveItem(..) => {
                return Err(FileErrorKind::NotAnObject);
            }
        }
    }
    Ok(with_line_ends_of(text, &document.to_string()))
}

fn set(document: &mut DocumentMut, path: &[&str], value: &Value) -> Result<(), FileErrorKind> {
    let Some((name, tables)) = path.split_last() else { return Err(FileErrorKind::NotAnObject) };
    let table = table_at(document, tables)?;
    let written = value.serialize(ValueSerializer::new()).map_err(|_| FileErrorKind::Unsafe)?;
    match (written, table.get_mut(name).and_then(Item::as_value_mut)) {
        // Our entry gets a heading. What is in it stays on one line.
        (toml_edit::Value::InlineTable(entry), _) if tables.len() == 1 => {
            table.insert(name, Item::Table(entry.into_table()));
        }
        (mut written, Some(value)) => {
            *written.decor_mut() = value.decor().clone();
            *value = written;
        }
        (written, None) => {
            table.remove(name);
            table.insert(name, Item::Value(written));
        }
    }
    Ok(())
}

fn remove(document: &mut DocumentMut, path: &[&str], is_removed: impl Fn(&Item) -> bool) {
    let Some((name, tables)) = path.split_last() else { return };
    let parent = tables.iter().try_fold(document.as_item_mut(), |item, name| item.get_mut(*name));
    let Some(parent) = parent.and_then(Item::as_table_like_mut) else { return };
    if parent.get(name).is_some_and(is_removed) {
        parent.remove(name);
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
