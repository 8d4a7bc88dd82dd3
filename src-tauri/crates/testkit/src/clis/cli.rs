//! The agent CLIs that ask Askdesk over MCP, each run with one prompt.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{claude_program, clis_dir, first_file, machine, sealed_env};

/// An agent CLI that is pinned here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cli {
    ClaudeCode,
    /// OpenAI's.
    Codex,
    GeminiCli,
    /// The open one; pinned for Linux on x86-64 alone.
    OpenCode,
}

/// One of the releases that are pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    Newest,
    /// An older one that the tests of an agent's core run with too. Only Claude Code and Codex have one.
    Oldest,
}

/// A program with its first arguments.
#[derive(Debug, Clone)]
pub struct Program {
    path: PathBuf,
    first: Vec<OsString>,
}

impl Program {
    /// Returns the program itself, if it needs no other to run it.
    pub fn native(&self) -> Option<&Path> {
        self.first.is_empty().then_some(self.path.as_path())
    }
}

/// What a program in JavaScript is run by; the one on the path.
const NODE: &str = if cfg!(windows) { "node.exe" } else { "node" };

impl Cli {
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::Codex, Self::GeminiCli, Self::OpenCode];

    /// Returns how `askdesk connect` calls it.
    pub const fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::OpenCode => "opencode",
        }
    }

    /// Returns the command that users type.
    pub const fn command(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini",
            Self::OpenCode => "opencode",
        }
    }

    /// Finds it, if it is installed for this machine.
    pub fn program(self) -> Option<Program> {
        self.release(Release::Newest)
    }

    /// Finds one of its releases, if it is installed for this machine.
    pub fn release(self, release: Release) -> Option<Program> {
        let mut packages = clis_dir().join("node_modules");
        if release == Release::Oldest {
            // An alias in package.json; npm installs what it needs of another version below it.
            packages.extend([&format!("{}-oldest", self.id()), "node_modules"]);
        }
        self.program_in(&packages)
    }

    /// Finds it among installed packages.
    pub fn program_in(self, packages: &Path) -> Option<Program> {
        let (os, arch) = machine();
        let exe = |name: &str| format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let native = |path| Program { path, first: Vec::new() };
        match self {
            Self::ClaudeCode => claude_program(packages).map(native),
            Self::Codex => {
                let vendor = packages.join("@openai").join(format!("codex-{os}-{arch}")).join("vendor");
                // One folder, called as Rust calls this machine.
                let targets = std::fs::read_dir(vendor).ok()?.flatten();
                first_file(targets.map(|target| target.path().join("bin").join(exe("codex")))).map(native)
            }
            Self::GeminiCli => {
                let script = packages.join("@google/gemini-cli/bundle/gemini.js");
                script.is_file().then(|| Program { path: NODE.into(), first: vec![script.into()] })
            }
            Self::OpenCode => {
                // For processors of any age; the other one is twice the download for nothing that is tested here.
                let package = packages.join(format!("opencode-{os}-{arch}-baseline"));
                first_file([package.join("bin").join(exe("opencode"))]).map(native)
            }
        }
    }

    /// Writes what a user's home has of it before anything is registered, with `base_url` as where its model is.
    ///
    /// Returns each file with its content.
    pub fn write_settings(self, home: &Path, base_url: &str) -> io::Result<Vec<(PathBuf, String)>> {
        let (file, text) = match self {
            Self::ClaudeCode => (".claude/settings.json", CLAUDE_SETTINGS),
            Self::Codex => (".codex/config.toml", CODEX_CONFIG),
            Self::GeminiCli => (".gemini/settings.json", GEMINI_SETTINGS),
            Self::OpenCode => (".config/opencode/opencode.jsonc", OPENCODE_CONFIG),
        };
        let (file, text) = (home.join(file), text.replace("BASE_URL", base_url));
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&file, &text)?;
        Ok(vec![(file, text)])
    }

    /// The command that runs one prompt without a user, in a sealed environment.
    pub fn run_once(
        self,
        program: &Program,
        home: &Path,
        project: &Path,
        base_url: &str,
        prompt: &str,
    ) -> Command {
        let mut command = Command::new(&program.path);
        command.args(&program.first);
        match self {
            Self::ClaudeCode => command.args(["-p", prompt]),
            Self::Codex => command.args(["exec", "--skip-git-repo-check", prompt]),
            // The model is named: otherwise another one is asked first which it should be.
            Self::GeminiCli => command.args(["--model", "gemini-2.5-pro", "--prompt", prompt]),
            Self::OpenCode => command.args(["run", prompt]),
        };
        command.current_dir(project).env_clear().envs(sealed_env(home, base_url)).stdin(Stdio::null());
        command
    }
}

const CLAUDE_SETTINGS: &str = r#"{
  "permissions": {
    "allow": ["Bash(ls:*)"]
  },
  "spinnerTipsEnabled": false
}
"#;

const CODEX_CONFIG: &str = r#"# The model is a mock on loopback.
model = "mock"
model_provider = "mock"
check_for_update_on_startup = false

[model_providers.mock]
name = "mock"
base_url = "BASE_URL/v1"
wire_api = "responses"
env_key = "MOCK_API_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

# In `/tmp` the sandbox would leave an empty `.git`, which makes all of `/tmp` one project to Claude Code.
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true

[analytics]
enabled = false
"#;

const GEMINI_SETTINGS: &str = r#"{
  // The model is a mock on loopback.
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "privacy": { "usageStatisticsEnabled": false },
  "telemetry": { "enabled": false },
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false }
}
"#;

/// It writes its schema into a file that does not name it.
const OPENCODE_CONFIG: &str = r#"{
  "$schema": "https://opencode.ai/config.json",
  // The model is a mock on loopback.
  "autoupdate": false,
  "share": "disabled",
  "model": "mock/mock",
  "small_model": "mock/mock",
  "enabled_providers": ["mock"],
  "provider": {
    "mock": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "Mock",
      "options": { "baseURL": "BASE_URL/v1", "apiKey": "dummy-key-for-tests" },
      "models": {
        "mock": { "name": "Mock", "tool_call": true, "limit": { "context": 200000, "output": 8000 } },
      },
    },
  },
}
"#;
