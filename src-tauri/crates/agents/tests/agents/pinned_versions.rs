//! The newest tested versions: those that real tests run with, that the page shows, and that the documents name are the same.

use std::path::Path;

use askdesk_agents::installed_agents;
use rstest::rstest;
use serde_json::Value;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    std::fs::read_to_string(root.join(path)).unwrap()
}

#[rstest]
#[case::claude_code("Claude Code", "/dependencies/@anthropic-ai~1claude-code", "claude-code")]
#[case::codex("Codex", "/dependencies/@openai~1codex", "codex")]
#[case::opencode("OpenCode", "/optionalDependencies/opencode-linux-x64-baseline", "opencode")]
fn case_137_the_tested_version_is_the_pinned_one(
    #[case] name: &str,
    #[case] package: &str,
    #[case] guide: &str,
) {
    let pins: Value = serde_json::from_str(&read("src-tauri/crates/testkit/clis/package.json")).unwrap();
    let pinned = pins.pointer(package).and_then(Value::as_str).unwrap();
    let agents = installed_agents();
    let agent = agents.iter().find(|agent| agent.descriptor().name == name).unwrap();
    assert_eq!(agent.descriptor().versions.as_ref().unwrap().tested, pinned);
    let readme = format!("{name} (tested with {pinned})");
    assert!(read("README.md").contains(&readme), "README.md lacks {readme:?}");
    for page in [&format!("docs/guide/agents/{guide}.md"), "docs/guide/platforms.md"] {
        assert!(read(page).contains(pinned), "{page} lacks {pinned}");
    }
}
