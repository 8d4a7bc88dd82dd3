//! Commands with default values, and the desk after them.

use askdesk_domain::{
    AgentId, AnswerInput, ApprovalCommand, ApprovalDecision, ApprovalId, ApprovalOption, ApprovalOptionId,
    ApprovalOptionKind, Ask, AskApproval, Command, ConfigCategory, ConfigId, ConfigOption, Decision,
    Delivery, Desk, Event, HelperCommand, HelperId, HelperKind, HelperState, MessageId, NativeRef,
    NativeSession, OptionLabel, Origin, Question, QueueCommand, Rejection, Request, RequestCommand,
    RequestEvent, RequestId, SessionCommand, SessionEnd, SessionEvent, SessionId, SessionOptions, Timestamp,
    ToolDetail, ValueId, WithdrawnWhy, decide,
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
    SessionCommand::Start {
        id: session(n),
        origin: Origin::started(AgentId::literal("demo")),
        name: format!("Session {n}"),
        named_by: askdesk_domain::NamedBy::User,
        folder: "/work".to_owned(),
        options: SessionOptions::default(),
        config: Vec::new(),
        worktree: None,
        continues: None,
        at: at(1),
    }
    .into()
}

/// Request `n` of a session, with its own native id and asker.
pub fn new_ask(of: u128, n: u128, questions: Vec<Question>) -> Ask {
    Ask {
        id: request(n),
        session: session(of),
        native_ref: native(&format!("call-{n}")),
        asked_by: Some(format!("client {n}")),
        helper: None,
        questions,
        limit: None,
        asker: askdesk_domain::Asker::Waits,
        at: at(10 + n as i64),
    }
}

pub fn asks(ask: Ask) -> Command {
    RequestCommand::Ask(ask).into()
}

pub fn ask(of: u128, n: u128, questions: Vec<Question>) -> Command {
    asks(new_ask(of, n, questions))
}

pub fn new_ask_approval(of: u128, n: u128) -> AskApproval {
    AskApproval {
        id: approval(n),
        session: session(of),
        native_ref: native(&format!("approval-{n}")),
        helper: None,
        asked_by: None,
        title: "Bash".to_owned(),
        description: None,
        remark: None,
        subject: ToolDetail::Command { command: "ls".to_owned(), description: None },
        options: vec![
            approval_option("allow", ApprovalOptionKind::AllowOnce),
            approval_option("deny", ApprovalOptionKind::RejectOnce),
        ],
        takes_message: true,
        rule: None,
        at: at(10),
    }
}

pub fn ask_approval(of: u128, n: u128) -> Command {
    ApprovalCommand::Ask(Box::new(new_ask_approval(of, n))).into()
}

pub fn refuse_approval(of: u128, n: u128) -> Command {
    let native_ref = native(&format!("approval-{n}"));
    ApprovalCommand::NoteRefused { session: session(of), native_ref, at: at(90) }.into()
}

pub fn mode(current: Option<&'static str>) -> ConfigOption {
    ConfigOption {
        id: ConfigId::literal("mode"),
        name: "Mode".to_owned(),
        category: ConfigCategory::Mode,
        values: Vec::new(),
        free_text: false,
        live: true,
        current: current.map(ValueId::literal),
        fallback: None,
    }
}

pub fn approval_option(id: &'static str, kind: ApprovalOptionKind) -> ApprovalOption {
    let id = ApprovalOptionId::literal(id);
    ApprovalOption { id, kind, label: OptionLabel::Plain, scope: None, combines: false }
}

