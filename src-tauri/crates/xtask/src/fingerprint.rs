//! Records the inputs of a generated folder, so that it is built again only when they change.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{steps::Steps, workspace::files_below};

/// The name of the file in the folder; the testkit looks for it too.
const FILE: &str = ".askdesk-stamp";

/// Runs the step that makes a folder, unless the folder was made from these inputs.
pub fn step_unless_made(
    steps: &mut Steps,
    name: &str,
    folder: &Path,
    inputs: impl Hash,
    step: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let file = folder.join(FILE);
    // Another compiler may hash differently: then the folder is made once more.
    let mut hasher = DefaultHasher::new();
    inputs.hash(&mut hasher);
    let content = format!("{:016x}", hasher.finish());
    if fs::read_to_string(&file).is_ok_and(|found| found == content) {
        return Ok(());
    }
    steps.try_run(name, || {
        step()?;
        fs::write(&file, &content).with_context(|| format!("cannot write {}", file.display()))
    })
}

/// Reads the files below a folder, except those with these names.
pub fn contents(folder: &Path, skipped: &[&str]) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let files = files_below(folder, skipped)?.into_iter();
    files
        .map(|file| {
            let content = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            Ok((file.strip_prefix(folder)?.to_owned(), content))
        })
        .collect()
}
