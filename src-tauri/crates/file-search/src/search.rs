//! The folders in which files were looked for last.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nucleo::pattern::{CaseMatching, Normalization};
use nucleo::{Config, Nucleo};

use crate::walk::Walk;

/// How many folders are remembered.
const FOLDERS: usize = 4;
/// What was read longer ago than this is read again while it still answers.
const FRESH: Duration = Duration::from_secs(5);
/// What was read answers for at least so many times as long as reading it took, so that a large folder isn't read all the time.
const READING: u32 = 100;
/// How long a query waits for a folder that is being read.
const WAIT: Duration = Duration::from_millis(200);
const TICK: u64 = 10;

/// Finds files below folders. Clones share what was read.
#[derive(Clone, Debug)]
pub struct FileSearch {
    folders: Arc<Mutex<VecDeque<Folder>>>,
    fresh: Duration,
}

impl Default for FileSearch {
    fn default() -> Self {
        Self { folders: Arc::default(), fresh: FRESH }
    }
}

/// What a query means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundFiles {
    /// Relative to the folder, with `/` between names, the best match first. The path of a folder ends in `/`.
    pub paths: Vec<String>,
    /// Whether the folder has more files than were looked at.
    pub is_cut: bool,
    /// Whether the folder is still being read, so that the same query may find more later.
    pub is_reading: bool,
}

impl FileSearch {
    /// Returns the paths below a folder that a query means best. An empty one means what is at the top.
    ///
    /// The letters of the query may have others between them. Upper and lower case are the same, and accents count only where the query
    /// has them. Blocks for at most 200 ms.
    pub fn find(&self, folder: &Path, query: &str, most: usize) -> FoundFiles {
        let mut folders = self.folders();
        let known = folders.iter().position(|known| known.path == folder);
        let mut found = known.and_then(|at| folders.remove(at)).unwrap_or_else(|| Folder::new(folder));
        let answer = found.find(query, most, self.fresh);
        if folders.len() == FOLDERS {
            folders.pop_front();
        }
        folders.push_back(found);
        answer
    }

    fn folders(&self) -> MutexGuard<'_, VecDeque<Folder>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Folder {
    path: PathBuf,
    now: Listing,
    /// Replaces the one that answers once it is done.
    next: Option<Listing>,
}

impl Folder {
    fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), now: Listing::read(path), next: None }
    }

    fn find(&mut self, query: &str, most: usize, fresh: Duration) -> FoundFiles {
        if let Some(next) = self.next.take_if(|next| next.walk.is_done()) {
            self.now = next;
        }
        let goes_on = self.next.as_ref().is_none_or(|next| next.walk.ask());
        if !goes_on || (self.next.is_none() && self.now.is_old(fresh)) {
            self.next = Some(Listing::read(&self.path));
        }
        if !self.now.walk.ask() {
            self.now = Listing::read(&self.path);
        }
        self.now.find(query, most)
    }
}

impl std::fmt::Debug for Folder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Folder").field("path", &self.path).finish_non_exhaustive()
    }
}

/// What one walk has found, and its matcher. Dropping it ends the walk.
struct Listing {
    walk: Arc<Walk>,
    matcher: Nucleo<()>,
    query: String,
}

impl Listing {
    fn read(folder: &Path) -> Self {
        let matcher = Nucleo::new(Config::DEFAULT.match_paths(), Arc::new(|| {}), None, 1);
        Self { walk: Walk::start(folder, matcher.injector()), matcher, query: String::new() }
    }

    fn is_old(&self, fresh: Duration) -> bool {
        self.walk.ended().is_some_and(|(took, since)| since > fresh.max(took * READING))
    }

    fn find(&mut self, query: &str, most: usize) -> FoundFiles {
        let extends = query.starts_with(&self.query);
        let pattern = &mut self.matcher.pattern;
        pattern.reparse(0, &literal(query), CaseMatching::Ignore, Normalization::Smart, extends);
        query.clone_into(&mut self.query);
        let began = Instant::now();
        loop {
            // Asked first: what is found between the two is in the next tick.
            let is_done = self.walk.is_done();
            let is_matching = self.matcher.tick(TICK).running;
            let is_reading = !is_done || is_matching;
            if !is_reading || began.elapsed() > WAIT {
                let matched = self.matcher.snapshot();
                let count = matched.matched_item_count().min(u32::try_from(most).unwrap_or(u32::MAX));
                let paths = matched.matched_items(..count).map(|item| item.matcher_columns[0].to_string());
                return FoundFiles { paths: paths.collect(), is_cut: self.walk.is_cut(), is_reading };
            }
        }
    }
}

impl Drop for Listing {
    fn drop(&mut self) {
        self.walk.stop();
    }
}

