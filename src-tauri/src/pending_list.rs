//! What needs the user, for the title, the tray and the global shortcut.

use askdesk_api::Api;
use askdesk_contract::frame::{Change, Frame};
use askdesk_domain::{Desk, PendingItem, SessionId, pending};
use askdesk_engine::EngineError;
use tokio::sync::watch;

/// The longest text of an entry, in characters.
const TEXT_CHARS: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingEntry {
    pub item: PendingItem,
    pub session: SessionId,
    /// The first question, or what a permission is asked for, in the agent's words.
    pub text: String,
}

/// Keeps the list, oldest first, until the engine closes.
pub fn follow(api: &Api) -> watch::Receiver<Vec<PendingEntry>> {
    let (entries, watched) = watch::channel(Vec::new());
    let engine = api.engine().clone();
    tauri::async_runtime::spawn(async move {
        let mut frames = engine.subscribe().await?;
        while let Some(frame) = frames.next().await {
            if changes_list(&frame) {
                let now = engine.inspect(listed).await?;
                entries.send_if_modified(|before| {
                    let changed = *before != now;
                    *before = now;
                    changed
                });
            }
        }
        Ok::<_, EngineError>(())
    });
    watched
}

fn changes_list(frame: &Frame) -> bool {
    let Frame::Delta(delta) = frame else { return true };
    delta.changes.iter().any(|change| {
        matches!(change, Change::Request { .. } | Change::Approval { .. } | Change::SessionClosed { .. })
    })
}

fn listed(desk: &Desk) -> Vec<PendingEntry> {
    let entry = |item| match item {
        PendingItem::Question(id) => desk.request(id).map(|request| PendingEntry {
            item,
            session: request.session,
            text: request.questions.first().map(|question| question.text.clone()).unwrap_or_default(),
        }),
        PendingItem::Permission(id) => desk.approval(id).map(|approval| PendingEntry {
            item,
            session: approval.session,
            text: approval.name(TEXT_CHARS),
        }),
    };
    pending(desk).into_iter().filter_map(entry).collect()
}
