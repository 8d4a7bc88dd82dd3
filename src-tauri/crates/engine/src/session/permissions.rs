//! Permissions of a session: which tool calls wait for one, and how a decision reaches the agent.

use askdesk_agents::Act;
use askdesk_domain::{
    ApprovalCommand, ApprovalDecision, ApprovalId, ApprovalOption, AskApproval, Command, NativeRef,
    ToolStatus,
};

use super::SessionTask;
use super::pending::Line;
use crate::log::LogKind;
use crate::undelivered::unencoded;
use crate::writer::EntryWrite;

/// The tool calls that wait for permission, by the agent's ids of the permission requests.
#[derive(Debug, Default)]
pub(super) struct Permissions(Vec<(NativeRef, String)>);

impl Permissions {
    /// Says whether a tool call waits for permission.
    pub(super) fn wait_for(&self, tool_use: &str) -> bool {
        self.0.iter().any(|(_, waiting)| waiting == tool_use)
    }

    /// Forgets a tool call that has ended.
    pub(super) fn forget_tool(&mut self, tool_use: &str) {
        self.0.retain(|(_, waiting)| waiting != tool_use);
    }

    fn add(&mut self, native_ref: NativeRef, tool_use: String) {
        self.0.retain(|(known, _)| *known != native_ref);
        self.0.push((native_ref, tool_use));
    }

    /// Takes the tool call that a permission request was about, unless it waits for another one too.
    fn end(&mut self, native_ref: &NativeRef) -> Option<String> {
        let place = self.0.iter().position(|(known, _)| known == native_ref)?;
        let (_, tool_use) = self.0.remove(place);
        (!self.wait_for(&tool_use)).then_some(tool_use)
    }
}

impl SessionTask {
    /// Registers a permission request; one that cannot be stored is refused, because the agent would wait for ever.
    pub(super) async fn register_approval(&mut self, ask: AskApproval, tool_use: Option<String>) {
        let (native_ref, options) = (ask.native_ref.clone(), ask.options.clone());
        match self.engine.act(Command::Approval(ApprovalCommand::Ask(ask))).await {
            Ok(_) => {
                if let Some(tool_use) = tool_use {
                    self.permissions.add(native_ref, tool_use.clone());
                    self.show_tool(tool_use, ToolStatus::AwaitingPermission).await;
                }
            }
            Err(error) => {
                let Some(decision) = refusal(&options, &error.to_string()) else {
                    return self.note(LogKind::Note, &error.to_string());
                };
                self.send(Line::Other, Act::Decide { native_ref, decision }).await;
            }
        }
    }

    /// Hands a decision to the agent.
    pub(super) async fn decided(
        &mut self,
        approval: ApprovalId,
        native_ref: NativeRef,
        decision: ApprovalDecision,
        allows: bool,
    ) {
        match self.adapter.send(Act::Decide { native_ref: native_ref.clone(), decision }) {
            Ok(output) => {
                self.write(Line::Decision { approval }, output.outbound);
                if let Some(tool_use) = self.permissions.end(&native_ref) {
                    // It waits no more either way; what comes out of a refused call is still for the agent to say.
                    let status = if allows { ToolStatus::Running } else { ToolStatus::Failed };
                    self.show_tool(tool_use, status).await;
                }
                for event in output.events {
                    self.on_event(event, None).await;
                }
            }
            Err(error) => {
                let error = unencoded(&error);
                self.act(Command::Approval(ApprovalCommand::NoteNotDelivered { approval, error })).await;
            }
        }
    }

    /// Notes that the agent no longer waits for a permission; what becomes of the call is for the agent to say.
    pub(super) async fn permission_ended(&mut self, native_ref: &NativeRef) {
        if let Some(tool_use) = self.permissions.end(native_ref) {
            self.show_tool(tool_use, ToolStatus::Running).await;
        }
    }

    async fn show_tool(&mut self, tool_use: String, status: ToolStatus) {
        self.engine.write(self.id, vec![EntryWrite::ToolStatus { tool_use, status }]).await;
    }
}

/// Refuses in the agent's own words for it; none where it offers no refusal.
fn refusal(options: &[ApprovalOption], why: &str) -> Option<ApprovalDecision> {
    let reject = options.iter().find(|option| !option.kind.allows())?;
    let message = Some(format!("The desk could not show the request: {why}"));
    Some(ApprovalDecision { message, ..ApprovalDecision::of(reject.id.clone()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native(text: &str) -> NativeRef {
        NativeRef::new(text).unwrap()
    }

    #[test]
    fn case_75_a_call_that_needs_two_permissions_waits_until_both_are_decided() {
        let mut permissions = Permissions::default();
        permissions.add(native("p1"), "call".to_owned());
        permissions.add(native("p2"), "call".to_owned());
        permissions.add(native("p2"), "call".to_owned());
        assert_eq!(permissions.end(&native("p1")), None);
        assert!(permissions.wait_for("call"));
        assert_eq!(permissions.end(&native("p2")).as_deref(), Some("call"));
        assert!(!permissions.wait_for("call"));
        assert_eq!(permissions.end(&native("p2")), None);
    }
}
