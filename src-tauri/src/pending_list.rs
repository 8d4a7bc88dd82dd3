//! The open questions and permission requests, for the title, the tray and the global shortcut.

use askdesk_domain::{Approval, PendingItem, Request, SessionId};
use tokio::sync::watch;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingEntry {
    pub item: PendingItem,
    pub session: SessionId,
    /// The question or the permission request, in the agent's words.
    pub text: String,
}

impl PendingEntry {
    /// Describes a request by its first question.
    pub fn question(request: &Request) -> Self {
        let text = request.questions.first().map(|question| question.text.clone()).unwrap_or_default();
        Self { item: PendingItem::Question(request.id), session: request.session, text }
    }

    pub fn permission(approval: &Approval) -> Self {
        let item = PendingItem::Permission(approval.id);
        Self { item, session: approval.session, text: approval.shown_title().into_owned() }
    }
}

/// All pending entries, oldest first. `notify` writes it; others watch it.
#[derive(Debug)]
pub struct PendingList(watch::Sender<Vec<PendingEntry>>);

impl PendingList {
    pub fn new() -> Self {
        Self(watch::Sender::new(Vec::new()))
    }

    pub fn watch(&self) -> watch::Receiver<Vec<PendingEntry>> {
        self.0.subscribe()
    }

    /// Adds an entry, unless its item is already in the list.
    pub fn add(&self, entry: PendingEntry) {
        self.0.send_if_modified(|entries| {
            let new = !entries.iter().any(|known| known.item == entry.item);
            if new {
                entries.push(entry);
            }
            new
        });
    }

    pub fn remove(&self, item: PendingItem) {
        self.0.send_if_modified(|entries| {
            let before = entries.len();
            entries.retain(|entry| entry.item != item);
            entries.len() != before
        });
    }
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{ApprovalId, RequestId};
    use uuid::Uuid;

    use super::*;

    fn entry(n: u128) -> PendingEntry {
        let item = PendingItem::Question(RequestId::new(Uuid::from_u128(n)));
        PendingEntry { item, session: SessionId::new(Uuid::from_u128(9)), text: n.to_string() }
    }

    #[test]
    fn an_entry_is_listed_once_until_it_is_removed() {
        let list = PendingList::new();
        let mut watch = list.watch();
        let texts = |watch: &mut watch::Receiver<Vec<PendingEntry>>| {
            watch.borrow_and_update().iter().map(|entry| entry.text.clone()).collect::<Vec<_>>().concat()
        };
        for n in [1, 2, 1, 3] {
            list.add(entry(n));
        }
        assert_eq!(texts(&mut watch), "123");
        list.add(entry(2));
        list.remove(PendingItem::Permission(ApprovalId::new(Uuid::from_u128(2))));
        assert!(!watch.has_changed().unwrap(), "a permission request with the same id is no question");
        list.remove(entry(2).item);
        assert_eq!(texts(&mut watch), "13");
    }
}
