//! The present values of Claude Code's config options.

use askdesk_domain::{Choices, ConfigId, ConfigOption, ValueId};

use super::permissions::mode_of;
use super::{ClaudeAdapter, MODE, MODEL};
use crate::adapter::Output;
use crate::event::AgentEvent;

/// Returns the options as they are known at the start: what cannot change later is as it was chosen. The agent says the
/// rest.
pub(super) fn at_start(config: Vec<ConfigOption>, choices: &Choices) -> Vec<ConfigOption> {
    let known = |option: ConfigOption| {
        let current = choices.get(&option.id).filter(|_| !option.live).cloned();
        ConfigOption { current, ..option }
    };
    config.into_iter().map(known).collect()
}

impl ClaudeAdapter {
    /// Sets the mode by the agent's name for it. One that the app does not offer keeps that name. Returns whether it changed.
    pub(super) fn take_mode(&mut self, word: &str) -> bool {
        self.take_current(&MODE, mode_of(word).or_else(|| ValueId::new(word)))
    }

    /// Sets the model by its name, and returns whether it changed.
    pub(super) fn take_model(&mut self, name: &str) -> bool {
        self.take_current(&MODEL, ValueId::new(name))
    }

    /// Reports the current values if one of them has changed.
    pub(super) fn tell_config(&self, changed: bool, out: &mut Output) {
        if changed {
            out.event(AgentEvent::ConfigChanged { config: self.config.clone() });
        }
    }

    /// Returns whether the value changed. An option may be missing, because the demo has fewer options.
    fn take_current(&mut self, id: &ConfigId, current: Option<ValueId>) -> bool {
        let Some(option) = self.config.iter_mut().find(|option| option.id == *id) else { return false };
        let changed = option.current != current;
        option.current = current;
        changed
    }
}
