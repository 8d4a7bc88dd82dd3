//! What OpenCode's events mean, from recordings of the real program (1.18.33) with a mock of the model.

use askdesk_agents::{Action, Adapter, AgentEvent, EncodeError, InputError, RpcError};
use askdesk_domain::{
    AnswerInput, Answers, ApprovalDecision, ApprovalOptionId, ApprovalOptionKind, CallArgument, ContextUse,
    Notice, OptionLabel, OptionScope, Outcome, QuestionKind, TodoItem, TodoStatus, ToolDetail, ToolRule, Usd,
};
use rstest::rstest;
use serde_json::{Value, json};

use crate::support::opencode::{OpenCodeSession, kinds};

const ALL: [&str; 12] = [
    "abort",
    "ask",
    "compact",
    "error",
    "image",
    "permission",
    "permission_reject",
    "queue",
    "reject",
    "subagent",
    "todo",
    "two",
];

fn busy(session: &str) -> Value {
    json!({session: {"type": "busy"}})
}

fn idle(session: &mut OpenCodeSession, id: &str) {
    session.event("session.status", json!({"sessionID": id, "status": {"type": "idle"}}));
    session.event("session.idle", json!({"sessionID": id}));
}

fn question(session: &str, id: &str) -> Value {
    json!({"id": id, "sessionID": session, "questions": [{"question": "Which one?", "header": "Auth",
        "options": [{"label": "JWT", "description": "Stateless"}, {"label": "OAuth", "description": "Delegated"}]}],
        "tool": {"messageID": "msg_1", "callID": "call_1"}})
}

fn tool_of_question(session: &str, status: &str) -> Value {
    json!({"sessionID": session, "part": {"id": "prt_1", "sessionID": session, "messageID": "msg_1", "type": "tool",
        "tool": "question", "callID": "call_1", "state": {"status": status, "input": {}}}})
}

pub fn connection_reset() -> RpcError {
    RpcError { code: -32_603, message: "connection reset".to_owned(), data: None }
}

/// Responds to everything that is read after a connection, of a session that works.
fn read_anew(session: &mut OpenCodeSession, questions: Result<Value, RpcError>) {
    session.respond("GET /session/ses_1/children", Ok(json!([])));
    session.respond("GET /session/status", Ok(busy("ses_1")));
    session.respond("GET /question", questions);
    session.respond("GET /permission", Ok(json!([])));
    session.respond("GET /session/ses_1/message", Ok(json!([])));
}

pub fn answered(session: &OpenCodeSession, of: &[(&[&str], Option<&str>)]) -> Outcome {
    let (_, questions) = session.questions().pop().unwrap();
    let inputs = questions.iter().zip(of).map(|(question, (labels, other))| {
        let chosen = question.options.iter().filter(|it| labels.contains(&it.label.as_str()));
        let chosen = chosen.map(|it| it.id).collect();
        AnswerInput { question: question.id, chosen, other: other.map(str::to_owned), note: None }
    });
    let answers = Answers::check(&questions, &inputs.collect::<Vec<_>>()).unwrap();
    Outcome::Answered { answers }
}

pub fn errors_of_turns(session: &OpenCodeSession) -> Vec<Option<&str>> {
    let ended = session.events.iter().filter_map(|event| match event {
        AgentEvent::TurnEnded { error, .. } => Some(error.as_deref()),
        _ => None,
    });
    ended.collect()
}

