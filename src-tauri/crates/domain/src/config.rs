//! Config options: what a user chooses for a session, in the agent's own values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::{ConfigId, ValueId};

/// The chosen values, by option.
pub type Choices = BTreeMap<ConfigId, ValueId>;

/// One configurable aspect of how an agent runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConfigOption {
    pub id: ConfigId,
    /// Its name in the agent's words.
    pub name: String,
    pub category: ConfigCategory,
    pub values: Vec<ConfigValue>,
    /// Whether a value outside the list can be typed.
    pub free_text: bool,
    /// Whether it can be changed while the session runs.
    pub live: bool,
    /// The current value, if it is known.
    pub current: Option<ValueId>,
    /// The value where neither the user chose one nor the agent's own settings name one; none if it isn't known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub fallback: Option<ValueId>,
}

/// What a config option is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ConfigCategory {
    /// What the agent may do without asking.
    Mode,
    Model,
    /// How long the model thinks.
    Effort,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConfigValue {
    /// The value's id, unique within its option.
    pub id: ValueId,
    /// Its name in the agent's words.
    pub name: String,
    /// What it does, in the agent's words.
    pub description: Option<String>,
    /// Whether the user must confirm it first.
    pub risk: Risk,
    /// Whether the agent only plans with it and changes nothing.
    pub planning: bool,
}

/// How risky a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Risk {
    /// The agent asks before it does anything that the user has not allowed.
    Usual,
    /// A model decides, in the user's place, what the agent may do without asking. Confirmed like the next.
    Delegated,
    /// The agent asks for nothing. The user confirms this at each start, and resuming never restores it.
    Unattended,
}

impl ConfigOption {
    /// Makes an option whose value is one of a closed list, and can be changed while the session runs.
    pub fn new(id: ConfigId, name: &str, category: ConfigCategory, values: Vec<ConfigValue>) -> Self {
        Self {
            id,
            name: name.to_owned(),
            category,
            values,
            free_text: false,
            live: true,
            current: None,
            fallback: None,
        }
    }

    /// Finds a listed value.
    pub fn value(&self, id: &ValueId) -> Option<&ConfigValue> {
        self.values.iter().find(|value| value.id == *id)
    }

    /// Returns the current value if it is in the list.
    pub fn current_value(&self) -> Option<&ConfigValue> {
        self.current.as_ref().and_then(|current| self.value(current))
    }
}

impl ConfigValue {
    /// Makes a value with nothing to say beyond its name.
    pub fn new(id: ValueId, name: &str) -> Self {
        Self { id, name: name.to_owned(), description: None, risk: Risk::Usual, planning: false }
    }

    pub fn described(id: ValueId, name: &str, description: &str) -> Self {
        Self { description: Some(description.to_owned()), ..Self::new(id, name) }
    }
}

/// Returns whether the agent is only planning; false if its mode is unknown.
pub fn is_planning(config: &[ConfigOption]) -> bool {
    let modes = config.iter().filter(|option| option.category == ConfigCategory::Mode);
    modes.filter_map(ConfigOption::current_value).any(|value| value.planning)
}

/// Returns the choices to resume an ended session with: its chosen options, in its last mode. A mode that bypasses
/// permissions was confirmed for one run and is dropped; one that isn't listed was set elsewhere, and its risk isn't known,
/// so it isn't taken over. `described` are the options of the agent's descriptor; they apply
/// to a session whose agent never reported its own.
pub fn choices_to_resume(chosen: &Choices, config: &[ConfigOption], described: &[ConfigOption]) -> Choices {
    let mut choices = chosen.clone();
    for option in config.iter().filter(|option| option.category == ConfigCategory::Mode) {
        if let Some(current) = option.current_value() {
            choices.insert(option.id.clone(), current.id.clone());
        }
    }
    choices.retain(|id, value| {
        let options = config.iter().chain(described).filter(|option| option.id == *id);
        let mut known = options.filter_map(|option| option.value(value));
        known.all(|value| value.risk == Risk::Usual)
    });
    choices
}

/// Returns the options with the choices as their current values.
pub fn with_choices(config: &[ConfigOption], choices: &Choices) -> Vec<ConfigOption> {
    let chosen = |option: &ConfigOption| {
        let current = choices.get(&option.id).or(option.current.as_ref()).cloned();
        ConfigOption { current, ..option.clone() }
    };
    config.iter().map(chosen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(id: &'static str, risk: Risk, planning: bool) -> ConfigValue {
        ConfigValue { id: ValueId::literal(id), name: id.to_owned(), description: None, risk, planning }
    }

    fn mode(current: Option<&'static str>) -> ConfigOption {
        ConfigOption {
            id: ConfigId::literal("mode"),
            name: "Mode".to_owned(),
            category: ConfigCategory::Mode,
            values: vec![
                value("plan", Risk::Usual, true),
                value("ask", Risk::Usual, false),
                value("everything", Risk::Unattended, false),
            ],
            free_text: false,
            live: true,
            current: current.map(ValueId::literal),
            fallback: None,
        }
    }

    fn choices(of: &[(&'static str, &'static str)]) -> Choices {
        of.iter().map(|(id, value)| (ConfigId::literal(id), ValueId::literal(value))).collect()
    }

    #[test]
    fn only_a_known_planning_mode_counts_as_planning() {
        assert!(is_planning(&[mode(Some("plan"))]));
        assert!(!is_planning(&[mode(Some("ask"))]));
        assert!(!is_planning(&[mode(Some("unlisted"))]));
        assert!(!is_planning(&[mode(None)]));
    }

    #[test]
    fn a_session_resumes_in_its_last_mode_but_never_unattended() {
        let chosen = choices(&[("mode", "plan"), ("model", "large")]);
        let resumed = |current| choices_to_resume(&chosen, &[mode(current)], &[]);
        assert_eq!(resumed(None), chosen);
        assert_eq!(resumed(Some("ask")), choices(&[("mode", "ask"), ("model", "large")]));
        assert_eq!(resumed(Some("everything")), choices(&[("model", "large")]));
        assert_eq!(resumed(Some("unlisted")), chosen);
        let unnamed = choices(&[("mode", "everything")]);
        assert_eq!(choices_to_resume(&unnamed, &[], &[mode(None)]), Choices::new());
    }
}
