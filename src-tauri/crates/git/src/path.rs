//! Paths as bytes, as git writes and takes them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

#[cfg(unix)]
pub fn to_path(path: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(OsStr::from_bytes(path))
}

/// Git for Windows writes paths in UTF-8 and with slashes; what is shown and compared has backslashes.
#[cfg(not(unix))]
pub fn to_path(path: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(path).replace('/', "\\"))
}

#[cfg(unix)]
pub fn to_bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(not(unix))]
pub fn to_bytes(path: &Path) -> Vec<u8> {
    let text = OsStr::new(path).to_string_lossy();
    text.replace('\\', "/").into_bytes()
}
