//! The demo agent: this program, started with another first argument.

use std::path::Path;

use askdesk_agents::Demo;
use askdesk_demo_agent::scenario::Scenario;
use askdesk_domain::{ConfigValue, Risk, ValueId};

use crate::startup_error::StartupError;

/// The first argument that turns this program into the demo agent.
pub const DEMO_AGENT: &str = "demo-agent";

/// The scenarios to choose from; the others are for tests.
const EXAMPLES: &[&str] = &["demo", "technology", "features", "authentication", "package-manager", "four"];

pub fn agent(data_folder: &Path) -> Result<Demo, StartupError> {
    let program =
        std::env::current_exe().map_err(|error| StartupError::NoProgram { error: error.to_string() })?;
    // The window waits for this, so only these scenarios are read.
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
