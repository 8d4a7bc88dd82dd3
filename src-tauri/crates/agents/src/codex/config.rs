//! The config options of Codex with their present values, and how a change is written.

use askdesk_domain::text::bounded;
use askdesk_domain::{ConfigId, ConfigOption, ConfigValue, Risk, ValueId};
use serde_json::{Value, json};

use super::descriptor::EFFORTS;
use super::{APPROVALS, CodexAdapter, DEFAULT, EFFORT, MODE, MODEL, PLAN, SANDBOX, Sent};
use crate::adapter::{EncodeError, Output};
use crate::event::Configuration;
use crate::json::{is_true, list, text};

/// Of a longer list, the rest can be typed.
const MODELS: usize = 200;

impl CodexAdapter {
    pub(super) fn current(&self, id: &ConfigId) -> Option<&ValueId> {
        self.config.iter().find(|option| option.id == *id).and_then(|option| option.current.as_ref())
    }

    pub(super) fn model(&self) -> Option<String> {
        self.current(&MODEL).map(ToString::to_string)
    }

    pub(super) fn is_planning(&self) -> bool {
        self.current(&MODE) == Some(&PLAN)
    }

    /// Returns whether the value changed.
    pub(super) fn set_current(&mut self, id: &ConfigId, current: Option<ValueId>) -> bool {
        let Some(option) = self.config.iter_mut().find(|option| option.id == *id) else { return false };
        let changed = option.current != current;
        option.current = current;
        changed
    }

    /// Takes over the settings of the session, as far as they are given.
    pub(super) fn take_settings(&mut self, settings: &Value) -> bool {
        let mut changed = false;
        let mut take =
            |adapter: &mut Self, id: &ConfigId, said: Option<&Value>, read: fn(&Value) -> Option<ValueId>| {
                if let Some(said) = said {
                    changed |= adapter.set_current(id, read(said));
                }
            };
        take(self, &MODEL, settings.get("model"), word);
        take(self, &APPROVALS, settings.get("approvalPolicy"), word);
        let sandbox = settings.get("sandboxPolicy").or_else(|| settings.get("sandbox"));
        take(self, &SANDBOX, sandbox, sandbox_word);
        if let Some(sandbox) = sandbox {
            self.sandbox = sandbox.clone();
        }
        take(self, &EFFORT, settings.get("effort").or_else(|| settings.get("reasoningEffort")), word);
        take(self, &MODE, settings.pointer("/collaborationMode/mode"), word);
        self.refresh_efforts() || changed
    }

    pub(super) fn tell_config(&self, changed: bool, out: &mut Output) {
        if changed {
            out.event(Configuration::ConfigChanged { config: self.config.clone() });
        }
    }

    /// Takes over the models that the server lists, and the efforts of the present one.
    pub(super) fn take_models(&mut self, listed: &Value) -> bool {
        let models = list(listed, "data").iter();
        let shown = models.clone().filter(|model| !is_true(model, "hidden")).take(MODELS);
        let values = shown.filter_map(|model| {
            let name = text(model, "displayName").or_else(|| text(model, "id"))?;
            let words = text(model, "description").filter(|words| !words.trim().is_empty());
            let value = ConfigValue::new(ValueId::new(model_id(model)?)?, &bounded(name));
            Some(ConfigValue { description: words.map(bounded), ..value })
        });
        let values: Vec<_> = values.collect();
        let efforts = models.take(MODELS).filter_map(|model| {
            let known = list(model, "supportedReasoningEfforts").iter().filter_map(effort).collect();
            Some((model_id(model)?.to_owned(), known))
        });
        self.efforts = efforts.collect();
        let Some(option) = self.config.iter_mut().find(|option| option.id == MODEL) else { return false };
        let changed = !values.is_empty() && option.values != values;
        if changed {
            option.values = values;
        }
        self.refresh_efforts() || changed
    }

    /// Offers the efforts that the present model takes; of one that is not listed, all that are known.
    fn refresh_efforts(&mut self) -> bool {
        let known = self.model().and_then(|model| self.efforts.get(&model).cloned());
        let Some(values) = known.filter(|values| !values.is_empty()) else { return false };
        let Some(option) = self.config.iter_mut().find(|option| option.id == EFFORT) else { return false };
        let changed = option.values != values;
        option.values = values;
        changed
    }

