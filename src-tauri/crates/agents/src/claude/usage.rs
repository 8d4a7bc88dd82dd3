//! What Claude Code says about tokens, cost and its context. Measured with 2.1.329:
//!
//! - The `message_start` of a model call has the tokens that the call read, its `message_delta` those that it wrote. Together
//!   they fill the context after that call. `get_context_usage` would say more, but it makes up to 30 requests to the model's API.
//! - The size of the context window is only in a result, by model, in `modelUsage`.
//! - A result's `model_usage_since_last_result` has what the turn used, subagents and compacting included. Its `usage` leaves
//!   both out. `total_cost_usd` is a sum that a resumed session continues.
//! - After compacting, `compact_boundary` has only an estimate without the system prompt and the tools, so the context is unknown
//!   until the next model call.

use crate::json::text;
use askdesk_domain::{ContextUse, Usage, Usd};
use serde_json::{Map, Value};

/// The most characters of a model's name; a longer one is no model that has a context window.
const MODEL_CHARS: usize = 200;

/// What is known about the use of one process.
#[derive(Debug, Default)]
pub(super) struct UsageReport {
    /// All that was spent when the last turn ended; none while that is unknown, which it is in a resumed session.
    spent: Option<Usd>,
    /// The newest model call of the agent itself.
    call: Option<ModelCall>,
    /// The newest model with a known context window, and the size of that.
    window: Option<(String, u64)>,
    told: Option<ContextUse>,
}

#[derive(Debug)]
struct ModelCall {
    message: String,
    model: String,
    fresh: u64,
    cache_read: u64,
    cache_written: u64,
    output: u64,
}

impl ModelCall {
    /// Takes over the numbers that are given.
    fn read(&mut self, usage: Option<&Value>) {
        let take = |number: &mut u64, name: &str| {
            if let Some(said) = usage.and_then(|usage| usage.get(name)).and_then(Value::as_u64) {
                *number = said;
            }
        };
        take(&mut self.fresh, "input_tokens");
        take(&mut self.cache_read, "cache_read_input_tokens");
        take(&mut self.cache_written, "cache_creation_input_tokens");
        take(&mut self.output, "output_tokens");
    }

    fn context(&self) -> u64 {
        [self.cache_read, self.cache_written, self.output].into_iter().fold(self.fresh, u64::saturating_add)
    }
}

impl UsageReport {
    /// Starts with a process that begins a session, or resumes one and continues its sum.
    pub(super) fn new(resumes: bool) -> Self {
        Self { spent: (!resumes).then_some(Usd::ZERO), ..Self::default() }
    }

    /// Notes a model call of the agent itself: its `message_start`, or the whole message if it was not streamed.
    pub(super) fn on_message(&mut self, message: &Value) {
        let (Some(id), Some(model)) = (text(message, "id"), text(message, "model")) else { return };
        // A message that Claude Code itself wrote, such as an error. No model has this name.
        let synthetic = model.starts_with('<') || model.chars().count() > MODEL_CHARS;
        if synthetic || self.call.as_ref().is_some_and(|call| call.message == id) {
            return;
        }
        let (message_id, model) = (id.to_owned(), model.to_owned());
        let mut call =
            ModelCall { message: message_id, model, fresh: 0, cache_read: 0, cache_written: 0, output: 0 };
        call.read(message.get("usage"));
        self.call = Some(call);
    }

    /// Notes the `message_delta` of the newest model call, whose numbers are final.
    pub(super) fn on_message_delta(&mut self, event: &Value) {
        if let Some(call) = &mut self.call {
            call.read(event.get("usage"));
        }
    }

    pub(super) fn on_compacted(&mut self) {
        self.call = None;
    }

    /// Returns how full the context is, if that is known.
    pub(super) fn context(&self) -> Option<ContextUse> {
        let call = self.call.as_ref()?;
        let (model, size) = self.window.as_ref()?;
        (*model == call.model).then(|| ContextUse { used: call.context(), size: *size })
    }

    /// Returns how full the context is, if that has changed since the last time.
    pub(super) fn news(&mut self) -> Option<Option<ContextUse>> {
        let now = self.context();
        (std::mem::replace(&mut self.told, now) != now).then_some(now)
    }

    /// Returns what the turn used that a result ends.
    pub(super) fn on_result(&mut self, result: &Value) -> Usage {
        self.note_window(result.get("modelUsage"));
        let total = result.get("total_cost_usd").and_then(Value::as_f64).and_then(Usd::new);
        let added = total.and_then(|total| Some(total.since(self.spent.replace(total)?)));
        let of_turn = result.get("model_usage_since_last_result").and_then(Value::as_object);
        let usage = of_turn.and_then(of_models).unwrap_or_else(|| of_main_loop(result, added));
        Usage { context: self.context(), ..usage }
    }

    fn note_window(&mut self, models: Option<&Value>) {
        let (Some(call), Some(models)) = (&self.call, models) else { return };
        // A longer context window is an addition to the model's name, such as `[1m]`.
        let is_it = |name: &str| name == call.model || name.starts_with(&format!("{}[", call.model));
        let mut known = models.as_object().into_iter().flatten().filter(|(name, _)| is_it(name));
        let size = known.next().and_then(|(_, usage)| usage.get("contextWindow")).and_then(Value::as_u64);
        if let Some(size) = size.filter(|size| *size > 0) {
            self.window = Some((call.model.clone(), size));
        }
    }
}

/// Adds up what each model was used for; none if that isn't said for every one.
fn of_models(models: &Map<String, Value>) -> Option<Usage> {
    let mut all = Usage { cost: Some(Usd::ZERO), ..Usage::default() };
    for of_model in models.values() {
        let tokens = |name: &str| of_model.get(name).and_then(Value::as_u64);
        let cached = tokens("cacheReadInputTokens")?;
        let read = tokens("inputTokens")?.saturating_add(tokens("cacheCreationInputTokens")?);
        all.input_tokens = all.input_tokens.saturating_add(read).saturating_add(cached);
        all.output_tokens = all.output_tokens.saturating_add(tokens("outputTokens")?);
        all.cached_tokens = all.cached_tokens.saturating_add(cached);
        let cost = of_model.get("costUSD").and_then(Value::as_f64).and_then(Usd::new);
        all.cost = all.cost.and_then(|sum| Some(sum.plus(cost?)));
    }
    Some(all)
}

/// Reads what an earlier version says: the tokens without those of subagents.
fn of_main_loop(result: &Value, cost: Option<Usd>) -> Usage {
    let tokens = |name: &str| {
        result.get("usage").and_then(|usage| usage.get(name)).and_then(Value::as_u64).unwrap_or_default()
    };
    Usage {
        input_tokens: tokens("input_tokens")
            .saturating_add(tokens("cache_creation_input_tokens"))
            .saturating_add(tokens("cache_read_input_tokens")),
        output_tokens: tokens("output_tokens"),
        cached_tokens: tokens("cache_read_input_tokens"),
        cost,
        context: None,
    }
}
