//! Data folders with a history, written by the engine's own code and kept between runs of the same bench.

use std::fs;
use std::path::{Path, PathBuf};

/// How much is in a data folder.
#[derive(Clone, Copy)]
pub struct Desk {
    pub name: &'static str,
    sessions: usize,
    events: usize,
    entries: usize,
}

pub const TEN: Desk = Desk { name: "ten_sessions", sessions: 10, events: 1_000, entries: 10_000 };
pub const THOUSAND: Desk =
    Desk { name: "thousand_sessions", sessions: 1_000, events: 100_000, entries: 1_000_000 };

impl Desk {
    /// Returns the folder, and fills it unless this bench has done so before.
    pub fn folder(self) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("desks").join(self.name);
        let time = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
        let bench = std::env::current_exe().unwrap();
        if time(&folder.join("filled")) < time(&bench) {
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).unwrap();
            askdesk_engine::bench::fill(&folder, self.sessions, self.events, self.entries).unwrap();
            fs::write(folder.join("filled"), "").unwrap();
        }
        folder
    }
}
