//! Rules an agent suggests beside an approval: standing permissions in words, chosen by id.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::options::PermissionMode;

/// The most rules that are offered beside one approval.
pub const SUGGESTED_RULES: usize = 32;
/// The most folders of one rule.
pub const RULE_FOLDERS: usize = 32;

/// A suggested rule's place beside its approval, counted from 1; written `r1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
pub struct RuleId(u16);

impl RuleId {
    /// Mints the id of the rule at `index` (counted from 0).
    pub const fn at(index: usize) -> Self {
        Self(index as u16 + 1)
    }

    /// Returns the rule's index, counted from 0.
    pub const fn index(self) -> usize {
        self.0 as usize - 1
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

/// Says that a text is not an id of the form `r1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an id of the form r1")]
pub struct NotARuleId;

impl FromStr for RuleId {
    type Err = NotARuleId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix('r').ok_or(NotARuleId)?;
        let canonical = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
        canonical.then(|| digits.parse().ok()).flatten().map(Self).ok_or(NotARuleId)
    }
}

impl Serialize for RuleId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RuleId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// One standing permission that the agent suggests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SuggestedRule {
    /// Its id beside this approval.
    pub id: RuleId,
    /// What it says.
    pub rule: RuleWords,
    /// How far it reaches.
    pub scope: RuleScope,
}

/// What a rule says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RuleWords {
    /// How calls of a tool are treated.
    Tool {
        /// The tool.
        tool: String,
        /// Which of its calls, in the agent's own pattern; none means all.
        content: Option<String>,
        /// How they are treated.
        behaviour: RuleBehaviour,
    },
    /// Folders the agent may work in.
    Folder {
        /// The folders.
        paths: Vec<String>,
    },
    /// The permission mode from now on.
    Mode {
        /// The mode.
        mode: PermissionMode,
    },
}

/// How a rule treats what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RuleBehaviour {
    /// It is allowed.
    Allow,
    /// A person is asked.
    Ask,
    /// It is refused.
    Deny,
}

/// How far a rule reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RuleScope {
    /// This session.
    Session,
    /// This folder, for this person.
    Local,
    /// This folder, for everybody who works in it.
    Project,
    /// Everything this person does.
    User,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_written_form_is_a_rule_id() {
        assert_eq!("r12".parse(), Ok(RuleId::at(11)));
        assert_eq!(RuleId::at(11).to_string(), "r12");
        for wrong in ["r0", "r01", "r+1", "r65536", "1", "r", "q1"] {
            assert_eq!(wrong.parse::<RuleId>(), Err(NotARuleId), "{wrong}");
        }
    }
}
