//! Standing permissions as Claude Code suggests and takes them, and the words of its permission modes.

use askdesk_domain::approval::OPTION_FOLDERS;
use askdesk_domain::{OptionLabel, OptionScope, ToolRule, ValueId};
use serde_json::{Value, json};

use super::{ACCEPT_EDITS, ASK, AUTO, BYPASS, MODE, PLAN};
use crate::json::{list, text};

/// The longest text of a suggested rule, in bytes; a longer one could not be shown whole and is not offered.
const RULE_TEXT_BYTES: usize = 4 * 1024;
/// The most rules that are offered beside one approval.
const SUGGESTED_RULES: usize = 32;
/// The modes with the protocol's words for them.
const MODE_WORDS: [(ValueId, &str); 5] = [
    (PLAN, "plan"),
    (ASK, "default"),
    (ACCEPT_EDITS, "acceptEdits"),
    (AUTO, "auto"),
    (BYPASS, "bypassPermissions"),
];

/// Returns the protocol's word for a mode.
pub(super) fn mode_word(mode: &ValueId) -> Option<&'static str> {
    MODE_WORDS.into_iter().find(|(value, _)| value == mode).map(|(_, word)| word)
}

/// Finds the mode of a protocol word; none if the app does not offer it.
pub(super) fn mode_of(word: &str) -> Option<ValueId> {
    // The command line's newer word for it.
    let word = if word == "manual" { "default" } else { word };
    MODE_WORDS.into_iter().find(|(_, known)| *known == word).map(|(value, _)| value)
}

/// The mode that follows an approved plan.
pub(super) fn mode_update(word: &str) -> Value {
    json!({"type": "setMode", "mode": word, "destination": "session"})
}

/// What an agent suggests beside a permission request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Suggestions {
    /// As they came: what is chosen goes back unchanged.
    received: Vec<Value>,
    offered: Vec<SuggestedRule>,
}

/// One rule that is offered, and where it came from.
#[derive(Clone, Debug, PartialEq)]
struct SuggestedRule {
    update: usize,
    /// Its place among the rules of the update; none where the update is one rule.
    place: Option<usize>,
    label: OptionLabel,
    scope: OptionScope,
}

impl Suggestions {
    /// Reads the suggestions of a permission request; what is not understood whole is not offered.
    pub(super) fn of(request: &Value) -> Self {
        let set = |flag: &str| match request.get(flag) {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(_) => true,
        };
        // With the first the agent says that no rule may be given; with the second a rule of the user's own wants
        // this asked each time, so that another rule would promise what does not come.
        if set("suppress_always_allow_rule") || set("matched_ask_rule") {
            return Self::default();
        }
        let received: Vec<Value> = list(request, "permission_suggestions").to_vec();
        let mut offered = Vec::new();
        for (update, suggestion) in received.iter().enumerate() {
            if let Some(scope) = text(suggestion, "destination").and_then(scope_of) {
                offered.extend(offers(update, suggestion, scope));
            }
        }
        offered.truncate(SUGGESTED_RULES);
        Self { received, offered }
    }

    /// Lists the labels of the rules with their scopes.
    pub(super) fn rules(&self) -> impl Iterator<Item = (&OptionLabel, OptionScope)> {
        self.offered.iter().map(|offered| (&offered.label, offered.scope))
    }

    /// Returns the suggestions behind the rules at these places as they came, without the rules that were not chosen.
    pub(super) fn chosen(&self, rules: &[usize]) -> Vec<Value> {
        let chosen: Vec<&SuggestedRule> = rules.iter().filter_map(|place| self.offered.get(*place)).collect();
        let updates = self.received.iter().enumerate();
        updates
            .filter_map(|(place, update)| {
                let of_update: Vec<&&SuggestedRule> =
                    chosen.iter().filter(|rule| rule.update == place).collect();
                if of_update.is_empty() {
                    return None;
                }
                let mut update = update.clone();
                if let Some(rules) = update.get_mut("rules").and_then(Value::as_array_mut) {
                    let all = std::mem::take(rules).into_iter().enumerate();
                    let wanted = |place: usize| of_update.iter().any(|rule| rule.place == Some(place));
                    rules.extend(all.filter(|(place, _)| wanted(*place)).map(|(_, rule)| rule));
                }
                Some(update)
            })
            .collect()
    }
}

