//! The changes of each session's folder since the session began, and the branch that is checked out there: when they are
//! read, and their recorded states.
//!
//! Git runs on blocking threads, one run at a time for each session, and never on the writer's.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use askdesk_changes::{PutBack, Tracker};
use askdesk_contract::{
    ChangeTotals, ChangedFiles, FileChange, FilesSince, Head, RevertRefused, ShownPart, Unavailable,
};
use askdesk_domain::{SessionId, Timestamp};
use tokio::sync::mpsc;

use crate::mailbox::Input;
use crate::session_folders::SessionFolders;

/// How long the first message waits for the state that the session begins with to be recorded.
const BEGIN_WAIT: Duration = Duration::from_secs(2);
/// The longest comparison of a folder whose files are still recorded before each message.
const MARKED: Duration = Duration::from_secs(1);
/// How long a message waits for the files to be recorded as they are before it. Only a busy machine takes that long.
const MARK_WAIT: Duration = Duration::from_secs(3);
/// How long to wait after a tool call before comparing, so that several calls are compared once.
const SETTLE: Duration = Duration::from_millis(400);
/// How much longer than the one before a comparison counts at most.
const SLOWER: u32 = 2;
/// How much longer than a comparison took to wait before the next one.
const REST: u32 = 3;
/// The longest wait between two comparisons.
const LONGEST_REST: Duration = Duration::from_secs(60);

/// The first and the last moment that count, in milliseconds.
type Span = (i64, i64);

/// Records and compares the folders of all sessions; cheap to clone.
#[derive(Clone, Debug)]
pub struct Changes {
    folders: SessionFolders,
    writer: mpsc::WeakSender<Input>,
    watched: Arc<Mutex<HashMap<SessionId, Arc<Watched>>>>,
    heads: Arc<Mutex<HashMap<SessionId, Head>>>,
}

#[derive(Debug)]
struct Watched {
    folder: PathBuf,
    tracker: Tracker,
    due: AtomicBool,
    took: Mutex<Duration>,
}

impl Watched {
    /// Notes how long a comparison took. One that takes longer than others because the machine is busy doesn't count whole.
    fn note_duration(&self, now: Duration) {
        let mut took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
        *took = if took.is_zero() { now } else { now.min(*took * SLOWER) };
    }
}

impl Changes {
    pub(crate) fn new(folder: &Path, writer: mpsc::WeakSender<Input>) -> Self {
        Self {
            folders: SessionFolders::new(folder.join("changes")),
            writer,
            watched: Arc::default(),
            heads: Arc::default(),
        }
    }

    /// Records the folder as it is now, unless an earlier run of the session has. Waits for it, but not for long.
    pub(crate) async fn begin(&self, session: SessionId, folder: &Path) {
        let watched = self.watched(session, folder);
        let head = self.read_head(session, folder.to_owned());
        let folders = self.folders.clone();
        let record = tokio::task::spawn_blocking(move || {
            let made =
                folders.create(session).map_err(|error| Unavailable::Failed { error: error.to_string() });
            if let Err(error) = made.and_then(|()| watched.tracker.begin()) {
                tracing::info!(%session, %error, "the changes of a session can't be shown");
            }
        });
        let both = async { tokio::join!(head, record) };
        if tokio::time::timeout(BEGIN_WAIT, both).await.is_err() {
            tracing::info!(%session, "a folder is still being read while its session starts");
        }
    }

    /// Compares a session's folder soon, because its agent may have changed it.
    pub fn note(&self, session: SessionId) {
        let Some(watched) = self.known(session) else { return };
        if watched.due.swap(true, Ordering::AcqRel) {
            return;
        }
        let changes = self.clone();
        tokio::spawn(async move {
            let took = *watched.took.lock().unwrap_or_else(PoisonError::into_inner);
            tokio::time::sleep((took * REST).clamp(SETTLE, LONGEST_REST)).await;
            watched.due.store(false, Ordering::Release);
            changes.read_head(session, watched.folder.clone()).await;
            // The list shows why, once the user opens it.
            let _ = changes.compare(session, watched).await;
        });
    }