#[test]
fn the_title_of_the_session_is_told_once_and_a_placeholder_never() {
    let mut session = OpenCodeSession::working("ses_1");
    for (id, title) in [
        ("ses_1", "New session - 2026-11-27T10:00:00.000Z"),
        ("ses_1", "Fixing the login"),
        ("ses_1", "Fixing the login"),
        ("ses_other", "Something else"),
        ("ses_1", "Fixing the login and the tests"),
    ] {
        session.event("session.updated", json!({"sessionID": id, "info": {"id": id, "title": title}}));
    }
    let titles: Vec<_> = session
        .events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::Titled { title } => Some(title.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(titles, ["Fixing the login", "Fixing the login and the tests"]);
}

#[test]
fn every_line_of_the_recordings_is_understood() {
    let mut lines = 0;
    for name in ALL {
        let session = OpenCodeSession::replay(name, |_, _| {});
        assert_eq!(session.invalid(), Vec::<&InputError>::new(), "{name}");
        lines += kinds(name).values().sum::<usize>();
    }
    assert!(lines > 400, "only {lines} events were replayed");
}

#[test]
fn questions_become_a_card_and_the_reply_is_the_labels_and_the_users_words() {
    let session = OpenCodeSession::replay("ask", |session, to| {
        if to.starts_with("POST /question/")
            && session.count(|it| matches!(it, AgentEvent::TurnEnded { .. })) == 0
        {
            let outcome = answered(session, &[(&["JWT"], None), (&["Dark mode"], Some("own words"))]);
            session.end_question(outcome);
        }
    });
    let [(native_ref, questions)] = &session.questions()[..] else { panic!("{:?}", session.events) };
    assert!(native_ref.as_str().starts_with("que_"));
    assert_eq!(
        questions.iter().map(|it| it.kind).collect::<Vec<_>>(),
        [QuestionKind::Single, QuestionKind::Multi]
    );
    let reply = session.sent(&format!("POST /question/{native_ref}/reply"));
    assert_eq!(reply, [&json!({"answers": [["JWT"], ["Dark mode", "own words"]]})]);
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Acknowledged { .. })), 1);
    assert_eq!(session.said(), ["I have questions.", "All right."]);
    let place = |is: fn(&AgentEvent) -> bool| session.events.iter().position(is);
    let said = place(|it| matches!(it, AgentEvent::Said { .. }));
    assert!(
        said < place(|it| matches!(it, AgentEvent::Asked(_))),
        "the words before the question come first"
    );
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Thought { .. })), 1);
    assert_eq!(
        session.count(|it| matches!(it, AgentEvent::ToolStarted { .. })),
        0,
        "the card is not a tool call too"
    );
    assert_eq!(session.count(|it| matches!(it, AgentEvent::MessageTaken { .. })), 1);
    let usage = session.events.iter().find_map(|event| match event {
        AgentEvent::TurnEnded { usage, millis, error: None } if *millis > 0 => Some(*usage),
        _ => None,
    });
    let usage = usage.expect("the turn ended");
    assert_eq!((usage.input_tokens, usage.output_tokens, usage.cost), (20, 20, Usd::new(0.00006)));
    assert_eq!(usage.context, Some(ContextUse { used: 20, size: 200_000 }));
}

#[test]
fn a_declined_question_ends_the_turn_and_the_user_learns_why() {
    let session = OpenCodeSession::replay("reject", |session, to| {
        if to.ends_with("/reject") {
            session.end_question(Outcome::Declined { words: None });
        }
    });
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Acknowledged { .. })), 1);
    let [Some(error)] = errors_of_turns(&session)[..] else { panic!("{:?}", session.events) };
    assert!(error.contains("declined"), "{error}");
}

#[test]
fn words_of_a_refusal_and_a_message_instead_of_an_answer_follow_the_end_of_the_turn() {
    for (outcome, chat, expected) in [
        (Outcome::Declined { words: Some("Not now.".to_owned()) }, None, "The user said: Not now."),
        (Outcome::RepliedInChat { text: "Use neither.".to_owned() }, Some("Use neither."), "Use neither."),
    ] {
        let mut session = OpenCodeSession::working("ses_1");
        session.event("question.asked", question("ses_1", "que_1"));
        session.end_question(outcome);
        if let Some(chat) = chat {
            session.message(chat);
        }
        assert_eq!(session.sent("POST /question/que_1/reject"), [&Value::Null]);
        assert_eq!(
            session.sent("POST /session/ses_1/prompt_async").len(),
            1,
            "only the first message was sent"
        );
        session.event("question.rejected", json!({"sessionID": "ses_1", "requestID": "que_1"}));
        idle(&mut session, "ses_1");
        assert_eq!(errors_of_turns(&session), [None]);
        let prompts = session.sent("POST /session/ses_1/prompt_async");
        assert_eq!(prompts.len(), 2);
        assert!(prompts[1]["parts"][0]["text"].as_str().unwrap().contains(expected), "{prompts:?}");
    }
}

#[test]
fn an_aborted_turn_closes_its_questions_and_a_reply_to_one_of_them_is_refused() {
    let session = OpenCodeSession::replay("abort", |session, to| match to {
        _ if to.ends_with("/abort") => session.act(Action::Interrupt),
        _ => {}
    });
    let (native_ref, questions) = session.questions().remove(0);
    let gone =
        session.events.iter().position(|it| *it == AgentEvent::Withdrawn { native_ref: native_ref.clone() });
    assert!(gone.is_some(), "{:?}", session.events);
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Acknowledged { .. })), 0);
    assert_eq!(errors_of_turns(&session), [None, None]);
    assert_eq!(session.said(), ["again"]);
    let mut session = session;
    let outcome = Outcome::Declined { words: None };
    let answer = Action::Answer { native_ref, questions, outcome };
    assert!(Adapter::send(&mut session.adapter, answer).is_err());
}

