//! Reads recorded contents.

use std::collections::HashMap;
use std::ffi::OsStr;

use crate::git::{Git, GitError, STEP};

/// Reads contents by their object ids. What can't be found is left out.
pub(crate) fn contents(git: &Git, objects: &[&str]) -> Result<HashMap<String, Vec<u8>>, GitError> {
    let output = ask(git, "--batch", objects)?;
    let mut found = HashMap::new();
    let mut rest = &*output;
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let mut words = head.split(' ');
        let (object, kind, size) = (words.next(), words.next(), words.next());
        let Some(size) = size.and_then(|size| size.parse::<usize>().ok()) else { continue };
        let (Some(object), Some(content)) = (object, rest.get(..size)) else { break };
        if kind == Some("blob") {
            found.insert(object.to_owned(), content.to_vec());
        }
        rest = rest.get(size + 1..).unwrap_or_default();
    }
    Ok(found)
}

/// Returns the sizes of contents, in bytes. What can't be found is left out.
pub(crate) fn sizes(git: &Git, objects: &[&str]) -> Result<HashMap<String, u64>, GitError> {
    let output = ask(git, "--batch-check", objects)?;
    let output = String::from_utf8_lossy(&output);
    let size = |line: &str| {
        let mut words = line.split(' ');
        let (object, _kind, size) = (words.next()?, words.next()?, words.next()?);
        Some((object.to_owned(), size.parse().ok()?))
    };
    Ok(output.lines().filter_map(size).collect())
}

fn ask(git: &Git, form: &str, objects: &[&str]) -> Result<Vec<u8>, GitError> {
    if objects.is_empty() {
        return Ok(Vec::new());
    }
    let mut input = objects.join("\n");
    input.push('\n');
    git.run(&["cat-file", form].map(OsStr::new), input.into_bytes(), STEP)
}
