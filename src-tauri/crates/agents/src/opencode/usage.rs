//! What OpenCode says about tokens, cost and its context. Each step of the model ends with its own tokens and cost, and a
//! subagent's steps count for the turn that called it.

use std::collections::{HashMap, HashSet};

use crate::json::text;
use askdesk_domain::{ContextUse, Usage, Usd};
use serde_json::Value;

#[derive(Debug, Default)]
pub(super) struct UsageReport {
    turn: Usage,
    /// The steps of the turn that have been counted.
    steps: HashSet<String>,
    /// The sizes of the context windows, by provider and model.
    windows: HashMap<String, u64>,
    model: Option<String>,
    /// How many tokens the newest model call left in the context.
    used: Option<u64>,
    told: Option<ContextUse>,
}

impl UsageReport {
    pub(super) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    pub(super) fn set_windows(&mut self, windows: HashMap<String, u64>) {
        self.windows = windows;
    }

    /// Counts a step, once.
    pub(super) fn on_step(&mut self, part: &Value) {
        let id = text(part, "id").unwrap_or_default().to_owned();
        if !self.steps.insert(id) {
            return;
        }
        let tokens = Tokens::of(&part["tokens"]);
        self.turn.input_tokens = self.turn.input_tokens.saturating_add(tokens.read);
        self.turn.output_tokens = self.turn.output_tokens.saturating_add(tokens.written);
        self.turn.cached_tokens = self.turn.cached_tokens.saturating_add(tokens.cached);
        if let Some(cost) = part["cost"].as_f64().and_then(Usd::new) {
            self.turn.cost = Some(self.turn.cost.unwrap_or(Usd::ZERO).plus(cost));
        }
    }

    /// Notes a message of the agent. Returns whether its model is another one.
    pub(super) fn on_message(&mut self, info: &Value) -> bool {
        let tokens = Tokens::of(&info["tokens"]);
        if tokens.all() > 0 {
            self.used = Some(tokens.all());
        }
        let model = text(info, "providerID").zip(text(info, "modelID"));
        let model = model.map(|(provider, model)| format!("{provider}/{model}"));
        let changed = model.is_some() && model != self.model;
        self.model = model.or_else(|| self.model.take());
        changed
    }

    /// After a compaction the context is unknown until the next model call.
    pub(super) fn on_compacted(&mut self) {
        self.used = None;
    }

    fn context(&self) -> Option<ContextUse> {
        let size = *self.windows.get(self.model.as_ref()?)?;
        Some(ContextUse { used: self.used?, size })
    }

    /// Returns how full the context is, if that has changed since the last time.
    pub(super) fn news(&mut self) -> Option<Option<ContextUse>> {
        let now = self.context();
        (std::mem::replace(&mut self.told, now) != now).then_some(now)
    }

    /// Returns what the turn used, and begins another one.
    pub(super) fn take_turn(&mut self) -> Usage {
        self.steps.clear();
        Usage { context: self.context(), ..std::mem::take(&mut self.turn) }
    }
}

#[derive(Clone, Copy)]
struct Tokens {
    read: u64,
    written: u64,
    /// Those of the tokens read that came from the cache.
    cached: u64,
}

impl Tokens {
    fn of(tokens: &Value) -> Self {
        let count = |place: &str| tokens.pointer(place).and_then(Value::as_u64).unwrap_or_default();
        let cached = count("/cache/read");
        let read = count("/input").saturating_add(cached).saturating_add(count("/cache/write"));
        Self { read, written: count("/output").saturating_add(count("/reasoning")), cached }
    }

    const fn all(self) -> u64 {
        self.read.saturating_add(self.written)
    }
}
