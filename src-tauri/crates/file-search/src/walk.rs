//! Reads the paths below a folder, on a thread of its own.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use nucleo::Injector;

/// How many files and folders are listed; of more, those that come first.
const LISTED_FILES: usize = 500_000;
/// A walk ends if nobody has asked for its files for so long.
const ABANDONED: Duration = Duration::from_secs(20);
/// How many wildcards the ignore rules of a folder may have. The matcher takes about 90 KB of memory for each.
const WILDCARDS: usize = 1_000;
/// How large a file with ignore rules may be, in bytes.
const RULES_BYTES: u64 = 256 * 1024;
/// Folders in which version control keeps its own files.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".jj", ".svn"];
const RULES: [&str; 2] = [".gitignore", ".ignore"];

/// A walk through a folder, as its thread and those who ask see it.
#[derive(Debug)]
pub struct Walk {
    began: Instant,
    /// When somebody asked last, in milliseconds since the beginning.
    asked: AtomicU64,
    is_stopped: AtomicBool,
    is_done: AtomicBool,
    is_cut: AtomicBool,
    took: AtomicU64,
}

impl Walk {
    /// Starts to read a folder. Each path goes to the injector, relative to the folder, with `/` between names; that of a folder ends
    /// in `/`. What ignore rules leave out is left out, and links are not followed.
    pub fn start(folder: &Path, paths: Injector<()>) -> Arc<Self> {
        let walk = Arc::new(Self {
            began: Instant::now(),
            asked: AtomicU64::new(0),
            is_stopped: AtomicBool::new(false),
            is_done: AtomicBool::new(false),
            is_cut: AtomicBool::new(false),
            took: AtomicU64::new(0),
        });
        let (reads, folder) = (Arc::clone(&walk), folder.to_owned());
        std::thread::spawn(move || reads.read(&folder, &paths, LISTED_FILES));
        walk
    }

    /// Notes that somebody asks. Returns false if the walk has ended because nobody did.
    pub fn ask(&self) -> bool {
        self.asked.store(millis(self.began.elapsed()), Ordering::Relaxed);
        !self.is_stopped.load(Ordering::Relaxed)
    }

    /// Ends the walk; what it has found stays.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    pub fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }

    /// Whether there is more than was found.
    pub fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Relaxed)
    }

    /// How long a walk that is done took, and how long ago it ended.
    pub fn ended(&self) -> Option<(Duration, Duration)> {
        let took = Duration::from_millis(self.took.load(Ordering::Relaxed));
        self.is_done().then(|| (took, self.began.elapsed().saturating_sub(took)))
    }

    fn read(self: &Arc<Self>, root: &Path, paths: &Injector<()>, most: usize) {
        let rules = !root.ancestors().any(rules_are_too_large);
        if !rules {
            self.is_cut.store(true, Ordering::Relaxed);
        }
        // What is at the top comes first, because an empty query means that.
        for depth in [Some(1), None] {
            let mut walk = WalkBuilder::new(root);
            let cut = Arc::clone(self);
            walk.hidden(false)
                .require_git(false)
                .parents(rules)
                .ignore(rules)
                .git_ignore(rules)
                .git_global(rules)
                .git_exclude(rules)
                .max_depth(depth)
                .sort_by_file_name(Ord::cmp)
                .filter_entry(move |entry| {
                    let is_own = VERSION_CONTROL.iter().any(|name| entry.file_name() == *name);
                    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                    let is_left_out =
                        !is_own && is_folder && entry.depth() > 0 && rules_are_too_large(entry.path());
                    if is_left_out {
                        cut.is_cut.store(true, Ordering::Relaxed);
                    }
                    !is_own && !is_left_out
                });
            let least = if depth.is_none() { 2 } else { 1 };
            for entry in walk.build().flatten().filter(|entry| entry.depth() >= least) {
                // A name that is not Unicode is left out, because no message could name it.
                let Some(path) = entry.path().strip_prefix(root).ok().and_then(Path::to_str) else {
                    continue;
                };
                if self.is_stopped.load(Ordering::Relaxed) {
                    return;
                }
                let count = paths.injected_items() as usize;
                if count >= most {
                    self.is_cut.store(true, Ordering::Relaxed);
                    break;
                }
                if count.is_multiple_of(1_000) && self.is_abandoned() {
                    return self.stop();
                }
                let mut path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
                if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                    path.push('/');
                }
                paths.push((), |(), columns| columns[0] = path.into());
            }
        }
        self.took.store(millis(self.began.elapsed()), Ordering::Relaxed);
        self.is_done.store(true, Ordering::Release);
    }

    fn is_abandoned(&self) -> bool {
        let asked = Duration::from_millis(self.asked.load(Ordering::Relaxed));
        self.began.elapsed().saturating_sub(asked) > ABANDONED
    }
}

/// Whether following the ignore rules of a folder would take too much memory.
fn rules_are_too_large(folder: &Path) -> bool {
    RULES.iter().any(|name| {
        let file = folder.join(name);
        let Ok(found) = fs::metadata(&file) else { return false };
        let is_large = found.len() > RULES_BYTES;
        // Only a file can be read to its end.
        let read = || if found.is_file() { fs::read(&file).unwrap_or_default() } else { Vec::new() };
        is_large || read().split(|byte| *byte == b'\n').filter(|line| has_wildcard(line)).count() > WILDCARDS
    })
}

fn has_wildcard(rule: &[u8]) -> bool {
    rule.iter().any(|byte| b"*?[".contains(byte))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