#[test]
fn permissions_are_shown_with_what_would_happen_and_decided_as_chosen() {
    let mut decisions = ["once", "reject", "once", "always"].into_iter();
    let session = OpenCodeSession::replay("permission", |session, to| {
        if to.starts_with("POST /permission/") {
            let native_ref = session.events.iter().rev().find_map(|event| match event {
                AgentEvent::ApprovalAsked { native_ref, .. } => Some(native_ref.clone()),
                _ => None,
            });
            let option = ApprovalOptionId::literal(decisions.next().unwrap());
            let message = (option.as_str() == "reject").then(|| "Not that.".to_owned());
            let decision = ApprovalDecision { message, ..ApprovalDecision::of(option) };
            session.act(Action::Decide { native_ref: native_ref.unwrap(), decision });
        }
    });
    let asked: Vec<_> = session
        .events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::ApprovalAsked { title, subject, options, .. } => {
                Some((title.as_str(), subject, options))
            }
            _ => None,
        })
        .collect();
    assert_eq!(asked.iter().map(|it| it.0).collect::<Vec<_>>(), ["bash", "bash", "edit", "bash"]);
    let command = ToolDetail::Command { command: "rm -r notes".to_owned(), description: None };
    assert_eq!(*asked[1].1, command);
    let edit =
        ToolDetail::Edit { path: "/proj/a.txt".to_owned(), diff: "@@ -0,0 +1,1 @@\n+one\n".to_owned() };
    assert_eq!(*asked[2].1, edit);
    let kinds: Vec<_> = asked[0].2.iter().map(|option| option.kind).collect();
    let expected =
        [ApprovalOptionKind::AllowOnce, ApprovalOptionKind::AllowAlways, ApprovalOptionKind::RejectOnce];
    assert_eq!(kinds, expected);
    assert_eq!(asked[0].2[1].scope, Some(OptionScope::Server));
    let replies: Vec<_> =
        session.requests.iter().filter(|(to, _)| to.starts_with("POST /permission/")).collect();
    let replies: Vec<&Value> = replies.into_iter().map(|(_, body)| body).collect();
    let rejected = json!({"reply": "reject", "message": "Not that."});
    let (once, always) = (json!({"reply": "once"}), json!({"reply": "always"}));
    assert_eq!(replies, [&once, &rejected, &once, &always]);
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Withdrawn { .. })), 0);
    let ended: Vec<bool> = session
        .events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::ToolEnded { ok, .. } => Some(*ok),
            _ => None,
        })
        .collect();
    assert_eq!(ended, [true, false, true, true]);
}

/// A permission request for a tool of a server, as the real program sends it, and the message with its call.
fn call_of_server(status: &str, input: &Value) -> (Value, Value) {
    let tool = json!({"messageID": "msg_1", "callID": "call_1"});
    let request = json!({"id": "per_1", "sessionID": "ses_1", "permission": "my_desk_form", "patterns": ["*"],
        "metadata": {}, "always": ["*"], "tool": tool});
    let part = json!({"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "tool",
        "tool": "my_desk_form", "callID": "call_1", "state": {"status": status, "input": input}});
    (request, json!({"info": {"id": "msg_1"}, "parts": [part]}))
}

const MESSAGE: &str = "GET /session/ses_1/message/msg_1";

#[rstest]
#[case::known(Ok(call_of_server("running", &json!({"n": 1})).1), "{\n  \"n\": 1\n}")]
#[case::without_input(Ok(call_of_server("running", &json!({})).1), "")]
#[case::not_known_yet(Ok(call_of_server("pending", &json!({})).1), "{\n  \"patterns\": [\n    \"*\"\n  ],\n  \"metadata\": {}\n}")]
#[case::gone(Err(connection_reset()), "{\n  \"patterns\": [\n    \"*\"\n  ],\n  \"metadata\": {}\n}")]
fn a_permission_for_a_tool_of_a_server_shows_the_input_of_its_call(
    #[case] message: Result<Value, RpcError>,
    #[case] expected: &str,
) {
    let mut session = OpenCodeSession::working("ses_1");
    session.respond(
        "GET /mcp",
        Ok(json!({"desk": {"status": "connected"}, "my desk": {"status": "connected"}})),
    );
    let (request, _) = call_of_server("running", &json!({}));
    session.event("permission.asked", request.clone());
    assert_eq!(session.count(|it| matches!(it, AgentEvent::ApprovalAsked { .. })), 0);
    session.respond(MESSAGE, message);
    session.event("permission.asked", request);
    let asked = session.events.iter().filter_map(|event| match event {
        AgentEvent::ApprovalAsked { title, subject, call, options, .. } => {
            Some((title, subject, call, options))
        }
        _ => None,
    });
    let asked: Vec<_> = asked.collect();
    let [(title, subject, Some(call), options)] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(title.as_str(), "mcp__my_desk__form");
    assert_eq!(**subject, ToolDetail::Other { input: expected.to_owned() });
    // Rules know it by OpenCode's name, too. What they would compare is not in the request.
    assert_eq!(call.tools, ["my_desk_form", "My_desk_form", "mcp__my_desk__form"]);
    assert_eq!(call.arguments, [CallArgument::Uncompared]);
    let rule = OptionLabel::Tool { tool: title.to_string(), content: None, behavior: ToolRule::Allow };
    assert_eq!(options[1].label, rule);
}

