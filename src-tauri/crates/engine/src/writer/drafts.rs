//! Drafts that wait to be written: the newest of each, and nobody waits behind them.

use std::collections::HashMap;

use askdesk_domain::{Begun, CommandId, DraftTarget, draft_rules};
use tokio::sync::oneshot;

use super::{EngineError, Writer};
use crate::fault::{self, Step};

/// How many other inputs are taken before drafts are written all the same.
const PATIENCE: usize = 64;

/// How many windows' counts are remembered for one draft's order; one window lives at a time.
const REMEMBERED_TURNS: usize = 4_096;

/// Which of a page's saves it is: two that are on their way at once may overtake each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DraftTurn {
    /// The page, from its load to its end.
    pub page: CommandId,
    /// Counts the page's saves.
    pub n: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SaveDraft {
    pub turn: DraftTurn,
    pub of: DraftTarget,
}

type Reply = oneshot::Sender<Result<(), EngineError>>;

/// Drafts that wait, and what is known of their order.
#[derive(Default)]
pub(super) struct Drafts {
    waiting: Vec<(SaveDraft, Reply)>,
    passed: usize,
    turns: HashMap<Begun, DraftTurn>,
}

impl Drafts {
    pub(super) fn wait(&mut self, save: SaveDraft, reply: Reply) {
        let begun = save.of.begun();
        let earlier = self
            .turns
            .get(&begun)
            .is_some_and(|known| known.page == save.turn.page && known.n >= save.turn.n);
        if earlier {
            // A later one of the same page is written or waits: this one is done with it.
            let _ = reply.send(Ok(()));
            return;
        }
        if self.turns.len() >= REMEMBERED_TURNS {
            self.turns.clear();
        }
        self.turns.insert(begun, save.turn);
        self.waiting.push((save, reply));
    }

    /// Says whether drafts have waited for long enough behind other inputs.
    pub(super) fn have_waited(&mut self) -> bool {
        self.passed = if self.waiting.is_empty() { 0 } else { self.passed + 1 };
        self.passed > PATIENCE
    }
}

impl Writer {
    /// Writes the drafts that wait, in one transaction, each unless its request has ended meanwhile.
    pub(super) fn write_drafts(&mut self) {
        self.drafts.passed = 0;
        let waiting = std::mem::take(&mut self.drafts.waiting);
        if waiting.is_empty() {
            return;
        }
        let (mut kept, mut replies) = (Vec::new(), Vec::new());
        for (save, reply) in waiting {
            match draft_rules::check(&self.desk, &save.of) {
                Ok(draft) => {
                    kept.push(draft);
                    replies.push((save.of.begun(), reply));
                }
                Err(reject) => {
                    let _ = reply.send(Err(reject.into()));
                }
            }
        }
        fault::reached(Step::SavingDrafts);
        let written =
            if kept.is_empty() { Ok(()) } else { self.journal.save_drafts(&kept, self.source.now()) };
        fault::reached(Step::SavedDrafts);
        for (begun, reply) in replies {
            let told = written.clone().map_err(EngineError::from);
            if told.is_err() {
                // The same save may come again.
                self.drafts.turns.remove(&begun);
            }
            let _ = reply.send(told);
        }
    }
}
