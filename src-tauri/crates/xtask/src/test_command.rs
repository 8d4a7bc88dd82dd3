//! `cargo xtask test`: every check and every test, counted in the last line.

use std::{fs, process::ExitCode, time::Duration};

use anyhow::{Context, Result, bail};

use crate::{
    arguments::Test,
    counts::{self, CargoTestOutput, Counts, Skip, Worth},
    install,
    prerequisites::Purpose,
    private_session::{self, PrivateFolders},
    python,
    steps::{self, Outcome, Steps, seconds},
    tidy,
    toolbox::Toolbox,
    ui,
};

/// Runs everything and prints the counts as the last line of stdout.
pub fn run(toolbox: Toolbox, options: &Test) -> Result<ExitCode> {
    let folders = PrivateFolders::make()?;
    let mut session =
        Session { steps: Steps::start(), counts: Counts::default(), skips: Vec::new(), failed: Vec::new() };
    let purpose = if options.quick { Purpose::QuickTest } else { Purpose::Test };
    match install::ensure(toolbox, purpose, options.install.yes, &mut session.steps) {
        Ok(toolbox) => session.run_all(&toolbox, &folders, options),
        Err(error) => {
            eprintln!("Nothing was tested: {error:#}");
            session.counts += Counts::FAILED;
        }
    }
    session.summary();
    Ok(if session.counts.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Session {
    steps: Steps,
    counts: Counts,
    skips: Vec<Skip>,
    failed: Vec<String>,
}

impl Session {
    fn run_all(&mut self, toolbox: &Toolbox, folders: &PrivateFolders, options: &Test) {
        let everything = options.filter.is_none();
        if everything {
            self.check("tidy", || tidy::check(toolbox));
            self.check("cargo fmt --check", || {
                steps::show(toolbox.cargo().args(["fmt", "--all", "--check"]))
            });
        }
        let packages = ui::install_npm_packages(toolbox, ui::UI, &mut self.steps);
        let packages = self.needed(&packages);
        let page = packages && {
            let built = ui::build(toolbox, &mut self.steps);
            self.needed(&built)
        };
        self.programs_of_others(toolbox);
        if everything && !options.quick {
            self.check("cargo clippy", || {
                let mut clippy = toolbox.cargo();
                clippy.args(["clippy", "--workspace", "--all-targets"]);
                steps::show(clippy.args(["--", "-D", "warnings"]))
            });
        }
        self.rust_tests(toolbox, folders, options, page);
        if packages {
            if everything {
                self.check("npm run check", || steps::show(toolbox.npm(ui::UI).args(["run", "check"])));
            }
            self.ui_tests(toolbox, folders, options);
        } else {
            self.steps.leave_out("npm test", "the page's npm packages are not there");
        }
    }

    /// Runs a check that counts as one test.
    fn check(&mut self, name: &str, check: impl FnOnce() -> Result<()>) {
        match self.steps.run(name, check) {
            Some(()) => self.counts += Counts::PASSED,
            None => {
                self.counts += Counts::FAILED;
                self.failed.push(name.to_owned());
            }
        }
    }

    /// Counts a failure of something the tests lean on; a success of it is no test.
    fn needed(&mut self, result: &Result<()>) -> bool {
        if let Err(error) = result {
            eprintln!("{error:#}");
            self.counts += Counts::FAILED;
            self.failed.push(format!("{error}"));
        }
        result.is_ok()
    }

    /// Installs what only some tests talk to: without it those count as skipped.
    fn programs_of_others(&mut self, toolbox: &Toolbox) {
        let steps = &mut self.steps;
        let installed = [
            ("THE REAL AGENTS", ui::install_npm_packages(toolbox, ui::AGENT_CLIS, steps)),
            ("THE MCP CLIENTS IN JAVASCRIPT", ui::install_npm_packages(toolbox, ui::MCP_CLIENTS, steps)),
            ("THE MCP CLIENT IN PYTHON", python::install_packages(toolbox, steps)),
        ];
        for (what, installed) in installed {
            if let Err(error) = installed {
                let says = format!("{what}: NOT INSTALLED; tests that need one count as skipped.");
                eprintln!("{error:#}\n{}\n{says}\n{0}", "*".repeat(says.len()));
            }
        }
    }

    fn rust_tests(&mut self, toolbox: &Toolbox, folders: &PrivateFolders, options: &Test, page: bool) {
        // The whole workspace in one command: choosing packages would choose other features of what they
        // share, and build the same crates twice.
        let mut workspace = vec!["test", "--workspace", "--no-fail-fast"];
        let window = page && !options.quick && cfg!(target_os = "linux");
        if !window {
            workspace.extend(["--exclude", "askdesk"]);
            let why = match (options.quick, page) {
                (true, _) => "--quick was asked for",
                (false, false) => "the page is not built",
                (false, true) => "only Linux has a private display to run them on",
            };
            self.steps.leave_out("tests that need a window", why);
        }
        let built = self.steps.run("build the tests", || {
            steps::show(toolbox.cargo().args(&workspace).arg("--no-run")).context("the tests do not compile")
        });
        if built.is_none() {
            self.counts += Counts::FAILED;
            self.failed.push("build the tests".into());
            return;
        }
        let mut cargo = toolbox.cargo();
        cargo.args(&workspace);
        cargo.args(&options.filter).args(["--", "--show-output"]);
        let mut output = CargoTestOutput::default();
        let ended = self.steps.run("cargo test", || {
            let mut command = if window {
                private_session::wrap(toolbox, folders, &cargo)?
            } else {
                folders.keep_inside(&mut cargo);
                cargo
            };
            let status = steps::read_lines(&mut command, |line| {
                if output.line(line) == Worth::Show {
                    eprintln!("{line}");
                }
            })?;
            if !status.success() {
                bail!("cargo test ended with {status}");
            }
            Ok(())
        });
        self.counts += output.counts().with_ending(ended.is_some(), options.filter.is_none());
        self.skips.extend_from_slice(output.skips());
        self.failed.extend_from_slice(output.failed_tests());
        if ended.is_none() && output.counts().failed == 0 {
            self.failed.push("cargo test ended early".into());
        }
    }

    fn ui_tests(&mut self, toolbox: &Toolbox, folders: &PrivateFolders, options: &Test) {
        let report = toolbox.root().join("target").join("vitest.json");
        // A report of an earlier run must not be taken for this one's.
        let _ = fs::remove_file(&report);
        let mut npm = toolbox.npm(ui::UI);
        npm.args(["test", "--", "--reporter=default", "--reporter=json"]);
        npm.arg(format!("--outputFile.json={}", report.display()));
        if let Some(filter) = &options.filter {
            npm.args(["--passWithNoTests", "-t", filter]);
        }
        folders.keep_inside(&mut npm);
        let ended = self.steps.run("npm test", || steps::show(&mut npm));
        let counted = read_report(&report, options).unwrap_or_else(|error| {
            eprintln!("{error:#}");
            Counts::FAILED
        });
        let counted = counted.with_ending(ended.is_some(), options.filter.is_none());
        if counted.failed > 0 {
            self.failed.push(format!("npm test ({} failed)", counted.failed));
        }
        self.counts += counted;
    }

    fn summary(&self) {
        println!();
        for step in self.steps.ended() {
            let (mark, words) = match &step.outcome {
                Outcome::Passed => ("ok    ", seconds(step.took)),
                Outcome::Failed(_) => ("FAILED", seconds(step.took)),
                Outcome::LeftOut(reason) => ("-     ", reason.clone()),
            };
            println!("{mark}  {}: {words}", step.name);
        }
        let accounted: Duration = self.steps.ended().iter().map(|step| step.took).sum();
        println!("in all {} ({} in these steps)", seconds(self.steps.elapsed()), seconds(accounted));
        for skip in &self.skips {
            println!("SKIPPED {}: {}", skip.name, skip.reason);
        }
        for name in &self.failed {
            println!("FAILED {name}");
        }
        println!("{}", self.counts);
    }
}

fn read_report(report: &std::path::Path, options: &Test) -> Result<Counts> {
    let json = fs::read_to_string(report)
        .with_context(|| format!("npm test left no report in {}", report.display()))?;
    counts::vitest(&json, options.filter.is_some())
}
