//! Files that exist and can't be read, also where the tests run as root.

use std::fs::{Permissions, set_permissions};
use std::io::Result;
use std::os::unix::fs::PermissionsExt as _;
use std::panic::resume_unwind;
use std::path::Path;

/// Runs something while a file can't be read.
pub fn while_unreadable<T: Send>(file: &Path, run: impl FnOnce() -> T + Send) -> Result<T> {
    let before = std::fs::metadata(file)?.permissions();
    set_permissions(file, Permissions::from_mode(0o200))?;
    let ran = std::thread::scope(|threads| {
        let running = threads.spawn(|| {
            #[cfg(target_os = "linux")]
            read_as_others_do()?;
            Ok(run())
        });
        running.join().unwrap_or_else(|panic| resume_unwind(panic))
    });
    set_permissions(file, before)?;
    ran
}

/// Takes from this thread, and from those that it starts, what lets root read every file.
#[cfg(target_os = "linux")]
fn read_as_others_do() -> Result<()> {
    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
    let mut sets = capabilities(None)?;
    sets.effective -= CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
    Ok(set_capabilities(None, sets)?)
}
