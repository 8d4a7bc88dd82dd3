use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Nano-dollars in a dollar.
const NANOS: f64 = 1e9;

/// An amount in US dollars, stored in nano-dollars so that equal amounts compare equal; a plain number on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "number"))]
pub struct Usd(u64);

impl Usd {
    pub const ZERO: Self = Self(0);

    /// Accepts a finite amount that is not negative.
    pub fn new(dollars: f64) -> Option<Self> {
        let nanos = (dollars * NANOS).round();
        // Above this, a float can't tell neighbouring amounts apart, and no turn costs that much.
        let usable = nanos.is_finite() && (0.0..=9e15).contains(&nanos);
        usable.then_some(Self(nanos as u64))
    }

    /// Returns the amount in dollars.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / NANOS
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
    }
}
