//! Lets what was recorded of a folder follow the folder to another place.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use askdesk_user_environment::persist;
use serde_json::Value;

use crate::path_id::{path_of, path_to_id, to_bytes, to_path};
use crate::tracker::{BASELINE, GIT_DIR};

/// Where the objects of the folder's repository are.
const ALTERNATES: &str = "objects/info/alternates";

/// Returns where a path is after a folder was moved, judged by what differs between the folder's two places: of
/// `/code/api/src` and `/work/api/src`, `/code` became `/work`. None for a path that did not move with it.
pub fn moved_path(path: &Path, from: &Path, to: &Path) -> Option<PathBuf> {
    if from == to {
        return Some(path.to_owned());
    }
    let same = from.components().rev().zip(to.components().rev()).take_while(|(old, new)| old == new).count();
    let root = |folder: &Path| folder.ancestors().nth(same).map(Path::to_owned);
    Some(root(to)?.join(path.strip_prefix(root(from)?).ok()?))
}

/// Points what was recorded in a store at the folder's new place. Returns whether it could follow: a folder below the top
/// of its repository that was moved without it has no place in that record.
pub fn relocate(store: &Path, to: &Path) -> io::Result<bool> {
    let file = store.join(BASELINE);
    let mut baseline: Value = match fs::read(&file) {
        Ok(stored) => serde_json::from_slice(&stored)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    // The folder was recorded where its links lead. It is gone, so only its new place can be looked up.
    let to = dunce::canonicalize(to)?;
    let top = to_path(&path_of(baseline["top"].as_str().unwrap_or_default()));
    let prefix = to_path(&path_of(baseline["prefix"].as_str().unwrap_or_default()));
    let recorded = top.join(&prefix);
    let Some(moved) = moved_path(&top, &recorded, &to).filter(|top| top.join(&prefix) == to) else {
        return Ok(false);
    };
    let alternates = store.join(GIT_DIR).join(ALTERNATES);
    if let Ok(stored) = fs::read(&alternates) {
        let objects = to_path(stored.strip_suffix(b"\n").unwrap_or(&stored));
        if let Some(objects) = moved_path(&objects, &recorded, &to).filter(|_| !objects.exists()) {
            let mut line = to_bytes(&objects);
            line.push(b'\n');
            fs::write(&alternates, line)?;
        }
    }
    baseline["top"] = path_to_id(&to_bytes(&moved)).into();
    let mut written = tempfile::NamedTempFile::new_in(store)?;
    serde_json::to_writer(&mut written, &baseline)?;
    persist(written, &file)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::renamed("/code/api", "/code/api", "/code/web", Some("/code/web"))]
    #[case::below("/code/api/.git/objects", "/code/api", "/code/web", Some("/code/web/.git/objects"))]
    #[case::parent_renamed("/code/lib", "/code/api", "/work/api", Some("/work/lib"))]
    #[case::a_prefix_stays("/code/api", "/code/api/src", "/code/web/src", Some("/code/web"))]
    #[case::beside("/code/lib", "/code/api", "/code/web", None)]
    #[case::same_place("/code/api", "/code/api", "/code/api", Some("/code/api"))]
    fn a_path_follows_the_folder_that_it_was_in(
        #[case] path: &str,
        #[case] from: &str,
        #[case] to: &str,
        #[case] expected: Option<&str>,
    ) {
        let moved = moved_path(Path::new(path), Path::new(from), Path::new(to));
        assert_eq!(moved.as_deref(), expected.map(Path::new));
    }
}
