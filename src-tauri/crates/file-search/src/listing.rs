//! The files and folders below a folder, and those among them that a query means.

use std::cmp::Reverse;
use std::num::NonZero;
use std::path::Path;
use std::thread;

use ignore::WalkBuilder;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// How many files and folders are listed; of more, those that come first.
pub const LISTED_FILES: usize = 500_000;

/// How many paths a thread compares at least, so that starting it pays.
const LEAST_PART: usize = 20_000;

/// Folders in which version control keeps its own files.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// The paths below a folder, relative to it, with `/` between names. The path of a folder ends in `/`.
#[derive(Debug, Default)]
pub struct Listing {
    paths: Vec<Box<str>>,
    /// Whether there is more than is listed.
    pub is_cut: bool,
}

impl Listing {
    /// Lists what is below a folder, except what ignore rules leave out. Links are not followed.
    ///
    /// A folder that can't be read is left out, as is a name that is not Unicode, because no message could name it.
    pub fn read(root: &Path, most: usize) -> Self {
        let mut walk = WalkBuilder::new(root);
        walk.hidden(false)
            .require_git(false)
            .filter_entry(|entry| !VERSION_CONTROL.iter().any(|name| entry.file_name() == *name));
        let mut listing = Self::default();
        for entry in walk.build().flatten().filter(|entry| entry.depth() > 0) {
            let Some(path) = entry.path().strip_prefix(root).ok().and_then(Path::to_str) else { continue };
            if listing.paths.len() == most {
                listing.is_cut = true;
                break;
            }
            let mut path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
            if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                path.push('/');
            }
            listing.paths.push(path.into_boxed_str());
        }
        listing
            .paths
            .sort_unstable_by(|one, other| depth(one).cmp(&depth(other)).then_with(|| one.cmp(other)));
        listing
    }

    /// Returns the paths that a query means best, the best first. An empty one means what is at the top.
    ///
    /// The letters of the query may have others between them. Upper and lower case are the same, and accents count only
    /// where the query has them.
    pub fn find(&self, query: &str, most: usize) -> Vec<&str> {
        if query.is_empty() {
            return self.paths.iter().take(most).map(|path| &**path).collect();
        }
        let pattern = Pattern::new(query, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let part = self.paths.len().div_ceil(threads).max(LEAST_PART);
        let mut scored: Vec<Scored<'_>> = thread::scope(|scope| {
            let parts: Vec<_> =
                self.paths.chunks(part).map(|paths| scope.spawn(|| best(&pattern, paths, most))).collect();
            parts.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
        });
        scored.sort_unstable();
        scored.into_iter().take(most).map(|(_, _, path)| path).collect()
    }

    pub const fn len(&self) -> usize {
        self.paths.len()
    }

    pub const fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }
}

/// A better score comes first, then a shorter path.
type Scored<'a> = (Reverse<u32>, usize, &'a str);

/// Returns the best matches among some paths, in any order.
fn best<'a>(pattern: &Pattern, paths: &'a [Box<str>], most: usize) -> Vec<Scored<'a>> {
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let mut letters = Vec::new();
    let scored = paths.iter().filter_map(|path| {
        let score = pattern.score(Utf32Str::new(path, &mut letters), &mut matcher)?;
        Some((Reverse(score), path.len(), &**path))
    });
    let mut scored: Vec<_> = scored.collect();
    if scored.len() > most {
        scored.select_nth_unstable(most);
        scored.truncate(most);
    }
    scored
}

fn depth(path: &str) -> usize {
    path.trim_end_matches('/').matches('/').count()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rstest::rstest;
    use tempfile::TempDir;

    use super::*;

    fn folder(files: &[&str]) -> TempDir {
        let folder = TempDir::new().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    #[test]
    fn what_ignore_rules_leave_out_is_not_listed_and_hidden_files_are() {
        let folder = folder(&[".github/ci.yml", "src/main.rs", "target/main.o", "notes.log", ".git/HEAD"]);
        fs::write(folder.path().join(".gitignore"), "target/\n*.log\n").unwrap();
        let listing = Listing::read(folder.path(), LISTED_FILES);
        let expected = [".github/", ".gitignore", "src/", ".github/ci.yml", "src/main.rs"];
        assert_eq!(listing.find("", 10), expected);
        assert!(!listing.is_cut);
    }

    #[rstest]
    #[case::a_name("main", "src/main.rs")]
    #[case::letters_of_several_names("smain", "src/main.rs")]
    #[case::upper_case("MAIN", "src/main.rs")]
    #[case::a_path("src/ma", "src/main.rs")]
    #[case::without_the_accent("resume", "docs/résumé.md")]
    #[case::another_script("日本", "docs/日本語.md")]
    #[case::a_folder("docs", "docs/")]
    fn the_best_match_comes_first(#[case] query: &str, #[case] expected: &str) {
        let folder =
            folder(&["src/main.rs", "src/domain/index.rs", "docs/résumé.md", "docs/日本語.md", "s/x/m.txt"]);
        let listing = Listing::read(folder.path(), LISTED_FILES);
        assert_eq!(listing.find(query, 10).first(), Some(&expected));
    }

    #[test]
    fn no_more_is_listed_or_found_than_asked_for() {
        let folder = folder(&["a1", "a2", "a3"]);
        let listing = Listing::read(folder.path(), 2);
        assert_eq!((listing.len(), listing.is_cut), (2, true));
        assert_eq!(Listing::read(folder.path(), 3).find("a", 2).len(), 2);
        assert!(Listing::read(folder.path(), 3).find("b", 2).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_folder_above_is_listed_and_not_followed() {
        let folder = folder(&["a"]);
        std::os::unix::fs::symlink(folder.path(), folder.path().join("up")).unwrap();
        assert_eq!(Listing::read(folder.path(), LISTED_FILES).find("", 10), ["a", "up"]);
    }
}
