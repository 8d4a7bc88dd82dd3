//! Handles each event of the adapter.

use askdesk_agents::{self as agents, Action, AgentEvent, Inbound, InputError, ResultImage, RetryBegins};
use askdesk_contract::LogKind;
use askdesk_contract::frame::{LiveKind, Retry};
use askdesk_domain::text::bounded;
use askdesk_domain::{
    AgentFailure, AskApproval, ConfigOption, Delivery, EntryBody, HelperCommand, NamedBy, NativeRef, Notice,
    RequestCommand, SessionCommand, StoredImage, Timestamp, ToolStatus, WithdrawnWhy, config,
};

use super::pending::WriteSubject;
use super::result_images;
use super::task::{STOP_GRACE, SessionTask};
use crate::fault::{self, Step};
use crate::mailbox::{EntryWrite, Input};

impl SessionTask {
    pub(super) async fn on_event(&mut self, mut event: AgentEvent, inbound: Option<&Inbound>) {
        self.agent.link.secrets().strike_event(&mut event);
        if event.ends_retry() {
            self.end_retry().await;
        }
        match event {
            AgentEvent::Introduced { version, model, native_session } => {
                self.record(SessionCommand::Introduce { session: self.id, version, model, native_session })
                    .await;
                // An introduced agent counts as idle, and a queued message would overtake the turn that begins.
                if std::mem::take(&mut self.turn.first_sent) && !self.turn.is_running {
                    self.set_working(true).await;
                }
                self.resumption.note_ready();
            }
            AgentEvent::ConfigChanged { config } => self.on_config_changed(config).await,
            AgentEvent::Titled { title } => {
                let named = SessionCommand::SuggestName { session: self.id, name: title, by: NamedBy::Agent };
                self.record(named).await;
            }
            AgentEvent::CommandsChanged { commands } => self.commands.set(self.id, commands),
            AgentEvent::ConfigAnswered { ticket, refused } => self.on_config_answered(ticket, refused),
            AgentEvent::TurnBegan => self.on_turn_began().await,
            AgentEvent::TurnEnded { millis, usage, error } => {
                let body = EntryBody::TurnEnded {
                    millis: self.turn.take_millis(millis),
                    input_tokens: usage.input_tokens,
                    output_tokens: usage.output_tokens,
                    cached_tokens: usage.cached_tokens,
                    error: error.clone(),
                    cost_usd: usage.cost,
                    context: usage.context,
                };
                if let Some(context) = usage.context {
                    self.note_context(Some(context)).await;
                }
                self.on_turn_ended(body, error.is_some()).await;
            }
            AgentEvent::ContextChanged { context } => self.note_context(context).await,
            AgentEvent::MessageTaken { uuid } => self.late_arrived(Some(uuid)).await,
            AgentEvent::TextDelta { text } => self.add_live(LiveKind::Text, text).await,
            AgentEvent::ThinkingDelta { text } => self.add_live(LiveKind::Thinking, text).await,
            AgentEvent::Retrying { retry } => self.on_retrying(retry).await,
            AgentEvent::TextDropped => self.clear_live().await,
            AgentEvent::Said { text } => self.on_text_finished(EntryBody::Agent { text }).await,
            AgentEvent::Thought { text } => self.on_text_finished(EntryBody::Thinking { text }).await,
            event @ AgentEvent::ToolStarted { .. } => self.on_tool_started(event).await,
            AgentEvent::ToolRefused { tool_use, request } => self.on_tool_refused(tool_use, request).await,
            AgentEvent::ToolEnded { tool_use, ok, output, images } => {
                self.tool_calls.end(&tool_use);
                let (images, output) = self.store_images(images, output).await;
                let ended = EntryWrite::ToolEnded { tool_use, ok, output, images };
                self.engine.write(self.id, vec![ended]).await;
                self.engine.changes().note(self.id);
                if !ok {
                    self.check_program().await;
                }
            }
            AgentEvent::SubagentEnded { tool_use } => {
                let left = self.tool_calls.end_subagent(&tool_use);
                self.show_no_result(left).await;
            }
            AgentEvent::PlanChanged { items } => {
                self.engine.write(self.id, vec![EntryWrite::Plan { items }]).await;
                self.note_spoke().await;
            }
            AgentEvent::Asked(asked) => {
                self.register(Self::held_until(), asked).await;
                self.note_spoke().await;
            }
            AgentEvent::Refused { reason, .. } => {
                self.note(LogKind::Refused, &reason);
                self.write_notice(Notice::QuestionRefused { reason }).await;
            }
            AgentEvent::AnsweredByAgent { .. } => self.write_notice(Notice::AnswersBrought).await,
            AgentEvent::Noticed { notice: Notice::LoginRejected { error } } => {
                self.on_login_rejected(error).await;
            }
            AgentEvent::Noticed { notice } => self.write_notice(notice).await,
            event @ AgentEvent::ApprovalAsked { .. } => {
                self.on_approval_asked(event).await;
                self.note_spoke().await;
            }
            AgentEvent::ToolCallProposed { native_ref, call } => {
                let ask = self.policies.rules.matching(&call).is_some();
                self.send(WriteSubject::Other, Action::ReviewToolCall { native_ref, ask }).await;
            }
            AgentEvent::HelperBegan { id, kind, title } => {
                let at = self.engine.clock().now();
                self.helper_outputs.begin(self.id, id.clone());
                self.record(HelperCommand::Begin { session: self.id, id, kind, title, at }).await;
            }
            AgentEvent::HelperSaid { id, text } => self.helper_outputs.add(self.id, &id, &text),
            AgentEvent::HelperWritesTo { id, path } => {
                let secrets = self.agent.link.secrets().clone();
                self.helper_outputs.set_file(self.id, &id, path, secrets);
            }
            AgentEvent::HelperEnded { id, end } => self.on_helper_ended(id, end).await,
            AgentEvent::HelperNotStopped { id, error } => self.on_helper_not_stopped(id, error).await,
            AgentEvent::Withdrawn { native_ref } => self.on_withdrawn(native_ref).await,
            AgentEvent::Acknowledged { native_ref } => self.on_acknowledged(native_ref).await,
            AgentEvent::SessionUnknown { error } => {
                self.session_unknown = true;
                self.note(LogKind::Note, &error);
                // A server that other sessions share keeps running.
                self.agent.link.stop(STOP_GRACE).await;
            }
            AgentEvent::StartRefused { why, error } => {
                self.start_refused = Some(AgentFailure::StartRefused { why, said: error });
            }
            AgentEvent::InvalidInput { why } => self.on_unusable(why, inbound).await,
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

    /// An agent that keeps an old sign-in takes a new one only when it is restarted.
    async fn on_login_rejected(&mut self, error: String) {
        let sign_in = self.agent.sign_in.clone();
        let changed = tokio::task::spawn_blocking(move || sign_in.is_some_and(|it| it.has_changed()));
        let notice = match changed.await {
            Ok(true) => Notice::SignInChanged { error },
            _ => Notice::LoginRejected { error },
        };
        self.write_notice(notice).await;
    }

    /// Tells the user once that the program is gone. An agent that starts itself again, or what was installed with it, can't.
    async fn check_program(&mut self) {
        if !self.agent.told_of_program && self.agent.link.has_lost_program().await {
            self.agent.told_of_program = true;
            self.write_notice(Notice::ProgramReplaced).await;
        }
    }

    async fn on_config_changed(&mut self, config: Vec<ConfigOption>) {
        self.policies.planning = config::is_planning(&config);
        self.record(SessionCommand::NoteConfig { session: self.id, config }).await;
    }

    async fn on_turn_began(&mut self) {
        self.turn.note_begin();
        self.set_working(true).await;
        self.check_program().await;
        // If an agent doesn't report messages, a turn shows that it has received the earlier ones.
        self.late_arrived(None).await;
        self.resumption.note_ready();
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

    async fn on_text_finished(&mut self, body: EntryBody) {
        self.write_finished(body).await;
        self.note_spoke().await;
    }

    async fn on_tool_started(&mut self, event: AgentEvent) {
        let AgentEvent::ToolStarted { tool_use, parent, subagent, kind, name, summary, detail, status } =
            event
        else {
            return;
        };
        self.tool_calls.begin(tool_use.clone(), parent);
        let status = if self.tool_calls.awaits_permission(&tool_use) {
            ToolStatus::AwaitingPermission
        } else {
            status
        };
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

    async fn on_approval_asked(&mut self, event: AgentEvent) {
        let AgentEvent::ApprovalAsked {
            native_ref,
            helper,
            asked_by,
            tool_use,
            call,
            title,
            description,
            remark,
            subject,
            options,
            takes_message,
        } = event
        else {
            return;
        };
        let (id, at) = (self.engine.clock().approval_id(), self.engine.clock().now());
        let rule = call.and_then(|call| self.policies.rules.matching(&call));
        let ask = AskApproval {
            id,
            session: self.id,
            native_ref,
            helper,
            asked_by,
            title,
            description,
            remark,
            subject,
            options,
            takes_message,
            rule,
            at,
        };
        self.register_approval(ask, tool_use).await;
    }

    async fn on_withdrawn(&mut self, native_ref: NativeRef) {
        self.permission_ended(&native_ref).await;
        let why = self.why_withdrawn(WithdrawnWhy::ByAgent);
        let at = self.engine.clock().now();
        self.record_held(|held| *held == native_ref).await;
        self.record(RequestCommand::Withdraw { session: self.id, native_ref, why, at }).await;
    }

    async fn on_acknowledged(&mut self, native_ref: NativeRef) {
        self.pending.forget_secrets(&native_ref);
        let (session, call) = (self.id, native_ref.clone());
        let known = self.engine.inspect(move |desk| desk.by_native_ref(session, &call).map(|known| known.id));
        if let Ok(Some(request)) = known.await {
            fault::reached(Step::Acknowledged);
            let delivery = Delivery::Delivered { at: self.engine.clock().now(), late: false };
            self.record(RequestCommand::NoteDelivery { request, call: Some(native_ref), delivery }).await;
        }
    }

    async fn on_unusable(&mut self, why: InputError, inbound: Option<&Inbound>) {
        let quoted = inbound.map(Inbound::quoted).unwrap_or_default();
        self.note(LogKind::Unusable, format!("{why}: {quoted}").trim_end_matches(": "));
        self.unusable.add();
        match why {
            InputError::CutInHalf => self.write_notice(Notice::CutInHalf).await,
            InputError::RequestRefused { kind } => {
                let text = bounded(&quoted);
                self.write_notice(Notice::NotUnderstood { kind, text, refused: true }).await;
            }
            _ => {}
        }
    }
}
