//! Replacing a file that other programs may be reading.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

/// How long a file that another program has open is tried again.
const PATIENCE: Duration = Duration::from_secs(1);
const AGAIN: Duration = Duration::from_millis(20);

/// Puts a new file in the place of another one. On Windows, a program that has the other one open stops that for as long as it
/// reads, so it is tried again. Blocks.
pub fn persist(mut file: NamedTempFile, path: &Path) -> io::Result<()> {
    let until = Instant::now() + PATIENCE;
    loop {
        let failed = match file.persist(path) {
            Ok(_) => return Ok(()),
            Err(failed) => failed,
        };
        let may_pass = cfg!(windows) && failed.error.kind() == io::ErrorKind::PermissionDenied;
        if !may_pass || Instant::now() >= until {
            return Err(failed.error);
        }
        file = failed.file;
        std::thread::sleep(AGAIN);
    }
}

#[cfg(windows)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::windows::fs::OpenOptionsExt as _;

    use super::*;

    #[test]
    fn case_153_a_file_that_another_program_reads_for_a_moment_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.toml");
        fs::write(&path, "old").unwrap();
        let reader = fs::OpenOptions::new().read(true).share_mode(1).open(&path).unwrap();
        let reading = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            drop(reader);
        });
        let file = NamedTempFile::new_in(folder.path()).unwrap();
        fs::write(file.path(), "new").unwrap();
        persist(file, &path).unwrap();
        reading.join().unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "new");
    }
}