#[test]
fn a_permission_that_ended_before_its_call_was_read_is_not_shown() {
    let mut session = OpenCodeSession::working("ses_1");
    let (request, message) = call_of_server("running", &json!({"n": 1}));
    session.event("permission.asked", request);
    session.event("permission.replied", json!({"sessionID": "ses_1", "requestID": "per_1", "reply": "once"}));
    session.respond(MESSAGE, Ok(message));
    assert_eq!(session.count(|it| matches!(it, AgentEvent::ApprovalAsked { .. })), 0);
}

#[test]
fn case_66_only_what_was_offered_can_be_decided() {
    let mut session = OpenCodeSession::working("ses_1");
    let asked = json!({"id": "per_9", "sessionID": "ses_1", "permission": "bash", "patterns": ["rm -r notes"],
        "metadata": {"command": "rm -r notes"}, "always": ["rm *"], "tool": {"messageID": "msg_1", "callID": "call_9"}});
    session.event("permission.asked", asked);
    let Some(AgentEvent::ApprovalAsked { native_ref, .. }) = session.events.last().cloned() else {
        panic!("{:?}", session.events)
    };
    let decision = ApprovalDecision::of(ApprovalOptionId::literal("juggle"));
    let other = Adapter::send(&mut session.adapter, Action::Decide { native_ref, decision });
    assert!(matches!(other, Err(EncodeError::Unsupported { .. })), "{other:?}");
}

#[test]
fn a_rejected_permission_closes_the_others_of_its_turn() {
    let session = OpenCodeSession::replay("permission_reject", |session, to| {
        if to.starts_with("POST /permission/") && errors_of_turns(session).is_empty() {
            let native_ref = session.events.iter().find_map(|event| match event {
                AgentEvent::ApprovalAsked { native_ref, .. } => Some(native_ref.clone()),
                _ => None,
            });
            let decision = ApprovalDecision::of(ApprovalOptionId::literal("reject"));
            session.act(Action::Decide { native_ref: native_ref.unwrap(), decision });
        }
    });
    assert_eq!(session.count(|it| matches!(it, AgentEvent::ApprovalAsked { .. })), 2);
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Withdrawn { .. })), 1);
}

#[test]
fn several_requests_are_open_at_once() {
    let session = OpenCodeSession::replay("two", |_, _| {});
    let opens =
        |event: &&AgentEvent| matches!(event, AgentEvent::Asked(_) | AgentEvent::ApprovalAsked { .. });
    let ends = |event: &AgentEvent| matches!(event, AgentEvent::Withdrawn { .. });
    let first_end = session.events.iter().position(ends).unwrap();
    assert_eq!(session.events[..first_end].iter().filter(opens).count(), 3);
}

#[test]
fn what_a_subagent_asks_and_does_belongs_to_its_session_and_its_end_is_not_the_turns() {
    let session = OpenCodeSession::replay("subagent", |_, _| {});
    let asker = session.events.iter().find_map(|event| match event {
        AgentEvent::ApprovalAsked { helper, asked_by, .. } => Some((helper.is_some(), asked_by.as_deref())),
        _ => None,
    });
    assert_eq!(asker, Some((true, Some("general"))));
    let tools: Vec<&str> = session
        .events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::ToolStarted { name, .. } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(tools, ["task", "bash"]);
    assert_eq!(session.said(), ["Main done."]);
    assert_eq!(errors_of_turns(&session), [None]);
}

#[test]
fn todos_are_the_plan_and_a_failed_tool_says_why() {
    let session = OpenCodeSession::replay("todo", |_, _| {});
    let item = |text: &str, status| TodoItem { text: text.to_owned(), status };
    let items = vec![item("One", TodoStatus::Done), item("Two", TodoStatus::InProgress)];
    assert_eq!(session.count(|it| *it == AgentEvent::PlanChanged { items: items.clone() }), 1);
    let failed = session.events.iter().find_map(|event| match event {
        AgentEvent::ToolEnded { ok: false, output, .. } => Some(output.as_str()),
        _ => None,
    });
    assert_eq!(failed, Some("File not found: /proj/missing.txt"));
}

#[test]
fn a_compaction_is_a_notice_and_its_summary_is_not_said() {
    let session = OpenCodeSession::replay("compact", |_, _| {});
    assert_eq!(session.count(|it| *it == AgentEvent::Noticed { notice: Notice::Compacted }), 1);
    assert_eq!(session.said(), ["One thing."]);
    assert_eq!(errors_of_turns(&session), [None, None]);
}

