//! The user's shell, and the arguments with which it runs a program in the environment of a terminal.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use askdesk_contract::Way;

use crate::variables::Variables;

/// Returns the user's shell: the one of `SHELL`, else the account's. `None` if neither is a program.
pub fn user_shell(variables: &Variables) -> Option<PathBuf> {
    let named = variables.get("SHELL").map(PathBuf::from);
    named.into_iter().chain(account_shell()).find(|shell| shell.is_absolute() && is_a_shell(shell))
}

/// Accounts that nobody works in have a program that refuses to start.
fn is_a_shell(program: &Path) -> bool {
    program.is_file() && !["false", "nologin"].iter().any(|name| program.ends_with(name))
}

#[cfg(unix)]
fn account_shell() -> Option<PathBuf> {
    let user = nix::unistd::User::from_uid(nix::unistd::Uid::effective()).ok()??;
    Some(user.shell)
}

#[cfg(not(unix))]
fn account_shell() -> Option<PathBuf> {
    None
}

/// What a shell is, as far as its arguments go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bash,
    Fish,
    Nushell,
    PowerShell,
    /// It takes `-l` only as the only argument.
    Csh,
    /// Zsh, dash, ksh, and the others that take `-l`, `-i`, and `-c`.
    Posix,
}

impl Kind {
    fn of(shell: &Path) -> Self {
        let name = shell.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        match name.as_str() {
            "bash" => Self::Bash,
            "fish" => Self::Fish,
            "nu" => Self::Nushell,
            "pwsh" | "powershell" => Self::PowerShell,
            "csh" | "tcsh" => Self::Csh,
            _ => Self::Posix,
        }
    }

    /// Writes a command of this shell that runs a program. The argument needs no quotes.
    fn command(self, program: &Path, argument: &str) -> OsString {
        let program = program.to_string_lossy();
        let line = match self {
            Self::Bash | Self::Csh | Self::Posix => {
                format!("'{}' environment {argument}", program.replace('\'', r"'\''"))
            }
            Self::Fish => {
                let escaped = program.replace('\\', r"\\").replace('\'', r"\'");
                format!("'{escaped}' environment {argument}")
            }
            Self::Nushell => {
                let escaped = program.replace('\\', r"\\").replace('"', r#"\""#);
                format!("^\"{escaped}\" environment {argument}")
            }
            Self::PowerShell => format!("& '{}' environment {argument}", program.replace('\'', "''")),
        };
        line.into()
    }
}

/// Returns the arguments with which a shell reads its startup files and then runs a program with one argument.
pub(crate) fn arguments(shell: &Path, way: Way, program: &Path, argument: &str) -> Vec<OsString> {
    let kind = Kind::of(shell);
    let command = kind.command(program, argument);
    let interactive = way == Way::InteractiveLogin;
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let mut arguments = match (kind, interactive) {
        // A login bash doesn't read `.bashrc`, which a terminal's bash does. So one starts the other.
        (Kind::Bash, true) => {
            let mut arguments = words(&["-l", "-c", r#"exec "$0" -i -c "$1""#]);
            arguments.push(shell.as_os_str().to_owned());
            arguments
        }
        (Kind::Posix | Kind::Fish, true) => words(&["-l", "-i", "-c"]),
        (Kind::Bash | Kind::Posix | Kind::Fish, false) | (Kind::Nushell, _) => words(&["-l", "-c"]),
        (Kind::PowerShell, _) => words(&["-Login", "-Command"]),
        (Kind::Csh, true) => words(&["-i", "-c"]),
        (Kind::Csh, false) => words(&["-c"]),
    };
    arguments.push(command);
    arguments
}

/// Returns the program and the arguments that run a shell without an input that it could wait for.
pub fn without_input(shell: &Path, arguments: Vec<OsString>) -> (PathBuf, Vec<OsString>) {
    let words = ["-c", r#"exec "$0" "$@" </dev/null"#].map(OsString::from);
    let words = words.into_iter().chain([shell.as_os_str().to_owned()]).chain(arguments);
    (PathBuf::from("/bin/sh"), words.collect())
}

/// Returns the arguments with which a shell runs a line of the user's own as it does in their terminal: what startup files
/// define besides variables, such as `nvm`, is there. The variables of the user's environment must be set already, because a
/// login would set `PATH` anew.
pub fn line_arguments(shell: &Path, line: &str) -> Vec<OsString> {
    let name = shell.file_stem().unwrap_or_default();
    let interactive = ["bash", "zsh"].iter().any(|known| name == *known).then_some("-i");
    interactive.into_iter().chain(["-c", line]).map(OsString::from).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("/bin/zsh", Way::InteractiveLogin, "-l|-i|-c|'/opt/a b/askdesk' environment m")]
    #[case("/bin/zsh", Way::Login, "-l|-c|'/opt/a b/askdesk' environment m")]
    #[case(
        "/bin/bash",
        Way::InteractiveLogin,
        r#"-l|-c|exec "$0" -i -c "$1"|/bin/bash|'/opt/a b/askdesk' environment m"#
    )]
    #[case("/bin/bash", Way::Login, "-l|-c|'/opt/a b/askdesk' environment m")]
    #[case("/usr/bin/fish", Way::InteractiveLogin, "-l|-i|-c|'/opt/a b/askdesk' environment m")]
    #[case("/bin/dash", Way::InteractiveLogin, "-l|-i|-c|'/opt/a b/askdesk' environment m")]
    #[case("/usr/bin/nu", Way::InteractiveLogin, r#"-l|-c|^"/opt/a b/askdesk" environment m"#)]
    #[case("/usr/bin/pwsh", Way::InteractiveLogin, "-Login|-Command|& '/opt/a b/askdesk' environment m")]
    #[case("/bin/tcsh", Way::InteractiveLogin, "-i|-c|'/opt/a b/askdesk' environment m")]
    fn each_shell_is_asked_in_its_own_words(#[case] shell: &str, #[case] way: Way, #[case] expected: &str) {
        let arguments = arguments(Path::new(shell), way, Path::new("/opt/a b/askdesk"), "m");
        let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
        assert_eq!(words.join("|"), expected);
    }

    #[rstest]
    #[case(Kind::Posix, r"'/it'\''s/askdesk' environment m")]
    #[case(Kind::Fish, r"'/it\'s/askdesk' environment m")]
    #[case(Kind::PowerShell, "& '/it''s/askdesk' environment m")]
    fn a_quote_in_the_path_is_escaped(#[case] kind: Kind, #[case] expected: &str) {
        assert_eq!(kind.command(Path::new("/it's/askdesk"), "m"), expected);
    }

    #[cfg(unix)]
    #[test]
    fn an_account_whose_shell_is_no_program_has_the_one_of_the_password_database_or_none() {
        let mut variables = Variables::default();
        variables.set("SHELL", "/bin/sh");
        assert_eq!(user_shell(&variables).as_deref(), Some(Path::new("/bin/sh")));
        variables.set("SHELL", "/nowhere/zsh");
        let other = user_shell(&variables);
        assert!(other.as_deref().is_none_or(Path::is_file), "{other:?}");
        assert!(!is_a_shell(Path::new("/usr/sbin/nologin")) && !is_a_shell(Path::new("/bin/false")));
    }
}
