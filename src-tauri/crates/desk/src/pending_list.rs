//! What needs the user, for the title, the tray and the global shortcut.

use askdesk_domain::{PendingItem, SessionId, pending};

use crate::mirror::Mirror;

/// The longest text of an entry, in characters.
const TEXT_CHARS: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingEntry {
    pub item: PendingItem,
    pub session: SessionId,
    /// The name of its session.
    pub name: String,
    /// Whether the text is hidden outside the window.
    pub private: bool,
    /// The first question, or what a permission is asked for, in the agent's words.
    pub text: String,
}

/// Lists it, oldest first.
pub fn listed(now: &Mirror) -> Vec<PendingEntry> {
    let entry = |item| {
        let (session, text) = match item {
            PendingItem::Question(id) => {
                let request = now.requests.get(&id)?;
                let first = request.questions.first();
                (request.session, first.map(|question| question.text.clone()).unwrap_or_default())
            }
            PendingItem::Permission(id) => {
                let approval = now.approvals.get(&id)?;
                (approval.session, approval.name(TEXT_CHARS))
            }
        };
        let known = now.session(session)?;
        let (name, private) = (known.name.clone(), known.notifications.private);
        Some(PendingEntry { item, session, name, private, text })
    };
    let items = pending(now.requests.values(), now.approvals.values());
    items.into_iter().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{SessionState, Timestamp};
    use serde_json::json;

    use super::*;
    use crate::fixtures::{approval, approval_id, declined, empty, open, request_id, session, snapshot};

    #[test]
    fn what_needs_the_user_is_listed_oldest_first_with_its_session() {
        let mut now = empty();
        let late = askdesk_domain::Request { asked_at: Timestamp::from_millis(9), ..open(1) };
        let failed = declined(2, &json!({"delivery": "failed", "error": {"undelivered": "not_running"}}));
        let on_its_way = declined(4, &json!({"delivery": "pending"}));
        now["sessions"] = json!([session(SessionState::Idle)]);
        now["requests"] = json!([late, failed, on_its_way]);
        now["approvals"] = json!([approval(3, &json!({"state": "open"}))]);
        let mut mirror = Mirror::default();
        mirror.fold(&snapshot(now));
        let all = listed(&mirror);
        let items: Vec<_> = all.iter().map(|entry| entry.item).collect();
        let question = |n| PendingItem::Question(request_id(n));
        assert_eq!(items, [question(2), PendingItem::Permission(approval_id(3)), question(1)]);
        assert_eq!((all[1].name.as_str(), all[1].private, all[1].text.as_str()), ("one", false, "Bash: ls"));
    }
}