#[test]
fn an_error_ends_the_turn_once_in_the_agents_words() {
    let session = OpenCodeSession::replay("error", |_, _| {});
    assert_eq!(
        errors_of_turns(&session),
        [Some("Model not found: nope/nope. Did you mean: standardcompute?")]
    );
}

#[test]
fn a_message_into_a_running_turn_is_taken_up_and_the_turn_goes_on() {
    let session = OpenCodeSession::replay("queue", |session, to| {
        if to.ends_with("/prompt_async") && session.count(|it| matches!(it, AgentEvent::TextDelta { .. })) > 0
        {
            session.message("Two.");
        }
    });
    assert_eq!(session.count(|it| matches!(it, AgentEvent::MessageTaken { .. })), 2);
    assert_eq!(session.said(), ["First  more", "Second"]);
    assert_eq!(errors_of_turns(&session), [None]);
}

#[rstest]
#[case("Before. After.", &["Before.", "After."])]
#[case("Before. ", &["Before."])]
#[case("Lost. Before. After.", &["Before.", "Lost. Before. After."])]
fn a_text_that_goes_on_after_a_question_is_said_to_its_end(#[case] whole: &str, #[case] said: &[&str]) {
    let mut session = OpenCodeSession::working("ses_1");
    let part = |text: &str, time: Value| {
        json!({"sessionID": "ses_1", "part": {"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "text",
            "text": text, "time": time}})
    };
    let delta = |words: &str| json!({"sessionID": "ses_1", "messageID": "msg_1", "partID": "prt_1", "field": "text", "delta": words});
    session.event("message.part.updated", part("", json!({"start": 1})));
    session.event("message.part.delta", delta("Before. "));
    session.event("question.asked", question("ses_1", "que_1"));
    assert_eq!(session.said(), ["Before."]);
    session.event("message.part.updated", part(whole, json!({"start": 1, "end": 2})));
    assert_eq!(session.said(), said);
}

#[test]
fn an_event_that_arrives_twice_counts_once() {
    let mut session = OpenCodeSession::working("ses_1");
    let part = json!({"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "text", "text": "",
        "time": {"start": 1}});
    session.event("message.part.updated", json!({"sessionID": "ses_1", "part": part}));
    let delta = json!({"id": "evt_1", "type": "message.part.delta", "properties": {"sessionID": "ses_1",
        "messageID": "msg_1", "partID": "prt_1", "field": "text", "delta": "Hello"}});
    session.line(&json!({"payload": delta}));
    session.line(&json!({"payload": delta}));
    session.line(&delta);
    assert_eq!(session.count(|it| matches!(it, AgentEvent::TextDelta { .. })), 1);
}

#[test]
fn case_70_after_a_reconnection_open_requests_are_read_anew_and_shown_once() {
    let mut session = OpenCodeSession::working("ses_1");
    let reconnect = |session: &mut OpenCodeSession, questions: Value| {
        session.event("server.connected", json!({}));
        read_anew(session, Ok(questions));
    };
    let open = json!([question("ses_1", "que_1"), question("ses_else", "que_2")]);
    reconnect(&mut session, open.clone());
    session.event("question.asked", question("ses_1", "que_1"));
    reconnect(&mut session, open);
    assert_eq!(session.questions().len(), 1);
    reconnect(&mut session, json!([]));
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Withdrawn { .. })), 1);
    reconnect(&mut session, json!([question("ses_1", "que_1")]));
    assert_eq!(session.questions().len(), 1, "a list from before its end opens it again");
}

fn heartbeats(session: &mut OpenCodeSession, count: usize) {
    for _ in 0..count {
        session.event("server.heartbeat", json!({}));
    }
}

#[test]
fn in_a_silent_turn_open_requests_are_read_anew_at_heartbeats() {
    let mut session = OpenCodeSession::working("ses_1");
    let permission = json!({"id": "per_1", "sessionID": "ses_1", "permission": "bash", "patterns": ["ls"],
        "metadata": {"command": "ls"}, "always": []});
    heartbeats(&mut session, 1);
    session.respond("GET /session/ses_1/children", Ok(json!([])));
    session.respond("GET /session/status", Ok(busy("ses_1")));
    session.respond("GET /question", Ok(json!([question("ses_1", "que_1")])));
    // What comes by the stream while the lists are on their way isn't in them.
    session.event("question.asked", question("ses_1", "que_2"));
    session.respond("GET /permission", Ok(json!([permission])));
    session.respond("GET /session/ses_1/message", Ok(json!([])));
    assert_eq!(session.questions().len(), 2);
    assert_eq!(session.count(|it| matches!(it, AgentEvent::ApprovalAsked { .. })), 1);
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Withdrawn { .. })), 0);
}

