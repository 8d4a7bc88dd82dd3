//! The demo agent that comes with the app: this very program, started again.

use std::path::Path;

use askdesk_agents::Demo;
use askdesk_domain::{ConfigValue, Risk, ValueId};
use askdesk_testkit::fake_agent::scenario;

use crate::unopened::Unopened;

/// The first argument that makes this program the demo agent.
pub const DEMO_AGENT: &str = "demo-agent";

/// The scenarios offered to people; the others are for tests.
const EXAMPLES: &[&str] = &["demo", "technology", "features", "authentication", "package-manager", "four"];

/// Makes the demo agent: how it is started, and what it can play.
pub fn agent(data_folder: &Path) -> Result<Demo, Unopened> {
    let program =
        std::env::current_exe().map_err(|error| Unopened::NoProgram { error: error.to_string() })?;
    let offered = scenario::builtins().filter_map(|scenario| {
        let place = EXAMPLES.iter().position(|name| *name == scenario.name)?;
        let value = ConfigValue {
            id: ValueId::new(scenario.name)?,
            name: scenario.title,
            description: Some(scenario.description),
            risk: Risk::Usual,
            planning: false,
        };
        Some((place, value))
    });
    let mut examples: Vec<(usize, ConfigValue)> = offered.collect();
    examples.sort_by_key(|(place, _)| *place);
    let examples = examples.into_iter().map(|(_, example)| example).collect();
    Ok(Demo::new(program, vec![DEMO_AGENT.to_owned()], data_folder.join("demo"), examples))
}
