//! Records the inputs of a generated folder, so that it is built again only when they change.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

/// The name of the file; the testkit looks for it too.
const FILE: &str = ".askdesk-stamp";

/// A file in a generated folder that holds the hash of its inputs.
pub struct Fingerprint {
    file: PathBuf,
    content: String,
}

impl Fingerprint {
    pub fn in_folder(folder: &Path, inputs: Hash) -> Self {
        Self { file: folder.join(FILE), content: inputs.to_string() }
    }

    /// Whether the folder was built from these inputs.
    pub fn matches(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|found| found == self.content)
    }

    pub fn write(&self) -> Result<()> {
        fs::write(&self.file, &self.content).with_context(|| format!("cannot write {}", self.file.display()))
    }
}

/// FNV-1a in 64 bits: the same on every machine and compiler, which the standard hasher does not promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hash(u64);

impl Hash {
    pub const START: Self = Self(0xcbf2_9ce4_8422_2325);

    pub fn of(bytes: &[u8]) -> Self {
        let mut hash = Self::START;
        hash.add(bytes);
        hash
    }

    /// Adds bytes as one unit, whatever their length.
    pub fn add(&mut self, bytes: &[u8]) {
        // The length tells "ab", "c" from "a", "bc".
        for byte in bytes.iter().copied().chain((bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl std::fmt::Display for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
