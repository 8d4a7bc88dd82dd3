//! The official MCP clients: the Inspector's command line and the SDKs for TypeScript and Python. Each lists the tools,
//! asks, and receives the answer as text and as JSON. The SDKs also cancel a call and find its question again.

use std::path::{Path, PathBuf};
use std::process::Command;

use askdesk_domain::{Channel, OrphanedWhy, Outcome};
use askdesk_testkit::{clis, mcp_clients};
use rstest::rstest;
use serde_json::{Value, json};

use super::fixture::{Fixture, QUESTION, questions};

/// The result, without the request's id.
fn expected(request: &Value) -> Value {
    json!({
        "content": [{"type": "text", "text": format!(
            "User has answered your questions: \"{QUESTION}\"=\"PostgreSQL\". You can now continue with the user's answers in \
             mind."
        )}],
        "structuredContent": {"outcome": "answered", "requestId": request, "answers": [
            {"question": QUESTION, "header": "Store", "selectedOptions": ["PostgreSQL"]},
        ]},
    })
}

fn check_result(result: &Value) {
    let expected = expected(&result["structuredContent"]["requestId"]);
    assert_eq!(result["content"], expected["content"], "{result}");
    assert_eq!(result["structuredContent"], expected["structuredContent"], "{result}");
    assert_ne!(result["isError"], true);
}

/// Registers the gateway in a project, and returns the file.
async fn registered(fixture: &Fixture) -> PathBuf {
    fixture.askdesk(&["connect", "claude-code", "--scope", "project", "--yes"]).await;
    fixture.project().join(".mcp.json")
}

/// A command without the environment of this user.
fn sealed(fixture: &Fixture, program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("HOME", fixture.home()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.current_dir(fixture.project());
    command
}

fn skipped(test: &str, what: &str) {
    clis::report_skipped(test, &format!("{what} is not installed; {}", mcp_clients::HOW_TO_INSTALL));
}

/// How a client is recognized from one call to the next.
#[derive(Clone, Copy)]
enum KnownBy {
    ItsSession,
    /// It names neither a session nor a folder, so it isn't recognized.
    Nothing,
}

/// Runs a script that asks, cancels, asks again, and is answered.
async fn cancels_and_is_answered(fixture: &Fixture, command: Command, client: &str, known: KnownBy) {
    let mut running = fixture.start_with_input(command);
    let (request, session) = fixture.asked(&mut running).await;
    assert_eq!((session.origin.channel(), session.origin.client()), (Some(Channel::Mcp), Some(client)));
    let tools = running.line(|line| line.get("tools").cloned()).await;
    assert_eq!(tools, json!(["ask_user_question", "ask_user", "collect_answer"]));
    let told = running.line(|line| line["message"].as_str().map(str::to_owned)).await;
    assert!(told.starts_with("waiting for the user, 0:"), "{told}");

    running.say("cancel\n").await;
    running.line(|line| line.get("cancelled").cloned()).await;
    let id = request.id;
    let left = Outcome::Orphaned { why: OrphanedWhy::CallerGone };
    fixture
        .until(&mut running, "the question is left to the user", move |desk| {
            (desk.request(id)?.ended()?.outcome == left).then_some(())
        })
        .await;
    running.say("again\n").await;
    let (again, _) = fixture.asked(&mut running).await;
    match known {
        KnownBy::ItsSession => assert_eq!(again.id, request.id, "it is the same question"),
        KnownBy::Nothing => assert_ne!(again.id, request.id, "it may be somebody else's question"),
    }
    fixture.gateway.answer(again.id).await;
    check_result(&running.line(|line| line.get("result").cloned()).await);
    fixture.gateway.delivered(again.id).await;
    running.ends_well().await;
}

fn call() -> String {
    json!({"questions": questions()}).to_string()
}

#[rstest]
#[case::first_version_with_a_session("v1", "legacy", KnownBy::ItsSession)]
#[case::second_version_with_a_session("v2", "legacy", KnownBy::ItsSession)]
#[case::second_version_without_a_session("v2", "modern", KnownBy::Nothing)]
#[tokio::test(flavor = "multi_thread")]
async fn the_typescript_sdk_asks(#[case] sdk: &str, #[case] mode: &str, #[case] known: KnownBy) {
    let Some(script) = mcp_clients::typescript() else {
        return skipped(&format!("the_typescript_sdk_asks ({sdk}, {mode})"), "the TypeScript SDK");
    };
    let fixture = Fixture::open_with_frequent_progress().await;
    let mut command = sealed(&fixture, Path::new("node"));
    command.arg(script).arg(registered(&fixture).await).args([sdk, mode]).arg(call());
    cancels_and_is_answered(&fixture, command, &format!("typescript-{sdk}"), known).await;
}

#[rstest]
#[case::with_a_session("legacy", KnownBy::ItsSession)]
#[case::without_a_session("2026-07-28", KnownBy::Nothing)]
#[tokio::test(flavor = "multi_thread")]
async fn the_python_sdk_asks(#[case] mode: &str, #[case] known: KnownBy) {
    let Some(python) = mcp_clients::python() else {
        return skipped(&format!("the_python_sdk_asks ({mode})"), "the Python SDK");
    };
    let fixture = Fixture::open_with_frequent_progress().await;
    let mut command = sealed(&fixture, &python);
    command.arg(mcp_clients::folder().join("ask.py")).arg(registered(&fixture).await).arg(mode).arg(call());
    cancels_and_is_answered(&fixture, command, "python", known).await;
}

/// The Inspector does one thing per run: it lists the tools or calls one.
#[rstest]
#[case::with_a_session("legacy")]
#[case::without_a_session("modern")]
#[tokio::test(flavor = "multi_thread")]
async fn the_inspector_asks(#[case] era: &str) {
    let Some(program) = mcp_clients::inspector() else {
        return skipped(&format!("the_inspector_asks ({era})"), "the MCP Inspector");
    };
    let fixture = Fixture::open_with_frequent_progress().await;
    let config = registered(&fixture).await;
    let inspects = |method: &[&str]| {
        let mut command = sealed(&fixture, Path::new("node"));
        command.arg(&program).arg("--cli").arg("--config").arg(&config);
        command.args(["--server", "askdesk", "--protocol-era", era, "--format", "json", "--quiet"]);
        command.arg("--method").args(method);
        command
    };
    let mut listing = fixture.start_with_input(inspects(&["tools/list"]));
    let tools = listing.line(|line| line["result"].get("tools").cloned()).await;
    let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ask_user_question", "ask_user", "collect_answer"]);
    listing.ends_well().await;

    let calls = ["tools/call", "--tool-name", "ask_user_question", "--tool-args-json", &call()];
    let mut calling = fixture.start_with_input(inspects(&calls));
    let (request, session) = fixture.asked(&mut calling).await;
    assert_eq!(session.origin.channel(), Some(Channel::Mcp));
    assert!(session.origin.client().is_some_and(|name| name.contains("inspector")));
    fixture.gateway.answer(request.id).await;
    check_result(&calling.line(|line| line.get("result").cloned()).await);
    fixture.gateway.delivered(request.id).await;
    calling.ends_well().await;
}
