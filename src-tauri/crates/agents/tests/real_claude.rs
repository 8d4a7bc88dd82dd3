//! The real `claude`, started by the launch plan, owned by the supervisor and answered by the adapter; its model is a
//! mock on loopback.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what tests share may fail the test"
)]

use std::time::Duration;

use askdesk_agents::{
    AgentEvent, AgentProcess, Asked, Attached, ClaudeOptions, ClaudeStream, Lines, Output, claude_launch,
};
use askdesk_domain::{AnswerInput, Answers, ApprovalDecision, Outcome, PermissionMode, Question};
use askdesk_testkit::clis;
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use serde_json::{Value, json};
use tokio::time::timeout;
use uuid::Uuid;

const PATIENCE: Duration = Duration::from_secs(60);

struct Session {
    process: AgentProcess,
    lines: Lines,
    stream: ClaudeStream,
    mock: MockApi,
    _home: tempfile::TempDir,
    _project: tempfile::TempDir,
}

impl Session {
    /// Starts a session, or says that the test did not run.
    async fn start(test: &str, prompt_tool: bool, script: Vec<Reply>) -> Option<Self> {
        let Some(program) = clis::claude_program() else {
            clis::report_skipped(
                test,
                &format!("the real claude is not installed; {}", clis::HOW_TO_INSTALL),
            );
            return None;
        };
        let mock = MockApi::start(Script(script)).await.unwrap();
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let options = ClaudeOptions {
            session_id: Uuid::new_v4(),
            prompt_tool,
            model: None,
            permission_mode: None,
            effort: None,
        };
        let mut plan = claude_launch(program, project.path(), &options);
        plan.env_remove.extend(std::env::vars_os().map(|(name, _)| name));
        let sealed = clis::sealed_env(home.path(), &mock.base_url);
        plan.env.extend(sealed.into_iter().map(|(name, value)| (name.into(), value.into())));
        let (process, lines) = AgentProcess::spawn(&plan).unwrap();
        let mut stream = ClaudeStream::new(plan.prompt_tool);
        process.write(stream.hello()).await.unwrap();
        process
            .write(stream.encode_message("Please go on.", &Attached::default(), Uuid::new_v4()))
            .await
            .unwrap();
        Some(Self { process, lines, stream, mock, _home: home, _project: project })
    }

    /// Reads on until an event is found; a line that could not be used fails the test.
    async fn until(&mut self, seen: &mut Vec<AgentEvent>, found: impl Fn(&AgentEvent) -> bool) {
        loop {
            let output = timeout(PATIENCE, self.lines.next()).await.expect("nothing came in time");
            let events = match output.expect("ended without an end") {
                Output::Line(line) => self.stream.on_line(&line),
                Output::Stderr(_) => continue,
                other => panic!("{other:?}"),
            };
            let unusable: Vec<_> =
                events.iter().filter(|event| matches!(event, AgentEvent::Unusable { .. })).collect();
            assert!(unusable.is_empty(), "{unusable:?}");
            let done = events.iter().any(&found);
            seen.extend(events);
            if done {
                return;
            }
        }
    }
}

fn questions() -> Value {
    json!([
        {"question": "Which store should the notes be kept in?", "header": "Store", "multiSelect": false, "options": [
            {"label": "SQLite (Recommended)", "description": "One file"},
            {"label": "PostgreSQL", "description": "A server"}]},
        {"question": "Which features do you want?", "header": "Features", "multiSelect": true, "options": [
            {"label": "Search", "description": "Full text"},
            {"label": "Yes, always", "description": "Sync"},
            {"label": "Export", "description": "PDF"}]},
    ])
}

fn answer(questions: &[Question]) -> Outcome {
    let chosen = |question: usize, places: &[usize]| AnswerInput {
        question: questions[question].id,
        chosen: places.iter().map(|place| questions[question].id.option(*place)).collect(),
        other: None,
        note: None,
    };
    let inputs = [chosen(0, &[1]), AnswerInput { other: Some("Tags".to_owned()), ..chosen(1, &[2, 1]) }];
    Outcome::Answered { answers: Answers::check(questions, &inputs).unwrap() }
}

const fn turn_ended(event: &AgentEvent) -> bool {
    matches!(event, AgentEvent::TurnEnded { .. })
}

