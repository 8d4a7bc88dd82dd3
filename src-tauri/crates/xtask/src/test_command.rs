//! `cargo xtask test`: every check and every test, counted in the last line.

use std::{
    fs,
    path::PathBuf,
    process::{Command, ExitCode, Stdio},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, ensure};

use crate::{
    arguments::Test,
    changed_page_tests,
    counts::{self, Counts, Skip},
    guide, install,
    prerequisites::Purpose,
    private_session::PrivateFolders,
    python,
    steps::{self, Outcome, Steps, seconds},
    test_programs::{self, EndedProgram, RunOptions, TestProgram},
    tidy, ui,
    windows::{self, WindowsBuild},
    workspace::Workspace,
};

/// Runs everything and prints the counts as the last line of stdout.
pub fn run(workspace: Workspace, options: &Test) -> Result<ExitCode> {
    let folders = PrivateFolders::make()?;
    let mut run =
        TestRun { steps: Steps::start(), counts: Counts::default(), skips: Vec::new(), failed: Vec::new() };
    let purpose = match options {
        Test { windows: true, .. } => Purpose::WindowsTest,
        Test { quick: true, .. } => Purpose::QuickTest,
        _ => Purpose::Test,
    };
    match install::ensure(workspace, purpose, options.install.yes, &mut run.steps) {
        Ok(workspace) if options.windows => run.run_windows(&workspace, options),
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

/// Returns whether only a part is run that takes about 90 seconds. A filter runs whatever it matches.
const fn is_quick_run(options: &Test) -> bool {
    options.quick && options.filter.is_none()
}

/// A command of the page that runs beside those of Rust. Its output is shown once it has ended.
struct Beside {
    name: &'static str,
    output: PathBuf,
    running: JoinHandle<(Result<()>, Duration)>,
}

impl Beside {
    fn start(workspace: &Workspace, mut npm: Command, name: &'static str, log: &str) -> Result<Self> {
        let output = workspace.root().join("target").join(log);
        let file = fs::File::create(&output).context("cannot write the output of npm")?;
        npm.stdin(Stdio::null()).stderr(file.try_clone()?).stdout(file);
        let mut child = npm.spawn().context("cannot start npm; is it installed?")?;
        let began = Instant::now();
        let running = thread::spawn(move || {
            let ended = child.wait().context("cannot wait for npm").and_then(|status| {
                ensure!(status.success(), "npm ended with {status}; what it says above is the reason");
                Ok(())
            });
            let took = began.elapsed();
            let how = if ended.is_ok() { "passed" } else { "FAILED" };
            eprintln!("    {name}: {how} after {}", seconds(took));
            (ended, took)
        });
        Ok(Self { name, output, running })
    }

    /// Waits for its end, and records how long it ran.
    fn end(self, steps: &mut Steps) -> Option<()> {
        let (ended, took) =
            self.running.join().unwrap_or_else(|_| (Err(anyhow!("npm was lost")), Duration::ZERO));
        eprint!("{}", fs::read_to_string(&self.output).unwrap_or_default());
        steps.record(self.name, ended, took)
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
        // Nothing waits for these, so they run while Rust is compiled, and a slow compiler fails no test.
        let checks = (packages && everything).then(|| {
            let mut npm = workspace.npm(ui::UI);
            npm.args(["run", "check"]);
            Beside::start(workspace, npm, "npm run check", "npm-check.log")
        });
        let of_the_page = packages.then(|| Self::start_ui_tests(workspace, folders, options).transpose());
        if !options.quick {
            // Help in the window opens it.
            let guide = guide::build(workspace, &mut self.steps);
            self.require(&guide);
        }
        if !is_quick_run(options) {
            self.install_third_party_programs(workspace);
        }
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
        if let Some(programs) = self.build_rust_tests(workspace, options, page) {
            let filter = options.filter.as_deref();
            let run = RunOptions { filter, in_json: options.in_json, ..RunOptions::default() };
            self.run_rust_tests(workspace, &run, programs);
        }
        if let Some(checks) = checks {
            let passed = started(checks).and_then(|checks| checks.end(&mut self.steps));
            self.count("npm run check", passed.is_some());
        }
        match of_the_page {
            Some(Some(tests)) => self.end_ui_tests(tests, options),
            Some(None) => self.steps.skip("npm test", "no page test is changed or imports what is"),
            None => self.steps.skip("npm test", "the page's npm packages are not there"),
        }
    }

    /// Tests what is below the window under Wine, and type-checks everything for Windows and macOS.
    fn run_windows(&mut self, workspace: &Workspace, options: &Test) {
        let build = match WindowsBuild::prepare(workspace, &mut self.steps) {
            Ok(build) => build,
            Err(error) => {
                self.require(&Err(error));
                return;
            }
        };
        match self.steps.run("build the tests", || build.build_tests(workspace)) {
            Some(programs) => {
                let runner = build.runner(workspace);
                let (tests, left_out): (Vec<_>, Vec<_>) =
                    windows::LEFT_OUT.map(|(name, _)| name).into_iter().partition(|name| name.contains("::"));
                let programs =
                    programs.into_iter().filter(|it| !left_out.contains(&it.name.as_str())).collect();
                let filter = options.filter.as_deref();
                let run =
                    RunOptions { filter, runner: Some(&runner), left_out: &tests, ..RunOptions::default() };
                self.run_rust_tests(workspace, &run, programs);
                for (name, why) in windows::LEFT_OUT {
                    self.counts.skipped += 1;
                    self.skips.push(Skip { name: name.to_owned(), reason: why.to_owned() });
                }
            }
            None => self.fail("build the tests"),
        }
        let ended = build.end(workspace);
        self.require(&ended);
        if options.filter.is_none() {
            for target in windows::CHECKED {
                self.check(&format!("cargo check for {target}"), || build.check(workspace, target));
            }
        }
    }

    /// Runs a check that counts as one test.
    fn check(&mut self, name: &str, check: impl FnOnce() -> Result<()>) {
        let passed = self.steps.run(name, check).is_some();
        self.count(name, passed);
    }

    fn count(&mut self, name: &str, passed: bool) {
        if passed {
            self.counts += Counts::PASSED;
        } else {
            self.fail(name);
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

    fn build_rust_tests(
        &mut self,
        workspace: &Workspace,
        options: &Test,
        page: bool,
    ) -> Option<Vec<TestProgram>> {
        // The whole workspace in one command: choosing packages would choose other features of what they
        // share, and build the same crates twice.
        let mut arguments =
            vec!["test", "--workspace", "--no-run", "--message-format=json-render-diagnostics"];
        arguments.extend(guide::LEFT_OUT);
        if is_quick_run(options) {
            arguments.extend(QUICK_TARGETS);
        }
        if page && !options.quick && cfg!(target_os = "linux") {
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
            let mut cargo = workspace.cargo();
            TestProgram::built_by(cargo.args(&arguments))
        });
        if built.is_none() {
            self.fail("build the tests");
        }
        built
    }

    fn run_rust_tests(
        &mut self,
        workspace: &Workspace,
        options: &RunOptions<'_>,
        programs: Vec<TestProgram>,
    ) {
        let ended =
            self.steps.run("run the Rust tests", || test_programs::run_all(workspace, programs, options));
        let Some(ended) = ended else { return self.fail("run the Rust tests") };
        for EndedProgram { name, output, succeeded } in ended {
            let counts = output.counts.with_exit_status(succeeded, false);
            if counts.failed > output.failed_tests.len() {
                self.failed.push(format!("{name} ended early"));
            }
            self.counts += counts;
            self.skips.extend(output.skips);
            self.failed.extend(output.failed_tests);
        }
    }

    /// Starts the page's tests, unless there are none to run.
    fn start_ui_tests(
        workspace: &Workspace,
        folders: &PrivateFolders,
        options: &Test,
    ) -> Result<Option<UiTests>> {
        let report = workspace.root().join("target").join("vitest.json");
        // A report of an earlier run must not be taken for this one's.
        let _ = fs::remove_file(&report);
        let mut npm = workspace.npm(ui::UI);
        npm.args(["test", "--", "--reporter=default", "--reporter=json"]);
        npm.arg(format!("--outputFile.json={}", report.display()));
        if let Some(filter) = &options.filter {
            npm.args(["--passWithNoTests", "-t", filter]);
        } else if is_quick_run(options) {
            let concerned = changed_page_tests::of_uncommitted(workspace)?;
            if concerned.is_empty() {
                return Ok(None);
            }
            npm.args(concerned);
        }
        folders.apply_to(&mut npm);
        Ok(Some(UiTests { npm: Beside::start(workspace, npm, "npm test", "vitest.log")?, report }))
    }

    fn end_ui_tests(&mut self, tests: Result<UiTests>, options: &Test) {
        let mut counted = Counts::FAILED;
        let ended = started(tests).and_then(|UiTests { npm, report }| {
            let ended = npm.end(&mut self.steps);
            counted = read_report(&report, options).inspect_err(|error| eprintln!("{error:#}")).ok()?;
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

/// Takes what was started, or says why it could not be.
fn started<T>(started: Result<T>) -> Option<T> {
    started.inspect_err(|error| eprintln!("{error:#}")).ok()
}

fn read_report(report: &std::path::Path, options: &Test) -> Result<Counts> {
    let json = fs::read_to_string(report)
        .with_context(|| format!("npm test left no report in {}", report.display()))?;
    counts::vitest(&json, options.filter.is_some())
}
