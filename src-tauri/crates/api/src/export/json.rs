//! A session for programs. Its form is described in the guide; a change that breaks readers gets a new version.

use askdesk_domain::{Approval, Entry, Request, Session};
use askdesk_engine::Page;
use serde::Serialize;

use crate::error::{Error, ErrorCode};

/// The version of the form.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Exported<'a> {
    format: &'static str,
    version: u32,
    session: &'a Session,
    entries: &'a [Entry],
    requests: &'a [Request],
    approvals: &'a [Approval],
}

pub(crate) fn write(session: &Session, whole: &Page) -> Result<String, Error> {
    let Page { entries, requests, approvals, .. } = whole;
    let exported =
        Exported { format: "askdesk-session", version: VERSION, session, entries, requests, approvals };
    serde_json::to_string_pretty(&exported).map_err(|error| Error::new(ErrorCode::Storage, error.to_string()))
}
