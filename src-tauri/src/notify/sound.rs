//! The short sound of notifications, if the user wants one. It is our own: `synthesis` makes it.

use std::path::{Path, PathBuf};

use askdesk_engine::private;

#[cfg(test)]
mod synthesis;

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
