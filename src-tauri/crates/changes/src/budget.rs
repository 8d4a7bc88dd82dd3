//! How much one session copies of its folder.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// The largest file whose content is recorded, in bytes.
pub(crate) const FILE_BYTES: u64 = 16 * 1024 * 1024;
/// How many files are copied at most.
pub(crate) const COPIED_FILES: usize = 20_000;
/// How much is copied at most, in bytes.
const COPIED_BYTES: u64 = 512 * 1024 * 1024;

/// What may be copied, once for the state that a session begins with, and once for all that changes later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(crate) files: usize,
    pub(crate) bytes: u64,
}

/// A file whose content may be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Copied {
    pub(crate) path: Vec<u8>,
    pub(crate) bytes: u64,
}

impl Budget {
    pub(crate) const WHOLE: Self = Self { files: COPIED_FILES, bytes: COPIED_BYTES };

    /// What is left of both budgets once a git directory holds what it does. Both count as one, so that what the first leaves
    /// is there for later.
    pub(crate) fn left_for_later(git_dir: &Path) -> Self {
        let mut left = Self { files: COPIED_FILES * 2, bytes: COPIED_BYTES * 2 };
        let folders = fs::read_dir(git_dir.join("objects")).into_iter().flatten().flatten();
        let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
        for file in files {
            left.files = left.files.saturating_sub(1);
            left.bytes = left.bytes.saturating_sub(file.metadata().map_or(0, |metadata| metadata.len()));
        }
        left
    }

    /// Returns whether all of these can be copied.
    pub(crate) fn has_room_for(self, files: &[Copied]) -> bool {
        files.len() <= self.files && files.iter().map(|file| file.bytes).sum::<u64>() <= self.bytes
    }

    /// Divides files into those that can be recorded, and those that can't. What the repository has costs nothing; the rest
    /// goes from small to large, as most of what people write is small.
    pub(crate) fn divide(
        self,
        files: Vec<Copied>,
        in_repository: &HashMap<Vec<u8>, u64>,
    ) -> (Vec<Copied>, Vec<Copied>) {
        let (mut within, mut copied): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|file| in_repository.get(&file.path) == Some(&file.bytes));
        copied.sort_by(|a, b| a.bytes.cmp(&b.bytes).then_with(|| a.path.cmp(&b.path)));
        let mut left = self;
        let first_over = copied.iter().position(|file| {
            let fits = left.files > 0 && left.bytes >= file.bytes;
            left = Self { files: left.files.saturating_sub(1), bytes: left.bytes.saturating_sub(file.bytes) };
            !fits
        });
        let over = copied.split_off(first_over.unwrap_or(copied.len()));
        within.extend(copied);
        (within, over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, bytes: u64) -> Copied {
        Copied { path: path.as_bytes().to_vec(), bytes }
    }

    fn paths(files: &[Copied]) -> Vec<&str> {
        files.iter().map(|file| str::from_utf8(&file.path).unwrap()).collect()
    }

    #[test]
    fn small_files_come_first_and_what_the_repository_has_is_free() {
        let files = vec![file("d", 90), file("b", 50), file("a", 50), file("c", 1), file("edited", 60)];
        let known = HashMap::from([(b"d".to_vec(), 90), (b"edited".to_vec(), 59)]);
        let (within, over) = Budget { files: 10, bytes: 101 }.divide(files.clone(), &known);
        assert_eq!((paths(&within), paths(&over)), (vec!["d", "c", "a", "b"], vec!["edited"]));
        let (within, over) = Budget { files: 1, bytes: 1_000 }.divide(files, &known);
        assert_eq!((paths(&within), paths(&over)), (vec!["d", "c"], vec!["a", "b", "edited"]));
    }
}
