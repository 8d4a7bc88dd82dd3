//! Matches the name that a caller gave itself to a known client.

use serde::{Deserialize, Serialize};

use askdesk_contract::Client;

/// A caller that has asked, by its own name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeenClient {
    /// The channel: `mcp`, `terminal_hook` or one that no client here uses.
    pub channel: String,
    pub name: String,
    /// When it last asked, in milliseconds since 1970.
    pub asked_at: i64,
}

impl SeenClient {
    /// Returns the client it is, if that is known.
    ///
    /// Measured names: `claude-code`, `codex-mcp-client`, `gemini-cli-mcp-client`, `opencode`. The others are recognized by
    /// a word of their own.
    pub fn client(&self) -> Option<Client> {
        match self.channel.as_str() {
            "terminal_hook" => Client::ALL.into_iter().find(|client| client.has_hook()),
            "mcp" => named(&self.name),
            _ => None,
        }
    }
}

/// Returns when a client last asked, in milliseconds since 1970.
pub fn last_question(client: Client, seen: &[SeenClient]) -> Option<i64> {
    seen.iter().filter(|seen| seen.client() == Some(client)).map(|seen| seen.asked_at).max()
}

fn named(name: &str) -> Option<Client> {
    let name = name.to_lowercase();
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
    let is = |word: &&str| words.contains(word);
    // Cursor also names the editor it is based on.
    let known: [(&[&str], Client); 10] = [
        (&["cursor"], Client::Cursor),
        (&["claude"], Client::ClaudeCode),
        (&["codex"], Client::Codex),
        (&["gemini"], Client::GeminiCli),
        (&["opencode"], Client::OpenCode),
        (&["copilot"], Client::CopilotCli),
        (&["windsurf"], Client::Windsurf),
        (&["antigravity"], Client::Antigravity),
        (&["zed"], Client::Zed),
        (&["vscode", "visual"], Client::VsCode),
    ];
    known.into_iter().find(|(known, _)| known.iter().any(is)).map(|(_, client)| client)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_recognized_by_its_own_name() {
        for (name, client) in [
            ("claude-code", Some(Client::ClaudeCode)),
            ("codex-mcp-client", Some(Client::Codex)),
            ("gemini-cli-mcp-client", Some(Client::GeminiCli)),
            ("opencode", Some(Client::OpenCode)),
            ("cursor-vscode", Some(Client::Cursor)),
            ("Visual Studio Code", Some(Client::VsCode)),
            ("github-copilot-developer", Some(Client::CopilotCli)),
            ("Zed", Some(Client::Zed)),
            ("amazed", None),
            ("", None),
        ] {
            assert_eq!(named(name), client, "{name}");
        }
    }

    #[test]
    fn the_latest_question_of_a_client_counts_and_scripts_are_no_client() {
        let seen: Vec<SeenClient> = serde_json::from_value(serde_json::json!([
            {"channel": "mcp", "name": "claude-code", "askedAt": 5},
            {"channel": "terminal_hook", "name": "Claude Code", "askedAt": 7},
            {"channel": "command_line", "name": "codex", "askedAt": 9},
            {"channel": "pigeon", "name": "codex", "askedAt": 9},
        ]))
        .unwrap();
        assert_eq!(last_question(Client::ClaudeCode, &seen), Some(7));
        assert_eq!(last_question(Client::Codex, &seen), None);
    }
}