    /// Sets what can be set only once the session is open: the mode and the effort that were chosen for it.
    ///
    /// A resumed session comes back with the permissions that it had (0.169.0). Those that ask for nothing were confirmed for one
    /// run, so without a confirmation of this one the session asks again.
    pub(super) fn apply_choices(&mut self, resumed: bool, out: &mut Output) {
        let mut changes: Vec<(ConfigId, ValueId)> = [MODE, EFFORT]
            .into_iter()
            .filter_map(|id| {
                let value = self.choices.get(&id)?.clone();
                (self.current(&id) != Some(&value)).then_some((id, value))
            })
            .collect();
        let careful = [(APPROVALS, "on-request"), (SANDBOX, "workspace-write")];
        changes.extend(careful.into_iter().filter_map(|(id, value)| {
            let asks_nothing = resumed && !self.choices.contains_key(&id) && self.is_unattended(&id);
            asks_nothing.then_some((id, ValueId::literal(value)))
        }));
        if changes.is_empty() {
            return;
        }
        let mut params = json!({});
        for (id, value) in &changes {
            if let Ok(change) = self.change(id, value) {
                merge(&mut params, change);
            }
        }
        self.request_of_thread(Sent::Config { ticket: None, changes }, "thread/settings/update", params, out);
    }

    fn is_unattended(&self, id: &ConfigId) -> bool {
        let option = self.config.iter().find(|option| option.id == *id);
        option.and_then(ConfigOption::current_value).is_some_and(|value| value.risk == Risk::Unattended)
    }

    /// Encodes the change of a config option, which applies from the next turn.
    pub(super) fn change(&self, id: &ConfigId, value: &ValueId) -> Result<Value, EncodeError> {
        let word = value.as_str();
        if *id == APPROVALS {
            return Ok(json!({"approvalPolicy": word}));
        }
        if *id == SANDBOX {
            let policy = sandbox_type(word).ok_or(EncodeError::Refused { what: "this sandbox" })?;
            // The one that the server described has what the user's own settings add to it.
            let known = text(&self.sandbox, "type") == Some(policy);
            return Ok(json!({
                "sandboxPolicy": if known { self.sandbox.clone() } else { json!({"type": policy}) },
            }));
        }
        if *id == MODEL {
            return Ok(json!({"model": word}));
        }
        if *id == EFFORT {
            return Ok(json!({"effort": word}));
        }
        if *id == MODE && [PLAN, DEFAULT].contains(value) {
            let effort = self.choices.get(&EFFORT).or_else(|| self.current(&EFFORT)).map(ValueId::as_str);
            let settings = json!({
                "model": self.model().unwrap_or_default(),
                "reasoning_effort": effort,
                // The agent's own for the mode.
                "developer_instructions": null,
            });
            return Ok(json!({"collaborationMode": {"mode": word, "settings": settings}}));
        }
        Err(EncodeError::Refused { what: "changing this option while it runs" })
    }

    pub(super) fn has_option(&self, id: &ConfigId) -> bool {
        self.config.iter().any(|option: &ConfigOption| option.id == *id && option.live)
    }
}

fn merge(params: &mut Value, change: Value) {
    if let (Value::Object(params), Value::Object(change)) = (params, change) {
        params.extend(change);
    }
}

/// The server's word for a value. A value with parts of its own is an object with one name.
fn word(value: &Value) -> Option<ValueId> {
    let named = || value.as_object()?.keys().next().map(String::as_str);
    value.as_str().or_else(named).and_then(ValueId::new)
}

/// The value of the sandbox option. A sandbox that the app does not offer keeps the server's name.
fn sandbox_word(policy: &Value) -> Option<ValueId> {
    match text(policy, "type").or_else(|| policy.as_str())? {
        "readOnly" => Some(ValueId::literal("read-only")),
        "workspaceWrite" => Some(ValueId::literal("workspace-write")),
        "dangerFullAccess" => Some(ValueId::literal("danger-full-access")),
        other => ValueId::new(other),
    }
}

fn sandbox_type(word: &str) -> Option<&'static str> {
    match word {
        "read-only" => Some("readOnly"),
        "workspace-write" => Some("workspaceWrite"),
        "danger-full-access" => Some("dangerFullAccess"),
        _ => None,
    }
}

fn model_id(listed: &Value) -> Option<&str> {
    text(listed, "model").or_else(|| text(listed, "id"))
}

fn effort(listed: &Value) -> Option<ConfigValue> {
    let word = text(listed, "reasoningEffort")?;
    let known = EFFORTS.iter().find(|(id, _)| *id == word);
    let name = known.map_or_else(|| bounded(word), |(_, name)| (*name).to_owned());
    let value = ConfigValue::new(ValueId::new(word)?, &name);
    Some(ConfigValue { description: text(listed, "description").map(bounded), ..value })
}
