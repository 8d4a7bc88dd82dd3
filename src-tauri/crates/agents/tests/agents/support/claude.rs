//! Claude Code's adapter, with the calls that tests make often.

use askdesk_agents::claude::{ClaudeAdapter, ClaudeCode};
use askdesk_agents::{
    Action, Adapter, Agent, AgentEvent, Attached, EncodeError, Inbound, Open, Outbound, Output,
    QuestionRefusal,
};
use askdesk_domain::{
    ApprovalDecision, ApprovalOptionId, Choices, ConfigId, ConfigOption, NativeRef, NativeSession, Notice,
    Outcome, Question, SessionOptions, ValueId,
};
use serde_json::{Value, json};
use uuid::Uuid;

pub struct Claude(ClaudeAdapter);

impl Claude {
    /// A session with nothing chosen.
    pub fn new() -> Self {
        Self::started_with(&[])
    }

    pub fn started_with(choices: &[(&'static str, &'static str)]) -> Self {
        let config: Choices =
            choices.iter().map(|(id, value)| (ConfigId::literal(id), ValueId::literal(value))).collect();
        let options = SessionOptions { config, ..SessionOptions::default() };
        Self(ClaudeAdapter::new(options_of_claude(), &options))
    }

    /// Begins the session and returns the handshake.
    pub fn hello(&mut self) -> String {
        only_line(self.0.open(Open::New))
    }

    pub fn resume(&mut self, native_session: &str) {
        let native_session = NativeSession::new(native_session).unwrap();
        self.0.open(Open::Resume { native_session });
    }

    pub fn receive(&mut self, inbound: &Inbound) -> Output {
        self.0.receive(inbound)
    }

    pub fn line(&mut self, line: &[u8]) -> Output {
        self.receive(&Inbound::Line(line.to_vec()))
    }

    pub fn on_line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        self.line(line).events
    }

    pub fn on_end(&mut self, unfinished: &[u8]) -> Vec<AgentEvent> {
        self.receive(&Inbound::End { unfinished: unfinished.to_vec() }).events
    }

    pub fn send(&mut self, action: Action) -> Result<Output, EncodeError> {
        self.0.send(action)
    }

    pub fn message(&mut self, text: &str, id: Uuid) -> String {
        let action = Action::Message { id, text: text.to_owned(), attached: Attached::default() };
        only_line(self.send(action).unwrap())
    }

    pub fn interrupt(&mut self) -> String {
        only_line(self.send(Action::Interrupt).unwrap())
    }

    /// Returns the line, and what the user is told with it.
    pub fn answer(
        &mut self,
        native_ref: &NativeRef,
        questions: &[Question],
        outcome: &Outcome,
    ) -> Result<(String, Vec<Notice>), EncodeError> {
        let (native_ref, questions) = (native_ref.clone(), questions.to_vec());
        let mut out = self.send(Action::Answer { native_ref, questions, outcome: outcome.clone() })?;
        let notices = std::mem::take(&mut out.events).into_iter().map(|event| match event {
            AgentEvent::Noticed { notice } => notice,
            other => panic!("{other:?}"),
        });
        let notices = notices.collect();
        Ok((only_line(out), notices))
    }

    pub fn refuse(&mut self, native_ref: &NativeRef, why: QuestionRefusal) -> Result<String, EncodeError> {
        self.send(Action::RefuseQuestion { native_ref: native_ref.clone(), why }).map(only_line)
    }

    pub fn decide(
        &mut self,
        native_ref: &NativeRef,
        decision: &ApprovalDecision,
    ) -> Result<String, EncodeError> {
        let action = Action::Decide { native_ref: native_ref.clone(), decision: decision.clone() };
        self.send(action).map(only_line)
    }

    pub fn set_config(
        &mut self,
        ticket: u64,
        option: &'static str,
        value: &str,
    ) -> Result<String, EncodeError> {
        let (option, value) = (ConfigId::literal(option), ValueId::new(value).unwrap());
        self.send(Action::SetConfig { ticket, option, value }).map(only_line)
    }
}

pub fn options_of_claude() -> Vec<ConfigOption> {
    ClaudeCode::default().descriptor().config.clone()
}

/// The one line of an output that means nothing else.
pub fn only_line(mut out: Output) -> String {
    match (out.events.as_slice(), out.outbound.pop(), out.outbound.as_slice()) {
        ([], Some(Outbound::Line(line)), []) => line,
        other => panic!("{other:?}"),
    }
}

/// The lines that are to be written.
pub fn lines(outbound: &[Outbound]) -> Vec<&str> {
    let lines = outbound.iter().map(|outbound| match outbound {
        Outbound::Line(line) => line.as_str(),
        message @ Outbound::Rpc(_) => panic!("{message:?}"),
    });
    lines.collect()
}

pub fn decision(options: &[&str], message: Option<&str>, plan: Option<&str>) -> ApprovalDecision {
    ApprovalDecision {
        options: options.iter().map(|&id| ApprovalOptionId::new(id).unwrap()).collect(),
        message: message.map(str::to_owned),
        plan: plan.map(str::to_owned),
    }
}

pub fn native(text: &str) -> NativeRef {
    NativeRef::new(text).unwrap()
}

pub fn sent(line: &str) -> Value {
    assert!(!line.contains('\n'));
    serde_json::from_str(line).unwrap()
}

/// The line with this response to the request `req-1`.
pub fn reply(response: &Value) -> String {
    let response = json!({"subtype": "success", "request_id": "req-1", "response": response});
    json!({"type": "control_response", "response": response}).to_string()
}