#[test]
fn in_a_silent_turn_an_end_that_was_not_told_is_noticed() {
    let mut session = OpenCodeSession::working("ses_1");
    session.event("question.asked", question("ses_1", "que_1"));
    heartbeats(&mut session, 1);
    session.respond("GET /session/ses_1/children", Ok(json!([])));
    session.respond("GET /session/status", Ok(json!({})));
    session.respond("GET /question", Ok(json!([])));
    session.respond("GET /permission", Ok(json!([])));
    session.respond("GET /session/ses_1/message", Ok(json!([])));
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Withdrawn { .. })), 1);
    assert_eq!(errors_of_turns(&session), [None]);
}

#[test]
fn a_turn_that_began_after_the_lists_were_read_is_not_ended_by_them() {
    let mut session = OpenCodeSession::working("ses_1");
    heartbeats(&mut session, 1);
    session.respond("GET /session/ses_1/children", Ok(json!([])));
    session.respond("GET /session/status", Ok(json!({})));
    idle(&mut session, "ses_1");
    session.event("session.status", json!({"sessionID": "ses_1", "status": {"type": "busy"}}));
    session.respond("GET /question", Ok(json!([])));
    session.respond("GET /permission", Ok(json!([])));
    session.respond("GET /session/ses_1/message", Ok(json!([])));
    assert_eq!(errors_of_turns(&session).len(), 1, "only the turn that the stream ended");
}

#[test]
fn a_long_silence_is_read_less_often_and_outside_a_turn_nothing_is_read() {
    let mut session = OpenCodeSession::working("ses_1");
    let reads = |session: &OpenCodeSession| session.sent("GET /question").len();
    let mut read_at = Vec::new();
    for beat in 1..=24 {
        let before = reads(&session);
        heartbeats(&mut session, 1);
        if reads(&session) > before {
            read_at.push(beat);
            heartbeats(&mut session, 1);
            assert_eq!(reads(&session), before + 1, "the lists are still on their way");
            read_anew(&mut session, Ok(json!([])));
        }
    }
    assert_eq!(read_at, [1, 2, 4, 8, 16, 24]);
    session.event("session.status", json!({"sessionID": "ses_1", "status": {"type": "busy"}}));
    let before = reads(&session);
    heartbeats(&mut session, 1);
    assert_eq!(reads(&session), before + 1, "it begins anew after something was heard");
    read_anew(&mut session, Ok(json!([])));
    idle(&mut session, "ses_1");
    heartbeats(&mut session, 4);
    assert_eq!(reads(&session), before + 1);
}

#[test]
fn a_turn_that_ended_during_a_break_of_the_stream_is_caught_up() {
    let mut session = OpenCodeSession::working("ses_1");
    session.event("question.asked", question("ses_1", "que_1"));
    let outcome = answered(&session, &[(&["JWT"], None)]);
    session.end_question(outcome);
    session.event("server.connected", json!({}));
    session.respond("GET /session/ses_1/children", Ok(json!([])));
    session.respond("GET /session/status", Ok(json!({})));
    // The server lists questions of ended turns.
    session.respond("GET /question", Ok(json!([question("ses_1", "que_9")])));
    session.respond("GET /permission", Ok(json!([])));
    let messages = json!([{"info": {"id": "msg_1", "sessionID": "ses_1", "role": "assistant", "time": {"created": 5}},
        "parts": [tool_of_question("ses_1", "completed")["part"], {"id": "prt_2", "sessionID": "ses_1",
            "messageID": "msg_1", "type": "text", "text": "Done.", "time": {"start": 6, "end": 7}}]}]);
    session.respond("GET /session/ses_1/message", Ok(messages));
    assert_eq!(session.questions().len(), 1);
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Acknowledged { .. })), 1);
    assert_eq!(session.said(), ["Done."]);
    assert_eq!(errors_of_turns(&session), [None]);
}

#[test]
fn case_70_a_reply_to_a_request_that_is_gone_is_never_acknowledged() {
    let mut session = OpenCodeSession::working("ses_1");
    session.event("question.asked", question("ses_1", "que_1"));
    let outcome = answered(&session, &[(&["JWT"], None)]);
    session.end_question(outcome);
    let error = RpcError { code: 404, message: "Question request not found: que_1".to_owned(), data: None };
    session.respond("POST /question/que_1/reply", Err(error));
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Acknowledged { .. })), 0);
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Withdrawn { .. })), 1);
}

#[rstest]
#[case::ours("question.replied", json!([["JWT"]]), true)]
#[case::anothers("question.replied", json!([["OAuth"]]), false)]
#[case::rejected_elsewhere("question.rejected", Value::Null, false)]
fn a_reply_counts_only_if_its_event_has_the_same_answers(
    #[case] kind: &str,
    #[case] answers: Value,
    #[case] ours: bool,
) {
    let mut session = OpenCodeSession::working("ses_1");
    session.event("question.asked", question("ses_1", "que_1"));
    let outcome = answered(&session, &[(&["JWT"], None)]);
    session.end_question(outcome);
    let mut ended = json!({"sessionID": "ses_1", "requestID": "que_1"});
    if !answers.is_null() {
        ended["answers"] = answers;
    }
    session.event(kind, ended);
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Acknowledged { .. })), usize::from(ours));
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Withdrawn { .. })), usize::from(!ours));
}

