//! What the guide's table of terminals says of an agent follows its capabilities.

use std::{collections::BTreeMap, fs, path::Path};

use askdesk_agents::installed_agents;
use askdesk_domain::{AgentDescriptor, ConfigCategory, Takes};

const TABLE: &str = "../../../docs/guide/agents/terminal.md";

/// Each row's cells by its name.
fn rows(page: &str) -> BTreeMap<&str, Vec<&str>> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    lines
        .filter_map(|line| line.split_once(" | "))
        .map(|(name, cells)| (name, cells.split(" | ").collect()))
        .collect()
}

fn live(agent: &AgentDescriptor, category: ConfigCategory) -> bool {
    agent.config.iter().any(|option| option.category == category && option.live)
}

/// The rows that follow from what an agent can do.
fn follows(agent: &AgentDescriptor) -> [(&'static str, bool); 10] {
    let can = &agent.capabilities;
    [
        ("A shell command with `!`", can.shell),
        ("Paste an image", matches!(can.takes, Takes::ImagesAndFiles { .. })),
        ("Change the mode", live(agent, ConfigCategory::Mode)),
        ("Change the model during a session", live(agent, ConfigCategory::Model)),
        ("Change the effort during a session", live(agent, ConfigCategory::Effort)),
        ("Stop one task in the background", can.stop_helper),
        ("Compact the context", can.compact),
        ("Continue one begun in the terminal", can.own_sessions),
        ("Fork", can.fork),
        ("Go on in the terminal", can.continue_in_terminal),
    ]
}

#[test]
fn the_guides_table_of_terminals_says_what_each_agent_can_do() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE)).unwrap();
    let rows = rows(&page);
    let installed = installed_agents();
    let agents: Vec<&AgentDescriptor> = installed.iter().map(|agent| agent.descriptor()).collect();
    let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(rows["what"], names, "a column for each agent");
    for (column, agent) in agents.iter().enumerate() {
        let tested = &agent.versions.as_ref().unwrap().tested;
        assert!(
            page.contains(&format!("{} {tested}", agent.name)),
            "{} is now tested with {tested}",
            agent.name
        );
        for (row, can) in follows(agent) {
            let cell = rows[row][column];
            let says = cell.starts_with("yes") || cell.starts_with("partly");
            assert_eq!(says, can, "{} of “{row}”: {cell}", agent.name);
        }
    }
}
