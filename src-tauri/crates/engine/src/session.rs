//! One session: the task that owns the link to an agent, lets its adapter understand it, and hands over what was decided.
//!
//! The task never waits for a person: what an agent asks goes to the writer with a waiter, and reading goes on.

mod changes;
mod late;
mod message;
mod pending;
mod permissions;
mod retention;
mod start;

use std::collections::HashMap;
use std::time::Duration;

use askdesk_agents::{
    Act, Adapter, AgentEvent, Asked, EncodeError, Inbound, Link, LinkEnd, LinkEvent, LinkEvents, Open,
    Outbound, Output, QuestionRefusal, Unusable, WriteError,
};
use askdesk_domain::text::bounded;
use askdesk_domain::{
    AgentFailure, ApprovalCommand, ApprovalDecision, ApprovalId, Ask, AskApproval, Command, Delivery,
    DeliveryError, EntryBody, MessageId, NativeRef, NextStep, Notice, Outcome, QuestionPolicy,
    RequestCommand, RequestId, SessionCommand, SessionEnd, SessionId, ToolStatus, WithdrawnWhy, config,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::fault::{self, Step};
use crate::frame::{LiveKind, LiveText};
use crate::handle::EngineHandle;
use crate::log::{LogKind, SessionLogs};
use crate::undelivered::{unencoded, unkept, unwritten};
use crate::writer::{EngineError, EntryWrite, Input};
use changes::Awaited;
use late::Late;
use pending::{Due, Line, Pending, Waiting};
use permissions::Permissions;

pub use changes::Change;
pub use message::Message;
pub use retention::EVERY as RETENTION_EVERY;
pub use start::{Sessions, StartSpec};

/// How many inputs wait for a session before further ones are refused.
pub const QUEUED_SESSION_INPUTS: usize = 1_024;

/// How long an agent may take to stop its turn after an interrupt before its tree is killed.
const INTERRUPT_GRACE: Duration = Duration::from_secs(5);

/// How long a process may take to end by itself before its tree is killed.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// How long to wait before the end of a session that could not be stored is stored again.
const END_AGAIN: Duration = Duration::from_millis(500);

/// How long counted lines wait, so that a flood of them is one event and not thousands.
const COUNT_DELAY: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub enum SessionInput {
    /// The person wrote a message.
    Message {
        message: Message,
        /// Hears whether it was handed to the agent.
        reply: oneshot::Sender<Result<(), EngineError>>,
    },
    /// The person wants a message that waits sent now.
    SendNow {
        message: MessageId,
        /// Hears whether it was handed to the agent.
        reply: oneshot::Sender<Result<(), EngineError>>,
    },
    /// The oldest message that waits shall be sent, if the agent is at rest.
    SendQueued,
    /// The person wants the agent to stop what it does.
    Interrupt,
    /// The person wants the agent to run in another way.
    Change {
        change: Change,
        /// Hears what the agent said to it.
        reply: oneshot::Sender<Result<(), EngineError>>,
    },
    /// The process shall end.
    Stop {
        end: SessionEnd,
        /// Hears when it is gone.
        reply: oneshot::Sender<()>,
    },
    Decided {
        approval: ApprovalId,
        /// The agent's own id of the call.
        native_ref: NativeRef,
        decision: ApprovalDecision,
        /// Whether it lets the agent go on.
        allows: bool,
    },
    /// Late answers wait to be sent.
    SendParked,
    /// An end that could not be handed over shall be tried again.
    Redeliver {
        request: RequestId,
        /// The agent's own id of the call.
        native_ref: NativeRef,
        outcome: Outcome,
    },
}

struct SessionTask {
    id: SessionId,
    engine: EngineHandle,
    logs: SessionLogs,
    link: Link,
    adapter: Box<dyn Adapter>,
    pending: Pending,
    late: Late,
    questions: QuestionPolicy,
    /// Whether the agent only plans, as it said last.
    planning: bool,
    /// Which tool calls wait for permission.
    permissions: Permissions,
    /// Changes that somebody waits for, by their tickets.
    changes: HashMap<u64, Awaited>,
    changes_asked: u64,
    in_turn: bool,
    /// Set once the session was told to stop.
    stopping: bool,
    /// Set from an interrupt to the end of the turn it interrupts.
    interrupted: bool,
    /// When the patience with an interrupted turn ends.
    interrupt_until: Option<Instant>,
    ignored_interrupt: bool,
    live: bool,
    /// Whether the agent has finished a piece of output, in this run or an earlier one.
    spoke: bool,
    unusable: u64,
    count_at: Option<Instant>,
}

impl SessionTask {
    /// Runs until the link has ended.
    async fn run(
        mut self,
        open: Open,
        mut link_events: LinkEvents,
        mut inputs: mpsc::Receiver<SessionInput>,
        prompt: Option<String>,
    ) {
        let opened = self.adapter.open(open);
        self.take(opened, None).await;
        if let Some(prompt) = prompt
            && let Err(error) = self.send_message(prompt.into()).await
        {
            self.note(LogKind::Note, &error.to_string());
        }
        let mut stopped: Option<(SessionEnd, oneshot::Sender<()>)> = None;
        let exit = loop {
            let (count_at, wait_until) = (self.count_at, self.late.wait_until());
            let interrupt_until = self.interrupt_until;
            tokio::select! {
                event = link_events.next() => match event {
                    Some(LinkEvent::Inbound(inbound)) => {
                        self.receive(&inbound).await;
                        // Only now: what one line tells is about what was sent before it.
                        if self.late.is_awake() {
                            self.on_awake().await;
                        }
                    }
                    Some(LinkEvent::Stderr(text)) => self.note(LogKind::Stderr, &text),
                    Some(LinkEvent::Ended(end)) => break Some(end),
                    None => break None,
                },
                due = self.pending.next() => self.on_due(due).await,
                () = sleep_until(count_at), if count_at.is_some() => self.flush_count().await,
                () = sleep_until(wait_until), if wait_until.is_some() => self.on_awake().await,
                () = sleep_until(interrupt_until), if interrupt_until.is_some() => {
                    self.interrupt_until = None;
                    self.ignored_interrupt = true;
                    self.say_goodbye().await;
                    self.link.stop(Duration::ZERO).await;
                }
                input = inputs.recv() => match input {
                    Some(SessionInput::Stop { end, reply }) => {
                        self.say_goodbye().await;
                        self.stopping = true;
                        self.link.stop(STOP_GRACE).await;
                        stopped = Some((end, reply));
                    }
                    Some(input) => self.on_input(input).await,
                    // The engine is gone, and with it everybody who could be told anything.
                    None => break None,
                },
            }
        };
        // Nobody shall wait for an answer of a session that is ending.
        drop(inputs);
        self.finish(exit, stopped).await;
    }

    async fn finish(mut self, last: Option<LinkEnd>, stopped: Option<(SessionEnd, oneshot::Sender<()>)>) {
        if let Some(last) = &last {
            self.receive(&Inbound::End { unfinished: last.unfinished.clone() }).await;
        }
        self.flush_count().await;
        self.link.stop(Duration::ZERO).await;
        let gone = self.late.is_gone();
        if gone {
            self.act(Command::Session(SessionCommand::NoteForgotten { session: self.id })).await;
        }
        let next = if self.spoke { NextStep::Resume } else { NextStep::StartAnew };
        let failed = |why| SessionEnd::Failed { why };
        let end = match (&stopped, last) {
            (Some((end, _)), _) => end.clone(),
            (None, _) if gone => failed(AgentFailure::SessionUnknown),
            (None, _) if self.ignored_interrupt => {
                failed(AgentFailure::InterruptIgnored { seconds: INTERRUPT_GRACE.as_secs(), next })
            }
            (None, Some(last)) if last.status.is_success() => SessionEnd::Finished,
            (None, Some(last)) => failed(last.status.into_failure(&last.stderr_tail, next)),
            (None, None) => failed(AgentFailure::OutputLost { next }),
        };
        self.clear_live().await;
        let at = self.engine.source().now();
        let command = Command::Session(SessionCommand::End { session: self.id, end, at });
        let mut ended = self.engine.act(command.clone()).await;
        if let Some((_, reply)) = stopped {
            let _ = reply.send(());
        }
        // What the disk does not take now it may take later; until then the session would look alive.
        while let Err(EngineError::Journal(error)) = &ended {
            self.note(LogKind::Note, &error.to_string());
            tokio::time::sleep(END_AGAIN).await;
            ended = self.engine.act(command.clone()).await;
        }
        if let Err(error) = ended {
            self.note(LogKind::Note, &error.to_string());
        }
    }

    /// Tells a link that several sessions share that this one is over; a process of its own is simply ended.
    async fn say_goodbye(&mut self) {
        if let Ok(output) = self.adapter.send(Act::Close) {
            self.take(output, None).await;
        }
    }

    /// Lets the adapter understand what arrived, then writes what the protocol wants answered at once.
    async fn receive(&mut self, inbound: &Inbound) {
        let output = self.adapter.receive(inbound);
        self.take(output, Some(inbound)).await;
    }

    async fn take(&mut self, output: Output, inbound: Option<&Inbound>) {
        self.write(Line::Other, output.outbound);
        for event in output.events {
            // An agent whose input was closed withdraws what it asked; here that ends with the session.
            if !self.stopping || !event.opens_or_closes_request() {
                self.on_event(event, inbound).await;
            }
        }
    }

    /// Encodes an act that no person waits for, and writes it.
    async fn send(&mut self, line: Line, act: Act) {
        if let Err(error) = self.try_send(line, act).await {
            self.note(LogKind::Note, &error.to_string());
        }
    }

    /// Encodes an act and writes it; one that the agent cannot do changes nothing.
    async fn try_send(&mut self, line: Line, act: Act) -> Result<(), EncodeError> {
        let output = self.adapter.send(act)?;
        self.write(line, output.outbound);
        for event in output.events {
            // What an act leads to may lead to another act.
            Box::pin(self.on_event(event, None)).await;
        }
        Ok(())
    }

    async fn on_event(&mut self, event: AgentEvent, inbound: Option<&Inbound>) {
        match event {
            AgentEvent::Introduced { version, model, native_session } => {
                self.act(Command::Session(SessionCommand::Introduce {
                    session: self.id,
                    version,
                    model,
                    native_session,
                }))
                .await;
                self.late.wake();
            }
            AgentEvent::ConfigChanged { config } => {
                self.planning = config::is_planning(&config);
                self.act(Command::Session(SessionCommand::NoteConfig { session: self.id, config })).await;
            }
            AgentEvent::ConfigAnswered { ticket, refused } => self.on_config_answered(ticket, refused),
            AgentEvent::TurnBegan => {
                self.set_working(true).await;
                // An agent that tells nothing of its messages shows by this that it has what it was sent before.
                self.late_arrived(None).await;
                self.late.wake();
            }
            AgentEvent::MessageTaken { uuid } => self.late_arrived(Some(uuid)).await,
            AgentEvent::TextDelta { text } => self.add_live(LiveKind::Text, text).await,
            AgentEvent::ThinkingDelta { text } => self.add_live(LiveKind::Thinking, text).await,
            AgentEvent::Said { text } => {
                self.write_finished(EntryBody::Agent { text }).await;
                self.note_spoke().await;
            }
            AgentEvent::Thought { text } => {
                self.write_finished(EntryBody::Thinking { text }).await;
                self.note_spoke().await;
            }
            AgentEvent::ToolStarted { tool_use, kind, name, summary, detail, status } => {
                let status = if self.permissions.wait_for(&tool_use) {
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
                };
                self.write_entry(entry).await;
                self.note_spoke().await;
            }
            AgentEvent::ToolEnded { tool_use, ok, output } => {
                self.permissions.forget_tool(&tool_use);
                self.engine.write(self.id, vec![EntryWrite::ToolEnded { tool_use, ok, output }]).await;
            }
            AgentEvent::PlanChanged { items } => {
                self.engine.write(self.id, vec![EntryWrite::Plan { items }]).await;
                self.note_spoke().await;
            }
            AgentEvent::Asked(asked) => self.register(asked).await,
            AgentEvent::Refused { reason, .. } => {
                self.note(LogKind::Refused, &reason);
                self.write_notice(Notice::QuestionRefused { reason }).await;
            }
            AgentEvent::Passed { .. } => self.write_notice(Notice::AnswersBrought).await,
            AgentEvent::Noticed { notice } => self.write_notice(notice).await,
            AgentEvent::ApprovalAsked {
                native_ref,
                tool_use,
                title,
                description,
                subject,
                options,
                takes_message,
            } => {
                let ask = AskApproval {
                    id: self.engine.source().approval(),
                    session: self.id,
                    native_ref,
                    title,
                    description,
                    subject,
                    options,
                    takes_message,
                    at: self.engine.source().now(),
                };
                self.register_approval(ask, tool_use).await;
            }
            AgentEvent::Withdrawn { native_ref } => {
                self.permission_ended(&native_ref).await;
                let why = self.why_withdrawn(WithdrawnWhy::ByAgent);
                let at = self.engine.source().now();
                // Asked again under this id, it is another wait.
                self.pending.no_longer_waits(&native_ref);
                self.act(Command::Request(RequestCommand::Withdraw {
                    session: self.id,
                    native_ref,
                    why,
                    at,
                }))
                .await;
            }
            AgentEvent::Acknowledged { native_ref } => {
                if let Some(request) = self.pending.told(&native_ref) {
                    fault::reached(Step::Acknowledged);
                    let delivery = Delivery::Delivered { at: self.engine.source().now(), late: false };
                    let call = Some(native_ref);
                    self.act(Command::Request(RequestCommand::NoteDelivery { request, call, delivery }))
                        .await;
                }
            }
            AgentEvent::SessionUnknown { error } => {
                self.late.note_gone();
                self.note(LogKind::Note, &error);
                // A server that other sessions use does not end with it.
                self.link.stop(STOP_GRACE).await;
            }
            AgentEvent::TurnEnded { millis, usage, error } => {
                let ended_well = !self.interrupted && error.is_none();
                if !ended_well {
                    let why = self.why_withdrawn(WithdrawnWhy::TurnEnded);
                    let at = self.engine.source().now();
                    self.act(Command::Request(RequestCommand::WithdrawAll { session: self.id, why, at }))
                        .await;
                }
                let ended = EntryBody::TurnEnded {
                    millis,
                    input_tokens: usage.input_tokens,
                    output_tokens: usage.output_tokens,
                    cached_tokens: usage.cached_tokens,
                    error,
                    cost_usd: usage.cost,
                    context: usage.context,
                };
                self.write_finished(ended).await;
                self.interrupted = false;
                self.interrupt_until = None;
                self.set_working(false).await;
                self.send_parked().await;
                // After a failure or a stop the person decides what is said next.
                if ended_well {
                    self.send_next_queued().await;
                    self.act(Command::Session(SessionCommand::NotifyFinished { session: self.id })).await;
                }
            }
            AgentEvent::Unusable { why } => {
                let quoted = inbound.map(Inbound::quoted).unwrap_or_default();
                self.note(LogKind::Unusable, format!("{why}: {quoted}").trim_end_matches(": "));
                self.unusable += 1;
                self.count_at.get_or_insert_with(|| Instant::now() + COUNT_DELAY);
                if why == Unusable::CutInHalf {
                    self.write_notice(Notice::CutInHalf).await;
                }
            }
        }
    }

    async fn on_input(&mut self, input: SessionInput) {
        match input {
            SessionInput::Message { .. } | SessionInput::SendNow { .. } if self.late.is_waiting() => {
                self.late.hold(input);
            }
            SessionInput::SendParked => self.send_parked().await,
            SessionInput::Message { message, reply } => {
                let sent = self.send_message(message).await;
                if let Ok(true) = sent {
                    self.set_working(true).await;
                }
                let _ = reply.send(sent.map(drop));
            }
            SessionInput::SendNow { message, reply } => {
                let _ = reply.send(self.send_queued(Some(message)).await);
            }
            SessionInput::SendQueued => self.send_next_queued().await,
            SessionInput::Interrupt => {
                // Without a turn there is nothing to interrupt, and the next one must not look as if it had been.
                self.interrupted = self.in_turn;
                if self.in_turn {
                    // An impatient second time gives no more time than the first.
                    self.interrupt_until.get_or_insert_with(|| Instant::now() + INTERRUPT_GRACE);
                }
                self.send(Line::Other, Act::Interrupt).await;
                self.write_notice(Notice::Interrupted).await;
            }
            SessionInput::Decided { approval, native_ref, decision, allows } => {
                self.decided(approval, native_ref, decision, allows).await;
            }
            SessionInput::Redeliver { request, native_ref, outcome } => {
                if let Some((waiting, secret)) = self.pending.told_call(request, &native_ref) {
                    self.deliver(waiting, secret.unwrap_or(outcome)).await;
                } else {
                    self.delivery_failed(request, native_ref, DeliveryError::NotAwaited).await;
                }
            }
            SessionInput::Change { change, reply } => self.change(change, reply).await,
            // Handled by `run`, which ends with it.
            SessionInput::Stop { .. } => {}
        }
    }

    async fn on_due(&mut self, due: Due) {
        match due {
            Due::Ended(waiting, Some(outcome)) => {
                self.pending.remember(waiting.clone(), &outcome);
                self.deliver(waiting, outcome).await;
            }
            Due::Handed(Line::End { .. }, Ok(())) => fault::reached(Step::Handed),
            Due::Ended(_, None) | Due::Handed(_, Ok(())) => {}
            Due::Handed(line, Err(error)) => self.on_unwritten(line, error).await,
        }
    }

    async fn on_unwritten(&mut self, line: Line, error: WriteError) {
        let error = unwritten(error);
        match line {
            Line::End { request, call } => self.delivery_failed(request, call, error).await,
            Line::Decision { approval } => {
                self.act(Command::Approval(ApprovalCommand::NoteNotDelivered { approval, error })).await
            }
            Line::Late { message } => self.late_unwritten(message).await,
            Line::Message => self.write_notice(Notice::MessageNotSent { error }).await,
            Line::Change { ticket } => self.change_unwritten(ticket, &error),
            Line::Other => self.note(LogKind::Note, &error.to_string()),
        }
    }

    /// Registers what the agent asks; a failure to store it is told to the agent, which would wait for ever.
    async fn register(&mut self, asked: Asked) {
        if self.pending.waits_for(&asked.native_ref) {
            return;
        }
        if !self.questions.lets_ask(self.planning) {
            return self.turn_off(&asked).await;
        }
        let (waiter, outcome) = oneshot::channel();
        let ask = Ask {
            id: self.engine.source().request(),
            session: self.id,
            native_ref: asked.native_ref.clone(),
            asked_by: asked.asked_by,
            questions: asked.questions.clone(),
            limit: None,
            at: self.engine.source().now(),
        };
        match self.engine.register(ask, waiter).await {
            Ok(request) => {
                let Asked { native_ref, questions, .. } = asked;
                self.pending.wait(Waiting { request, native_ref, questions }, outcome);
            }
            Err(error) => {
                let reason = format!("the desk could not keep the question: {error}");
                let why = QuestionRefusal::Unkept { reason: reason.clone() };
                self.refuse(asked.native_ref, why);
                self.note(LogKind::Refused, &reason);
                self.write_notice(Notice::QuestionRefused { reason }).await;
            }
        }
    }

    /// Refuses a question at once, because the person wants none now, and leaves word of it.
    async fn turn_off(&mut self, asked: &Asked) {
        self.refuse(asked.native_ref.clone(), QuestionRefusal::TurnedOff { policy: self.questions });
        let texts: Vec<&str> = asked.questions.iter().map(|question| question.text.as_str()).collect();
        let notice = Notice::QuestionTurnedOff { policy: self.questions, text: bounded(&texts.join("\n")) };
        self.write_notice(notice).await;
    }

    /// Tells the agent that nobody is asked.
    fn refuse(&mut self, native_ref: NativeRef, why: QuestionRefusal) {
        match self.adapter.send(Act::RefuseQuestion { native_ref, why }) {
            Ok(output) => self.write(Line::Other, output.outbound),
            Err(error) => self.note(LogKind::Note, &error.to_string()),
        }
    }

    /// Hands an end to the agent; committed before, so a failure loses nothing. That it is about to leave is committed
    /// too, so that no later run hands it over a second time.
    async fn deliver(&mut self, waiting: Waiting, outcome: Outcome) {
        if !outcome.needs_delivery() {
            return;
        }
        let (request, call) = (waiting.request, waiting.native_ref.clone());
        let noted = self
            .engine
            .act(Command::Request(RequestCommand::NoteSending { request, call: call.clone() }))
            .await;
        match noted {
            Ok(_) => {}
            Err(EngineError::Journal(error)) => {
                return self.delivery_failed(request, call, unkept(&error)).await;
            }
            Err(error) => return self.note(LogKind::Note, &error.to_string()),
        }
        fault::reached(Step::Sending);
        let (native_ref, questions) = (waiting.native_ref.clone(), waiting.questions.clone());
        let encoded = match self.adapter.send(Act::Answer { native_ref, questions, outcome }) {
            Ok(encoded) => encoded,
            Err(EncodeError::NothingToSend) => return,
            Err(error) => return self.delivery_failed(request, call, unencoded(&error)).await,
        };
        self.write(Line::End { request, call }, encoded.outbound);
        // What several calls are told alike is said to the person once.
        let first = self.pending.is_first_told(&waiting);
        for event in encoded.events {
            if first || !matches!(event, AgentEvent::Noticed { .. }) {
                self.on_event(event, None).await;
            }
        }
    }

    async fn delivery_failed(&mut self, request: RequestId, call: NativeRef, error: DeliveryError) {
        let delivery = Delivery::Failed { error };
        self.act(Command::Request(RequestCommand::NoteDelivery { request, call: Some(call), delivery }))
            .await;
    }

    fn why_withdrawn(&self, otherwise: WithdrawnWhy) -> WithdrawnWhy {
        if self.interrupted { WithdrawnWhy::Interrupted } else { otherwise }
    }

    async fn set_working(&mut self, working: bool) {
        self.in_turn = working;
        self.act(Command::Session(SessionCommand::SetWorking { session: self.id, working })).await;
    }

    async fn note_spoke(&mut self) {
        if !std::mem::replace(&mut self.spoke, true) {
            self.act(Command::Session(SessionCommand::NoteSpoke { session: self.id })).await;
        }
    }

    async fn flush_count(&mut self) {
        self.count_at = None;
        let lines = std::mem::take(&mut self.unusable);
        if lines > 0 {
            self.act(Command::Session(SessionCommand::CountUnusable { session: self.id, lines })).await;
        }
    }

    async fn add_live(&mut self, kind: LiveKind, text: String) {
        self.live = true;
        self.engine.send(Input::Live { added: LiveText { session: self.id, kind, text } }).await;
    }

    async fn clear_live(&mut self) {
        if std::mem::take(&mut self.live) {
            self.engine.send(Input::LiveCleared { session: self.id }).await;
        }
    }

    async fn write_finished(&mut self, body: EntryBody) {
        // The finished entry comes first, so that the text never vanishes for a moment.
        self.write_entry(body).await;
        self.clear_live().await;
    }

    async fn write_notice(&mut self, notice: Notice) {
        self.write_entry(EntryBody::Notice { notice }).await;
    }

    async fn write_entry(&mut self, body: EntryBody) {
        self.engine.write(self.id, vec![EntryWrite::New(body)]).await;
    }

    /// Queues what is to be written. Whether it reached the agent is heard later: an agent that does not read must not stop us
    /// from reading it.
    fn write(&mut self, what: Line, outbound: Vec<Outbound>) {
        if !outbound.is_empty() {
            self.pending.hand(what, self.link.write(outbound));
        }
    }

    async fn act(&mut self, command: Command) {
        if let Err(error) = self.engine.act(command).await {
            self.note(LogKind::Note, &error.to_string());
        }
    }

    fn note(&self, kind: LogKind, text: &str) {
        self.logs.add(self.id, self.engine.source().now(), kind, text);
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