#[tokio::test(flavor = "multi_thread")]
async fn case_01_and_10_the_real_agent_gets_the_answer_and_goes_on_in_the_same_turn() {
    let script = vec![
        Reply::new([Block::text("I need to ask."), Block::ask("toolu_ask_1", &questions())]),
        Reply::text("Thank you."),
    ];
    let Some(mut session) = Session::start("case_01_and_10_the_real_agent", true, script).await else {
        return;
    };
    let mut seen = Vec::new();
    session.until(&mut seen, |event| matches!(event, AgentEvent::Asked(_))).await;
    let Some(AgentEvent::Asked(Asked { native_ref, questions, .. })) = seen.last().cloned() else {
        panic!("{seen:?}")
    };
    assert_eq!(native_ref.as_str(), "toolu_ask_1");
    let encoded = session.stream.encode_outcome(&native_ref, &questions, &answer(&questions)).unwrap();
    session.process.write(encoded.line).await.unwrap();
    session.until(&mut seen, turn_ended).await;

    let taken = seen.iter().filter(|event| matches!(event, AgentEvent::MessageTaken { .. }));
    assert_eq!(taken.count(), 1);
    let told = seen.iter().filter(|event| {
        !matches!(
            event,
            AgentEvent::Introduced { .. }
                | AgentEvent::MessageTaken { .. }
                | AgentEvent::TextDelta { .. }
                | AgentEvent::TurnEnded { .. }
        )
    });
    let said = |text: &str| AgentEvent::Said { text: text.to_owned() };
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            &AgentEvent::ModeChanged { mode: Some(PermissionMode::Default) },
            &AgentEvent::TurnBegan,
            &said("I need to ask."),
            seen.iter().find(|event| matches!(event, AgentEvent::Asked(_))).unwrap(),
            &AgentEvent::Acknowledged { native_ref },
            &said("Thank you."),
        ]
    );
    let results = session.mock.tool_results();
    let result = results.first().expect("the model got no result").to_string();
    for pair in [
        r#"\"Which store should the notes be kept in?\"=\"PostgreSQL\""#,
        r#"\"Which features do you want?\"=\"Yes, always, Export, Tags\""#,
    ] {
        assert!(result.contains(pair), "{result}");
    }
    session.process.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_real_agent_runs_what_was_allowed_and_not_what_was_denied() {
    let bash =
        |id: &str, command: &str| Block::tool(id, "Bash", json!({"command": command, "description": "x"}));
    let script = vec![
        Reply::new([bash("toolu_1", "mkdir allowed")]),
        Reply::new([bash("toolu_2", "mkdir denied")]),
        Reply::text("Done."),
    ];
    let Some(mut session) = Session::start("the_real_agent_runs_what_was_allowed", true, script).await else {
        return;
    };
    let deny = ApprovalDecision::Deny { message: Some("not now".to_owned()) };
    let mut seen = Vec::new();
    for decision in [ApprovalDecision::AllowOnce, deny] {
        session.until(&mut seen, |event| matches!(event, AgentEvent::ApprovalAsked { .. })).await;
        let Some(AgentEvent::ApprovalAsked { native_ref, tool, .. }) = seen.last() else {
            panic!("{seen:?}")
        };
        assert_eq!(tool, "Bash");
        let line = session.stream.encode_decision(native_ref, &decision).unwrap();
        session.process.write(line).await.unwrap();
    }
    session.until(&mut seen, turn_ended).await;
    let ended: Vec<_> = seen
        .iter()
        .filter_map(|event| match event {
            AgentEvent::ToolEnded { tool_use, ok, output } => Some((tool_use.as_str(), *ok, output.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!((ended.len(), ended[0].1, ended[1]), (2, true, ("toolu_2", false, "not now")));
    let made = |name: &str| session._project.path().join(name).exists();
    assert_eq!((made("allowed"), made("denied")), (true, false));
    session.process.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_withdraws_the_real_agents_question_and_is_no_error() {
    let script = vec![Reply::new([Block::ask("toolu_ask_1", &questions())])];
    let Some(mut session) = Session::start("an_interrupt_withdraws", true, script).await else { return };
    let mut seen = Vec::new();
    session.until(&mut seen, |event| matches!(event, AgentEvent::Asked(_))).await;
    session.process.write(session.stream.encode_interrupt()).await.unwrap();
    let mut after = Vec::new();
    session.until(&mut after, turn_ended).await;
    let [AgentEvent::Withdrawn { native_ref }, AgentEvent::TurnEnded { error: None, .. }] = after.as_slice()
    else {
        panic!("{after:?}")
    };
    assert_eq!(native_ref.as_str(), "toolu_ask_1");
    session.process.stop(Duration::from_secs(5)).await;
}

/// What the decision on the bare form builds on: such a process cannot ask at all.
#[tokio::test(flavor = "multi_thread")]
async fn without_the_prompt_tool_the_real_agent_does_not_offer_its_question_tool() {
    let Some(mut session) = Session::start("without_the_prompt_tool", false, Vec::new()).await else {
        return;
    };
    let mut seen = Vec::new();
    session.until(&mut seen, turn_ended).await;
    let offered: Vec<String> =
        session.mock.requests().iter().map(|request| request.body["tools"].to_string()).collect();
    assert!(offered.iter().any(|tools| tools.contains("\"Bash\"")), "{offered:?}");
    assert!(!offered.iter().any(|tools| tools.contains("\"AskUserQuestion\"")), "{offered:?}");
    session.process.stop(Duration::from_secs(5)).await;
}
