//! What Codex says about tokens and its context. Measured with 0.169.0:
//!
//! - After each model call, `thread/tokenUsage/updated` has the sum of the session in `total`, and the call in `last`. Tokens read
//!   include those from the cache, tokens written include the reasoning.
//! - A resumed session continues its sum, and may tell it before its first turn.
//! - The call's tokens together fill the context. It says no cost.

use askdesk_domain::{ContextUse, Usage};
use serde_json::Value;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tokens {
    input: u64,
    cached: u64,
    output: u64,
}

impl Tokens {
    fn read(usage: &Value) -> Self {
        let count = |name: &str| usage.get(name).and_then(Value::as_u64).unwrap_or_default();
        Self {
            input: count("inputTokens"),
            cached: count("cachedInputTokens"),
            output: count("outputTokens"),
        }
    }

    /// What was added since an earlier sum.
    const fn since(self, earlier: Self) -> Self {
        Self {
            input: self.input.saturating_sub(earlier.input),
            cached: self.cached.saturating_sub(earlier.cached),
            output: self.output.saturating_sub(earlier.output),
        }
    }
}

/// What is known about the use of one session.
#[derive(Debug, Default)]
pub(super) struct UsageReport {
    /// The sum when the last turn ended; none while that is unknown, which it is in a resumed session.
    before: Option<Tokens>,
    total: Tokens,
    context: Option<ContextUse>,
}

impl UsageReport {
    /// Takes note of a report, and returns how full the context is if that is another than before.
    pub(super) fn on_report(&mut self, usage: &Value, in_turn: bool) -> Option<Option<ContextUse>> {
        self.total = Tokens::read(&usage["total"]);
        if !in_turn {
            self.before = Some(self.total);
        } else if self.before.is_none() {
            self.before = Some(self.total.since(Tokens::read(&usage["last"])));
        }
        let used = usage.pointer("/last/totalTokens").and_then(Value::as_u64);
        let size = usage.get("modelContextWindow").and_then(Value::as_u64).filter(|size| *size > 0);
        self.note_context(used.zip(size).map(|(used, size)| ContextUse { used, size }))
    }

    /// The context is unknown until the next model call.
    pub(super) fn on_compacted(&mut self) -> Option<Option<ContextUse>> {
        self.note_context(None)
    }

    fn note_context(&mut self, context: Option<ContextUse>) -> Option<Option<ContextUse>> {
        (std::mem::replace(&mut self.context, context) != context).then_some(context)
    }

    /// Returns what the turn used that ends.
    pub(super) fn on_turn_end(&mut self) -> Usage {
        let used = self.total.since(self.before.replace(self.total).unwrap_or(self.total));
        Usage {
            input_tokens: used.input,
            output_tokens: used.output,
            cached_tokens: used.cached,
            cost: None,
            context: self.context,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(total: [u64; 3], last: [u64; 3]) -> Value {
        let tokens = |[input, cached, output]: [u64; 3]| json!({"totalTokens": input + output, "inputTokens": input, "cachedInputTokens": cached, "outputTokens": output});
        json!({"total": tokens(total), "last": tokens(last), "modelContextWindow": 1000})
    }

    fn used(usage: &Usage) -> [u64; 3] {
        [usage.input_tokens, usage.cached_tokens, usage.output_tokens]
    }

    #[test]
    fn a_turn_has_used_what_its_calls_added() {
        let mut known = UsageReport::default();
        known.on_report(&report([10, 4, 5], [10, 4, 5]), true);
        let context = known.on_report(&report([30, 8, 9], [20, 4, 4]), true);
        assert_eq!(context, Some(Some(ContextUse { used: 24, size: 1000 })));
        assert_eq!(used(&known.on_turn_end()), [30, 8, 9]);
        known.on_report(&report([31, 8, 10], [1, 0, 1]), true);
        assert_eq!(used(&known.on_turn_end()), [1, 0, 1]);
        assert_eq!(used(&known.on_turn_end()), [0, 0, 0]);
    }

    #[test]
    fn a_resumed_session_counts_only_what_is_new() {
        for before_the_turn in [true, false] {
            let mut known = UsageReport::default();
            if before_the_turn {
                known.on_report(&report([100, 50, 40], [10, 0, 4]), false);
            }
            known.on_report(&report([110, 50, 45], [10, 0, 5]), true);
            assert_eq!(used(&known.on_turn_end()), [10, 0, 5]);
        }
    }

    #[test]
    fn the_context_is_told_when_it_changes() {
        let mut known = UsageReport::default();
        let full = report([10, 0, 5], [10, 0, 5]);
        assert_eq!(known.on_report(&full, true), Some(Some(ContextUse { used: 15, size: 1000 })));
        assert_eq!(known.on_report(&full, true), None);
        assert_eq!(known.on_compacted(), Some(None));
    }
}
