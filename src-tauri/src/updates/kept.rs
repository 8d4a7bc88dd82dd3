//! What is kept about updates between starts.

use std::fs;
use std::io;
use std::path::Path;

use askdesk_domain::Timestamp;
use askdesk_engine::private;
use serde::{Deserialize, Serialize};

/// The file in the data folder.
const FILE: &str = "updates.json";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KeptUpdate {
    /// When the newest version was last learned.
    pub checked_at: Option<Timestamp>,
    /// The version that the user has skipped.
    pub skipped: Option<String>,
    /// Whether the app is restarting for an update. Its window opens then, whatever the app was first started for.
    pub is_restarting: bool,
}

impl KeptUpdate {
    /// Reads what was kept. What can't be read counts as nothing: the next check is due at once.
    pub fn read(folder: &Path) -> Self {
        let file = fs::read(folder.join(FILE)).unwrap_or_default();
        serde_json::from_slice(&file).unwrap_or_default()
    }

    pub fn write(&self, folder: &Path) -> io::Result<()> {
        private::write(&folder.join(FILE), &serde_json::to_vec_pretty(self)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_again_and_a_broken_file_counts_as_none() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(KeptUpdate::read(folder.path()), KeptUpdate::default());
        let at = Some(Timestamp::from_millis(5));
        let kept = KeptUpdate { checked_at: at, skipped: Some("0.3.0".to_owned()), is_restarting: true };
        kept.write(folder.path()).unwrap();
        assert_eq!(KeptUpdate::read(folder.path()), kept);
        fs::write(folder.path().join(FILE), "{").unwrap();
        assert_eq!(KeptUpdate::read(folder.path()), KeptUpdate::default());
    }
}
