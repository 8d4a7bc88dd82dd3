//! What the server of Codex 0.169.0 said, line by line: nothing of it is dropped without being known.
//!
//! The recordings hold the server's lines only. Ids, times and paths were replaced, and the instructions of modes and most of the
//! list of models were left out.

use crate::support::codex::{Session, THREAD};
use askdesk_agents::{Adapter, AgentEvent, Inbound, Open, RpcIn};
use askdesk_domain::{Choices, Notice};
use rstest::rstest;
use serde_json::Value;

/// The messages of a recording, as one session gets them; answers to requests that only the recorder sent are left out.
fn messages(recording: &str) -> Vec<RpcIn> {
    let message = |line: &str| {
        let mut message: Value = serde_json::from_str(line).unwrap();
        let params = message["params"].take();
        let method = message["method"].as_str().map(str::to_owned);
        match (method, message["id"].clone()) {
            (Some(method), Value::Null) => Some(RpcIn::Notification { method, params }),
            (Some(method), id) => Some(RpcIn::Request { id, method, params }),
            (None, _) => {
                let result = message["result"].take();
                let key = match (result.get("thread"), result.get("data")) {
                    (Some(_), _) => 1,
                    (_, Some(_)) => 2,
                    _ => return None,
                };
                Some(RpcIn::Response { id: key, result: Ok(result) })
            }
        }
    };
    recording.lines().filter_map(message).collect()
}

/// What an event says, in a line; none for a piece of text, which is repeated whole.
fn line(event: &AgentEvent) -> Option<String> {
    Some(match event {
        AgentEvent::TextDelta { .. } | AgentEvent::ThinkingDelta { .. } => return None,
        AgentEvent::ConfigChanged { .. } => "config".to_owned(),
        AgentEvent::ContextChanged { .. } => "context".to_owned(),
        AgentEvent::Introduced { .. } => "introduced".to_owned(),
        AgentEvent::MessageTaken { .. } => "message taken".to_owned(),
        AgentEvent::TurnBegan => "turn".to_owned(),
        AgentEvent::TurnEnded { error, .. } => format!("turn ended {}", error.as_deref().unwrap_or("well")),
        AgentEvent::Said { text } => format!("said {}", text.trim().replace('\n', " / ")),
        AgentEvent::Thought { text } => format!("thought {text}"),
        AgentEvent::ToolStarted { name, summary, .. } => format!("tool {name}: {summary}"),
        AgentEvent::ToolEnded { ok, .. } => format!("tool ended {ok}"),
        AgentEvent::PlanChanged { items } => format!("plan of {}", items.len()),
        AgentEvent::Asked(asked) => format!("asked {}", asked.questions.len()),
        AgentEvent::ApprovalAsked { title, .. } => format!("permission {title}"),
        AgentEvent::Withdrawn { .. } => "withdrawn".to_owned(),
        AgentEvent::Acknowledged { .. } => "acknowledged".to_owned(),
        AgentEvent::Noticed { notice: Notice::AgentWarned { .. } } => "warned".to_owned(),
        AgentEvent::Noticed { notice } => format!("{notice:?}"),
        other => panic!("{other:?}"),
    })
}

#[rstest]
#[case::questions(include_str!("codex_recordings/questions.jsonl"), r#"
    introduced
    config
    warned
    turn
    message taken
    thought Thinking about it.
    said I need to ask.
    asked 2
    withdrawn
    context
    said Postgres it is.
    turn ended well
"#)]
#[case::command(include_str!("codex_recordings/command.jsonl"), r#"
    introduced
    config
    warned
    turn
    context
    tool Shell: /bin/bash -lc 'touch /elsewhere/new'
    permission Shell
    withdrawn
    tool ended false
    message taken
    said done
    turn ended well
"#)]
#[case::patch(include_str!("codex_recordings/patch.jsonl"), r#"
    introduced
    config
    warned
    turn
    tool Edit files: /proj/a.txt, /proj/b.txt
    permission Edit files
    withdrawn
    tool ended true
    context
    said done
    turn ended well
"#)]
#[case::permissions(include_str!("codex_recordings/permissions.jsonl"), r#"
    introduced
    config
    warned
    turn
    permission More permissions
    withdrawn
    context
    said ok
    turn ended well
"#)]
#[case::interrupt(include_str!("codex_recordings/interrupt.jsonl"), r#"
    introduced
    config
    warned
    turn
    asked 1
    context
    withdrawn
    turn ended well
    turn
    said after
    turn ended well
"#)]
#[case::plan(include_str!("codex_recordings/plan.jsonl"), r#"
    introduced
    config
    warned
    turn
    context
    said ok
    turn ended well
    config
    turn
    said Here:
    said # Plan / 1. Do A
    permission Plan
    turn ended well
    config
    turn
    said did
    turn ended well
"#)]
#[case::settings(include_str!("codex_recordings/settings.jsonl"), r#"
    introduced
    config
    config
    config
    config
    config
    config
    config
    config
    config
    config
"#)]
#[case::resume(include_str!("codex_recordings/resume.jsonl"), r#"
    introduced
    config
    context
    warned
    turn
    said two
    turn ended well
"#)]
#[case::compact(include_str!("codex_recordings/compact.jsonl"), r#"
    introduced
    config
    warned
    turn
    said one
    context
    turn ended well
    turn
    context
    context
    Compacted
    turn ended well
    turn
    said two
    context
    turn ended well
"#)]
#[case::failure(include_str!("codex_recordings/failure.jsonl"), r#"
    introduced
    config
    warned
    turn
    turn ended We’re currently experiencing high demand, which may cause temporary errors.
"#)]
#[case::subagent(include_str!("codex_recordings/subagent.jsonl"), r#"
    introduced
    config
    warned
    turn
    tool Subagent: spawnAgent: look around
    tool ended true
    context
    said a
    said c
    turn ended well
"#)]
fn every_line_of_a_recording_is_known_and_means_what_happened(
    #[case] recording: &str,
    #[case] expected: &str,
) {
    let mut session = Session::unopened(&Choices::new());
    session.0.open(Open::New);
    let mut told = Vec::new();
    for message in messages(recording) {
        let output = session.0.receive(&Inbound::Rpc(message.clone()));
        assert!(
            !output.events.iter().any(|event| matches!(event, AgentEvent::InvalidInput { .. })),
            "{message:?}: {output:?}"
        );
        told.extend(output.events.iter().filter_map(line));
    }
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(told, expected);
}

#[test]
fn the_recordings_are_of_one_session() {
    for recording in
        [include_str!("codex_recordings/questions.jsonl"), include_str!("codex_recordings/subagent.jsonl")]
    {
        assert!(recording.contains(THREAD));
    }
}
