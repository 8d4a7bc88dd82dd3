//! A folder, mostly with a repository, and the tracker of a session in it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::git_folder;
use askdesk_changes::Tracker;
use askdesk_contract::{ChangeKind, ChangedFile, ChangedFiles, Content, FileChange};
use tempfile::TempDir;

pub struct Desk {
    root: TempDir,
}

impl Desk {
    /// An empty folder.
    pub fn new() -> Self {
        let root = TempDir::new().unwrap();
        fs::create_dir(root.path().join("work")).unwrap();
        Self { root }
    }

    /// A folder with a repository that has no commit.
    pub fn with_repository() -> Self {
        let desk = Self::new();
        desk.git(&["init", "-q", "-b", "main"]);
        desk
    }

    /// A repository with one commit of these files.
    pub fn with_commit(files: &[(&str, &[u8])]) -> Self {
        let desk = Self::with_repository();
        for (path, content) in files {
            desk.write(path, content);
        }
        desk.commit("first");
        desk
    }

    pub fn folder(&self) -> PathBuf {
        self.root.path().join("work")
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder().join(path)
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        git_folder::write(&self.folder(), path, content);
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.path(path)).unwrap();
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub fn commit(&self, message: &str) {
        git_folder::commit(&self.folder(), message);
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        git_folder::git(&self.folder(), arguments)
    }

    /// A tracker of the folder, whose baseline is not recorded.
    pub fn tracker_of(&self, folder: &Path) -> Tracker {
        let store = self.root.path().join("data/changes/session");
        fs::create_dir_all(&store).unwrap();
        Tracker::new(folder.to_owned(), store)
    }

    /// A tracker that has recorded the folder as it is.
    pub fn begun(&self) -> Tracker {
        let tracker = self.tracker_of(&self.folder());
        tracker.begin().unwrap();
        tracker
    }
}

/// Each file as `path kind +added -removed`.
pub fn summary(listing: &ChangedFiles) -> Vec<String> {
    listing.files.iter().map(line).collect()
}

fn line(file: &ChangedFile) -> String {
    let kind = match file.kind {
        ChangeKind::Added => "added",
        ChangeKind::Modified => "modified",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Renamed => "renamed",
        ChangeKind::Permissions => "permissions",
    };
    let from = file.old_path.as_ref().map(|path| format!(" from {path}")).unwrap_or_default();
    let content = match file.content {
        Content::Text => String::new(),
        other => format!(" {other:?}"),
    };
    let count =
        |sign: char, count: Option<u32>| count.map(|count| format!(" {sign}{count}")).unwrap_or_default();
    format!("{} {kind}{from}{content}{}{}", file.path, count('+', file.added), count('-', file.removed))
}

/// Lists the changes, and compares them with what is expected.
#[track_caller]
pub fn check(tracker: &Tracker, expected: &[&str]) {
    assert_eq!(summary(&tracker.list().unwrap()), expected);
}

pub fn read(tracker: &Tracker, path: &str) -> FileChange {
    let listing = tracker.list().unwrap();
    let file = listing.files.iter().find(|file| file.path == path).expect("the file has not changed");
    tracker.read(&file.id, &file.version).unwrap()
}
