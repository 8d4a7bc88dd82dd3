//! The task of one session: waits for its link, its inputs and its deadlines, and ends with the link.

use std::collections::HashMap;
use std::time::Duration;

use askdesk_agents::{
    Action, Adapter, AgentEvent, EncodeError, Inbound, Link, LinkEnd, LinkEvent, LinkEvents, Open, Outbound,
    Output, SignIn,
};
use askdesk_contract::LogKind;
use askdesk_contract::frame::{LiveKind, LiveText};
use askdesk_domain::{
    AgentFailure, Command, ContextUse, EntryBody, NextStep, Notice, QuestionPolicy, SessionCommand,
    SessionEnd, SessionId, WithdrawnWhy,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::held_asks::HeldAsks;
use super::pending::{Pending, WriteSubject};
use super::resumption::{LateMessages, Resumption};
use super::rules::SessionRules;
use super::tool_calls::ToolCalls;
use super::turn::{INTERRUPT_GRACE, Turn};
use super::unusable_lines::UnusableLines;
use crate::error::EngineError;
use crate::handle::EngineHandle;
use crate::helper_outputs::HelperOutputs;
use crate::mailbox::{EntryWrite, Input, Reply, SessionCall, SessionInput};
use crate::session_commands::SessionCommands;
use crate::session_log::SessionLogs;
use crate::session_tokens::IssuedToken;

/// How long a process may take to exit before its tree is killed.
pub(super) const STOP_GRACE: Duration = Duration::from_secs(2);

/// The same when the app quits, where everything has to end in [`QUIT_LIMIT`](super::control::QUIT_LIMIT).
const QUIT_GRACE: Duration = Duration::from_millis(1_500);

pub(super) struct SessionTask {
    pub(super) id: SessionId,
    pub(super) engine: EngineHandle,
    pub(super) logs: SessionLogs,
    pub(super) commands: SessionCommands,
    pub(super) helper_outputs: HelperOutputs,
    pub(super) agent: RunningAgent,
    pub(super) pending: Pending,
    pub(super) resumption: Resumption,
    pub(super) held_asks: HeldAsks,
    pub(super) late: LateMessages,
    /// Whether the agent has reported that it does not know the session it was to resume.
    pub(super) session_unknown: bool,
    /// Why the agent refused to start.
    pub(super) start_refused: Option<AgentFailure>,
    pub(super) policies: Policies,
    pub(super) tool_calls: ToolCalls,
    pub(super) config_changes: ConfigChanges,
    pub(super) turn: Turn,
    pub(super) stopping: bool,
    pub(super) shown: Shown,
    /// Whether the agent has finished a piece of output, in this run or an earlier one.
    pub(super) spoke: bool,
    pub(super) unusable: UnusableLines,
}

/// The way to the agent, and its protocol.
pub(super) struct RunningAgent {
    pub(super) link: Link,
    pub(super) adapter: Box<dyn Adapter>,
    pub(super) sign_in: Option<SignIn>,
    /// Whether the user has been told that its program is gone.
    pub(super) told_of_program: bool,
}

/// What the user lets the agent ask, and what rules decide in the user's place.
pub(super) struct Policies {
    pub(super) questions: QuestionPolicy,
    pub(super) rules: SessionRules,
    /// Whether the agent is in a mode in which it only plans.
    pub(super) planning: bool,
}

/// The callers of config changes that the agent has not answered, by ticket.
#[derive(Default)]
pub(super) struct ConfigChanges {
    pub(super) waiting: HashMap<u64, Reply<Result<(), EngineError>>>,
    pub(super) asked: u64,
}

/// What subscribers are shown of this run that the journal does not hold.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) live: bool,
    /// The end of the live text that may be the beginning of a secret.
    begun_secret: Option<(LiveKind, String)>,
    /// Whether the agent waits for its next attempt at a call of the model.
    pub(super) retrying: bool,
    /// How full the context was when it was last reported.
    pub(super) context: Option<Option<ContextUse>>,
}

