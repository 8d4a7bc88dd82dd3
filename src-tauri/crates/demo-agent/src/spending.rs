//! What a turn is said to use and to cost: as measured with the real agent.

use serde::Deserialize;
use serde_json::{Value, json};

/// The tokens of every model call that do not come from the cache.
const FRESH_TOKENS: u64 = 100;

/// The command that compacts the context.
pub(super) const COMPACT: &str = "/compact";

/// What the model calls of a turn use.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spending {
    /// The tokens that each model call reads.
    pub context: u64,
    /// The size of the context window.
    pub size: u64,
    /// What the whole turn costs.
    pub cost_usd: f64,
}

impl Spending {
    /// The `usage` of a model call when it starts.
    pub(super) fn of_call(self) -> Value {
        json!({
            "input_tokens": FRESH_TOKENS.min(self.context), "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": self.context.saturating_sub(FRESH_TOKENS), "output_tokens": 0,
        })
    }

    /// What a result says about the models.
    pub(super) fn of_models(self, model: &str, output_tokens: u64) -> Value {
        json!({model: {
            "inputTokens": FRESH_TOKENS.min(self.context), "outputTokens": output_tokens,
            "cacheReadInputTokens": self.context.saturating_sub(FRESH_TOKENS), "cacheCreationInputTokens": 0,
            "costUSD": self.cost_usd, "contextWindow": self.size,
        }})
    }
}
