//! The command that Claude Code's hooks run: `askdesk hook`.

use std::path::{Path, PathBuf};

use crate::entries::SERVER;
use crate::env::{Env, Os};

/// Quotes the path of the `askdesk` program for the shell that runs Claude Code's hooks. Returns `None` if the path isn't UTF-8.
///
/// On Windows that is Git Bash, or `cmd.exe` where there is none. Both take a quoted path with slashes; Git Bash drops the
/// backslashes of one without quotes, and `cmd.exe` reads its slashes as switches.
pub fn hook_command(program: &Path, os: Os) -> Option<String> {
    let program = program.to_str()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:".contains(c);
    let quoted = match os {
        Os::Windows => format!("\"{}\"", program.replace('\\', "/").replace('$', r"\$").replace('`', r"\`")),
        Os::Linux | Os::MacOs if program.chars().all(plain) => program.to_owned(),
        Os::Linux | Os::MacOs => format!("'{}'", program.replace('\'', r"'\''")),
    };
    Some(format!("{quoted} hook"))
}

/// Tells whether the program of a hook command exists, and its shell finds it.
pub(crate) fn program_exists(command: &str, env: &Env) -> bool {
    let word = command.strip_suffix(" hook").unwrap_or(command);
    let parted = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    let program = match (parted('\''), parted('"')) {
        (Some(program), _) => program.replace(r"'\''", "'"),
        (_, Some(program)) => program.replace(r"\$", "$").replace(r"\`", "`"),
        // What earlier versions wrote on Windows, which Git Bash does not find.
        _ if env.os == Os::Windows && word.contains('\\') => return false,
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
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(Os::Linux, "/usr/bin/askdesk", "/usr/bin/askdesk hook")]
    #[case(Os::Linux, "/home/ada's/my tools/askdesk", r"'/home/ada'\''s/my tools/askdesk' hook")]
    #[case(Os::MacOs, r"/home/a\b/askdesk", r"'/home/a\b/askdesk' hook")]
    #[case(Os::Windows, r"C:\Tools\askdesk.exe", r#""C:/Tools/askdesk.exe" hook"#)]
    #[case(
        Os::Windows,
        r"C:\Program Files\Askdesk\askdesk.exe",
        r#""C:/Program Files/Askdesk/askdesk.exe" hook"#
    )]
    #[case(Os::Windows, r"C:\a$b`c\askdesk.exe", r#""C:/a\$b\`c/askdesk.exe" hook"#)]
    fn case_153_a_path_is_quoted_for_the_shell_of_the_hooks(
        #[case] os: Os,
        #[case] program: &str,
        #[case] command: &str,
    ) {
        assert_eq!(hook_command(Path::new(program), os).as_deref(), Some(command));
    }

    /// Bash reads the line as Git Bash does.
    #[cfg(unix)]
    #[test]
    fn case_153_bash_finds_the_program_of_a_hook_command_of_windows() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("C:/Program $Files`x`/askdesk.exe");
        std::fs::create_dir_all(program.parent().unwrap()).unwrap();
        std::fs::write(&program, "#!/bin/sh\necho \"ran $1\"\n").unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let command = hook_command(Path::new(r"C:\Program $Files`x`\askdesk.exe"), Os::Windows).unwrap();
        let mut bash = std::process::Command::new("bash");
        let output = bash.args(["-c", &command]).current_dir(folder.path()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "ran hook\n", "{output:?}");
    }

    #[test]
    fn case_153_a_command_that_git_bash_cannot_find_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("askdesk.exe");
        std::fs::write(&program, "").unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let env = Env {
            os: Os::Windows,
            home: folder.path().to_owned(),
            project: folder.path().to_owned(),
            variables: [].into_iter().collect(),
        };
        let quoted = hook_command(&program, Os::Windows).unwrap();
        assert!(program_exists(&quoted, &env), "{quoted}");
        let bare = format!("{} hook", program.display().to_string().replace('/', "\\"));
        assert!(!program_exists(&bare, &env), "{bare}");
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
