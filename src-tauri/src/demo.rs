//! The demo agent that comes with the app: this very program, started again.

use std::path::Path;

use askdesk_agents::Demo;
use askdesk_domain::{ConfigValue, Risk, ValueId};
use askdesk_testkit::fake_agent::scenario::Scenario;

use crate::unopened::Unopened;

/// The first argument that makes this program the demo agent.
pub const DEMO_AGENT: &str = "demo-agent";

/// The scenarios offered to people; the others are for tests.
const EXAMPLES: &[&str] = &["demo", "technology", "features", "authentication", "package-manager", "four"];

/// Makes the demo agent: how it is started, and what it can play.
pub fn agent(data_folder: &Path) -> Result<Demo, Unopened> {
    let program =
        std::env::current_exe().map_err(|error| Unopened::NoProgram { error: error.to_string() })?;
    // Found by name: the window waits for this, and reading every scenario would hold it up.
    let offered = EXAMPLES.iter().filter_map(|name| {
        let scenario = Scenario::find(name.as_ref()).ok()?;
        Some(ConfigValue {
            id: ValueId::new(scenario.name)?,
            name: scenario.title,
            description: Some(scenario.description),
            risk: Risk::Usual,
            planning: false,
        })
    });
    let examples = offered.collect();
    Ok(Demo::new(program, vec![DEMO_AGENT.to_owned()], data_folder.join("demo"), examples))
}
