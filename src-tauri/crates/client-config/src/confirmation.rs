//! Whether a program itself says that our entry counts.
//!
//! An entry in a file proves nothing if the program reads another file. Measured with Claude Code 2.1.329, Codex 0.169.0 and
//! OpenCode 1.18.33, none of which asked a question or changed a config file that it had written before:
//!
//! - `claude mcp get` connects to the one server and lists its tools (0.6 s).
//! - `codex mcp get` reads its config and connects to nothing (0.2 s).
//! - `opencode mcp list` has no way to name one server, so it connects to all of them (2.2 s).

use std::time::Duration;

use askdesk_contract::{Client, Confirmation};
use askdesk_version_probe::answer;

use crate::entries::{Endpoint, SERVER};
use crate::env::Env;
use crate::status::installed;

/// How long a program may take to answer.
const TIMEOUT: Duration = Duration::from_secs(15);
/// The longest line of a program that is kept, in characters.
const MAX_LINE: usize = 300;

/// Keeps a program that only answers a question from doing more.
const QUIETLY: [(&str, &str); 4] = [
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
];

/// Asks a program whether it uses our entry in the user's files. Blocks for up to 15 seconds.
pub fn confirm(client: Client, env: &Env, endpoint: &Endpoint) -> Confirmation {
    let Some(arguments) = arguments(client) else { return Confirmation::Unasked };
    let program = installed(client, env).and_then(|installed| installed.program);
    // Nobody else can put a project's config into the home folder.
    let printed = program.and_then(|program| answer(&program, arguments, &env.home, &QUIETLY, TIMEOUT));
    let judged = printed.map(|printed| judge(client, &plain(&printed), &endpoint.mcp()));
    match judged.unwrap_or(Confirmation::Unasked) {
        Confirmation::Refused { said } => {
            let said = said.replace(endpoint.token.reveal(), "…");
            Confirmation::Refused { said: said.chars().take(MAX_LINE).collect() }
        }
        other => other,
    }
}

const fn arguments(client: Client) -> Option<&'static [&'static str]> {
    match client {
        Client::ClaudeCode | Client::Codex => Some(&["mcp", "get", SERVER]),
        Client::OpenCode => Some(&["mcp", "list"]),
        _ => None,
    }
}

/// Judges what a program printed about a server with this address.
fn judge(client: Client, printed: &str, url: &str) -> Confirmation {
    let field = |name: &str| {
        let values = printed.lines().filter_map(|line| line.trim().strip_prefix(name));
        values.map(str::trim).next()
    };
    let of_lists = |line: &&str| line.split_whitespace().any(|word| word == SERVER);
    let (used, said) = match client {
        Client::ClaudeCode => match field("Status:") {
            Some(status) => (status.ends_with(" Connected"), field("Issue:").unwrap_or(status)),
            None => return none_listed(printed),
        },
        Client::Codex => match field("enabled:") {
            Some(enabled) => (
                enabled == "true",
                printed.lines().find(|line| line.contains("enabled:")).unwrap_or_default(),
            ),
            None => return none_listed(printed),
        },
        _ => match printed.lines().find(of_lists) {
            Some(line) => (line.ends_with(" connected"), line),
            None => return none_listed(printed),
        },
    };
    // Codex doesn't connect, so an entry of another port looks the same.
    if used && field("url:").or_else(|| field("URL:")).is_some_and(|listed| listed != url) {
        return Confirmation::Unlisted;
    }
    if used { Confirmation::Confirmed } else { Confirmation::Refused { said: said.trim().to_owned() } }
}

/// What it means that a program printed no state of our entry. It may also have failed.
fn none_listed(printed: &str) -> Confirmation {
    let says_so = ["No MCP server named", "No MCP servers configured", " server(s)"];
    if says_so.iter().any(|words| printed.contains(words)) {
        Confirmation::Unlisted
    } else {
        Confirmation::Unasked
    }
}

/// Removes colors.
fn plain(printed: &str) -> String {
    let mut plain = String::with_capacity(printed.len());
    let mut rest = printed;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.trim_start_matches(|parameter: char| !parameter.is_ascii_alphabetic());
        rest = rest.get(1..).unwrap_or_default();
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const URL: &str = "http://127.0.0.1:41414/mcp";

    fn refused(said: &str) -> Confirmation {
        Confirmation::Refused { said: said.to_owned() }
    }

    #[rstest]
    #[case::claude(
        Client::ClaudeCode,
        "askdesk:\n  Scope: User config\n  Status: ✔ Connected\n  Type: http\n  URL: http://127.0.0.1:41414/mcp\n",
        Confirmation::Confirmed
    )]
    #[case::claude_fails(
        Client::ClaudeCode,
        "askdesk:\n  Status: ✘ Failed to connect\n  Issue: ECONNREFUSED: Unable to connect.\n  URL: http://127.0.0.1:41414/mcp\n",
        refused("ECONNREFUSED: Unable to connect.")
    )]
    #[case::claude_has_another(
        Client::ClaudeCode,
        "askdesk:\n  Status: ✔ Connected\n  URL: http://127.0.0.1:5000/mcp\n",
        Confirmation::Unlisted
    )]
    #[case::claude_has_none(
        Client::ClaudeCode,
        "No MCP server named \"askdesk\". Configured servers: docs\n",
        Confirmation::Unlisted
    )]
    #[case::claude_is_too_old(Client::ClaudeCode, "error: unknown command 'mcp'\n", Confirmation::Unasked)]
    #[case::codex(
        Client::Codex,
        "askdesk\n  enabled: true\n  transport: streamable_http\n  url: http://127.0.0.1:41414/mcp\n",
        Confirmation::Confirmed
    )]
    #[case::codex_has_another(
        Client::Codex,
        "askdesk\n  enabled: true\n  url: http://127.0.0.1:5000/mcp\n",
        Confirmation::Unlisted
    )]
    #[case::by_hand(
        Client::Codex,
        "askdesk\n  enabled: true\n  transport: stdio\n  command: askdesk\n  args: mcp\n",
        Confirmation::Confirmed
    )]
    #[case::codex_is_off(
        Client::Codex,
        "askdesk\n  enabled: false\n  url: http://127.0.0.1:41414/mcp\n",
        refused("enabled: false")
    )]
    #[case::codex_has_none(
        Client::Codex,
        "Error: No MCP server named 'askdesk' found.\n",
        Confirmation::Unlisted
    )]
    #[case::opencode(
        Client::OpenCode,
        "\u{1b}[0m\n┌  MCP Servers\n│\n●  ✓ askdesk \u{1b}[90mconnected\n│      \u{1b}[90mhttp://127.0.0.1:41414/mcp\n│\n└  1 server(s)\n",
        Confirmation::Confirmed
    )]
    #[case::opencode_fails(
        Client::OpenCode,
        "●  ✗ askdesk \u{1b}[90mfailed\n│      SSE error\n│      \u{1b}[90mhttp://127.0.0.1:41414/mcp\n└  1 server(s)\n",
        refused("●  ✗ askdesk failed")
    )]
    #[case::opencode_has_others(
        Client::OpenCode,
        "●  ✓ docs \u{1b}[90mconnected\n└  1 server(s)\n",
        Confirmation::Unlisted
    )]
    #[case::empty(Client::OpenCode, "", Confirmation::Unasked)]
    fn only_what_the_program_says_of_our_entry_confirms_it(
        #[case] client: Client,
        #[case] printed: &str,
        #[case] expected: Confirmation,
    ) {
        assert_eq!(judge(client, &plain(printed), URL), expected);
    }
}
