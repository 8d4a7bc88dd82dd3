//! The stored form of values: JSON of [`FORMAT`].
//!
//! A record is a domain type whose stored names are pinned by serde attributes, not a copy of it: copies of all stored types
//! with their conversions would repeat more than a thousand lines. The list of [`Record`]s is closed. The lines in
//! `record/*.jsonl` contain every kind of record and every name of its enums. A test reads and writes them, and fails if a
//! renaming would change the file. To rename a variant or a field, pin its old name with `#[serde(rename = "…")]`. Any
//! other change needs a new format: once a release has written this one, also a conversion of its databases in
//! [`schema`](super::schema).

use askdesk_domain::{
    AnswerId, Approval, ApprovalState, Asker, Delivery, DeliveryError, DraftTarget, EntryBody, Event, Limit,
    Outcome, Request,
};
use rusqlite::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The format of the records, and of the database's `user_version`.
pub(super) const FORMAT: u32 = 1;

/// A type that the journal stores.
pub(super) trait Record: Serialize + DeserializeOwned {}

impl Record for Approval {}
impl Record for ApprovalState {}
impl Record for Asker {}
impl Record for Delivery {}
impl Record for AnswerId {}
impl Record for DeliveryError {}
impl Record for DraftTarget {}
impl Record for EntryBody {}
impl Record for Event {}
impl Record for Limit {}
impl Record for Outcome {}
impl Record for Request {}
impl<T: Record> Record for Option<T> {}

pub(super) fn encode<T: Record>(value: &T) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

pub(super) fn decode<T: Record>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str().map_err(|error| unreadable(column, error))?;
    serde_json::from_str(text).map_err(|error| unreadable(column, error))
}

fn unreadable(column: usize, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}

#[cfg(test)]
mod tests;
