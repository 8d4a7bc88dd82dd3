//! What a closed git needs to know of the user's config. `git config` starts no program that a config names.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{Git, to_path};

/// How long git may take to read its config.
const READ: Duration = Duration::from_secs(10);

/// The user's own list of ignored files; none if they use git's usual one.
pub fn excludes_file(program: &Path, folder: &Path) -> Option<PathBuf> {
    let words = ["config", "--null", "--type=path", "--get", "core.excludesFile"];
    let output = read(program, folder, &words)?;
    let path = output.strip_suffix(b"\0").filter(|path| !path.is_empty())?;
    Some(folder.join(to_path(path)))
}

/// The folders of other users that this user trusts, as settings for the command line. What the repository itself says about
/// that doesn't count, as in git.
pub(crate) fn safe_directories(program: &Path, folder: &Path) -> Vec<OsString> {
    let words = ["config", "--null", "--show-scope", "--get-all", "safe.directory"];
    let output = read(program, folder, &words).unwrap_or_default();
    let fields = output.split(|byte| *byte == 0).collect::<Vec<_>>();
    let trusted = fields.chunks_exact(2).filter(|field| [&b"system"[..], b"global"].contains(&field[0]));
    let setting = |folder: &[u8]| {
        let mut setting = OsString::from("safe.directory=");
        setting.push(to_path(folder));
        setting
    };
    trusted.map(|field| setting(field[1])).collect()
}

fn read(program: &Path, folder: &Path, words: &[&str]) -> Option<Vec<u8>> {
    let words = words.iter().map(OsStr::new).collect::<Vec<_>>();
    Git::of_user(program, folder).with("GIT_OPTIONAL_LOCKS", "0").run(&words, Vec::new(), READ).ok()
}