impl SessionTask {
    pub(super) fn new(
        id: SessionId,
        engine: EngineHandle,
        (logs, commands, helper_outputs): (SessionLogs, SessionCommands, HelperOutputs),
        agent: RunningAgent,
        policies: Policies,
        (pending, resumption): (Pending, Resumption),
    ) -> Self {
        Self {
            id,
            engine,
            logs,
            commands,
            helper_outputs,
            agent,
            pending,
            // Only an agent that has produced output can be resumed.
            spoke: resumption.is_waiting(),
            resumption,
            held_asks: HeldAsks::default(),
            late: LateMessages::default(),
            session_unknown: false,
            start_refused: None,
            policies,
            tool_calls: ToolCalls::default(),
            config_changes: ConfigChanges::default(),
            turn: Turn::default(),
            stopping: false,
            shown: Shown::default(),
            unusable: UnusableLines::default(),
        }
    }

    /// Runs until the link ends. The transcript has the prompt already; what was held until now follows it.
    pub(super) async fn run(
        mut self,
        open: Open,
        mut link_events: LinkEvents,
        (held, mut inputs): (Vec<SessionInput>, mpsc::Receiver<SessionInput>),
        prompt: Option<String>,
        token: IssuedToken,
    ) {
        let opened = self.agent.adapter.open(open);
        self.take(opened, None).await;
        if let Some(prompt) = prompt {
            self.send_first(prompt).await;
        }
        for input in held {
            self.on_input(input).await;
        }
        let mut stopped: Option<SessionEnd> = None;
        let mut stops = Vec::new();
        let exit = loop {
            let (count_at, interrupt_until) = (self.unusable.due, self.turn.deadline());
            let (resume_until, ask_at) = (self.resumption.deadline(), self.held_asks.due());
            tokio::select! {
                event = link_events.next() => match event {
                    Some(LinkEvent::Inbound(inbound)) => {
                        self.receive(&inbound).await;
                        // Not earlier: the line may acknowledge what was sent before it.
                        if self.resumption.is_ready() {
                            self.on_resumed().await;
                        }
                    }
                    Some(LinkEvent::Stderr(text)) => self.note(LogKind::Stderr, &text),
                    Some(LinkEvent::Ended(end)) => break Some(end),
                    None => break None,
                },
                event = self.pending.next() => self.on_pending(event).await,
                () = sleep_until(count_at), if count_at.is_some() => self.flush_count().await,
                () = sleep_until(ask_at), if ask_at.is_some() => self.ask_held_again().await,
                () = sleep_until(resume_until), if resume_until.is_some() => self.on_resumed().await,
                () = sleep_until(interrupt_until), if interrupt_until.is_some() => {
                    self.turn.note_ignored_interrupt();
                    self.close_adapter().await;
                    self.agent.link.stop(Duration::ZERO).await;
                }
                input = inputs.recv() => {
                    // A decision that came before a stop or a message is sent before it.
                    self.on_already_resolved().await;
                    match input {
                        Some(SessionInput::Stop { end, reply }) => {
                            stops.push(reply);
                            if stopped.is_none() {
                                self.close_adapter().await;
                                self.stopping = true;
                                let grace = if end == SessionEnd::AppQuit { QUIT_GRACE } else { STOP_GRACE };
                                self.agent.link.stop(grace).await;
                                stopped = Some(end);
                            }
                        }
                        Some(input) => self.on_input(input).await,
                        // The engine is gone.
                        None => break None,
                    }
                }
            }
        };
        // No caller may wait for a reply of a session that is ending, unless it wants the end.
        inputs.close();
        while let Ok(input) = inputs.try_recv() {
            if let SessionInput::Stop { reply, .. } = input {
                stops.push(reply);
            }
        }
        self.finish(exit, (stopped, stops), token).await;
    }