#[rstest]
#[case::still_open(json!([question("ses_1", "que_1")]), 2, 0)]
#[case::gone(json!([]), 1, 1)]
fn a_reply_that_broke_on_its_way_is_sent_again_if_the_question_is_still_open(
    #[case] open: Value,
    #[case] replies: usize,
    #[case] withdrawn: usize,
) {
    let mut session = OpenCodeSession::working("ses_1");
    session.event("question.asked", question("ses_1", "que_1"));
    let outcome = answered(&session, &[(&["JWT"], None)]);
    session.end_question(outcome);
    session.respond("POST /question/que_1/reply", Err(connection_reset()));
    session.event("question.asked", question("ses_1", "que_1"));
    assert_eq!(
        session.sent("POST /question/que_1/reply").len(),
        1,
        "an event that arrives twice proves nothing"
    );
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Withdrawn { .. })), 0);
    read_anew(&mut session, Ok(open));
    let sent = session.sent("POST /question/que_1/reply");
    assert_eq!(sent, vec![&json!({"answers": [["JWT"]]}); replies]);
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Withdrawn { .. })), withdrawn);
}

#[test]
fn a_question_stays_open_if_the_list_of_open_ones_cannot_be_read() {
    let mut session = OpenCodeSession::working("ses_1");
    session.event("question.asked", question("ses_1", "que_1"));
    session.event("server.connected", json!({}));
    read_anew(&mut session, Err(connection_reset()));
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Withdrawn { .. })), 0);
    session.event("server.connected", json!({}));
    read_anew(&mut session, Ok(json!([])));
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Withdrawn { .. })), 1);
}

#[test]
fn a_status_of_success_alone_acknowledges_nothing() {
    let mut session = OpenCodeSession::working("ses_1");
    session.event("question.asked", question("ses_1", "que_1"));
    let outcome = answered(&session, &[(&["JWT"], None)]);
    session.end_question(outcome);
    session.respond("POST /question/que_1/reply", Ok(json!(true)));
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Acknowledged { .. })), 0);
    session
        .event("question.replied", json!({"sessionID": "ses_1", "requestID": "que_1", "answers": [["JWT"]]}));
    assert_eq!(session.count(|it| matches!(it, AgentEvent::Acknowledged { .. })), 1);
}

#[test]
fn a_session_that_the_server_does_not_know_is_said_and_nothing_is_sent() {
    let mut session = OpenCodeSession::resuming("ses_1");
    session.message("go");
    let error = RpcError { code: 404, message: "Session not found: ses_1".to_owned(), data: None };
    session.respond("GET /session/ses_1", Err(error));
    let error = "Session not found: ses_1".to_owned();
    assert_eq!(session.events, [AgentEvent::SessionUnknown { error }]);
    assert_eq!(session.requests.len(), 1);
}

#[test]
fn a_resumed_session_repeats_nothing_and_shows_what_still_waits() {
    let mut session = OpenCodeSession::resuming("ses_1");
    session.respond("GET /session/ses_1", Ok(json!({"id": "ses_1", "version": "1.0.0"})));
    let old = json!([{"info": {"id": "msg_1", "sessionID": "ses_1", "role": "assistant", "time": {"created": 5}},
        "parts": [{"id": "prt_2", "sessionID": "ses_1", "messageID": "msg_1", "type": "text", "text": "Old.",
            "time": {"start": 6, "end": 7}}]}]);
    session.respond("GET /session/ses_1/message", Ok(old.clone()));
    session.respond("GET /session/ses_1/children", Ok(json!([])));
    session.respond("GET /session/status", Ok(busy("ses_1")));
    session.respond("GET /question", Ok(json!([question("ses_1", "que_1")])));
    session.respond("GET /permission", Ok(json!([])));
    session.respond("GET /session/ses_1/message", Ok(old));
    assert_eq!(session.said(), Vec::<&str>::new());
    assert_eq!(session.questions().len(), 1);
}

#[rstest]
#[case::event("session.sung", json!({"sessionID": "ses_1"}), "session.sung", 0)]
#[case::part("message.part.updated", json!({"sessionID": "ses_1", "part": {"id": "prt_1", "sessionID": "ses_1",
    "messageID": "msg_1", "type": "hologram", "shape": "cube"}}), "part hologram", 1)]
#[case::status("message.part.updated", json!({"sessionID": "ses_1", "part": {"id": "prt_1", "sessionID": "ses_1",
    "messageID": "msg_1", "type": "tool", "tool": "bash", "callID": "c", "state": {"status": "paused"}}}),
    "tool paused", 0)]