    /// Records the files as they are before a message, so that they can be put back to it. Waits for it, but not for long; what
    /// isn't recorded by then may already hold changes of the agent, and is not kept.
    pub(crate) async fn mark(&self, session: SessionId, at: Timestamp) {
        let Some(watched) = self.known(session) else { return };
        if *watched.took.lock().unwrap_or_else(PoisonError::into_inner) > MARKED {
            return;
        }
        let abandoned = Arc::new(AtomicBool::new(false));
        let is_abandoned = Arc::clone(&abandoned);
        let mark = move || {
            if let Err(error) = watched.tracker.mark(at.millis(), || is_abandoned.load(Ordering::Acquire)) {
                tracing::info!(%session, %error, "the files can't be put back to this message");
            }
        };
        if tokio::time::timeout(MARK_WAIT, tokio::task::spawn_blocking(mark)).await.is_err() {
            abandoned.store(true, Ordering::Release);
            tracing::info!(%session, "recording the files took too long, so they can't be put back to this message");
        }
    }

    /// Lists the files that have changed since a message was sent within a span. None if they weren't recorded then.
    pub(crate) async fn since(
        &self,
        session: SessionId,
        folder: &Path,
        span: Span,
    ) -> Result<Option<FilesSince>, Unavailable> {
        let watched = self.watched(session, folder);
        blocking(move || watched.tracker.since(span)).await
    }

    /// Puts the files back to how they were before a message, if they still are as they were listed.
    pub(crate) async fn put_back(
        &self,
        session: SessionId,
        folder: &Path,
        span: Span,
        state: u32,
    ) -> Result<PutBack, RevertRefused> {
        let watched = self.watched(session, folder);
        let put_back = move || Ok(watched.tracker.put_back(span, state));
        let done = blocking(put_back).await.map_err(|why| RevertRefused::Unavailable { why })?;
        self.note(session);
        done
    }

    pub async fn list(&self, session: SessionId, folder: &Path) -> Result<ChangedFiles, Unavailable> {
        self.read_head(session, folder.to_owned()).await;
        self.compare(session, self.watched(session, folder)).await
    }

    /// Reads both sides of a listed file.
    pub async fn read(
        &self,
        session: SessionId,
        folder: &Path,
        id: String,
        version: String,
    ) -> Result<FileChange, Unavailable> {
        let watched = self.watched(session, folder);
        blocking(move || watched.tracker.read(&id, &version)).await
    }

    /// Puts back what a listed file held before, or one part of it.
    pub async fn revert(
        &self,
        session: SessionId,
        folder: &Path,
        id: String,
        version: String,
        part: Option<ShownPart>,
    ) -> Result<(), RevertRefused> {
        let watched = self.watched(session, folder);
        let revert = move || Ok(watched.tracker.revert(&id, &version, part));
        let reverted = blocking(revert).await.map_err(|why| RevertRefused::Unavailable { why })?;
        self.note(session);
        reverted
    }

    /// Returns the sums that were known for a session when it was last compared.
    pub(crate) fn totals(&self, session: SessionId) -> Option<ChangeTotals> {
        Tracker::new(PathBuf::new(), self.folders.of(session)).totals()
    }

    /// Returns what is checked out in a session's folder, as it was read last.
    pub fn head(&self, session: SessionId) -> Option<Head> {
        self.heads.lock().unwrap_or_else(PoisonError::into_inner).get(&session).cloned()
    }

    /// Reads what is checked out in a session's folder, and publishes it if it is something else.
    pub async fn read_head(&self, session: SessionId, folder: PathBuf) {
        let Ok(head) = tokio::task::spawn_blocking(move || askdesk_worktrees::head(&folder)).await else {
            return;
        };
        if let (Some(input), Some(writer)) = (self.note_head(session, head), self.writer.upgrade()) {
            let _ = writer.send(input).await;
        }
    }

