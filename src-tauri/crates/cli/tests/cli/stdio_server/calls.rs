//! A client, `askdesk mcp`, and a real gateway.

use askdesk_domain::Channel;
use rstest::rstest;
use serde_json::json;

use super::mcp_client::{
    Connected, Folder, PATIENCE, Speaks, assert_answered, connect, connect_as, structured,
};
use crate::gateway::fixture::Fixture;
use crate::gateway::mcp_client::McpClient;

/// The program with the data folder of a gateway.
pub fn at(fixture: &Fixture, line: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_askdesk"));
    command.args(line).env_clear().env("ASKDESK_DATA_DIR", fixture.folder.path()).current_dir("/");
    command
}

/// A session of `askdesk mcp` at a gateway.
async fn connected() -> (Fixture, Connected) {
    let fixture = Fixture::open().await;
    let connected = connect(at(&fixture, &["mcp"])).await;
    (fixture, connected)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tools_are_those_of_the_gateway_even_without_the_app() {
    let fixture = Fixture::open().await;
    let nowhere = tempfile::tempdir().unwrap();
    for name in ["gemini-cli-mcp-client", "codex-mcp-client"] {
        let direct = McpClient::over_http(&fixture, name, Speaks::Sessions, Folder::Never).await;
        let tools = direct.client.list_all_tools().await.unwrap();
        let instructions = direct.client.peer_info().unwrap().instructions.clone();
        assert_eq!(tools[1].name == "ask_person", name.starts_with("gemini"));
        for speaks in [Speaks::Sessions, Speaks::Discovery] {
            let with = connect_as(at(&fixture, &["mcp"]), name, speaks, Folder::Never, "").await;
            assert_eq!(with.client.list_all_tools().await.unwrap(), tools);
            if speaks == Speaks::Sessions {
                assert_eq!(with.client.peer_info().unwrap().instructions, instructions);
            }
            let mut command = at(&fixture, &["mcp"]);
            command.env("ASKDESK_DATA_DIR", nowhere.path());
            let without = connect_as(command, name, speaks, Folder::Never, "").await;
            assert_eq!(without.client.list_all_tools().await.unwrap(), tools);
        }
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_the_result_of_the_call(
    #[values(Speaks::Sessions, Speaks::Discovery)] speaks: Speaks,
    #[values(Folder::AtOnce, Folder::Never)] folder: Folder,
) {
    let fixture = Fixture::open().await;
    let mut connected = connect_as(at(&fixture, &["mcp"]), "opencode", speaks, folder, "").await;
    let (calling, progress) = connected.ask_with_progress();
    let answering = async {
        let (request, session) = fixture.asked().await;
        assert_eq!(
            (session.origin.channel(), session.origin.client()),
            (Some(Channel::Mcp), Some("opencode"))
        );
        let folder = if folder == Folder::Never { "/" } else { "/home/a/project" };
        assert_eq!((session.version.as_deref(), session.folder.as_str()), (Some("1.2.3"), folder));
        assert_eq!(progress.recv().await.unwrap(), "waiting for the user, 0:00");
        fixture.answer(request.id).await;
        request
    };
    let (result, request) = tokio::join!(calling, answering);
    assert_answered(&result, request.id);
    fixture.delivered(request.id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_45_a_waiting_call_is_kept_alive_by_progress() {
    let (_fixture, mut connected) = connected().await;
    let _call = connected.begin().await;
    assert_eq!(connected.next_progress().await, "waiting for the user, 0:00");
    let next = connected.next_progress().await;
    assert!(*next > *"waiting for the user, 0:14", "{next}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotated_token_is_read_again() {
    let (fixture, connected) = connected().await;
    let old = fixture.token();
    let first = connected.begin().await;
    let (waits, _) = fixture.asked().await;
    assert_eq!(fixture.post("/v1/token/rotate", &json!({})).await.status, 200);
    assert_ne!(fixture.token(), old);
    let answering = async {
        let other = move |desk: &askdesk_domain::Desk| {
            let mut open = desk.requests().filter(|request| request.is_open());
            open.find(|request| request.id != waits.id).map(|request| request.id)
        };
        let id = fixture.until("the second asks", other).await;
        fixture.engine.decline(id, None).await.unwrap();
        // The call from before the rotation is still waiting.
        fixture.answer(waits.id).await;
    };
    let asks = json!({"questions": [{"question": "Sure?", "type": "confirm"}]});
    let (second, ()) = tokio::join!(connected.call("ask_user", asks), answering);
    assert_eq!(structured(&second)["outcome"], "declined");
    let first =
        tokio::time::timeout(PATIENCE, first.await_response()).await.expect("an end in time").unwrap();
    assert_eq!(serde_json::to_value(first).unwrap()["structuredContent"]["outcome"], "answered");
}