    async fn finish(
        mut self,
        last: Option<LinkEnd>,
        (stopped, stops): (Option<SessionEnd>, Vec<oneshot::Sender<()>>),
        token: IssuedToken,
    ) {
        if let Some(last) = &last {
            self.receive(&Inbound::End { unfinished: last.unfinished.clone() }).await;
        }
        self.flush_count().await;
        self.agent.link.stop(Duration::ZERO).await;
        if self.session_unknown {
            self.record(SessionCommand::NoteForgotten { session: self.id }).await;
        }
        let next = if self.spoke { NextStep::Resume } else { NextStep::StartAnew };
        let failed = |why| SessionEnd::Failed { why };
        let end = match (stopped.clone().or_else(|| self.start_refused.take().map(failed)), last) {
            (Some(end), _) => end,
            (None, _) if self.session_unknown => failed(AgentFailure::SessionUnknown),
            (None, _) if self.turn.ignored_interrupt => {
                failed(AgentFailure::InterruptIgnored { seconds: INTERRUPT_GRACE.as_secs(), next })
            }
            (None, Some(last)) if last.status.is_success() => SessionEnd::Finished,
            (None, Some(last)) => failed(last.status.into_failure(&last.stderr_tail, next)),
            (None, None) => failed(AgentFailure::OutputLost { next }),
        };
        self.clear_live().await;
        self.end_retry().await;
        self.tell_helpers_end().await;
        self.helper_outputs.end_all(self.id);
        // A session that is shown as ended must not be asked in any more.
        drop(token);
        self.record_held(|_| true).await;
        let at = self.engine.clock().now();
        self.record(SessionCommand::End { session: self.id, end, at }).await;
        for reply in stops {
            let _ = reply.send(());
        }
    }

    /// Has the agent stop what it does for the session; the link ends after that.
    async fn close_adapter(&mut self) {
        if let Ok(output) = self.agent.adapter.send(Action::Close) {
            self.take(output, None).await;
        }
    }

    /// Passes what arrived to the adapter, then writes the protocol's immediate replies.
    async fn receive(&mut self, inbound: &Inbound) {
        let output = self.agent.adapter.receive(inbound);
        self.take(output, Some(inbound)).await;
    }

    pub(super) async fn take(&mut self, output: Output, inbound: Option<&Inbound>) {
        self.write(WriteSubject::Other, output.outbound);
        for event in output.events {
            // An agent whose input was closed withdraws its questions; those end with the session.
            if !self.stopping || !event.opens_or_closes_request() {
                self.on_event(event, inbound).await;
            }
        }
    }

    pub(super) async fn on_event(&mut self, mut event: AgentEvent, inbound: Option<&Inbound>) {
        self.agent.link.secrets().strike_event(&mut event);
        if event.ends_retry() {
            self.end_retry().await;
        }
        match event {
            AgentEvent::Conversation(event) => self.on_conversation(event).await,
            AgentEvent::Requests(event) => self.on_requests(event).await,
            AgentEvent::Helpers(event) => self.on_helpers(event).await,
            AgentEvent::Configuration(event) => self.on_configuration(event).await,
            AgentEvent::Trouble(event) => self.on_trouble(event, inbound).await,
        }
    }

    /// Encodes and writes an action that no caller waits for.
    pub(super) async fn send(&mut self, subject: WriteSubject, action: Action) {
        if let Err(error) = self.try_send(subject, action).await {
            self.note(LogKind::Note, &error.to_string());
        }
    }

    /// Encodes and writes an action. If the agent cannot do it, nothing is written.
    pub(super) async fn try_send(
        &mut self,
        subject: WriteSubject,
        action: Action,
    ) -> Result<(), EncodeError> {
        let output = self.agent.adapter.send(action)?;
        self.write(subject, output.outbound);
        for event in output.events {
            // An event may lead to another action.
            Box::pin(self.on_event(event, None)).await;
        }
        Ok(())
    }

    pub(super) async fn on_input(&mut self, input: SessionInput) {
        match input {
            SessionInput::Call {
                call: SessionCall::Message(_) | SessionCall::SendNow(_) | SessionCall::Compact,
                ..
            } if self.resumption.is_waiting() => {
                if let Some(refused) = self.resumption.hold(input) {
                    refuse(refused);
                }
            }
            SessionInput::Call { call, reply } => self.on_call(call, reply).await,
            SessionInput::SendParked => self.send_parked().await,
            SessionInput::SendQueued => self.send_next_queued().await,
            // Handled by `run`, which ends with it.
            SessionInput::Stop { .. } => {}
        }
    }

