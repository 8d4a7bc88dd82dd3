//! What waits for the person at this moment, for everything outside the page that shows it.

use askdesk_domain::{Approval, PendingItem, Request, SessionId};
use tokio::sync::watch;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waits {
    pub waiting: PendingItem,
    pub session: SessionId,
    /// What it asks, in the agent's words.
    pub text: String,
}

impl Waits {
    /// A question; of several the first speaks for all.
    pub fn question(request: &Request) -> Self {
        let text = request.questions.first().map(|question| question.text.clone()).unwrap_or_default();
        Self { waiting: PendingItem::Question(request.id), session: request.session, text }
    }

    pub fn permission(approval: &Approval) -> Self {
        let waiting = PendingItem::Permission(approval.id);
        Self { waiting, session: approval.session, text: approval.title.clone() }
    }
}

/// All that waits, the oldest first. One place writes it, and whoever shows it watches.
#[derive(Debug)]
pub struct Board(watch::Sender<Vec<Waits>>);

impl Board {
    /// Makes one on which nothing stands.
    pub fn new() -> Self {
        Self(watch::Sender::new(Vec::new()))
    }

    /// Tells of each change.
    pub fn watch(&self) -> watch::Receiver<Vec<Waits>> {
        self.0.subscribe()
    }

    /// Puts something on it, once.
    pub fn begins(&self, waits: Waits) {
        self.0.send_if_modified(|all| {
            let new = !all.iter().any(|known| known.waiting == waits.waiting);
            if new {
                all.push(waits);
            }
            new
        });
    }

    pub fn ends(&self, waiting: PendingItem) {
        self.0.send_if_modified(|all| {
            let before = all.len();
            all.retain(|waits| waits.waiting != waiting);
            all.len() != before
        });
    }
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{ApprovalId, RequestId};
    use uuid::Uuid;

    use super::*;

    fn waits(n: u128) -> Waits {
        let waiting = PendingItem::Question(RequestId::new(Uuid::from_u128(n)));
        Waits { waiting, session: SessionId::new(Uuid::from_u128(9)), text: n.to_string() }
    }

    #[test]
    fn what_waits_stands_there_once_from_its_beginning_to_its_end() {
        let board = Board::new();
        let mut watch = board.watch();
        let texts = |watch: &mut watch::Receiver<Vec<Waits>>| {
            watch.borrow_and_update().iter().map(|waits| waits.text.clone()).collect::<Vec<_>>().concat()
        };
        for n in [1, 2, 1, 3] {
            board.begins(waits(n));
        }
        assert_eq!(texts(&mut watch), "123");
        board.begins(waits(2));
        board.ends(PendingItem::Permission(ApprovalId::new(Uuid::from_u128(2))));
        assert!(!watch.has_changed().unwrap(), "a permission is no question");
        board.ends(waits(2).waiting);
        assert_eq!(texts(&mut watch), "13");
    }
}
