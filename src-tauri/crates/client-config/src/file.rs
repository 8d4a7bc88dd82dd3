//! Reads and writes other programs' files. Writes are atomic, never follow a link out of the file's folder, and never
//! replace a change that another program has made in the meantime.

use std::ffi::OsString;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use askdesk_user_environment::persist;
use serde_json::Value;

use crate::edit::{self, Format};
use crate::env::ConfigPath;
use crate::error::{FileError, FileErrorKind};

/// The largest file that is read. Claude Code keeps everything about a user's projects in one.
const FILE_MOST: u64 = 64 * 1024 * 1024;
const BACKUP: &str = ".askdesk-backup";

#[derive(Clone, Debug)]
pub struct FoundFile {
    /// Its path as the client names it.
    pub file: PathBuf,
    /// Its path with every link resolved.
    pub target: PathBuf,
    /// Its text, or `None` if there is no file.
    pub text: Option<String>,
    /// Its parsed text. A missing file is an empty object.
    pub document: Value,
}

impl FoundFile {
    pub fn read(place: &ConfigPath, format: Format) -> Result<Self, FileErrorKind> {
        let target = resolve(place)?;
        let text = text_of(&target)?;
        let document = edit::read(format, text.as_deref().unwrap_or_default())?;
        Ok(Self { file: place.path.clone(), target, text, document })
    }

    pub fn backup(&self) -> PathBuf {
        backup_of(&self.target)
    }

    pub fn backup_text(&self) -> Result<Option<String>, FileErrorKind> {
        text_of(&self.backup())
    }

    /// Tells whether other users can read it.
    pub fn is_open_to_others(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::metadata(&self.target).is_ok_and(|it| it.permissions().mode() & 0o044 != 0)
        }
        #[cfg(not(unix))]
        false
    }

    /// Fails if the file is read-only.
    pub fn check_writable(&self) -> Result<(), FileErrorKind> {
        match fs::metadata(&self.target) {
            Ok(metadata) if metadata.permissions().readonly() => Err(FileErrorKind::ReadOnly),
            // Replacing a file only takes write access to its folder, so its own permissions are checked here.
            Ok(_) => match OpenOptions::new().append(true).open(&self.target) {
                Ok(_) => Ok(()),
                Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(FileErrorKind::ReadOnly),
                Err(error) => Err(error.into()),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Lists the texts of some lists in a JSON file, list by list. A missing file has none.
pub fn texts_of(place: &ConfigPath, lists: &[&[&str]]) -> Result<Vec<Vec<String>>, FileError> {
    let found = FoundFile::read(place, Format::Json).map_err(|why| why.of(&place.path))?;
    let texts = |list: &&[&str]| edit::texts(&found.document, list).map(str::to_owned).collect();
    Ok(lists.iter().map(texts).collect())
}

fn backup_of(target: &Path) -> PathBuf {
    let mut name = target.file_name().map(OsString::from).unwrap_or_default();
    name.push(BACKUP);
    target.with_file_name(name)
}

fn text_of(target: &Path) -> Result<Option<String>, FileErrorKind> {
    let metadata = match fs::metadata(target) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if !metadata.is_file() {
        return Err(FileErrorKind::NotAFile);
    }
    if metadata.len() > FILE_MOST {
        return Err(FileErrorKind::TooLarge { bytes: metadata.len(), most: FILE_MOST });
    }
    String::from_utf8(fs::read(target)?).map(Some).map_err(|_| FileErrorKind::NotUtf8)
}

/// Resolves every link, and fails if one leads out of the file's folder.
fn resolve(place: &ConfigPath) -> Result<PathBuf, FileErrorKind> {
    let target = follow(&place.path)?;
    let within = follow(&place.within)?;
    if target.starts_with(&within) {
        Ok(target)
    } else {
        Err(FileErrorKind::OutsideRoot { to: target, within })
    }
}

fn follow(path: &Path) -> Result<PathBuf, FileErrorKind> {
    match fs::symlink_metadata(path) {
        Ok(_) => dunce::canonicalize(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => FileErrorKind::BrokenLink,
            _ => error.into(),
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if !parent.as_os_str().is_empty() => Ok(follow(parent)?.join(name)),
            _ => Err(error.into()),
        },
        Err(error) => Err(error.into()),
    }
}

/// Replaces a file atomically, synced to disk, or removes it if there is no text. Fails if its text isn't `before` any more. It
/// gets the mode and owner of `like`, or else mode 0600.
pub fn replace(
    target: &Path,
    text: Option<&str>,
    like: Option<&Metadata>,
    before: Option<&str>,
) -> Result<(), FileErrorKind> {
    let Some(text) = text else {
        check_unchanged(target, before)?;
        return remove(target);
    };
    let folder = target.parent().ok_or(FileErrorKind::NotAFile)?;
    create_missing(folder)?;
    let mut file = tempfile::Builder::new().prefix(".askdesk-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Some(like) = like {
        keep_owner(file.path(), like)?;
        file.as_file().set_permissions(like.permissions())?;
    }
    file.as_file().sync_all()?;
    // Syncing takes time, in which another program may have written.
    check_unchanged(target, before)?;
    persist(file, target)?;
    sync(folder);
    Ok(())
}

/// Creates what is missing of a folder and its parents, for its owner only.
fn create_missing(folder: &Path) -> Result<(), FileErrorKind> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    Ok(builder.create(folder)?)
}

pub fn remove(target: &Path) -> Result<(), FileErrorKind> {
    fs::remove_file(target)?;
    target.parent().map(sync);
    Ok(())
}

#[cfg(unix)]
fn keep_owner(file: &Path, like: &Metadata) -> Result<(), FileErrorKind> {
    use std::os::unix::fs::MetadataExt as _;
    let own = fs::metadata(file)?;
    if own.uid() != like.uid() || own.gid() != like.gid() {
        std::os::unix::fs::chown(file, Some(like.uid()), Some(like.gid()))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &Metadata) -> Result<(), FileErrorKind> {
    Ok(())
}

/// Syncs a folder, so that a rename in it is on disk. If that fails, the rename is still done.
fn sync(folder: &Path) {
    if let Ok(folder) = fs::File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Fails if a file has another text by now.
pub fn check_unchanged(target: &Path, text: Option<&str>) -> Result<(), FileErrorKind> {
    if text_of(target)?.as_deref() == text { Ok(()) } else { Err(FileErrorKind::Changed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn case_78_new_files_and_folders_are_for_their_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config/program/mcp.json");
        replace(&file, Some("ours"), None, None).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let modes: Vec<_> = file.ancestors().take(3).map(mode).collect();
        assert_eq!(modes, [0o600, 0o700, 0o700]);
    }

    #[test]
    fn a_change_by_another_program_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        let check = |before: Option<&str>| {
            fs::write(&file, "theirs").unwrap();
            assert_eq!(replace(&file, Some("ours"), None, before), Err(FileErrorKind::Changed));
            assert_eq!(fs::read_to_string(&file).unwrap(), "theirs");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
        };
        check(Some("as it was"));
        check(None);
        replace(&file, Some("ours"), None, Some("theirs")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "ours");
    }
}