pub fn decides(options: &[&'static str]) -> ApprovalDecision {
    let options = options.iter().map(|id| ApprovalOptionId::literal(id)).collect();
    ApprovalDecision { options, message: None, plan: None }
}

pub fn rename(of: u128, name: &str) -> Command {
    SessionCommand::Rename { session: session(of), name: name.to_owned() }.into()
}

pub fn change_folder(of: u128, folder: &str) -> Command {
    let folder = folder.to_owned();
    SessionCommand::ChangeFolder { session: session(of), folder, worktree: None }.into()
}

pub fn move_before(of: u128, before: Option<u128>) -> Command {
    SessionCommand::Move { session: session(of), before: before.map(session) }.into()
}

pub fn working(of: u128, working: bool) -> Command {
    SessionCommand::SetWorking { session: session(of), working }.into()
}

pub fn spoke(of: u128) -> Command {
    SessionCommand::NoteSpoke { session: session(of) }.into()
}

pub fn forget(of: u128) -> Command {
    SessionCommand::NoteForgotten { session: session(of) }.into()
}

pub fn delete(of: u128) -> Command {
    SessionCommand::Delete { session: session(of) }.into()
}

pub fn close_earlier_run(when: i64) -> Command {
    SessionCommand::CloseEarlierRun { at: at(when) }.into()
}

pub fn decide_approval(n: u128, decision: ApprovalDecision) -> Command {
    ApprovalCommand::Decide { approval: approval(n), decision, at: at(100) }.into()
}

/// Notes that the decision on an approval did not arrive.
pub fn decision_failed(n: u128) -> Command {
    ApprovalCommand::NoteNotDelivered { approval: approval(n), error: "gone".into() }.into()
}

pub fn retry(n: u128) -> Command {
    RequestCommand::Retry { request: request(n) }.into()
}

pub fn expire(n: u128, when: i64) -> Command {
    RequestCommand::Expire { request: request(n), at: at(when) }.into()
}

pub fn answer(n: u128, answers: Vec<AnswerInput>) -> Command {
    RequestCommand::Answer { request: request(n), answers, at: at(100) }.into()
}

pub fn decline(n: u128, words: Option<&str>) -> Command {
    RequestCommand::Decline { request: request(n), words: words.map(str::to_owned), at: at(100) }.into()
}

pub fn cancel(n: u128, reason: Option<&str>) -> Command {
    RequestCommand::Cancel { request: request(n), reason: reason.map(str::to_owned), at: at(100) }.into()
}

/// A message that closes every open question of its session.
pub fn reply_in_chat(of: u128, text: &str) -> Command {
    let requests = (0..100).map(request).collect();
    RequestCommand::ReplyInChat { session: session(of), requests, text: text.to_owned(), at: at(100) }.into()
}

pub fn queue(of: u128, n: u128, text: &str) -> Command {
    QueueCommand::Add { session: session(of), id: message(n), text: text.to_owned(), attachments: Vec::new() }
        .into()
}

pub fn edit_queued(of: u128, n: u128, text: &str) -> Command {
    QueueCommand::Edit { session: session(of), id: message(n), text: text.to_owned() }.into()
}

pub fn remove_queued(of: u128, n: u128) -> Command {
    QueueCommand::Remove { session: session(of), id: message(n) }.into()
}

pub fn begin_helper(of: u128, id: &'static str) -> Command {
    let (id, kind) = (HelperId::literal(id), HelperKind::Shell);
    HelperCommand::Begin { session: session(of), id, kind, title: "Run the tests".to_owned(), at: at(7) }
        .into()
}

pub fn end_helper(of: u128, id: &'static str) -> Command {
    HelperCommand::End { session: session(of), id: HelperId::literal(id) }.into()
}

pub fn set_helper(of: u128, id: &'static str, state: HelperState) -> Command {
    HelperCommand::SetState { session: session(of), id: HelperId::literal(id), state }.into()
}

/// Sends the oldest message, or one that the user wants to send now.
pub fn send_queued(of: u128, now: Option<u128>) -> Command {
    QueueCommand::Send { session: session(of), now: now.map(message) }.into()
}

pub fn withdraw(of: u128, n: u128, why: WithdrawnWhy) -> Command {
    RequestCommand::Withdraw {
        session: session(of),
        native_ref: native(&format!("call-{n}")),
        why,
        at: at(100),
    }
    .into()
}

pub fn withdraw_approval(n: u128) -> Command {
    let native_ref = native(&format!("approval-{n}"));
    RequestCommand::Withdraw { session: session(1), native_ref, why: WithdrawnWhy::ByAgent, at: at(50) }
        .into()
}

pub fn withdraw_all(of: u128, why: WithdrawnWhy) -> Command {
    RequestCommand::WithdrawAll { session: session(of), why, at: at(100) }.into()
}

pub fn note(n: u128, delivery: Delivery) -> Command {
    RequestCommand::NoteDelivery { request: request(n), call: None, delivery }.into()
}

/// Notes the delivery of an outcome to one of several calls.
pub fn note_call(n: u128, call: u128, delivery: Delivery) -> Command {
    RequestCommand::NoteDelivery {
        request: request(n),
        call: Some(native(&format!("call-{call}"))),
        delivery,
    }
    .into()
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

/// Notes that the outcome of request `n` is being sent to a call.
pub fn sending_to(n: u128, call: u128) -> Command {
    RequestCommand::NoteSending { request: request(n), call: native(&format!("call-{call}")) }.into()
}

pub fn resume(of: u128) -> Command {
    SessionCommand::Resume { session: session(of), at: at(350) }.into()
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
    RequestCommand::SendParked { session: session(of) }.into()
}

pub fn dismiss(n: u128) -> Command {
    RequestCommand::Dismiss { request: request(n), at: at(360) }.into()
}

pub fn close(of: u128) -> Command {
    SessionCommand::Close { session: session(of), at: at(370) }.into()
}

pub fn failed() -> Delivery {
    Delivery::Failed { error: "the pipe is full".into() }
}

pub fn end(of: u128, end: SessionEnd) -> Command {
    SessionCommand::End { session: session(of), end, at: at(300) }.into()
}

/// Decides a command and folds its events.
pub fn take(desk: &mut Desk, command: &Command) -> Result<Decision, Rejection> {
    let decision = decide(desk, command)?;
    for event in &decision.events {
        desk.fold(event);
    }
    Ok(decision)
}

/// Takes commands, each of which must be accepted.
#[track_caller]
pub fn take_all(desk: &mut Desk, commands: &[Command]) {
    for command in commands {
        take(desk, command).unwrap_or_else(|reject| panic!("{command:?}: {reject}"));
    }
}

/// The desk after these commands, each of which must be accepted. Each started agent reports its native session id at once.
pub fn desk(commands: &[Command]) -> Desk {
    let mut desk = Desk::default();
    for command in commands {
        take(&mut desk, command).unwrap_or_else(|reject| panic!("{command:?}: {reject}"));
        if let Command::Session(SessionCommand::Start { id, .. }) = command {
            let native_session = native_session(*id);
            desk.fold(&SessionEvent::NativeSessionKnown { session: *id, native_session }.into());
        }
    }
    desk
}

pub fn native_session(of: SessionId) -> NativeSession {
    NativeSession::new(format!("native-{of}")).unwrap()
}

/// The state of request `n`; see [`state`].
pub fn state_of(desk: &Desk, n: u128) -> String {
    state(desk.request(request(n)).unwrap())
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
    let name = |event| serde_json::to_value(event).unwrap()["event"].as_str().unwrap().to_owned();
    events.iter().map(name).collect()
}

pub fn ends_of(events: &[Event], id: RequestId) -> usize {
    let ends = |event: &&Event| matches!(event, Event::Request(RequestEvent::Ended { request, .. }) if *request == id);
    events.iter().filter(ends).count()
}
