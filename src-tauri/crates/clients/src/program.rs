//! The `askdesk` program, as Claude Code is told to run it.

use std::path::{Path, PathBuf};

use crate::surroundings::Surroundings;
use crate::table::SERVER;

/// Returns what Claude Code is to run, so that its shell finds this very program; none where its path is no text that a
/// settings file can hold.
pub fn hook_command(program: &Path) -> Option<String> {
    let program = program.to_str()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:\\".contains(c);
    let quoted = match (program.chars().all(plain), cfg!(windows)) {
        (true, _) => program.to_owned(),
        (false, true) => format!("\"{program}\""),
        (false, false) => format!("'{}'", program.replace('\'', r"'\''")),
    };
    Some(format!("{quoted} hook"))
}

/// Finds the program beside another one, such as the app itself, or on the path.
pub fn beside_or_on_path(other: Option<&Path>, around: &Surroundings) -> Option<PathBuf> {
    let beside = other
        .and_then(|other| Some(other.parent()?.join(format!("{SERVER}{}", std::env::consts::EXE_SUFFIX))));
    let path = around.variables.get("PATH");
    beside.filter(|beside| beside.is_file()).or_else(|| which::which_in(SERVER, path, &around.home).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_path_with_spaces_is_one_word_to_the_shell() {
        assert_eq!(hook_command(Path::new("/usr/bin/askdesk")).as_deref(), Some("/usr/bin/askdesk hook"));
        let quoted = hook_command(Path::new("/home/ada's/my tools/askdesk"));
        assert_eq!(quoted.as_deref(), Some(r"'/home/ada'\''s/my tools/askdesk' hook"));
    }

    #[test]
    fn the_program_beside_the_app_comes_before_one_on_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let around = |path: &Path| Surroundings {
            system: crate::System::HERE,
            home: folder.path().to_owned(),
            project: folder.path().to_owned(),
            variables: [("PATH", path.as_os_str().to_owned())].into(),
        };
        let app = folder.path().join("askdesk-desktop");
        let here = around(folder.path());
        assert_eq!(beside_or_on_path(Some(&app), &here), None);
        let program = folder.path().join(format!("askdesk{}", std::env::consts::EXE_SUFFIX));
        std::fs::write(&program, "").unwrap();
        assert_eq!(beside_or_on_path(Some(&app), &here), Some(program));
    }
}
