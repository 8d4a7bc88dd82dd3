//! Puts back what a file held when the session began: all of it, or one run of lines.
//!
//! A file is written only if it still holds exactly what was shown, so nothing is lost that the user hasn't seen.

use std::fs::{self, Metadata};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use askdesk_contract::{RevertRefused, ShownPart};
use askdesk_user_environment::persist;
use tempfile::{Builder, NamedTempFile};

use crate::compare::{Entry, LINK};
use crate::lines::{diff, is_binary, lines_of};
use crate::path_id::{readable, to_bytes, to_path};
use crate::tracker::{Recorded, Tracker};

/// The bits of a mode that make a file executable.
const EXECUTABLE: u32 = 0o111;

#[derive(Debug, PartialEq, Eq)]
enum Present {
    Nothing,
    File { content: Vec<u8>, executable: bool },
    Link { to: Vec<u8> },
    Other,
}

impl Tracker {
    /// Reverts a file of the last listing, or one run of its lines.
    pub fn revert(&self, id: &str, version: &str, part: Option<ShownPart>) -> Result<(), RevertRefused> {
        let recorded = self.recorded(id, version).map_err(|why| RevertRefused::Unavailable { why })?;
        revert_recorded(&recorded, part)
    }
}

/// Puts back the older content of a file, or one run of its lines.
pub(crate) fn revert_recorded(recorded: &Recorded, part: Option<ShownPart>) -> Result<(), RevertRefused> {
    let Recorded { place, found, old, new } = recorded;
    if !found.is_recorded() {
        return Err(RevertRefused::NotRecorded);
    }
    let before = present_of(found.old.as_ref(), old.as_deref());
    let now = present_of(found.new.as_ref(), new.as_deref());
    let path = place.top.join(to_path(&found.path));
    check_folders(&place.top, &path)?;
    if let Some(part) = part {
        let (Present::File { content: old, .. }, Present::File { content: new, executable }) =
            (&before, &now)
        else {
            return Err(RevertRefused::ChangedSince);
        };
        let content = without_part(old, new, part).ok_or(RevertRefused::ChangedSince)?;
        let executable = *executable;
        return replace(&path, &now, &Present::File { content, executable });
    }
    let Some(old_path) = &found.old_path else { return replace(&path, &now, &before) };
    let old_path = place.top.join(to_path(old_path));
    check_folders(&place.top, &old_path)?;
    if present(&path)? != now {
        return Err(RevertRefused::ChangedSince);
    }
    // Both exist for a moment, so that a crash loses neither.
    replace(&old_path, &Present::Nothing, &before)?;
    replace(&path, &now, &Present::Nothing)
}

fn present_of(entry: Option<&Entry>, content: Option<&[u8]>) -> Present {
    let content = content.unwrap_or_default().to_vec();
    match entry {
        None => Present::Nothing,
        Some(entry) if entry.mode == LINK => Present::Link { to: content },
        Some(entry) => Present::File { content, executable: entry.mode & EXECUTABLE != 0 },
    }
}

fn present(path: &Path) -> Result<Present, RevertRefused> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Present::Nothing),
        Err(error) => return Err(failed(path, &error)),
    };
    let kind = metadata.file_type();
    if kind.is_symlink() {
        let to = fs::read_link(path).map_err(|error| failed(path, &error))?;
        Ok(Present::Link { to: to_bytes(&to) })
    } else if kind.is_file() {
        let content = fs::read(path).map_err(|error| failed(path, &error))?;
        Ok(Present::File { content, executable: is_executable(&metadata) })
    } else {
        Ok(Present::Other)
    }
}

