//! The dialogs that stand in terminals while their question waits at the desk: which session of Claude Code has which.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use askdesk_domain::RawQuestion;
use tokio_util::sync::CancellationToken;

/// All dialogs whose question waits, in the order in which they were asked.
#[derive(Clone, Debug, Default)]
pub struct Terminals(Arc<Mutex<Vec<Standing>>>);

#[derive(Debug)]
struct Standing {
    session: String,
    drafts: Vec<RawQuestion>,
    answered: CancellationToken,
}

/// One dialog, known until it is dropped.
#[derive(Debug)]
pub struct Dialog {
    terminals: Terminals,
    answered: CancellationToken,
}

impl Terminals {
    /// Notes a dialog before its question is asked at the desk.
    pub fn asks(&self, session: &str, drafts: &[RawQuestion]) -> Dialog {
        let answered = CancellationToken::new();
        self.standing().push(Standing {
            session: session.to_owned(),
            drafts: drafts.to_vec(),
            answered: answered.clone(),
        });
        Dialog { terminals: self.clone(), answered }
    }

    /// The dialog with this question was answered in its terminal. Of several that are equal it is the oldest, since a terminal
    /// shows them one after the other.
    pub fn answered(&self, session: &str, drafts: &[RawQuestion]) {
        let is_it = |standing: &&Standing| standing.is_of(session) && standing.drafts == drafts;
        if let Some(standing) = self.standing().iter().find(is_it) {
            standing.answered.cancel();
        }
    }

    /// No dialog of this session stands any more.
    pub fn over(&self, session: &str) {
        for standing in self.standing().iter().filter(|standing| standing.is_of(session)) {
            standing.answered.cancel();
        }
    }

    fn standing(&self) -> MutexGuard<'_, Vec<Standing>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Standing {
    /// Tells whether it stands in this session. Without an id nobody knows whose it is.
    fn is_of(&self, session: &str) -> bool {
        !session.is_empty() && self.session == session && !self.answered.is_cancelled()
    }
}

impl Dialog {
    /// Waits until the terminal tells that it was answered there.
    pub async fn answered(&self) {
        self.answered.cancelled().await;
    }
}

impl Drop for Dialog {
    fn drop(&mut self) {
        // By its own mark, since two dialogs may be equal in all else.
        self.answered.cancel();
        self.terminals.standing().retain(|standing| !standing.answered.is_cancelled());
    }
}
