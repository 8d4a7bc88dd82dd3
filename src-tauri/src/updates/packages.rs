//! Installs Linux packages with the system's package manager, as the administrator.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use askdesk_api::dto::UpdateProblem;
use askdesk_user_environment::in_own_session;

use super::form::Form;

/// Asks for the administrator's password in a window and runs a program. By itself it would ask in a terminal, where nobody looks.
const PKEXEC: [&str; 2] = ["pkexec", "--disable-internal-agent"];

const APT_GET: &str = "/usr/bin/apt-get";

/// What `pkexec` ends with when the user closes its window.
const DISMISSED: i32 = 126;

/// What `pkexec` ends with when it may not, or can't, run the program.
const NOT_RUN: i32 = 127;

/// How much of what a package manager prints is shown, in characters. Its end says why it failed.
const SHOWN: usize = 1_000;

pub fn is_administrator() -> bool {
    rustix::process::geteuid().is_root()
}

/// Installs a package whose signature was checked.
pub fn install(package: &[u8], form: Form) -> Result<(), UpdateProblem> {
    let folder =
        tempfile::Builder::new().prefix("askdesk-update").tempdir().map_err(|error| system(&error))?;
    let file = folder.path().join(if form == Form::Rpm { "askdesk.rpm" } else { "askdesk.deb" });
    fs::write(&file, package).map_err(|error| system(&error))?;
    let manager =
        Manager { form, has_apt: Path::new(APT_GET).exists(), is_administrator: is_administrator() };
    judge(run(&manager.command(&file), folder.path()))
}

/// What decides how a package is installed.
struct Manager {
    form: Form,
    has_apt: bool,
    is_administrator: bool,
}

impl Manager {
    /// Returns the program to run, with its arguments.
    fn command(&self, file: &Path) -> Vec<OsString> {
        let manager: &[&str] = match self.form {
            Form::Rpm => &["rpm", "--upgrade"],
            // It also installs what the new version needs, and removes nothing for it.
            _ if self.has_apt => {
                &[APT_GET, "--yes", "--no-remove", "-o", "DPkg::Lock::Timeout=60", "install"]
            }
            _ => &["dpkg", "--install"],
        };
        let asks: &[&str] = if self.is_administrator { &[] } else { &PKEXEC };
        let words = asks.iter().chain(manager).map(OsString::from);
        words.chain([file.as_os_str().to_owned()]).collect()
    }
}

/// How a program ended, and what it printed.
struct Ended {
    status: ExitStatus,
    said: String,
}

/// Runs a program to its end, which it reaches even if this app is ended meanwhile: half of an installation is worse than none.
fn run(command: &[OsString], folder: &Path) -> io::Result<Ended> {
    let (program, arguments) = command.split_first().ok_or(ErrorKind::InvalidInput)?;
    // A pipe would break with this app.
    let path = folder.join("output");
    let output = File::create(&path)?;
    let mut child = Command::new(program);
    // Nobody sees a question of the package manager.
    child.args(arguments).stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    in_own_session(&mut child)?;
    let status = child.status()?;
    Ok(Ended { status, said: String::from_utf8_lossy(&fs::read(path)?).into_owned() })
}

fn judge(result: io::Result<Ended>) -> Result<(), UpdateProblem> {
    let Ended { status, said } = match result {
        Ok(ended) => ended,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(UpdateProblem::NoPasswordPrompt),
        Err(error) => return Err(system(&error)),
    };
    if status.success() {
        return Ok(());
    }
    Err(match status.code() {
        Some(DISMISSED) => UpdateProblem::NotAllowed,
        Some(NOT_RUN) if said.contains("authentication agent") => UpdateProblem::NoPasswordPrompt,
        Some(NOT_RUN) => UpdateProblem::NotAllowed,
        _ => UpdateProblem::Refused { output: end_of(&said) },
    })
}

fn end_of(said: &str) -> String {
    let said = said.trim();
    let skipped = said.chars().count().saturating_sub(SHOWN);
    said.chars().skip(skipped).collect()
}

fn system(error: &io::Error) -> UpdateProblem {
    UpdateProblem::System { error: error.to_string() }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(
        Form::Deb,
        true,
        false,
        "pkexec --disable-internal-agent /usr/bin/apt-get --yes --no-remove -o DPkg::Lock::Timeout=60 install /x y"
    )]
    #[case(
        Form::Deb,
        true,
        true,
        "/usr/bin/apt-get --yes --no-remove -o DPkg::Lock::Timeout=60 install /x y"
    )]
    #[case(Form::Deb, false, false, "pkexec --disable-internal-agent dpkg --install /x y")]
    #[case(Form::Rpm, true, false, "pkexec --disable-internal-agent rpm --upgrade /x y")]
    fn the_package_manager_is_asked_as_the_administrator(
        #[case] form: Form,
        #[case] has_apt: bool,
        #[case] is_administrator: bool,
        #[case] expected: &str,
    ) {
        let command = Manager { form, has_apt, is_administrator }.command(Path::new("/x y"));
        assert_eq!(command.join(OsStr::new(" ")), expected);
    }

    #[rstest]
    #[case("exit 0", Ok(()))]
    #[case("exit 126", Err(UpdateProblem::NotAllowed))]
    #[case("echo 'Not authorized' >&2; exit 127", Err(UpdateProblem::NotAllowed))]
    #[case("echo 'No authentication agent found.' >&2; exit 127", Err(UpdateProblem::NoPasswordPrompt))]
    #[case("echo 'E: broken'; exit 100", Err(UpdateProblem::Refused { output: "E: broken".to_owned() }))]
    #[case("kill -9 $$", Err(UpdateProblem::Refused { output: String::new() }))]
    fn what_the_package_manager_ends_with_is_told_apart(
        #[case] script: &str,
        #[case] expected: Result<(), UpdateProblem>,
    ) {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(judge(run(&["sh".into(), "-c".into(), script.into()], folder.path())), expected);
    }

    #[test]
    fn a_missing_password_prompt_is_named_and_long_output_is_cut_at_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let missing = run(&["no-such-program-here".into()], folder.path());
        assert_eq!(judge(missing), Err(UpdateProblem::NoPasswordPrompt));
        let said = end_of(&format!("start{}end\n", "ü".repeat(SHOWN)));
        assert!(said.ends_with("üend") && said.chars().count() == SHOWN);
    }
}
