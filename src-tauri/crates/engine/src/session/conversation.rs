//! What the agent says and does in its turns.

use askdesk_agents::{self as agents, Conversation, ResultImage, RetryBegins};
use askdesk_contract::LogKind;
use askdesk_contract::frame::{LiveKind, Retry};
use askdesk_domain::text::bounded;
use askdesk_domain::{
    EntryBody, Notice, RequestCommand, SessionCommand, StoredImage, Timestamp, ToolStatus, WithdrawnWhy,
};

use super::result_images;
use super::task::SessionTask;
use crate::mailbox::{EntryWrite, Input};

impl SessionTask {
    pub(super) async fn on_conversation(&mut self, event: Conversation) {
        match event {
            Conversation::TurnBegan => {
                self.turn.note_begin();
                self.set_working(true).await;
                self.check_program().await;
                // If an agent doesn't report messages, a turn shows that it has received the earlier ones.
                self.late_arrived(None).await;
                self.resumption.note_ready();
            }
            Conversation::TurnEnded { millis, usage, error } => {
                let failed = error.is_some();
                let body = EntryBody::TurnEnded {
                    millis: self.turn.take_millis(millis),
                    input_tokens: usage.input_tokens,
                    output_tokens: usage.output_tokens,
                    cached_tokens: usage.cached_tokens,
                    error,
                    cost_usd: usage.cost,
                    context: usage.context,
                };
                if let Some(context) = usage.context {
                    self.note_context(Some(context)).await;
                }
                self.on_turn_ended(body, failed).await;
            }
            Conversation::ContextChanged { context } => self.note_context(context).await,
            Conversation::MessageTaken { uuid } => self.late_arrived(Some(uuid)).await,
            Conversation::Delta { thinking, text } => {
                let kind = if thinking { LiveKind::Thinking } else { LiveKind::Text };
                self.add_live(kind, text).await;
            }
            Conversation::Retrying { retry } => self.on_retrying(retry).await,
            Conversation::TextDropped => self.clear_live().await,
            Conversation::Finished { thinking, text } => {
                let body = if thinking { EntryBody::Thinking { text } } else { EntryBody::Agent { text } };
                self.write_finished(body).await;
                self.note_spoke().await;
            }
            Conversation::ToolStarted {
                tool_use,
                parent,
                subagent,
                kind,
                name,
                summary,
                detail,
                mut status,
            } => {
                self.tool_calls.begin(tool_use.clone(), parent);
                if self.tool_calls.awaits_permission(&tool_use) {
                    status = ToolStatus::AwaitingPermission;
                }
                let entry = EntryBody::Tool {
                    tool_use,
                    name,
                    tool_kind: kind,
                    summary,
                    detail,
                    status,
                    output: None,
                    images: Vec::new(),
                    subagent,
                };
                self.write_entry(entry).await;
                self.note_spoke().await;
            }
            Conversation::ToolRefused { tool_use, request } => self.on_tool_refused(tool_use, request).await,
            Conversation::ToolEnded { tool_use, ok, output, images } => {
                self.tool_calls.end(&tool_use);
                let (images, output) = self.store_images(images, output).await;
                let ended = EntryWrite::ToolEnded { tool_use, ok, output, images };
                self.engine.write(self.id, vec![ended]).await;
                self.engine.changes().note(self.id);
                if !ok {
                    self.check_program().await;
                }
            }
            Conversation::SubagentEnded { tool_use } => {
                let left = self.tool_calls.end_subagent(&tool_use);
                self.show_no_result(left).await;
            }
            Conversation::PlanChanged { items } => {
                self.engine.write(self.id, vec![EntryWrite::Plan { items }]).await;
                self.note_spoke().await;
            }
        }
    }

    /// Stores the images of a result; adds to its text which ones can't be shown.
    async fn store_images(&mut self, given: Vec<ResultImage>, output: String) -> (Vec<StoredImage>, String) {
        if given.is_empty() {
            return (Vec::new(), output);
        }
        let (session, images) = (self.id, self.engine.images().clone());
        let stored = tokio::task::spawn_blocking(move || result_images::store(&images, session, given));
        let (stored, refused) = stored.await.unwrap_or_default();
        let said = (!output.is_empty()).then_some(output);
        (stored, bounded(&said.into_iter().chain(refused).collect::<Vec<_>>().join("\n")))
    }

    /// Tells the user once that the program is gone. An agent that starts itself again, or what was installed with it, can't.
    async fn check_program(&mut self) {
        if !self.agent.told_of_program && self.agent.link.has_lost_program().await {
            self.agent.told_of_program = true;
            self.write_notice(Notice::ProgramReplaced).await;
        }
    }

    async fn on_turn_ended(&mut self, body: EntryBody, failed: bool) {
        let ended_well = !self.turn.is_interrupted && !failed;
        if !ended_well {
            let why = self.why_withdrawn(WithdrawnWhy::TurnEnded);
            let at = self.engine.clock().now();
            self.record_held(|_| true).await;
            self.record(RequestCommand::WithdrawAll { session: self.id, why, at }).await;
        }
        let left = self.tool_calls.end_turn();
        self.show_no_result(left).await;
        self.write_finished(body).await;
        self.turn.forget_interrupt();
        self.set_working(false).await;
        self.engine.changes().note(self.id);
        self.send_parked().await;
        // After a failure or an interrupt, the user decides what is sent next.
        if ended_well {
            self.send_next_queued().await;
            self.record(SessionCommand::NoteFinished { session: self.id }).await;
        }
    }

    /// Shows that the agent waits for its next attempt. What the failed one wrote never becomes an entry.
    async fn on_retrying(&mut self, retry: agents::Retry) {
        let at = match retry.begins {
            RetryBegins::Unknown => None,
            RetryBegins::InMillis(millis) => {
                let millis = i64::try_from(millis).unwrap_or(i64::MAX);
                Some(Timestamp::from_millis(self.engine.clock().now().millis().saturating_add(millis)))
            }
            RetryBegins::At(millis) => Some(Timestamp::from_millis(millis)),
        };
        self.note(LogKind::Note, &format!("the agent tries again: {}", retry.reason));
        self.clear_live().await;
        self.shown.retrying = true;
        let agents::Retry { attempt, of, reason, .. } = retry;
        let retry = Some(Retry { attempt, of, reason, at });
        self.engine.send(Input::Retry { session: self.id, retry }).await;
    }

    pub(super) async fn end_retry(&mut self) {
        if std::mem::take(&mut self.shown.retrying) {
            self.engine.send(Input::Retry { session: self.id, retry: None }).await;
        }
    }
}
