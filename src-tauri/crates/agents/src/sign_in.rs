//! The sign-in that an agent reads from a file when it starts, and keeps while it runs.

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::Value;

/// The longest file that is read whole, in bytes; only the beginning of a longer one counts.
const FILE_BYTES: u64 = 1024 * 1024;

/// Makes hashes that mean nothing outside this run, so that none of them tells anything about a key.
static HASHES: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// A sign-in as it was when a session started. Only a hash of it is kept.
#[derive(Clone, Debug)]
pub struct SignIn {
    file: PathBuf,
    /// Removes from the file's content what the agent renews by itself.
    forget_renewed: fn(&mut Value),
    hash: u64,
}

impl SignIn {
    /// Reads the present sign-in. A file that is missing is a sign-in too: none.
    pub fn read(file: PathBuf, forget_renewed: fn(&mut Value)) -> Self {
        let hash = hash_of(&file, forget_renewed);
        Self { file, forget_renewed, hash }
    }

    /// Tells this sign-in apart from others of this run.
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// Whether the user has signed in otherwise, or out, since this was read.
    pub fn has_changed(&self) -> bool {
        hash_of(&self.file, self.forget_renewed) != self.hash
    }
}

fn hash_of(file: &PathBuf, forget_renewed: fn(&mut Value)) -> u64 {
    let mut content = Vec::new();
    let read: io::Result<usize> =
        File::open(file).and_then(|file| file.take(FILE_BYTES).read_to_end(&mut content));
    match (read, askdesk_outside_json::from_slice::<Value>(&content)) {
        (Ok(_), Ok(mut known)) => {
            forget_renewed(&mut known);
            HASHES.hash_one(known.to_string())
        }
        (Ok(_), Err(_)) => HASHES.hash_one(content),
        (Err(_), _) => HASHES.hash_one(()),
    }
}
