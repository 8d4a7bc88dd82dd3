//! Builds the crates below the window for Windows on Debian, and runs their tests under Wine.
//!
//! rustup has no standard library for `windows-gnu` on every machine, so it is built from the sources of Debian's own compiler, which
//! stays in a folder of this project. Type-checking for Windows (MSVC) and macOS needs no linker, and C code is left out of it.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use crate::{
    steps::{self, Steps},
    test_programs::TestProgram,
    workspace::Workspace,
};

const TARGET: &str = "x86_64-pc-windows-gnu";
/// What is only type-checked.
pub const CHECKED: [&str; 2] = ["x86_64-pc-windows-msvc", "aarch64-apple-darwin"];
/// Debian's newer compiler, with the sources of its standard library. The last two have names of their own for each version.
const COMPILER: [&str; 5] = [
    "rustc-web=1.96.0*",
    "libstd-rust-web-dev=1.96.0*",
    "rust-web-src=1.96.0*",
    "libstd-rust-web-1.96",
    "libllvm22",
];
const BUILD_STD: &str = "-Zbuild-std=std,panic_unwind,test";
/// The crates that a window is no part of.
const CRATES: [&str; 21] = [
    "askdesk-agents",
    "askdesk-api",
    "askdesk-changes",
    "askdesk-cli",
    "askdesk-client-config",
    "askdesk-contract",
    "askdesk-demo-agent",
    "askdesk-desk",
    "askdesk-domain",
    "askdesk-engine",
    "askdesk-file-search",
    "askdesk-gateway",
    "askdesk-git",
    "askdesk-line-diff",
    "askdesk-mcp-tools",
    "askdesk-open-in",
    "askdesk-outside-json",
    "askdesk-testkit",
    "askdesk-user-environment",
    "askdesk-version-probe",
    "askdesk-worktrees",
];
/// The programs and tests that don't run, each with the reason.
pub const LEFT_OUT: [(&str, &str); 6] = [
    ("changes", NO_GIT),
    ("worktrees", NO_GIT),
    ("create::tests::a_branch_that_somebody_else_has_made_meanwhile_stays", NO_GIT),
    ("files_since::", NO_GIT),
    ("moved_folders::", NO_GIT),
    (
        "transcripts::claude_helpers::case_125_a_shells_output_is_in_the_file_that_the_agent_names",
        "the recorded agent names a file of Linux",
    ),
];
const NO_GIT: &str = "it needs a git.exe";

/// Wine 8 has no `bcryptprimitives.dll`, from which Rust's library takes random numbers.
const RANDOM: &str = "#include <windows.h>
BOOLEAN WINAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) {
    while (size) {
        ULONG part = size > 0x10000 ? 0x10000 : (ULONG)size;
        if (!SystemFunction036(data, part)) return FALSE;
        data += part;
        size -= part;
    }
    return TRUE;
}
";
/// Stands for a C compiler or an archiver where code is only type-checked: it makes the file that it was asked for.
const NO_COMPILER: &str = "#!/bin/bash
while [ $# -gt 0 ]; do
  case $1 in
    -o) : > \"$2\"; exit 0 ;;
    [-/][oO][uU][tT]:*) : > \"${1#*:}\" ;;
    *.a | *.lib) : > \"$1\" ;;
  esac
  shift
done
";

/// The folder with the compiler, the Windows of Wine, and what is built with them. `cargo clean` deletes it.
pub struct WindowsBuild {
    folder: PathBuf,
}

impl WindowsBuild {
    /// Fetches and makes what is missing.
    pub fn prepare(workspace: &Workspace, steps: &mut Steps) -> Result<Self> {
        let folder = workspace.root().join("target").join("askdesk-windows");
        let build = Self { folder };
        fs::create_dir_all(&build.folder).context("cannot make a folder for the build")?;
        if !build.folder.join("usr/bin/rustc").is_file() {
            steps.try_run("fetch a compiler with the sources of its library", || {
                build.fetch_compiler(workspace)
            })?;
        }
        build.write_scripts()?;
        if !build.prefix().join("drive_c/windows/system32/bcryptprimitives.dll").is_file() {
            steps.try_run("make a Windows for Wine", || build.make_prefix(workspace))?;
        }
        Ok(build)
    }

    fn prefix(&self) -> PathBuf {
        self.folder.join("prefix")
    }

    fn fetch_compiler(&self, workspace: &Workspace) -> Result<()> {
        let packages = self.folder.join("packages");
        fs::create_dir_all(&packages)?;
        steps::show(workspace.command("apt-get").arg("download").args(COMPILER).current_dir(&packages))?;
        for package in fs::read_dir(&packages)? {
            steps::show(workspace.command("dpkg").arg("-x").arg(package?.path()).arg(&self.folder))?;
        }
        fs::remove_dir_all(packages)?;
        Ok(())
    }

