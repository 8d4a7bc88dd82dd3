//! Exports a session, or questions of several sessions, as text. Neither contains a secret.

pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod questions;

use askdesk_domain::{Session, Timestamp};

use askdesk_contract::ExportFormat;

/// The longest name of a session within a file's name, in characters.
const NAME_CHARS: usize = 60;

/// Names a file after a session and its day, with nothing in it that a file system could take for something else.
pub(crate) fn file_name(session: &Session, format: ExportFormat) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let name: String = session.name.chars().map(plain).take(NAME_CHARS).collect();
    let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
    let name = if words.is_empty() { "session".to_owned() } else { words.join("-") };
    let extension = match format {
        ExportFormat::Markdown => "md",
        ExportFormat::Json => "json",
    };
    format!("{name}-{}.{extension}", time(session.started_at, "%Y-%m-%d"))
}

/// Writes a time in UTC.
fn time(at: Timestamp, form: &str) -> String {
    jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default().strftime(form).to_string()
}