    async fn on_call(&mut self, call: SessionCall, reply: Reply<Result<(), EngineError>>) {
        let done = match call {
            SessionCall::Message(message) => {
                let sent = self.send_message(message).await;
                if let Ok(true) = sent {
                    self.set_working(true).await;
                }
                sent.map(drop)
            }
            SessionCall::SendNow(message) => self.send_queued(Some(message)).await,
            SessionCall::Compact => self.compact().await,
            SessionCall::StopHelper(helper) => self.stop_helper(helper).await,
            SessionCall::Interrupt => {
                self.turn.interrupt();
                self.send(WriteSubject::Other, Action::Interrupt).await;
                self.write_notice(Notice::Interrupted).await;
                Ok(())
            }
            SessionCall::SetConfig(change) => return self.set_config(change, reply).await,
        };
        let _ = reply.send(done);
    }

    pub(super) fn why_withdrawn(&self, otherwise: WithdrawnWhy) -> WithdrawnWhy {
        if self.turn.is_interrupted { WithdrawnWhy::Interrupted } else { otherwise }
    }

    pub(super) async fn set_working(&mut self, working: bool) {
        self.turn.is_running = working;
        self.record(SessionCommand::SetWorking { session: self.id, working }).await;
    }

    pub(super) async fn note_spoke(&mut self) {
        if !std::mem::replace(&mut self.spoke, true) {
            self.record(SessionCommand::NoteSpoke { session: self.id }).await;
        }
    }

    async fn flush_count(&mut self) {
        let lines = self.unusable.take();
        if lines > 0 {
            self.record(SessionCommand::CountUnusable { session: self.id, lines }).await;
        }
    }

    pub(super) async fn add_live(&mut self, kind: LiveKind, text: String) {
        let begun = self.shown.begun_secret.take().filter(|(of, _)| *of == kind);
        let (_, mut begun) = begun.unwrap_or_else(|| (kind, String::new()));
        let text = self.agent.link.secrets().strike_piece(&mut begun, &text);
        self.shown.begun_secret = Some((kind, begun));
        self.shown.live = true;
        self.engine.show_live(LiveText { session: self.id, kind, text }).await;
    }

    pub(super) async fn clear_live(&mut self) {
        self.shown.begun_secret = None;
        if std::mem::take(&mut self.shown.live) {
            self.engine.send(Input::LiveCleared { session: self.id }).await;
        }
    }

    pub(super) async fn write_finished(&mut self, body: EntryBody) {
        // The finished entry comes first, so that the text never disappears briefly.
        self.write_entry(body).await;
        self.clear_live().await;
    }

    pub(super) async fn write_notice(&mut self, notice: Notice) {
        self.write_entry(EntryBody::Notice { notice }).await;
    }

    pub(super) async fn write_entry(&mut self, body: EntryBody) {
        self.engine.write(self.id, vec![EntryWrite::New(body)]).await;
    }

    /// Queues a write. Its result arrives later: an agent that doesn't read must not block our reading.
    pub(super) fn write(&mut self, subject: WriteSubject, outbound: Vec<Outbound>) {
        if !outbound.is_empty() {
            self.pending.add_write(subject, self.agent.link.write(outbound));
        }
    }

    /// Reports what has happened; the disk may accept it later.
    pub(super) async fn record(&mut self, command: impl Into<Command>) {
        if let Err(error) = self.engine.record(command).await {
            self.note(LogKind::Note, &error.to_string());
        }
    }

    pub(super) fn note(&self, kind: LogKind, text: &str) {
        let mut text = text.to_owned();
        self.agent.link.secrets().strike(&mut text);
        self.logs.add(self.id, self.engine.clock().now(), kind, &text);
    }
}

/// Tells the caller of a message or a request that too many are held.
pub(super) fn refuse(input: SessionInput) {
    if let SessionInput::Call { reply, .. } = input {
        let _ = reply.send(Err(EngineError::busy()));
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
