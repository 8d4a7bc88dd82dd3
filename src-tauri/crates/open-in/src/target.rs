//! What is opened: a folder, or a file at a line.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use askdesk_domain::OpenError;

/// The longest path, in bytes.
pub const PATH_BYTES: usize = 4_096;

/// An existing folder or file, by its absolute path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Folder(PathBuf),
    File {
        path: PathBuf,
        /// From 1.
        line: Option<u32>,
    },
}

impl Target {
    /// Finds a path, relative to a session's folder; without one, the folder itself. May block.
    ///
    /// The path isn't normalized, so that the program shows what the user knows.
    pub fn find(folder: &Path, path: Option<&str>, line: Option<u32>) -> Result<Self, OpenError> {
        if !folder.is_absolute() {
            return Err(OpenError::NoFolder);
        }
        let path = path.map_or_else(|| folder.to_owned(), |path| folder.join(path));
        let shown = || path.display().to_string();
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => Ok(Self::Folder(path)),
            Ok(found) if found.is_file() => {
                let line = line.filter(|&line| line > 0 && !is_ambiguous(&path, line));
                Ok(Self::File { path, line })
            }
            // A pipe would hang the program, and a device isn't a file of a project.
            Ok(_) => Err(OpenError::Unusable { path: shown(), error: "not a file or folder".to_owned() }),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(OpenError::Gone { path: shown() }),
            Err(error) => Err(OpenError::Unusable { path: shown(), error: error.to_string() }),
        }
    }

    pub fn path(&self) -> &Path {
        match self {
            Self::Folder(path) | Self::File { path, .. } => path,
        }
    }

    /// Returns the folder that a terminal opens: of a file, the one it is in.
    pub fn folder(&self) -> &Path {
        match self {
            Self::Folder(path) => path,
            Self::File { path, .. } => path.parent().unwrap_or(path),
        }
    }
}

/// Whether there is a file whose name is this file's name and the line, as some editors write it: they would open that one.
fn is_ambiguous(path: &Path, line: u32) -> bool {
    [format!(":{line}"), format!(":{line}:1")].into_iter().any(|place| {
        let mut other = OsString::from(path);
        other.push(place);
        Path::new(&other).exists()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_from_the_folder_of_the_session() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::create_dir(folder.join("-src")).unwrap();
        fs::write(folder.join("-src/a b"), "").unwrap();
        let file = Target::File { path: folder.join("-src/a b"), line: Some(3) };
        assert_eq!(Target::find(folder, Some("-src/a b"), Some(3)).as_ref(), Ok(&file));
        let absolute = folder.join("-src/a b").display().to_string();
        assert_eq!(Target::find(folder.ancestors().last().unwrap(), Some(&absolute), Some(3)), Ok(file));
        assert_eq!(Target::find(folder, Some("-src"), Some(3)), Ok(Target::Folder(folder.join("-src"))));
        assert_eq!(Target::find(folder, None, None), Ok(Target::Folder(folder.to_owned())));
        assert_eq!(Target::find(folder, None, None).unwrap().folder(), folder);
        assert_eq!(Target::find(folder, Some("-src/a b"), None).unwrap().folder(), folder.join("-src"));
    }

    #[test]
    fn what_is_not_there_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let gone = OpenError::Gone { path: folder.path().join("x").display().to_string() };
        assert_eq!(Target::find(folder.path(), Some("x"), None), Err(gone));
        assert_eq!(Target::find(Path::new("notes"), None, None), Err(OpenError::NoFolder));
        assert_eq!(Target::find(Path::new(""), Some("x"), None), Err(OpenError::NoFolder));
        let zero = Target::find(folder.path(), Some("a\0b"), None);
        assert!(matches!(zero, Err(OpenError::Unusable { .. })), "{zero:?}");
        #[cfg(unix)]
        assert!(matches!(
            Target::find(Path::new("/dev"), Some("null"), None),
            Err(OpenError::Unusable { .. })
        ));
    }

    /// No file of Windows has such a name.
    #[cfg(unix)]
    #[test]
    fn a_line_is_left_out_where_the_editor_could_take_it_for_another_file() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "a:12:1", "b", "b:7"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let line = |name: &str, line| match Target::find(folder.path(), Some(name), Some(line)) {
            Ok(Target::File { line, .. }) => line,
            other => panic!("{other:?}"),
        };
        assert_eq!([line("a", 12), line("a", 13), line("b", 7), line("b", 0)], [None, Some(13), None, None]);
    }
}
