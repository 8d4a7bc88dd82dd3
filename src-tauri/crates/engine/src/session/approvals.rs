//! Permission requests of a session: registration, and delivery of decisions to the agent.

use askdesk_agents::{Action, ApprovalAsked};
use askdesk_contract::LogKind;
use askdesk_domain::{
    ApprovalCommand, ApprovalDecision, ApprovalId, ApprovalOption, ApprovalState, AskApproval, NativeRef,
    Notice, ToolStatus, WithdrawnWhy,
};
use tokio::time::Instant;

use super::held_asks::HeldAsk;
use super::pending::WriteSubject;
use super::task::SessionTask;
use crate::delivery_error::unencoded;
use crate::error::EngineError;
use crate::mailbox::EntryWrite;

impl SessionTask {
    /// Registers a permission request. One that the disk refuses for long is denied, because the agent would wait forever.
    pub(super) async fn register_approval(&mut self, until: Instant, asked: Box<ApprovalAsked>) {
        match self.engine.act(ApprovalCommand::Ask(self.approval_of(&asked))).await {
            Err(EngineError::Journal(_)) if Instant::now() < until => {
                self.held_asks.hold(until, HeldAsk::Permission(asked));
            }
            Ok(applied) => {
                let Some(tool_use) = asked.tool_use else { return };
                self.tool_calls.ask_permission(asked.native_ref, tool_use.clone());
                // A request that a rule denied was never open.
                if applied.approval.is_none_or(|approval| approval.state == ApprovalState::Open) {
                    self.show_tool(tool_use, ToolStatus::AwaitingPermission).await;
                }
            }
            Err(error) => {
                let reason = error.to_string();
                let Some(decision) = refusal(&asked.options, &reason) else {
                    return self.note(LogKind::Note, &reason);
                };
                let native_ref = asked.native_ref;
                self.send(WriteSubject::Other, Action::Decide { native_ref, decision }).await;
                if matches!(error, EngineError::Journal(_)) {
                    self.write_notice(Notice::PermissionRefused { reason }).await;
                }
            }
        }
    }

    pub(super) fn approval_of(&self, asked: &ApprovalAsked) -> Box<AskApproval> {
        let asked = asked.clone();
        Box::new(AskApproval {
            id: self.engine.clock().approval_id(),
            session: self.id,
            native_ref: asked.native_ref,
            helper: asked.helper,
            asked_by: asked.asked_by,
            title: asked.title,
            description: asked.description,
            remark: asked.remark,
            subject: asked.subject,
            options: asked.options,
            takes_message: asked.takes_message,
            rule: asked.call.and_then(|call| self.policies.rules.matching(&call)),
            at: self.engine.clock().now(),
        })
    }

    pub(super) async fn send_decision(
        &mut self,
        approval: ApprovalId,
        native_ref: NativeRef,
        decision: ApprovalDecision,
        allows: bool,
    ) {
        match self.agent.adapter.send(Action::Decide { native_ref: native_ref.clone(), decision }) {
            Ok(output) => {
                self.write(WriteSubject::Decision { approval }, output.outbound);
                if let Some(tool_use) = self.tool_calls.end_permission(&native_ref) {
                    // It no longer awaits permission either way; the agent reports the result of a denied call.
                    let status = if allows { ToolStatus::Running } else { ToolStatus::Denied };
                    self.show_tool(tool_use, status).await;
                }
                for event in output.events {
                    self.on_event(event, None).await;
                }
            }
            Err(error) => {
                let error = unencoded(&error);
                self.record(ApprovalCommand::NoteNotDelivered { approval, error }).await;
            }
        }
    }

    /// The agent no longer waits for a permission. It reports the result of the call itself.
    pub(super) async fn permission_ended(&mut self, native_ref: &NativeRef) {
        if let Some(tool_use) = self.tool_calls.end_permission(native_ref) {
            self.show_tool(tool_use, ToolStatus::Running).await;
        }
    }

    /// What a stop of the user ended was refused by nobody.
    pub(super) async fn on_tool_refused(&mut self, tool_use: String, request: Option<NativeRef>) {
        if self.why_withdrawn(WithdrawnWhy::ByAgent) != WithdrawnWhy::ByAgent {
            return;
        }
        self.show_tool(tool_use, ToolStatus::Refused).await;
        if let Some(native_ref) = request {
            let at = self.engine.clock().now();
            self.record(ApprovalCommand::NoteRefused { session: self.id, native_ref, at }).await;
        }
    }

    /// Shows that calls get no result any more.
    pub(super) async fn show_no_result(&mut self, calls: Vec<String>) {
        for tool_use in calls {
            self.tool_calls.end(&tool_use);
            self.show_tool(tool_use, ToolStatus::NoResult).await;
        }
    }

    async fn show_tool(&mut self, tool_use: String, status: ToolStatus) {
        self.engine.write(self.id, vec![EntryWrite::ToolStatus { tool_use, status }]).await;
    }
}

/// Chooses the agent's own option to deny; none if it offers no such option.
fn refusal(options: &[ApprovalOption], why: &str) -> Option<ApprovalDecision> {
    let reject = options.iter().find(|option| !option.kind.allows())?;
    let message = Some(format!("Askdesk could not show the request to the user: {why}"));
    Some(ApprovalDecision { message, ..ApprovalDecision::of(reject.id.clone()) })
}