    /// Reads what is checked out in the folders of all sessions. A folder may be on a disk that doesn't answer, so this has a
    /// thread of its own.
    pub(crate) fn read_heads(&self, folders: Vec<(SessionId, PathBuf)>) -> std::io::Result<()> {
        let changes = self.clone();
        let read = move || {
            for (session, folder) in folders {
                let head = askdesk_worktrees::head(&folder);
                let Some(writer) = changes.writer.upgrade() else { return };
                if let Some(input) = changes.note_head(session, head) {
                    let _ = writer.blocking_send(input);
                }
            }
        };
        std::thread::Builder::new().name("heads".to_owned()).spawn(read).map(drop)
    }

    /// Remembers a head; returns what to publish if it is another one.
    fn note_head(&self, session: SessionId, head: Option<Head>) -> Option<Input> {
        let mut heads = self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match &head {
            Some(head) => heads.insert(session, head.clone()),
            None => heads.remove(&session),
        };
        (before != head).then_some(Input::CheckedOut { session, head })
    }

    async fn compare(&self, session: SessionId, watched: Arc<Watched>) -> Result<ChangedFiles, Unavailable> {
        let began = Instant::now();
        let again = Arc::clone(&watched);
        let listed = blocking(move || again.tracker.list()).await;
        watched.note_duration(began.elapsed());
        if let (Ok(listed), Some(writer)) = (&listed, self.writer.upgrade()) {
            let _ = writer.send(Input::FilesChanged { session, totals: listed.totals }).await;
        }
        listed
    }

    fn watched(&self, session: SessionId, folder: &Path) -> Arc<Watched> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || {
            let tracker = Tracker::new(folder.to_owned(), self.folders.of(session));
            Arc::new(Watched {
                folder: folder.to_owned(),
                tracker,
                due: AtomicBool::new(false),
                took: Mutex::default(),
            })
        };
        Arc::clone(watched.entry(session).or_insert_with(new))
    }

    fn known(&self, session: SessionId) -> Option<Arc<Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).get(&session).cloned()
    }

    /// Lets what was recorded of a session's folder follow the folder to another place. What can't follow is recorded anew
    /// when the session is resumed.
    pub(crate) async fn follow(&self, session: SessionId, to: PathBuf) {
        let watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner).remove(&session);
        let folders = self.folders.clone();
        let head = to.clone();
        let follow = move || {
            drop(watched);
            match askdesk_changes::relocate(&folders.of(session), &to) {
                Ok(true) => return,
                Ok(false) => tracing::info!(%session, "the changes of a session can't follow its folder"),
                Err(error) => {
                    tracing::info!(%session, %error, "the changes of a session can't follow its folder")
                }
            }
            folders.remove(session);
        };
        let _ = tokio::task::spawn_blocking(follow).await;
        self.read_head(session, head).await;
    }

    pub(crate) const fn folders(&self) -> &SessionFolders {
        &self.folders
    }

    /// Removes what was recorded for a session.
    pub(crate) fn remove(&self, session: SessionId) {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).remove(&session);
        self.heads.lock().unwrap_or_else(PoisonError::into_inner).remove(&session);
        self.folders.remove(session);
    }
}

async fn blocking<T: Send + 'static>(
    run: impl FnOnce() -> Result<T, Unavailable> + Send + 'static,
) -> Result<T, Unavailable> {
    let ran = tokio::task::spawn_blocking(run).await;
    ran.unwrap_or_else(|error| Err(Unavailable::Failed { error: error.to_string() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_comparison_does_not_stop_the_records_before_messages() {
        let tracker = Tracker::new(PathBuf::new(), PathBuf::new());
        let watched =
            Watched { folder: PathBuf::new(), tracker, due: AtomicBool::new(false), took: Mutex::default() };
        let is_recorded = |watched: &Watched| *watched.took.lock().unwrap() <= MARKED;
        watched.note_duration(MARKED / 10);
        watched.note_duration(MARKED * 60);
        assert!(is_recorded(&watched));
        for _ in 0..5 {
            watched.note_duration(MARKED * 60);
        }
        assert!(!is_recorded(&watched), "a folder that has become huge is left out");
    }
}
