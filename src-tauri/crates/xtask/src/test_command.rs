//! `cargo xtask test`: every check and every test, counted in the last line.

use std::{
    fs,
    path::PathBuf,
    process::{Child, Command, ExitCode, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    arguments::Test,
    counts::{self, CargoTestOutput, Counts, Skip},
    guide, install,
    prerequisites::Purpose,
    private_session::{self, PrivateFolders},
    python,
    steps::{self, Outcome, Steps, seconds},
    tidy, ui, window_tests,
    workspace::Workspace,
};

/// Runs everything and prints the counts as the last line of stdout.
pub fn run(workspace: Workspace, options: &Test) -> Result<ExitCode> {
    let folders = PrivateFolders::make()?;
    let mut run =
        TestRun { steps: Steps::start(), counts: Counts::default(), skips: Vec::new(), failed: Vec::new() };
    let purpose = if options.quick { Purpose::QuickTest } else { Purpose::Test };
    match install::ensure(workspace, purpose, options.install.yes, &mut run.steps) {
        Ok(workspace) => run.run_all(&workspace, &folders, options),
        Err(error) => {
            eprintln!("Nothing was tested: {error:#}");
            run.counts += Counts::FAILED;
        }
    }
    run.summary();
    Ok(if run.counts.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What `--quick` runs of the Rust tests: the unit tests, and the tests of the domain.
const QUICK_TARGETS: [&str; 4] = ["--lib", "--bins", "--test", "domain"];

/// Turns on what only packages have, so that it is tested.
const UPDATER: [&str; 2] = ["--features", "askdesk/updater"];

/// Returns whether only what ends within 90 seconds is run. A filter runs whatever it matches.
const fn is_quick_run(options: &Test) -> bool {
    options.quick && options.filter.is_none()
}

/// The arguments of `cargo test`, and whether the window's tests are among them.
struct RustTests {
    arguments: Vec<&'static str>,
    window: bool,
}

/// A command of the page that runs beside the Rust tests, which mostly wait. Its output is shown once it has ended.
struct Beside {
    child: Child,
    output: PathBuf,
}

impl Beside {
    fn start(workspace: &Workspace, npm: &mut Command, log: &str) -> Result<Self> {
        let output = workspace.root().join("target").join(log);
        let file = fs::File::create(&output).context("cannot write the output of npm")?;
        npm.stdin(Stdio::null()).stderr(file.try_clone()?).stdout(file);
        Ok(Self { child: npm.spawn().context("cannot start npm; is it installed?")?, output })
    }

    fn end(mut self) -> Result<()> {
        let status = self.child.wait().context("cannot wait for npm")?;
        eprint!("{}", fs::read_to_string(&self.output).unwrap_or_default());
        ensure!(status.success(), "npm ended with {status}; what it says above is the reason");
        Ok(())
    }
}

/// The page's tests while they run.
struct UiTests {
    npm: Beside,
    /// Where vitest writes its counts.
    report: PathBuf,
}

struct TestRun {
    steps: Steps,
    counts: Counts,
    skips: Vec<Skip>,
    failed: Vec<String>,
}

impl TestRun {
    fn run_all(&mut self, workspace: &Workspace, folders: &PrivateFolders, options: &Test) {
        let everything = options.filter.is_none();
        if everything {
            self.check("tidy", || tidy::check(workspace));
            self.check("cargo fmt --check", || {
                steps::show(workspace.cargo().args(["fmt", "--all", "--check"]))
            });
        }
        let packages = ui::install_npm_packages(workspace, ui::UI, &mut self.steps);
        let packages = self.require(&packages);
        let page = packages && {
            let built = ui::build(workspace, &mut self.steps);
            self.require(&built)
        };
        if !options.quick {
            // Help in the window opens it.
            let guide = guide::build(workspace, &mut self.steps);
            self.require(&guide);
        }
        self.install_third_party_programs(workspace);
        if everything && !options.quick {
            self.check("cargo clippy", || {
                let mut clippy = workspace.cargo();
                clippy.args(["clippy", "--workspace", "--all-targets"]).args(UPDATER);
                steps::show(clippy.args(["--", "-D", "warnings"]))
            });
        }
        if everything {
            self.check("test what builds the guide", || guide::test(workspace));
        }
        let checks = (packages && everything)
            .then(|| Beside::start(workspace, workspace.npm(ui::UI).args(["run", "check"]), "npm-check.log"));
        let built = self.build_rust_tests(workspace, options, page);
        let of_the_page = packages.then(|| Self::start_ui_tests(workspace, folders, options));
        if let Some(tests) = built {
            self.run_rust_tests(workspace, folders, options, &tests);
        }
        if let Some(checks) = checks {
            self.check("npm run check", || checks?.end());
        }
        match of_the_page {
            Some(tests) => self.end_ui_tests(tests, options),
            None => self.steps.skip("npm test", "the page's npm packages are not there"),
        }
    }

    /// Runs a check that counts as one test.
    fn check(&mut self, name: &str, check: impl FnOnce() -> Result<()>) {
        match self.steps.run(name, check) {
            Some(()) => self.counts += Counts::PASSED,
            None => self.fail(name),
        }
    }

    fn fail(&mut self, name: impl Into<String>) {
        self.counts += Counts::FAILED;
        self.failed.push(name.into());
    }

    /// Counts a failure of something the tests lean on; a success of it is no test.
    fn require(&mut self, result: &Result<()>) -> bool {
        if let Err(error) = result {
            eprintln!("{error:#}");
            self.fail(error.to_string());
        }
        result.is_ok()
    }

    /// Installs what only some tests talk to: without it those count as skipped.
    fn install_third_party_programs(&mut self, workspace: &Workspace) {
        let steps = &mut self.steps;
        let installed = [
            ("THE REAL AGENTS", ui::install_npm_packages(workspace, ui::AGENT_CLIS, steps)),
            ("THE MCP CLIENTS IN JAVASCRIPT", ui::install_npm_packages(workspace, ui::MCP_CLIENTS, steps)),
            ("THE MCP CLIENT IN PYTHON", python::install_packages(workspace, steps)),
        ];
        for (what, installed) in installed {
            if let Err(error) = installed {
                let says = format!("{what}: NOT INSTALLED; tests that need one count as skipped.");
                eprintln!("{error:#}\n{}\n{says}\n{0}", "*".repeat(says.len()));
            }
        }
    }

    fn build_rust_tests(&mut self, workspace: &Workspace, options: &Test, page: bool) -> Option<RustTests> {
        // The whole workspace in one command: choosing packages would choose other features of what they
        // share, and build the same crates twice.
        let mut arguments = vec!["test", "--workspace", "--no-fail-fast"];
        arguments.extend(guide::LEFT_OUT);
        let window = page && !options.quick && cfg!(target_os = "linux");
        if is_quick_run(options) {
            arguments.extend(QUICK_TARGETS);
        }
        if window {
            arguments.extend(UPDATER);
        } else {
            arguments.extend(["--exclude", "askdesk"]);
            let why = match (options.quick, page) {
                (true, _) => "--quick was asked for",
                (false, false) => "the page is not built",
                (false, true) => "only Linux has a private display to run them on",
            };
            self.steps.skip("tests that need a window", why);
        }
        let built = self.steps.run("build the tests", || {
            steps::show(workspace.cargo().args(&arguments).arg("--no-run"))
                .context("the tests do not compile")
        });
        if built.is_none() {
            self.fail("build the tests");
        }
        built.map(|()| RustTests { arguments, window })
    }

    fn run_rust_tests(
        &mut self,
        workspace: &Workspace,
        folders: &PrivateFolders,
        options: &Test,
        tests: &RustTests,
    ) {
        let mut cargo = workspace.cargo();
        cargo.args(&tests.arguments).args(&options.filter);
        let mut output = CargoTestOutput::default();
        let ended = self.steps.run("cargo test", || {
            if tests.window {
                window_tests::run_through(&mut cargo)?;
            }
            cargo.args(["--", "--show-output"]);
            let mut command = if tests.window {
                private_session::wrap(workspace, folders, &cargo)?
            } else {
                folders.apply_to(&mut cargo);
                cargo
            };
            let status = steps::read_lines(&mut command, |line| {
                if output.line(line) {
                    eprintln!("{line}");
                }
            })?;
            if !status.success() {
                bail!("cargo test ended with {status}");
            }
            Ok(())
        });
        if ended.is_none() && output.counts.failed == 0 {
            self.failed.push("cargo test ended early".into());
        }
        self.counts += output.counts.with_exit_status(ended.is_some(), options.filter.is_none());
        self.skips.extend(output.skips);
        self.failed.extend(output.failed_tests);
    }

    fn start_ui_tests(workspace: &Workspace, folders: &PrivateFolders, options: &Test) -> Result<UiTests> {
        let report = workspace.root().join("target").join("vitest.json");
        // A report of an earlier run must not be taken for this one's.
        let _ = fs::remove_file(&report);
        let mut npm = workspace.npm(ui::UI);
        npm.args(["test", "--", "--reporter=default", "--reporter=json"]);
        npm.arg(format!("--outputFile.json={}", report.display()));
        if let Some(filter) = &options.filter {
            npm.args(["--passWithNoTests", "-t", filter]);
        } else if is_quick_run(options) {
            npm.args(["--passWithNoTests", "--changed"]);
        }
        folders.apply_to(&mut npm);
        Ok(UiTests { npm: Beside::start(workspace, &mut npm, "vitest.log")?, report })
    }

    fn end_ui_tests(&mut self, tests: Result<UiTests>, options: &Test) {
        let mut counted = Counts::FAILED;
        let ended = self.steps.run("npm test", || {
            let UiTests { npm, report } = tests?;
            let ended = npm.end();
            counted = read_report(&report, options)?;
            ended
        });
        let must_run = options.filter.is_none() && !is_quick_run(options);
        let counted = counted.with_exit_status(ended.is_some(), must_run);
        if counted.failed > 0 {
            self.failed.push(format!("npm test ({} failed)", counted.failed));
        }
        self.counts += counted;
    }

    fn summary(&self) {
        println!();
        for step in &self.steps.ended {
            let (mark, words) = match &step.outcome {
                Outcome::Passed => ("ok    ", seconds(step.took)),
                Outcome::Failed => ("FAILED", seconds(step.took)),
                Outcome::Skipped(reason) => ("-     ", reason.clone()),
            };
            println!("{mark}  {}: {words}", step.name);
        }
        let accounted: Duration = self.steps.ended.iter().map(|step| step.took).sum();
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
