//! The present values of OpenCode's config options, and the lists of its server.

use std::collections::HashMap;

use askdesk_domain::text::bounded;
use askdesk_domain::{ConfigId, ConfigOption, ConfigValue, ValueId};
use serde_json::Value;

use super::OpenCodeAdapter;
use super::descriptor::{AGENT, MODEL, PLAN};
use crate::adapter::Output;
use crate::event::{Configuration, InputError};
use crate::json::text;

/// How many agents or models are offered.
const VALUES: usize = 1_000;

/// Agents of the server's own that nobody chooses (1.18.33).
const UNCHOSEN: [&str; 3] = ["compaction", "summary", "title"];

impl OpenCodeAdapter {
    /// Reads the list of agents. Those that only other agents call aren't offered.
    pub(super) fn on_agents(&mut self, agents: &Value, out: &mut Output) {
        let Some(agents) = agents.as_array() else {
            return out.invalid(InputError::Incomplete { field: "agents" });
        };
        let offered = |agent: &&Value| {
            text(agent, "mode") != Some("subagent") && !agent["hidden"].as_bool().unwrap_or_default()
        };
        let value = |agent: &Value| {
            let name = text(agent, "name")?;
            let description = text(agent, "description").map(bounded);
            Some(ConfigValue { planning: name == PLAN, description, ..listed(name, name)? })
        };
        let values = agents.iter().filter(offered).filter_map(value).take(VALUES).collect();
        self.offer(&AGENT, values, out);
    }

    /// Reads the list of providers with their models.
    pub(super) fn on_models(&mut self, providers: &Value, out: &mut Output) {
        let Some(providers) = providers.get("providers").and_then(Value::as_array) else {
            return out.invalid(InputError::Incomplete { field: "providers" });
        };
        let mut values = Vec::new();
        let mut windows = HashMap::new();
        for provider in providers {
            let models = provider.get("models").and_then(Value::as_object);
            for (model, facts) in models.into_iter().flatten() {
                let Some(provider) = text(provider, "id") else { continue };
                let id = format!("{provider}/{model}");
                let size = facts.pointer("/limit/context").and_then(Value::as_u64);
                if let Some(size) = size.filter(|&size| size > 0) {
                    windows.insert(id.clone(), size);
                }
                values.extend(listed(&id, text(facts, "name").unwrap_or(model)));
            }
        }
        values.truncate(VALUES);
        self.usage.set_windows(windows);
        self.tell_context(out);
        self.offer(&MODEL, values, out);
    }

    fn offer(&mut self, id: &ConfigId, values: Vec<ConfigValue>, out: &mut Output) {
        let Some(option) = self.config.iter_mut().find(|option| option.id == *id) else { return };
        if !values.is_empty() && option.values != values {
            option.values = values;
            out.event(Configuration::ConfigChanged { config: self.config.clone() });
        }
    }

    /// Notes the agent and the model that the session uses. What the user chose for the next message stays.
    pub(super) fn note_choice(
        &mut self,
        agent: Option<&str>,
        provider: Option<&str>,
        model: Option<&str>,
        out: &mut Output,
    ) {
        let model = provider.zip(model).map(|(provider, model)| format!("{provider}/{model}"));
        let agent = agent.filter(|agent| !UNCHOSEN.contains(agent)).map(str::to_owned);
        let mut changed = false;
        for (id, word) in [(AGENT, agent), (MODEL, model)] {
            let Some(value) = word.and_then(ValueId::new) else { continue };
            if let Some(option) =
                self.config.iter_mut().find(|option| option.id == id && option.current.is_none())
            {
                option.current = Some(value);
                changed = true;
            }
        }
        if changed {
            out.event(Configuration::ConfigChanged { config: self.config.clone() });
        }
    }

    /// Changes an option. It counts from the next message on.
    pub(super) fn choose(&mut self, id: &ConfigId, value: ValueId) -> bool {
        let option = self.config.iter_mut().find(|option| option.id == *id && option.live);
        let fits = |option: &ConfigOption| option.free_text || option.values.iter().any(|it| it.id == value);
        match option {
            Some(option) if fits(option) => {
                option.current = Some(value);
                true
            }
            _ => false,
        }
    }
}

fn listed(id: &str, name: &str) -> Option<ConfigValue> {
    Some(ConfigValue::new(ValueId::new(id)?, &bounded(name)))
}
