//! A session for programs. Its form is described in the guide; a change that breaks readers gets a new version.

use askdesk_domain::{Approval, Entry, LaunchOverrides, Request, Session, SessionOptions};
use serde::Serialize;

use askdesk_contract::{Error, ErrorCode, TranscriptPage};

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

pub(crate) fn write(session: &Session, whole: &TranscriptPage) -> Result<String, Error> {
    // What the settings add may hold secrets, and says nothing of what happened.
    let options = SessionOptions { extras: LaunchOverrides::default(), ..session.options.clone() };
    let session = &Session { options, ..session.clone() };
    let TranscriptPage { entries, requests, approvals, .. } = whole;
    let exported =
        Exported { format: "askdesk-session", version: VERSION, session, entries, requests, approvals };
    serde_json::to_string_pretty(&exported).map_err(|error| Error::new(ErrorCode::Storage, error.to_string()))
}
