//! The apps that Askdesk can be registered with.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An app whose agents can ask over the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Client {
    ClaudeCode,
    /// Codex. Its command line, app and editor extension share one file.
    Codex,
    GeminiCli,
    #[serde(rename = "opencode")]
    OpenCode,
    /// Cursor. The editor and the command line share one file.
    Cursor,
    /// VS Code with its own agents.
    #[serde(rename = "vscode")]
    VsCode,
    /// GitHub Copilot CLI.
    CopilotCli,
    Windsurf,
    /// Antigravity. The editor and the command line have a file each.
    Antigravity,
    Zed,
}

impl Client {
    /// Every client, in display order.
    pub const ALL: [Self; 10] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::GeminiCli,
        Self::OpenCode,
        Self::Cursor,
        Self::VsCode,
        Self::CopilotCli,
        Self::Windsurf,
        Self::Antigravity,
        Self::Zed,
    ];

    /// Tells whether it can ask with a hook as well as over MCP.
    pub const fn has_hook(self) -> bool {
        matches!(self, Self::ClaudeCode)
    }

    /// Returns its name on the command line and in JSON.
    pub const fn id(self) -> &'static str {
        self.facts().id
    }

    /// Returns its display name.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Returns other names the command line accepts.
    pub const fn aliases(self) -> &'static [&'static str] {
        self.facts().aliases
    }

    /// Returns the names of its programs.
    pub const fn programs(self) -> &'static [&'static str] {
        self.facts().programs
    }

    const fn facts(self) -> Facts {
        let (id, name, aliases, programs): (_, _, &'static [_], &'static [_]) = match self {
            Self::ClaudeCode => ("claude-code", "Claude Code", &["claude"], &["claude"]),
            Self::Codex => ("codex", "Codex", &[], &["codex"]),
            Self::GeminiCli => ("gemini-cli", "Gemini CLI", &["gemini"], &["gemini"]),
            Self::OpenCode => ("opencode", "OpenCode", &["open-code"], &["opencode"]),
            Self::Cursor => ("cursor", "Cursor", &[], &["cursor", "cursor-agent"]),
            Self::VsCode => ("vscode", "VS Code", &["code", "vs-code"], &["code", "code-insiders"]),
            Self::CopilotCli => ("copilot-cli", "Copilot CLI", &["copilot"], &["copilot"]),
            Self::Windsurf => ("windsurf", "Windsurf", &[], &["windsurf"]),
            Self::Antigravity => ("antigravity", "Antigravity", &["agy"], &["agy", "antigravity"]),
            Self::Zed => ("zed", "Zed", &[], &["zed", "zeditor"]),
        };
        Facts { id, name, aliases, programs }
    }
}

struct Facts {
    id: &'static str,
    name: &'static str,
    aliases: &'static [&'static str],
    programs: &'static [&'static str],
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The name of a client is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no client {0:?}; the clients are {list}", list = Client::ALL.map(Client::id).join(", "))]
pub struct UnknownClient(pub String);

impl FromStr for Client {
    type Err = UnknownClient;

    fn from_str(name: &str) -> Result<Self, UnknownClient> {
        let called = |client: &Self| client.id() == name || client.aliases().contains(&name);
        Self::ALL.into_iter().find(called).ok_or_else(|| UnknownClient(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_is_found_by_its_id_and_aliases() {
        for client in Client::ALL {
            assert_eq!(client.id().parse(), Ok(client));
            assert_eq!(serde_json::to_value(client).unwrap(), client.id());
            for alias in client.aliases() {
                assert_eq!(alias.parse(), Ok(client));
            }
        }
        let unknown = "emacs".parse::<Client>().unwrap_err();
        assert!(
            unknown
                .to_string()
                .starts_with("there is no client \"emacs\"; the clients are claude-code, codex,")
        );
    }
}
