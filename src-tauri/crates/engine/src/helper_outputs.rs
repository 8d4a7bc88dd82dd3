//! What the helpers of running sessions have put out, for whoever looks. It is kept while they work, and nowhere stored.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use askdesk_agents::Secrets;
use askdesk_contract::{HelperOutput, OUTPUT_BYTES};
use askdesk_domain::helper::HELPERS;
use askdesk_domain::{HelperId, SessionId};

use crate::slow_files::{FILES_LIMIT, on_slow_files};

#[derive(Clone, Debug, Default)]
pub(crate) struct HelperOutputs(Arc<Mutex<HashMap<SessionId, HashMap<HelperId, Source>>>>);

#[derive(Clone, Debug)]
enum Source {
    /// What the agent told of it.
    Told(Tail),
    /// The file that the agent says it writes to, and what is struck out of it.
    File(PathBuf, Secrets),
}

/// The end of a growing text.
#[derive(Clone, Debug, Default)]
struct Tail {
    text: String,
    is_cut: bool,
}

impl HelperOutputs {
    pub(crate) fn begin(&self, session: SessionId, helper: HelperId) {
        let mut known = self.known();
        let known = known.entry(session).or_default();
        if known.len() < HELPERS {
            known.entry(helper).or_insert_with(|| Source::Told(Tail::default()));
        }
    }

    pub(crate) fn add(&self, session: SessionId, helper: &HelperId, text: &str) {
        if let Some(Source::Told(tail)) =
            self.known().get_mut(&session).and_then(|known| known.get_mut(helper))
        {
            tail.add(text);
        }
    }

    pub(crate) fn set_file(&self, session: SessionId, helper: &HelperId, path: PathBuf, secrets: Secrets) {
        if let Some(source) = self.known().get_mut(&session).and_then(|known| known.get_mut(helper)) {
            *source = Source::File(path, secrets);
        }
    }

    pub(crate) fn end(&self, session: SessionId, helper: &HelperId) {
        if let Some(known) = self.known().get_mut(&session) {
            known.remove(helper);
        }
    }

    pub(crate) fn end_all(&self, session: SessionId) {
        self.known().remove(&session);
    }

    pub(crate) async fn read(&self, session: SessionId, helper: &HelperId) -> HelperOutput {
        let source = self.known().get(&session).and_then(|known| known.get(helper)).cloned();
        match source {
            None => HelperOutput::Gone,
            Some(Source::Told(Tail { text, is_cut })) => HelperOutput::Written { text, is_cut },
            Some(Source::File(path, secrets)) => {
                let shown = path.display().to_string();
                match on_slow_files(FILES_LIMIT, move || end_of(&path)).await {
                    Some(Ok(Tail { mut text, is_cut })) => {
                        secrets.strike(&mut text);
                        HelperOutput::Written { text, is_cut }
                    }
                    Some(Err(error)) => HelperOutput::Unreadable { path: shown, error: error.to_string() },
                    None => {
                        HelperOutput::Unreadable { path: shown, error: io::ErrorKind::TimedOut.to_string() }
                    }
                }
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<SessionId, HashMap<HelperId, Source>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tail {
    fn add(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
        if self.text.len() > OUTPUT_BYTES {
            let mut begin = self.text.len() - OUTPUT_BYTES;
            while !self.text.is_char_boundary(begin) {
                begin += 1;
            }
            self.text.drain(..begin);
            self.is_cut = true;
        }
    }
}

/// Reads the end of a file, which must be one itself: what a link or a device would lead to is nobody's output.
fn end_of(path: &Path) -> io::Result<Tail> {
    let no_file = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    if !path.symlink_metadata()?.is_file() {
        return Err(no_file());
    }
    let mut file = open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(no_file());
    }
    let most = OUTPUT_BYTES as u64;
    let begin = metadata.len().saturating_sub(most);
    file.seek(SeekFrom::Start(begin))?;
    let mut read = Vec::new();
    file.take(most).read_to_end(&mut read)?;
    let is_cut = begin > 0;
    // The first line is cut at any byte.
    let line = read.iter().position(|byte| *byte == b'\n').filter(|_| is_cut).map_or(0, |end| end + 1);
    let text = String::from_utf8_lossy(read.get(line..).unwrap_or_default()).into_owned();
    Ok(Tail { text, is_cut })
}

/// Follows no link, and doesn't wait for the writer of a pipe.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    File::options().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> (SessionId, HelperId) {
        (SessionId::new(uuid::Uuid::from_u128(1)), HelperId::literal("b1"))
    }

    fn written(text: &str, is_cut: bool) -> HelperOutput {
        HelperOutput::Written { text: text.to_owned(), is_cut }
    }

    #[tokio::test]
    async fn what_was_told_is_kept_while_the_helper_works() {
        let (outputs, (session, helper)) = (HelperOutputs::default(), ids());
        outputs.add(session, &helper, "before its time");
        assert_eq!(outputs.read(session, &helper).await, HelperOutput::Gone);
        outputs.begin(session, helper.clone());
        assert_eq!(outputs.read(session, &helper).await, written("", false));
        outputs.add(session, &helper, "I look.");
        outputs.add(session, &helper, "I found it.");
        assert_eq!(outputs.read(session, &helper).await, written("I look.\nI found it.", false));
        outputs.end(session, &helper);
        assert_eq!(outputs.read(session, &helper).await, HelperOutput::Gone);
    }

    #[tokio::test]
    async fn of_a_long_output_the_end_is_kept() {
        let (outputs, (session, helper)) = (HelperOutputs::default(), ids());
        outputs.begin(session, helper.clone());
        outputs.add(session, &helper, &"ä".repeat(OUTPUT_BYTES));
        outputs.add(session, &helper, "the end");
        let HelperOutput::Written { text, is_cut } = outputs.read(session, &helper).await else { panic!() };
        assert!(is_cut && text.len() <= OUTPUT_BYTES && text.ends_with("ä\nthe end"));

        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("{}\nlast line\n", "x".repeat(OUTPUT_BYTES))).unwrap();
        outputs.set_file(session, &helper, file.path().to_owned(), Secrets::default());
        assert_eq!(outputs.read(session, &helper).await, written("last line\n", true));
        std::fs::write(file.path(), "short\n").unwrap();
        assert_eq!(outputs.read(session, &helper).await, written("short\n", false));
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_link_a_folder_and_a_missing_file_are_not_read() {
        let (outputs, (session, helper)) = (HelperOutputs::default(), ids());
        outputs.begin(session, helper.clone());
        let folder = tempfile::tempdir().unwrap();
        let (secret, link) = (folder.path().join("secret"), folder.path().join("b1.output"));
        std::fs::write(&secret, "secret").unwrap();
        std::os::unix::fs::symlink(&secret, &link).unwrap();
        for path in [link, folder.path().to_owned(), folder.path().join("missing")] {
            outputs.set_file(session, &helper, path, Secrets::default());
            let read = outputs.read(session, &helper).await;
            assert!(matches!(read, HelperOutput::Unreadable { .. }), "{read:?}");
        }
    }
}
