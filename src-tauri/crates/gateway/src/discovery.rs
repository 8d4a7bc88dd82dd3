//! Where the running desk is found: a file beside its journal that names the address it listens at.

use std::path::{Path, PathBuf};

use askdesk_engine::private;
use serde::{Deserialize, Serialize};

/// The file beside the journal that says where the desk listens.
pub const DISCOVERY_FILE: &str = "desk.json";

/// The port that clients are registered with; the next free of [`PORTS`] is taken where another program has it.
pub const PORT: u16 = 41_414;

/// How many ports from [`PORT`] on are tried before any is taken.
pub const PORTS: u16 = 11;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discovery {
    pub version: u32,
    /// The desk's process.
    pub pid: u32,
    /// The port it listens at, on 127.0.0.1.
    pub port: u16,
    /// The address with that port.
    pub url: String,
    pub app: String,
}

/// The file while the desk listens; it goes with it.
#[derive(Debug)]
pub struct Published {
    file: PathBuf,
    says: Discovery,
}

impl Discovery {
    /// Describes a desk of this process.
    pub fn of(port: u16, app: &str) -> Self {
        let url = format!("http://127.0.0.1:{port}");
        Self { version: 1, pid: std::process::id(), port, url, app: app.to_owned() }
    }

    /// Reads what a desk has left in a data folder.
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(folder.join(DISCOVERY_FILE)).ok()?).ok()
    }

    /// Writes it down for as long as what is returned is kept.
    pub fn publish(self, folder: &Path) -> Result<Published, std::io::Error> {
        let file = folder.join(DISCOVERY_FILE);
        let mut text = serde_json::to_vec(&self)?;
        text.push(b'\n');
        private::write(&file, &text)?;
        Ok(Published { file, says: self })
    }
}

impl Drop for Published {
    fn drop(&mut self) {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        // Another desk may have put its own there meanwhile.
        if Discovery::read(folder).is_some_and(|now| now == self.says) {
            let _ = std::fs::remove_file(&self.file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_desk_is_found_while_it_listens() {
        let folder = tempfile::tempdir().unwrap();
        let published = Discovery::of(41_414, "0.1.0").publish(folder.path()).unwrap();
        let found = Discovery::read(folder.path()).unwrap();
        assert_eq!((found.port, found.url.as_str()), (41_414, "http://127.0.0.1:41414"));
        assert_eq!(found.pid, std::process::id());
        drop(published);
        assert_eq!(Discovery::read(folder.path()), None);
    }

    #[test]
    fn a_desk_leaves_the_file_of_another_alone() {
        let folder = tempfile::tempdir().unwrap();
        let first = Discovery::of(41_414, "0.1.0").publish(folder.path()).unwrap();
        let second = Discovery::of(41_415, "0.1.0").publish(folder.path()).unwrap();
        drop(first);
        assert_eq!(Discovery::read(folder.path()).unwrap().port, 41_415);
        drop(second);
    }
}
