//! The real agent CLIs that tests run: pinned by `clis/package-lock.json`, installed below it, sealed off from the
//! user's own settings and accounts.

mod cli;

use std::io::Write;
use std::path::{Path, PathBuf};

pub use cli::{Cli, Program, Release};

/// The environment variable that names another folder with `node_modules` in it.
pub const CLIS_DIR_ENV: &str = "ASKDESK_CLIS_DIR";

/// What a user has to do when the programs are missing.
pub const HOW_TO_INSTALL: &str =
    "run `npm ci` in src-tauri/crates/testkit/clis (or `cargo xtask test`, which does it for you)";

/// The folder that holds the lockfile and, once installed, the programs.
pub fn clis_dir() -> PathBuf {
    std::env::var_os(CLIS_DIR_ENV)
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("clis"), PathBuf::from)
}

/// Finds `claude` among installed packages, if it is there for this machine.
///
/// The package for the platform holds the program itself; the package `claude-code` only a stand-in that an install
/// script would replace, and install scripts are off.
fn claude_program(packages: &Path) -> Option<PathBuf> {
    let (os, arch) = machine();
    let name = if cfg!(windows) { "claude.exe" } else { "claude" };
    let packages = packages.join("@anthropic-ai");
    // npm installs the one whose libc fits; both may be there when it cannot tell.
    let libcs: &[&str] = if cfg!(target_env = "musl") { &["-musl", ""] } else { &["", "-musl"] };
    first_file(libcs.iter().map(|libc| packages.join(format!("claude-code-{os}-{arch}{libc}")).join(name)))
}

/// Finds the installed `claude` for a test, or reports that the test did not run.
pub fn claude_or_skip(test: &str) -> Option<PathBuf> {
    native_or_skip(Cli::ClaudeCode, test)
}

/// Finds an installed program for a test, or reports that the test did not run. It is one that runs by itself.
pub fn native_or_skip(cli: Cli, test: &str) -> Option<PathBuf> {
    release_or_skip(cli, Release::Newest, test)
}

/// Finds a release of a program for a test, or reports that the test did not run.
pub fn release_or_skip(cli: Cli, release: Release, test: &str) -> Option<PathBuf> {
    let program = cli.release(release).and_then(|program| program.native().map(Path::to_owned));
    if program.is_none() {
        report_skipped(test, &format!("the real {} is not installed; {HOW_TO_INSTALL}", cli.id()));
    }
    program
}

/// The system and the processor as npm calls them.
fn machine() -> (&'static str, &'static str) {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    (os, arch)
}

fn first_file(candidates: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    candidates.into_iter().find(|file| file.is_file())
}

/// The whole environment for an agent CLI under test; start from an empty one and set only these.
///
/// `home` is a folder of its own, `base_url` the loopback address of the mocked model. The key is a dummy.
pub fn sealed_env(home: &Path, base_url: &str) -> Vec<(String, String)> {
    let home = home.to_string_lossy().into_owned();
    let mut env = vec![
        ("HOME", home.clone()),
        ("USERPROFILE", home.clone()),
        ("XDG_CONFIG_HOME", format!("{home}/.config")),
        ("XDG_CACHE_HOME", format!("{home}/.cache")),
        ("XDG_DATA_HOME", format!("{home}/.local/share")),
        ("PATH", std::env::var("PATH").unwrap_or_default()),
        ("LANG", "C.UTF-8".to_owned()),
        ("TERM", "dumb".to_owned()),
        ("ANTHROPIC_BASE_URL", base_url.to_owned()),
        ("ANTHROPIC_API_KEY", "dummy-key-for-tests".to_owned()),
        ("DISABLE_TELEMETRY", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ("DISABLE_ERROR_REPORTING", "1".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("MOCK_API_KEY", "dummy-key-for-tests".to_owned()),
        ("GOOGLE_GEMINI_BASE_URL", base_url.to_owned()),
        ("GEMINI_API_KEY", "dummy-key-for-tests".to_owned()),
        ("GEMINI_CLI_NO_RELAUNCH", "true".to_owned()),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1".to_owned()),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1".to_owned()),
    ];
    if let (true, Ok(root)) = (cfg!(windows), std::env::var("SystemRoot")) {
        env.push(("SystemRoot", root));
    }
    env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Says that a test did not run, in a line that the test command counts: `askdesk-skip: <test>: <reason>`.
///
/// The test harness has no skipping at run time and shows nothing of a test that passes, so this goes past its
/// capture, on stdout and on stderr.
pub fn report_skipped(test: &str, reason: &str) {
    let words = format!("SKIPPED: {test}: {reason}\naskdesk-skip: {test}: {reason}\n");
    // Nobody reads a closed stream; there is nothing else to tell it to.
    let _ = std::io::stdout().write_all(words.as_bytes());
    let _ = std::io::stderr().write_all(words.as_bytes());
}
