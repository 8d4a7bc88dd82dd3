//! Permission rules: which permission requests the user has denied in advance, and which the user always wants to see.
//!
//! A rule never allows anything and never applies to a question or a plan.

mod matching;
mod text_pattern;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{PermissionRuleError, Settable, SettingError, SettingKind, Written};
pub use matching::{CallArgument, PermissionCall, RuleContext};

/// The most rules.
pub const RULES: usize = 200;
/// The longest tool, argument or folder of a rule, in bytes.
pub const RULE_BYTES: usize = 1024;

/// A rule of the user's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PermissionRule {
    pub action: RuleAction,
    /// The tool by the agent's name for it; `*` stands for any text.
    pub tool: String,
    /// Which calls of the tool, in the agent's own notation; none means all.
    #[serde(default)]
    pub argument: Option<String>,
    /// The folder whose sessions it reaches, subfolders included; none means every folder.
    #[serde(default)]
    pub folder: Option<String>,
}

/// What a rule does with a permission request that it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RuleAction {
    /// The agent is denied it, and the user isn't asked.
    Deny,
    /// The user is asked, even if the agent's own rules would allow it.
    Ask,
}

impl PermissionRule {
    /// Checks the bounds and the shape.
    fn check(&self) -> Result<(), PermissionRuleError> {
        let texts = [Some(&self.tool), self.argument.as_ref(), self.folder.as_ref()];
        for text in texts.into_iter().flatten() {
            if text.trim().is_empty() {
                return Err(PermissionRuleError::Empty);
            }
            if text.len() > RULE_BYTES {
                return Err(PermissionRuleError::TooLong { most: RULE_BYTES, bytes: text.len() });
            }
            if text.chars().any(char::is_control) {
                return Err(PermissionRuleError::ControlCharacter);
            }
        }
        if self.tool.contains(|letter: char| letter.is_whitespace() || "(),".contains(letter)) {
            return Err(PermissionRuleError::NoTool);
        }
        let absolute = |folder: &String| folder.starts_with(['/', '\\']) || folder.get(1..2) == Some(":");
        if !self.folder.iter().all(absolute) {
            return Err(PermissionRuleError::RelativeFolder);
        }
        Ok(())
    }

    /// The message that tells an agent that this rule denied a request.
    pub fn denial(&self) -> String {
        format!(
            "Denied by a permission rule that the user set in Askdesk: {self}. The user was not asked. Continue in \
             another way, or say what you need."
        )
    }
}

/// The rule in the agent's notation: `Bash(git push *)`.
impl fmt::Display for PermissionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.argument {
            Some(argument) => write!(f, "{}({argument})", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}

/// The user's rules, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<PermissionRule>", into = "Vec<PermissionRule>")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "PermissionRule[]"))]
pub struct PermissionRules(Vec<PermissionRule>);

impl PermissionRules {
    /// Returns the rule that applies to a call: the first one that denies it, otherwise the first one that matches.
    pub fn matching(&self, call: &PermissionCall, context: RuleContext<'_>) -> Option<&PermissionRule> {
        let matching = || self.0.iter().filter(|rule| rule.matches(call, context));
        matching().find(|rule| rule.action == RuleAction::Deny).or_else(|| matching().next())
    }
}

impl TryFrom<Vec<PermissionRule>> for PermissionRules {
    type Error = SettingError;

    fn try_from(rules: Vec<PermissionRule>) -> Result<Self, SettingError> {
        if rules.len() > RULES {
            return Err(SettingError::TooMany { most: RULES, count: rules.len() });
        }
        for (n, rule) in (1..).zip(&rules) {
            rule.check().map_err(|flaw| SettingError::Rule { n, flaw })?;
        }
        Ok(Self(rules))
    }
}

impl From<PermissionRules> for Vec<PermissionRule> {
    fn from(rules: PermissionRules) -> Self {
        rules.0
    }
}

impl Settable for PermissionRules {
    fn read(written: Written) -> Result<Self, SettingError> {
        match written {
            // An empty list has no type.
            Written::Texts(texts) if texts.is_empty() => Ok(Self::default()),
            Written::Tables(tables) => {
                let rules = (1..)
                    .zip(tables)
                    .map(|(n, table)| from_table(table).map_err(|flaw| SettingError::Rule { n, flaw }));
                rules.collect::<Result<Vec<_>, _>>()?.try_into()
            }
            _ => Err(SettingError::NoRules),
        }
    }

    fn kind() -> SettingKind {
        SettingKind::Rules
    }
}

fn from_table(mut table: BTreeMap<String, String>) -> Result<PermissionRule, PermissionRuleError> {
    let action = match table.remove("action").as_deref() {
        Some("deny") => RuleAction::Deny,
        Some("ask") => RuleAction::Ask,
        _ => return Err(PermissionRuleError::NoAction),
    };
    let tool = table.remove("tool").ok_or(PermissionRuleError::NoTool)?;
    let rule =
        PermissionRule { action, tool, argument: table.remove("argument"), folder: table.remove("folder") };
    match table.into_keys().next() {
        // A rule with a misspelled key would reach further, or match more, than intended.
        Some(key) => Err(PermissionRuleError::UnknownKey { key: key.chars().take(40).collect() }),
        None => Ok(rule),
    }
}

#[cfg(test)]
mod tests;
