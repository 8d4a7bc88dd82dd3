//! The sessions that OpenCode keeps for a folder (measured with 1.18.33).

use std::cmp::Reverse;
use std::path::Path;

use askdesk_domain::text::bounded;
use askdesk_domain::{NativeSession, Timestamp};
use serde_json::Value;

use super::launch::folder_query;
use super::parent_of;
use crate::json::{is_true, list, text};
use crate::own_sessions::{
    Conversation, EARLIER_MESSAGES, OWN_SESSIONS, OwnSession, Said, SessionsProtocol, title,
};

/// The sessions of one folder.
#[derive(Debug)]
pub(super) struct SessionList {
    /// The query that names the folder.
    folder: String,
}

impl SessionList {
    pub(super) fn of(folder: &Path) -> Self {
        Self { folder: folder_query(folder) }
    }
}

impl SessionsProtocol for SessionList {
    fn list(&self) -> (String, Value) {
        (format!("GET /session?{}&roots=true&limit={OWN_SESSIONS}", self.folder), Value::Null)
    }

    fn listed(&self, response: &Value) -> Vec<OwnSession> {
        let sessions = response.as_array().map_or(&[][..], Vec::as_slice).iter();
        let own = sessions.filter(|session| parent_of(session).is_none());
        let mut listed: Vec<OwnSession> = own
            .filter_map(|session| {
                let updated = session.pointer("/time/updated").and_then(Value::as_i64).unwrap_or_default();
                Some(OwnSession {
                    native_session: NativeSession::new(text(session, "id")?)?,
                    title: title(text(session, "title").unwrap_or_default()),
                    updated_at: Timestamp::from_millis(updated),
                })
            })
            .collect();
        listed.sort_by_key(|session| Reverse(session.updated_at));
        listed
    }

    fn read(&self, session: &NativeSession) -> (String, Value) {
        let query = format!("{}&limit={EARLIER_MESSAGES}", self.folder);
        (format!("GET /session/{session}/message?{query}"), Value::Null)
    }

    fn conversation(&self, response: &Value) -> Conversation {
        let messages = response.as_array().map_or(&[][..], Vec::as_slice);
        let said = messages.iter().filter_map(said).collect();
        Conversation::newest(said, messages.len() >= EARLIER_MESSAGES)
    }
}

fn said(message: &Value) -> Option<Said> {
    let parts = list(message, "parts").iter();
    // Synthetic parts are what the program adds to a message.
    let texts = parts.filter(|part| text(part, "type") == Some("text") && !is_true(part, "synthetic"));
    let said = texts.filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n");
    if said.trim().is_empty() {
        return None;
    }
    let by_user = message.pointer("/info/role").and_then(Value::as_str) == Some("user");
    let said = bounded(&said);
    let place = message.pointer("/info/id").and_then(Value::as_str).map(bounded);
    Some(if by_user { Said::User { text: said, place } } else { Said::Agent(said) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sessions() -> SessionList {
        SessionList::of(Path::new("/my code"))
    }

    #[test]
    fn case_124_sessions_are_listed_newest_first_without_those_of_subagents() {
        assert_eq!(sessions().list().0, "GET /session?directory=/my%20code&roots=true&limit=200");
        let session =
            |id: &str, updated: i64| json!({"id": id, "title": "Doors", "time": {"updated": updated}});
        let mut inside = session("ses_3", 9);
        inside["parentID"] = json!("ses_1");
        let listed = sessions().listed(&json!([session("ses_1", 1), session("ses_2", 2), inside]));
        let ids: Vec<_> = listed.iter().map(|session| session.native_session.as_str()).collect();
        assert_eq!(ids, ["ses_2", "ses_1"]);
    }

    #[test]
    fn case_124_messages_are_read_without_what_the_program_adds() {
        let message =
            |role: &str, parts: Value| json!({"info": {"id": "msg_1", "role": role}, "parts": parts});
        let messages = json!([
            message(
                "user",
                json!([
                    {"type": "text", "text": "One"},
                    {"type": "text", "text": "Added", "synthetic": true},
                ])
            ),
            message("assistant", json!([{"type": "tool"}, {"type": "text", "text": "Two"}])),
            message("assistant", json!([{"type": "step-start"}])),
        ]);
        let said = vec![
            Said::User { text: "One".to_owned(), place: Some("msg_1".to_owned()) },
            Said::Agent("Two".to_owned()),
        ];
        assert_eq!(sessions().conversation(&messages), Conversation { said, is_cut: false });
    }
}
