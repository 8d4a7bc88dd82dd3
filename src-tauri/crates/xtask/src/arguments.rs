//! The command line: its commands, their options and their help texts.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand};

use crate::{private_session, test_programs};

#[derive(Debug, PartialEq, Eq, Parser)]
#[command(bin_name = "cargo xtask", subcommand_required = true, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Check what is missing, build what changed and open the app
    Run(Run),
    /// Open the app with a page that reloads as its sources change
    Dev(Dev),
    /// Run all checks and tests; the last line counts them
    Test(Test),
    /// Check the rules of the tree that no compiler checks
    Tidy,
    /// Compare the newest agents with the pinned ones, and with what the adapters know
    Drift,
    /// Write the generated TypeScript types and the guide's tables of settings again
    Wire,
    /// Build for release and make the packages that people install
    Dist(Dist),
    /// Install a package in a system of its own, and work with it as a user does
    TryPackage(TryPackage),
    /// Build the guide as a static site and check its links
    Guide {
        /// Build in this folder instead of target/guide
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Print what the changelog says about a version
    ReleaseNotes {
        /// The version, or its tag
        version: String,
    },
    /// Write latest.json, by which the installed app learns of a version, beside the signed packages
    UpdateManifest(UpdateManifest),
    /// Take libraries out of an AppImage that must be the system's own
    TrimAppimage {
        /// Only check that none is in it
        #[arg(long)]
        check: bool,
        file: PathBuf,
    },
    /// Measure the app and print one JSON object
    Bench(Bench),
    /// Run a command beside a window manager and a notification daemon; `test` and `bench` start it
    #[command(name = private_session::SUBCOMMAND, hide = true)]
    InsideSession {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<OsString>,
    },
    /// Run a test program within a time limit; `test` starts it
    #[command(name = test_programs::SUBCOMMAND, hide = true)]
    RunTestProgram {
        program: OsString,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
pub struct Bench {
    #[command(flatten)]
    pub install: Install,
    /// Measure only these: answers, load, stream, rest, start
    pub parts: Vec<String>,
}

#[derive(Debug, PartialEq, Eq, Args)]
pub struct UpdateManifest {
    /// The folder with the packages and their signatures
    pub folder: PathBuf,
    /// The version that the packages have
    #[arg(long)]
    pub version: String,
    /// The address below which the packages can be downloaded
    #[arg(long, value_name = "URL")]
    pub base_url: String,
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
pub struct Dist {
    #[command(flatten)]
    pub install: Install,
    /// Make only these: deb, rpm, appimage, dmg, app, msi, nsis; without it, all that this system can make
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub bundles: Vec<String>,
}

#[derive(Debug, PartialEq, Eq, Args)]
pub struct TryPackage {
    #[command(flatten)]
    pub install: Install,
    /// The package to try: a .deb, or an .rpm with `--root`
    pub package: PathBuf,
    /// A package of an earlier version, which is upgraded from
    #[arg(long, value_name = "PACKAGE")]
    pub from: Option<PathBuf>,
    /// A folder with a whole system in it, such as the content of a container's image, in place of a new Debian
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
pub struct Install {
    /// Install what is missing without asking
    #[arg(short, long)]
    pub yes: bool,
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
pub struct Run {
    #[command(flatten)]
    pub install: Install,
    /// Build with optimizations
    #[arg(long)]
    pub release: bool,
    /// Arguments for the app
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<OsString>,
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
pub struct Dev {
    #[command(flatten)]
    pub install: Install,
    /// Arguments for the app
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<OsString>,
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
pub struct Test {
    #[command(flatten)]
    pub install: Install,
    /// Run only rules, types, unit tests, the domain's tests, and the page tests of what changed
    #[arg(long)]
    pub quick: bool,
    /// Put the engine behind JSON in the window's tests, as if it were on another machine
    #[arg(long)]
    pub in_json: bool,
    /// Build for Windows instead, run the tests under Wine, and type-check for Windows and macOS
    #[arg(long, conflicts_with_all = ["quick", "in_json"])]
    pub windows: bool,
    /// Run only the Rust and UI tests whose name contains this
    pub filter: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Command, clap::Error> {
        Arguments::try_parse_from(line.split_whitespace()).map(|arguments| arguments.command)
    }

    #[test]
    fn each_command_reads_its_options() {
        let install = || Install { yes: true };
        let arguments = vec!["--demo".into(), "--yes".into()];
        let filter = Some("case_16".into());
        let inner = ["cargo", "test", "--", "--yes"].map(OsString::from).to_vec();
        for (line, expected) in [
            ("xtask run", Command::Run(Run::default())),
            (
                "xtask run --release --yes -- --demo --yes",
                Command::Run(Run { install: install(), release: true, arguments }),
            ),
            ("xtask dev -- --demo", Command::Dev(Dev { arguments: vec!["--demo".into()], ..Dev::default() })),
            ("xtask test case_16 -y", Command::Test(Test { install: install(), filter, ..Test::default() })),
            ("xtask test --in-json", Command::Test(Test { in_json: true, ..Test::default() })),
            ("xtask test --quick", Command::Test(Test { quick: true, ..Test::default() })),
            ("xtask guide", Command::Guide { out: None }),
            ("xtask guide --out site", Command::Guide { out: Some("site".into()) }),
            (
                "xtask bench --yes start",
                Command::Bench(Bench { install: install(), parts: vec!["start".into()] }),
            ),
            (
                "xtask dist --yes --bundles deb,rpm",
                Command::Dist(Dist { install: install(), bundles: vec!["deb".into(), "rpm".into()] }),
            ),
            ("xtask release-notes v0.2.0", Command::ReleaseNotes { version: "v0.2.0".into() }),
            ("xtask inside-session cargo test -- --yes", Command::InsideSession { command: inner }),
        ] {
            assert_eq!(parse(line).unwrap(), expected, "{line}");
        }
    }

    #[test]
    fn unknown_arguments_are_refused_with_the_usage() {
        for (line, words) in [("xtask rum", "'rum'"), ("xtask run demo", "'demo'"), ("xtask", "dist")] {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("Usage: cargo xtask"), "{error}");
        }
    }
}
