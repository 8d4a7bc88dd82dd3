//! A desk in any state, made of commands.

use askdesk_domain::{
    AgentId, AnswerInput, ApprovalCommand, ApprovalDecision, ApprovalId, ApprovalOption, ApprovalOptionId,
    ApprovalOptionKind, Ask, AskApproval, Command, Decision, Delivery, Desk, Event, MessageId, NativeRef,
    NativeSession, OptionLabel, Origin, Question, QueueCommand, Rejection, Request, RequestCommand,
    RequestEvent, RequestId, SessionCommand, SessionEnd, SessionEvent, SessionId, SessionOptions, Timestamp,
    ToolDetail, WithdrawnWhy, decide,
};
use uuid::Uuid;

pub fn session(n: u128) -> SessionId {
    SessionId::new(Uuid::from_u128(n))
}

pub fn request(n: u128) -> RequestId {
    RequestId::new(Uuid::from_u128(0x100 + n))
}

pub fn approval(n: u128) -> ApprovalId {
    ApprovalId::new(Uuid::from_u128(0x200 + n))
}

pub fn message(n: u128) -> MessageId {
    MessageId::new(Uuid::from_u128(0x300 + n))
}

pub fn native(text: &str) -> NativeRef {
    NativeRef::new(text).unwrap()
}

pub fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

pub fn start(n: u128) -> Command {
    Command::Session(SessionCommand::Start {
        id: session(n),
        origin: Origin::started(AgentId::literal("demo")),
        name: format!("Session {n}"),
        folder: "/work".to_owned(),
        options: SessionOptions::default(),
        config: Vec::new(),
        at: at(1),
    })
}

/// Request `n` of a session, under a native id and for a client of its own.
pub fn ask(of: u128, n: u128, questions: Vec<Question>) -> Command {
    Command::Request(RequestCommand::Ask(Ask {
        id: request(n),
        session: session(of),
        native_ref: native(&format!("call-{n}")),
        asked_by: Some(format!("client {n}")),
        questions,
        limit: None,
        at: at(10 + n as i64),
    }))
}

pub fn ask_approval(of: u128, n: u128) -> Command {
    Command::Approval(ApprovalCommand::Ask(AskApproval {
        id: approval(n),
        session: session(of),
        native_ref: native(&format!("approval-{n}")),
        title: "Bash".to_owned(),
        description: None,
        subject: ToolDetail::Command { command: "ls".to_owned(), description: None },
        options: vec![
            approval_option("allow", ApprovalOptionKind::AllowOnce),
            approval_option("deny", ApprovalOptionKind::RejectOnce),
        ],
        takes_message: true,
        at: at(10),
    }))
}

pub fn approval_option(id: &'static str, kind: ApprovalOptionKind) -> ApprovalOption {
    let id = ApprovalOptionId::literal(id);
    ApprovalOption { id, kind, label: OptionLabel::Plain, scope: None, combines: false }
}