    fn write_scripts(&self) -> Result<()> {
        let usr = self.folder.join("usr");
        let usr = usr.display();
        // Another shell would drop cargo's variables with a hyphen in their names.
        let rustc = format!(
            "#!/bin/bash\nLD_LIBRARY_PATH={usr}/lib/x86_64-linux-gnu:{usr}/lib exec {usr}/bin/rustc \"$@\"\n"
        );
        for (name, text) in [("rustc", rustc.as_str()), ("no-compiler", NO_COMPILER)] {
            let file = self.folder.join(name);
            fs::write(&file, text)?;
            #[cfg(unix)]
            fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        }
        Ok(())
    }

    fn make_prefix(&self, workspace: &Workspace) -> Result<()> {
        let wine = |arguments: &[&str]| {
            let mut command = workspace.command(wine());
            command.args(arguments).envs(self.of_wine());
            steps::show(&mut command)
        };
        wine(&["wineboot", "-i"])?;
        wine(&["winecfg", "-v", "win10"])?;
        let source = self.folder.join("bcryptprimitives.c");
        fs::write(&source, RANDOM)?;
        let mut gcc = workspace.command("x86_64-w64-mingw32-gcc");
        gcc.args(["-O1", "-shared", "-o"]);
        gcc.arg(self.prefix().join("drive_c/windows/system32/bcryptprimitives.dll"));
        steps::show(gcc.arg(source).arg("-ladvapi32"))
    }

    fn of_wine(&self) -> [(&'static str, OsString); 3] {
        [("WINEPREFIX", self.prefix().into()), ("WINEARCH", "win64".into()), ("WINEDEBUG", "-all".into())]
    }

    fn cargo(&self, workspace: &Workspace) -> Command {
        let mut cargo = workspace.cargo();
        cargo.env("RUSTC", self.folder.join("rustc")).env("RUSTC_BOOTSTRAP", "1");
        cargo.env("CARGO_TARGET_DIR", self.folder.join("target")).env("CARGO_INCREMENTAL", "0");
        cargo.envs([("CARGO_PROFILE_DEV_DEBUG", "0"), ("CARGO_PROFILE_TEST_DEBUG", "0")]);
        cargo.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", "x86_64-w64-mingw32-gcc");
        cargo.env("CC_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-gcc");
        cargo.env("CXX_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-g++");
        cargo.env("AR_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-ar");
        for target in CHECKED {
            let target = target.replace('-', "_");
            for tool in ["CC", "CXX", "AR"] {
                cargo.env(format!("{tool}_{target}"), self.folder.join("no-compiler"));
            }
        }
        cargo
    }

    /// Builds the test programs.
    pub fn build_tests(&self, workspace: &Workspace) -> Result<Vec<TestProgram>> {
        let mut cargo = self.cargo(workspace);
        // Without the tests in documents, which would need the rustdoc of that compiler.
        cargo.args(["test", "--tests", "--no-run", "--message-format=json-render-diagnostics"]);
        cargo.args(["--target", TARGET, BUILD_STD]);
        cargo.args(CRATES.iter().flat_map(|name| ["-p", name]));
        TestProgram::built_by(&mut cargo)
    }

    /// Type-checks all crates with their tests, the window's too.
    pub fn check(&self, workspace: &Workspace, target: &str) -> Result<()> {
        let mut cargo = self.cargo(workspace);
        steps::show(cargo.args(["check", "--workspace", "--tests", "--target", target, BUILD_STD]))
    }

    /// Starts a test program under Wine.
    pub fn runner(&self, workspace: &Workspace) -> Command {
        let mut command = workspace.command(wine());
        command.envs(self.of_wine());
        command
    }

    /// Ends what Wine left running.
    pub fn end(&self, workspace: &Workspace) -> Result<()> {
        let mut server = workspace.command(beside_wine("wineserver"));
        let status = server.arg("-k").envs(self.of_wine()).status().context("cannot end Wine")?;
        ensure!(status.success() || status.code() == Some(1), "cannot end Wine: {status}");
        Ok(())
    }
}

/// Debian's `wine` is a script that wants 32-bit programs, too.
fn wine() -> PathBuf {
    beside_wine("wine64")
}

fn beside_wine(name: &str) -> PathBuf {
    let of_debian = Path::new("/usr/lib/wine").join(name);
    if of_debian.is_file() { of_debian } else { name.into() }
}
