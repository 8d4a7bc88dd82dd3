//! The demo agent that comes with the app: this very program, started again.

use std::path::Path;

use askdesk_api::DemoAgent;
use askdesk_api::dto::Example;
use askdesk_testkit::fake_agent::scenario;

use crate::unopened::Unopened;

/// The first argument that makes this program the demo agent.
pub const DEMO_AGENT: &str = "demo-agent";

/// The scenarios offered to people; the others are for tests.
const EXAMPLES: &[&str] = &["demo", "technology", "features", "authentication", "package-manager", "four"];

/// Says how the demo agent is started and what it can play.
pub fn agent(data_folder: &Path) -> Result<DemoAgent, Unopened> {
    let program =
        std::env::current_exe().map_err(|error| Unopened::NoProgram { error: error.to_string() })?;
    let offered = scenario::builtins().filter(|scenario| EXAMPLES.contains(&scenario.name.as_str()));
    let mut examples: Vec<Example> = offered
        .map(|scenario| Example {
            name: scenario.name,
            title: scenario.title,
            description: scenario.description,
        })
        .collect();
    examples.sort_by_key(|example| EXAMPLES.iter().position(|name| *name == example.name));
    Ok(DemoAgent { program, args: vec![DEMO_AGENT.to_owned()], folder: data_folder.join("demo"), examples })
}
