//! The short sound of notifications, if the user wants one.

use std::path::{Path, PathBuf};

use askdesk_engine::private;

/// The sound, as a WAV file.
const WAVES: &[u8] = include_bytes!("sound/question.wav");

/// The name of its file in the data folder, from which the desktop plays it.
const FILE: &str = "question.wav";

/// Writes the file if needed. Returns none if that fails.
pub fn file_in(folder: &Path) -> Option<PathBuf> {
    let file = folder.join(FILE);
    if std::fs::read(&file).is_ok_and(|there| there == WAVES) {
        return Some(file);
    }
    match private::write(&file, WAVES) {
        Ok(()) => Some(file),
        Err(error) => {
            tracing::warn!(%error, file = %file.display(), "notifications make no sound");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_for_the_desktop_is_put_where_it_is_missing_or_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let file = file_in(folder.path()).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), WAVES);
        std::fs::write(&file, "half").unwrap();
        assert_eq!(file_in(folder.path()), Some(file.clone()));
        assert_eq!(std::fs::read(&file).unwrap(), WAVES);
        assert_eq!(file_in(&folder.path().join("gone")), None);
    }
}
