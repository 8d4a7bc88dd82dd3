//! Reads the command line into one closed enum.

use std::ffi::OsString;

use anyhow::{Result, bail};

/// The text shown for `cargo xtask help` and after a mistake on the command line.
pub const USAGE: &str = "\
Usage: cargo xtask <command>

  run [--yes] [--release] [-- ARGS]  check what is missing, build and open the desk; ARGS go to it
  test [--yes] [--quick] [FILTER]    all checks and tests; the last line counts them
                                       --quick   without clippy and without the tests that need a window
                                       FILTER    only the Rust and UI tests whose name holds it
  tidy                               the rules of the tree that no compiler checks
  wire                               write the generated TypeScript types again
  package-files                      build the program `askdesk` with its pages and completions for the packages
  bench [--yes]                      measure the desk; prints one JSON object

  --yes  install what is missing without asking";

#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Build what changed and open the desk.
    Run(Run),
    /// Run every check and every test.
    Test(Test),
    /// Check the rules of the tree.
    Tidy,
    /// Regenerate the TypeScript types.
    Wire,
    /// Build what packages carry besides the desk.
    PackageFiles,
    /// Measure the desk.
    Bench {
        /// Installs without asking.
        yes: bool,
    },
    /// Run a command beside a window manager and a notification daemon; started by `test` and `bench` alone.
    InsideSession(Vec<OsString>),
    /// Print the usage.
    Help,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Installs without asking.
    pub yes: bool,
    /// Builds with optimisations.
    pub release: bool,
    /// Goes to the desk as it is.
    pub arguments: Vec<OsString>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Test {
    /// Installs without asking.
    pub yes: bool,
    /// Leaves out clippy and the tests that need a window.
    pub quick: bool,
    /// Runs only the tests whose name holds this.
    pub filter: Option<String>,
}

/// Reads the words after `cargo xtask`.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Command> {
    let mut words = words.into_iter();
    let Some(command) = words.next() else { return Ok(Command::Help) };
    match command.to_string_lossy().as_ref() {
        "run" => run(words).map(Command::Run),
        "test" => test(words).map(Command::Test),
        "tidy" => no_more("tidy", words).map(|()| Command::Tidy),
        "wire" => no_more("wire", words).map(|()| Command::Wire),
        "package-files" => no_more("package-files", words).map(|()| Command::PackageFiles),
        "bench" => bench(words),
        crate::private_session::INSIDE => Ok(Command::InsideSession(words.collect())),
        "help" | "--help" | "-h" => Ok(Command::Help),
        other => bail!("there is no command `{other}`\n\n{USAGE}"),
    }
}

fn run(words: impl Iterator<Item = OsString>) -> Result<Run> {
    let mut run = Run::default();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        match word.to_string_lossy().as_ref() {
            "--yes" | "-y" => run.yes = true,
            "--release" => run.release = true,
            "--" => run.arguments = words.by_ref().collect(),
            other => {
                bail!("`run` does not know `{other}`; what goes to the desk comes after `--`\n\n{USAGE}")
            }
        }
    }
    Ok(run)
}

fn test(words: impl Iterator<Item = OsString>) -> Result<Test> {
    let mut test = Test::default();
    for word in words {
        match word.to_string_lossy().as_ref() {
            "--yes" | "-y" => test.yes = true,
            "--quick" => test.quick = true,
            flag if flag.starts_with('-') => bail!("`test` does not know `{flag}`\n\n{USAGE}"),
            second if test.filter.is_some() => bail!("`test` takes one filter; `{second}` is one too many"),
            filter => test.filter = Some(filter.to_owned()),
        }
    }
    Ok(test)
}

fn bench(words: impl Iterator<Item = OsString>) -> Result<Command> {
    let mut yes = false;
    for word in words {
        match word.to_string_lossy().as_ref() {
            "--yes" | "-y" => yes = true,
            other => bail!("`bench` does not know `{other}`\n\n{USAGE}"),
        }
    }
    Ok(Command::Bench { yes })
}

fn no_more(command: &str, mut words: impl Iterator<Item = OsString>) -> Result<()> {
    match words.next() {
        Some(word) => bail!("`{command}` takes nothing more, but `{}` was given\n\n{USAGE}", word.display()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &Command) {
        assert_eq!(parse(line.split_whitespace().map(OsString::from)).unwrap(), *expected, "{line}");
    }

    fn refuses(line: &str, words: &str) {
        let error = parse(line.split_whitespace().map(OsString::from)).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }

    #[test]
    fn options_are_read_in_any_order() {
        check("run", &Command::Run(Run::default()));
        check(
            "run --release --yes -- --demo --yes",
            &Command::Run(Run { yes: true, release: true, arguments: vec!["--demo".into(), "--yes".into()] }),
        );
        check(
            "test case_16 --yes",
            &Command::Test(Test { yes: true, quick: false, filter: Some("case_16".into()) }),
        );
        check("test --quick", &Command::Test(Test { quick: true, ..Test::default() }));
        check("bench --yes", &Command::Bench { yes: true });
        check("package-files", &Command::PackageFiles);
        check("", &Command::Help);
    }

    #[test]
    fn what_is_not_known_is_named_in_the_refusal() {
        refuses("rum", "`rum`");
        refuses("run --fast", "`--fast`");
        refuses("test one two", "`two`");
        refuses("tidy now", "`now`");
    }
}
