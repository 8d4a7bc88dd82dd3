//! What needs the user: the one list that the title, the tray, the global shortcut, and the command line show and count.

use serde::{Deserialize, Serialize};

use crate::approval::{Approval, ApprovalState};
use crate::id::{ApprovalId, RequestId};
use crate::request::Request;

/// An item that needs the user: a question or a permission request, never both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "what", content = "id", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PendingItem {
    Question(RequestId),
    Permission(ApprovalId),
}

/// Lists what needs the user, oldest first: open questions, also of agents that go on; open permission requests and plans; and
/// answers that couldn't be delivered. The page counts the same. What was missed, or is saved for an agent that is away, waits for
/// nothing and has a count of its own. The caller leaves out closed sessions.
pub fn pending<'a>(
    requests: impl Iterator<Item = &'a Request>,
    approvals: impl Iterator<Item = &'a Approval>,
) -> Vec<PendingItem> {
    let requests = requests.filter(|request| request.needs_user());
    let requests = requests.map(|it| (it.asked_at, PendingItem::Question(it.id)));
    let approvals = approvals.filter(|approval| approval.state == ApprovalState::Open);
    let approvals = approvals.map(|it| (it.asked_at, PendingItem::Permission(it.id)));
    let mut pending: Vec<_> = requests.chain(approvals).collect();
    pending.sort();
    pending.into_iter().map(|(_, item)| item).collect()
}
