//! The sessions that OpenCode keeps for a folder (measured with 1.18.33).

use std::cmp::Reverse;
use std::path::Path;

use askdesk_domain::text::bounded;
use askdesk_domain::{EntryBody, NativeSession, Timestamp, ToolStatus};
use serde::Deserialize;
use serde_json::Value;

use super::launch::folder_query;
use super::parent_of;
use super::tools::{self, QUESTION_TOOL, tool_use};
use crate::json::{is_true, list, list_of, text};
use crate::own_sessions::{
    EARLIER_MESSAGES, OWN_SESSIONS, OwnSession, PastConversation, Said, SessionsProtocol, asked, title,
};
use crate::question_json::read_to_show;

/// The error of a question that the user has skipped.
const DISMISSED: &str = "The user dismissed this question";

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
        let own = list_of(response).iter().filter(|session| parent_of(session).is_none());
        let own = own.filter_map(|session| {
            Some(OwnSession {
                native_session: NativeSession::new(text(session, "id")?)?,
                title: title(text(session, "title").unwrap_or_default()),
                updated_at: Timestamp::from_millis(session["time"]["updated"].as_i64().unwrap_or_default()),
            })
        });
        let mut listed: Vec<OwnSession> = own.collect();
        listed.sort_by_key(|session| Reverse(session.updated_at));
        listed
    }

    fn read(&self, session: &NativeSession) -> (String, Value) {
        let query = format!("{}&limit={EARLIER_MESSAGES}", self.folder);
        (format!("GET /session/{session}/message?{query}"), Value::Null)
    }

    fn conversation(&self, response: &Value) -> PastConversation {
        let messages = list_of(response);
        let said = messages.iter().flat_map(said).collect();
        PastConversation::newest(said, messages.len() >= EARLIER_MESSAGES)
    }
}

fn said(message: &Value) -> Vec<Said> {
    let info = |name: &str| text(&message["info"], name);
    let by_user = info("role") == Some("user");
    let mut all: Vec<Said> = Vec::new();
    for part in list(message, "parts") {
        // Synthetic parts are what the program adds to a message.
        let words =
            text(part, "text").filter(|_| text(part, "type") == Some("text") && !is_true(part, "synthetic"));
        match (words.filter(|words| !words.trim().is_empty()), all.last_mut()) {
            (Some(words), Some(Said::User { text, .. } | Said::Agent(text))) => {
                *text = bounded(&format!("{text}\n{words}"));
            }
            (Some(words), _) if by_user => {
                all.push(Said::User { text: bounded(words), place: info("id").map(bounded) });
            }
            (Some(words), _) => all.push(Said::Agent(bounded(words))),
            (None, _) if text(part, "type") == Some("tool") && !by_user => {
                all.extend(did(info("id").unwrap_or_default(), part));
            }
            (None, _) => {}
        }
    }
    all
}

/// Tells a call, and what came out of it.
fn did(message: &str, part: &Value) -> Option<Said> {
    let name = text(part, "tool")?;
    let state = &part["state"];
    let input = &state["input"];
    if name == QUESTION_TOOL
        && let Ok((_, questions)) = read_to_show(input)
    {
        return Some(asked(questions, kept(state)));
    }
    let (status, ok) = match text(state, "status") {
        Some("completed") => (ToolStatus::Done, true),
        Some("error") => (ToolStatus::Failed, false),
        _ => (ToolStatus::NoResult, false),
    };
    let output = (status != ToolStatus::NoResult).then(|| tools::result(state, ok).0);
    Some(Said::Did(Box::new(EntryBody::Tool {
        tool_use: tool_use(message, text(part, "callID").unwrap_or_default()),
        name: bounded(name),
        tool_kind: tools::kind(name),
        summary: tools::summary(name, input),
        detail: tools::detail(name, input),
        status,
        output,
        images: Vec::new(),
        subagent: None,
    })))
}

/// Reads the answers that are kept with a call: a list of texts for each question.
fn kept(state: &Value) -> Option<Vec<Vec<String>>> {
    if text(state, "error") == Some(DISMISSED) {
        return Some(Vec::new());
    }
    Deserialize::deserialize(&state["metadata"]["answers"]).ok()
}

#[cfg(test)]
mod tests {
    use askdesk_domain::Outcome;
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
        assert_eq!(sessions().conversation(&messages), PastConversation { said, is_cut: false });
    }

    fn asked_for(state: &Value) -> Option<Outcome> {
        let mut state = state.clone();
        state["input"] = json!({"questions": [{"question": "Which?", "multiple": true, "options": [
            {"label": "Blue, light"}, {"label": "Red"},
        ]}]});
        let part = json!({"type": "tool", "tool": "question", "callID": "c", "state": state});
        let messages = json!([{"info": {"id": "msg_1", "role": "assistant"}, "parts": [part]}]);
        let said = sessions().conversation(&messages).said;
        let [Said::Did(body)] = &*said else { panic!("{said:?}") };
        let EntryBody::CopiedQuestion { questions, outcome } = &**body else { panic!("{body:?}") };
        assert_eq!(questions[0].options[0].label, "Blue, light");
        outcome.clone()
    }

    #[test]
    fn a_question_is_read_with_its_answer_as_far_as_that_is_kept() {
        let kept = json!({"status": "completed", "metadata": {"answers": [["Blue, light", "and a bit"]]}});
        let Some(Outcome::Answered { answers }) = asked_for(&kept) else { panic!() };
        let answer = answers.iter().next().unwrap();
        assert_eq!((answer.chosen.len(), answer.other.as_deref()), (1, Some("and a bit")));
        let skipped = Some(Outcome::Declined { words: None });
        assert_eq!(
            asked_for(&json!({"status": "error", "error": "The user dismissed this question"})),
            skipped
        );
        assert_eq!(asked_for(&json!({"status": "error", "error": "Tool execution aborted"})), None);
        assert_eq!(asked_for(&json!({"status": "completed", "output": "Blue"})), None);
    }

    #[test]
    fn a_call_is_read_between_the_words_around_it() {
        let state = json!({"status": "completed", "input": {"command": "ls"}, "output": "a.txt"});
        let parts = json!([
            {"type": "text", "text": "Looking."},
            {"type": "tool", "tool": "bash", "callID": "c", "state": state},
            {"type": "text", "text": "Found."},
        ]);
        let messages = json!([{"info": {"id": "msg_1", "role": "assistant"}, "parts": parts}]);
        let said = sessions().conversation(&messages).said;
        let [Said::Agent(before), Said::Did(call), Said::Agent(after)] = &*said else { panic!("{said:?}") };
        assert_eq!((before.as_str(), after.as_str()), ("Looking.", "Found."));
        let EntryBody::Tool { name, summary, status, output, .. } = &**call else { panic!("{call:?}") };
        assert_eq!((name.as_str(), summary.as_str(), *status), ("bash", "ls", ToolStatus::Done));
        assert_eq!(output.as_deref(), Some("a.txt"));
    }
}
