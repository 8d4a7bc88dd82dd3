//! The demo agent as a program of its own.

use std::path::PathBuf;

/// Finds the program for a test, and builds it first where it is missing.
pub fn program_or_build() -> std::io::Result<PathBuf> {
    crate::find_or_build_program("fake-agent")
}
