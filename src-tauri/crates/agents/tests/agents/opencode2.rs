//! OpenCode 2's API, below `/api`: from recordings of the routes that 1.18.33 has already (with a mock of the model), and
//! what only 2.x has from reports.

use askdesk_agents::opencode::{ASK, MODEL, PERMISSIONS};
use askdesk_agents::{Action, AgentEvent, Open};
use askdesk_domain::{
    ApprovalDecision, ApprovalOptionId, Choices, NativeSession, OptionScope, Outcome, ToolDetail, ValueId,
};
use serde_json::{Value, json};

use crate::opencode::{answered, errors_of_turns};
use crate::support::opencode::{OpenCodeSession, PAGE, recording_in};

fn event(kind: &str, data: Value) -> Value {
    let id = format!("evt_{}", uuid::Uuid::new_v4());
    Value::from_iter(
        [("id", id.into()), ("type", kind.into()), ("data", data)]
            .map(|(name, value): (&str, Value)| (name.to_owned(), value)),
    )
}

fn agents(change: &str) -> Value {
    let rules = [("*", "allow"), ("edit", change), ("shell", change), ("webfetch", change)];
    let rule = |(action, effect)| json!({"action": action, "resource": "*", "effect": effect});
    json!({"data": [{"id": "build", "mode": "primary", "hidden": false, "permissions": rules.map(rule).to_vec()}]})
}

fn begin(how: Open, mut choices: Choices) -> OpenCodeSession {
    choices.extend([(MODEL, ValueId::literal("mock/mock"))]);
    OpenCodeSession::begin_on(vec![event("server.connected", json!({}))], how, &choices)
}

/// Answers what is asked before and beside a message.
fn serve(session: &mut OpenCodeSession, change: &str) {
    let models =
        json!({"data": [{"id": "mock", "providerID": "mock", "name": "Mock", "limit": {"context": 9}}]});
    for (to, body) in [
        ("GET /api/agent", agents(change)),
        ("GET /api/model", models.clone()),
        ("GET /api/model", models),
        ("GET /global/health", json!({"version": "1.18.33"})),
    ] {
        if session.waits_for(to) {
            session.respond(to, Ok(body));
        }
    }
}

/// Replays a recording in which a message was sent. Before each response `act` can do what the recording's user did.
fn replay(name: &str, mut act: impl FnMut(&mut OpenCodeSession, &str)) -> (OpenCodeSession, String) {
    let mut session = begin(Open::New, Choices::default());
    session.message("go");
    let mut id = String::new();
    for line in recording_in("opencode2", name) {
        if let Some(event) = line.get("event") {
            session.line(event);
            continue;
        }
        if let Some(gone) = line.get("gone") {
            id = gone.as_str().unwrap().to_owned();
            continue;
        }
        let to = line["response"]["to"].as_str().unwrap();
        act(&mut session, to);
        if session.waits_for(to) {
            session.respond(to, Ok(line["response"]["body"].clone()));
        }
        if to == "POST /api/session" {
            serve(&mut session, "allow");
            let id = line["response"]["body"]["data"]["id"].as_str().unwrap();
            session.respond(&format!("POST /api/session/{id}/agent"), Ok(Value::Null));
            let line = format!("POST /api/session/{id}/model");
            assert_eq!(session.sent(&line), [&json!({"model": {"id": "mock", "providerID": "mock"}})]);
            session.respond(&line, Ok(Value::Null));
        }
    }
    (session, id)
}

/// Says that no session works, until nobody asks.
fn rest(session: &mut OpenCodeSession) {
    for _ in 0..9 {
        if session.waits_for("GET /api/session/active") {
            session.respond("GET /api/session/active", Ok(json!({"data": {}})));
        }
    }
}

fn decide(session: &mut OpenCodeSession, option: &'static str, message: Option<&str>) {
    let asked = session.events.iter().find_map(|event| match event {
        AgentEvent::ApprovalAsked { native_ref, .. } => Some(native_ref.clone()),
        _ => None,
    });
    let message = message.map(str::to_owned);
    let decision = ApprovalDecision { message, ..ApprovalDecision::of(ApprovalOptionId::literal(option)) };
    session.act(Action::Decide { native_ref: asked.unwrap(), decision });
}

