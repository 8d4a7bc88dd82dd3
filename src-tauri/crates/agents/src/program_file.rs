//! The file of a running program, which an update may replace or remove.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// How long a file system may take to say what it has; a file that isn't seen in time counts as the same.
const LIMIT: Duration = Duration::from_secs(2);

/// The file that a program is started from, behind all links.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProgramFile {
    path: PathBuf,
    mark: Option<Mark>,
}

/// Tells a file from another one at the same place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Mark {
    bytes: u64,
    modified: Option<SystemTime>,
    created: Option<SystemTime>,
    number: u64,
}

impl Mark {
    fn of(file: &Metadata) -> Self {
        let created = file.created().ok();
        // Some file systems number their files anew, so numbers count only where no file has a time of its creation.
        let number = if created.is_none() { number(file) } else { 0 };
        Self { bytes: file.len(), modified: file.modified().ok(), created, number }
    }
}

#[cfg(unix)]
fn number(file: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(file)
}

#[cfg(not(unix))]
const fn number(_: &Metadata) -> u64 {
    0
}

impl ProgramFile {
    /// Looks at the file that a program has now.
    pub(crate) async fn look_at(program: &Path) -> Self {
        let named = program.to_owned();
        let look = move || {
            let path = dunce::canonicalize(&named).unwrap_or(named);
            let mark = fs::metadata(&path).ok().map(|file| Mark::of(&file));
            Self { path, mark }
        };
        let seen = timeout(LIMIT, spawn_blocking(look)).await;
        seen.ok().and_then(Result::ok).unwrap_or_else(|| Self { path: program.to_owned(), mark: None })
    }

    /// Whether the file has been removed, or another one is in its place. What runs from it can't start it again.
    pub(crate) async fn is_gone(&self) -> bool {
        let Self { path, mark: Some(mark) } = self.clone() else { return false };
        let look = move || match fs::metadata(path) {
            Ok(file) => Mark::of(&file) != mark,
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        };
        timeout(LIMIT, spawn_blocking(look)).await.is_ok_and(|seen| seen.unwrap_or(false))
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[tokio::test]
    async fn a_program_is_gone_once_its_file_is_removed_or_replaced_and_not_while_only_its_link_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new, link) =
            (folder.path().join("1.0"), folder.path().join("1.1"), folder.path().join("program"));
        fs::write(&old, "one").unwrap();
        symlink(&old, &link).unwrap();
        let first = ProgramFile::look_at(&link).await;
        assert!(first == ProgramFile::look_at(&link).await && !first.is_gone().await);

        fs::write(&new, "two").unwrap();
        fs::remove_file(&link).unwrap();
        symlink(&new, &link).unwrap();
        let second = ProgramFile::look_at(&link).await;
        assert!(first != second && !first.is_gone().await, "the old version is still there");
        fs::remove_file(&old).unwrap();
        assert!(first.is_gone().await && !second.is_gone().await);

        // Of the same size, and written in the same tick of the clock: only its own time tells it apart.
        let next = folder.path().join("next");
        fs::write(&next, "2nd").unwrap();
        fs::File::options().write(true).open(&next).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        fs::rename(&next, &new).unwrap();
        assert!(second.is_gone().await && second != ProgramFile::look_at(&link).await);
        let missing = ProgramFile::look_at(&old).await;
        assert!(!missing.is_gone().await, "what was never there isn't gone");
    }
}