/// Takes the signs that a pattern has for *not*, *begins*, *ends*, and *exactly* as letters.
fn literal(query: &str) -> String {
    let words = query.split(' ').map(|word| {
        let sign = if word.starts_with(['!', '^', '\'']) { "\\" } else { "" };
        let word = word.strip_suffix('$').map_or_else(|| word.to_owned(), |start| format!("{start}\\$"));
        format!("{sign}{word}")
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rstest::rstest;
    use tempfile::TempDir;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    fn folder(files: &[&str]) -> TempDir {
        let folder = TempDir::new().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    /// Asks until the folder is read.
    fn whole(search: &FileSearch, folder: &Path, query: &str, most: usize) -> FoundFiles {
        let began = Instant::now();
        loop {
            let found = search.find(folder, query, most);
            if !found.is_reading {
                return found;
            }
            assert!(began.elapsed() < PATIENCE, "{} is still being read", folder.display());
        }
    }

    fn found(folder: &Path, query: &str) -> Vec<String> {
        whole(&FileSearch::default(), folder, query, 10).paths
    }

    #[test]
    fn what_ignore_rules_leave_out_is_not_found_and_hidden_files_are() {
        let folder = folder(&[".github/ci.yml", "src/main.rs", "target/main.o", "notes.log", ".git/HEAD"]);
        fs::write(folder.path().join(".gitignore"), "target/\n*.log\n").unwrap();
        let expected = [".github/", ".gitignore", "src/", ".github/ci.yml", "src/main.rs"];
        assert_eq!(found(folder.path(), ""), expected);
    }

    #[rstest]
    #[case::a_name("main", "src/main.rs")]
    #[case::letters_of_several_names("smain", "src/main.rs")]
    #[case::upper_case("MAIN", "src/main.rs")]
    #[case::a_path("src/ma", "src/main.rs")]
    #[case::without_the_accent("resume", "docs/résumé.md")]
    #[case::another_script("日本", "docs/日本語.md")]
    #[case::a_folder("docs", "docs/")]
    #[case::a_sign_at_the_end("x$", "s/x$")]
    #[case::a_sign_at_the_beginning("!no", "s/!no")]
    fn the_best_match_comes_first(#[case] query: &str, #[case] expected: &str) {
        let folder = folder(&[
            "src/main.rs",
            "src/domain/index.rs",
            "docs/résumé.md",
            "docs/日本語.md",
            "s/x/m.txt",
            "s/x$",
            "s/!no",
        ]);
        assert_eq!(found(folder.path(), query).first().map(String::as_str), Some(expected));
    }

    #[test]
    fn each_letter_of_a_query_narrows_what_is_found_and_deleting_one_widens_it() {
        let folder = folder(&["alpha", "album", "beta"]);
        let search = FileSearch::default();
        let count = |query: &str| whole(&search, folder.path(), query, 10).paths.len();
        assert_eq!(["", "a", "al", "alp", "al", "b"].map(count), [3, 3, 2, 1, 2, 2]);
        assert_eq!(whole(&search, folder.path(), "a", 2).paths.len(), 2);
    }

    #[test]
    fn a_new_file_is_found_once_the_folder_is_read_again() {
        let folder = folder(&["a"]);
        let search = FileSearch { fresh: Duration::ZERO, ..FileSearch::default() };
        assert_eq!(whole(&search, folder.path(), "", 10).paths, ["a"]);
        fs::write(folder.path().join("b"), "").unwrap();
        let began = Instant::now();
        while whole(&search, folder.path(), "", 10).paths != ["a", "b"] {
            assert!(began.elapsed() < PATIENCE, "it was not read again");
        }
    }

    #[test]
    fn only_the_folders_used_last_are_kept_and_the_walk_of_another_ends() {
        let search = FileSearch::default();
        let folders: Vec<_> = (0..=FOLDERS).map(|_| TempDir::new().unwrap()).collect();
        search.find(folders[0].path(), "", 1);
        let first = Arc::clone(&search.folders()[0].now.walk);
        for folder in &folders[1..] {
            search.find(folder.path(), "", 1);
        }
        assert_eq!(search.folders().len(), FOLDERS);
        assert!(!first.ask(), "its walk goes on");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_folder_above_is_found_and_not_followed() {
        let folder = folder(&["a"]);
        std::os::unix::fs::symlink(folder.path(), folder.path().join("up")).unwrap();
        assert_eq!(found(folder.path(), ""), ["a", "up"]);
    }

    #[rstest]
    #[case::many_wildcards(&"*.x?\n".repeat(60_000))]
    #[case::a_large_file(&"a\n".repeat(200_000))]
    fn case_150_hostile_ignore_rules_are_not_followed_and_that_is_said(#[case] rules: &str) {
        let folder = folder(&["src/main.rs", "hostile/a.rs"]);
        fs::write(folder.path().join("hostile/.gitignore"), rules).unwrap();
        let began = Instant::now();
        let here = whole(&FileSearch::default(), folder.path(), "", 10);
        assert_eq!((here.paths, here.is_cut), (vec!["src/".into(), "src/main.rs".into()], true));
        let inside = whole(&FileSearch::default(), &folder.path().join("hostile"), "", 10);
        assert_eq!((inside.paths, inside.is_cut), (vec![".gitignore".into(), "a.rs".into()], true));
        fs::create_dir(folder.path().join("hostile/below")).unwrap();
        let below = whole(&FileSearch::default(), &folder.path().join("hostile/below"), "", 10);
        assert!(below.is_cut, "the rules of the folder above are not followed, and that is not said");
        assert!(began.elapsed() < PATIENCE);
    }

    #[test]
    fn case_150_a_huge_folder_answers_at_once_and_is_read_by_one_walk() {
        let folder = TempDir::new().unwrap();
        for part in 0..100 {
            let part = folder.path().join(format!("part{part}"));
            fs::create_dir(&part).unwrap();
            for file in 0..300 {
                fs::write(part.join(format!("file{file}.rs")), "").unwrap();
            }
        }
        let search = FileSearch::default();
        for query in ["", "f", "fi", "file", "file2"] {
            let began = Instant::now();
            let found = search.find(folder.path(), query, 10);
            assert!(!found.paths.is_empty() || found.is_reading, "{query}");
            assert!(began.elapsed() < WAIT * 20, "{query} took {:?}", began.elapsed());
        }
        let found = whole(&search, folder.path(), "part42/file299", 1);
        assert_eq!((found.paths, found.is_cut), (vec!["part42/file299.rs".into()], false));
        assert_eq!(search.folders().len(), 1);
    }
}
