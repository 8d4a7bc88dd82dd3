//! The threads that Codex keeps for a folder (measured with 0.169.0).

use std::collections::BTreeSet;
use std::path::Path;

use askdesk_domain::text::bounded;
use askdesk_domain::{NativeSession, Timestamp};
use serde_json::{Value, json};

use super::{async_questions, native_session};
use crate::json::{is_true, list, text};
use crate::own_sessions::{OwnSession, PastConversation, Said, SessionsProtocol, title};

/// How many threads or turns are asked for.
const PAGE: usize = 100;

/// The threads of one folder.
#[derive(Debug)]
pub(super) struct ThreadList {
    /// The folder as it is written, and without symbolic links.
    folders: BTreeSet<String>,
}

impl ThreadList {
    pub(super) fn of(folder: &Path) -> Self {
        let resolved = dunce::canonicalize(folder).ok();
        let folders = resolved.as_deref().into_iter().chain([folder]);
        Self { folders: folders.map(|folder| folder.display().to_string()).collect() }
    }
}

impl SessionsProtocol for ThreadList {
    fn list(&self) -> (String, Value) {
        let params = json!({
            "cwd": self.folders,
            "limit": PAGE,
            "sortKey": "updated_at",
            // Left out, they are those of the terminal only, and of the provider that is chosen now.
            "sourceKinds": ["cli", "vscode", "exec", "appServer"],
            "modelProviders": [],
        });
        ("thread/list".to_owned(), params)
    }

    fn listed(&self, response: &Value) -> Vec<OwnSession> {
        let threads = list(response, "data").iter();
        // Those of subagents can't be continued alone.
        let own = threads
            .filter(|thread| !is_true(thread, "ephemeral") && text(thread, "parentThreadId").is_none());
        own.filter_map(|thread| {
            let name = text(thread, "name").or_else(|| text(thread, "preview")).unwrap_or_default();
            let seconds = thread.get("updatedAt").and_then(Value::as_i64).unwrap_or_default();
            Some(OwnSession {
                native_session: native_session(thread)?,
                title: title(name),
                updated_at: Timestamp::from_millis(seconds.saturating_mul(1_000)),
            })
        })
        .collect()
    }

    fn read(&self, session: &NativeSession) -> (String, Value) {
        let params = json!({
            "threadId": session.as_str(),
            "limit": PAGE,
            "sortDirection": "desc",
            // The messages of the user and the last one of the agent.
            "itemsView": "summary",
        });
        ("thread/turns/list".to_owned(), params)
    }

    fn conversation(&self, response: &Value) -> PastConversation {
        let mut all = Vec::new();
        let mut last_turn = None;
        for turn in list(response, "data").iter().rev() {
            let mut place = last_turn.take();
            // A fork can end between turns only, so what was sent into a running one has no place.
            all.extend(list(turn, "items").iter().filter_map(said).map(|said| match said {
                Said::User { text, .. } => Said::User { text, place: place.take() },
                Said::Agent(_) | Said::Did(_) => said,
            }));
            last_turn = text(turn, "id").map(bounded);
        }
        PastConversation::newest(all, text(response, "nextCursor").is_some())
    }
}

fn said(item: &Value) -> Option<Said> {
    match text(item, "type")? {
        "userMessage" => {
            let texts = list(item, "content").iter().filter_map(|input| text(input, "text"));
            let said = texts.collect::<Vec<_>>().join("\n");
            let said = async_questions::words_of(&said).unwrap_or(said);
            (!said.trim().is_empty()).then(|| Said::User { text: bounded(&said), place: None })
        }
        "agentMessage" => Some(Said::Agent(bounded(text(item, "text")?))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threads() -> ThreadList {
        ThreadList::of(Path::new("/nowhere/code"))
    }

    #[test]
    fn case_124_threads_are_listed_by_name_or_preview_without_those_of_subagents() {
        assert_eq!(threads().list().1["cwd"], json!(["/nowhere/code"]));
        let response = json!({"data": [
            {"id": "t1", "name": null, "preview": "Mend\nthe door", "updatedAt": 2, "parentThreadId": null},
            {"id": "t2", "name": "Doors", "preview": "Mend", "updatedAt": 1},
            {"id": "t3", "preview": "Inside", "updatedAt": 1, "parentThreadId": "t1"},
            {"id": "t4", "preview": "Gone", "updatedAt": 1, "ephemeral": true},
        ], "nextCursor": null});
        let listed = threads().listed(&response);
        let seen: Vec<_> = listed
            .iter()
            .map(|it| (it.native_session.as_str(), it.title.as_str(), it.updated_at.millis()))
            .collect();
        assert_eq!(seen, [("t1", "Mend the door", 2_000), ("t2", "Doors", 1_000)]);
    }

    #[test]
    fn a_reply_to_a_question_is_read_as_words() {
        let reply = r#"<send_user_message_question_reply>
[{"answer":"Keyboard","question":"Which trigger?","questionItemId":"x"}]
</send_user_message_question_reply>"#;
        let item = json!({"type": "userMessage", "content": [{"type": "text", "text": reply}]});
        let text = "Which trigger?\nKeyboard".to_owned();
        assert_eq!(said(&item), Some(Said::User { text, place: None }));
    }

    #[test]
    fn case_124_turns_are_read_oldest_first_and_a_fork_can_end_between_them() {
        let turn = |id: &str, user: &str, agent: &str| {
            json!({"id": id, "items": [
                {"type": "userMessage", "content": [{"type": "text", "text": user}, {"type": "image", "url": "data:"}]},
                {"type": "reasoning"},
                {"type": "userMessage", "content": [{"type": "text", "text": "And"}]},
                {"type": "agentMessage", "text": agent},
            ]})
        };
        let response =
            json!({"data": [turn("b", "Three", "Four"), turn("a", "One", "Two")], "nextCursor": "more"});
        let user = |text: &str, place: Option<&str>| Said::User {
            text: text.to_owned(),
            place: place.map(str::to_owned),
        };
        let said = [
            user("One", None),
            user("And", None),
            Said::Agent("Two".to_owned()),
            user("Three", Some("a")),
            user("And", None),
            Said::Agent("Four".to_owned()),
        ];
        let expected = PastConversation { said: said.to_vec(), is_cut: true };
        assert_eq!(threads().conversation(&response), expected);
    }
}
