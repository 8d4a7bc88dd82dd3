//! Marks everything that an agent starts by a variable in its environment, so that it is found when its agent host was killed
//! and even when it is below nothing that is known any more. A process without any environment is not found.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use askdesk_agent_host::tree::kill_started_with;
use tokio::process::Command;
use uuid::Uuid;

use super::owner;

/// The variable. Its value is the id of a run of the app, a dot, and the number of the tree in that run.
const VARIABLE: &str = "ASKDESK_AGENT_TREE";
/// How the names of the files begin that keep the ids of runs.
const FILE_PREFIX: &str = "run-";

/// The mark of one agent and all it starts.
#[derive(Debug)]
pub struct TreeMark(String);

impl TreeMark {
    pub fn put_on(command: &mut Command) -> Self {
        static TREES: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}.{}", run(), TREES.fetch_add(1, Ordering::Relaxed));
        command.env(VARIABLE, &mark);
        Self(mark)
    }

    pub fn kill_all(&self) {
        kill_started_with(VARIABLE, |value| value == self.0.as_bytes());
    }
}

/// The random id of this run of the app.
fn run() -> Uuid {
    static RUN: OnceLock<Uuid> = OnceLock::new();
    *RUN.get_or_init(Uuid::new_v4)
}

/// Returns the name of the file that keeps the id of this run.
pub fn file_of_run() -> String {
    format!("{FILE_PREFIX}{}", run())
}

/// Whether a file keeps the id of a run.
pub fn is_file_of_run(name: &str) -> bool {
    name.strip_prefix(FILE_PREFIX).is_some_and(|id| Uuid::try_parse(id).is_ok())
}

/// Kills what earlier runs left behind that have ended, and forgets these runs. A run that goes on has another folder, of which
/// this one is a copy.
pub fn kill_earlier(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| Uuid::try_parse(name.strip_prefix(FILE_PREFIX)?).ok());
        let Some(id) = id.filter(|id| *id != run()) else { continue };
        let has_ended = owner::has_ended(&fs::read_to_string(entry.path()).unwrap_or_default());
        if has_ended == Some(false) {
            continue;
        }
        let prefix = format!("{id}.");
        if has_ended == Some(true)
            && let killed @ 1.. = kill_started_with(VARIABLE, |value| value.starts_with(prefix.as_bytes()))
        {
            tracing::warn!(killed, "processes of agents outlived Askdesk, so they were ended now");
        }
        if let Err(error) = fs::remove_file(entry.path()) {
            tracing::warn!(%error, "the record of an earlier run could not be removed");
        }
    }
}
