//! The dialogs that Claude Code shows in terminals while their questions are open in Askdesk.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use askdesk_domain::RawQuestion;
use tokio_util::sync::CancellationToken;

/// All open dialogs, in the order in which they were asked.
#[derive(Clone, Debug, Default)]
pub struct HookDialogs(Arc<Mutex<Vec<OpenDialog>>>);

#[derive(Debug)]
struct OpenDialog {
    session: String,
    drafts: Vec<RawQuestion>,
    answered: CancellationToken,
}

/// A dialog. It counts as open until this is dropped.
#[derive(Debug)]
pub struct Dialog {
    dialogs: HookDialogs,
    answered: CancellationToken,
}

impl HookDialogs {
    /// Adds a dialog, before its question is asked in Askdesk.
    pub fn open(&self, session: &str, drafts: &[RawQuestion]) -> Dialog {
        let answered = CancellationToken::new();
        self.lock().push(OpenDialog {
            session: session.to_owned(),
            drafts: drafts.to_vec(),
            answered: answered.clone(),
        });
        Dialog { dialogs: self.clone(), answered }
    }

    /// Notes that a dialog was answered in its terminal. If several are equal it is the oldest, because a terminal shows one
    /// after the other.
    pub fn answered(&self, session: &str, drafts: &[RawQuestion]) {
        if let Some(dialog) = self.lock().iter().find(|it| it.is_in(session) && it.drafts == drafts) {
            dialog.answered.cancel();
        }
    }

    /// Notes that a session shows no dialog any more.
    pub fn session_ended_turn(&self, session: &str) {
        for dialog in self.lock().iter().filter(|it| it.is_in(session)) {
            dialog.answered.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<OpenDialog>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenDialog {
    /// Tells whether the dialog is open in a session. Without an id nobody knows which session it is.
    fn is_in(&self, session: &str) -> bool {
        !session.is_empty() && self.session == session && !self.answered.is_cancelled()
    }
}

impl Dialog {
    /// Waits until the dialog was answered in its terminal.
    pub async fn answered(&self) {
        self.answered.cancelled().await;
    }
}

impl Drop for Dialog {
    fn drop(&mut self) {
        // Two dialogs may be equal in everything but their token.
        self.answered.cancel();
        self.dialogs.lock().retain(|dialog| !dialog.answered.is_cancelled());
    }
}
