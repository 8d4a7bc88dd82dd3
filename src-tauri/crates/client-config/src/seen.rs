//! Which of the known clients a desk means, when it says who asked last.

use serde::{Deserialize, Serialize};

use crate::client::Client;

/// A client that asked, in its own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Seen {
    /// How it connected, as the desk says it: `mcp`, `terminal_hook`, or a way that no client here uses.
    pub channel: String,
    /// What it calls itself.
    pub name: String,
    /// When it asked last, in milliseconds since 1970.
    pub asked_at: i64,
}

impl Seen {
    /// Returns which client it is; none where that is not known.
    ///
    /// Measured: `claude-code`, `codex-mcp-client`, `gemini-cli-mcp-client`, `opencode`. The others are known by the word that
    /// is theirs, whatever stands beside it.
    pub fn client(&self) -> Option<Client> {
        match self.channel.as_str() {
            "terminal_hook" => Client::ALL.into_iter().find(|client| client.has_hook()),
            "mcp" => named(&self.name),
            _ => None,
        }
    }
}

/// Returns when a client asked last, in milliseconds since 1970; none where the desk knows of no question.
pub fn last_question(client: Client, seen: &[Seen]) -> Option<i64> {
    seen.iter().filter(|seen| seen.client() == Some(client)).map(|seen| seen.asked_at).max()
}

fn named(name: &str) -> Option<Client> {
    let name = name.to_lowercase();
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
    let is = |word: &&str| words.contains(word);
    // Cursor names the editor it is made of as well.
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
    fn a_client_is_known_by_what_it_calls_itself() {
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
    fn of_several_ways_of_one_client_the_latest_counts_and_a_script_is_none() {
        let seen: Vec<Seen> = serde_json::from_value(serde_json::json!([
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
