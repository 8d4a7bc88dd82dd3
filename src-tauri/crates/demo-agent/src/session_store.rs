//! Stores sessions between processes, so that resuming succeeds and fails as with the real program.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::options::{Options, SessionStart};

/// The file of this session; none if sessions are not stored.
#[derive(Debug)]
pub(super) struct SessionFile {
    file: Option<PathBuf>,
}

/// What a start comes to.
#[derive(Debug)]
pub(super) enum OpenResult {
    /// The session runs under this id, from this turn on.
    Runs { id: String, turns_played: usize, session_file: SessionFile },
    /// The id is another session's; nothing but stderr says so.
    AlreadyInUse(String),
    /// There is no such session to resume.
    Unknown(String),
}

/// Opens the session that the options ask for.
pub(super) fn open(options: &Options) -> OpenResult {
    let fresh = || uuid::Uuid::new_v4().to_string();
    let file = |id: &str| options.sessions_dir.as_ref().map(|dir| dir.join(format!("{id}.turns")));
    let played = |id: &str| {
        let text = std::fs::read_to_string(file(id)?).ok()?;
        text.trim().parse::<usize>().ok()
    };
    match &options.start {
        SessionStart::Fresh => {
            let id = fresh();
            OpenResult::Runs { session_file: SessionFile { file: file(&id) }, id, turns_played: 0 }
        }
        SessionStart::Given(id) if played(id).is_some() => OpenResult::AlreadyInUse(id.clone()),
        SessionStart::Given(id) => {
            OpenResult::Runs { session_file: SessionFile { file: file(id) }, id: id.clone(), turns_played: 0 }
        }
        SessionStart::Resumed { id, fork } => {
            let turns_played = played(id);
            if options.sessions_dir.is_some() && turns_played.is_none() {
                return OpenResult::Unknown(id.clone());
            }
            let id = if *fork { fresh() } else { id.clone() };
            let session_file = SessionFile { file: file(&id) };
            OpenResult::Runs { id, turns_played: turns_played.unwrap_or(0), session_file }
        }
    }
}

impl SessionFile {
    /// Remembers how far the scenario got.
    pub(super) fn remember(&self, turns_played: usize) {
        let Some(file) = &self.file else { return };
        if let Err(error) = write(file, &turns_played.to_string()) {
            eprintln!(
                "fake-agent: {} cannot be written ({error}); this session cannot be resumed",
                file.display()
            );
        }
    }
}

/// Writes a file that only its owner can read: the demo stores its sessions in the data folder of the app.
fn write(file: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(text.as_bytes())
}
