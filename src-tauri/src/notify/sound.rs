//! The short sound by which a notification is sound where the person wants that. It is our own: `synthesis` draws it.

use std::path::{Path, PathBuf};

use askdesk_engine::private;

#[cfg(test)]
mod synthesis;

/// The sound, as a file of waves.
const WAVES: &[u8] = include_bytes!("sound/question.wav");

/// The name of its file in the data folder, from where the desktop plays it.
const FILE: &str = "question.wav";

/// Puts the file where the desktop finds it; none, where that cannot be.
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
