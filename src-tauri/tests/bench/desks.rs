//! A data folder with a history, written by the engine's own code and kept between runs of the same bench.

use std::fs;
use std::path::{Path, PathBuf};

const SESSIONS: usize = 10;
const EVENTS: usize = 1_000;
const ENTRIES: usize = 10_000;

/// Returns the folder of ten sessions, and fills it unless this bench has done so before.
pub fn ten_sessions() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("desks/ten_sessions");
    let time = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    let bench = std::env::current_exe().unwrap();
    if time(&folder.join("filled")) < time(&bench) {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        askdesk_engine::bench::fill(&folder, SESSIONS, EVENTS, ENTRIES).unwrap();
        fs::write(folder.join("filled"), "").unwrap();
    }
    folder
}
