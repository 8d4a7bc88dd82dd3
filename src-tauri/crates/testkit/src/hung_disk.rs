//! A file system that doesn't respond, such as a network folder whose server is gone.

use std::fs::File;
use std::io::Result;
use std::path::PathBuf;
use std::process::Stdio;

use tempfile::TempDir;

use crate::clis::report_skipped;
use crate::small_disk::as_root;

/// What mounting takes: the test runs as root, or `sudo` asks for no password.
const NEEDS: &str = "a hung disk can't be mounted; run the tests as root, or allow `sudo` without a password";

/// Whoever looks into it waits until it is dropped, and gets an error then.
#[derive(Debug)]
pub struct HungDisk {
    /// The disk is one level deeper, so that a list of temporary folders doesn't hang.
    folder: TempDir,
    /// The system asks here for everything on the disk. Nobody answers.
    requests: Option<File>,
}

impl HungDisk {
    /// Mounts one, or reports that the test did not run.
    pub fn mount_or_skip(test: &str) -> Option<Self> {
        let mut disk = Self { folder: TempDir::new().ok()?, requests: None };
        match disk.mount() {
            Ok(requests) => {
                disk.requests = Some(requests);
                Some(disk)
            }
            Err(error) => {
                report_skipped(test, &format!("{NEEDS} ({error})"));
                None
            }
        }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    fn mount(&self) -> Result<File> {
        std::fs::create_dir(self.path())?;
        let requests = File::options().read(true).write(true).open("/dev/fuse")?;
        let options = "fd=0,rootmode=40000,user_id=0,group_id=0,allow_other";
        let mount = ["mount", "-i", "-t", "fuse", "-o", options, "hung"];
        as_root(&mount, &self.path(), requests.try_clone()?.into())?;
        Ok(requests)
    }
}

impl Drop for HungDisk {
    fn drop(&mut self) {
        // Whoever waits gets an error.
        if self.requests.take().is_some() {
            let _ = as_root(&["umount", "--lazy"], &self.path(), Stdio::null());
        }
    }
}
