//! Queued drafts; no other input waits for them.

use std::collections::HashMap;

use askdesk_domain::{DraftKey, draft_rules};
use tokio::sync::oneshot;

use super::Writer;
use crate::error::EngineError;
use crate::fault::{self, FaultPoint};
use crate::mailbox::{DraftRevision, SaveDraft};

/// How many other inputs are handled before queued drafts must be written.
const PATIENCE: usize = 64;

/// For how many drafts the newest revision is remembered.
const REMEMBERED_REVISIONS: usize = 4_096;

type Reply = oneshot::Sender<Result<(), EngineError>>;

/// The queued drafts, and the newest revision of each.
#[derive(Default)]
pub(super) struct Drafts {
    queued: Vec<(SaveDraft, Reply)>,
    /// How many other inputs were handled first.
    overtaken: usize,
    revisions: HashMap<DraftKey, DraftRevision>,
}

impl Drafts {
    pub(super) fn queue(&mut self, save: SaveDraft, reply: Reply) {
        let key = save.of.key();
        let earlier = self
            .revisions
            .get(&key)
            .is_some_and(|known| known.page == save.revision.page && known.n >= save.revision.n);
        if earlier {
            // A later save of the same page is written or queued.
            let _ = reply.send(Ok(()));
            return;
        }
        if self.revisions.len() >= REMEMBERED_REVISIONS {
            self.revisions.clear();
        }
        self.revisions.insert(key, save.revision);
        self.queued.push((save, reply));
    }

    /// Returns whether too many other inputs were handled before the queued drafts.
    pub(super) fn are_overdue(&mut self) -> bool {
        self.overtaken = if self.queued.is_empty() { 0 } else { self.overtaken + 1 };
        self.overtaken > PATIENCE
    }
}

impl Writer {
    /// Writes the queued drafts in one transaction, except those whose target has ended meanwhile.
    pub(super) fn write_drafts(&mut self) {
        self.drafts.overtaken = 0;
        let queued = std::mem::take(&mut self.drafts.queued);
        if queued.is_empty() {
            return;
        }
        let (mut kept, mut replies) = (Vec::new(), Vec::new());
        for (save, reply) in queued {
            match draft_rules::check(&self.desk, &save.of) {
                Ok(draft) => {
                    kept.push(draft);
                    replies.push((save.of.key(), reply));
                }
                Err(reject) => {
                    let _ = reply.send(Err(reject.into()));
                }
            }
        }
        fault::reached(FaultPoint::SavingDrafts);
        let at = self.clock.now();
        let written = match kept.is_empty() {
            true => Ok(()),
            false => self.store_with(|journal| journal.save_drafts(&kept, at)),
        };
        fault::reached(FaultPoint::SavedDrafts);
        for (begun, reply) in replies {
            let result = written.clone().map_err(EngineError::from);
            if result.is_err() {
                // The same save may come again.
                self.drafts.revisions.remove(&begun);
            }
            let _ = reply.send(result);
        }
    }
}
