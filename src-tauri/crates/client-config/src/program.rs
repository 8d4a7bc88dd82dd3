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

/// Tells whether the program that such a command runs is there.
pub(crate) fn is_there(command: &str, around: &Surroundings) -> bool {
    let word = command.strip_suffix(" hook").unwrap_or(command);
    let parted = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    let program = match (parted('\''), parted('"')) {
        (Some(program), _) => program.replace(r"'\''", "'"),
        (_, Some(program)) => program.to_owned(),
        _ => word.to_owned(),
    };
    which::which_in(program, around.variables.get("PATH"), &around.home).is_ok()
}

/// Finds the program beside another one, such as the app itself, or on the path. What an AppImage holds is gone when the app
/// ends, so it does not count.
pub fn beside_or_on_path(other: Option<&Path>, around: &Surroundings) -> Option<PathBuf> {
    let mounted = around.variables.get("APPDIR").map(Path::new);
    let in_image = mounted.is_some() || around.variables.contains_key("APPIMAGE");
    let other = other.filter(|_| !in_image);
    let beside = other
        .and_then(|other| Some(other.parent()?.join(format!("{SERVER}{}", std::env::consts::EXE_SUFFIX))));
    let on_path = || {
        let mut found = which::which_in_all(SERVER, around.variables.get("PATH"), &around.home).ok()?;
        found.find(|program| mounted.is_none_or(|mounted| !program.starts_with(mounted)))
    };
    beside.filter(|beside| beside.is_file()).or_else(on_path)
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

    #[cfg(unix)]
    #[test]
    fn what_is_in_an_appimage_is_not_written_into_anybodys_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (mounted, bin) = (folder.path().join("mount"), folder.path().join("bin"));
        let make = |folder: &Path| {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join("askdesk"), "").unwrap();
            std::fs::set_permissions(folder.join("askdesk"), std::fs::Permissions::from_mode(0o755)).unwrap();
        };
        make(&mounted);
        // The image puts its own folder before all others.
        let path = std::env::join_paths([&mounted, &bin]).unwrap();
        let around = Surroundings {
            system: crate::System::HERE,
            home: folder.path().to_owned(),
            project: folder.path().to_owned(),
            variables: [("PATH", path), ("APPDIR", mounted.clone().into_os_string())].into(),
        };
        let app = mounted.join("askdesk-desktop");
        assert_eq!(beside_or_on_path(Some(&app), &around), None);
        make(&bin);
        assert_eq!(beside_or_on_path(Some(&app), &around), Some(bin.join("askdesk")));
    }
}
