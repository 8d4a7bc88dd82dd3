use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Nano-dollars in a dollar.
const NANOS: f64 = 1e9;

/// The largest amount, in nano-dollars.
const MOST: u64 = 9_000_000_000_000_000;

/// An amount in US dollars, stored in nano-dollars so that equal amounts compare equal; a plain number on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "number"))]
pub struct Usd(u64);

impl Usd {
    pub const ZERO: Self = Self(0);

    /// Accepts a finite amount that is not negative.
    pub fn new(dollars: f64) -> Option<Self> {
        let nanos = (dollars * NANOS).round();
        // Above this, a float can't tell neighboring amounts apart, and no turn costs that much.
        let usable = nanos.is_finite() && (0.0..=MOST as f64).contains(&nanos);
        usable.then_some(Self(nanos as u64))
    }

    /// Accepts an amount in nano-dollars up to the largest one.
    pub fn from_nanos(nanos: u64) -> Option<Self> {
        (nanos <= MOST).then_some(Self(nanos))
    }

    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Returns the amount in dollars.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / NANOS
    }

    /// Adds an amount; a sum stops at the largest amount.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0).min(MOST))
    }

    /// Returns the increase since an earlier sum; a lower sum has restarted and counts in full.
    pub const fn since(self, earlier: Self) -> Self {
        match self.0.checked_sub(earlier.0) {
            Some(added) => Self(added),
            None => self,
        }
    }
}

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

impl<'de> Deserialize<'de> for Usd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        Self::new(dollars).ok_or_else(|| serde::de::Error::custom("not an amount of money"))
    }
}

/// What a turn used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read, including those from a cache.
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cached_tokens: u64,
    /// The cost that the agent reports.
    pub cost: Option<Usd>,
    /// How full the agent's context is after the turn.
    pub context: Option<ContextUse>,
}

/// What several turns used, in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct UsageSum {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub turns: u64,
    /// Tokens read, including those from a cache.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub input_tokens: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub output_tokens: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub cached_tokens: u64,
    /// The cost of the turns whose agents report one; none if none of them does.
    pub cost: Option<Usd>,
}

impl UsageSum {
    /// Adds a turn. The numbers come from agents, so a sum that would overflow stops at the largest number.
    pub fn add(&mut self, turn: &Usage) {
        self.turns = self.turns.saturating_add(1);
        self.input_tokens = self.input_tokens.saturating_add(turn.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(turn.output_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(turn.cached_tokens);
        self.cost = match (self.cost, turn.cost) {
            (Some(sum), Some(cost)) => Some(sum.plus(cost)),
            (sum, cost) => sum.or(cost),
        };
    }
}

/// What a session used, and how full its context is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SessionUsage {
    pub sum: UsageSum,
    /// How full the context was after the last turn; none if the agent didn't report it.
    pub context: Option<ContextUse>,
}

/// How full an agent's context is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ContextUse {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub used: u64,
    /// The capacity in tokens.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub size: u64,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_amount_round_trips_and_is_subtracted_exactly() {
        let (first, both) = (Usd::new(0.000_88).unwrap(), Usd::new(0.001_76).unwrap());
        let written = serde_json::to_string(&first).unwrap();
        assert_eq!(written, "0.00088");
        assert_eq!(serde_json::from_str::<Usd>(&written).unwrap(), first);
        assert_eq!(both.since(first), first);
        assert_eq!(first.since(both), first);
    }

    #[test]
    fn an_invalid_amount_is_refused() {
        for wrong in [-0.1, f64::NAN, f64::INFINITY, 1e9] {
            assert_eq!(Usd::new(wrong), None, "{wrong}");
        }
        for wrong in ["-0.1", "1e9", "\"1\"", "null"] {
            assert!(serde_json::from_str::<Usd>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_sum_stops_at_the_largest_amount_and_can_be_read_again() {
        let most = Usd::new(9e6).unwrap();
        assert_eq!(most.plus(most), most);
        let written = serde_json::to_string(&most.plus(Usd::new(1.0).unwrap())).unwrap();
        assert_eq!(serde_json::from_str::<Usd>(&written).unwrap(), most);
    }

    fn turn() -> impl Strategy<Value = Usage> {
        let tokens = || prop_oneof![4 => 0..1_000_000_u64, 1 => Just(u64::MAX)];
        let cost = prop::option::of((0..=MOST).prop_map(|nanos| Usd::from_nanos(nanos).unwrap()));
        (tokens(), tokens(), tokens(), cost).prop_map(|(input_tokens, output_tokens, cached_tokens, cost)| {
            Usage { input_tokens, output_tokens, cached_tokens, cost, context: None }
        })
    }

    proptest! {
        #[test]
        fn the_sum_is_the_same_in_any_order(turns in prop::collection::vec(turn(), 0..8), by in 0..8_usize) {
            let sum = |turns: &[Usage]| {
                let mut sum = UsageSum::default();
                turns.iter().for_each(|turn| sum.add(turn));
                sum
            };
            let mut others = turns.clone();
            others.reverse();
            others.rotate_left(by.min(turns.len()));
            prop_assert_eq!(sum(&turns), sum(&others));
            prop_assert_eq!(sum(&turns).cost.is_some(), turns.iter().any(|turn| turn.cost.is_some()));
            prop_assert_eq!(sum(&turns).turns, turns.len() as u64);
        }
    }
}
