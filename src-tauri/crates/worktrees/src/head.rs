//! The branch that is checked out in a folder, read without running git.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use askdesk_contract::Head;
use askdesk_git::{Git, arguments, program};

/// How many characters of a commit's id are shown.
const COMMIT_CHARS: usize = 8;
/// The largest file that is read, in bytes.
const FILE_BYTES: u64 = 8 * 1024;
/// How long git may take where the files don't say it.
const ASK: Duration = Duration::from_secs(5);
/// What a repository that keeps its references in another format has in their place.
const ELSEWHERE: &str = ".invalid";

/// Reads what is checked out in the repository of a folder; none if the folder has none. It usually reads two small files.
pub fn head(folder: &Path) -> Option<Head> {
    // A folder above may belong to another repository than the one that is gone.
    if !folder.is_dir() {
        return None;
    }
    let git_dir = folder.ancestors().find_map(git_dir_at)?;
    let written = small_file(&git_dir.join("HEAD"))?;
    match written.strip_prefix("ref: refs/heads/") {
        Some(ELSEWHERE) => ask(folder),
        Some(branch) => Some(Head::Branch { name: branch.to_owned() }),
        None if is_id(&written) => Some(detached(&written)),
        None => None,
    }
}

pub(crate) fn detached(commit: &str) -> Head {
    Head::Detached { commit: commit.chars().take(COMMIT_CHARS).collect() }
}

/// Finds the git directory that belongs to exactly this folder.
pub(crate) fn git_dir_at(folder: &Path) -> Option<PathBuf> {
    let entry = folder.join(".git");
    let metadata = fs::metadata(&entry).ok();
    if metadata.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Some(entry);
    }
    if metadata.is_some() {
        let written = small_file(&entry)?;
        return Some(folder.join(written.strip_prefix("gitdir: ")?));
    }
    let bare = ["HEAD", "objects", "refs"].iter().all(|part| folder.join(part).exists());
    bare.then(|| folder.to_owned())
}

/// Reads the first line of a small file; none if it is anything else, as an agent may put a pipe or a device in its place.
pub(crate) fn small_file(path: &Path) -> Option<String> {
    // Opening a device may already do something.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let file = open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut read = Vec::new();
    file.take(FILE_BYTES + 1).read_to_end(&mut read).ok()?;
    if read.len() as u64 > FILE_BYTES {
        return None;
    }
    let text = String::from_utf8_lossy(&read);
    Some(text.lines().next().unwrap_or_default().to_owned())
}

/// Opens a file without blocking, so a FIFO cannot hang us.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    File::options().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn ask(folder: &Path) -> Option<Head> {
    let git = Git::closed(&program()?, folder);
    let run = |words: &[&str]| {
        let said = git.run(&arguments(words, &[]), Vec::new(), ASK).ok()?;
        Some(String::from_utf8_lossy(&said).trim().to_owned())
    };
    match run(&["symbolic-ref", "--quiet", "--short", "HEAD"]) {
        Some(name) => Some(Head::Branch { name }),
        None => run(&["rev-parse", "--verify", "--quiet", "HEAD"]).map(|commit| detached(&commit)),
    }
}