#[test]
fn case_137_a_question_is_answered_and_the_turn_ends_when_the_session_no_longer_works() {
    let (mut session, id) = replay("answer", |session, to| {
        if to.ends_with("/reply") {
            let outcome = answered(session, &[(&["SQLite"], None), (&["A"], Some("mine"))]);
            session.end_question(outcome);
            let sent = session.sent(to);
            assert_eq!(sent, [&json!({"answers": [["SQLite"], ["A", "mine"]]})]);
        }
    });
    assert_eq!(session.questions().len(), 1);
    assert_eq!(session.said(), ["Let me see.", "All right."]);
    assert_eq!(session.count(|event| matches!(event, AgentEvent::MessageTaken { .. })), 1);
    assert_eq!(session.count(|event| matches!(event, AgentEvent::Acknowledged { .. })), 1);
    assert_eq!(errors_of_turns(&session), [], "it may still work");
    session.respond("GET /api/session/active", Ok(json!({"data": {id: {"type": "running"}}})));
    assert_eq!(errors_of_turns(&session), []);
    rest(&mut session);
    assert_eq!(errors_of_turns(&session), [None]);
    assert!(session.invalid().is_empty(), "{:?}", session.invalid());
}

#[test]
fn case_137_a_declined_question_and_a_stop_end_the_turn() {
    let (mut session, _) = replay("reject", |session, to| {
        if to.ends_with("/reject") {
            session.end_question(Outcome::Declined { words: None });
        }
    });
    rest(&mut session);
    assert!(matches!(errors_of_turns(&session).as_slice(), [Some(words)] if words.contains("declined")));

    let (mut session, _) = replay("stop", |session, to| {
        if to.ends_with("/interrupt") {
            session.act(Action::Interrupt);
        }
    });
    rest(&mut session);
    assert_eq!(session.said(), ["word0 word1"]);
    assert_eq!(errors_of_turns(&session), [None]);
}

#[test]
fn case_137_a_refusals_words_reach_the_model_as_a_message_that_is_not_the_users() {
    let (mut session, id) = replay("refuse_words", |session, to| {
        if to.ends_with("/reply") {
            decide(session, "reject", Some("not there"));
        }
    });
    let prompts = session.sent(&format!("POST /api/session/{id}/prompt"));
    let [first, words] = prompts.as_slice() else { panic!("{prompts:?}") };
    assert_eq!(first["prompt"]["text"], "go");
    assert!(words["prompt"]["text"].as_str().unwrap().ends_with("said: not there"), "{words}");
    rest(&mut session);
    assert_eq!(session.count(|event| matches!(event, AgentEvent::MessageTaken { .. })), 1);
    let asked = session.events.iter().find_map(|event| match event {
        AgentEvent::ApprovalAsked { subject, options, .. } => Some((subject, options)),
        _ => None,
    });
    let (ToolDetail::Command { command, .. }, options) = asked.unwrap() else { panic!("{asked:?}") };
    assert_eq!(command, "touch made.txt");
    assert_eq!(options[1].scope, Some(OptionScope::Local), "it is saved");
}

#[test]
fn case_137_a_message_that_the_server_drops_is_said_to_be_dropped() {
    let (mut session, _) = replay("nomodel", |_, _| {});
    rest(&mut session);
    assert!(
        matches!(errors_of_turns(&session).as_slice(), [Some(words)] if words.contains("did nothing with it"))
    );
}

#[test]
fn case_137_a_message_waits_until_its_model_is_listed() {
    let mut session = begin(Open::New, Choices::default());
    session.message("go");
    session.respond("POST /api/session", Ok(json!({"data": {"id": "ses_1"}})));
    session.respond("GET /api/agent", Ok(agents("allow")));
    // The list of the config option, and that of the message.
    session.respond("GET /api/model", Ok(json!({"data": []})));
    session.respond("GET /api/model", Ok(json!({"data": []})));
    assert!(session.sent("POST /api/session/ses_1/model").is_empty());
    serve(&mut session, "allow");
    session.respond("POST /api/session/ses_1/model", Ok(Value::Null));
    assert_eq!(session.sent("POST /api/session/ses_1/prompt").len(), 1);
}

