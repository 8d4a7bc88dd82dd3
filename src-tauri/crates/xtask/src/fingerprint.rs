//! Records the inputs of a generated folder, so that it is built again only when they change.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

use anyhow::{Context, Result};

use crate::steps::Steps;

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
