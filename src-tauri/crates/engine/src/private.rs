//! Files and folders that only their owner can read, whatever the umask is.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use askdesk_user_environment::persist;
use tempfile::NamedTempFile;

/// How many files and folders [`tighten`] visits at most.
const LOOKED_AT: usize = 100_000;

/// The files that mark a data folder.
const MARKS: [&str; 2] = ["desk.lock", "desk.db"];

/// What else may be there before: from the command line, by the user's hand, or from a start that failed.
const EARLY: [&str; 9] = [
    "answer-token",
    "desk.json",
    "environment.json",
    "gateway.lock",
    "settings.toml",
    "token",
    "updates.json",
    "webview",
    "window.json",
];

/// Returns the name of something in a folder that Askdesk has never used, and that isn't Askdesk's. A data folder must hold
/// nothing else, because everything in it becomes private.
pub fn foreign_entry(folder: &Path) -> Option<String> {
    if MARKS.iter().any(|mark| folder.join(mark).exists()) {
        return None;
    }
    let names =
        fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| !EARLY.contains(&name.as_str())).min()
}

/// Creates a folder with mode 0700, including missing parents. Sets the mode of an existing folder.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    create_missing(folder)?;
    set_mode(folder, 0o700)
}

/// Creates the missing ones of a folder and its parents with mode 0700. An existing folder keeps its mode.
pub fn create_missing(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> =
        folder.ancestors().take_while(|it| !it.as_os_str().is_empty() && !it.exists()).collect();
    for missing in missing.into_iter().rev() {
        match fs::create_dir(missing) {
            Ok(()) => set_mode(missing, 0o700)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    if !folder.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(())
}

/// Removes all permissions of others from a file.
pub fn close_to_others(file: &Path) -> io::Result<()> {
    set_mode(file, mode_of_file(&fs::metadata(file)?))
}

/// Opens a file for writing with mode 0600. An existing file keeps its content.
pub fn open_file(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let opened = options.open(file)?;
    // The umask may have removed some of the owner's permissions. What a link leads to isn't ours.
    if !fs::symlink_metadata(file)?.is_symlink() {
        set_mode(file, 0o600)?;
    }
    Ok(opened)
}

/// Replaces a file with mode 0600 atomically.
pub fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut new = NamedTempFile::new_in(file.parent().unwrap_or(Path::new(".")))?;
    // The umask may have removed some of the owner's permissions.
    set_mode(new.path(), 0o600)?;
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    persist(new, file)
}

/// Removes all permissions of others from a folder and everything in it: folders become 0700 and files 0600, or 0700 if
/// their owner can execute them. Links are not followed. Failures are logged.
pub fn tighten(folder: &Path) {
    let mut left = LOOKED_AT;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        if let Err(error) = set_mode(&folder, 0o700) {
            tracing::warn!(folder = %folder.display(), %error, "others may be able to read this folder");
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if left == 0 {
                tracing::warn!("the data folder has more files than are looked at");
                return;
            }
            left -= 1;
            tighten_one(entry.path(), &entry, &mut folders);
        }
    }
}

fn tighten_one(path: PathBuf, entry: &fs::DirEntry, folders: &mut Vec<PathBuf>) {
    match entry.file_type() {
        Ok(kind) if kind.is_dir() => folders.push(path),
        Ok(kind) if kind.is_file() => {
            let tightened = entry.metadata().and_then(|now| set_mode(&path, mode_of_file(&now)));
            match tightened {
                // Temporary files come and go.
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    tracing::warn!(file = %path.display(), %error, "others may be able to read this file");
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(_) | Err(_) => {}
    }
}

#[cfg(unix)]
fn mode_of_file(now: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    now.permissions().mode() & 0o700 | 0o600
}

#[cfg(not(unix))]
fn mode_of_file(_: &fs::Metadata) -> u32 {
    0o600
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    // On a file system without modes, a folder must not be changed again and again.
    if fs::metadata(path)?.permissions().mode() & 0o7777 == mode {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// On other systems, a user's folders are private anyway.
#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn wide(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn case_78_an_open_folder_is_tightened_with_its_content_and_links_are_not_followed() {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("data");
        fs::create_dir_all(folder.join("images/one")).unwrap();
        for name in ["desk.db", "images/one/picture", "desk.db.damaged-1", "script", "unreadable"] {
            fs::write(folder.join(name), "x").unwrap();
            wide(&folder.join(name), 0o644);
        }
        wide(&folder.join("script"), 0o755);
        wide(&folder.join("unreadable"), 0o044);
        let theirs = outside.path().join("theirs");
        fs::write(&theirs, "x").unwrap();
        wide(&theirs, 0o644);
        symlink(&theirs, folder.join("settings.toml")).unwrap();
        tighten(&folder);
        let modes = ["", "images", "images/one"].map(|name| mode(&folder.join(name)));
        assert_eq!(modes, [0o700; 3]);
        let files = ["desk.db", "images/one/picture", "desk.db.damaged-1", "unreadable"];
        assert_eq!(files.map(|name| mode(&folder.join(name))), [0o600; 4]);
        assert_eq!((mode(&folder.join("script")), mode(&theirs)), (0o700, 0o644));
        drop(open_file(&folder.join("settings.toml")).unwrap());
        assert_eq!(mode(&theirs), 0o644, "the mode of a link's target was changed");
    }

    #[test]
    fn only_a_folder_of_other_things_is_foreign() {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("data");
        assert_eq!(foreign_entry(&folder), None, "it is missing");
        fs::create_dir(&folder).unwrap();
        assert_eq!(foreign_entry(&folder), None, "it is empty");
        for name in EARLY {
            fs::write(folder.join(name), "").unwrap();
        }
        assert_eq!(foreign_entry(&folder), None);
        fs::create_dir(folder.join("photos")).unwrap();
        fs::write(folder.join("thesis.odt"), "").unwrap();
        assert_eq!(foreign_entry(&folder), Some("photos".to_owned()));
        fs::write(folder.join("desk.lock"), "").unwrap();
        assert_eq!(foreign_entry(&folder), None, "Askdesk has used it");
    }

    #[test]
    fn a_folder_is_created_with_its_parents_and_an_existing_one_is_tightened() {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("share/desk");
        create_folder(&folder).unwrap();
        assert_eq!((mode(&folder), mode(folder.parent().unwrap())), (0o700, 0o700));
        wide(&folder, 0o755);
        create_folder(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);
        let file = folder.join("file");
        drop(open_file(&file).unwrap());
        assert!(create_folder(&file).is_err());
    }
}
