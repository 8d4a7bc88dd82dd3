//! The running tool calls of a session: whose they are, because no call runs on after the turn or the subagent that made it, and
//! which of them await permission.

use std::collections::{HashMap, HashSet};

use askdesk_domain::NativeRef;

/// The running tool calls, by the agent's ids.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    /// Those of the turn, also of its subagents.
    turn: HashSet<String>,
    /// Those of subagents that work in the background, each with the call that began its subagent.
    background: HashMap<String, String>,
    /// Those that await permission, after the agent's ids of the permission requests.
    awaiting: Vec<(NativeRef, String)>,
}

impl ToolCalls {
    /// A subagent whose own call has ended works in the background.
    pub(super) fn begin(&mut self, tool_use: String, parent: Option<String>) {
        match parent.filter(|parent| !self.turn.contains(parent)) {
            Some(parent) => drop(self.background.insert(tool_use, parent)),
            None => drop(self.turn.insert(tool_use)),
        }
    }

    pub(super) fn end(&mut self, tool_use: &str) {
        self.turn.remove(tool_use);
        self.background.remove(tool_use);
        self.awaiting.retain(|(_, awaiting)| awaiting != tool_use);
    }

    pub(super) fn awaits_permission(&self, tool_use: &str) -> bool {
        self.awaiting.iter().any(|(_, awaiting)| awaiting == tool_use)
    }

    pub(super) fn ask_permission(&mut self, native_ref: NativeRef, tool_use: String) {
        self.awaiting.retain(|(known, _)| *known != native_ref);
        self.awaiting.push((native_ref, tool_use));
    }

    /// Takes the tool call of a permission request that has ended, unless it awaits another permission too.
    pub(super) fn end_permission(&mut self, native_ref: &NativeRef) -> Option<String> {
        let place = self.awaiting.iter().position(|(known, _)| known == native_ref)?;
        let (_, tool_use) = self.awaiting.remove(place);
        (!self.awaits_permission(&tool_use)).then_some(tool_use)
    }

    /// Takes the calls that the turn leaves running.
    pub(super) fn end_turn(&mut self) -> Vec<String> {
        self.turn.drain().collect()
    }

    /// Takes the calls that a subagent in the background leaves running, with those of its own subagents.
    pub(super) fn end_subagent(&mut self, began_by: &str) -> Vec<String> {
        let mut ended = vec![began_by.to_owned()];
        let mut next = 0;
        while let Some(parent) = ended.get(next).cloned() {
            ended.extend(self.background.extract_if(|_, of| *of == parent).map(|(call, _)| call));
            next += 1;
        }
        ended.split_off(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(mut calls: Vec<String>) -> Vec<String> {
        calls.sort();
        calls
    }

    fn native(text: &str) -> NativeRef {
        NativeRef::new(text).unwrap()
    }

    #[test]
    fn case_75_a_call_that_needs_two_permissions_waits_until_both_are_decided() {
        let mut calls = ToolCalls::default();
        calls.ask_permission(native("p1"), "call".to_owned());
        calls.ask_permission(native("p2"), "call".to_owned());
        calls.ask_permission(native("p2"), "call".to_owned());
        assert_eq!(calls.end_permission(&native("p1")), None);
        assert!(calls.awaits_permission("call"));
        assert_eq!(calls.end_permission(&native("p2")).as_deref(), Some("call"));
        assert!(!calls.awaits_permission("call"));
        assert_eq!(calls.end_permission(&native("p2")), None);
    }

    #[test]
    fn case_113_a_turn_ends_its_calls_and_those_of_its_subagents_but_none_in_the_background() {
        let mut calls = ToolCalls::default();
        let mut begin =
            |call: &str, parent: Option<&str>| calls.begin(call.to_owned(), parent.map(str::to_owned));
        begin("done", None);
        begin("running", None);
        begin("task", None);
        begin("of task", Some("task"));
        begin("of background", Some("launched before"));
        calls.end("done");
        assert_eq!(sorted(calls.end_turn()), ["of task", "running", "task"]);
        assert!(calls.end_turn().is_empty());
        assert_eq!(calls.end_subagent("launched before"), ["of background"]);
    }

    #[test]
    fn case_113_a_subagent_ends_its_calls_and_those_of_its_own_subagents() {
        let mut calls = ToolCalls::default();
        let mut begin = |call: &str, parent: &str| calls.begin(call.to_owned(), Some(parent.to_owned()));
        begin("one", "a");
        begin("inner task", "a");
        begin("of inner task", "inner task");
        begin("other", "b");
        calls.end("one");
        assert_eq!(sorted(calls.end_subagent("a")), ["inner task", "of inner task"]);
        assert!(calls.end_subagent("a").is_empty());
        assert_eq!(calls.end_subagent("b"), ["other"]);
    }
}
