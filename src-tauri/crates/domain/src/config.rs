//! Config options: what a person chooses for a session, in the agent's own values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::{ConfigId, ValueId};

/// The most config options of one session that are kept.
pub const CONFIG_OPTIONS: usize = 32;
/// The most values of one config option that are kept.
pub const CONFIG_VALUES: usize = 256;

/// What was chosen, by option.
pub type Choices = BTreeMap<ConfigId, ValueId>;

/// One thing that can be chosen about how an agent runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ConfigOption {
    pub id: ConfigId,
    /// Its name in the agent's words.
    pub name: String,
    pub category: ConfigCategory,
    pub values: Vec<ConfigValue>,
    /// Whether a value that is not listed may be typed.
    pub free_text: bool,
    /// Whether it can be changed while the session runs.
    pub live: bool,
    /// The present value; none while it is not known.
    pub current: Option<ValueId>,
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
    /// Whether the person must agree to it first.
    pub risk: Risk,
    /// Whether the agent only plans with it and changes nothing.
    pub planning: bool,
}

/// How risky a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Risk {
    /// The agent still asks before what the person has not allowed.
    Usual,
    /// The agent asks for nothing. The person agrees at each start, and no resume brings it back.
    Unattended,
}

impl ConfigOption {
    /// Finds a listed value.
    pub fn value(&self, id: &ValueId) -> Option<&ConfigValue> {
        self.values.iter().find(|value| value.id == *id)
    }

    /// Returns the present value where it is a listed one.
    pub fn current_value(&self) -> Option<&ConfigValue> {
        self.current.as_ref().and_then(|current| self.value(current))
    }
}

/// Says whether the agent only plans now; one whose mode is not known does not.
pub fn is_planning(config: &[ConfigOption]) -> bool {
    let modes = config.iter().filter(|option| option.category == ConfigCategory::Mode);
    modes.filter_map(ConfigOption::current_value).any(|value| value.planning)
}

/// Returns what an ended session is resumed with: what was chosen for it, in the mode it was in last. What lets an agent
/// do everything was allowed for one run. `described` are the agent's options as its descriptor has them: a session whose
/// agent never named its own is held to those.
pub fn choices_to_resume(chosen: &Choices, config: &[ConfigOption], described: &[ConfigOption]) -> Choices {
    let mut choices = chosen.clone();
    for option in config.iter().filter(|option| option.category == ConfigCategory::Mode) {
        if let Some(current) = &option.current {
            choices.insert(option.id.clone(), current.clone());
        }
    }
    choices.retain(|id, value| {
        let options = config.iter().chain(described).filter(|option| option.id == *id);
        let mut known = options.filter_map(|option| option.value(value));
        known.all(|value| value.risk == Risk::Usual)
    });
    choices
}

/// Returns the options with what was chosen as their present values.
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
        }
    }

    fn choices(of: &[(&'static str, &'static str)]) -> Choices {
        of.iter().map(|(id, value)| (ConfigId::literal(id), ValueId::literal(value))).collect()
    }

    #[test]
    fn only_a_planning_mode_that_is_known_counts_as_planning() {
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
        let unnamed = choices(&[("mode", "everything")]);
        assert_eq!(choices_to_resume(&unnamed, &[], &[mode(None)]), Choices::new());
    }
}
