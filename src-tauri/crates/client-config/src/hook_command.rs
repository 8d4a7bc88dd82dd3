//! The command that Claude Code's hooks run: `askdesk hook`.

use std::path::{Path, PathBuf};

use crate::entries::SERVER;
use crate::env::Env;

/// Quotes the path of the `askdesk` program for Claude Code's shell. Returns `None` if the path isn't UTF-8.
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

/// Tells whether the program of a hook command exists.
pub(crate) fn program_exists(command: &str, env: &Env) -> bool {
    let word = command.strip_suffix(" hook").unwrap_or(command);
    let parted = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    let program = match (parted('\''), parted('"')) {
        (Some(program), _) => program.replace(r"'\''", "'"),
        (_, Some(program)) => program.to_owned(),
        _ => word.to_owned(),
    };
    which::which_in(program, env.variables.get("PATH"), &env.home).is_ok()
}

/// Finds `askdesk` beside another program, such as the app, or on the path. A program inside an AppImage doesn't count,
/// because it is gone once the app ends.
pub fn find_askdesk(other: Option<&Path>, env: &Env) -> Option<PathBuf> {
    let mounted = env.variables.get("APPDIR").map(Path::new);
    let in_image = mounted.is_some() || env.variables.get("APPIMAGE").is_some();
    let other = other.filter(|_| !in_image);
    let beside = other
        .and_then(|other| Some(other.parent()?.join(format!("{SERVER}{}", std::env::consts::EXE_SUFFIX))));
    let on_path = || {
        let mut found = which::which_in_all(SERVER, env.variables.get("PATH"), &env.home).ok()?;
        found.find(|program| mounted.is_none_or(|mounted| !program.starts_with(mounted)))
    };
    beside.filter(|beside| beside.is_file()).or_else(on_path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_path_with_spaces_is_quoted() {
        assert_eq!(hook_command(Path::new("/usr/bin/askdesk")).as_deref(), Some("/usr/bin/askdesk hook"));
        let quoted = hook_command(Path::new("/home/ada's/my tools/askdesk"));
        assert_eq!(quoted.as_deref(), Some(r"'/home/ada'\''s/my tools/askdesk' hook"));
    }

    #[test]
    fn the_program_beside_the_app_comes_before_one_on_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let env = |path: &Path| Env {
            os: crate::Os::CURRENT,
            home: folder.path().to_owned(),
            project: folder.path().to_owned(),
            variables: [("PATH".into(), path.as_os_str().to_owned())].into_iter().collect(),
        };
        let app = folder.path().join("askdesk-desktop");
        let here = env(folder.path());
        assert_eq!(find_askdesk(Some(&app), &here), None);
        let program = folder.path().join(format!("askdesk{}", std::env::consts::EXE_SUFFIX));
        std::fs::write(&program, "").unwrap();
        assert_eq!(find_askdesk(Some(&app), &here), Some(program));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_inside_an_appimage_is_not_used() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (mounted, bin) = (folder.path().join("mount"), folder.path().join("bin"));
        let make = |folder: &Path| {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join("askdesk"), "").unwrap();
            std::fs::set_permissions(folder.join("askdesk"), std::fs::Permissions::from_mode(0o755)).unwrap();
        };
        make(&mounted);
        // An AppImage puts its own folder first.
        let path = std::env::join_paths([&mounted, &bin]).unwrap();
        let env = Env {
            os: crate::Os::CURRENT,
            home: folder.path().to_owned(),
            project: folder.path().to_owned(),
            variables: [("PATH".into(), path), ("APPDIR".into(), mounted.clone().into_os_string())]
                .into_iter()
                .collect(),
        };
        let app = mounted.join("askdesk-desktop");
        assert_eq!(find_askdesk(Some(&app), &env), None);
        make(&bin);
        assert_eq!(find_askdesk(Some(&app), &env), Some(bin.join("askdesk")));
    }
}