/// Puts `wanted` at a path, if `expected` is there.
fn replace(path: &Path, expected: &Present, wanted: &Present) -> Result<(), RevertRefused> {
    let failed = |error: io::Error| failed(path, &error);
    let folder = path.parent().unwrap_or(path);
    let check = || match present(path)? {
        found if found == *expected => Ok(()),
        _ if *expected == Present::Nothing => Err(RevertRefused::Exists { path: path.display().to_string() }),
        _ => Err(RevertRefused::ChangedSince),
    };
    check()?;
    match wanted {
        Present::Nothing => fs::remove_file(path).map_err(failed),
        Present::Other => Err(RevertRefused::NotRecorded),
        Present::File { content, executable } => {
            fs::create_dir_all(folder).map_err(failed)?;
            let kept = fs::symlink_metadata(path).ok().filter(Metadata::is_file);
            let file = new_file(folder, content, *executable, kept.as_ref()).map_err(failed)?;
            // Again, because writing a large file takes a while.
            check()?;
            if *expected == Present::Nothing {
                file.persist_noclobber(path).map_err(|error| failed(error.error))?;
            } else {
                persist(file, path).map_err(failed)?;
            }
            Ok(())
        }
        Present::Link { to } => {
            fs::create_dir_all(folder).map_err(failed)?;
            let link = Builder::new().make_in(folder, |new| make_link(&to_path(to), new)).map_err(failed)?;
            check()?;
            link.persist(path).map_err(|error| failed(error.error))?;
            Ok(())
        }
    }
}

/// Writes a new file beside the one that it replaces, with the permissions of that one.
fn new_file(
    folder: &Path,
    content: &[u8],
    executable: bool,
    kept: Option<&Metadata>,
) -> io::Result<NamedTempFile> {
    let mut file = builder(executable).tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    if let Some(kept) = kept {
        fs::set_permissions(file.path(), permissions(kept, executable))?;
    }
    Ok(file)
}

#[cfg(unix)]
fn builder(executable: bool) -> Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut builder = Builder::new();
    // The umask removes what the user doesn't want.
    builder.permissions(fs::Permissions::from_mode(if executable { 0o777 } else { 0o666 }));
    builder
}

#[cfg(not(unix))]
fn builder(_: bool) -> Builder<'static, 'static> {
    Builder::new()
}

#[cfg(unix)]
fn permissions(kept: &Metadata, executable: bool) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = kept.permissions().mode();
    // Whoever can read it can run it.
    let executable = if executable { mode | (mode & 0o444) >> 2 } else { mode & !EXECUTABLE };
    fs::Permissions::from_mode(executable)
}

#[cfg(not(unix))]
fn permissions(kept: &Metadata, _: bool) -> fs::Permissions {
    kept.permissions()
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    // Git looks at the owner's bit.
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn make_link(to: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, link)
}

#[cfg(not(unix))]
fn make_link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Refuses a path with a link in it: it may lead out of the folder.
fn check_folders(top: &Path, path: &Path) -> Result<(), RevertRefused> {
    let below: Vec<PathBuf> =
        path.ancestors().skip(1).take_while(|folder| *folder != top).map(Path::to_owned).collect();
    for folder in below.into_iter().rev() {
        match fs::symlink_metadata(&folder) {
            Ok(metadata) if metadata.is_dir() => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Ok(_) => {
                let path = readable(&to_bytes(&folder));
                return Err(RevertRefused::NotAFolder { path });
            }
            Err(error) => return Err(failed(&folder, &error)),
        }
    }
    Ok(())
}

/// The new content with one run of lines as it was before; none if there is no such run any more.
fn without_part(old: &[u8], new: &[u8], shown: ShownPart) -> Option<Vec<u8>> {
    if is_binary(old) || is_binary(new) {
        return None;
    }
    let (old, new) = (lines_of(old), lines_of(new));
    let runs = diff(&old, &new);
    let run = runs.get(usize::try_from(shown.part).ok()?).filter(|run| !run.same)?;
    let (removed, added) = (run.old.1 - run.old.0, run.new.1 - run.new.0);
    if removed != usize::try_from(shown.removed).ok()? || added != usize::try_from(shown.added).ok()? {
        return None;
    }
    let lines = [&new[..run.new.0], &old[run.old.0..run.old.1], &new[run.new.1..]].concat();
    Some(joined(&lines))
}

/// Joins lines. One from the end of the other side, which has no line break there, gets one if others follow.
fn joined(lines: &[&[u8]]) -> Vec<u8> {
    let mut text = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        text.extend_from_slice(line);
        if place + 1 < lines.len() && line.last() != Some(&b'\n') {
            text.push(b'\n');
        }
    }
    text
}

fn failed(path: &Path, error: &io::Error) -> RevertRefused {
    RevertRefused::Failed { error: format!("{}: {error}", path.display()) }
}
