//! One conversation with every agent: what the desk hears of it and what the agent gets, whatever its protocol.

use std::path::Path;
use std::sync::Arc;

use askdesk_agents::{
    Action, Adapter, Agent, AgentEvent, Asked, Attached, EncodeError, Inbound, Open, Output, RpcIn,
};
use askdesk_domain::{
    AnswerInput, Answers, ApprovalDecision, ApprovalOption, ApprovalOptionId, NativeRef, Outcome, QuestionId,
    ToolDetail,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{adapter, check};

/// The agent's own id of the session.
const SESSION: &str = "ses_1";
const COMMAND: &str = "rm -r notes";
const MESSAGE: Uuid = Uuid::from_u128(7);

#[derive(Clone, Copy)]
enum Does {
    OpensTheSession,
    /// Works on [`MESSAGE`].
    BeginsTheTurn,
    /// Asks the question of this number.
    Asks(u64),
    /// Continues after the answer to it.
    TakesTheAnswer(u64),
    /// Calls a tool and wants a permission for it, as request 9.
    AsksForPermission,
    /// Continues after the decision, and the tool succeeds.
    RunsTheTool,
    EndsTheTurn,
    /// Ends the turn as interrupted, while the question of this number is open.
    StopsWhileAsking(u64),
}

fn question() -> Value {
    json!({"id": "q", "question": "Which?", "header": "Pick", "multiSelect": false, "isOther": true,
        "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}]})
}

fn line(message: &Value) -> Inbound {
    Inbound::Line(message.to_string().into_bytes())
}

fn tell(method: &str, params: Value) -> Inbound {
    Inbound::Rpc(RpcIn::notification(method, params))
}

/// As Claude Code and the demo say it.
fn claude(does: Does) -> Vec<Inbound> {
    let wants = |request: String, tool: &str, tool_use: String, input: Value| {
        json!({"type": "control_request", "request_id": request, "request": {"subtype": "can_use_tool",
            "tool_name": tool, "input": input, "tool_use_id": tool_use}})
    };
    let tool_result = |id: String| {
        json!({"type": "user", "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id, "content": "done"}]}})
    };
    let ended = json!({"type": "result", "subtype": "success", "is_error": false, "duration_ms": 5, "result": "",
        "usage": {}});
    match does {
        Does::OpensTheSession => vec![],
        Does::BeginsTheTurn => vec![
            line(&json!({"type": "system", "subtype": "init", "session_id": SESSION})),
            line(&json!({"type": "command_lifecycle", "state": "started", "command_uuid": MESSAGE})),
        ],
        Does::Asks(n) => {
            let input = json!({"questions": [question()]});
            vec![line(&wants(format!("req-{n}"), "AskUserQuestion", format!("toolu_{n}"), input))]
        }
        Does::TakesTheAnswer(n) => vec![line(&tool_result(format!("toolu_{n}")))],
        Does::AsksForPermission => {
            let input = json!({"command": COMMAND});
            let call = json!({"type": "tool_use", "id": "toolu_9", "name": "Bash", "input": input});
            let said = json!({"type": "assistant", "message": {"id": "msg_1", "content": [call]}});
            let wants = wants("req-9".to_owned(), "Bash", "toolu_9".to_owned(), input);
            vec![line(&said), line(&wants)]
        }
        Does::RunsTheTool => vec![line(&tool_result("toolu_9".to_owned()))],
        Does::EndsTheTurn | Does::StopsWhileAsking(_) => vec![line(&ended)],
    }
}

fn codex(does: Does) -> Vec<Inbound> {
    let tell = |method: &str, mut params: Value| {
        params["threadId"] = json!(SESSION);
        tell(method, params)
    };
    let ask = |id: u64, method: &str, mut params: Value| {
        params["threadId"] = json!(SESSION);
        params["turnId"] = json!("turn-1");
        Inbound::Rpc(RpcIn::request(json!(id), method, params))
    };
    let command = |status: &str| {
        json!({"item": {"type": "commandExecution", "id": "call_9", "command": COMMAND, "cwd": "/proj",
            "commandActions": [], "status": status, "aggregatedOutput": "done", "exitCode": 0}})
    };
    let ended = |status: &str| json!({"turn": {"id": "turn-1", "status": status}});
    match does {
        Does::OpensTheSession => {
            let thread = json!({"id": SESSION, "cliVersion": "1", "parentThreadId": null});
            let result = Ok(json!({"thread": thread, "model": "mock"}));
            vec![Inbound::Rpc(RpcIn::Response { id: 1, result })]
        }
        Does::BeginsTheTurn => {
            let message = json!({"type": "userMessage", "id": "u", "clientId": MESSAGE, "content": []});
            vec![
                tell("turn/started", json!({"turn": {"id": "turn-1", "status": "inProgress"}})),
                tell("item/started", json!({"item": message})),
            ]
        }
        Does::Asks(n) => {
            vec![ask(
                n,
                "item/tool/requestUserInput",
                json!({"itemId": format!("call_{n}"), "questions": [question()]}),
            )]
        }
        Does::TakesTheAnswer(n) => vec![tell("serverRequest/resolved", json!({"requestId": n}))],
        Does::AsksForPermission => vec![
            tell("item/started", command("inProgress")),
            ask(
                9,
                "item/commandExecution/requestApproval",
                json!({"itemId": "call_9", "command": COMMAND, "cwd": "/proj", "commandActions": []}),
            ),
        ],
        Does::RunsTheTool => vec![
            tell("serverRequest/resolved", json!({"requestId": 9})),
            tell("item/completed", command("completed")),
        ],
        Does::EndsTheTurn => vec![tell("turn/completed", ended("completed"))],
        Does::StopsWhileAsking(n) => vec![
            tell("serverRequest/resolved", json!({"requestId": n})),
            tell("turn/completed", ended("interrupted")),
        ],
    }
}

fn opencode(does: Does) -> Vec<Inbound> {
    let tell = |method: &str, mut params: Value| {
        params["sessionID"] = json!(SESSION);
        tell(method, params)
    };
    let part = |status: &str| {
        let state = json!({"status": status, "input": {"command": COMMAND}, "output": "done"});
        json!({"part": {"id": "prt_9", "sessionID": SESSION, "messageID": "msg_1", "type": "tool", "tool": "bash",
            "callID": "call_9", "state": state}})
    };
    let idle =
        || vec![tell("session.status", json!({"status": {"type": "idle"}})), tell("session.idle", json!({}))];
    match does {
        Does::OpensTheSession => {
            let result = Ok(json!({"id": SESSION, "version": "1"}));
            vec![Inbound::Rpc(RpcIn::Response { id: 1, result })]
        }
        Does::BeginsTheTurn => vec![
            tell("session.status", json!({"status": {"type": "busy"}})),
            tell("message.updated", json!({"info": {"id": "msg_0", "role": "user", "sessionID": SESSION}})),
            tell(
                "message.part.updated",
                json!({"part": {"id": "prt_0", "sessionID": SESSION, "messageID": "msg_0", "type": "text", "text": "go"}}),
            ),
        ],
        Does::Asks(n) => {
            let tool = json!({"messageID": "msg_1", "callID": format!("call_{n}")});
            let asked = json!({"id": format!("que_{n}"), "questions": [question()], "tool": tool});
            vec![tell("question.asked", asked)]
        }
        Does::TakesTheAnswer(n) => {
            vec![tell("question.replied", json!({"requestID": format!("que_{n}"), "answers": [["B"]]}))]
        }
        Does::AsksForPermission => {
            let asked = json!({"id": "per_9", "permission": "bash", "patterns": [COMMAND],
                "metadata": {"command": COMMAND}, "always": ["rm *"],
                "tool": {"messageID": "msg_1", "callID": "call_9"}});
            vec![tell("message.part.updated", part("running")), tell("permission.asked", asked)]
        }
        Does::RunsTheTool => vec![
            tell("permission.replied", json!({"requestID": "per_9", "reply": "once"})),
            tell("message.part.updated", part("completed")),
        ],
        Does::EndsTheTurn => idle(),
        Does::StopsWhileAsking(_) => {
            let error = json!({"error": {"name": "MessageAbortedError", "data": {"message": "Aborted"}}});
            [vec![tell("session.error", error)], idle()].concat()
        }
    }
}

/// A session of one agent, and what was heard of it since the last look.
struct Conversation {
    name: String,
    adapter: Box<dyn Adapter>,
    says: fn(Does) -> Vec<Inbound>,
    heard: Vec<AgentEvent>,
}

impl Conversation {
    /// An open session whose turn runs.
    fn begin(agent: &Arc<dyn Agent>, folder: &Path) -> Self {
        let (name, adapter) = (agent.descriptor().name.clone(), adapter(agent, folder));
        let says = match agent.descriptor().id.as_str() {
            "claude_code" | "demo" => claude,
            "codex" => codex,
            "opencode" => opencode,
            other => panic!("{other} needs its words here"),
        };
        let mut talk = Self { name, adapter, says, heard: Vec::new() };
        talk.adapter.open(Open::New);
        let text = "go".to_owned();
        talk.send(Action::Message { id: MESSAGE, text, attached: Attached::default() }).unwrap();
        talk.hear(Does::OpensTheSession);
        talk.hear(Does::BeginsTheTurn);
        talk
    }

    fn send(&mut self, action: Action) -> Result<Output, EncodeError> {
        self.adapter.send(action)
    }

    fn hear(&mut self, does: Does) {
        for inbound in (self.says)(does) {
            self.heard.extend(self.adapter.receive(&inbound).events);
        }
    }

    /// Takes what was heard of this kind since the last time; nothing may have been misunderstood.
    #[track_caller]
    fn only<T>(&mut self, what: &str, is: impl Fn(&AgentEvent) -> Option<T>) -> T {
        let heard = std::mem::take(&mut self.heard);
        let invalid = |event: &&AgentEvent| matches!(event, AgentEvent::InvalidInput { .. });
        assert_eq!(heard.iter().find(invalid), None, "{}", self.name);
        let mut found: Vec<T> = heard.iter().filter_map(is).collect();
        assert_eq!(found.len(), 1, "{}: {what} in {heard:?}", self.name);
        found.remove(0)
    }

    fn asked(&mut self, n: u64) -> Asked {
        self.hear(Does::Asks(n));
        assert!(!self.heard.iter().any(|it| matches!(it, AgentEvent::ToolStarted { .. })), "{}", self.name);
        self.only("a question", |event| match event {
            AgentEvent::Asked(asked) => Some(asked.clone()),
            _ => None,
        })
    }

    fn permission(&mut self) -> (NativeRef, ToolDetail, Vec<ApprovalOption>) {
        self.hear(Does::AsksForPermission);
        self.only("a permission request", |event| match event {
            AgentEvent::ApprovalAsked { native_ref, subject, options, .. } => {
                Some((native_ref.clone(), subject.clone(), options.clone()))
            }
            _ => None,
        })
    }

    fn decide(&mut self, native_ref: &NativeRef, option: ApprovalOptionId) -> Result<Output, EncodeError> {
        let decision = ApprovalDecision::of(option);
        self.send(Action::Decide { native_ref: native_ref.clone(), decision })
    }

    /// Whether nobody waits for the answer to a question.
    fn is_gone(&mut self, asked: &Asked) -> bool {
        matches!(self.send(chooses_b(asked)), Err(EncodeError::Gone { .. }))
    }
}

fn chooses_b(asked: &Asked) -> Action {
    let chosen = vec![asked.questions[0].options[1].id];
    let input = AnswerInput { question: QuestionId::at(0), chosen, other: None, note: None };
    let answers = Answers::check(&asked.questions, &[input]).unwrap();
    let (native_ref, questions) = (asked.native_ref.clone(), asked.questions.clone());
    Action::Answer { native_ref, questions, outcome: Outcome::Answered { answers } }
}

#[test]
fn a_session_says_its_own_id_and_takes_the_message_as_its_turn_begins() {
    check(|agent, folder| {
        let mut talk = Conversation::begin(agent, folder);
        let taken =
            |event: &AgentEvent| matches!(event, AgentEvent::MessageTaken { uuid } if *uuid == MESSAGE);
        assert_eq!(
            talk.heard.iter().filter(|event| taken(event)).count(),
            1,
            "{}: {:?}",
            talk.name,
            talk.heard
        );
        let mut ids = talk.heard.iter().filter_map(|event| match event {
            AgentEvent::Introduced { native_session, .. } => native_session.clone(),
            _ => None,
        });
        assert_eq!(ids.next_back().unwrap().as_str(), SESSION, "{}", talk.name);
        talk.only("a turn", |event| matches!(event, AgentEvent::TurnBegan).then_some(()));
    });
}

#[test]
fn case_01_the_answer_reaches_the_agent_and_counts_once_it_has_said_so() {
    check(|agent, folder| {
        let mut talk = Conversation::begin(agent, folder);
        let (first, second) = (talk.asked(1), talk.asked(2));
        assert_ne!(first.native_ref, second.native_ref, "{}", talk.name);
        for (n, asked) in [(2, second), (1, first)] {
            let question = &asked.questions[0];
            let labels: Vec<&str> = question.options.iter().map(|option| option.label.as_str()).collect();
            assert_eq!((question.text.as_str(), labels), ("Which?", vec!["A", "B"]), "{}", talk.name);
            let sent = talk.send(chooses_b(&asked)).unwrap();
            let words = format!("{:?}", sent.outbound);
            assert!(words.contains(r#"B\""#) || words.contains(r#"String("B")"#), "{}: {words}", talk.name);
            assert!(talk.heard.is_empty(), "{}: a written answer has not arrived yet", talk.name);
            talk.hear(Does::TakesTheAnswer(n));
            let arrived = talk.only("an acknowledgment", |event| match event {
                AgentEvent::Acknowledged { native_ref } => Some(native_ref.clone()),
                _ => None,
            });
            assert_eq!(arrived, asked.native_ref, "{}", talk.name);
            assert!(talk.is_gone(&asked), "{}", talk.name);
        }
        talk.hear(Does::EndsTheTurn);
        talk.only("an end", |event| matches!(event, AgentEvent::TurnEnded { error: None, .. }).then_some(()));
    });
}

#[test]
fn case_66_only_what_was_offered_can_be_decided_and_the_tool_then_runs() {
    check(|agent, folder| {
        let mut talk = Conversation::begin(agent, folder);
        let (native_ref, subject, options) = talk.permission();
        let shown = matches!(&subject, ToolDetail::Command { command, .. } if command == COMMAND);
        assert!(shown, "{}: {subject:?}", talk.name);
        let (allows, refuses): (Vec<_>, Vec<_>) = options.iter().partition(|option| option.kind.allows());
        assert!(!allows.is_empty() && !refuses.is_empty(), "{}: {options:?}", talk.name);
        let other = talk.decide(&native_ref, ApprovalOptionId::literal("juggle"));
        assert!(matches!(other, Err(EncodeError::Unsupported { .. })), "{}: {other:?}", talk.name);
        let sent = talk.decide(&native_ref, allows[0].id.clone()).unwrap();
        assert!(!sent.outbound.is_empty(), "{}", talk.name);
        talk.hear(Does::RunsTheTool);
        let (ok, output) = talk.only("a result", |event| match event {
            AgentEvent::ToolEnded { ok, output, .. } => Some((*ok, output.clone())),
            _ => None,
        });
        assert_eq!((ok, output.as_str()), (true, "done"), "{}", talk.name);
        let again = talk.decide(&native_ref, refuses[0].id.clone());
        assert!(matches!(again, Err(EncodeError::Gone { .. })), "{}: {again:?}", talk.name);
    });
}

#[test]
fn case_26_an_interrupt_withdraws_the_question_and_is_no_error() {
    check(|agent, folder| {
        let mut talk = Conversation::begin(agent, folder);
        let asked = talk.asked(1);
        talk.send(Action::Interrupt).unwrap();
        talk.hear(Does::StopsWhileAsking(1));
        let heard = talk.heard.clone();
        let withdrawn = AgentEvent::Withdrawn { native_ref: asked.native_ref.clone() };
        assert!(heard.contains(&withdrawn), "{}: {heard:?}", talk.name);
        talk.only("an end", |event| matches!(event, AgentEvent::TurnEnded { error: None, .. }).then_some(()));
        assert!(talk.is_gone(&asked), "{}", talk.name);
    });
}
