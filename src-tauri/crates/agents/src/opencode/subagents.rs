//! A subagent never has more than its session. What a session asks for isn't inherited by its subagents (measured with
//! 1.18.33): they have the permissions of their agent alone. The server of a session that asks before changes has these set
//! for all agents; an agent whose own settings still let it change something unasked is barred from being a subagent.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::launch::CHANGES;
use super::{OpenCodeAdapter, Sent};
use crate::adapter::Output;
use crate::json::{list, text};

/// The permission to start a subagent.
const TASK: &str = "task";

impl OpenCodeAdapter {
    /// Bars the agents that would change something unasked, then lets the session begin. A list that couldn't be read bars all.
    pub(super) fn bar_subagents(&mut self, agents: &Value, out: &mut Output) {
        if !self.asks() {
            return;
        }
        let names: HashSet<String> = match agents.as_array() {
            Some(agents) => {
                let unasked = agents.iter().filter(|agent| changes_unasked(agent));
                unasked.filter_map(|agent| text(agent, "name")).map(str::to_owned).collect()
            }
            None => HashSet::from(["*".to_owned()]),
        };
        let mut new: Vec<&String> = names.difference(&self.barred).collect();
        new.sort();
        let deny = |name: &String| json!({"permission": TASK, "pattern": name, "action": "deny"});
        let asking = CHANGES.into_iter().filter(|_| self.lacks_asking).map(asking);
        let rules: Vec<Value> = asking.chain(new.into_iter().map(deny)).collect();
        if rules.is_empty() {
            return self.release(out);
        }
        let body = json!({"permission": rules});
        let lacks_asking = std::mem::take(&mut self.lacks_asking);
        let before = Sent::Bar { barred: self.barred.clone(), lacks_asking };
        self.barred.extend(names);
        self.session_request(before, "PATCH", "", body, out);
    }

    /// Reads which rules a session has. One that was begun elsewhere doesn't ask before changes by itself.
    pub(super) fn note_rules(&mut self, session: &Value) {
        let rules = list(session, "permission");
        let asks = |change: &str| rules.contains(&asking(change));
        self.lacks_asking = self.resumes && !CHANGES.into_iter().all(asks);
        let bars =
            |rule: &&Value| text(rule, "permission") == Some(TASK) && text(rule, "action") == Some("deny");
        self.barred =
            rules.iter().filter(bars).filter_map(|rule| text(rule, "pattern")).map(str::to_owned).collect();
    }
}

/// The rule of a session that asks before a change.
pub(super) fn asking(permission: &str) -> Value {
    json!({"permission": permission, "pattern": "*", "action": "ask"})
}

/// Whether an agent's rules, of which the last that fits counts, let it change something without asking.
fn changes_unasked(agent: &Value) -> bool {
    let Some(rules) = agent["permission"].as_array() else { return true };
    CHANGES.iter().any(|change| {
        for rule in rules.iter().rev() {
            let name = text(rule, "permission").unwrap_or("*");
            let certain = name == "*" || name == *change;
            let possible = certain || name.contains(['*', '?']);
            match text(rule, "action") {
                Some("ask" | "deny") if certain && text(rule, "pattern") == Some("*") => return false,
                Some("ask" | "deny") => {}
                _ if possible => return true,
                _ => {}
            }
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::asks(json!([["*", "*", "allow"], ["edit", "*", "ask"], ["bash", "*", "ask"], ["webfetch", "*", "deny"]]), false)]
    #[case::no_rule(json!([["read", "*", "allow"], ["external_directory", "*", "allow"]]), false)]
    #[case::everything(json!([["*", "*", "allow"]]), true)]
    #[case::one_command(json!([["*", "*", "ask"], ["bash", "git *", "allow"]]), true)]
    #[case::one_file_denied(json!([["*", "*", "allow"], ["edit", "*.md", "ask"], ["bash", "*", "ask"]]), true)]
    #[case::by_pattern(json!([["*", "*", "ask"], ["web*", "*", "allow"]]), true)]
    #[case::denied_last(json!([["bash", "*", "allow"], ["*", "*", "deny"]]), false)]
    fn an_agent_changes_unasked_if_its_last_fitting_rule_may_allow_it(
        #[case] rules: Value,
        #[case] expected: bool,
    ) {
        let rule = |rule: &Value| json!({"permission": rule[0], "pattern": rule[1], "action": rule[2]});
        let rules: Vec<Value> = rules.as_array().unwrap().iter().map(rule).collect();
        assert_eq!(changes_unasked(&json!({"name": "general", "permission": rules})), expected);
    }

    #[test]
    fn an_agent_without_rules_is_not_trusted() {
        assert!(changes_unasked(&json!({"name": "general"})));
    }
}
