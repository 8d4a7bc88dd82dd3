//! The real agent CLIs: each asks over MCP, and its model's next request contains the user's answer.

use std::time::{Duration, Instant};

use askdesk_domain::{Channel, Request};
use askdesk_testkit::clis::{self, Cli, Program};
use askdesk_testkit::mock_api::{Block, MockApi, Reply, Script};
use rstest::rstest;
use serde_json::{Value, json};

use super::fixture::{Fixture, QUESTION, questions, read};
use crate::gateway::fixture::PATIENCE;

/// Finds the program, or reports that the test is not run.
fn program_or_skip(test: &str, cli: Cli) -> Option<Program> {
    let program = cli.program();
    if program.is_none() {
        let why = format!("the real {} is not installed; {}", cli.id(), clis::HOW_TO_INSTALL);
        clis::report_skipped(test, &why);
    }
    program
}

/// The name that a program gives itself.
fn name(cli: Cli) -> &'static str {
    match cli {
        Cli::ClaudeCode => "claude-code",
        Cli::Codex => "codex-mcp-client",
        Cli::GeminiCli => "gemini-cli-mcp-client",
        Cli::OpenCode => "opencode",
    }
}

/// Lets a program ask, answers after a time, and checks what its model receives.
pub async fn asks(test: &str, cli: Cli, after: Duration) {
    let Some(program) = program_or_skip(test, cli) else { return };
    let fixture = Fixture::open().await;
    let call = Block::tool("call_1", "ask_user_question", json!({"questions": questions()}));
    let script = vec![Reply::new([call]), Reply::text("So be it.")];
    let model = MockApi::start(Script(script)).await.unwrap();
    let before = cli.write_settings(&fixture.home(), &model.base_url).unwrap();
    fixture.askdesk(&["connect", cli.id(), "--yes"]).await;
    assert_ne!(read(&before)[0].1, before[0].1, "it is registered");

    let command =
        cli.run_once(&program, &fixture.home(), &fixture.project(), &model.base_url, "Please go on.");
    let mut running = fixture.start(command);
    let (request, session) = fixture.asked(&mut running).await;
    assert_eq!((session.origin.channel(), session.origin.client()), (Some(Channel::Mcp), Some(name(cli))));
    let asked = Instant::now();
    while asked.elapsed() < after {
        let id = request.id;
        fixture
            .until(&mut running, "it still waits", move |desk| desk.request(id)?.is_open().then_some(()))
            .await;
        tokio::time::sleep(Duration::from_secs(1).min(after)).await;
    }
    assert_eq!(model.conversation().len(), 1, "the model gets nothing before the user has answered");
    fixture.gateway.answer(request.id).await;
    if model.wait_for_request(2, PATIENCE).await.is_none() {
        panic!("the turn does not go on; it says:\n{}", running.says());
    }
    let told = model.call_results();
    assert_eq!(told.len(), 1, "{told:?}");
    // Codex first reports how long the call took.
    let text = told[0].text.rsplit_once("Output:\n").map_or(told[0].text.as_str(), |(_, output)| output);
    assert_eq!(text, form(cli, &request));
    fixture.gateway.delivered(request.id).await;
    let said = running.ends_well().await;
    assert!(said.contains("So be it."), "{said}");
    assert_eq!(model.conversation().len(), 2);

    fixture.askdesk(&["disconnect", cli.id(), "--yes"]).await;
    let expected: Vec<_> = before.iter().map(|(file, text)| (file.as_path(), text.clone())).collect();
    assert_eq!(read(&before), expected, "every file is as it was");
    // Claude Code writes into this file too, so only our entry is gone.
    if let Ok(claude) = std::fs::read_to_string(fixture.home().join(".claude.json")) {
        let claude: Value = serde_json::from_str(&claude).unwrap();
        assert_eq!(claude["mcpServers"].get("askdesk"), None, "{claude}");
    }
}

/// What a model receives: the JSON from Claude Code and Codex, the text from the others.
fn form(cli: Cli, request: &Request) -> String {
    let words = format!(
        "User has answered your questions: \"{QUESTION}\"=\"PostgreSQL\". You can now continue with the user's answers in \
         mind."
    );
    let answers = json!([{"question": QUESTION, "selectedOptions": ["PostgreSQL"], "header": "Store"}]);
    let data = json!({"outcome": "answered", "requestId": request.id, "answers": answers});
    match cli {
        Cli::ClaudeCode | Cli::Codex => data.to_string(),
        Cli::GeminiCli => format!("<untrusted_context>\n{words}\n</untrusted_context>"),
        Cli::OpenCode => words,
    }
}

#[rstest]
#[case::claude(Cli::ClaudeCode)]
#[case::codex(Cli::Codex)]
#[case::gemini(Cli::GeminiCli)]
#[case::opencode(Cli::OpenCode)]
#[tokio::test(flavor = "multi_thread")]
async fn a_real_agent_asks_and_its_model_receives_the_answer(#[case] cli: Cli) {
    let test = format!("a_real_agent_asks_and_its_model_receives_the_answer ({})", cli.id());
    assert_eq!(Cli::ALL, [Cli::ClaudeCode, Cli::Codex, Cli::GeminiCli, Cli::OpenCode], "each has a case");
    asks(&test, cli, Duration::ZERO).await;
}
