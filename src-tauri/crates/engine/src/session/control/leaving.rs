//! Folders that are about to go away, in which no session may start.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use askdesk_domain::{Rejection, Session};
use futures_util::future::join_all;

use super::Sessions;
use crate::error::EngineError;
use crate::slow_files::on_slow_files;

/// How long a folder may take to say where its links lead.
const LINKS_LIMIT: Duration = Duration::from_secs(2);

/// A folder: how it is named, and where links lead from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResolvedFolder {
    named: PathBuf,
    real: PathBuf,
}

impl ResolvedFolder {
    /// Follows the links. A folder that is missing or doesn't respond is taken as it is named.
    pub(super) async fn find(folder: &Path) -> Self {
        let named = folder.to_owned();
        let real = on_slow_files(LINKS_LIMIT, {
            let named = named.clone();
            move || dunce::canonicalize(named)
        });
        let real = real.await.and_then(Result::ok).unwrap_or_else(|| named.clone());
        Self { named, real }
    }

    /// Returns whether a folder is another one, or below it.
    fn is_in(&self, other: &Self) -> bool {
        self.named.starts_with(&other.named) || self.real.starts_with(&other.real)
    }
}

/// The folders that are being removed.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaving(Arc<Mutex<Vec<ResolvedFolder>>>);

impl Leaving {
    /// Refuses a folder that is being removed.
    pub(super) fn check(&self, folder: &ResolvedFolder) -> Result<(), Rejection> {
        let folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match folders.iter().any(|leaving| folder.is_in(leaving)) {
            true => Err(Rejection::invalid("folder", "the folder is being removed")),
            false => Ok(()),
        }
    }

    fn leave(&self, folder: ResolvedFolder) -> FolderLeaving {
        self.change(|folders| folders.push(folder.clone()));
        FolderLeaving { folder, all: self.clone() }
    }

    fn change(&self, change: impl FnOnce(&mut Vec<ResolvedFolder>)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// While this exists, no session starts in its folder.
#[derive(Debug)]
pub struct FolderLeaving {
    folder: ResolvedFolder,
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
        let place = ResolvedFolder::find(folder).await;
        let leaving = {
            // A start that has passed its check is listed.
            let _alone = self.starting.lock().await;
            self.leaving.leave(place.clone())
        };
        Ok((leaving, self.running_at(&place).await?))
    }

    /// Lists the running sessions whose folder is this one, or below it.
    pub async fn running_in(&self, folder: &Path) -> Result<Vec<Session>, EngineError> {
        self.running_at(&ResolvedFolder::find(folder).await).await
    }

    async fn running_at(&self, place: &ResolvedFolder) -> Result<Vec<Session>, EngineError> {
        let running = |session: &&Session| session.is_running() && !session.folder.is_empty();
        let all = self.engine.inspect(move |desk| {
            let sessions = desk.sessions().chain(desk.closed_sessions());
            sessions.filter(running).cloned().collect::<Vec<_>>()
        });
        let all = all.await?;
        // One folder that doesn't respond costs no more time than all others together.
        let folders: HashSet<&str> = all.iter().map(|session| session.folder.as_str()).collect();
        let places =
            folders.into_iter().map(async |folder| (folder, ResolvedFolder::find(Path::new(folder)).await));
        let places: HashMap<&str, ResolvedFolder> = join_all(places).await.into_iter().collect();
        let is_here =
            |session: &&Session| places.get(session.folder.as_str()).is_some_and(|it| it.is_in(place));
        Ok(all.iter().filter(is_here).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_folder_is_closed_until_everybody_who_removes_it_is_done() {
        let all = Leaving::default();
        let folder = ResolvedFolder::find(Path::new("/code/api.worktrees/x")).await;
        let removals = [all.leave(folder.clone()), all.leave(folder.clone())];
        assert!(all.check(&ResolvedFolder::find(Path::new("/code/api.worktrees/x/src")).await).is_err());
        let [first, second] = removals;
        drop(first);
        assert!(all.check(&folder).is_err());
        drop(second);
        assert!(all.check(&folder).is_ok());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_folder_is_closed_under_every_name_that_leads_there() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::create_dir_all(real.join("src")).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let all = Leaving::default();
        let _leaving = all.leave(ResolvedFolder::find(&real).await);
        assert!(all.check(&ResolvedFolder::find(&link.join("src")).await).is_err());
        assert!(all.check(&ResolvedFolder::find(folder.path()).await).is_ok());
    }
}
