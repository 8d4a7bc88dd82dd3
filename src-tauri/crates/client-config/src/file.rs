//! Reading and writing the files of others: never through a link that leads away, never half, never what somebody else
//! has written in the meantime.

use std::ffi::OsString;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::refusal::Why;
use crate::surroundings::Place;

/// The largest file that is read. Claude Code keeps all it remembers of a person's projects in one.
const FILE_MOST: u64 = 64 * 1024 * 1024;
/// What the name of a backup ends in.
const BACKUP: &str = ".askdesk-backup";

#[derive(Clone, Debug)]
pub struct Found {
    pub file: PathBuf,
    /// Where it is, with no link on the way.
    pub target: PathBuf,
    /// What it says; none where there is no file.
    pub text: Option<String>,
}

impl Found {
    pub fn read(place: &Place) -> Result<Self, Why> {
        let target = resolve(place)?;
        Ok(Self { file: place.path.clone(), text: text_of(&target)?, target })
    }

    /// Where its backup is, if there is one.
    pub fn backup(&self) -> PathBuf {
        backup_of(&self.target)
    }

    /// Reads its backup; none where there is none.
    pub fn backup_text(&self) -> Result<Option<String>, Why> {
        text_of(&self.backup())
    }

    /// Tells whether somebody else than its owner may read it.
    pub fn is_open_to_others(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::metadata(&self.target).is_ok_and(|it| it.permissions().mode() & 0o044 != 0)
        }
        #[cfg(not(unix))]
        false
    }

    /// Refuses a file that may not be written.
    pub fn check_writable(&self) -> Result<(), Why> {
        match fs::metadata(&self.target) {
            Ok(metadata) if metadata.permissions().readonly() => Err(Why::ReadOnly),
            // It would be put in place by its folder's leave; its own counts as well.
            Ok(_) => match OpenOptions::new().append(true).open(&self.target) {
                Ok(_) => Ok(()),
                Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(Why::ReadOnly),
                Err(error) => Err(error.into()),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

fn backup_of(target: &Path) -> PathBuf {
    let mut name = target.file_name().map(OsString::from).unwrap_or_default();
    name.push(BACKUP);
    target.with_file_name(name)
}

fn text_of(target: &Path) -> Result<Option<String>, Why> {
    let metadata = match fs::metadata(target) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if !metadata.is_file() {
        return Err(Why::NoFile);
    }
    if metadata.len() > FILE_MOST {
        return Err(Why::TooLarge { bytes: metadata.len(), most: FILE_MOST });
    }
    String::from_utf8(fs::read(target)?).map(Some).map_err(|_| Why::NoText)
}

/// Follows every link, and refuses one that leads out of what the file belongs to.
fn resolve(place: &Place) -> Result<PathBuf, Why> {
    let target = follow(&place.path)?;
    let within = follow(&place.within)?;
    if target.starts_with(&within) { Ok(target) } else { Err(Why::Outside { to: target, within }) }
}

fn follow(path: &Path) -> Result<PathBuf, Why> {
    match fs::symlink_metadata(path) {
        Ok(_) => fs::canonicalize(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Why::DeadLink,
            _ => error.into(),
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if !parent.as_os_str().is_empty() => Ok(follow(parent)?.join(name)),
            _ => Err(error.into()),
        },
        Err(error) => Err(error.into()),
    }
}

/// Puts a text in a file's place in one step, and on disk before that; refused where the file does not say `before` any more.
/// It gets the mode and owner of `like`, or is its owner's alone.
pub fn write(target: &Path, text: &str, like: Option<&Metadata>, before: Option<&str>) -> Result<(), Why> {
    let folder = target.parent().ok_or(Why::NoFile)?;
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".askdesk-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Some(like) = like {
        keep_owner(file.path(), like)?;
        file.as_file().set_permissions(like.permissions())?;
    }
    file.as_file().sync_all()?;
    // The disk may have taken its time, and somebody else not.
    if !is_unchanged(target, before)? {
        return Err(Why::Changed);
    }
    file.persist(target).map_err(|error| Why::from(error.error))?;
    sync(folder);
    Ok(())
}

/// Takes a file away.
pub fn remove(target: &Path) -> Result<(), Why> {
    fs::remove_file(target)?;
    target.parent().map(sync);
    Ok(())
}

#[cfg(unix)]
fn keep_owner(file: &Path, like: &Metadata) -> Result<(), Why> {
    use std::os::unix::fs::MetadataExt as _;
    let own = fs::metadata(file)?;
    if own.uid() != like.uid() || own.gid() != like.gid() {
        std::os::unix::fs::chown(file, Some(like.uid()), Some(like.gid()))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &Metadata) -> Result<(), Why> {
    Ok(())
}

/// Has the system write down that a name has changed; where it cannot, the name is still right.
fn sync(folder: &Path) {
    if let Ok(folder) = fs::File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Reads a file that was found anew, to see whether it still says the same.
pub fn is_unchanged(target: &Path, text: Option<&str>) -> Result<bool, Why> {
    Ok(text_of(target)?.as_deref() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_else_wrote_last_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        let check = |before: Option<&str>| {
            fs::write(&file, "theirs").unwrap();
            assert_eq!(write(&file, "ours", None, before), Err(Why::Changed));
            assert_eq!(fs::read_to_string(&file).unwrap(), "theirs");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
        };
        check(Some("as it was"));
        check(None);
        write(&file, "ours", None, Some("theirs")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "ours");
    }
}