fn asking(how: Open) -> OpenCodeSession {
    begin(how, [(PERMISSIONS, ASK)].into_iter().collect())
}

#[test]
fn case_108_a_session_that_asks_does_not_start_where_an_agent_would_not_ask() {
    let mut session = asking(Open::New);
    session.message("go");
    session.respond("POST /api/session", Ok(json!({"data": {"id": "ses_1"}})));
    // The folder is not loaded yet.
    session.respond("GET /api/agent", Ok(json!({"data": []})));
    serve(&mut session, "allow");
    let errors = errors_of_turns(&session);
    assert!(
        matches!(errors.as_slice(), [Some(words)] if words.contains("build. Nothing was sent")),
        "{errors:?}"
    );
    session.message("again");
    serve(&mut session, "allow");
    assert_eq!(errors_of_turns(&session).len(), 2);
    assert!(session.sent("POST /api/session/ses_1/model").is_empty());
    session.message("again, with another configuration");
    serve(&mut session, "ask");
    assert_eq!(session.sent("POST /api/session/ses_1/model").len(), 1);
}

#[test]
fn case_108_a_resumed_session_asks_as_its_agents_do() {
    let mut session = asking(Open::Resume { native_session: NativeSession::literal("ses_1") });
    session.message("go");
    let found = json!({"id": "ses_1", "location": {"directory": "/proj"}});
    session.respond("GET /api/session/ses_1", Ok(json!({"data": found})));
    session.respond("GET /api/session/ses_1/message", Ok(json!({"data": []})));
    serve(&mut session, "ask");
    assert_eq!(errors_of_turns(&session), []);
    serve(&mut session, "ask");
    assert_eq!(session.sent("POST /api/session/ses_1/model").len(), 1);
}

/// A session of 2.x whose turn runs.
fn working_2() -> OpenCodeSession {
    let connected = event("server.connected", json!({}));
    let info = [("GET /api/info", json!({"version": "2.3.2"}))];
    let mut session = OpenCodeSession::begin_answered(vec![connected], &info, Open::New, &Choices::default());
    session.respond("POST /api/session", Ok(json!({"data": {"id": "ses_1"}})));
    session.line(&event("session.execution.started", json!({"sessionID": "ses_1"})));
    session
}

fn form() -> Value {
    let option =
        |label: &str, value: &str| json!({"label": label, "value": value, "description": "As it is"});
    let fields = json!([
        {"key": "q0", "type": "string", "title": "Store", "description": "Which store?", "required": true,
            "options": [option("SQLite", "sqlite"), option("PostgreSQL", "pg")], "custom": true},
        {"key": "q1", "type": "multiselect", "title": "Which parts?", "options": [option("A", "a"), option("B", "b")]},
        {"key": "q2", "type": "string", "title": "Anything else?"},
        {"key": "q3", "type": "integer", "title": "How many?"},
        {"key": "q4", "type": "boolean", "title": "Now?"},
        {"key": "q5", "type": "string", "title": "Which port?",
            "when": [{"key": "q0", "op": "eq", "value": "pg"}]},
        {"key": "q6", "type": "string", "title": "Which file?",
            "when": [{"key": "q0", "op": "neq", "value": "pg"}]},
        {"key": "q7", "type": "string", "hidden": true, "default": "x"},
        {"key": "q8", "type": "external", "url": "https://example.org"},
    ]);
    json!({"id": "frm_1", "sessionID": "ses_1", "title": "Questions", "fields": fields,
        "metadata": {"kind": "question", "tool": {"messageID": "msg_1", "id": "call_1"}}})
}

const FORM_REPLY: &str = "POST /api/session/ses_1/form/frm_1/reply";

