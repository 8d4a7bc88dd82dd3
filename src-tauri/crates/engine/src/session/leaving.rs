//! Folders that are about to go away, in which no session may start.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use askdesk_domain::{Rejection, Session};

use super::Sessions;
use crate::error::EngineError;

/// The folders that are being removed.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaving(Arc<Mutex<Vec<PathBuf>>>);

impl Leaving {
    /// Refuses a folder that is being removed.
    pub(super) fn check(&self, folder: &Path) -> Result<(), Rejection> {
        let folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match folders.iter().any(|leaving| is_in(folder, leaving)) {
            true => Err(Rejection::invalid("folder", "the folder is being removed")),
            false => Ok(()),
        }
    }

    fn leave(&self, folder: &Path) -> FolderLeaving {
        self.change(|folders| folders.push(folder.to_owned()));
        FolderLeaving { folder: folder.to_owned(), all: self.clone() }
    }

    fn change(&self, change: impl FnOnce(&mut Vec<PathBuf>)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// While this exists, no session starts in its folder.
#[derive(Debug)]
pub struct FolderLeaving {
    folder: PathBuf,
    all: Leaving,
}

impl Drop for FolderLeaving {
    fn drop(&mut self) {
        // The folder stays listed for anybody else who is removing it.
        self.all.change(|folders| {
            if let Some(at) = folders.iter().position(|folder| *folder == self.folder) {
                folders.swap_remove(at);
            }
        });
    }
}

impl Sessions {
    /// Keeps sessions from starting in a folder, and lists those that run there already.
    pub async fn leave_folder(&self, folder: &Path) -> Result<(FolderLeaving, Vec<Session>), EngineError> {
        // A start that has passed its check is listed.
        let _alone = self.starting.lock().await;
        let leaving = self.leaving.leave(folder);
        Ok((leaving, self.running_in(folder).await?))
    }

    /// Lists the running sessions whose folder is this one, or below it.
    pub async fn running_in(&self, folder: &Path) -> Result<Vec<Session>, EngineError> {
        let running = |session: &&Session| session.is_running() && !session.folder.is_empty();
        let all = self.engine.inspect(move |desk| {
            let sessions = desk.sessions().chain(desk.closed_sessions());
            sessions.filter(running).cloned().collect::<Vec<_>>()
        });
        let (all, folder) = (all.await?, folder.to_owned());
        let here = move || all.into_iter().filter(|it| is_in(Path::new(&it.folder), &folder)).collect();
        tokio::task::spawn_blocking(here).await.map_err(|_| EngineError::Closing)
    }
}

/// Returns whether a folder is another one, or below it, whatever links lead there.
fn is_in(folder: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    folder.starts_with(other) || real(folder).starts_with(real(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_closed_until_everybody_who_removes_it_is_done() {
        let (all, folder) = (Leaving::default(), Path::new("/code/api.worktrees/x"));
        let removals = [all.leave(folder), all.leave(folder)];
        assert!(all.check(&folder.join("src")).is_err());
        let [first, second] = removals;
        drop(first);
        assert!(all.check(folder).is_err());
        drop(second);
        assert!(all.check(folder).is_ok());
    }
}