fn offers(update: usize, suggestion: &Value, scope: OptionScope) -> Vec<SuggestedRule> {
    let whole = |label: Option<OptionLabel>| {
        label.map(|label| SuggestedRule { update, place: None, label, scope }).into_iter().collect()
    };
    match text(suggestion, "type") {
        Some("addRules") => {
            let behavior = match text(suggestion, "behavior") {
                Some("allow") => ToolRule::Allow,
                Some("ask") => ToolRule::Ask,
                Some("deny") => ToolRule::Deny,
                _ => return Vec::new(),
            };
            let rules = list(suggestion, "rules").iter().enumerate();
            rules
                .filter_map(|(place, rule)| {
                    let label = tool_rule(rule, behavior)?;
                    Some(SuggestedRule { update, place: Some(place), label, scope })
                })
                .collect()
        }
        Some("addDirectories") => {
            let paths: Option<Vec<String>> = list(suggestion, "directories").iter().map(short).collect();
            let fits = |paths: &Vec<String>| (1..=OPTION_FOLDERS).contains(&paths.len());
            whole(paths.filter(fits).map(|paths| OptionLabel::Folder { paths }))
        }
        Some("setMode") => {
            // A mode that asks for nothing is chosen behind a warning, and nowhere else.
            let mode = text(suggestion, "mode").and_then(mode_of);
            let mode = mode.filter(|mode| ![AUTO, BYPASS].contains(mode));
            whole(mode.map(|value| OptionLabel::Config { option: MODE, value }))
        }
        _ => Vec::new(),
    }
}

fn tool_rule(rule: &Value, behavior: ToolRule) -> Option<OptionLabel> {
    let tool = short(rule.get("toolName")?)?;
    let content = match rule.get("ruleContent") {
        None | Some(Value::Null) => None,
        Some(content) => Some(short(content)?),
    };
    Some(OptionLabel::Tool { tool, content, behavior })
}

fn short(value: &Value) -> Option<String> {
    value.as_str().filter(|text| (1..=RULE_TEXT_BYTES).contains(&text.len())).map(str::to_owned)
}

fn scope_of(destination: &str) -> Option<OptionScope> {
    match destination {
        "session" => Some(OptionScope::Session),
        "localSettings" => Some(OptionScope::Local),
        "projectSettings" => Some(OptionScope::Project),
        "userSettings" => Some(OptionScope::User),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Value {
        json!({"permission_suggestions": [
            {"type": "addRules", "behavior": "allow", "destination": "localSettings", "rules": [
                {"toolName": "Bash", "ruleContent": "mkdir notes *"}, {"toolName": "Bash"}, {"tool": "?"}]},
            {"type": "addDirectories", "directories": ["/proj/a"], "destination": "session"},
            {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
            {"type": "setMode", "mode": "auto", "destination": "session"},
            {"type": "setMode", "mode": "bypassPermissions", "destination": "session"},
            {"type": "removeRules", "behavior": "deny", "destination": "session", "rules": [{"toolName": "Bash"}]},
            {"type": "addRules", "behavior": "allow", "destination": "cliArg", "rules": [{"toolName": "Bash"}]},
            {"type": "addRules", "behavior": "deny", "destination": "userSettings", "rules": [{"toolName": "WebFetch"}]},
        ]})
    }

    #[test]
    fn what_is_understood_is_offered_and_nothing_else() {
        let tool = |tool: &str, content: Option<&str>, behavior| OptionLabel::Tool {
            tool: tool.to_owned(),
            content: content.map(str::to_owned),
            behavior,
        };
        let expected = [
            (tool("Bash", Some("mkdir notes *"), ToolRule::Allow), OptionScope::Local),
            (tool("Bash", None, ToolRule::Allow), OptionScope::Local),
            (OptionLabel::Folder { paths: vec!["/proj/a".to_owned()] }, OptionScope::Session),
            (OptionLabel::Config { option: MODE, value: ACCEPT_EDITS }, OptionScope::Session),
            (tool("WebFetch", None, ToolRule::Deny), OptionScope::User),
        ];
        let suggestions = Suggestions::of(&request());
        let rules: Vec<_> = suggestions.rules().map(|(label, scope)| (label.clone(), scope)).collect();
        assert_eq!(rules, expected);
    }

    #[test]
    fn the_chosen_ones_go_back_as_they_came() {
        let (request, suggestions) = (request(), Suggestions::of(&request()));
        let received = &request["permission_suggestions"];
        assert_eq!(suggestions.chosen(&[3, 4]), [received[2].clone(), received[7].clone()]);
        let mut one = received[0].clone();
        one["rules"] = json!([{"toolName": "Bash"}]);
        assert_eq!(suggestions.chosen(&[1]), [one]);
        assert!(suggestions.chosen(&[5]).is_empty());
    }

    #[test]
    fn no_rule_is_offered_where_the_agent_says_so() {
        for flag in ["suppress_always_allow_rule", "matched_ask_rule"] {
            let mut request = request();
            request[flag] = json!(true);
            assert!(Suggestions::of(&request).rules().next().is_none(), "{flag}");
            request[flag] = json!(false);
            assert_eq!(Suggestions::of(&request).rules().count(), 5, "{flag}");
        }
    }

    #[test]
    fn every_mode_has_its_word() {
        for value in super::super::mode().values {
            assert_eq!(mode_word(&value.id).and_then(mode_of), Some(value.id));
        }
        assert_eq!(mode_of("manual"), Some(ASK));
        assert_eq!(mode_of("dontAsk"), None);
    }
}
