//! Which tool calls of a session await permission.

use askdesk_domain::NativeRef;

/// The tool calls that await permission, by the agent's ids of the permission requests.
#[derive(Debug, Default)]
pub(super) struct ToolPermissions(Vec<(NativeRef, String)>);

impl ToolPermissions {
    pub(super) fn awaits(&self, tool_use: &str) -> bool {
        self.0.iter().any(|(_, awaiting)| awaiting == tool_use)
    }

    /// Removes a tool call that has ended.
    pub(super) fn remove_tool(&mut self, tool_use: &str) {
        self.0.retain(|(_, awaiting)| awaiting != tool_use);
    }

    pub(super) fn add(&mut self, native_ref: NativeRef, tool_use: String) {
        self.0.retain(|(known, _)| *known != native_ref);
        self.0.push((native_ref, tool_use));
    }

    /// Takes the tool call of a permission request, unless it awaits another permission too.
    pub(super) fn end(&mut self, native_ref: &NativeRef) -> Option<String> {
        let place = self.0.iter().position(|(known, _)| known == native_ref)?;
        let (_, tool_use) = self.0.remove(place);
        (!self.awaits(&tool_use)).then_some(tool_use)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native(text: &str) -> NativeRef {
        NativeRef::new(text).unwrap()
    }

    #[test]
    fn case_75_a_call_that_needs_two_permissions_waits_until_both_are_decided() {
        let mut permissions = ToolPermissions::default();
        permissions.add(native("p1"), "call".to_owned());
        permissions.add(native("p2"), "call".to_owned());
        permissions.add(native("p2"), "call".to_owned());
        assert_eq!(permissions.end(&native("p1")), None);
        assert!(permissions.awaits("call"));
        assert_eq!(permissions.end(&native("p2")).as_deref(), Some("call"));
        assert!(!permissions.awaits("call"));
        assert_eq!(permissions.end(&native("p2")), None);
    }
}
