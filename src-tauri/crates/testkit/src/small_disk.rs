//! A small file system that a test can fill, as a user's disk fills.

use std::fs::File;
use std::io::{Error, Result, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::clis::report_skipped;

/// What mounting takes: the test runs as root, or `sudo` asks for no password.
const NEEDS: &str =
    "a small disk can't be mounted; run the tests as root, or allow `sudo` without a password";

/// A file system in memory, until it is dropped.
#[derive(Debug)]
pub struct SmallDisk {
    folder: TempDir,
}

impl SmallDisk {
    /// Mounts a file system of some MiB, or reports that the test did not run.
    pub fn mount_or_skip(mebibytes: u32, test: &str) -> Option<Self> {
        let disk = Self { folder: TempDir::new().ok()? };
        let size = format!("size={mebibytes}m,mode=0777");
        match as_root(&["mount", "-t", "tmpfs", "-o", &size, "tmpfs"], disk.path(), Stdio::null()) {
            Ok(()) => Some(disk),
            Err(error) => {
                report_skipped(test, &format!("{NEEDS} ({error})"));
                None
            }
        }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file until there is no room for another byte.
    pub fn fill(&self) -> Result<()> {
        let mut file = File::options().create(true).append(true).open(self.filler())?;
        for size in [64 * 1024, 4 * 1024, 1] {
            while file.write(&vec![0; size]).is_ok_and(|written| written > 0) {}
        }
        Ok(())
    }

    /// Makes room again, also while a process that was just forked still has the file open.
    pub fn clear(&self) -> Result<()> {
        File::options().write(true).open(self.filler())?.set_len(0)?;
        std::fs::remove_file(self.filler())
    }

    /// Lets nothing be written, or everything again.
    pub fn set_read_only(&self, read_only: bool) -> Result<()> {
        let mode = if read_only { "remount,ro" } else { "remount,rw" };
        as_root(&["mount", "-o", mode], self.path(), Stdio::null())
    }

    fn filler(&self) -> PathBuf {
        self.path().join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a process that is just ending may still use it.
        let _ = as_root(&["umount", "--lazy"], self.path(), Stdio::null());
    }
}

pub(crate) fn as_root(command: &[&str], folder: &Path, input: Stdio) -> Result<()> {
    let sudo: &[&str] = if rustix::process::geteuid().is_root() { &[] } else { &["sudo", "-n"] };
    let words: Vec<&str> = sudo.iter().chain(command).copied().collect();
    let output = Command::new(words[0]).args(&words[1..]).arg(folder).stdin(input).output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}
