//! Rules for agents: an agent's name and protocol words stay in its own folder.

use super::{Problem, sources::product_lines, tree::Source};

/// An agent with the words that only its own code may use; all of them in lower case.
struct Words {
    home: &'static str,
    name: &'static str,
    /// Words of its protocol, its command line and its package.
    protocol: &'static [&'static str],
}

const AGENTS: &[Words] = &[
    Words {
        home: "src-tauri/crates/agents/src/claude",
        name: "claude",
        protocol: &[
            "--permission-prompt-tool",
            "--permission-mode",
            "--dangerously-skip-permissions",
            "stream-json",
            "can_use_tool",
            "acceptedits",
            "bypasspermissions",
            "@anthropic-ai/claude-code",
        ],
    },
    Words {
        home: "src-tauri/crates/agents/src/codex",
        name: "codex",
        protocol: &[
            "app-server",
            "requestuserinput",
            "default_mode_request_user_input",
            "thread/start",
            "turn/steer",
            "acceptforsession",
            "execpolicy_amendment",
            "danger-full-access",
            "@openai/codex",
        ],
    },
    Words {
        home: "src-tauri/crates/agents/src/opencode",
        name: "opencode",
        protocol: &[
            "prompt_async",
            "question.replied",
            "permission.replied",
            "opencode_server_password",
            "opencode-ai",
        ],
    },
];

/// Code that names no agent.
const NEUTRAL: &[&str] = &[
    "src-tauri/crates/domain/src/",
    "src-tauri/crates/engine/src/",
    "src-tauri/crates/api/src/",
    "src-tauri/src/",
    "ui/src/",
];
/// Exceptions: text catalogs, the names of connected apps, and what tests and the gallery show.
const NAMES_ALLOWED: &[&str] =
    &["ui/src/shared/messages/", "ui/src/shared/clientWords.ts", "ui/src/gallery/", "ui/src/testing/"];
/// What stands in for agents speaks their protocols.
const STAND_INS: [&str; 2] = ["src-tauri/crates/demo-agent/", "src-tauri/crates/testkit/"];
/// This file names what it looks for.
const THIS_FILE: &str = "src-tauri/crates/xtask/src/tidy/agents.rs";

/// Lists what is wrong with a file.
pub fn problems(file: &Source) -> Vec<Problem> {
    let exempt = file.is_test() || file.is_generated() || file.path == THIS_FILE;
    if exempt
        || STAND_INS.iter().any(|place| file.path.starts_with(place))
        || file.path.starts_with("ui/src/testing/")
    {
        return Vec::new();
    }
    let neutral = NEUTRAL.iter().any(|place| file.path.starts_with(place))
        && !NAMES_ALLOWED.iter().any(|place| file.path.starts_with(place));
    let product = if file.kind() == "rs" { product_lines(file) } else { usize::MAX };
    let mut problems = Vec::new();
    for (index, line) in file.text.lines().take(product).enumerate() {
        let line = line.to_lowercase();
        for agent in AGENTS.iter().filter(|agent| !file.path.starts_with(agent.home)) {
            let word = agent.protocol.iter().find(|word| line.contains(**word));
            let word = word.or_else(|| Some(&agent.name).filter(|name| neutral && line.contains(**name)));
            if let Some(word) = word {
                let says = format!("says {word}, which belongs to {}; let its descriptor say it", agent.home);
                problems.push(Problem::new(format!("{}:{}", file.path, index + 1), says));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        check_rule(problems, path, text, expected);
    }

    #[test]
    fn the_core_and_the_page_name_no_agent() {
        for place in [
            "src-tauri/crates/domain/src/session.rs",
            "src-tauri/crates/engine/src/session.rs",
            "src-tauri/crates/api/src/desk.rs",
            "src-tauri/src/lib.rs",
            "ui/src/feature/start/StartForm.svelte",
        ] {
            check(place, "one\n// Claude Code does it so\n", &[":2: says claude"]);
            check(place, "one\n", &[]);
        }
        check("src-tauri/crates/client-config/src/client.rs", "ClaudeCode,", &[]);
        check("ui/src/shared/messages/en/visitors.ts", "'Claude Code in a terminal'", &[]);
        check("ui/src/testing/agents.ts", "'@anthropic-ai/claude-code'", &[]);
        check("ui/src/generated/wire.ts", "\"claude-code\"", &[]);
        check("ui/src/view/Desk.svelte", "Codex asks", &[":1: says codex"]);
    }

    #[test]
    fn the_words_of_a_protocol_stay_with_its_adapter() {
        let line = "args.push(\"--permission-prompt-tool\");";
        check("src-tauri/crates/agents/src/claude/launch.rs", line, &[]);
        check("src-tauri/crates/agents/src/demo.rs", line, &["says --permission-prompt-tool"]);
        check("src-tauri/crates/gateway/src/hook.rs", "\"acceptEdits\"", &["says acceptedits"]);
        check("src-tauri/crates/demo-agent/src/options.rs", line, &[]);
        check("src-tauri/crates/agents/tests/launch.rs", line, &[]);
    }

    #[test]
    fn a_files_own_tests_may_name_agents() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    const A: &str = \"claude\";\n}\n";
        check("src-tauri/crates/domain/src/failure.rs", text, &[]);
    }
}
