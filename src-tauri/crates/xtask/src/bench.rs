//! `cargo xtask bench`: builds for release, measures in a private session, prints one JSON object, and says what is worse than the
//! limits allow.

mod limits;

use std::fs;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use limits::Compared;

use crate::{
    arguments::Bench,
    install,
    prerequisites::Purpose,
    private_session::{self, PrivateFolders},
    run_command::AGENT_HOST,
    steps::{self, Steps, seconds},
    ui,
    workspace::Workspace,
};

/// What the measuring test writes in front of its one line of results.
const RESULT_MARK: &str = "askdesk-bench: ";
/// Building the test `bench` builds the programs it measures too. They are not built by themselves first: cargo
/// would choose other features of what they share with the tests, and optimize the whole tree twice.
const OPTIONS: [&str; 5] = ["--release", "--package", "askdesk", "--features", "bench"];

/// Measures the app and prints the results on stdout.
pub fn run(workspace: Workspace, options: &Bench) -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!("the measurements need a private display, which only Linux has; run them on Debian or Ubuntu");
    }
    let mut steps = Steps::start();
    let workspace = install::ensure(workspace, Purpose::Test, options.install.yes, &mut steps)?;
    ui::install_npm_packages(&workspace, ui::UI, &mut steps)?;
    ui::install_npm_packages(&workspace, ui::AGENT_CLIS, &mut steps)?;
    ui::build(&workspace, &mut steps)?;
    steps.try_run("build for release", || {
        // The app runs both, from the folder that it is in.
        let beside = ["build", "--release", "--package", AGENT_HOST, "--package", "askdesk-cli"];
        steps::show(workspace.cargo().args(beside))?;
        steps::show(workspace.cargo().arg("test").args(OPTIONS).args(["--test", "bench", "--no-run"]))
    })?;
    let result = steps.try_run("measure", || measure(&workspace, &options.parts))?;
    eprintln!("Measured in {}.", seconds(steps.elapsed()));
    println!("{}", serde_json::to_string_pretty(&result)?);
    refuse_worse(&workspace, &result)
}

fn refuse_worse(workspace: &Workspace, result: &Value) -> Result<()> {
    let file = workspace.root().join(limits::FILE);
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let limits =
        serde_json::from_str(&text).with_context(|| format!("{} is not a JSON object", limits::FILE))?;
    let compared = limits::compare(result, &limits)?;
    let worse: Vec<_> = compared.iter().filter(|one| one.is_worse()).collect();
    for Compared { path, measured, limit } in &worse {
        eprintln!("worse: {path} is {measured}, the limit is {limit}");
    }
    ensure!(worse.is_empty(), "{} of {} figures are above their limits", worse.len(), compared.len());
    eprintln!("All {} figures with a limit are within it.", compared.len());
    Ok(())
}

fn measure(workspace: &Workspace, parts: &[String]) -> Result<Value> {
    let folders = PrivateFolders::make()?;
    let mut cargo = workspace.cargo();
    cargo.arg("test").args(OPTIONS).args(["--test", "bench", "--", "--nocapture"]).args(parts);
    let mut command = private_session::wrap_readable(workspace, &folders, &cargo)?;
    let mut result = None;
    let status = steps::read_lines("the bench", &mut command, |line| match result_in(line) {
        Some(json) => result = Some(json.to_owned()),
        None => eprintln!("{line}"),
    })?;
    steps::check_status(&cargo, status)?;
    let json = result.with_context(|| format!("the test `bench` printed no line with `{RESULT_MARK}`"))?;
    serde_json::from_str(&json).context("what the test `bench` printed as its result is not JSON")
}

fn result_in(line: &str) -> Option<&str> {
    // A test harness may leave its own words in front on the same line.
    line.find(RESULT_MARK).map(|at| line[at + RESULT_MARK.len()..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_found_behind_the_words_of_the_test_harness() {
        assert_eq!(result_in("askdesk-bench: {\"a\":1}"), Some("{\"a\":1}"));
        assert_eq!(result_in("test bench ... askdesk-bench: {}"), Some("{}"));
        assert_eq!(result_in("running 1 test"), None);
    }
}