#[test]
fn case_137_a_form_of_2_x_is_a_question_and_its_execution_the_turn() {
    let mut session = working_2();
    session.line(&event("form.created", json!({"form": form()})));
    let questions = session.questions();
    let asked: Vec<_> =
        questions[0].1.iter().map(|it| (it.text.as_str(), it.options.len(), it.required)).collect();
    let expected = [
        ("Which store?", 2, true),
        ("Which parts?", 2, false),
        ("Anything else?", 0, false),
        ("How many?", 0, false),
        ("Now?", 2, false),
        ("Which port?", 0, false),
        ("Which file?", 0, false),
    ];
    assert_eq!(asked, expected);
    let answers: [(&[&str], Option<&str>); 7] = [
        (&["SQLite"], None),
        (&["A", "B"], Some("mine")),
        (&[], None),
        (&[], Some("3")),
        (&["Yes"], None),
        (&[], Some("5432")),
        (&[], Some("notes.db")),
    ];
    let outcome = answered(&session, &answers);
    session.end_question(outcome);
    let answer = json!({"q0": "sqlite", "q1": ["a", "b", "mine"], "q3": 3, "q4": true, "q6": "notes.db"});
    assert_eq!(session.sent(FORM_REPLY), [&json!({"answer": answer})]);
    session.respond(FORM_REPLY, Ok(Value::Null));
    let ended = json!({"id": "frm_1", "sessionID": "ses_1", "answer": answer});
    session.line(&event("form.replied", ended));
    assert_eq!(session.count(|event| matches!(event, AgentEvent::Acknowledged { .. })), 1);
    session.line(&event("session.execution.succeeded", json!({"sessionID": "ses_1"})));
    assert_eq!(errors_of_turns(&session), [None]);
    assert!(session.invalid().is_empty(), "{:?}", session.invalid());
}

#[test]
fn case_137_a_form_that_somebody_else_answered_is_withdrawn() {
    let mut session = working_2();
    session.line(&event("form.created", json!({"form": form()})));
    let answer = json!({"id": "frm_1", "sessionID": "ses_1", "answer": {"q0": "pg"}});
    session.line(&event("form.replied", answer));
    assert_eq!(session.count(|event| matches!(event, AgentEvent::Withdrawn { .. })), 1);
    assert_eq!(session.count(|event| matches!(event, AgentEvent::Acknowledged { .. })), 0);
}

#[test]
fn case_137_a_declined_form_is_cancelled_and_ends_the_turn() {
    let mut session = working_2();
    session.line(&event("form.created", json!({"form": form()})));
    session.end_question(Outcome::Declined { words: None });
    session.respond("DELETE /api/session/ses_1/form/frm_1", Ok(Value::Null));
    session.respond("POST /api/session/ses_1/interrupt", Ok(json!({"interrupted": true})));
    session.line(&event("form.cancelled", json!({"id": "frm_1", "sessionID": "ses_1"})));
    session.line(&event("session.execution.interrupted", json!({"sessionID": "ses_1", "reason": "user"})));
    assert_eq!(session.count(|event| matches!(event, AgentEvent::Acknowledged { .. })), 1);
    assert!(matches!(errors_of_turns(&session).as_slice(), [Some(words)] if words.contains("declined")));
}

#[test]
fn case_137_what_the_stream_of_2_x_lost_is_read_anew() {
    let mut session = working_2();
    // Its beginning; the form was created while the stream was broken.
    session.line(&event("server.connected", json!({})));
    // Whether it still works is asked twice.
    for _ in 0..2 {
        session.respond("GET /api/session/active", Ok(json!({"data": {"ses_1": {"type": "running"}}})));
    }
    session.respond("GET /api/form/request", Ok(json!({"data": [form()]})));
    assert_eq!(session.questions()[0].1.len(), 7);
    let said = json!({"id": "msg_1", "type": "assistant", "time": {"created": 1, "completed": 2},
        "content": [{"type": "text", "text": "Hello."}]});
    session.respond("GET /api/session/ses_1/message", Ok(json!({"data": [said]})));
    let ended = json!({"sessionID": "ses_1", "assistantMessageID": "msg_1", "ordinal": 0, "text": "Hello."});
    session.line(&event("session.text.ended", ended));
    assert_eq!(session.said(), ["Hello."], "once");
}

#[test]
fn case_137_a_route_that_is_answered_with_a_page_is_said_to_be_missing() {
    let mut session =
        begin(Open::Resume { native_session: NativeSession::literal("ses_1") }, Choices::default());
    session.respond("GET /api/session/ses_1", Ok(json!(PAGE)));
    let unknown = session.count(|event| matches!(event, AgentEvent::SessionUnknown { .. }));
    assert_eq!(unknown, 1);
}
