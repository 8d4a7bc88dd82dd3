//! The present values of Claude Code's config options.

use askdesk_domain::text::bounded;
use askdesk_domain::{Choices, ConfigId, ConfigOption, ConfigValue, ValueId};
use serde_json::Value;

use super::permissions::mode_of;
use super::{ClaudeAdapter, MODE, MODEL};
use crate::adapter::Output;
use crate::event::Configuration;
use crate::json::{list, text};

/// Of a longer list, the rest can be typed.
const MODELS: usize = 100;

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

    /// Sets the model by its full name, and returns whether it changed. Several listed ones can stand for one model: then it is
    /// the one that was chosen last, else the first.
    pub(super) fn take_model(&mut self, name: &str) -> bool {
        let stands = |id: &&ValueId| self.models.iter().any(|(known, full)| known == *id && full == name);
        let listed = self.models.iter().find(|(_, full)| full == name).map(|(id, _)| id);
        let chosen = self.model_chosen.as_ref().filter(stands).or(listed).cloned();
        self.take_current(&MODEL, chosen.or_else(|| ValueId::new(name)))
    }

    /// Takes over the models that the handshake lists. Returns whether other ones are offered now.
    pub(super) fn take_models(&mut self, said: &Value) -> bool {
        let listed = list(said, "models").iter().take(MODELS).filter_map(|model| {
            let id = ValueId::new(text(model, "value")?)?;
            let words = text(model, "description").filter(|words| !words.trim().is_empty()).map(bounded);
            let name = bounded(text(model, "displayName").unwrap_or(id.as_str()));
            let full = text(model, "resolvedModel").unwrap_or(id.as_str()).to_owned();
            Some((ConfigValue { name, description: words, ..ConfigValue::new(id.clone(), "") }, (id, full)))
        });
        let (values, models): (Vec<_>, Vec<_>) = listed.unzip();
        let Some(option) = self.config.iter_mut().find(|option| option.id == MODEL) else { return false };
        if values.is_empty() || option.values == values {
            return false;
        }
        option.values = values;
        self.models = models;
        true
    }

    /// Reports the current values if one of them has changed.
    pub(super) fn tell_config(&self, changed: bool, out: &mut Output) {
        if changed {
            out.event(Configuration::ConfigChanged { config: self.config.clone() });
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