pub fn decides(options: &[&'static str]) -> ApprovalDecision {
    let options = options.iter().map(|id| ApprovalOptionId::literal(id)).collect();
    ApprovalDecision { options, message: None, plan: None }
}

pub fn answer(n: u128, answers: Vec<AnswerInput>) -> Command {
    Command::Request(RequestCommand::Answer { request: request(n), answers, at: at(100) })
}

pub fn decline(n: u128, words: Option<&str>) -> Command {
    Command::Request(RequestCommand::Decline {
        request: request(n),
        words: words.map(str::to_owned),
        at: at(100),
    })
}

pub fn cancel(n: u128, reason: Option<&str>) -> Command {
    Command::Request(RequestCommand::Cancel {
        request: request(n),
        reason: reason.map(str::to_owned),
        at: at(100),
    })
}

pub fn reply_in_chat(of: u128, text: &str) -> Command {
    Command::Request(RequestCommand::ReplyInChat { session: session(of), text: text.to_owned(), at: at(100) })
}

pub fn queue(of: u128, n: u128, text: &str) -> Command {
    Command::Queue(QueueCommand::Add {
        session: session(of),
        id: message(n),
        text: text.to_owned(),
        attachments: Vec::new(),
    })
}

pub fn edit_queued(of: u128, n: u128, text: &str) -> Command {
    Command::Queue(QueueCommand::Edit { session: session(of), id: message(n), text: text.to_owned() })
}

pub fn remove_queued(of: u128, n: u128) -> Command {
    Command::Queue(QueueCommand::Remove { session: session(of), id: message(n) })
}

/// Sends the oldest, or one message by the person's own hand.
pub fn send_queued(of: u128, now: Option<u128>) -> Command {
    Command::Queue(QueueCommand::Send { session: session(of), now: now.map(message) })
}

pub fn withdraw(of: u128, n: u128, why: WithdrawnWhy) -> Command {
    Command::Request(RequestCommand::Withdraw {
        session: session(of),
        native_ref: native(&format!("call-{n}")),
        why,
        at: at(100),
    })
}

pub fn note(n: u128, delivery: Delivery) -> Command {
    Command::Request(RequestCommand::NoteDelivery { request: request(n), call: None, delivery })
}

/// News of how far an end has travelled to one of several calls.
pub fn note_call(n: u128, call: u128, delivery: Delivery) -> Command {
    Command::Request(RequestCommand::NoteDelivery {
        request: request(n),
        call: Some(native(&format!("call-{call}"))),
        delivery,
    })
}

pub fn delivered() -> Delivery {
    Delivery::Delivered { at: at(200), late: false }
}

pub fn delivered_late() -> Delivery {
    Delivery::Delivered { at: at(200), late: true }
}

pub fn sending(n: u128) -> Command {
    sending_to(n, n)
}

/// The end of request `n` is handed to a call.
pub fn sending_to(n: u128, call: u128) -> Command {
    Command::Request(RequestCommand::NoteSending {
        request: request(n),
        call: native(&format!("call-{call}")),
    })
}

pub fn resume(of: u128) -> Command {
    Command::Session(SessionCommand::Resume { session: session(of), at: at(350) })
}

pub fn introduce(of: u128) -> Command {
    let native_session = Some(native_session(session(of)));
    Command::Session(SessionCommand::Introduce {
        session: session(of),
        version: Some("2".to_owned()),
        model: None,
        native_session,
    })
}

pub fn send_parked(of: u128) -> Command {
    Command::Request(RequestCommand::SendParked { session: session(of) })
}

pub fn dismiss(n: u128) -> Command {
    Command::Request(RequestCommand::Dismiss { request: request(n), at: at(360) })
}

pub fn close(of: u128) -> Command {
    Command::Session(SessionCommand::Close { session: session(of), at: at(370) })
}

pub fn failed() -> Delivery {
    Delivery::Failed { error: "the pipe is full".into() }
}

pub fn end(of: u128, end: SessionEnd) -> Command {
    Command::Session(SessionCommand::End { session: session(of), end, at: at(300) })
}

/// Decides and folds; returns what was decided.
pub fn take(desk: &mut Desk, command: &Command) -> Result<Decision, Rejection> {
    let decision = decide(desk, command)?;
    for event in &decision.events {
        desk.fold(event);
    }
    Ok(decision)
}

/// The desk after these commands, each of which must be taken. Each started agent says its own id of the session at once.
pub fn desk(commands: &[Command]) -> Desk {
    let mut desk = Desk::default();
    for command in commands {
        take(&mut desk, command).unwrap_or_else(|reject| panic!("{command:?}: {reject}"));
        if let Command::Session(SessionCommand::Start { id, .. }) = command {
            desk.fold(&Event::Session(SessionEvent::NativeSessionKnown {
                session: *id,
                native_session: native_session(*id),
            }));
        }
    }
    desk
}

pub fn native_session(of: SessionId) -> NativeSession {
    NativeSession::new(format!("native-{of}")).unwrap()
}

/// A request as short as `open` or `answered, delivered`.
pub fn state(request: &Request) -> String {
    let Some(ended) = request.ended() else { return "open".to_owned() };
    let words = |value: serde_json::Value, tag: &str| {
        let why = value["why"].as_str().or(value["why"]["why"].as_str());
        let why = why.map(|why| format!(" {why}")).unwrap_or_default();
        format!("{}{why}", value[tag].as_str().unwrap_or("?"))
    };
    let outcome = words(serde_json::to_value(&ended.outcome).unwrap(), "outcome");
    match &ended.delivery {
        None => outcome,
        Some(Delivery::Delivered { late: true, .. }) => format!("{outcome}, delivered late"),
        Some(delivery) => {
            format!("{outcome}, {}", words(serde_json::to_value(delivery).unwrap(), "delivery"))
        }
    }
}

pub fn names(events: &[Event]) -> Vec<String> {
    events
        .iter()
        .map(|event| serde_json::to_value(event).unwrap()["event"].as_str().unwrap().to_owned())
        .collect()
}

pub fn ends_of(events: &[Event], id: RequestId) -> usize {
    events
        .iter()
        .filter(
            |event| matches!(event, Event::Request(RequestEvent::Ended { request, .. }) if *request == id),
        )
        .count()
}