fn what_is_unknown_is_counted_and_an_unknown_part_is_shown(
    #[case] kind: &str,
    #[case] properties: Value,
    #[case] unknown: &str,
    #[case] shown: usize,
) {
    let mut session = OpenCodeSession::working("ses_1");
    session.event(kind, properties);
    let expected = InputError::UnknownType { kind: unknown.to_owned() };
    assert_eq!(session.invalid(), [&expected]);
    assert_eq!(session.count(|it| matches!(it, AgentEvent::ToolStarted { .. })), shown);
}

#[test]
fn a_question_that_cannot_be_shown_is_rejected_and_the_agent_is_told_the_field() {
    let mut session = OpenCodeSession::working("ses_1");
    session.event("question.asked", json!({"id": "que_1", "sessionID": "ses_1", "questions": []}));
    assert_eq!(session.sent("POST /question/que_1/reject").len(), 1);
    idle(&mut session, "ses_1");
    let prompts = session.sent("POST /session/ses_1/prompt_async");
    assert!(prompts[1]["parts"][0]["text"].as_str().unwrap().contains("questions: too few"), "{prompts:?}");
}

#[test]
fn case_110_a_permission_that_is_too_large_is_refused_in_words_and_the_user_is_told() {
    let mut session = OpenCodeSession::working("ses_1");
    let asked = json!({"id": "per_1", "sessionID": "ses_1", "permission": "edit", "patterns": ["a.txt"], "always": ["*"],
        "metadata": {"filepath": "/proj/a.txt", "diff": "+x … [too large to show: 70000000 bytes]"}});
    session.abridged_event("permission.asked", &asked, 70_000_000);
    let replies = session.sent("POST /permission/per_1/reply");
    let [reply] = replies.as_slice() else { panic!("{replies:?}") };
    assert_eq!(reply["reply"], "reject");
    assert!(reply["message"].as_str().unwrap().contains("too large (70000000 bytes"), "{reply}");
    let reason = "edit: it is too large (70000000 bytes; the limit is 4194304)".to_owned();
    let told = AgentEvent::Noticed { notice: Notice::PermissionRefused { reason } };
    assert_eq!(session.events, [told]);
    // It is not asked when the list still has it.
    session.event("permission.asked", asked);
    assert_eq!(session.events.len(), 1);
}

#[test]
fn case_110_a_question_that_is_too_large_is_refused_in_words_after_the_turn() {
    let mut session = OpenCodeSession::working("ses_1");
    session.abridged_event("question.asked", &question("ses_1", "que_1"), 70_000_000);
    assert_eq!(session.sent("POST /question/que_1/reject"), [&Value::Null]);
    assert!(matches!(session.events.as_slice(), [AgentEvent::Refused { .. }]), "{:?}", session.events);
    session.event("question.rejected", json!({"sessionID": "ses_1", "requestID": "que_1"}));
    idle(&mut session, "ses_1");
    let words = session.sent("POST /session/ses_1/prompt_async").last().unwrap().to_string();
    assert!(words.contains("too large (70000000 bytes"), "{words}");
}

#[test]
fn case_110_an_event_without_a_question_is_taken_however_long_it_was() {
    let mut session = OpenCodeSession::working("ses_1");
    let mark = "x … [too large to show: 70000000 bytes]";
    let part = json!({"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "tool", "tool": "bash", "callID": "call_1",
        "state": {"status": "completed", "input": {"command": "cat big"}, "output": mark}});
    session.abridged_event("message.part.updated", &json!({"sessionID": "ses_1", "part": part}), 70_000_000);
    let ended = session
        .events
        .iter()
        .any(|it| matches!(it, AgentEvent::ToolEnded { output, .. } if output.contains(mark)));
    assert!(ended, "{:?}", session.events);
}

#[test]
fn case_139_a_call_that_a_rule_of_the_server_forbids_is_told_from_one_that_failed_or_the_user_rejected() {
    let refusals = |error: &str| {
        let mut session = OpenCodeSession::working("ses_1");
        let part = json!({"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "tool", "tool": "bash",
            "callID": "call_1", "state": {"status": "error", "input": {"command": "ls"}, "error": error}});
        session.event("message.part.updated", json!({"sessionID": "ses_1", "part": part}));
        session.count(|it| matches!(it, AgentEvent::ToolRefused { request: None, .. }))
    };
    let forbidden = "The user has specified a rule which prevents you from using this specific tool call. \
        Here are some of the relevant rules [{\"permission\":\"bash\",\"pattern\":\"*\",\"action\":\"deny\"}]";
    assert_eq!(refusals(forbidden), 1);
    assert_eq!(refusals("The user rejected permission to use this specific tool call."), 0);
    assert_eq!(refusals("File not found: /proj/missing.txt"), 0);
}
