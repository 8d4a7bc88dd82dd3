//! A folder for each session, which is removed with the session.

use std::fs;
use std::path::{Path, PathBuf};

use askdesk_domain::SessionId;

use crate::private;

/// The suffix of a session's folder while the session is being deleted.
const STAGED: &str = ".deleting";

/// The folders of all sessions below one root.
#[derive(Clone, Debug)]
pub(crate) struct SessionFolders {
    root: PathBuf,
}

impl SessionFolders {
    pub(crate) const fn new(root: PathBuf) -> Self {
        Self { root }
    }

    pub(crate) fn of(&self, session: SessionId) -> PathBuf {
        self.root.join(session.to_string())
    }

    /// Creates a session's folder, which only the user can read.
    pub(crate) fn create(&self, session: SessionId) -> std::io::Result<()> {
        private::create_folder(&self.root).and_then(|()| private::create_folder(&self.of(session)))
    }

    /// Renames a session's folder during its deletion, so that a crash halfway neither leaves nor loses it.
    pub(crate) fn stage_removal(&self, session: SessionId) {
        rename(&self.of(session), &self.staged(session));
    }

    /// Undoes [`Self::stage_removal`] if the session was not deleted.
    pub(crate) fn restore(&self, session: SessionId) {
        rename(&self.staged(session), &self.of(session));
    }

    pub(crate) fn remove(&self, session: SessionId) {
        for folder in [self.of(session), self.staged(session)] {
            warn_unless_missing("remove", &folder, fs::remove_dir_all(&folder));
        }
    }

    /// Finishes deletions that a crash interrupted. Other folders of unknown sessions are kept: they may belong to a
    /// quarantined database.
    pub(crate) fn sweep(&self, is_known: impl Fn(SessionId) -> bool) {
        let Ok(folders) = fs::read_dir(&self.root) else { return };
        for folder in folders.flatten() {
            let name = folder.file_name();
            let session = name.to_str().and_then(|name| name.strip_suffix(STAGED)?.parse().ok());
            match session {
                Some(session) if is_known(session) => self.restore(session),
                Some(session) => self.remove(session),
                None => {}
            }
        }
    }

    fn staged(&self, session: SessionId) -> PathBuf {
        self.root.join(format!("{session}{STAGED}"))
    }
}

fn rename(from: &Path, to: &Path) {
    warn_unless_missing("rename", from, fs::rename(from, to));
}

/// Logs why a file or folder could not be removed or renamed, unless there was none.
pub(crate) fn warn_unless_missing(action: &str, path: &Path, result: std::io::Result<()>) {
    if let Err(error) = result
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(action, path = %path.display(), %error, "a file or folder of a session could not be removed or renamed");
    }
}
